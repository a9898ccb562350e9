"""gatehouse reviews, run in this process."""

import functools
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from gatehouse.admin.reviews.command import reviews as commands
from gatehouse.admin.reviews.queries import reviews
from gatehouse.core.errors import Conflict, GatehouseError, InvalidInput, NotFound
from gatehouse.store.admin import audit
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.tables import DECISIONS
from tests.harness import invoking
from tests.harness.invoking import printed
from tests.store.reviewing import MOMENT_MS, open_review

run = functools.partial(printed, commands.app)
as_data = functools.partial(invoking.as_data, commands.app)

CARD = {
    **{"brand": "VISA", "bin": "42424242", "lastFour": "4242", "expiry": "2030-12"},
    **{"country": "GB", "funding": "DEBIT", "prepaid": False, "fingerprint": "card1_x"},
}
SIGNALS = {
    **{"order.amount": 1950.5, "order.currency": "BHD", "order.items": 2},
    **{"user.id": "u-66", "email.domain": "example.com", "billing.country": "GB"},
    **{"ip.address": "198.51.100.1", "ip.country": "US", "ip.organisation": "Example Hosting"},
    **{"ip.hosting": True, "ip.vpn": False, "device.browser": "Firefox", "device.system": "Linux"},
}


def test_the_list_shows_who_ordered_what_with_which_card_and_what_spoke_against_it(
    session: AdminSession, account: str
) -> None:
    request = open_review(session, account, card=CARD, signals=SIGNALS)
    headings, line, why = run("list").splitlines()
    assert headings.split() == [
        *("REQUEST", "AGE", "STATUS", "AMOUNT"),
        *("CARD", "CUSTOMER", "FROM", "ASSIGNEE"),
    ]
    first, age, rest = line.split(maxsplit=2)
    assert (first, age[-1]) == (request, "d")
    assert re.split("  +", rest) == [
        *("OPEN", "1,950.500 BHD", "VISA 42424242…4242 GB"),
        *("u-66 …@example.com", "US Example Hosting", "-"),
    ]
    assert why == "  large-order, new-card [ip_hosting, high-value]: Sentry found ip_hosting."
    [told] = as_data("list", "--account", account)
    assert {name: told[name] for name in ("requestId", "status", "assignee", "noteCount")} == {
        **{"requestId": request, "status": "OPEN"},
        **{"assignee": None, "noteCount": 0},
    }
    summary = told["summary"]
    assert summary["order"]["amount"] == {"currency": "BHD", "amount": 1950.5}
    assert summary["card"]["lastFour"] == "4242"
    assert summary["origin"]["traits"] == ["hosting"]
    assert (summary["rules"], summary["tags"]) == (
        ["large-order", "new-card"],
        ["ip_hosting", "high-value"],
    )


def test_a_review_is_resolved_shown_and_found_by_its_status(
    session: AdminSession, account: str
) -> None:
    request, other = open_review(session, account), open_review(session, account)
    said = run("resolve", request, "--decline", "--reason", "stolen, see 4242424242424242")
    assert said == f"{request} is DECLINED\n"
    shown = as_data("show", request)
    assert shown["status"] == "DECLINED"
    assert shown["resolvedBy"].startswith("cli:")
    assert shown["reason"] == "stolen, see [card]"
    assert shown["decision"]["requestId"] == request
    assert "large-order, new-card" in run("show", request)
    assert "requestConfidence=0.4" in run("show", request)
    by_status = {
        status: [one["requestId"] for one in as_data("list", "--status", status)]
        for status in ("open", "approved", "declined", "all")
    }
    assert by_status == {
        "open": [other],
        "approved": [],
        "declined": [request],
        "all": [request, other],
    }
    newest_first = as_data("list", "--status", "all", "--newest")
    assert [one["requestId"] for one in newest_first] == [other, request]
    assert run("list", "--status", "approved") == "no reviews\n"
    with session.reading() as connection:
        *_, line = audit.read(connection, account, 10)
    assert (line.action, line.actor) == ("review.resolve", shown["resolvedBy"])
    with pytest.raises(Conflict, match=r"was DECLINED by cli:.*gatehouse reviews correct") as late:
        run("resolve", request, "--approve", "--reason", "no")
    assert type(late.value) is Conflict


def test_a_long_list_is_read_page_by_page(session: AdminSession, account: str) -> None:
    oldest, middle, newest = (open_review(session, account, MOMENT_MS + n) for n in range(3))
    text = run("list", "--limit", "2")
    assert text.endswith(f"there are more: --after {middle}\n")
    assert oldest in text
    rest = as_data("list", "--limit", "2", "--after", middle)
    assert [one["requestId"] for one in rest] == [newest]
    back = as_data("list", "--newest", "--after", middle)
    assert [one["requestId"] for one in back] == [oldest]


def test_a_review_whose_record_is_gone_is_still_shown(session: AdminSession, account: str) -> None:
    request = open_review(session, account)
    with session.database.writing() as connection:
        connection.execute(DECISIONS.delete())
    assert as_data("list")[0]["summary"] is None
    assert as_data("show", request)["decision"] is None
    assert request in run("list")
    assert "OPEN" in run("show", request)


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (["list", "--after", "yesterday"], InvalidInput),
        (["list", "--account", "acct_other"], NotFound),
        (["show", "req_unknown"], NotFound),
        (["resolve", "req_unknown", "--approve", "--reason", "fine"], NotFound),
        (["resolve", "--approve", "--reason", "fine"], InvalidInput),
        (["resolve", "req_1", "--tag", "x", "--approve", "--reason", "fine"], InvalidInput),
        (["resolve", "--from", "nowhere.txt", "--approve", "--reason", "fine"], InvalidInput),
        (["resolve", "--older-than", "soon", "--approve", "--reason", "fine"], InvalidInput),
        (["list", "--assignee", "4242424242424242"], InvalidInput),
        (["take", "--to", "unassigned"], InvalidInput),
        (["take"], NotFound),
        (["note", "req_unknown", "seen"], NotFound),
        (["assign", "req_unknown", "--to", "me"], NotFound),
        (["correct", "req_unknown", "--approve", "--reason", "fine"], NotFound),
    ],
)
def test_mistakes_are_refused(
    session: AdminSession, account: str, arguments: list[str], error: type[GatehouseError]
) -> None:
    with pytest.raises(error):
        run(*arguments)


def test_a_resolution_needs_a_verdict_and_a_reason(session: AdminSession, account: str) -> None:
    request = open_review(session, account)
    for missing in (["--approve"], ["--reason", "fine"]):
        assert CliRunner().invoke(commands.app, ["resolve", request, *missing]).exit_code == 2
    with pytest.raises(InvalidInput):
        run("resolve", request, "--approve", "--reason", " ")
    with session.reading() as connection:
        assert reviews.get(connection, account, request).state == "OPEN"


def test_a_day_of_an_analyst(session: AdminSession, account: str) -> None:
    oldest, other = (
        open_review(session, account, MOMENT_MS + n, card=CARD, signals=SIGNALS) for n in range(2)
    )
    shown = run("take", "--to", "Amelia Whitfield")
    for told in (
        "u-66, …@example.com, billing GB",
        "1,950.500 BHD, 2 lines, reference order-1001",
        "VISA 42424242…4242 GB, DEBIT",
        "198.51.100.1, US, Example Hosting (hosting), Firefox on Linux",
        "The rule large-order of rule set",
        "assigned to Amelia Whitfield",
    ):
        assert told in shown
    assert oldest in shown
    with pytest.raises(Conflict, match=r"Amelia Whitfield has req_.*--take-over"):
        run("assign", oldest, "--to", "bob")
    assert run("assign", oldest, "--to", "me", "--take-over").endswith(f" has {oldest}\n")
    mine = {who: as_data("list", "--assignee", who) for who in ("me", "unassigned", "bob")}
    assert {who: [one["requestId"] for one in found] for who, found in mine.items()} == {
        **{"me": [oldest], "unassigned": [other]},
        "bob": [],
    }
    for _ in range(2):
        said = run("note", oldest, "called 4242424242424242,\nno answer")
        assert said == f"note 1 of {oldest} is kept\n"
    run("resolve", oldest, "--approve", "--reason", "answers now")
    corrected = "correct", oldest, "--decline", "--reason", "charged back"
    assert run(*corrected) == run(*corrected) == f"{oldest} is now DECLINED\n"
    assert run("unassign", oldest) == f"nobody has {oldest}\n"
    history = [line.split("  ")[-1].strip() for line in run("show", oldest).splitlines()[-7:]]
    assert [re.sub("to [^:]*$", "to ...", told) for told in history] == [
        *("opened", "assigned to ...", "assigned to ...", "note: called [card], no answer"),
        *("resolved as APPROVED: answers now", "corrected to DECLINED: charged back"),
        "assigned to ...",
    ]


def test_many_are_resolved_and_one_bad_one_does_not_lose_the_rest(
    session: AdminSession, account: str, tmp_path: Path
) -> None:
    first, second, third, fourth = (open_review(session, account) for _ in range(4))
    run("resolve", second, "--decline", "--reason", "stolen")
    told = CliRunner().invoke(
        commands.app, ["resolve", first, second, "req_x", "--approve", "--reason", "known"]
    )
    assert told.exit_code == 1
    assert f"{first} is APPROVED\n" in told.stdout
    assert f"refused: {second} was DECLINED by cli:" in told.stdout
    assert "has no review req_x\n1 of 3 reviews\n" in told.stdout
    ids = tmp_path / "ids.txt"
    ids.write_text(f"{third}\n\n{third}\n{fourth}\n")
    named = ("resolve", "--from", str(ids), "--decline", "--reason", "a gang")
    assert f"{third} would be DECLINED\n" in run(*named, "--dry-run")
    tried = as_data(*named, "--dry-run")
    assert tried["dryRun"]
    assert [one["status"] for one in tried["results"]] == ["OPEN", "OPEN"]
    done = as_data(*named)
    assert [one["status"] for one in done["results"]] == ["DECLINED", "DECLINED"]
    assert (done["resolved"], done["refused"], done["dryRun"]) == (2, 0, False)


def test_reviews_that_options_describe_are_resolved_after_a_yes(
    session: AdminSession, account: str
) -> None:
    tagged = [open_review(session, account, MOMENT_MS + n) for n in range(3)]
    run("assign", tagged[2], "--to", "bob")
    wanted = ["resolve", "--tag", "high-value", "--approve", "--reason", "a campaign"]
    wanted += ["--older-than", "1d", "--rule", "new-card", "--assignee", "unassigned"]
    assert run(*wanted, "--dry-run").endswith("\n2 of 2 reviews\n")
    asked = CliRunner().invoke(commands.app, wanted, input="n\n")
    assert asked.exit_code == 1
    assert "Resolve 2 open reviews as APPROVED?" in asked.output
    assert len(as_data("list")) == 3
    assert run(*wanted, "--yes").endswith("\n2 of 2 reviews\n")
    assert [one["requestId"] for one in as_data("list")] == [tagged[2]]
    assert run(*wanted, "--yes") == "0 of 0 reviews\n"

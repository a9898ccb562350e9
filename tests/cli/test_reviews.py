"""gatehouse reviews, run in this process."""

import functools

import pytest
from typer.testing import CliRunner

from gatehouse.cli.decisions import reviews as commands
from gatehouse.core.errors import Conflict, GatehouseError, InvalidInput, NotFound
from gatehouse.store.admin import audit
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.decisions import reviews
from gatehouse.store.tables import DECISIONS
from tests.harness import invoking
from tests.harness.invoking import printed
from tests.store.reviewing import MOMENT_MS, open_review

run = functools.partial(printed, commands.app)
as_data = functools.partial(invoking.as_data, commands.app)


def test_the_list_shows_what_was_to_be_paid_and_what_spoke_against_it(
    session: AdminSession, account: str
) -> None:
    request = open_review(session, account)
    headings, line = run("list").splitlines()
    assert headings.split() == [
        *("REQUEST", "CREATED", "STATUS"),
        *("AMOUNT", "CURRENCY", "RULES", "TAGS"),
    ]
    assert line.split(maxsplit=5) == [
        request,
        "2026-09-21T14:13:20.000Z",
        "OPEN",
        "950.0",
        "USD",
        "large-order, new-card  ip_hosting, high-value",
    ]
    assert as_data("list", "--account", account) == [
        {
            "requestId": request,
            "status": "OPEN",
            "createdAt": "2026-09-21T14:13:20.000Z",
            "resolvedAt": None,
            "resolvedBy": None,
            "reason": None,
            "paymentStatus": None,
            "amount": 950.0,
            "currency": "USD",
            "matchedRules": ["large-order", "new-card"],
            "tags": ["ip_hosting", "high-value"],
        }
    ]


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
        "all": [other, request],
    }
    assert run("list", "--status", "approved") == "no reviews\n"
    with session.reading() as connection:
        *_, line = audit.read(connection, account, 10)
    assert (line.action, line.actor) == ("review.resolve", shown["resolvedBy"])
    with pytest.raises(Conflict, match="was DECLINED by cli:") as late:
        run("resolve", request, "--approve", "--reason", "no")
    assert type(late.value) is Conflict


def test_a_long_list_is_read_page_by_page(session: AdminSession, account: str) -> None:
    oldest, middle, newest = (open_review(session, account, MOMENT_MS + n) for n in range(3))
    text = run("list", "--limit", "2")
    assert text.endswith(f"there are more: --after {middle}\n")
    assert newest in text
    rest = as_data("list", "--limit", "2", "--after", middle)
    assert [one["requestId"] for one in rest] == [oldest]


def test_a_review_whose_record_is_gone_is_still_shown(session: AdminSession, account: str) -> None:
    request = open_review(session, account)
    with session.database.writing() as connection:
        connection.execute(DECISIONS.delete())
    assert as_data("list")[0]["amount"] is None
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

"""Decisions and reviews are searched from the command line."""

import functools
from collections.abc import Iterator
from typing import Any

import pytest

from gatehouse.cli.app import app
from gatehouse.core.errors import InvalidInput
from gatehouse.store.tables import REVIEWS
from tests.harness import CARD, Home, make_account
from tests.harness.invoking import as_data, finished, printed
from tests.store.deciding import MOMENT_MS
from tests.store.earlier import bought, index_all

run = functools.partial(printed, app)
SEARCH = ("decisions", "search")


@pytest.fixture(scope="module")
def requests(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[str]]:
    """Three purchases with one card, of which the second is to be reviewed."""
    home = Home(tmp_path_factory.mktemp("search") / "home").migrated()
    with home.current(), home.session() as session:
        account = make_account(session)
        found = [bought(session, account) for _ in range(3)]
        index_all(session)
        review = {"account_id": account, "request_id": found[1], "at_ms": MOMENT_MS}
        with session.database.writing() as connection:
            connection.execute(REVIEWS.insert(), review | {"state": "OPEN"})
        yield found


def ids(found: Any) -> list[str]:
    return [each["requestId"] for each in found]


def test_a_card_is_searched_by_its_number_from_standard_input_or_by_its_fingerprint(
    requests: list[str],
) -> None:
    shown = run(*SEARCH, "--card", "-", given=CARD + "\n")
    assert [line.split()[0] for line in shown.splitlines()[1:]] == requests[::-1]
    everything = as_data(app, *SEARCH)
    assert (ids(everything["decisions"]), everything["nextCursor"]) == (requests[::-1], None)
    fingerprint = everything["decisions"][0]["card"]["fingerprint"]
    assert ids(as_data(app, *SEARCH, "--card", fingerprint)["decisions"]) == requests[::-1]


def test_a_card_number_on_the_command_line_is_refused_and_not_repeated(
    requests: list[str],
) -> None:
    done = finished(app, *SEARCH, "--card", CARD)
    assert done.code == 4
    assert "--card -" in done.err
    assert CARD not in done.out + done.err


def test_options_are_filters_that_must_all_apply(requests: list[str]) -> None:
    decided = as_data(app, *SEARCH)["decisions"][0]
    signals = decided["signals"]
    amount, currency = str(signals["order.amount"]), signals["order.currency"]
    applying = [
        *("--decision", decided["decision"].lower(), "--operation", "pipeline"),
        *("--min-amount", amount, "--max-amount", amount, "--currency", currency.lower()),
        *("--ip", signals["ip.address"], "--since", "2026-01-01", "--until", "2100-01-01"),
    ]
    assert ids(as_data(app, *SEARCH, *applying)["decisions"]) == requests[::-1]
    for more in (("--user", "u-9"), ("--rule", "none"), ("--tag", "none"), ("--label", "fraud")):
        assert run(*SEARCH, *applying, *more) == "no decisions\n"
    for option, value in (
        ("--email", "nobody@example.com"),
        ("--phone", "+14155550199"),
        ("--device", "#0"),
        ("--transaction", "t-none"),
        ("--reference", "none"),
    ):
        assert run(*SEARCH, option, value) == "no decisions\n"


def test_a_page_says_how_to_get_the_next_one(requests: list[str]) -> None:
    first = as_data(app, *SEARCH, "--limit", "2")
    assert ids(first["decisions"]) == requests[:0:-1]
    shown = run(*SEARCH, "--limit", "2")
    assert shown.splitlines()[-1] == f"there may be more: --cursor {first['nextCursor']}"
    rest = as_data(app, *SEARCH, "--limit", "2", "--cursor", first["nextCursor"])
    assert (ids(rest["decisions"]), rest["nextCursor"]) == (requests[:1], None)


def test_reviews_are_searched_by_their_decisions_and_their_status(requests: list[str]) -> None:
    search = ("reviews", "search", "--operation", "pipeline")
    found = as_data(app, *search, "--status", "open")
    assert (ids(found["reviews"]), found["nextCursor"]) == ([requests[1]], None)
    assert requests[1] in run(*search)
    assert run(*search, "--status", "APPROVED", "--status", "DECLINED") == "no reviews\n"


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (("--min-amount", "5"), "name it: --currency USD"),
        (("--min-amount", "5", "--max-amount", "4", "--currency", "USD"), "must not be more than"),
        (("--since", "1d", "--until", "2d"), "--since must be earlier than --until"),
        (("--since", "yesterday"), "--since takes a span"),
        (("--ip", "here", "--device", "null"), "--ip must be an internet address; --device must"),
        (("--email", "nobody"), "--email must be an e-mail address"),
        (("--operation", "prechek"), "--operation must be one of precheck"),
        (("--cursor", "x"), "--cursor must be the nextCursor"),
        (("--card", "card1_x"), "--card must be a fingerprint of this account"),
    ],
)
def test_what_cannot_be_searched_for_is_refused_with_what_to_do(
    requests: list[str], options: tuple[str, ...], problem: str
) -> None:
    with pytest.raises(InvalidInput, match=problem):
        run(*SEARCH, *options)

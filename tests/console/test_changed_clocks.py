"""Searches for the days on which clocks are changed: all of such a day is found, and no more."""

import dataclasses
from collections.abc import Callable
from datetime import datetime

import pytest

from gatehouse.access.roles import UserRole
from gatehouse.admin.lists.types import NewList
from gatehouse.admin.lists.use_cases import lists
from gatehouse.rules.list_entries import ListKind
from tests.admin.recorded import Recorder
from tests.console.harness import Browser, Console

DAYS = {"2026-03-29": "clocks go forward", "2026-10-25": "clocks go back"}
LAST_AND_NEXT = {
    "2026-03-29": ("2026-03-29T23:30+02:00", "2026-03-30T00:30+02:00"),
    "2026-10-25": ("2026-10-25T23:30+01:00", "2026-10-26T00:30+01:00"),
}
"""A moment shortly before the end of each day in Berlin, and one shortly after it."""


@pytest.fixture(scope="module")
def berlin(console: Console) -> Browser:
    return console.as_role(UserRole.ADMINISTRATOR, time_zone="Europe/Berlin")


def _at_ms(moment: str) -> int:
    return int(datetime.fromisoformat(moment).timestamp() * 1000)


def _decided(console: Console, moment: str) -> str:
    """A decision of this moment."""
    shop = Recorder(console.session, console.account_id)
    shop.at_ms = _at_ms(moment)
    return shop.keep(later_ms=0)


def _audited(console: Console, moment: str) -> str:
    """The name of a list that was made at this moment."""
    name = f"made-{_at_ms(moment)}"
    session = dataclasses.replace(console.session, clock=lambda: _at_ms(moment))
    lists.create(session, console.account_id, NewList(name, ListKind.USERS, ""))
    return name


@pytest.mark.parametrize("day", DAYS, ids=DAYS.get)
@pytest.mark.parametrize(("page", "make"), [("decisions", _decided), ("audit", _audited)])
def test_a_day_ends_where_the_next_one_begins(
    console: Console, berlin: Browser, day: str, page: str, make: Callable[[Console, str], str]
) -> None:
    last, after = (make(console, moment) for moment in LAST_AND_NEXT[day])
    found = berlin.get(f"/a/{console.account_id}/{page}?from={day}&to={day}").text
    assert last in found
    assert after not in found


@pytest.mark.parametrize("end", ["from", "to"])
@pytest.mark.parametrize("page", ["decisions", "audit"])
def test_a_day_beyond_the_calendar_is_refused(
    console: Console, berlin: Browser, page: str, end: str
) -> None:
    day = {"from": "0001-01-01", "to": "9999-12-31"}[end]
    answer = berlin.get(f"/a/{console.account_id}/{page}?{end}={day}")
    assert answer.status_code == 422

"""Earlier decisions are read back in order, once, in short steps, from both databases."""

import os
from collections.abc import Iterator, Sequence

import pytest

from gatehouse.admin.memory.queries import memory_rebuild
from gatehouse.admin.memory.queries.memory_rebuild import DecisionHistory, RecordText
from gatehouse.core.ids import new_id
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.tables import DECISIONS
from tests.harness import make_account

NOW_MS = 1_794_700_000_000
HOUR_MS = 3_600_000


@pytest.fixture(autouse=True)
def short_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory_rebuild, "ROWS_AT_ONCE", 4)


def _keep(
    session: AdminSession, account_id: str, moments_ms: Sequence[int], operation: str
) -> list[str]:
    """Decision records at the given moments; their texts, in the order of their ids."""
    rows = [
        {
            "account_id": account_id,
            "request_id": new_id("req", at_ms, os.urandom),
            "at_ms": at_ms,
            "operation": operation,
            "client_reference": None,
            "card": None,
            "record": f'{{"at":{at_ms},"by":"{account_id}","é":"\\n"}}',
        }
        for at_ms in moments_ms
    ]
    with session.database.writing() as connection:
        connection.execute(DECISIONS.insert(), rows)
    ordered = sorted(rows, key=lambda row: str(row["request_id"]))
    return [str(row["record"]) for row in ordered]


def _steps(read: DecisionHistory) -> Iterator[list[RecordText]]:
    while (step := read.read()) is not None:
        yield step


def _all(read: DecisionHistory) -> list[RecordText]:
    return [record for step in _steps(read) for record in step]


def test_every_record_comes_once_and_oldest_first(session: AdminSession) -> None:
    merchant = make_account(session)
    moments = [NOW_MS - HOUR_MS * back for back in (3, 9, 1, 7, 2, 8, 4, 6, 5, 10, 11)]
    kept = _keep(session, merchant, moments, "sentry")
    found = _all(DecisionHistory(session.database, 0, NOW_MS))
    assert found == [(merchant, text) for text in kept]


def test_a_step_is_short_however_much_there_is(session: AdminSession) -> None:
    merchant = make_account(session)
    _keep(session, merchant, [NOW_MS - number for number in range(1, 18)], "sentry")
    steps = list(_steps(DecisionHistory(session.database, 0, NOW_MS)))
    assert max(map(len, steps)) == 4
    assert sum(map(len, steps)) == 17


def test_the_records_of_one_account_come_before_those_of_the_next(session: AdminSession) -> None:
    merchants = sorted(make_account(session) for _ in range(3))
    kept = {
        merchant: _keep(session, merchant, [NOW_MS - 1, NOW_MS - 2], "sentry")
        for merchant in merchants
    }
    found = _all(DecisionHistory(session.database, 0, NOW_MS))
    assert found == [(merchant, text) for merchant in merchants for text in kept[merchant]]


def test_only_operations_that_can_hold_an_event_are_read(session: AdminSession) -> None:
    merchant = make_account(session)
    for number, operation in enumerate(("precheck", "sentry", "idverify", "pipeline", "rules")):
        _keep(session, merchant, [NOW_MS - 100 * each - number for each in range(1, 7)], operation)
    found = _all(DecisionHistory(session.database, 0, NOW_MS))
    assert len(found) == 18


def test_a_step_through_other_operations_is_no_end(session: AdminSession) -> None:
    merchant = make_account(session)
    _keep(session, merchant, [NOW_MS - HOUR_MS - number for number in range(10)], "precheck")
    kept = _keep(session, merchant, [NOW_MS - 1], "sentry")
    assert _all(DecisionHistory(session.database, 0, NOW_MS)) == [(merchant, kept[0])]


def test_only_the_span_is_read_its_first_moment_included(session: AdminSession) -> None:
    merchant = make_account(session)
    moments = [NOW_MS - HOUR_MS - 1, NOW_MS - HOUR_MS, NOW_MS - 1, NOW_MS, NOW_MS + 1]
    kept = _keep(session, merchant, moments, "sentry")
    found = _all(DecisionHistory(session.database, NOW_MS - HOUR_MS, NOW_MS))
    assert found == [(merchant, text) for text in kept[1:3]]


def test_without_accounts_or_records_it_ends_at_once(session: AdminSession) -> None:
    assert _all(DecisionHistory(session.database, 0, NOW_MS)) == []
    make_account(session)
    assert _all(DecisionHistory(session.database, 0, NOW_MS)) == []


def test_a_history_that_ended_stays_ended(session: AdminSession) -> None:
    merchant = make_account(session)
    _keep(session, merchant, [NOW_MS - 1], "sentry")
    read = DecisionHistory(session.database, 0, NOW_MS)
    assert len(_all(read)) == 1
    _keep(session, merchant, [NOW_MS - 2], "sentry")
    assert read.read() is None

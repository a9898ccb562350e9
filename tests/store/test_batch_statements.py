"""The statements of a batch name the columns of the tables they write to."""

import pytest

from gatehouse.billing.ledger import AccountState, EntryKind, Hold, LedgerEntry
from gatehouse.core.events import EventName, NewEvent
from gatehouse.decisions.search_terms import WaitingTerms
from gatehouse.pipeline.settlement import DecisionRow, EvidenceRow, PaymentRow
from gatehouse.store.payments.operations import whole_capture
from gatehouse.store.requests.batch_statements import PARTS, Part, postgres_save, sqlite_insert
from gatehouse.store.requests.card_numbers import SentNumber
from gatehouse.store.requests.intent_rows import (
    DoubtfulIntent,
    NewIntent,
    RedirectedIntent,
    ReviewedIntent,
)
from gatehouse.store.requests.new_review import NewReview
from gatehouse.store.requests.settlement import (
    Changes,
    MissedEvent,
    NewMismatch,
    StoredClaim,
)

_PAYMENT = PaymentRow("a", "r", 1, 100, "USD", "acquirer", "p1", None)

EVERYTHING = Changes(
    accounts={"a": AccountState(5, 0)},
    entries=[LedgerEntry("a", "r", 0, EntryKind.AUTHORIZE, 0, 5, 1)],
    holds_added=[Hold("r", "a", 5, 9, "srv")],
    holds_ended=["r"],
    claims_kept={"k": StoredClaim("k", "r", "b", None, 9)},
    claims_freed=[("k", "r")],
    decisions=[DecisionRow("a", "r", 1, "precheck", None, None, "{}")],
    search_waiting=[WaitingTerms("r", ",7,")],
    mismatches=[NewMismatch("c", "r", 1)],
    intents_added=[NewIntent("r", "a", 100, "USD", 1, 1)],
    intents_redirected={"r": RedirectedIntent("r", "second")},
    intents_settled=["r"],
    intents_reviewed=[ReviewedIntent("r", 1)],
    intents_doubtful={"r": DoubtfulIntent("r", "a", 1, "lost")},
    reviews=[NewReview("a", "r", 1)],
    numbers={"n": SentNumber("g", "n", 1)},
    missed_events=[MissedEvent("a", "r")],
    events=[NewEvent("evt", "a", 1, EventName.REVIEW_OPENED, "key:k", "r")],
    evidence=[EvidenceRow("a", "r", 1, "sealed")],
    payments=[_PAYMENT],
    payment_operations=[whole_capture(_PAYMENT, "pipeline:1", 1)],
)

inserts = pytest.mark.parametrize(
    "part", [part for part in PARTS.values() if part.inserts], ids=lambda part: part.name
)


def test_every_kind_of_change_has_a_statement() -> None:
    assert set(EVERYTHING.rows()) == set(PARTS)
    assert Changes().rows() == {}


def test_a_row_has_one_value_for_each_column_of_its_part() -> None:
    for name, (row,) in EVERYTHING.rows().items():
        columns = getattr(row, "__struct_fields__", None)
        if columns is None:
            size = 1 if isinstance(row, str) else len(row)
            assert size == len(PARTS[name].columns), name
        else:
            assert columns == PARTS[name].columns, name


@pytest.mark.parametrize("part", PARTS.values(), ids=PARTS)
def test_a_part_writes_to_columns_that_its_table_has(part: Part) -> None:
    assert set(part.columns) <= set(part.table.columns.keys())


@inserts
def test_a_row_that_is_added_has_every_column_that_must_have_a_value(part: Part) -> None:
    required = {
        column.name
        for column in part.table.columns
        if not column.nullable
        and column.server_default is None
        and column.autoincrement is not True
    }
    assert required <= set(part.columns)


@inserts
def test_columns_are_named_and_typed_by_the_table(part: Part) -> None:
    named = f"INSERT INTO {part.table.name} ({', '.join(part.columns)}) "
    assert sqlite_insert(part.name, 2).startswith(named + "VALUES (?")
    statement = postgres_save((part.name,)).decode()
    assert named in statement
    for number, name in enumerate(part.columns):
        kind = part.table.c[name].type.__visit_name__.upper().replace("_", "")
        expected = {"BIGINTEGER": "BIGINT", "SMALLINTEGER": "SMALLINT"}.get(kind, kind)
        assert f"(x->>{number})::{expected} AS {name}" in statement

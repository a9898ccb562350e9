"""Use case: fill Sentry's memory with an account's own past, from the lines of a history.

Each order becomes a record that nothing was decided or charged for. So a rebuild of the memory, a
label, an erasure and retention treat it as they treat requests. Running servers are told of it.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Final

import msgspec
import sqlalchemy as sa
from msgspec.structs import asdict

from gatehouse.admin.models.use_cases.replays import for_account, make_judge
from gatehouse.core.clock import iso_time
from gatehouse.core.errors import InvalidInput
from gatehouse.core.ids import derived_id
from gatehouse.core.secrets import keyring
from gatehouse.core.stages.case import Case, ValuesByType
from gatehouse.core.wording.labels import LabelSource
from gatehouse.decisions.record import IMPORTED, DecisionRecord, encode
from gatehouse.decisions.search_terms import waiting_terms
from gatehouse.pipeline.settlement import DecisionRow
from gatehouse.sentry.memory.memory import DAY_S, EntityKind, MemoryEvent
from gatehouse.sentry.placeholders import drop_placeholder
from gatehouse.sentry.records.event import recorded_event
from gatehouse.store.accounts import accounts
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.admin.throttle import Pace, batch_of
from gatehouse.store.database import is_any_of
from gatehouse.store.decisions.forgotten_events import ForgottenEvent, ForgottenEvents
from gatehouse.store.decisions.missed_events import add_missed
from gatehouse.store.feedback import feedback
from gatehouse.store.feedback.statements import FeedbackStatement, LabelReport
from gatehouse.store.tables import DECISIONS, SEARCH_WAITING
from gatehouse.training.replay.input_finder import InputFinder
from gatehouse.training.replay.lines import ReplayLine, read_line
from gatehouse.training.replay.ordered_lines import ordered_lines
from gatehouse.training.replay.replay import ReplayOptions

MOST_LINES: Final = 1_000_000
_AT_ONCE: Final = 200
_NOISE: Final = slice(-16, None)
"""What of an id does not tell its moment."""
_D: Final = DECISIONS.c


class MemoryFilled(msgspec.Struct, rename="camel"):
    """What became of the orders of a history."""

    remembered: int = 0
    labels: int = 0
    known: int = 0
    """Orders that are on record already, from a history or as requests."""
    old: int = 0
    """Orders from before the days that servers look back, or that records are kept."""
    days: int = 0


class _Order(msgspec.Struct):
    """One line, and what is kept of it."""

    line: ReplayLine
    row: DecisionRow
    event: MemoryEvent


def fill_memory(
    session: AdminSession,
    account_id: str,
    lines: Iterable[bytes],
    checking: Callable[[int], object],
    reached: Callable[[int, int], object],
) -> MemoryFilled:
    """Remember the orders of a history; those that are on record already stay as they are.

    All lines are checked first. One that cannot be used is a `BadLine`.
    """
    session.actor.check_reads(account_id)
    with session.account_reading(account_id) as connection:
        accounts.get_open(connection, account_id)
    settings, now_s = session.settings, session.clock() / 1000
    kept_days = settings.retention_decisions_days or settings.memory_days
    filled = MemoryFilled(days=min(settings.memory_days, kept_days))
    filling = _Filling(session, account_id, filled)
    with ordered_lines(lines, checking, lambda data: _read(data, now_s)) as ordered:
        if len(ordered) > MOST_LINES:
            raise InvalidInput(f"there are more than {MOST_LINES:,} lines; take the newest ones")
        read = map(read_line, ordered)
        try:
            for done, some in enumerate(iter(lambda: list(islice(read, _AT_ONCE)), []), 1):
                recent = [one for one in some if one.at_s > now_s - filled.days * DAY_S]
                filled.old += len(some) - len(recent)
                filling.keep(recent)
                reached(min(done * _AT_ONCE, len(ordered)), len(ordered))
        finally:
            with session.change(unseen=True) as change:
                change.audit("memory.fill", account_id, **msgspec.to_builtins(filled))
    return filled


def _read(data: bytes, now_s: float) -> ReplayLine:
    line = read_line(data)
    event = line.request.event
    if event is None or drop_placeholder(event.transaction_id) is None:
        raise ValueError("request.event.transactionId: by this an order is known again")
    if max(line.at_s, line.label_s or 0) > now_s:
        raise ValueError("is of the future: at and labelAt must be earlier than now")
    return line


class _Filling:
    """Keeps orders as a server would note them."""

    def __init__(self, session: AdminSession, account_id: str, filled: MemoryFilled) -> None:
        self._session = session
        self._account_id = account_id
        self._filled = filled
        options = for_account(session, account_id, None, ReplayOptions(0))
        self._policies = InputFinder(options.policy, options.found).policies
        key = session.ring.current(keyring.ENTITIES)[1]
        self._stage = make_judge(session.settings, None, feeds=True, key=key).stage
        self._messages = ForgottenEvents(session.ring)
        self._pace = Pace(session.database)

    def keep(self, lines: Sequence[ReplayLine]) -> None:
        """Keep those that are not on record, with their labels, and tell servers of them."""
        session, orders = self._session, [self._order(line) for line in lines]
        with self._pace.turn(), batch_of(session) as connection:
            new = list(self._new(connection, orders))
            self._filled.known += len(orders) - len(new)
            if not new:
                return
            self._filled.remembered += len(new)
            connection.execute(DECISIONS.insert(), [asdict(one.row) for one in new])
            # Searches look here for what is behind those who follow decisions.
            waiting = [waiting_terms(each.row.request_id, each.row.terms or "[]") for each in new]
            connection.execute(SEARCH_WAITING.insert(), [asdict(each) for each in waiting])
            reports = [report for one in new for report in self._labels(one)]
            self._filled.labels += len(reports)
            now_ms = session.clock()
            feedback.record_all(connection, reports, now_ms)
            if session.settings.memory_url:
                add_missed(connection, [(self._account_id, one.row.request_id) for one in new])
                return
            events = [
                ForgottenEvent(
                    one.row.at_ms, one.event, counted=False, declined=False, imported=True
                )
                for one in new
            ]
            self._messages.add(connection, events, now_ms, session.randomness)

    def _order(self, line: ReplayLine) -> _Order:
        account_id, at_ms = self._account_id, int(line.at_s * 1000)
        case = Case("", account_id, at_ms, ValuesByType(), self._policies)
        event = self._stage.view(case, line.request).event
        # Another user with the same order is an attempt of its own, as it is for servers.
        attempt = dict(event.entities)[EntityKind.TRANSACTION]
        request_id = derived_id("req", at_ms, f"{IMPORTED} {account_id} {attempt}")
        # A shared memory is told what it missed, and knows by this that it must be.
        counted = None if self._session.settings.memory_url else True
        record = DecisionRecord(
            request_id, IMPORTED, iso_time(at_ms), None, None, [], 0, 0,
            event=recorded_event(event, counted=counted),
        )  # fmt: skip
        terms = self._session.terms.packed(account_id, record)
        row = DecisionRow(
            account_id, request_id, at_ms, IMPORTED, None, None, encode(record),
            case.transaction, terms,
        )  # fmt: skip
        return _Order(line, row, msgspec.structs.replace(event, request_id=request_id))

    def _new(self, connection: sa.Connection, orders: Sequence[_Order]) -> Iterator[_Order]:
        """Those of which there is no record, neither of the same attempt nor of a request here."""
        names = [one.row.transaction_reference or "" for one in orders]
        ids = [one.row.request_id for one in orders]
        query = sa.select(_D.request_id, _D.operation, _D.transaction_reference).where(
            _D.account_id == self._account_id,
            sa.or_(
                is_any_of(connection, _D.transaction_reference, names),
                is_any_of(connection, _D.request_id, ids),
            ),
        )
        known = {
            row.request_id[_NOISE] if row.operation == IMPORTED else row.transaction_reference
            for row in connection.execute(query)
        }
        for one in orders:
            mine = one.row.request_id[_NOISE]
            if not known & {mine, one.row.transaction_reference}:
                known.add(mine)
                yield one

    def _labels(self, order: _Order) -> Iterator[LabelReport]:
        line = order.line
        if line.label is not None:
            found_ms = None if line.label_s is None else int(line.label_s * 1000)
            statement = FeedbackStatement(line.label, found_ms)
            ids, actor = [order.row.request_id], str(self._session.actor)
            yield LabelReport(self._account_id, ids, statement, actor, LabelSource.IMPORT)

"""The rows of a busy account as its server leaves them, written in the order of their keys.

Some thousand purchases that differ come again and again, each time as a request of its own.
"""

import random
import re
import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import msgspec

from gatehouse.core.cards.numbers import CardNumber
from gatehouse.core.clock import iso_time
from gatehouse.core.ids import derived_id, new_id
from gatehouse.decisions.record import decode
from gatehouse.decisions.recorded_event import KIND_NUMBERS
from gatehouse.decisions.search_terms import AMOUNT, FIELD_BITS, pack_terms
from gatehouse.store.admin.admin_session import AdminSession
from scripts.bench.cards import card_number
from scripts.bench.figures import varied

BUSY_USER: Final = "u-busy"
BUSY_DEVICE: Final = "#busydevice0000000000"
BUSY_ADDRESS: Final = "203.0.113.7"
"""One of the 256 addresses that all requests come from."""
OPEN_REVIEWS: Final = 300
DAY_MS: Final = 86_400_000

_DIFFERENT: Final = 20_000
_BUSY: Final = 100
"""One purchase of so many is made by the busy user, with one card and one device."""
_LABELLED: Final = 20
_RINGS: Final = 2_000
_FIRST_RING_MS: Final = 1_790_000_000_000
_AT_ONCE: Final = 20_000
_FEE: Final = 50_000
_ITEMS: Final = ("RULES", "SENTRY", "PRECHECK", "GATEWAY")
_PLACES: Final = re.compile(
    r"req_01m7hg27j5fh4t74wevtjds3tx|2026-11-07T00:00:00\.000Z|order-\d+|1794000000\.5"
)
"""What differs in two requests of one purchase: id, time, reference, and the time of the event."""

_COLUMNS: Final = {
    "decisions": "account_id, request_id, at_ms, operation, client_reference, card, record, "
    "transaction_reference, terms",
    "ledger_entries": "account_id, reference, step, kind, amount, held, at_ms, detail",
    "search_entries": "term, request_id, amount",
    "reviews": "account_id, request_id, at_ms, state, resolved_at_ms, actor, reason, assignee, "
    "at_risk, currency",
    "review_events": "account_id, request_id, seq, at_ms, actor, kind, details, words",
    "feedback": "seq, account_id, request_id, label, previous, found_at_ms, amount, currency, "
    "recorded_at_ms, actor, source",
    "events": "seq, xid, id, account_id, at_ms, type, actor, about, data",
    "webhook_attempts": "webhook_id, id, event_id, type, at_ms, number, duration_ms, status, "
    "failure, next_at_ms",
}
"""The columns of each table in the order of the rows that are made here."""

Row = tuple[Any, ...]


class Purchase(NamedTuple):
    """What is the same in all requests of one purchase."""

    text: list[str]
    """The record, cut where a request has something of its own."""
    outcome: str
    fees: int
    items: str
    card: str
    terms: list[int]
    packed: str | None
    micros: int | None


class Rows:
    """All requests of an account in a span of time."""

    def __init__(self, session: AdminSession, account_id: str, count: int, end_ms: int) -> None:
        self.account_id = account_id
        self._chance = random.Random(7)  # not for secrets
        step = 30 * DAY_MS / count
        self.times: Final = [int(end_ms - (count - number) * step) for number in range(count)]
        self.ids: Final = [self._id(number) for number in range(count)]
        different = min(_DIFFERENT, count)
        self.purchases: Final = [self._purchase(session, index) for index in range(different)]
        reviewed = [n for n in range(count) if self.purchase(n).outcome == "REVIEW"]
        self.open_reviews: Final = [self.ids[n] for n in reviewed[-OPEN_REVIEWS:]]
        self._open = set(self.open_reviews)

    def purchase(self, number: int) -> Purchase:
        """What the request of this number is about."""
        return self.purchases[number % len(self.purchases)]

    @property
    def charged(self) -> int:
        """What all of them cost."""
        return sum(self.purchase(number).fees for number in range(len(self.ids)))

    def decisions(self) -> Iterator[Row]:
        """Rows of `decisions`."""
        for number, (request_id, at_ms) in enumerate(zip(self.ids, self.times, strict=True)):
            about, reference = self.purchase(number), f"order-{number:09d}"
            one, two, three, four, rest = about.text
            text = f"{one}{request_id}{two}{iso_time(at_ms)}{three}{reference}{four}{at_ms / 1000}"
            known = (self.account_id, request_id, at_ms, "pipeline", reference, about.card)
            yield (*known, text + rest, None, about.packed)

    def ledger(self) -> Iterator[Row]:
        """Rows of `ledger_entries`."""
        for number, (request_id, at_ms) in enumerate(zip(self.ids, self.times, strict=True)):
            about, entry = self.purchase(number), (self.account_id, request_id)
            yield (*entry, 0, "AUTHORIZE", 0, about.fees, at_ms, None)
            yield (*entry, 1, "CLOSE", -about.fees, -about.fees, at_ms + 12, about.items)

    def entries(self) -> Iterator[Row]:
        """Rows of `search_entries`."""
        having: defaultdict[int, list[int]] = defaultdict(list)
        for index, purchase in enumerate(self.purchases):
            for term in purchase.terms:
                having[term].append(index)
        count, different = len(self.ids), len(self.purchases)
        for term in sorted(having):
            is_amount = term & FIELD_BITS == AMOUNT
            for first in range(0, count, different):
                for index in having[term]:
                    if first + index < count:
                        micros = self.purchases[index].micros if is_amount else None
                        yield term, self.ids[first + index], micros

    def reviews(self) -> Iterator[Row]:
        """Rows of `reviews`: nearly all are resolved."""
        for number, state in self._reviewed():
            at_ms, request_id = self.times[number], self.ids[number]
            assignee = ("dana", "kofi", None)[number % 3]
            resolved: Row = (at_ms + 3_600_000, "dana", "known customer")
            if state == "OPEN":
                resolved = (None, None, None)
            at_risk = (self.purchase(number).micros or 0) // 10 if state == "OPEN" else 0
            yield (self.account_id, request_id, at_ms, state, *resolved, assignee, at_risk, "USD")

    def review_events(self) -> Iterator[Row]:
        """Rows of `review_events`."""
        for number, state in self._reviewed():
            if state != "OPEN":
                at_ms, details = self.times[number] + 3_600_000, f'{{"state":"{state}"}}'
                told = (1, at_ms, "dana", "RESOLVED", details, "known customer")
                yield (self.account_id, self.ids[number], *told)

    def labels(self) -> Iterator[Row]:
        """Rows of `feedback`: some that merchants sent, and those of reviews."""
        seq = 0
        resolved = {number: state for number, state in self._reviewed() if state != "OPEN"}
        for number, (request_id, at_ms) in enumerate(zip(self.ids, self.times, strict=True)):
            if number in resolved:
                label = "FRAUD" if resolved[number] == "DECLINED" else "LEGITIMATE"
            elif number % _LABELLED == 0:
                label = "FRAUD" if number % (10 * _LABELLED) == 0 else "LEGITIMATE"
            else:
                continue
            seq += 1
            source = "review" if number in resolved else "api"
            about = (self.account_id, request_id, label, None, None, None, None)
            yield (seq, *about, at_ms + 3_600_000, "dana", source)

    def _reviewed(self) -> Iterator[tuple[int, str]]:
        for number, request_id in enumerate(self.ids):
            if self.purchase(number).outcome == "REVIEW":
                resolved = "DECLINED" if number % 4 == 0 else "APPROVED"
                yield number, "OPEN" if request_id in self._open else resolved

    def _id(self, number: int) -> str:
        return new_id("req", self.times[number], lambda size: number.to_bytes(size, "big"))

    def _purchase(self, session: AdminSession, index: int) -> Purchase:
        made: dict[str, Any] = msgspec.json.decode(varied(self._chance))
        is_busy = index % _BUSY == 0
        number = card_number(0 if is_busy else index)
        inner = session.fingerprints.inner(CardNumber.parse(number))
        card = session.fingerprints.of_account(self.account_id, inner)
        made["card"] = {"brand": "VISA", "bin": number[:8], "lastFour": number[-4:]}
        made["card"] |= {"expiry": "2031-12", "country": "GB", "funding": "CREDIT"}
        made["card"] |= {"prepaid": False, "fingerprint": card}
        stages = made["stages"] = made["stages"][: 3 if made["decision"] == "DECLINE" else 4]
        made["authorizedMicros"] = made["closedMicros"] = _FEE * len(stages)
        kinds, values = made["event"][6:8]
        # The page of a ring reads when it was first seen out of its id.
        ring = derived_id("ring", _FIRST_RING_MS, str(index % _RINGS))
        values[kinds.index(KIND_NUMBERS["ring"])] = ring
        if is_busy:
            values[kinds.index(KIND_NUMBERS["device"])] = BUSY_DEVICE
        text = msgspec.json.encode(made).decode()
        if is_busy:
            text = re.sub(r'"u-\d+"', f'"{BUSY_USER}"', text)
        found = session.terms.entries(self.account_id, decode(text))
        terms = [each.term for each in found]
        return Purchase(
            _PLACES.split(text),
            made["decision"],
            _FEE * len(stages),
            " ".join(f"{item}={_FEE}" for item in _ITEMS[: len(stages)]),
            card,
            terms,
            pack_terms(terms),
            found[-1].amount,
        )


def write(file: Path, table: str, rows: Iterable[Row]) -> None:
    """Add rows to a table of SQLite as fast as it takes them."""
    columns = _COLUMNS[table]
    marks = ",".join("?" * (columns.count(",") + 1))
    database = sqlite3.connect(file, isolation_level=None)
    database.execute("PRAGMA synchronous = OFF")
    database.execute("PRAGMA cache_size = -200000")
    for some in _batches(rows):
        database.execute("BEGIN")
        database.executemany(f"INSERT INTO {table} ({columns}) VALUES ({marks})", some)
        database.execute("COMMIT")
    database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    database.close()


def _batches(rows: Iterable[Row]) -> Iterator[Sequence[Row]]:
    some: list[Row] = []
    for row in rows:
        some.append(row)
        if len(some) == _AT_ONCE:
            yield some
            some = []
    if some:
        yield some

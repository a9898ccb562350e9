"""The rows of a busy account as its server leaves them, written in the order of their keys.

Some thousand purchases that differ come again and again, each time as a request of its own. The
database itself makes the rows of requests out of them: to hand it nineteen million search terms
from Python takes more than twice as long.
"""

import random
import re
import sqlite3
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final, NamedTuple

import msgspec

from gatehouse.core.cards.numbers import CardNumber
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
_DISPUTED: Final = 150
"""One order of so many has a label, or was disputed."""
_RINGS: Final = 2_000
_FIRST_RING_MS: Final = 1_790_000_000_000
_FIRST_EVENT: Final = 1_000_000
_EVENTS: Final = 20_000
_FEE: Final = 50_000
_ITEMS: Final = ("RULES", "SENTRY", "PRECHECK", "GATEWAY")
_PLACES: Final = re.compile(
    r"req_01m7hg27j5fh4t74wevtjds3tx|2026-11-07T00:00:00\.000Z|order-\d+|1794000000\.5"
)
"""What differs in two requests of one purchase: id, time, reference, and the time of the event."""

_ISO: Final = (
    "strftime('%Y-%m-%dT%H:%M:%S', at_ms / 1000, 'unixepoch') || printf('.%03dZ', at_ms % 1000)"
)
_HOUR_LATER: Final = "at_ms + 3600000"
_OPEN: Final = "state = 'OPEN'"
_ROWS: Final = {
    "decisions": (
        "account_id, request_id, at_ms, operation, client_reference, card, record, terms",
        f"SELECT :account, id, at_ms, 'pipeline', reference, card, one || id || two || {_ISO} || "
        "three || reference || four || (at_ms / 1000.0) || rest, packed "
        "FROM requests JOIN purchases USING (place) ORDER BY number",
    ),
    "ledger_entries": (
        "account_id, reference, step, kind, amount, held, at_ms, detail",
        "SELECT :account, id, step, iif(step, 'CLOSE', 'AUTHORIZE'), -step * fees, "
        "iif(step, -fees, fees), at_ms + 12 * step, iif(step, items, NULL) FROM requests "
        "JOIN purchases USING (place) CROSS JOIN (SELECT 0 AS step UNION ALL SELECT 1)",
    ),
    "reviews": (
        "account_id, request_id, at_ms, state, resolved_at_ms, actor, reason, assignee, at_risk, "
        "currency",
        f"SELECT :account, id, at_ms, state, iif({_OPEN}, NULL, {_HOUR_LATER}), "
        f"iif({_OPEN}, NULL, 'dana'), iif({_OPEN}, NULL, 'known customer'), "
        "CASE number % 3 WHEN 0 THEN 'dana' WHEN 1 THEN 'kofi' END, "
        f"iif({_OPEN}, coalesce(micros, 0) / 10, 0), 'USD' "
        "FROM requests JOIN purchases USING (place) WHERE state IS NOT NULL ORDER BY number",
    ),
    "review_events": (
        "account_id, request_id, seq, at_ms, actor, kind, details, words",
        f"SELECT :account, id, 1, {_HOUR_LATER}, 'dana', 'RESOLVED', "
        "json_object('state', state), 'known customer' "
        f"FROM requests WHERE state IS NOT NULL AND NOT {_OPEN} ORDER BY number",
    ),
    "feedback": (
        "seq, account_id, request_id, label, recorded_at_ms, actor, source",
        "SELECT row_number() OVER (ORDER BY number), :account, id, label, "
        f"{_HOUR_LATER}, 'dana', iif(coalesce(NOT {_OPEN}, FALSE), 'review', 'api') "
        "FROM requests WHERE label IS NOT NULL ORDER BY number",
    ),
    # The loops are in this order, so that rows come in the order of their keys.
    "search_entries": (
        "term, request_id, amount",
        "SELECT terms.term, id, terms.micros FROM (SELECT DISTINCT term FROM terms) AS every "
        "CROSS JOIN turns CROSS JOIN terms CROSS JOIN requests "
        "WHERE terms.term = every.term AND number = first + terms.place",
    ),
    "events": (
        "seq, xid, id, account_id, at_ms, type, actor, about",
        "SELECT :event + number, 0, replace(id, 'req_', 'evt_'), :account, at_ms, "
        f"'review.opened', 'system:server', id FROM (SELECT * FROM requests ORDER BY number DESC "
        f"LIMIT {_EVENTS}) ORDER BY number",
    ),
    "payments": (
        "account_id, request_id, at_ms, amount_minor, currency, party, payment_id, reference",
        "SELECT :account, id, at_ms, micros / 10000, 'USD', 'sandbox', "
        "replace(id, 'req_', 'pay_'), id FROM requests JOIN purchases USING (place) "
        "WHERE outcome = 'ACCEPT' AND micros IS NOT NULL ORDER BY number",
    ),
    "provider_notifications": (
        "id, connector, name, event, state, content, received_at_ms, changed_at_ms, attempts, "
        "at_ms, account_id, request_id",
        "SELECT replace(id, 'req_', 'ntf_'), 'sandbox', id, 'captured', 'NOTHING', "
        "json_object('event', 'captured', 'amountMinor', micros / 10000, 'currency', 'USD'), "
        "at_ms, at_ms, 1, at_ms, :account, id FROM requests JOIN purchases USING (place) "
        "WHERE outcome = 'ACCEPT' AND micros IS NOT NULL ORDER BY number",
    ),
    # Each order that was accepted was settled a day later, and one of some hundred is disputed.
    "outcomes": (
        "account_id, kind, reference, at_ms, network, request_id, merchant_id, region, joined_by, "
        "candidates, client_reference, amount, currency, three_d_secure, reason, stage, label, "
        "respond_by_ms, recorded_at_ms, actor",
        "SELECT :account, kind, substr(kind, 1, 1) || '-' || reference, at_ms + 86400000, "
        "iif(number % 3, 'VISA', 'MASTERCARD'), id, 'M-' || (number % 3), 'EU', "
        "'REFERENCE', 1, reference, micros, 'USD', iif(is_sale, number % 4 = 0, NULL), "
        "iif(is_sale, NULL, iif(number % 3, '10.4', '4837')), iif(is_sale, NULL, 'FIRST'), "
        f"iif(is_sale, NULL, 'FRAUD'), iif(is_sale, NULL, at_ms + {20 * DAY_MS}), "
        "at_ms + 90000000, 'key:bench' FROM (SELECT 'SETTLED' AS kind, 1 AS is_sale "
        "UNION ALL SELECT 'DISPUTE', 0) CROSS JOIN requests JOIN purchases USING (place) "
        "WHERE outcome = 'ACCEPT' AND at_ms + 90000000 < :now "
        f"AND (is_sale OR number % {_DISPUTED} = 0) ORDER BY kind, number",
    ),
    "webhook_attempts": (
        "webhook_id, id, event_id, type, at_ms, number, duration_ms, status",
        "SELECT :webhook, replace(id, 'req_', 'att_'), replace(id, 'req_', 'evt_'), "
        "'review.opened', at_ms, 1, 85, iif(number % 10, 200, 503) FROM (SELECT * FROM requests "
        f"ORDER BY number DESC LIMIT {_EVENTS}) ORDER BY number",
    ),
}
"""Each table with its columns and the query that makes its rows."""
_MATERIAL: Final = (
    "CREATE TEMP TABLE purchases (place INTEGER PRIMARY KEY, one, two, three, four, rest, "
    "outcome, fees, items, card, packed, micros)",
    "CREATE TEMP TABLE requests (number INTEGER PRIMARY KEY, id, at_ms, place, reference, state, "
    "label)",
    "CREATE TEMP TABLE terms (term, place, micros, PRIMARY KEY (term, place)) WITHOUT ROWID",
    "CREATE TEMP TABLE turns (first INTEGER PRIMARY KEY)",
)


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
        self.ring: Final = _ring(0)

    def purchase(self, number: int) -> Purchase:
        """What the request of this number is about."""
        return self.purchases[number % len(self.purchases)]

    @property
    def charged(self) -> int:
        """What all of them cost."""
        return sum(self.purchase(number).fees for number in range(len(self.ids)))

    def write(self, file: Path, webhook: str, tables: Iterable[str] = tuple(_ROWS)) -> None:
        """Add the rows of some tables to a database of SQLite."""
        database = sqlite3.connect(file, isolation_level=None)
        database.execute("PRAGMA synchronous = OFF")
        database.execute("PRAGMA cache_size = -400000")
        self._put_material(database)
        known = {
            "account": self.account_id,
            "webhook": webhook,
            "event": _FIRST_EVENT,
            "now": self.times[-1],
        }
        for table in tables:
            began, cpu = time.perf_counter(), time.process_time()
            columns, query = _ROWS[table]
            database.execute(f"INSERT INTO {table} ({columns}) {query}", known)
            database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            taken = f"{time.perf_counter() - began:.1f} s, {time.process_time() - cpu:.1f} s CPU"
            print(f"  made {table}: {taken}", flush=True)
        database.close()

    def _put_material(self, database: sqlite3.Connection) -> None:
        """What the rows of all tables are made of."""
        for statement in _MATERIAL:
            database.execute(statement)
        database.execute("BEGIN")
        for place, each in enumerate(self.purchases):
            about = (each.outcome, each.fees, each.items, each.card, each.packed, each.micros)
            marks = ",".join("?" * (1 + len(each.text) + len(about)))
            database.execute(f"INSERT INTO purchases VALUES ({marks})", (place, *each.text, *about))
            amounts = {term: each.micros for term in each.terms if term & FIELD_BITS == AMOUNT}
            of_it = [(term, place, amounts.get(term)) for term in each.terms]
            database.executemany("INSERT OR IGNORE INTO terms VALUES (?,?,?)", of_it)
        different, count = len(self.purchases), len(self.ids)
        requests = (
            (n, self.ids[n], self.times[n], n % different, *self._became(n)) for n in range(count)
        )
        database.executemany(
            "INSERT INTO requests VALUES (?1,?2,?3,?4,printf('order-%09d', ?1),?5,?6)", requests
        )
        turns = [(first,) for first in range(0, count, different)]
        database.executemany("INSERT INTO turns VALUES (?)", turns)
        database.execute("COMMIT")

    def _became(self, number: int) -> tuple[str | None, str | None]:
        """The state of its review and its label: of some that merchants sent, and of reviews."""
        if self.purchase(number).outcome == "REVIEW" and self.ids[number] in self._open:
            state: str | None = "OPEN"
        elif self.purchase(number).outcome == "REVIEW":
            state = "DECLINED" if number % 4 == 0 else "APPROVED"
            return state, "FRAUD" if state == "DECLINED" else "LEGITIMATE"
        else:
            state = None
        if number % _LABELLED:
            return state, None
        return state, "LEGITIMATE" if number % (10 * _LABELLED) else "FRAUD"

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
        values[kinds.index(KIND_NUMBERS["ring"])] = _ring(index)
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


def _ring(index: int) -> str:
    return derived_id("ring", _FIRST_RING_MS, str(index % _RINGS))

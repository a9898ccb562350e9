"""Fills a database with decision records, as a busy year would, with people, and with visits."""

import asyncio
import json
import os
import random
import sqlite3
from collections.abc import Iterator

import msgspec

from gatehouse.access.actors import Actor
from gatehouse.core.cards.numbers import CardNumber
from gatehouse.core.ids import new_id
from gatehouse.core.secrets.keyring import ENTITIES
from gatehouse.core.stages.case import Case, ValuesByType
from gatehouse.intel.feeds.feeds import Feeds
from gatehouse.intel.networks import load_networks
from gatehouse.operations.installation import open_admin_session
from gatehouse.sentry.entities import EntityHasher
from gatehouse.sentry.memory.local import LocalMemory
from gatehouse.sentry.request import SentryRequest
from gatehouse.sentry.scorecard import load_scorecard
from gatehouse.sentry.stage import SentryStage
from gatehouse.settings.settings import load_settings
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.admin.throttle import batch_of
from gatehouse.store.identities import identities
from gatehouse.store.identities.identity_sealer import HolderRecord, IdentitySealer
from gatehouse.store.tables import DECISIONS
from scripts.bench.cards import card_number
from scripts.bench.people import holders_of
from scripts.bench.servers import Shop
from scripts.bench.visits import sentry_visit

_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
_CARDS_AT_ONCE = 10_000
_MONTH_MS = 30 * 86_400_000
# Earlier visits have other numbers than those that are sent.
_FIRST_VISIT = 1_000_000_000


def _request_id(index: int, chance: random.Random) -> str:
    """An id of the right shape, growing with the index and older than any made now."""
    digits = ""
    value = index
    for _ in range(6):
        value, digit = divmod(value, 32)
        digits = _ALPHABET[digit] + digits
    return "req_01" + "a" + digits + "".join(chance.choices(_ALPHABET, k=17))


def fill_with_decisions(shop: Shop, count: int) -> None:
    """Insert records with their ledger entries, and fix the balance."""
    chance = random.Random(1)  # not for secrets
    record = (
        '{"requestId":"%s","operation":"precheck","at":"2026-01-01T00:00:00.000Z",'
        '"clientReferenceId":"%s","card":{"brand":"VISA","bin":"42424242","lastFour":"4242",'
        '"expiry":"2031-12","country":"GB","funding":"CREDIT","prepaid":false,'
        '"fingerprint":"%s"},"stages":[{"name":"PreCheck","feeType":"PRECHECK","feeMicros":10,'
        '"completed":true,"durationMicroseconds":120,"result":{"advice":"ACCEPT",'
        '"avsResult":"FULL_MATCH","cvv2Result":"MATCH","reasons":["approved"]}}],'
        '"authorizedMicros":10,"closedMicros":10}'
    )
    at_ms = 1_767_225_600_000
    database = sqlite3.connect(shop.home / "sandbox.db", isolation_level=None)
    database.execute("PRAGMA synchronous = OFF")
    for start in range(0, count, 50_000):
        decisions: list[tuple[object, ...]] = []
        entries: list[tuple[object, ...]] = []
        found: list[tuple[object, ...]] = []
        for index in range(start, min(start + 50_000, count)):
            request_id = _request_id(index, chance)
            reference = f"{chance.getrandbits(64):016x}"
            print_of_card = f"fp1_{chance.getrandbits(160):040x}"
            text = record % (request_id, reference, print_of_card)
            when = at_ms + index
            row = (shop.account_id, request_id, when, "precheck", reference, print_of_card, text)
            decisions.append(row)
            found.append((chance.getrandbits(63), request_id, None))
            entries.append((shop.account_id, request_id, 0, "AUTHORIZE", 0, 10, when, None))
            entries.append((shop.account_id, request_id, 1, "CLOSE", -10, -10, when, "PRECHECK=10"))
        database.execute("BEGIN")
        database.executemany("INSERT INTO decisions VALUES (?,?,?,?,?,?,?,NULL,NULL)", decisions)
        database.executemany("INSERT INTO search_entries VALUES (?,?,?)", found)
        database.executemany("INSERT INTO ledger_entries VALUES (?,?,?,?,?,?,?,?)", entries)
        database.execute(
            "UPDATE accounts SET balance = balance - ? WHERE id = ?",
            (10 * len(decisions), shop.account_id),
        )
        database.execute("COMMIT")
    database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    database.close()


def fill_with_people(shop: Shop, cards: range) -> None:
    """Keep the two holders of each of the cards, as an import without a file would."""
    session = open_admin_session(load_settings(shop.environment), Actor.system("bench"))
    sealer = IdentitySealer(session.ring)
    for entries in _batches(session, cards):
        with batch_of(session) as connection:
            identities.put(shop.account_id, entries, connection, sealer, session.clock())
    session.database.dispose()
    if session.database.is_sqlite:
        database = sqlite3.connect(shop.home / "sandbox.db")
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        database.close()


def fill_with_visits(shop: Shop, count: int) -> None:
    """Thirty days of visits by the people who will come, recorded as Sentry records them.

    They cost nothing, so the ledger has no entries for them.
    """
    session = open_admin_session(load_settings(shop.environment), Actor.system("bench"))
    hasher = EntityHasher(session.ring.current(ENTITIES)[1])
    book = Feeds(load_networks(), None, session.clock)
    stage = SentryStage(book, LocalMemory(100_000), load_scorecard(), hasher, time_limit_ms=1000)
    now_ms = session.clock()
    moments = (now_ms - _MONTH_MS + number * _MONTH_MS // count for number in range(count))
    rows = asyncio.run(_visits(stage, shop.account_id, moments))
    with session.database.writing() as connection:
        connection.execute(DECISIONS.insert(), rows)
    session.database.dispose()


async def _visits(
    stage: SentryStage, account_id: str, moments: Iterator[int]
) -> list[dict[str, object]]:
    rows: list[dict[str, object]] = []
    decode, encode = msgspec.json.Decoder(SentryRequest).decode, msgspec.json.encode
    for number, at_ms in enumerate(moments):
        request_id = new_id("req", at_ms, os.urandom)
        body = json.dumps(sentry_visit(_FIRST_VISIT + number, f"h-{number}"))
        case = Case(request_id, account_id, at_ms, ValuesByType.of(decode(body)))
        result = await stage.run(case)
        found = {"name": stage.name, "completed": True, "result": result.facts}
        record = encode({"requestId": request_id, "stages": [found]}).decode()
        row = {"account_id": account_id, "request_id": request_id, "at_ms": at_ms}
        rows.append(row | {"operation": "sentry", "record": record})
    return rows


def _batches(session: AdminSession, cards: range) -> Iterator[list[HolderRecord]]:
    """The holders in the order of their rows, in which a table is filled soonest."""
    inner = session.fingerprints.inner
    rows = sorted((inner(CardNumber.parse(card_number(index))), index) for index in cards)
    for start in range(0, len(rows), _CARDS_AT_ONCE):
        part = rows[start : start + _CARDS_AT_ONCE]
        yield [HolderRecord(card, person) for card, index in part for person in holders_of(index)]

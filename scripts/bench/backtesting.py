"""How long a rule set takes over recorded requests: loading them, and judging them.

`python -m scripts.bench.backtesting [REQUESTS]` prints both with their bars.
"""

import argparse
import contextlib
import json
import os
import random
import sqlite3
import tempfile
import threading
import time
from pathlib import Path
from typing import Any, Final, NamedTuple

import psutil

from gatehouse.access.actors import Actor
from gatehouse.backtest.judging import ColumnTrial, judge_loaded
from gatehouse.backtest.load import RECORDS, ColumnMaker, load, select_signals
from gatehouse.backtest.reading import RecordSource, reading_parts
from gatehouse.conditions.catalogue import VELOCITY
from gatehouse.core.ids import new_id
from gatehouse.core.stages.outcomes import Outcome
from gatehouse.decisions.record import DecisionRecord, PipelineVersion, RecordedStage, encode
from gatehouse.decisions.recorded_event import KIND_WORDS, RecordedEvent
from gatehouse.figures.workspace import open_workspace
from gatehouse.operations.installation import open_admin_session
from gatehouse.rules.authoring import read_rule_set
from gatehouse.rules.ruleset import RuleSet
from gatehouse.sentry.features.catalogue import BY_CODE
from gatehouse.sentry.records.features import recorded_features
from gatehouse.settings.settings import load_settings
from gatehouse.store.accounts import accounts
from gatehouse.store.decisions.records import RecordSpan

BAR_S: Final = 20.0
"""Judging a million requests by fifty rules may take so long, on two cores."""
LOAD_BAR_S: Final = 5.0
"""Loading a million records out of SQLite may take so long, on two cores."""

START_MS: Final = 1_794_000_000_000
_RULES: Final = 50
_DIFFERENT: Final = 20_000
_AT_ONCE: Final = 2000
_COUNTRIES: Final = ("US", "GB", "DE", "FR", "NG", "BR", "IN", "PL", "VN", "CA")
_BRANDS: Final = ("VISA", "MASTERCARD", "AMEX")
_DOMAINS: Final = ("gmail.com", "outlook.com", "example.com", "mailinator.com", "web.de")
_CONDITIONS: Final = (
    "order.amount > {n} AND card.country <> ip.country",
    "velocity.card.count_1h > {n} / 100 AND card.prepaid",
    "velocity.ip.distinct_cards_24h >= {n} / 50 OR velocity.ip.declines_1h > 3",
    "email.disposable AND order.amount BETWEEN {n} AND {n} * 3",
    "sentry.requestConfidence < 0.{n} AND NOT ip.mobile",
    "HAS(sentry.reasons, 'IP_HOSTING') AND order.amount / order.items > {n}",
    "card.country IN ('NG', 'VN', 'BR') AND billing.country NOT IN ('NG', 'VN', 'BR')",
    "email.domain LIKE '%mail%' AND velocity.email.count_24h > {n} / 80",
    "COALESCE(shipping.country, billing.country) <> card.country AND order.amount > {n}",
    "(request.hour < 6 OR request.weekday >= 6) AND velocity.user.amount_24h > {n} * 4",
)


class Backtested(NamedTuple):
    """What was measured."""

    requests: int
    rules: int
    judge_s: float
    gigabytes: float
    """The most memory that its processes had."""
    load_s: float
    """From SQLite to the table that is judged."""


def rule_set_text() -> str:
    """Fifty rules of every sort, as an author writes them."""
    lines = ["rule_set: bench", "description: What the benchmark judges by.", "rules:"]
    for number in range(_RULES):
        condition = _CONDITIONS[number % len(_CONDITIONS)].format(n=100 + 7 * number)
        outcome = ("REVIEW", "DECLINE", "ACCEPT")[number % 3]
        lines += [f"  - name: rule-{number}", f"    outcome: {outcome}"]
        lines += [f"    condition: {json.dumps(condition)}"]
    return "\n".join(lines)


def rule_set() -> RuleSet:
    """The same as it is read."""
    return read_rule_set(rule_set_text().encode())


def request_signals(chance: random.Random) -> dict[str, Any]:
    """What is known of one request."""
    country = chance.choice(_COUNTRIES)
    often = [chance.choice((1, 1, 1, 2, 3, 9)) for _ in range(20)]
    signals: dict[str, Any] = {
        "request.hour": chance.randrange(24),
        "request.weekday": chance.randrange(1, 8),
        "order.amount": round(chance.lognormvariate(4.2, 1.1), 2),
        "order.currency": chance.choice(("USD", "USD", "EUR")),
        "order.items": chance.randrange(1, 6),
        "order.discounts": 0,
        "card.fingerprint": f"fp1_{chance.getrandbits(128):032x}",
        "card.bin": f"{chance.randrange(40_000_000, 59_999_999)}",
        "card.brand": chance.choice(_BRANDS),
        "card.country": country,
        "card.funding": "CREDIT",
        "card.prepaid": chance.random() < 0.05,
        "card.months_left": chance.randrange(60),
        "ip.address": f"203.0.113.{chance.randrange(256)}",
        "ip.network": "203.0.113.0/24",
        "ip.country": country if chance.random() < 0.9 else chance.choice(_COUNTRIES),
        "ip.asn": 64500,
        "ip.organisation": "Example Net",
        **{f"ip.{kind}": chance.random() < 0.03 for kind in ("hosting", "vpn", "tor", "proxy")},
        **{f"ip.{kind}": chance.random() < 0.2 for kind in ("relay", "mobile")},
        "ip.public": True,
        "email.domain": chance.choice(_DOMAINS),
        "email.fingerprint": f"{chance.getrandbits(128):032x}",
        "email.valid": True,
        "email.disposable": chance.random() < 0.02,
        "email.relay": False,
        "user.id": f"u-{chance.randrange(10**6)}",
        "billing.country": country,
        "device.kind": "browser",
        "device.browser": "Firefox",
        "device.system": "Windows",
        "device.language": "en",
        "device.session_age": chance.randrange(2000),
        "event.type": "PURCHASE",
        **{f"velocity.{name}": often[: len(layout)] for name, layout in VELOCITY.items()},
    }
    if chance.random() < 0.4:
        signals["shipping.country"] = chance.choice(_COUNTRIES)
    return signals


def record(chance: random.Random, request_id: str) -> str:
    """The record of one request of a pipeline."""
    return encode(
        DecisionRecord(
            request_id=request_id,
            operation="pipeline",
            at="2026-11-07T00:00:00.000Z",
            client_reference_id=f"order-{chance.randrange(10**8)}",
            card=None,
            stages=_stages(chance),
            authorized_micros=110_000,
            closed_micros=110_000,
            decision=Outcome.ACCEPT,
            pipeline=PipelineVersion(2, 1),
            signals=request_signals(chance),
            event=_event(chance),
        )
    )


def _stages(chance: random.Random) -> list[RecordedStage]:
    measured = dict.fromkeys(chance.sample(sorted(BY_CODE), 10), 1.0)
    measured |= {code: chance.uniform(0, 90) for code in chance.sample(sorted(BY_CODE), 15)}
    sentry: dict[str, Any] = {
        "requestConfidence": round(chance.random(), 4),
        "ipScore": round(chance.random(), 4),
        "model": "learned-1",
        "reasons": {"IP_CONSUMER": 0.35, "UA_CURRENT": 0.35, "IP_HOSTING": -0.4},
        "signals": recorded_features(measured),
    }
    rules: dict[str, Any] = {
        "ruleSet": "bench",
        "version": 1,
        "status": chance.choice(("ACCEPT", "REVIEW")),
    }
    rules |= {"matched": ["rule-1"], "matchedLate": [], "shadow": [], "tags": ["tag-1"]}
    precheck = {"advice": "ACCEPT", "avsResult": "FULL_MATCH", "cvv2Result": "MATCH"}
    gateway = {"status": "APPROVED", "responseCode": "00", "amountMinor": 8425, "currency": "EUR"}
    found: dict[str, dict[str, Any]] = {
        "Rules": rules,
        "Sentry": sentry,
        "PreCheck": precheck,
        "Gateway": gateway,
    }
    return [
        RecordedStage(name, name.upper(), 50_000, True, 400, result)
        for name, result in found.items()
    ]


def _event(chance: random.Random) -> RecordedEvent:
    """With as many entities as an order of two articles has."""
    kinds = list(KIND_WORDS)
    values = [f"#{chance.getrandbits(80):020x}" for _ in kinds]
    return RecordedEvent(1_794_000_000.5, True, 84.25, "EUR", "DE", False, kinds, values)


def measure(requests: int) -> Backtested:
    """Load so many requests out of a database, and judge them."""
    rules = rule_set()
    labels = {_id(number): number % 400 == 0 for number in range(0, requests, 200)}
    columns = ColumnMaker(select_signals(rules), labels)
    with tempfile.TemporaryDirectory() as home, _Peak() as peak:
        source = recorded(Path(home), requests)
        began = time.perf_counter()
        with (
            reading_parts(source, columns, lambda done: None) as parts,
            open_workspace() as workspace,
        ):
            loaded = load(workspace, columns.types, parts)
            load_s = time.perf_counter() - began
            began = time.perf_counter()
            trial = ColumnTrial(rules, source.span, {})
            report = judge_loaded(workspace, trial, RECORDS, loaded)
            judge_s = time.perf_counter() - began
        source.database.dispose()
    assert report.records == requests
    assert sum(rule.matches for rule in report.rules)
    return Backtested(requests, len(rules.rules), judge_s, peak.gigabytes, load_s)


def recorded(home: Path, requests: int) -> RecordSource:
    """A SQLite database with so many records."""
    settings = load_settings({"GATEHOUSE_HOME": str(home)})
    session = open_admin_session(settings, Actor.system("bench"))
    with session.change() as change:
        account_id = accounts.create(change, "Shop", "USD").account_id
    chance = random.Random(5)
    texts = [record(chance, "req_01m7hg27j5fh4t74wevtjds3tx") for _ in range(_DIFFERENT)]
    database = sqlite3.connect(home / "sandbox.db", isolation_level=None)
    database.execute("PRAGMA synchronous = OFF")
    for first in range(0, requests, _AT_ONCE):
        rows = [
            (account_id, _id(one), START_MS + one * 30, "pipeline", texts[one % _DIFFERENT])
            for one in range(first, min(first + _AT_ONCE, requests))
        ]
        database.execute("BEGIN")
        columns = "account_id, request_id, at_ms, operation, record"
        database.executemany(f"INSERT INTO decisions ({columns}) VALUES (?,?,?,?,?)", rows)
        database.execute("COMMIT")
    database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    database.close()
    return RecordSource(
        session.database, session.fingerprints, RecordSpan(account_id, 0, START_MS * 2)
    )


def _id(number: int) -> str:
    return new_id("req", START_MS + number * 30, lambda size: number.to_bytes(size, "big"))


class _Peak:
    """Watches how large the process becomes, with those that it starts."""

    gigabytes = 0.0

    def __enter__(self) -> "_Peak":
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._watch)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def _watch(self) -> None:
        while not self._over.wait(0.5):
            self.gigabytes = max(self.gigabytes, _memory_of(psutil.Process()) / 1e9)


def _memory_of(process: psutil.Process) -> float:
    """Its memory and that of its children; what they share is counted once."""
    total = 0.0
    for each in (process, *process.children()):
        with contextlib.suppress(psutil.Error):
            total += each.memory_full_info().pss
    return total


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("requests", nargs="?", type=int, default=1_000_000)
    found = measure(parser.parse_args().requests)
    rate = found.requests * found.rules / found.judge_s
    print(
        f"{found.rules} rules over {found.requests:,} requests on {os.cpu_count()} cores: "
        f"{found.judge_s:.2f} s (bar {BAR_S:.0f} s), {rate:,.0f} conditions/s, "
        f"{found.gigabytes:.2f} GB at most"
    )
    print(f"loading them out of SQLite: {found.load_s:.2f} s (bar {LOAD_BAR_S:.0f} s)")
    if found.judge_s > BAR_S or found.load_s > LOAD_BAR_S:
        raise SystemExit("the bar was missed")


if __name__ == "__main__":
    main()

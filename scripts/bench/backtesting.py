"""How long a rule set takes over recorded requests: loading them, and judging them.

`python -m scripts.bench.backtesting [REQUESTS]` prints both; the bar is on judging.
"""

import argparse
import json
import os
import random
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

import msgspec
import psutil

from gatehouse.access.actors import Actor
from gatehouse.backtest.load import Loader, select_signals
from gatehouse.backtest.run import Backtest, Judge, try_out
from gatehouse.backtest.workspace import open_workspace
from gatehouse.conditions.catalogue import VELOCITY
from gatehouse.core.ids import new_id
from gatehouse.installation import open_admin_session
from gatehouse.rules.authoring import read_rule_set
from gatehouse.rules.ruleset import RuleSet
from gatehouse.settings import load_settings
from gatehouse.store.accounts import accounts
from gatehouse.store.decisions.records import KeptRecord, RecordSpan
from gatehouse.store.tables import DECISIONS

BAR_S: Final = 20.0
"""Judging a million requests by fifty rules may take so long, on two cores."""

_START_MS: Final = 1_794_000_000_000
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
    """The largest that the process was while it judged."""
    fill_s: float
    load_100k_s: float
    """For 100,000 records out of a SQLite database, judging included."""


def rule_set() -> RuleSet:
    """Fifty rules of every sort."""
    lines = ["rule_set: bench", "description: What the benchmark judges by.", "rules:"]
    for number in range(_RULES):
        condition = _CONDITIONS[number % len(_CONDITIONS)].format(n=100 + 7 * number)
        outcome = ("REVIEW", "DECLINE", "ACCEPT")[number % 3]
        lines += [f"  - name: rule-{number}", f"    outcome: {outcome}"]
        lines += [f"    condition: {json.dumps(condition)}"]
    return read_rule_set("\n".join(lines).encode())


def record(chance: random.Random, request_id: str) -> dict[str, Any]:
    """One request of a pipeline, as its record keeps it."""
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
    sentry = {
        "requestConfidence": round(chance.random(), 4),
        "ipScore": round(chance.random(), 4),
        "reasons": {"IP_CONSUMER": 0.35, "UA_CURRENT": 0.35, "IP_HOSTING": -0.4},
    }
    rules = {"ruleSet": "bench", "version": 1, "status": chance.choice(("ACCEPT", "REVIEW"))}
    stages = [("Sentry", sentry), ("Rules", {**rules, "matched": ["rule-1"], "shadow": []})]
    return {
        "requestId": request_id,
        "operation": "pipeline",
        "at": "2026-11-07T00:00:00.000Z",
        "clientReferenceId": None,
        "card": None,
        "stages": [
            {
                "name": name,
                "feeType": name.upper(),
                "feeMicros": 50_000,
                "completed": True,
                "durationMicroseconds": 400,
                "result": result,
            }
            for name, result in stages
        ],
        "authorizedMicros": 100_000,
        "closedMicros": 100_000,
        "signals": signals,
        "decision": rules["status"],
        "pipeline": {"id": 2, "version": 1},
    }


def measure(requests: int) -> Backtested:
    """Judge so many requests, then the whole way for 100,000."""
    rules = rule_set()
    selection = select_signals(rules)
    chance = random.Random(5)
    texts = [msgspec.json.encode(record(chance, "req")).decode() for _ in range(_DIFFERENT)]
    labels = {_id(number): number % 400 == 0 for number in range(0, requests, 200)}
    with open_workspace() as workspace:
        began = time.perf_counter()
        loader = Loader(workspace, selection, lambda name, value, at_ms: False, labels)
        loaded = loader.load(_batches(texts, requests))
        fill_s = time.perf_counter() - began
        with _Peak() as peak:
            began = time.perf_counter()
            report = Judge(workspace, rules, selection).run(loaded, (0, 1), 5)
            judge_s = time.perf_counter() - began
    assert report.records == requests
    assert sum(rule.matches for rule in report.rules)
    loading_s = _whole_way(rules, texts, 100_000)
    return Backtested(requests, len(rules.rules), judge_s, peak.gigabytes, fill_s, loading_s)


def _whole_way(rules: RuleSet, texts: list[str], count: int) -> float:
    with tempfile.TemporaryDirectory() as home:
        session = open_admin_session(
            load_settings({"GATEHOUSE_HOME": str(Path(home))}), Actor.system("bench")
        )
        with session.change() as change:
            account_id = accounts.create(change, "Shop", "USD").account_id
        for batch in _batches(texts, count):
            rows = [
                {
                    "account_id": account_id,
                    "request_id": one.request_id,
                    "at_ms": one.at_ms,
                    "operation": one.operation,
                    "client_reference": None,
                    "card": None,
                    "record": one.text,
                }
                for one in batch
            ]
            with session.database.writing() as connection:
                connection.execute(DECISIONS.insert(), rows)
        span = RecordSpan(account_id, 0, _START_MS * 2)
        trial = Backtest(rules, span, lambda name, value, at_ms: False, {})
        began = time.perf_counter()
        report = try_out(session.database, session.fingerprints, trial, lambda done: None)
        taken = time.perf_counter() - began
        assert report.records == count
        session.database.dispose()
    return taken


def _id(number: int) -> str:
    return new_id("req", _START_MS + number * 30, lambda size: number.to_bytes(size, "big"))


def _batches(texts: list[str], count: int) -> Iterator[list[KeptRecord]]:
    for first in range(0, count, _AT_ONCE):
        yield [
            KeptRecord(_id(one), _START_MS + one * 30, "pipeline", texts[one % len(texts)])
            for one in range(first, min(first + _AT_ONCE, count))
        ]


class _Peak:
    """Watches how large the process becomes."""

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
        process = psutil.Process()
        while not self._over.wait(0.02):
            self.gigabytes = max(self.gigabytes, process.memory_info().rss / 1e9)


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
    print(
        f"loading them: {found.fill_s:.1f} s; 100,000 records from SQLite to report: "
        f"{found.load_100k_s:.1f} s"
    )
    if found.judge_s > BAR_S:
        raise SystemExit("the bar was missed")


if __name__ == "__main__":
    main()

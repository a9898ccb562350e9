"""Meters an account with very many settlements, and prints the CPU time that it took.

Run: python -m scripts.programme_truth.metering [SETTLEMENTS]
"""

import random
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, Final

from gatehouse.access.actors import Actor
from gatehouse.admin.accounts.use_cases import accounts
from gatehouse.admin.outcomes.tables import OUTCOMES
from gatehouse.admin.programmes.types.report import MeterFilter
from gatehouse.admin.programmes.use_cases.measuring import measure
from gatehouse.admin.programmes.use_cases.metering import get_programmes
from gatehouse.core.months import CalendarMonth
from gatehouse.operations.installation import open_admin_session
from gatehouse.settings.settings import load_settings
from gatehouse.store.admin.admin_session import AdminSession, Reading

_AT_ONCE: Final = 10_000
_ROUNDS: Final = 3


def main() -> None:
    """Keep settlements and events of two months, and meter the second one."""
    number = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    with tempfile.TemporaryDirectory() as folder:
        settings = load_settings({"GATEHOUSE_HOME": folder})
        session = open_admin_session(settings, Actor.operator("bench"))
        account_id = accounts.create(session, "bench", "EUR").account.account_id
        month = CalendarMonth.at(session.clock()).before
        began = time.process_time()
        _keep(session, account_id, month, number)
        print(f"{number:,} settlements kept: {time.process_time() - began:.1f} s of CPU")
        for name, work in (("metered (two months)", _measure), ("with forecast", _report)):
            times = []
            for _ in range(_ROUNDS):
                began = time.process_time()
                work(session, account_id, month)
                times.append(time.process_time() - began)
            print(f"{name}: {', '.join(f'{each:.2f}' for each in times)} s of CPU")
        size = Path(folder, "sandbox.db").stat().st_size
        print(f"database: {size / 1e6:.0f} MB")


def _measure(session: AdminSession, account_id: str, month: CalendarMonth) -> None:
    with session.reading() as connection:
        measure(Reading(session, connection), account_id, month)


def _report(session: AdminSession, account_id: str, month: CalendarMonth) -> None:
    get_programmes(session, account_id, MeterFilter(str(month)))


def _keep(session: AdminSession, account_id: str, month: CalendarMonth, number: int) -> None:
    draw = random.Random(1)
    span_ms = month.until_ms - month.before.since_ms
    for start in range(0, number, _AT_ONCE):
        rows = [
            _row(draw, account_id, place, month.before.since_ms + place * span_ms // number)
            for place in range(start, min(start + _AT_ONCE, number))
        ]
        with session.writing() as connection:
            connection.execute(OUTCOMES.insert(), rows)


def _row(draw: random.Random, account_id: str, place: int, at_ms: int) -> dict[str, Any]:
    is_event = draw.random() < 0.01
    return {
        "account_id": account_id,
        "kind": "DISPUTE" if is_event else "SETTLED",
        "reference": f"o-{place}",
        "at_ms": at_ms,
        "network": draw.choice(("VISA", "MASTERCARD")),
        "arn": f"{place:023d}",
        "merchant_id": draw.choice(("M-1", "M-2", "M-3")),
        "region": "EU",
        "amount": draw.randrange(1, 500) * 1_000_000,
        "currency": "EUR",
        "three_d_secure": None if is_event else draw.randrange(2),
        "reason": "10.4" if is_event else None,
        "recorded_at_ms": at_ms + 86_400_000,
        "actor": "bench",
    }


if __name__ == "__main__":
    main()

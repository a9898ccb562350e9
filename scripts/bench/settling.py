"""How long a month of settlements takes into the database, and how long it takes to count them.

`python -m scripts.bench.settling [ROWS]` prints both, with the time of the processor.
"""

import argparse
import contextlib
import tempfile
import time
from pathlib import Path
from typing import Final

from gatehouse.access.actors import Actor
from gatehouse.admin.accounts.use_cases.accounts import create
from gatehouse.admin.acquirer_files.types.mapping import shipped_mapping
from gatehouse.admin.acquirer_files.use_cases.import_files import (
    OutcomeImport,
    import_outcomes,
    open_outcome_file,
)
from gatehouse.admin.outcomes.use_cases.day_sums import events_of_month
from gatehouse.core.months import CalendarMonth
from gatehouse.operations.installation import open_admin_session
from gatehouse.settings.settings import load_settings
from gatehouse.store.admin.admin_session import Reading

BAR_S: Final = 180.0
"""A million settlements may take so long, on two cores."""
_MONTH: Final = CalendarMonth.named("2026-11")
_HEAD: Final = (
    "kind,reference,at,network,paymentId,clientReferenceId,arn,merchantId,amount,currency\n"
)


class _Silent:
    """Shows nothing."""

    def reached(self, done: int, note: str) -> None:
        pass

    def say(self, text: str) -> None:
        pass


def write_file(path: Path, rows: int) -> None:
    """A month of settlements, each with all names that acquirers give a payment."""
    with path.open("w", encoding="utf-8") as file:
        file.write(_HEAD)
        for number in range(rows):
            day, network = number * 30 // rows + 1, "VISA" if number % 3 else "MASTERCARD"
            file.write(
                f"SETTLED,st-{number * 2_654_435_761 % 2**32:010d}-{number},{_MONTH}-{day:02d},"
                f"{network},psp{number:013d},order-{number},{74537604221222 * 10**9 + number},"
                f"M{number % 4},{number % 20_000 / 100},EUR\n"
            )


def measure(rows: int) -> tuple[float, float, float, float]:
    """Seconds of the clock and of the processor for the import, and for counting the month."""
    with tempfile.TemporaryDirectory() as home:
        settings = load_settings({"GATEHOUSE_HOME": home})
        session = open_admin_session(settings, Actor.system("bench"))
        account_id = create(session, "Shop", "EUR").account.account_id
        path = Path(home) / "settlements.csv"
        write_file(path, rows)
        mapping = shipped_mapping("gatehouse")
        began, worked = time.perf_counter(), time.process_time()
        with contextlib.closing(open_outcome_file(path, "csv", mapping)) as file:
            job = OutcomeImport(file, mapping)
            done = import_outcomes(session, account_id, job, _Silent())
        took, work = time.perf_counter() - began, time.process_time() - worked
        assert done.counts["new"] == rows, done
        began, worked = time.perf_counter(), time.process_time()
        with session.reading() as connection:
            reading = Reading(session, connection)
            found = events_of_month(reading, account_id, _MONTH)
        assert sum(each.number for each in found) == rows
        counting = time.perf_counter() - began, time.process_time() - worked
        session.database.dispose()
    return took, work, *counting


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("rows", nargs="?", type=int, default=1_000_000)
    rows = parser.parse_args().rows
    took, work, counting, counted = measure(rows)
    print(f"{rows:,} settlements imported in {took:.1f} s, {work:.1f} s of the processor")
    print(f"{work / rows * 1e6:.1f} µs each; the bar is {BAR_S * rows / 1e6:.0f} s of the clock")
    print(f"counted by merchant, network and currency in {counting:.1f} s, {counted:.1f} s of it")


if __name__ == "__main__":
    main()

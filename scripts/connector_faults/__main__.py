"""`make faults`: 20,000 requests over connectors to hosts that misbehave and are restarted."""

import argparse
import os
import sys
import tempfile
import time
from pathlib import Path

from scripts.connector_faults.processes import FAULTS, Commands
from scripts.connector_faults.run import GRACE_MS, Plan, run

_SHOWN = 10


def main() -> int:
    """Run, report, and return 0 only if everything held."""
    usual = Plan()
    parser = argparse.ArgumentParser(prog="make faults", description=__doc__)
    parser.add_argument("--requests", type=int, default=usual.requests)
    parser.add_argument("--restarts", type=int, default=usual.restarts)
    parser.add_argument("--rate", type=float, default=usual.rate, help="requests a second at most")
    parser.add_argument("--keep", type=Path, help="a new folder for everything that the run leaves")
    options = parser.parse_args()
    plan = usual._replace(requests=options.requests, restarts=options.restarts, rate=options.rate)
    base = {name: value for name, value in os.environ.items() if "GATEHOUSE_" not in name}
    print(f"{plan.requests} requests, {plan.restarts} restarts, misbehaviour {FAULTS}", flush=True)
    started = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="gatehouse-faults-") as temporary:
        folder = Path(temporary)
        if options.keep is not None:
            options.keep.mkdir()
            folder = options.keep.absolute()
        report = run(plan, folder, base, Commands())
    for fact in report.facts:
        print(f"  {fact}")
    _tell(f"later than the limit and {GRACE_MS:.0f} ms, as the server counts", report.late)
    _tell("broken", report.problems)
    print(f"  took {time.monotonic() - started:.0f} s")
    return 1 if report.late or report.problems else 0


def _tell(what: str, found: list[str]) -> None:
    print(f"{len(found)} {what}")
    for problem in found[:_SHOWN]:
        print(f"  {problem}")


if __name__ == "__main__":
    sys.exit(main())

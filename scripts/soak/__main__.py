"""`make soak` and `make chaos`: load on two servers, with and without faults.

Two servers on one PostgreSQL and one Valkey answer all operations for ten accounts, one of which
gets half of the requests. The exit code is 0 only when every invariant held.
"""

import argparse
import random
import sys

from scripts.soak.faults import KEYS
from scripts.soak.report import report
from scripts.soak.run import Wish, run


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--rate", type=float, default=50.0, help="requests per second")
    parser.add_argument("--chaos", action="store_true", help="let faults happen")
    parser.add_argument("--every", type=float, default=15.0, help="seconds from fault to fault")
    parser.add_argument("--only", nargs="+", choices=KEYS, default=[], help="let only these happen")
    parser.add_argument("--seed", type=int, help="repeats the draws of an earlier run")
    chosen = parser.parse_args()
    seed = random.SystemRandom().randrange(10**6) if chosen.seed is None else chosen.seed
    every_s = chosen.every if chosen.chaos else None
    result = run(Wish(chosen.minutes, chosen.rate, seed, every_s, frozenset(chosen.only)))
    print(report(result))
    sys.exit(not result.holds)


if __name__ == "__main__":
    main()

"""Prints how often forecasts held: python -m scripts.programme_truth [SEED [MONTHS]]."""

import sys
from statistics import median

from scripts.programme_truth.forecasts import forecast_cases


def main() -> None:
    """Forecast made-up months, and count those whose truth lay within the bounds."""
    seed, number = (int(each) for each in (*sys.argv[1:], *("1", "100")[len(sys.argv) - 1 :]))
    cases = forecast_cases(seed, number)
    within = sum(each.is_within for each in cases)
    print(f"seed {seed}: {within} of {number} months within their 80 % interval")
    for name, first, last in (("first", 2, 9), ("second", 10, 19), ("last", 20, 29)):
        some = [each for each in cases if first <= each.day <= last]
        held = sum(each.is_within for each in some)
        width = median(each.width for each in some) if some else 0
        off = median(abs(each.made.mean - each.truth) / max(each.truth, 1) for each in some)
        print(
            f"  {name} ten days: {held} of {len(some)}, median width {width:.0%} of the truth, "
            f"median error {off:.0%}"
        )


if __name__ == "__main__":
    main()

"""What every way of fitting gives back: log-odds of fraud as a sum over signals."""

import msgspec

from gatehouse.training.examples import Values


class Additive(msgspec.Struct, frozen=True):
    """A constant, and for each signal what each of its bins adds to the log-odds of fraud."""

    intercept: float
    scores: list[Values]
    held_back: Values
    """What the signals add for each row, said without having seen it; NaN where nobody can."""

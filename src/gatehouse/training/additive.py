"""What every way of fitting gives back: log-odds of fraud as a sum over features."""

import msgspec

from gatehouse.training.examples import Values


class Additive(msgspec.Struct, frozen=True):
    """A constant, and for each feature what each of its bins adds to the log-odds of fraud."""

    intercept: float
    scores: list[Values]
    held_back: Values
    """What the features add for each row, by a fit that had not seen it; NaN without one."""

"""Rights: what guards one kind of data, or one power, whichever face leads there.

A use case asks its actor for a right where the data is reached. Scopes of keys and permissions of
people decide at the door whether a call comes in; several doors can lead to the same data.
"""

from enum import StrEnum


class Right(StrEnum):
    """What an actor may reach or do."""

    DECISIONS = "decisions"
    """Select by, count over or show what was requested and decided."""
    PERSONAL = "personal"
    """Have the personal values of decisions in full."""
    REVIEWED = "reviewed"
    """Have the requests that a person must decide, in full."""
    SEE_MONEY = "see_money"
    """Look at the balance, usage, statements and prices."""
    MOVE_MONEY = "move_money"
    """Cause a charge, capture or refund, or take away the means of one."""
    PRICES = "prices"
    """Say what something costs; the operator's alone."""

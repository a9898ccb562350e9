"""How far old data can be trusted.

Addresses change owners: a Tor exit in days, a VPN's network in weeks, a country rarely. A
feed is trusted in full while it is fresh and less with every day after that, but never below a
floor: old data is still evidence, and `gatehouse intel status` shows its age.
"""

import contextlib
from datetime import UTC, date, datetime
from typing import Final

import msgspec

MOST_AHEAD_DAYS: Final = 2
_FIRST_DAY: Final = date(1970, 1, 1).toordinal()


class Ageing(msgspec.Struct, frozen=True, gc=False):
    """How one kind of data grows old."""

    fresh_days: int
    """Until this age it is believed in full."""
    half_life_days: int
    """The time in which the trust above the floor halves after that."""
    floor: float
    """The least trust, at any age."""


_LASTING: Final = Ageing(365, 1, 1.0)

AGEING: Final = {
    "tor": Ageing(2, 14, 0.1),
    "proxy": Ageing(3, 14, 0.1),
    "vpn": Ageing(14, 45, 0.2),
    "anonymity": Ageing(14, 45, 0.2),
    "relay": Ageing(60, 120, 0.4),
    "hosting": Ageing(120, 365, 0.4),
    "mobile": Ageing(365, 365, 0.5),
    "asn": Ageing(365, 365, 0.5),
    "country": Ageing(365, 730, 0.5),
    "networks": Ageing(180, 365, 0.4),
    # An operator's own lists never grow old.
    "blocked": _LASTING,
    "allowed": _LASTING,
    "blocked-countries": _LASTING,
}
"""Each kind of feed, those that join several (`country+asn`) by their parts."""


def does_age(kind: str) -> bool:
    """Whether the ageing of this kind of data is known."""
    return all(part in AGEING for part in kind.split("+"))


def trust(age_days: int | None, kind: str) -> float:
    """How far data of a kind and an age can be believed: 1 while fresh, above 0 for ever.

    Data that does not say how old it is gets the least that its kind can have.
    """
    if "+" in kind:
        return min(trust(age_days, part) for part in kind.split("+"))
    ageing = AGEING[kind]
    if age_days is None:
        return ageing.floor
    over = age_days - ageing.fresh_days
    if over <= 0:
        return 1.0
    left: float = 0.5 ** (over / ageing.half_life_days)
    return ageing.floor + (1 - ageing.floor) * left


def day_of(iso_date: str) -> int:
    """The days from 1970 to a date written as YYYY-MM-DD."""
    return date.fromisoformat(iso_date).toordinal() - _FIRST_DAY


def age_days(written: str | None, day: int) -> int | None:
    """How old something of a date is on a day; None when that is not known.

    Clocks and time zones differ, so a date may be slightly in the future. A later date is an error,
    which must not keep data fresh until that day.
    """
    if written is None:
        return None
    age = day - day_of(written)
    return None if age < -MOST_AHEAD_DAYS else max(0, age)


def iso_date(seconds: object) -> str | None:
    """The date of a time in seconds since 1970, or None when it is out of range."""
    with contextlib.suppress(OverflowError, OSError, ValueError):
        if isinstance(seconds, int) and seconds > 0:
            return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%d}"
    return None

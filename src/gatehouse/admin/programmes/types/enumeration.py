"""What is estimated of cards that were tried out."""

import msgspec


class EnumerationEstimate(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """Authorizations of a month that look like cards being tried out."""

    month: str
    authorizations: int
    """Requests that PreCheck or Gateway answered."""
    enumerated: int
    """Those in bursts: one BIN, many cards, few amounts."""
    bursts: int
    basis_points: str | None
    limit_basis_points: int
    limit_enumerated: int
    met: bool
    """Whether both limits are reached, by this estimate."""
    burst_minutes: int
    burst_cards: int
    burst_amounts: int
    source: str
    unverified: bool
    complete: bool
    """Whether all decisions of the account are counted by now."""

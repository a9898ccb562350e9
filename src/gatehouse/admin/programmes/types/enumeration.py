"""What is estimated of cards that were tried out."""

from typing import Final

from gatehouse.core.api_values import CamelStruct
from gatehouse.core.wording.sentences import Phrase

FORMULA: Final = Phrase(
    "programmes.enumeration_formula",
    "10,000 × authorizations in bursts / all requests that PreCheck or Gateway answered, in basis "
    "points",
)


class EnumerationEstimate(CamelStruct, kw_only=True):
    """Authorizations of a month that look like cards being tried out."""

    month: str
    authorizations: int
    """Requests that PreCheck or Gateway answered."""
    enumerated: int
    """Those in bursts: one BIN, many cards, few amounts."""
    bursts: int
    basis_points: str | None
    formula: str
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

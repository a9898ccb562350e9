"""What an account tells Sentry about its own data."""

from typing import Annotated, Final

import msgspec
from msgspec import Meta

from gatehouse.sentry.costs import CostTerms

MOST_ENTITIES: Final = 32
"""Custom inputs of one account that are remembered, declared and found ones together."""
LONGEST_KEY: Final = 64


class SentryPolicy(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """An account's choices; what it does not declare may still be found (`sentry.found`)."""

    entities: Annotated[
        tuple[Annotated[str, Meta(min_length=1, max_length=LONGEST_KEY)], ...],
        Meta(max_length=MOST_ENTITIES),
    ] = ()
    """Keys of `customInputs` whose values are remembered like users and addresses are."""
    costs: CostTerms | None = None
    """What orders earn and cost, for advice by expected cost; None asks for none."""
    raw_scores: bool = False
    """Whether scores of a model are told as they are, though thresholds then mean another share."""


DEFAULT_POLICY: Final = SentryPolicy()

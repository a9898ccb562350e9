"""A webhook endpoint: where an account wants to be told of what, and how it is getting on."""

from collections.abc import Sequence
from enum import StrEnum
from typing import Final

import msgspec

from gatehouse.core.cards.redaction import MASK, recordable
from gatehouse.core.errors import InvalidInput
from gatehouse.core.events import DecisionFilter, EventName
from gatehouse.core.stages.outcomes import Outcome
from gatehouse.core.wording.sentences import Phrase

_NO_EVENT: Final = Phrase(
    "refused.no_event",
    'there is no event {event}; there are {known}, all of a kind such as "review.*", and "*"',
)
_WEBHOOK_MADE: Final = Phrase(
    "refused.webhook_made", 'filters of decisions need the event "decision.made"'
)
_WEBHOOK_CARD: Final = Phrase(
    "refused.webhook_card",
    "the URL holds what looks like a card number, and would be kept and shown; use another one",
)

MOST_ENDPOINTS: Final = 16
"""Of one account."""
EVERYTHING: Final = "*"


class WebhookState(StrEnum):
    """Whether messages are sent."""

    ENABLED = "enabled"
    DISABLED = "disabled"


class DisabledBecause(StrEnum):
    """Why an endpoint is disabled."""

    ASKED = "asked"
    """By a person or a program of the account."""
    GONE = "gone"
    """The receiver answered 410."""
    FAILING = "failing"
    """Nothing was accepted for days."""


class WebhookTerms(msgspec.Struct, frozen=True):
    """What an account decides about an endpoint."""

    url: str
    events: tuple[str, ...]
    """Types of events, `review.*` for all of a kind, or `*`."""
    decisions: tuple[DecisionFilter, ...] = ()
    """Which decisions `decision.made` tells of; none named: all."""
    is_ordered: bool = False
    """Whether a message waits until the one before it was accepted or given up."""
    description: str = ""

    def types(self) -> frozenset[EventName]:
        """The types of events that are wanted."""
        return wanted_types(self.events)

    def decision_filters(self) -> tuple[DecisionFilter, ...]:
        """The decisions that must be told as events for this endpoint."""
        if EventName.DECISION_MADE not in self.types():
            return ()
        return self.decisions or (DecisionFilter(),)

    def takes_decision(self, operation: str, outcome: Outcome | None) -> bool:
        """Whether a decision is wanted."""
        return not self.decisions or any(e.takes(operation, outcome) for e in self.decisions)


def wanted_types(events: Sequence[str]) -> frozenset[EventName]:
    """The types that are named, each alone, by its family, or with all others."""
    named = {*events}
    return frozenset(
        each for each in EventName if named & {EVERYTHING, each.partition(".")[0] + ".*", str(each)}
    )


def check_terms(terms: WebhookTerms) -> WebhookTerms:
    """The terms with the events in order, each once; or `InvalidInput`.

    Of the URL, only what must not be kept is looked for here. Addresses and ports are no cards.
    """
    if MASK in recordable(terms.url.partition("://")[2].partition("/")[2]):
        raise InvalidInput(_WEBHOOK_CARD())
    known = {EVERYTHING, *EventName, *(each.partition(".")[0] + ".*" for each in EventName)}
    unknown = [each for each in terms.events if each not in known]
    if unknown:
        raise InvalidInput(_NO_EVENT(event=recordable(unknown[0]), known=", ".join(EventName)))
    if terms.decisions and EventName.DECISION_MADE not in terms.types():
        raise InvalidInput(_WEBHOOK_MADE())
    events = tuple(sorted(set(terms.events)))
    description = recordable(terms.description)
    return msgspec.structs.replace(terms, events=events, description=description)

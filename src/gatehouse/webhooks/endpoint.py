"""A webhook endpoint: where an account wants to be told of what, and how it is getting on."""

from collections.abc import Sequence
from enum import StrEnum
from typing import Final

import msgspec

from gatehouse.core.errors import InvalidInput
from gatehouse.core.events import DecisionFilter, EventName
from gatehouse.core.outcomes import Outcome
from gatehouse.core.redaction import recordable

MOST_ENDPOINTS: Final = 16
"""Of one account."""
_MOST_FILTERS: Final = 20
_LONGEST_DESCRIPTION: Final = 200
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
        return frozenset(each for each in EventName if self._names(each))

    def _names(self, kind: EventName) -> bool:
        family = kind.partition(".")[0] + ".*"
        return bool({EVERYTHING, family, str(kind)} & {*self.events})

    def decision_filters(self) -> tuple[DecisionFilter, ...]:
        """The decisions that must be told as events for this endpoint."""
        if EventName.DECISION_MADE not in self.types():
            return ()
        return self.decisions or (DecisionFilter(),)

    def takes_decision(self, operation: str, outcome: Outcome | None) -> bool:
        """Whether a decision is wanted."""
        return not self.decisions or any(e.takes(operation, outcome) for e in self.decisions)


def check_terms(terms: WebhookTerms) -> WebhookTerms:
    """The terms with the events in order, each once; or `InvalidInput`. The URL is not checked."""
    if not terms.events:
        raise InvalidInput('name the events to send, such as "review.opened", "review.*" or "*"')
    known = {EVERYTHING, *EventName, *(each.partition(".")[0] + ".*" for each in EventName)}
    unknown = [each for each in terms.events if each not in known]
    if unknown:
        raise InvalidInput(
            f"there is no event {recordable(unknown[0])}; there are {', '.join(EventName)}, "
            'all of a kind such as "review.*", and "*"'
        )
    if len(terms.decisions) > _MOST_FILTERS:
        raise InvalidInput(f"a webhook has at most {_MOST_FILTERS} filters of decisions")
    if len(terms.description) > _LONGEST_DESCRIPTION:
        raise InvalidInput(f"a description has at most {_LONGEST_DESCRIPTION} characters")
    if terms.decisions and not _names_decisions(terms.events):
        raise InvalidInput('filters of decisions need the event "decision.made"')
    events = tuple(sorted(set(terms.events)))
    description = recordable(terms.description)
    return msgspec.structs.replace(terms, events=events, description=description)


def _names_decisions(events: Sequence[str]) -> bool:
    return bool({EVERYTHING, "decision.*", str(EventName.DECISION_MADE)} & {*events})

"""Use cases: which decisions an account is told of as events, and below which balance it is."""

from typing import Final

import msgspec

from gatehouse.core.cards.redaction import recordable
from gatehouse.core.errors import InvalidInput
from gatehouse.core.events import EVERY_OPERATION, DecisionFilter
from gatehouse.core.money import MAX_AMOUNT
from gatehouse.core.stages.outcomes import Outcome
from gatehouse.core.stages.registry import REGISTRY
from gatehouse.core.wording.sentences import Phrase
from gatehouse.store.accounts import accounts, ledger
from gatehouse.store.admin.admin_session import AdminSession, Change
from gatehouse.store.admin.scopes import account_change, account_reading
from gatehouse.store.events import wishes
from gatehouse.store.events.wishes import EventWishes

# What the store takes and returns, for faces.
__all__ = ["DecisionFilter", "EventWishes"]

_OUTCOME_ONE_OF: Final = Phrase("refused.outcome_one_of", "an outcome is one of {known}")
_NO_OPERATION: Final = Phrase(
    "refused.no_operation",
    "no operation {operation}; there are {known}, and * for all; with outcomes it is "
    "written as pipeline:REVIEW,DECLINE",
)
_NO_OUTCOME: Final = Phrase(
    "refused.no_outcome",
    "{operation} alone has no outcome, so this would take nothing; name it without outcomes",
)
_DECISION_FILTERS: Final = Phrase("refused.decision_filters", "at most {most} filters of decisions")
_THRESHOLD: Final = Phrase("refused.threshold", "a threshold is an amount that a balance can have")

MOST_FILTERS: Final = 20


class NewWishes(msgspec.Struct, frozen=True):
    """What is to change; what is not given stays."""

    decisions: tuple[DecisionFilter, ...] | None = None
    low_balance: int | None = None
    """Millionths; 0 for no such event."""


def operations() -> tuple[str, ...]:
    """The operations whose decisions can be told."""
    return (*(spec.operation.name for spec in REGISTRY if spec.operation), "pipeline")


def parse_filter(text: str) -> DecisionFilter:
    """A filter as people write it: an operation, and outcomes after a colon."""
    operation, _, outcomes = text.strip().partition(":")
    named = [each.strip().upper() for each in outcomes.split(",") if each.strip()]
    try:
        chosen = tuple(dict.fromkeys(Outcome(each) for each in named))
    except ValueError:
        raise InvalidInput(_OUTCOME_ONE_OF(known=", ".join(Outcome))) from None
    return check_filter(DecisionFilter(operation, chosen))


def check_filter(chosen: DecisionFilter) -> DecisionFilter:
    """A filter that can take something; or `InvalidInput`."""
    operation, known = chosen.operation, operations()
    if operation not in (EVERY_OPERATION, *known):
        raise InvalidInput(_NO_OPERATION(operation=recordable(operation), known=", ".join(known)))
    deciding = (EVERY_OPERATION, "pipeline", *_deciding_operations())
    if chosen.outcomes and operation not in deciding:
        raise InvalidInput(_NO_OUTCOME(operation=operation))
    return chosen


def _deciding_operations() -> list[str]:
    return [spec.operation.name for spec in REGISTRY if spec.operation and spec.decides]


def get_event_settings(session: AdminSession, account_id: str) -> EventWishes:
    """What an account wants to be told."""
    with account_reading(session, account_id) as connection:
        return wishes.get_wishes(connection, account_id)


def set_event_settings(session: AdminSession, account_id: str, new: NewWishes) -> EventWishes:
    """Change what an account is told; servers act on it within a second."""
    _check(new)
    with account_change(session, account_id) as change:
        if new.decisions is not None:
            wishes.set_decision_filters(change, account_id, "readers", new.decisions)
        if new.low_balance is not None:
            _set_low_balance(change, account_id, new.low_balance or None)
        after = wishes.get_wishes(change.connection, account_id)
        shown = [shown_filter(each) for each in after.decisions]
        about = {"decisions": shown, "lowBalanceMicros": after.low_balance}
        change.audit("account.events", account_id, **about)
    return after


def shown_filter(filter_: DecisionFilter) -> str:
    """A filter as people write it."""
    return ":".join(part for part in (filter_.operation, ",".join(filter_.outcomes)) if part)


def _check(new: NewWishes) -> None:
    if new.decisions is not None and len(new.decisions) > MOST_FILTERS:
        raise InvalidInput(_DECISION_FILTERS(most=MOST_FILTERS))
    if new.low_balance is not None and not 0 <= new.low_balance <= MAX_AMOUNT:
        raise InvalidInput(_THRESHOLD())


def _set_low_balance(change: Change, account_id: str, micros: int | None) -> None:
    """Set the threshold; a balance that is below the new one is told at once."""
    state = accounts.state_for_update(change, account_id)
    state.low_below = micros
    state.note_added()
    ledger.tell_if_low(change, account_id, state, account_id)
    wishes.set_low_balance(change, account_id, state)

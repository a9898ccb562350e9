"""Use cases: which decisions an account is told of as events, and below which balance it is."""

from typing import Any, Final

import sqlalchemy as sa

from gatehouse.access.roles import Permission
from gatehouse.admin.events.types import MOST_FILTERS, EventSettingsBody, EventSettingsShown
from gatehouse.core.api_values import money
from gatehouse.core.cards.redaction import recordable
from gatehouse.core.errors import InvalidInput
from gatehouse.core.events import EVERY_OPERATION, DecisionFilter
from gatehouse.core.money import MAX_AMOUNT, MICROS_PER_UNIT, parse_amount
from gatehouse.core.stages.outcomes import Outcome
from gatehouse.core.stages.registry import REGISTRY
from gatehouse.core.wording.sentences import Phrase
from gatehouse.store.accounts import accounts, ledger
from gatehouse.store.admin.admin_session import Change, Reading
from gatehouse.store.admin.use_case import use_case
from gatehouse.store.events import wishes

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

_MAY: Final[dict[str, Any]] = {
    "scope": "manage:account",
    "permission": Permission.ACCESS,
    "answers": "eventSettingsResponse",
}


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


@use_case("GET /events", **_MAY)
def get_event_settings(reading: Reading, account_id: str) -> EventSettingsShown:
    """Settings of events.

    Which decisions the account is told as events, and below which balance.
    """
    return _shown(reading.connection, account_id)


@use_case("PUT /events", **_MAY)
def set_event_settings(
    change: Change, account_id: str, given: EventSettingsBody
) -> EventSettingsShown:
    """Set what is told as events.

    Changes what is sent, and leaves the rest. Servers act on it within a second.
    """
    if given.decisions is not None:
        if len(given.decisions) > MOST_FILTERS:
            raise InvalidInput(_DECISION_FILTERS(most=MOST_FILTERS))
        filters = [parse_filter(each) for each in given.decisions]
        wishes.set_decision_filters(change, account_id, "readers", filters)
    if given.low_balance is not None:
        _set_low_balance(change, account_id, given.low_balance)
    after = _shown(change.connection, account_id)
    low = None if after.low_balance is None else after.low_balance.micros
    change.audit("account.events", account_id, decisions=after.decisions, lowBalanceMicros=low)
    return after


def _shown(connection: sa.Connection, account_id: str) -> EventSettingsShown:
    kept = wishes.get_wishes(connection, account_id)
    currency = accounts.currency_of(connection, account_id)
    return EventSettingsShown(
        [":".join(filter(None, (one.operation, ",".join(one.outcomes)))) for one in kept.decisions],
        None if kept.low_balance is None else money(currency, kept.low_balance),
    )


def _set_low_balance(change: Change, account_id: str, units: float) -> None:
    """Set the threshold; a balance that is below the new one is told at once."""
    if not 0 <= units <= MAX_AMOUNT // MICROS_PER_UNIT:
        raise InvalidInput(_THRESHOLD())
    state = accounts.state_for_update(change, account_id)
    state.low_below = parse_amount(f"{units:.6f}") or None
    state.note_added()
    ledger.tell_if_low(change, account_id, state, account_id)
    wishes.set_low_balance(change, account_id, state)

"""What accounts are told: the types of events, and which decisions an account wants to hear of.

An event is written in the same commit as what it speaks of; `store.events` keeps it.
"""

from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Any, Final

import msgspec

from gatehouse.core.ids import sibling_id
from gatehouse.core.rights import Right
from gatehouse.core.stages.outcomes import Outcome
from gatehouse.core.wording.sentences import plain

EVERY_OPERATION: Final = "*"
_encode: Final = msgspec.json.Encoder(enc_hook=plain).encode


class EventName(StrEnum):
    """Everything that an event can say."""

    DECISION_MADE = "decision.made"
    REVIEW_OPENED = "review.opened"
    REVIEW_ASSIGNED = "review.assigned"
    REVIEW_RESOLVED = "review.resolved"
    REVIEW_CORRECTED = "review.corrected"
    PAYMENT_AUTHORIZED = "payment.authorized"
    PAYMENT_REVERSED = "payment.reversed"
    PAYMENT_REVERSAL_FAILED = "payment.reversal_failed"
    FEEDBACK_RECEIVED = "feedback.received"
    BALANCE_LOW = "balance.low"
    BALANCE_DEPLETED = "balance.depleted"
    BALANCE_TOPPED_UP = "balance.topped_up"
    KEY_CREATED = "key.created"
    KEY_EXPIRING = "key.expiring"
    KEY_REVOKED = "key.revoked"
    RULES_APPLIED = "rules.applied"
    RULES_ROLLED_BACK = "rules.rolled_back"
    MODEL_PROMOTED = "model.promoted"
    CONNECTOR_DOWN = "connector.down"
    CONNECTOR_RECOVERED = "connector.recovered"
    IMPORT_FINISHED = "import.finished"
    WEBHOOK_DISABLED = "webhook.disabled"
    DRIFT_NOTICED = "drift.noticed"
    PROGRAMME_THRESHOLD = "programme.threshold"
    OUTCOME_RECORDED = "outcome.recorded"
    ALERT_RAISED = "alert.raised"
    ALERT_ENDED = "alert.ended"
    REVIEW_REOPENED = "review.reopened"
    REPORT_READY = "report.ready"
    EXPERIMENT_STARTED = "experiment.started"
    EXPERIMENT_ENDED = "experiment.ended"
    PAYMENT_CAPTURED = "payment.captured"
    PAYMENT_VOIDED = "payment.voided"
    PAYMENT_REFUNDED = "payment.refunded"
    PAYMENT_OPERATION_REFUSED = "payment.operation_refused"
    PAYMENT_OPERATION_IN_DOUBT = "payment.operation_in_doubt"
    STATEMENT_READY = "statement.ready"
    BALANCE_CREDIT_EXPIRING = "balance.credit_expiring"
    BALANCE_CREDIT_EXPIRED = "balance.credit_expired"
    BALANCE_TOP_UP_ENDED = "balance.top_up_ended"
    BALANCE_AUTO_TOP_UP_PAUSED = "balance.auto_top_up_paused"


MEANINGS: Final[dict[EventName, str]] = {
    EventName.DECISION_MADE: "A request was decided; only for accounts that ask for it.",
    EventName.REVIEW_OPENED: "A decision waits for a person.",
    EventName.REVIEW_ASSIGNED: "A review was given to a person, or taken back.",
    EventName.REVIEW_RESOLVED: "A person accepted or declined a reviewed request.",
    EventName.REVIEW_CORRECTED: "A person corrected the resolution of a review.",
    EventName.PAYMENT_AUTHORIZED: "The gateway authorized the payment of a request.",
    EventName.PAYMENT_REVERSED: "A payment was reversed, or was found never to have been made.",
    EventName.PAYMENT_REVERSAL_FAILED: "A payment could not be reversed; a person must look at it.",
    EventName.FEEDBACK_RECEIVED: "A request got a label, such as a chargeback.",
    EventName.BALANCE_LOW: "The balance fell below the account's threshold.",
    EventName.BALANCE_DEPLETED: "A request was refused because the balance did not cover its fees.",
    EventName.BALANCE_TOPPED_UP: "Money was added to the balance.",
    EventName.KEY_CREATED: "An API key was issued.",
    EventName.KEY_EXPIRING: "An API key ends within a week, or has ended.",
    EventName.KEY_REVOKED: "An API key was revoked.",
    EventName.RULES_APPLIED: "A new version of a rule set is in force.",
    EventName.RULES_ROLLED_BACK: "An earlier version of a rule set is in force again.",
    EventName.MODEL_PROMOTED: "Another model of the account is in force.",
    EventName.CONNECTOR_DOWN: "An outside party does not answer.",
    EventName.CONNECTOR_RECOVERED: "An outside party answers again.",
    EventName.IMPORT_FINISHED: "An import of records came to its end.",
    EventName.WEBHOOK_DISABLED: "A webhook failed for too long, or its receiver asked for no more.",
    EventName.DRIFT_NOTICED: "Signals, scores, rules or labels are not as they usually are.",
    EventName.PROGRAMME_THRESHOLD: "Half of the way to a network's programme, or more, is reached.",
    EventName.OUTCOME_RECORDED: "A payment was refunded, reported as fraud, warned of or disputed.",
    EventName.ALERT_RAISED: "Requests depart from what is usual: an attack, a feast or an outage.",
    EventName.ALERT_ENDED: "What departed from the usual is over, or a person ended the alert.",
    EventName.REVIEW_REOPENED: "A resolution of a review was undone; the review is open again.",
    EventName.REPORT_READY: "The report on a month was made.",
    EventName.EXPERIMENT_STARTED: "A live experiment began: some requests get another arm.",
    EventName.EXPERIMENT_ENDED: "A live experiment ended, by a person or by itself.",
    EventName.PAYMENT_CAPTURED: "A payment was captured, whole or in part.",
    EventName.PAYMENT_VOIDED: "A payment that was not captured was given up.",
    EventName.PAYMENT_REFUNDED: "Captured money was given back, whole or in part.",
    EventName.PAYMENT_OPERATION_REFUSED: "A capture, void or refund was refused.",
    EventName.PAYMENT_OPERATION_IN_DOUBT: "A person must find out whether a capture, void or "
    "refund was done.",
    EventName.STATEMENT_READY: "A month is over, and its statement does not change any more.",
    EventName.BALANCE_CREDIT_EXPIRING: "What is left of a credit expires within a week.",
    EventName.BALANCE_CREDIT_EXPIRED: "A credit expired; what was left of it was taken back.",
    EventName.BALANCE_TOP_UP_ENDED: "A top-up by card ended and nothing was added.",
    EventName.BALANCE_AUTO_TOP_UP_PAUSED: "Automatic top-ups pause, or were turned off.",
}
"""Every type in one sentence."""

_WHOLE_REQUESTS: Final = (Right.DECISIONS, Right.PERSONAL)
_OF_DECISIONS: Final = (Right.DECISIONS,)
_OF_MONEY: Final = (Right.SEE_MONEY,)
_RIGHTS: Final[dict[str, tuple[Right, ...]]] = {
    "decision": _WHOLE_REQUESTS,
    "payment": _WHOLE_REQUESTS,
    "feedback": _WHOLE_REQUESTS,
    "alert": _WHOLE_REQUESTS,
    "review": (Right.REVIEWED,),
    "drift": _OF_DECISIONS,
    "outcome": _OF_DECISIONS,
    "programme": _OF_DECISIONS,
    "report": _OF_DECISIONS,
    "balance": _OF_MONEY,
    "statement": _OF_MONEY,
    **dict.fromkeys(("connector", "experiment", "import", "key", "model", "rules", "webhook"), ()),
}
"""What reading the data of a type needs, by the word that it begins with. Those without tell what
was configured and what runs, by names, versions and times.
"""


def rights_of(types: Iterable[str]) -> tuple[Right, ...]:
    """What reading events of some types needs; of a type that is not known here, every right."""
    found = (_RIGHTS.get(each.partition(".")[0], tuple(Right)) for each in types)
    return tuple(dict.fromkeys(right for rights in found for right in rights))


ABOUT_REQUESTS: Final = frozenset(
    each
    for each in EventName
    if each.partition(".")[0] in ("decision", "review", "payment", "feedback")
)
"""The types whose subject is a request; readers get its decision with them."""


class NewEvent(msgspec.Struct, frozen=True, array_like=True):
    """An event as it is written; the database adds its place in the order of all events."""

    id: str
    account_id: str
    """Empty for an event of the installation, which every account may hear of."""
    at_ms: int
    type: str
    """An `EventName`, or one of a newer version."""
    actor: str
    about: str
    """The id or the name of what it speaks of; of a type about requests, the request id."""
    data: str | None = None
    """What it says beyond that, as a small JSON object."""


def encode_data(data: Mapping[str, Any]) -> str:
    """What an event says, as it is kept."""
    return _encode(data).decode()


_NUMBERS: Final = {each: number for number, each in enumerate(EventName)}


def request_event_id(request_id: str, kind: EventName) -> str:
    """The id of the one event of a type that the processing of a request can cause."""
    return sibling_id("evt", request_id, _NUMBERS[kind])


class DecisionFilter(msgspec.Struct, frozen=True, omit_defaults=True):
    """Some decisions by their operation and outcome."""

    operation: str = EVERY_OPERATION
    outcomes: tuple[Outcome, ...] = ()
    """None named: all of them, and requests without an outcome."""

    def takes(self, operation: str, outcome: Outcome | None) -> bool:
        """Whether a decision is one of them."""
        if self.operation not in (EVERY_OPERATION, operation):
            return False
        return not self.outcomes or outcome in self.outcomes


def any_takes(filters: Iterable[DecisionFilter], operation: str, outcome: Outcome | None) -> bool:
    """Whether somebody wants to hear of a decision."""
    return any(each.takes(operation, outcome) for each in filters)

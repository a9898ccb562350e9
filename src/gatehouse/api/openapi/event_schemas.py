"""What events of each type say, for the OpenAPI document and so for the types of our clients."""

from collections.abc import Mapping
from typing import Any, Final

from gatehouse.admin.alerts.types.judging import AlertKind
from gatehouse.admin.alerts.types.shown import MeasureDeparting
from gatehouse.admin.alerts.types.standing_out import AtStake, StandingOut
from gatehouse.admin.decisions.use_cases.public_decisions import PublicDecision
from gatehouse.admin.drift.types.comparing import DriftKind
from gatehouse.admin.events.use_cases.events import PublicEvent
from gatehouse.admin.webhooks.use_cases.messages import TEST_TYPE
from gatehouse.api.openapi.parts import parameter, ref
from gatehouse.core.api_values import Money
from gatehouse.core.events import MEANINGS, EventName
from gatehouse.core.wording.labels import Label
from gatehouse.gateway.operating import OperationKind
from gatehouse.pipeline.experiment import ExperimentEnd, ExperimentKind
from gatehouse.store.decisions.review_events import PaymentEffect, ReviewState

Schema = dict[str, Any]
_TEXT: Final = {"type": "string"}
_NUMBER: Final = {"type": "integer"}
_TIME: Final = {"type": "string", "format": "date-time"}
_TEXTS: Final = {"type": "array", "items": _TEXT}
_NULL: Final = {"type": "null"}
_MONEY: Final = ref(Money.__name__)
_REQUEST: Final[Schema] = {
    "requestId": {**_TEXT, "description": "The request that it is about."},
    "decision": {"anyOf": [ref(PublicDecision.__name__), _NULL]},
    "response": {
        "anyOf": [{"type": "object"}, _NULL],
        "description": "The answer that the caller got.",
    },
}
_RESOLVED: Final[Schema] = _REQUEST | {
    "state": ref(ReviewState.__name__),
    "payment": {"anyOf": [ref(PaymentEffect.__name__), _NULL]},
}
_PAYMENT: Final[Schema] = _REQUEST | {
    "paymentId": {
        "type": ["string", "null"],
        "description": "The payment at the party, to capture or refund it there.",
    },
    "party": {"type": ["string", "null"], "description": "The connector that answered."},
}
_REVERSAL: Final[Schema] = _PAYMENT | {
    "amountMinor": _NUMBER,
    "currency": _TEXT,
    "attempts": _NUMBER,
    "reason": {"type": ["string", "null"]},
}
_OPERATION: Final[Schema] = _PAYMENT | {
    "operationId": _TEXT,
    "kind": ref(OperationKind.__name__),
    "amountMinor": _NUMBER,
    "currency": _TEXT,
    "code": {"type": ["string", "null"], "description": "The provider's code."},
    "reason": {"type": ["string", "null"]},
}
_COUNTS: Final = (
    *("added", "changed", "unchanged", "refused"),
    *("read", "new", "bad"),
)
_DRIFT: Final[Schema] = {
    "type": "object",
    "required": ["kind", "name", "figure", "usual", "requests"],
    "properties": {
        "kind": ref(DriftKind.__name__),
        "name": {**_TEXT, "description": "The signal, the rule, or what of labels."},
        "figure": {"type": "number"},
        "usual": {"type": "number", "description": "The same in the weeks before."},
        "requests": _NUMBER,
    },
}
_ALERT: Final[Schema] = {
    "alertId": {**_TEXT, "description": "The alert."},
    "kind": ref(AlertKind.__name__),
}
_OF_OUTCOMES: Final = (
    *("requestId", "reason", "fraudType", "stage", "result"),
    *("amount", "currency"),
)
"""What is told of an outcome where it is known."""
DATA: Final[Mapping[str, Schema]] = {
    EventName.DECISION_MADE: _REQUEST,
    EventName.REVIEW_OPENED: _REQUEST,
    EventName.REVIEW_ASSIGNED: _REQUEST | {"assignee": {"type": ["string", "null"]}},
    EventName.REVIEW_RESOLVED: _RESOLVED,
    EventName.REVIEW_CORRECTED: _RESOLVED,
    EventName.REVIEW_REOPENED: _RESOLVED,
    EventName.PAYMENT_AUTHORIZED: _PAYMENT,
    EventName.PAYMENT_REVERSED: _REVERSAL,
    EventName.PAYMENT_REVERSAL_FAILED: _REVERSAL,
    EventName.PAYMENT_CAPTURED: _OPERATION,
    EventName.PAYMENT_VOIDED: _OPERATION,
    EventName.PAYMENT_REFUNDED: _OPERATION,
    EventName.PAYMENT_OPERATION_REFUSED: _OPERATION,
    EventName.PAYMENT_OPERATION_IN_DOUBT: _OPERATION,
    EventName.FEEDBACK_RECEIVED: _REQUEST
    | {
        "label": ref(Label.__name__),
        "previous": {"anyOf": [ref(Label.__name__), _NULL]},
    },
    EventName.BALANCE_LOW: {"remaining": _MONEY, "threshold": _MONEY},
    EventName.BALANCE_DEPLETED: {"remaining": _MONEY, "needed": _MONEY},
    EventName.BALANCE_TOPPED_UP: {"amount": _MONEY, "remaining": _MONEY, "reference": _TEXT},
    EventName.BALANCE_CREDIT_EXPIRING: {"amount": _MONEY, "expiresAt": _TIME, "reference": _TEXT},
    EventName.BALANCE_CREDIT_EXPIRED: {"amount": _MONEY, "remaining": _MONEY, "reference": _TEXT},
    EventName.BALANCE_TOP_UP_ENDED: {
        "topUpId": _TEXT,
        "amountMinor": _NUMBER,
        "currency": _TEXT,
        "state": _TEXT,
        "reason": {"type": ["string", "null"]},
    },
    EventName.BALANCE_AUTO_TOP_UP_PAUSED: {
        "reason": _TEXT,
        "until": {"type": ["string", "null"]},
        "topUpId": {"type": ["string", "null"]},
    },
    EventName.KEY_CREATED: {
        "keyId": _TEXT,
        "name": _TEXT,
        "scopes": _TEXTS,
        "expiresAt": _TIME,
        "replaces": _TEXT,
    },
    EventName.KEY_EXPIRING: {
        "keyId": _TEXT,
        "name": _TEXT,
        "expiresAt": _TIME,
        "successor": _TEXT,
    },
    EventName.KEY_REVOKED: {"keyId": _TEXT, "name": _TEXT, "reason": _TEXT},
    EventName.RULES_APPLIED: {
        "ruleSet": _TEXT,
        "version": _NUMBER,
        "before": {"type": ["integer", "null"]},
        "note": {"type": ["string", "null"]},
    },
    EventName.RULES_ROLLED_BACK: {
        "ruleSet": _TEXT,
        "version": _NUMBER,
        "before": {"type": ["integer", "null"]},
    },
    EventName.MODEL_PROMOTED: {"version": _NUMBER, "before": _NUMBER},
    EventName.CONNECTOR_DOWN: {"connector": _TEXT},
    EventName.CONNECTOR_RECOVERED: {"connector": _TEXT},
    EventName.IMPORT_FINISHED: {"importId": _TEXT, "kind": _TEXT} | dict.fromkeys(_COUNTS, _NUMBER),
    EventName.WEBHOOK_DISABLED: {"webhookId": _TEXT, "because": _TEXT, "failingSince": _TIME},
    EventName.DRIFT_NOTICED: {"drifts": {"type": "array", "items": _DRIFT}, "count": _NUMBER},
    EventName.PROGRAMME_THRESHOLD: {
        "programme": _TEXT,
        "level": _TEXT,
        "network": _TEXT,
        "merchantId": {"type": ["string", "null"], "description": "Null for all of the account."},
        "region": {"type": ["string", "null"]},
        "month": _TEXT,
        "percent": {**_NUMBER, "description": "50, 75 or 90 of the way; 100 once it is met."},
        "events": _NUMBER,
        "sales": _NUMBER,
        "neededEvents": _NUMBER,
        "basisPoints": {"type": ["string", "null"]},
    },
    EventName.OUTCOME_RECORDED: dict.fromkeys(("kind", "network", *_OF_OUTCOMES), _TEXT),
    EventName.ALERT_RAISED: {
        **_ALERT,
        "windowMinutes": {**_NUMBER, "description": "Of how many minutes the figures are."},
        "requests": _NUMBER,
        "measures": {"type": "array", "items": ref(MeasureDeparting.__name__)},
        "values": {"type": "array", "items": ref(StandingOut.__name__)},
        "atStake": {"type": "array", "items": ref(AtStake.__name__)},
    },
    EventName.ALERT_ENDED: {
        **_ALERT,
        "beganAt": _TIME,
        "endedBy": {"type": ["string", "null"], "description": "The person who ended it."},
    },
    EventName.EXPERIMENT_STARTED: {
        "experiment": _TEXT,
        "kind": ref(ExperimentKind.__name__),
        "percent": _NUMBER,
    },
    EventName.EXPERIMENT_ENDED: {
        "experiment": _TEXT,
        "because": ref(ExperimentEnd.__name__),
    },
    EventName.REPORT_READY: {
        "month": _TEXT,
        **dict.fromkeys(("orders", "accepted", "fraud", "disputed"), _NUMBER),
    },
    EventName.STATEMENT_READY: {
        "month": _TEXT,
        **dict.fromkeys(("openingBalance", "topUps", "adjustments", "charged"), _MONEY),
        "closingBalance": _MONEY,
        "links": {
            "type": "object",
            "properties": {"statement": _TEXT, "page": _TEXT},
            "required": ["statement", "page"],
            "description": "Where the statement is: a path of the API, and a page of the console.",
        },
    },
    TEST_TYPE: {"webhookId": _TEXT},
}
"""The fields of `data` by the type of the event."""
_OPTIONAL: Final[Mapping[str, tuple[str, ...]]] = {
    EventName.KEY_CREATED: ("expiresAt", "replaces"),
    EventName.OUTCOME_RECORDED: _OF_OUTCOMES,
    EventName.KEY_EXPIRING: ("successor",),
    EventName.IMPORT_FINISHED: _COUNTS,
    EventName.WEBHOOK_DISABLED: ("failingSince",),
}
_HEADERS: Final = (
    parameter("webhook-id", "header", "The id of the event, the same for every delivery."),
    parameter("webhook-timestamp", "header", "When it was sent, in seconds since 1970."),
    parameter("webhook-signature", "header", "Signatures by Standard Webhooks."),
)


def event_webhooks(schemas: dict[str, Any]) -> dict[str, Any]:
    """What is sent to webhooks, by the type of the event; the schemas are added to the others."""
    common = schemas[PublicEvent.__name__]
    found = {}
    for kind, fields in DATA.items():
        name = "".join(word.capitalize() for part in kind.split(".") for word in part.split("_"))
        about = MEANINGS.get(EventName(kind)) if kind != TEST_TYPE else "A test message."
        schemas[f"{name}Data"] = {
            "type": "object",
            "properties": fields,
            "required": [one for one in fields if one not in _OPTIONAL.get(kind, ())],
        }
        properties = {
            **common["properties"],
            "type": {"type": "string", "const": kind},
            "data": ref(f"{name}Data"),
        }
        schemas[f"{name}Event"] = {**common, "title": f"{name}Event", "description": about}
        schemas[f"{name}Event"]["properties"] = properties
        found[kind] = {"post": _delivery(f"{name}Event", str(about))}
    return found


def _delivery(name: str, about: str) -> dict[str, Any]:
    return {
        "operationId": f"told{name}",
        "summary": about,
        "tags": ["Events"],
        "security": [],
        "parameters": list(_HEADERS),
        "requestBody": {"required": True, "content": {"application/json": {"schema": ref(name)}}},
        "responses": {
            "2XX": {"description": "It was received; other answers are failures."},
            "410": {"description": "Nothing more is wanted: the webhook is disabled."},
        },
    }

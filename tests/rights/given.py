"""What declarations are called with, so that they succeed; parts in braces are ids."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from gatehouse.admin.accounts.use_cases import accounts as everything
from gatehouse.admin.authentication.types.settings import AuthenticationBody
from gatehouse.admin.authentication.use_cases import settings
from gatehouse.admin.experiments import use_cases as experiments
from gatehouse.admin.model_trials.use_cases import shadows
from gatehouse.admin.people.use_cases import users
from gatehouse.admin.reviews.use_cases.reviews import ReviewFinding, resolve_review
from gatehouse.core.job_state import JobState
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.tables import JOBS
from tests.console.belongings import PIPELINE, RULES
from tests.console.test_foreign_ids import FILES as FILES_OF_IDS
from tests.console.test_foreign_ids import FORMS as FORMS_OF_IDS
from tests.rights.planted import Planted

PLACES: Final = {
    "keyId": "key",
    "topUpId": "topup",
    "invoiceId": "invoice",
    "roleId": "role",
    "requestId": "disputed",
    "payments requestId": "payment",
    "voidPayment requestId": "whole",
    "capturePayment requestId": "whole",
    "operationId": "operation",
    "notificationId": "notification",
    "webhookId": "webhook",
    "bulkId": "bulk",
    "alertId": "alert",
    "ringId": "ring",
    "month": "month",
    "disputeId": "dispute",
    "fileId": "file",
    "experimentId": "experiment",
    "version": "model",
    "rule": "rule",
    "jobId": "job",
    "rules name": "set",
    "lists name": "list",
    "pipelines name": "pipeline",
}
"""What a name in a path is among what the account has."""
DOCUMENT: Final = RULES.format(set="own-rules").replace("{", "{{").replace("}", "}}")
CHANGED: Final = DOCUMENT.replace("30", "31")
PIPE: Final = PIPELINE.format(pipeline="41")
FREE: Final = PIPE.replace("- stage: Sentry", "- {{stage: Sentry, fee: 0}}")
OTHER_PIPE: Final = PIPE.replace("Quick", "Slow")
SPAN: Final = {"since": None, "until": None}
WANTED: Final = {"requestIds": None, "search": {"userId": "mark-user-a"}}
NAMED: Final = {"requestIds": ["{decided}"]}
WAITING: Final = {"requestIds": None, "search": {"userId": "mark-user-r"}}
QUERIES: Final[Mapping[str, str]] = {"listAudit": "limit=100", "listReviews": "?status=all"}
BODIES: Final[Mapping[str, Mapping[str, Any] | tuple[Mapping[str, Any], ...]]] = {
    "setAutoTopUp": {"enabled": True},
    "setTopUpLimit": {"dayLimitMinor": 400},
    "capturePayment": {"operationsSeen": None},
    "refundPayment": {"operationsSeen": None},
    "setFoundInput": {"key": "plan"},
    "eraseIdentities": {"cardNumber": "4242424242424242"},
    "searchIdentities": {"cardNumber": "4242424242424242"},
    "applyRuleSet": {"document": CHANGED},
    "checkRuleSet": {"document": DOCUMENT},
    "tryRuleSet": (
        {"document": DOCUMENT},
        {"document": DOCUMENT, "requestId": "{decided}", "signals": None},
        {"document": DOCUMENT, "requestId": "{id}", "signals": None},
    ),
    "startBacktest": {"document": DOCUMENT, **SPAN, "examples": 5},
    "applyPipelineDefinition": ({"document": OTHER_PIPE}, {"document": FREE}),
    "checkPipelineDefinition": {"document": PIPE},
    "rollBackRuleSet": {"to": None},
    "rollBackPipelineDefinition": {"to": None},
    "addEntries": {"entries": [{"value": "u-2"}], "kind": None},
    "removeEntries": {"values": ["mark-entry"]},
    "resolveMany": (WAITING, {"requestIds": ["{id}"]}),
    "labelMany": (WANTED, NAMED),
    "assignMany": (WAITING, {"requestIds": ["{id}"]}),
    "putManyOnList": ({**WANTED, "list": "own-users"}, {**NAMED, "list": "own-users"}),
    "startExploration": {
        "by": "email.domain",
        **dict.fromkeys(("also", "since", "until", "timeZone", "where", "decision", "operation")),
        **dict.fromkeys(("rule", "shadowRule")),
    },
    "makeReport": {"month": "2026-10"},
    "giveFeedbackInBulk": {"items": [{"clientReferenceId": "mark-order-a", "label": "FRAUD"}]},
    "importFeedback": {"content": "clientReferenceId,label\nmark-order-a,CHARGEBACK\n"},
    "listOutcomeCandidates": {"reference": "own-dispute"},
    "joinOutcome": {"reference": "own-dispute", "requestId": "{decided}"},
    "startProgrammesWhatIf": {"document": DOCUMENT, **SPAN},
    "startTraining": {**SPAN, "method": "logistic"},
    "auditLabels": SPAN,
    "tryModel": SPAN,
    "rollBackModel": {"to": None},
    "startExperiment": {"kind": "rules", "ruleSet": "starter", "challengerRuleSet": "own-rules"},
    "erasePerson": (
        {"email": None, "userId": "mark-user-a"},
        {"email": None, "userId": "mark-entry", "lists": True},
    ),
    "replayWebhookMessages": {"eventId": "{event}"},
    "createWebhook": {"url": "http://127.0.0.1:9/other", "events": ["key.created"]},
    "updateWebhook": {"url": "http://127.0.0.1:9/other", "events": ["key.created"]},
    "switchRule": {"state": "shadow"},
    "resolveReviews": {"resolution": "APPROVE", "reason": "known", "requestIds": ["{decided}"]},
    "assignReview": {"assignee": "amelia", "takeOver": True},
    "noteReview": {"text": "called them"},
    "resolveReview": {"resolution": "APPROVE", "reason": "known"},
    "correctReview": {"resolution": "DECLINE", "reason": "unknown"},
    "searchDecisions": {"userId": "mark-user-a"},
    "searchReviews": {"userId": "mark-user-r"},
    "giveFeedback": {"requestId": "{decided}", "label": "FRAUD"},
}
"""What differs from the example of a body, in each way to call it; null takes a field away."""
FORMS: Final[Mapping[str, Mapping[str, Any]]] = {
    **FORMS_OF_IDS,
    "installation-invite": {"login": "new@shop.test", "name": "New", "role": "operator"},
    "account-create": {"name": "New", "currency": "USD"},
    "account-rename": {"name": "Renamed"},
    "account-close": {"reason": "at their wish"},
    "account-reopen": {"reason": "at their wish"},
    "invite": {"login": "new@shop.test", "name": "New", "role": "viewer"},
    "bulk-change": {"id": "{decided}", "do": "label/FRAUD"},
    "entity-find": {"kind": "user", "value": "mark-user-a"},
    "settings-name": {"name": "Corner"},
    "settings-target": {"hours": "4"},
    "settings-found": {"key": "plan"},
    "settings-costs": {"preset": "balance", "currency": "USD", "margin": "20"},
    "key-issue": {"name": "new"},
    "money-top-up": {"amount": "5"},
    "money-adjust": {"amount": "5", "reason": "a wrong fee"},
    "money-credit": {"limit": "77"},
    "money-prices": {"SENTRY": "0.5"},
    "invoices-close": {"month": "2020-02"},
    "billing-details-set": {
        **{"name": "New Ltd", "street": "1 Street", "city": "Berlin", "country": "DE"},
        **{"postal_code": "10115", "category": "S", "rate": "19"},
    },
    "role-make": {"name": "Other", "permissions": ["see"]},
    "rules-apply": {"set": "own-rules", "document": CHANGED, "note": "more", "base": "2"},
    "rules-rollback": {"to": "1", "base": "2"},
    "pipelines-rollback": {"to": "1", "base": "2"},
    "pipelines-apply": {"pipeline": "41", "document": OTHER_PIPE, "note": "slow", "base": "2"},
    "list-find": {"value": "mark-entry"},
    "list-create": {"name": "other", "kind": "users"},
    "list-remove": {"value": "mark-entry"},
    "webhook-create": {"url": "http://127.0.0.1:9/other", "events": ["key.created"]},
    "decisions-find": {"who": "userId", "value": "mark-user-a"},
    "decisions-narrow": {"condition": "order.amount > 7000"},
    "decisions-save": {"name": "large"},
    "explore-narrow": {"condition": "order.amount > 7000"},
    "explore-save": {"name": "large"},
    "report-make": {"month": "2026-10"},
    "outcome-tell": {
        **{"kind": "DISPUTE", "reference": "new", "at": "2026-11-02", "network": "VISA"},
        **{"amount": "5", "currency": "USD", "request_id": "{decided}"},
    },
    "outcome-import": {"mapping": "gatehouse"},
    "outcome-join": {"kind": "DISPUTE", "reference": "own-dispute", "request_id": "{decided}"},
    "authentication-settings": {"acquirer_country": "DE"},
    "model-train": {"method": "logistic", "days": "90", "delay": "0", "holdout": "20"},
    "model-audit": {"days": "90", "delay": "0", "holdout": "20"},
    "experiment-start": {
        **{"name": "Strict", "kind": "rules", "percent": "50", "rule_set": "starter"},
        "challenger_rule_set": "own-rules",
    },
    "auto-top-up": {
        "enabled": "true",
        "floor_minor": "1",
        "amount_minor": "5",
        "monthly_limit_minor": "100",
    },
    "top-up-limit": {"day_limit_minor": "9000"},
    "programmes-try": {"document": DOCUMENT},
    "invoice-credit": {"reason": "a gift", "amount": "1"},
    "payment-capture": {"amount": "1", "operations_seen": "0"},
}
FILES: Final = {
    **FILES_OF_IDS,
    "outcome-import": {
        "file": ("o.csv", b"kind,reference,at\nSETTLED,s-1,2026-11-01\n", "text/csv")
    },
}


def _closed(session: AdminSession, account_id: str, own: Planted) -> None:
    everything.close(session, account_id, "at their wish")


def _disabled(session: AdminSession, account_id: str, own: Planted) -> None:
    users.disable(session, None, own["user"])


def _ended(session: AdminSession, account_id: str, own: Planted) -> None:
    experiments.end(session, account_id, own["experiment"])


def _shadowed(session: AdminSession, account_id: str, own: Planted) -> None:
    shadows.start_shadow(session, account_id, own["model"])


def _advised(session: AdminSession, account_id: str, own: Planted) -> None:
    settings.set_authentication(session, account_id, AuthenticationBody("DE"))


def _resolved(session: AdminSession, account_id: str, own: Planted) -> None:
    resolve_review(session, account_id, own["id"], ReviewFinding(True, "a known customer"))


def _queued(session: AdminSession, account_id: str, own: Planted) -> None:
    with session.writing() as connection:
        this = JOBS.c.id == own["job"]
        again = {"state": JobState.QUEUED, "finished_at_ms": None}
        connection.execute(JOBS.update().where(this).values(again))


BEFORE: Final[Mapping[str, Callable[[AdminSession, str, Planted], object]]] = {
    "account-reopen": _closed,
    "person-enable": _disabled,
    "installation-person-enable": _disabled,
    "experiment-start": _ended,
    "startExperiment": _ended,
    "model-shadow-stop": _shadowed,
    "stopShadowModel": _shadowed,
    "getFraudRates": _advised,
    "measureFraudRates": _advised,
    "authentication-measure": _advised,
    "review-correct": _resolved,
    "cancelJob": _queued,
    "training-cancel": _queued,
    "users enable": _disabled,
    "authentication measure": _advised,
    "trial shadow stop": _shadowed,
    "experiments start": _ended,
    "jobs cancel": _queued,
}
"""What must have happened before."""

"""Outcomes and decisions for tests."""

import json
from typing import Any, Final

from gatehouse.admin.outcomes.types.outcome import OutcomeBatch, OutcomeFilter, PaymentOutcome
from gatehouse.admin.outcomes.use_cases.listing import list_outcomes
from gatehouse.core.reading.request_reader import RequestReader
from gatehouse.core.secrets import keyring
from gatehouse.decisions.record import DecisionRecord, RecordedStage
from gatehouse.sentry.entities import EntityHasher
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.tables import DECISIONS
from tests.admin.recorded import Recorder

ARN: Final = "74537604221222132710572"
DISPUTE: Final = {
    **{"kind": "DISPUTE", "reference": "dp-1", "at": "2026-11-02T10:00:00Z"},
    "reason": "10.4",
}
FRAUD: Final = {"kind": "FRAUD_REPORT", "reference": "f-1", "at": "2026-11-03T10:00:00Z"}
SALE: Final = {"kind": "SETTLED", "reference": "s-1", "at": "2026-11-01T00:00:00Z"}


def batch(*items: dict[str, Any]) -> OutcomeBatch:
    """Outcomes as the API reads them."""
    return RequestReader(OutcomeBatch).read(json.dumps({"items": items}).encode())


def kept(session: AdminSession, account_id: str) -> list[PaymentOutcome]:
    """All outcomes of an account, newest first."""
    return list_outcomes(session, account_id, OutcomeFilter()).outcomes


class Payments(Recorder):
    """Keeps decisions with the names by which outcomes find them."""

    def pay(self, **about: Any) -> str:
        """Keep a decision; `payment` is the gateway's id, `transaction` the caller's name."""
        transaction = about.pop("transaction", None)
        request_id = self.keep(**about)
        hasher = EntityHasher(self.session.ring.current(keyring.ENTITIES)[1])
        names = {
            "transaction_reference": None if transaction is None else hasher.kept(transaction),
            "client_reference": about.get("reference"),
        }
        this = DECISIONS.c.request_id == request_id
        with self.session.database.writing() as connection:
            connection.execute(DECISIONS.update().where(this).values(names))
        return request_id

    def record(self, request_id: str, user: str, **about: Any) -> DecisionRecord:
        """What a request leaves, with what the gateway answered."""
        record = super().record(request_id, user, **about)
        if "payment" in about:
            found = {"status": about.get("status", "APPROVED"), "paymentId": about["payment"]}
            record.stages.append(RecordedStage("Gateway", "GATEWAY", 30_000, True, 900, found))
        return record

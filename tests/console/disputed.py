"""Disputes with a file, for tests of pages."""

import json
from typing import Any

from gatehouse.admin.evidence.use_cases.dispute_files import keep_file
from gatehouse.admin.outcomes.types.outcome import OutcomeBatch
from gatehouse.admin.outcomes.use_cases.tell import tell
from gatehouse.core.reading.request_reader import RequestReader
from gatehouse.store.admin.admin_session import AdminSession


def keep_dispute(
    session: AdminSession, account_id: str, reference: str, request_id: str | None = None
) -> str:
    """Tell of a dispute; returns its id in paths."""
    item: dict[str, Any] = {
        **{"kind": "DISPUTE", "reference": reference, "at": "2026-11-02T10:00:00Z"},
        **{"network": "VISA", "reason": "10.4", "respondBy": "2099-12-01T00:00:00Z"},
        **{"amount": 59.9, "currency": "USD"},
    }
    if request_id is not None:
        item["requestId"] = request_id
    body = json.dumps({"items": [item]}).encode()
    tell(session, account_id, RequestReader(OutcomeBatch).read(body))
    return reference


def keep_proof(session: AdminSession, account_id: str, dispute: str) -> str:
    """Attach a file to a dispute; returns its id."""
    return keep_file(session, account_id, dispute, "proof.txt", b"Signed for.").file_id

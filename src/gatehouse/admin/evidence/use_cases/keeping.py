"""Use cases: whether an account keeps what evidence needs readable, and how much there is."""

from typing import Any, Final

import msgspec
import sqlalchemy as sa

from gatehouse.access.roles import Permission
from gatehouse.admin.evidence.queries import envelopes
from gatehouse.admin.evidence.types.keeping import EvidenceKeeping, EvidenceKept
from gatehouse.decisions.order_envelope import KEPT_DAYS, OrderEnvelope
from gatehouse.store.accounts import accounts
from gatehouse.store.admin.admin_session import AdminSession, Change, Reading
from gatehouse.store.admin.use_case import use_case

POLICY: Final = "evidence"
_MAY: Final[dict[str, Any]] = {
    "scope": "manage:account",
    "permission": Permission.ACCESS,
    "answers": "evidenceKeepingResponse",
}


@use_case("GET /policies/evidence", operation="getEvidencePolicy", **_MAY)
def get_keeping(reading: Reading, account_id: str) -> EvidenceKept:
    """Whether evidence is kept.

    And of how many orders something is kept now.
    """
    return _kept(reading.connection, account_id)


@use_case("PUT /policies/evidence", operation="setEvidencePolicy", **_MAY)
def keep_evidence(change: Change, account_id: str, given: EvidenceKeeping) -> EvidenceKept:
    """Keep evidence, or stop.

    From now on IP address, device, customer account, e-mail address, shipping address and what was
    sold stay readable for 485 days, sealed. What was kept before stays until it is that old.
    """
    accounts.set_policy(change, account_id, POLICY, msgspec.to_builtins(given))
    return _kept(change.connection, account_id)


def kept_of(session: AdminSession, account_id: str, request_id: str) -> OrderEnvelope | None:
    """What is readable of one order: personal data, for those alone who reveal it."""
    with session.account_reading(account_id) as connection:
        found = envelopes.read(connection, session.ring, account_id, [request_id])
    return found.get(request_id)


def _kept(connection: sa.Connection, account_id: str) -> EvidenceKept:
    stored = accounts.get(connection, account_id).policies.get(POLICY, {})
    keep = msgspec.convert(stored, EvidenceKeeping).keep if stored else False
    return EvidenceKept(keep, KEPT_DAYS, envelopes.count(connection, account_id))

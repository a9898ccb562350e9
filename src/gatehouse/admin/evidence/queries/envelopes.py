"""What stays readable of orders: read, and deleted; every query is bound to an account."""

from collections.abc import Sequence
from typing import Final

import sqlalchemy as sa

from gatehouse.core.errors import KeyMissing, SealBroken
from gatehouse.core.secrets.keyring import KeyRing
from gatehouse.decisions.order_envelope import EnvelopeSealer, OrderEnvelope
from gatehouse.store.counting import count_rows
from gatehouse.store.database import is_any_of
from gatehouse.store.decisions.evidence_table import ORDER_EVIDENCE

_E: Final = ORDER_EVIDENCE.c


def read(
    connection: sa.Connection, ring: KeyRing, account_id: str, request_ids: Sequence[str]
) -> dict[str, OrderEnvelope]:
    """What is kept of some orders; one that cannot be opened is left out."""
    sealer, found = EnvelopeSealer(ring), {}
    query = sa.select(ORDER_EVIDENCE).where(
        _E.account_id == account_id, is_any_of(connection, _E.request_id, request_ids)
    )
    for row in connection.execute(query):
        try:
            opened = sealer.open(account_id, row.request_id, row.key_version, row.sealed)
        except (KeyMissing, SealBroken):
            continue
        found[row.request_id] = opened
    return found


def count(connection: sa.Connection, account_id: str) -> int:
    """Of how many orders something is kept."""
    return count_rows(connection, ORDER_EVIDENCE, _E.account_id == account_id)

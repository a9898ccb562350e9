"""Finds decision records and answers to repeated requests, each for its own account only."""

from collections.abc import Sequence

import sqlalchemy as sa

from gatehouse.core.cards.fingerprints import Fingerprints
from gatehouse.decisions.record import DecisionRecord
from gatehouse.decisions.record_fingerprints import decode
from gatehouse.pipeline.settlement import Claim, KeyReused, Replay, Search, StillInFlight
from gatehouse.store.database import Database, is_any_of, let_last
from gatehouse.store.requests.settlement import StoredClaim, earlier
from gatehouse.store.tables import DECISIONS, IDEMPOTENCY


def get(
    connection: sa.Connection, account_id: str, request_id: str, fingerprints: Fingerprints
) -> DecisionRecord | None:
    """The account's record of a request; None also for a request of another account."""
    query = sa.select(DECISIONS.c.record).where(
        DECISIONS.c.account_id == account_id, DECISIONS.c.request_id == request_id
    )
    text = connection.scalar(query)
    return None if text is None else decode(account_id, text, fingerprints)


def get_many(
    connection: sa.Connection,
    account_id: str,
    request_ids: Sequence[str],
    fingerprints: Fingerprints,
) -> list[DecisionRecord]:
    """The account's records of some requests, in the same order; others are left out."""
    if not request_ids:
        return []
    query = sa.select(DECISIONS.c.request_id, DECISIONS.c.record).where(
        DECISIONS.c.account_id == account_id,
        is_any_of(connection, DECISIONS.c.request_id, request_ids),
    )
    texts = {row.request_id: row.record for row in connection.execute(query)}
    return [decode(account_id, texts[each], fingerprints) for each in request_ids if each in texts]


def has_any(connection: sa.Connection, account_id: str) -> bool:
    """Whether an account has a decision record."""
    query = sa.select(DECISIONS.c.request_id).where(DECISIONS.c.account_id == account_id)
    return connection.scalar(query.limit(1)) is not None


def search(
    connection: sa.Connection, account_id: str, wanted: Search, fingerprints: Fingerprints
) -> list[DecisionRecord]:
    """The account's records, newest first, beginning before the request that is named."""
    query = sa.select(DECISIONS.c.record).where(DECISIONS.c.account_id == account_id)
    if wanted.client_reference is not None:
        query = query.where(DECISIONS.c.client_reference == wanted.client_reference)
    if wanted.before is not None:
        query = query.where(DECISIONS.c.request_id < wanted.before)
    rows = connection.scalars(query.order_by(DECISIONS.c.request_id.desc()).limit(wanted.limit))
    return [decode(account_id, text, fingerprints) for text in rows]


class DecisionArchive:
    """Finds earlier answers for a running server: queries run on a thread."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def earlier(self, claim: Claim, now_ms: int) -> Replay | StillInFlight | KeyReused | None:
        """What became of the first request of an idempotency key, if there was one."""
        kept = await self._database.read_on_thread(lambda c: _kept(c, claim.claim_id))
        return earlier(kept, claim, now_ms)


def _kept(connection: sa.Connection, claim_id: str) -> StoredClaim | None:
    """An idempotency key as it is stored; the transaction ends when its answer is durable."""
    columns = [IDEMPOTENCY.c[name] for name in StoredClaim.__struct_fields__]
    query = sa.select(*columns).where(IDEMPOTENCY.c.claim_id == claim_id)
    row = connection.execute(query).first()
    if row is None:
        return None
    let_last(connection)
    return StoredClaim(*row)

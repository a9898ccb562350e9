"""Answers of management calls that are kept for repeated ones, sealed: some hold a new secret.

They stand in the table of those to operations. A call whose server died, or lost the database,
leaves a claim without an answer. Nobody knows whether it was done, so it is not done again.
"""

import base64
from typing import Final

import msgspec
import sqlalchemy as sa

from gatehouse.core.errors import KeyMissing, SealBroken
from gatehouse.core.ids import id_time_ms
from gatehouse.core.secrets import keyring
from gatehouse.core.secrets.sealing import Sealer
from gatehouse.pipeline.settlement import Claim, KeyReused, StillInFlight
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.requests.settlement import StoredClaim, earlier
from gatehouse.store.state import lock_changes
from gatehouse.store.tables import IDEMPOTENCY

LONGEST_CALL_MS: Final = 600_000
"""A call without an answer is taken for lost after this time."""
_C: Final = IDEMPOTENCY.c
_COLUMNS: Final = [_C[name] for name in StoredClaim.__struct_fields__]


class KeptAnswer(msgspec.Struct, frozen=True, array_like=True):
    """What the first call was answered with."""

    body: str
    etag: str | None = None

    def __repr__(self) -> str:
        return "KeptAnswer()"


class _Sealed(msgspec.Struct, frozen=True, array_like=True):
    key_version: int
    text: str


def claim(
    session: AdminSession, wanted: Claim, request_id: str
) -> KeptAnswer | StillInFlight | KeyReused | None:
    """Claim an idempotency key for a call; or what became of the first one with it.

    The id of a request tells when it came, and so for how long its call has had no answer.
    """
    now_ms = session.clock()
    with session.database.writing() as connection:
        # Two calls with one key must not both find it free.
        lock_changes(connection)
        this = _C.claim_id == wanted.claim_id
        row = connection.execute(sa.select(*_COLUMNS).where(this)).first()
        kept = None if row is None else StoredClaim(*row)
        found = earlier(kept, wanted, now_ms)
        if kept is not None and isinstance(found, StillInFlight) and _is_lost(kept, now_ms):
            # It may have been done, and it must not be done twice.
            return KeyReused()
        if isinstance(found, StillInFlight | KeyReused):
            return found
        if found is not None:
            return _opened(session, wanted, found.answer)
        connection.execute(IDEMPOTENCY.delete().where(this))
        new = StoredClaim(wanted.claim_id, request_id, wanted.body, None, wanted.expires_at_ms)
        connection.execute(IDEMPOTENCY.insert(), msgspec.structs.asdict(new))
    return None


def keep(session: AdminSession, wanted: Claim, request_id: str, answer: KeptAnswer) -> None:
    """Keep the answer to the call that has a claim."""
    sealer = Sealer(session.ring, keyring.ANSWERS)
    plain = msgspec.json.encode(answer)
    version, sealed = sealer.seal(plain, wanted.claim_id.encode(), session.randomness)
    text = msgspec.json.encode(_Sealed(version, base64.b64encode(sealed).decode())).decode()
    values = {"answer": text, "expires_at_ms": wanted.expires_at_ms}
    with session.writing() as connection:
        connection.execute(IDEMPOTENCY.update().where(_mine(wanted, request_id)).values(values))


def free(session: AdminSession, wanted: Claim, request_id: str) -> None:
    """Give up the claim of a call that did nothing."""
    with session.database.writing() as connection:
        connection.execute(IDEMPOTENCY.delete().where(_mine(wanted, request_id)))


def _is_lost(unanswered: StoredClaim, now_ms: int) -> bool:
    return id_time_ms(unanswered.request_id) + LONGEST_CALL_MS < now_ms


def _mine(wanted: Claim, request_id: str) -> sa.ColumnElement[bool]:
    return (_C.claim_id == wanted.claim_id) & (_C.request_id == request_id)


def _opened(session: AdminSession, wanted: Claim, answer: bytes) -> KeptAnswer | KeyReused:
    try:
        sealed = msgspec.json.decode(answer, type=_Sealed)
        sealer = Sealer(session.ring, keyring.ANSWERS)
        text = base64.b64decode(sealed.text)
        plain = sealer.open(sealed.key_version, text, wanted.claim_id.encode())
        return msgspec.json.decode(plain, type=KeptAnswer)
    except (msgspec.MsgspecError, ValueError, KeyMissing, SealBroken):
        # Its answer cannot be given again, and it must not be done twice.
        return KeyReused()

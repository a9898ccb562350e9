"""Management calls that are repeated with their idempotency key: done once, answered alike."""

from gatehouse.pipeline.settlement import Claim, KeyReused, StillInFlight
from gatehouse.store.admin import kept_answers
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.admin.kept_answers import KeptAnswer

# What the store takes and returns, for faces.
__all__ = ["KeptAnswer"]


def begin(
    session: AdminSession, account_id: str, claim: Claim, request_id: str
) -> KeptAnswer | StillInFlight | KeyReused | None:
    """Claim a key for a call, or tell what became of the first one with it."""
    session.actor.check_account(account_id)
    return kept_answers.claim(session, claim, request_id)


def finish(
    session: AdminSession, account_id: str, claim: Claim, request_id: str, answer: KeptAnswer
) -> None:
    """Keep the answer of the call for those that repeat it."""
    session.actor.check_account(account_id)
    kept_answers.keep(session, claim, request_id, answer)


def give_up(session: AdminSession, account_id: str, claim: Claim, request_id: str) -> None:
    """Let the key be used again, because the call was refused and did nothing."""
    session.actor.check_account(account_id)
    kept_answers.free(session, claim, request_id)

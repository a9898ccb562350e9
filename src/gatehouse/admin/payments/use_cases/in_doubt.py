"""Payments in doubt: what happened to them at the gateway, and trying again to reverse them."""

from collections.abc import Sequence

from gatehouse.core.errors import InvalidInput, NotFound
from gatehouse.core.ids import is_id
from gatehouse.store.accounts import accounts
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.requests import intents
from gatehouse.store.requests.intents import IntentState, KeptIntent

# What the store takes and returns, for faces.
__all__ = ["IntentState", "KeptIntent"]


def listing(
    session: AdminSession, state: IntentState | None, account_id: str | None, limit: int
) -> list[KeptIntent]:
    """Payments in doubt, newest first; of all accounts unless one is named."""
    chosen = account_id or session.actor.account_id
    with session.reading() as connection:
        if chosen is not None:
            session.actor.check_account(chosen)
            accounts.get(connection, chosen)
        return intents.listing(connection, state, chosen, limit)


def get(session: AdminSession, request_id: str) -> KeptIntent:
    """What is known about the payment of a request."""
    _check_request_id(request_id)
    with session.reading() as connection:
        found = intents.get(connection, request_id)
    _check_owner(session, found)
    return found


def retry(session: AdminSession, request_ids: Sequence[str]) -> list[KeptIntent]:
    """Reverse payments for which all attempts have failed; each leaves an audit line."""
    for request_id in request_ids:
        _check_request_id(request_id)
    with session.change() as change:
        for request_id in request_ids:
            _check_owner(session, intents.get(change.connection, request_id))
        return intents.retry(change, request_ids)


def _check_request_id(text: str) -> None:
    if not is_id(text, "req"):
        raise InvalidInput("a request has an id such as the list shows: req_...")


def _check_owner(session: AdminSession, found: KeptIntent) -> None:
    try:
        session.actor.check_account(found.account_id)
    except NotFound:
        raise NotFound(f"no payment of {found.request_id} is in doubt") from None

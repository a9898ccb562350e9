"""The page of an order in the shop's own administration: an address with places for its names."""

import re
from typing import Final
from urllib.parse import quote, urlsplit

from gatehouse.core.cards.redaction import recordable
from gatehouse.core.errors import InvalidInput
from gatehouse.core.wording.sentences import Phrase
from gatehouse.store.accounts import accounts
from gatehouse.store.admin.admin_session import AdminSession

_FORM: Final = Phrase(
    "refused.order_page",
    "the address of an order's page begins with https:// and a host, has up to {most} characters "
    "and at least one of {known}",
)

LONGEST_PAGE: Final = 300
PLACES: Final = ("{clientReferenceId}", "{requestId}")
_POLICY: Final = "orderPage"
_ADDRESS: Final = "address"
_PLACE: Final = re.compile(r"\{[^{}]*\}")


def order_page(session: AdminSession, account_id: str) -> str:
    """The address that an account has chosen; empty when it has none."""
    with session.account_reading(account_id) as connection:
        stored = accounts.get(connection, account_id).policies.get(_POLICY, {})
    return str(stored.get(_ADDRESS, ""))


def set_order_page(session: AdminSession, account_id: str, address: str) -> None:
    """Choose the address; an empty one takes it away."""
    if address and not _is_fit(address):
        raise InvalidInput(_FORM(most=LONGEST_PAGE, known=", ".join(PLACES)))
    with session.account_change(account_id) as change:
        accounts.set_policy(change, account_id, _POLICY, {_ADDRESS: address})


def order_address(address: str, reference: str | None, request_id: str) -> str | None:
    """The address of one order; None when the account has none, or the order lacks its name."""
    named = {PLACES[0]: reference, PLACES[1]: request_id}
    wanted = _PLACE.findall(address)
    if not wanted or any(named.get(each) is None for each in wanted):
        return None
    return _PLACE.sub(lambda found: quote(named[found[0]] or "", safe=""), address)


def _is_fit(address: str) -> bool:
    if len(address) > LONGEST_PAGE or not address.isprintable() or recordable(address) != address:
        return False
    try:
        parts = urlsplit(address)
        host = parts.hostname
    except ValueError:
        return False
    places = _PLACE.findall(address)
    plain = not re.search(r"[\s\\<>\"@{}]", parts.netloc) and not re.search(r"[\s\\<>\"]", address)
    return bool(parts.scheme == "https" and host and plain and places and set(places) <= {*PLACES})

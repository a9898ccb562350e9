"""Top-ups by card: an account asks for a page, and learns what became of it.

A page is made, and asked about, by a server (`worker.py`), which has the connectors. So a use case
keeps what is wanted, and waits a little for the page.
"""

import time
from typing import Final

import sqlalchemy as sa

from gatehouse.access.roles import Permission
from gatehouse.admin.invoices.types.making import minor_unit, tax_on
from gatehouse.admin.invoices.use_cases.parties import terms_of
from gatehouse.admin.top_ups import queries
from gatehouse.admin.top_ups.queries import KeptTopUp
from gatehouse.admin.top_ups.types import (
    MOST_LISTED,
    MOST_OPEN,
    NOT_OVER,
    PAGE_LIFETIME_MS,
    TopUpId,
    TopUpList,
    TopUpShown,
    TopUpState,
    TopUpWanted,
)
from gatehouse.connectors.definition import decode_program
from gatehouse.core.cards.redaction import recordable
from gatehouse.core.clock import Moment
from gatehouse.core.errors import Conflict, InvalidInput, NotFound, SettingsError
from gatehouse.core.money import MAX_AMOUNT, MICROS_PER_UNIT, format_amount
from gatehouse.core.wording.sentences import Phrase
from gatehouse.intel.places import minor_digits
from gatehouse.settings.settings import Settings
from gatehouse.store.accounts import accounts
from gatehouse.store.admin.admin_session import AdminSession, Change, Reading
from gatehouse.store.admin.scopes import account_change, account_reading
from gatehouse.store.admin.use_case import use_case
from gatehouse.store.configured import configurations
from gatehouse.store.configured.configurations import CONNECTORS_KEY

_SCOPE: Final = "manage:billing"
_NOT_OFFERED: Final = Phrase(
    "refused.top_ups_not_offered",
    "this installation takes no top-ups by card; pay by bank transfer, or ask its operator",
)
_MANY_OPEN: Final = Phrase(
    "refused.top_ups_many",
    "{most} top-ups are open already; pay one of them, or wait until they expire",
)
_TOO_MUCH: Final = Phrase("refused.top_up_most", "a top-up is at most {most} {currency}")
_NONE: Final = Phrase("refused.no_top_up_id", "no top-up {id}")
_LONGEST_WAIT_S: Final = 5.0
_LOOK_AGAIN_S: Final = 0.1


@use_case(
    "GET /top-ups",
    scope=_SCOPE,
    permission=Permission.SEE_MONEY,
    operation="listTopUps",
    answers="topUpsResponse",
)
def list_top_ups(reading: Reading, account_id: str) -> TopUpList:
    """List top-ups by card.

    The newest first, with what became of each.
    """
    found = queries.listing(reading.connection, account_id, MOST_LISTED)
    return TopUpList([_shown(each) for each in found])


@use_case(
    "GET /top-ups/{topUpId}",
    scope=_SCOPE,
    permission=Permission.SEE_MONEY,
    operation="getTopUp",
    answers="topUpResponse",
)
def get_top_up(reading: Reading, account_id: str, top_up_id: TopUpId) -> TopUpShown:
    """Show a top-up by card.

    How far it is, and the address of its page.
    """
    return _find(reading.connection, account_id, top_up_id)


@use_case(
    "POST /top-ups",
    scope=_SCOPE,
    permission=Permission.SEE_MONEY,
    operation="createTopUp",
    answers="topUpResponse",
    unseen=True,
)
def create_top_up(session: AdminSession, account_id: str, given: TopUpWanted) -> TopUpShown:
    """Top up by card.

    Answers the address of a page of the payment provider, on which a person pays by card. Where the
    provider takes longer than some seconds, `url` is null; then ask for the top-up again. What is
    paid is added to the balance once, with the id of the top-up as its reference.
    """
    with account_change(session, account_id, unseen=True) as change:
        new = _asked(change, account_id, given.amount_minor)
        queries.add(change.connection, new)
        said = {"amountMinor": new.amount_minor, "taxMinor": new.tax_minor}
        change.audit("top-up.ask", account_id, topUpId=new.id, currency=new.currency, **said)
    until_s = time.monotonic() + _LONGEST_WAIT_S
    while True:
        with account_reading(session, account_id) as connection:
            found = _find(connection, account_id, new.id)
        if found.state is not TopUpState.WAITING or time.monotonic() >= until_s:
            return found
        time.sleep(_LOOK_AGAIN_S)


def _asked(change: Change, account_id: str, amount_minor: int) -> KeptTopUp:
    account = accounts.get_open(change.connection, account_id)
    connector = _offered_by(change.connection, change.session.settings)
    if connector is None:
        raise Conflict(_NOT_OFFERED())
    if queries.count_open(change.connection, account_id) >= MOST_OPEN:
        raise Conflict(_MANY_OPEN(most=MOST_OPEN))
    net = amount_minor * minor_micros(account.currency)
    if net > MAX_AMOUNT:
        most = format_amount(MAX_AMOUNT)
        raise InvalidInput(_TOO_MUCH(most=most, currency=account.currency))
    terms = terms_of(change.connection, account_id)
    unit = minor_unit(minor_digits(account.currency) or 0)
    tax = 0 if terms is None else tax_on(net, terms.hundredths, unit)
    return KeptTopUp(
        account_id=account_id,
        id=change.new_id("top"),
        state=TopUpState.WAITING,
        connector=connector,
        currency=account.currency,
        actor=str(change.actor),
        amount_minor=amount_minor,
        tax_minor=tax // minor_micros(account.currency),
        at_ms=change.now_ms,
        changed_at_ms=change.now_ms,
        expires_at_ms=change.now_ms + PAGE_LIFETIME_MS,
        next_at_ms=change.now_ms,
    )


def is_offered(session: AdminSession, account_id: str) -> bool:
    """Whether an account can top up by card."""
    with account_reading(session, account_id) as connection:
        return _offered_by(connection, session.settings) is not None


def minor_micros(currency: str) -> int:
    """The smallest unit of a currency in millionths."""
    return int(MICROS_PER_UNIT // 10 ** (minor_digits(currency) or 0))


def _offered_by(connection: sa.Connection, settings: Settings) -> str | None:
    """The connector that shows the pages; None where there is none."""
    name = settings.top_up_connector
    in_force = configurations.find(connection, CONNECTORS_KEY)
    if not name or in_force is None:
        return None
    try:
        definition = decode_program(in_force.program).connectors.get(name)
    except SettingsError:
        return None
    return name if definition is not None and definition.shows_pages() else None


def _find(connection: sa.Connection, account_id: str, top_up_id: str) -> TopUpShown:
    found = queries.find(connection, account_id, top_up_id)
    if found is None:
        raise NotFound(_NONE(id=recordable(top_up_id)))
    return _shown(found)


def _shown(kept: KeptTopUp) -> TopUpShown:
    return TopUpShown(
        top_up_id=kept.id,
        state=kept.state,
        amount_minor=kept.amount_minor,
        tax_minor=kept.tax_minor,
        currency=kept.currency,
        url=kept.url if kept.state in NOT_OVER else None,
        created_at=Moment(kept.at_ms),
        changed_at=Moment(kept.changed_at_ms),
        expires_at=Moment(kept.expires_at_ms),
        by=kept.actor,
        reason=kept.reason,
    )

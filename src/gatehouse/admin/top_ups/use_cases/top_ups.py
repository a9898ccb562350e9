"""Top-ups by card: an account asks for a page, and learns what became of it.

A page is made, and asked about, by a server (`worker.py`), which has the connectors. So a use case
keeps what is wanted, and waits a little for the page, on no thread.
"""

import asyncio
import contextlib
from typing import Final, NamedTuple

import sqlalchemy as sa

from gatehouse.access.rights import Right
from gatehouse.access.roles import Permission
from gatehouse.admin.approvals.use_cases.approvals import ApprovalKind, check_approved
from gatehouse.admin.invoices.types.making import minor_unit, tax_on
from gatehouse.admin.invoices.use_cases.parties import terms_of
from gatehouse.admin.top_ups.queries import top_ups as queries
from gatehouse.admin.top_ups.queries.top_ups import KeptTopUp
from gatehouse.admin.top_ups.types import (
    MOST_LISTED,
    MOST_OPEN,
    NOT_OVER,
    PAGE_LIFETIME_MS,
    TopUpId,
    TopUpKind,
    TopUpList,
    TopUpShown,
    TopUpState,
    TopUpWanted,
)
from gatehouse.admin.top_ups.use_cases.limits import check_day_limit, minor_micros
from gatehouse.connectors.definition import decode_program
from gatehouse.core.cards.redaction import recordable
from gatehouse.core.clock import Moment
from gatehouse.core.errors import Conflict, InvalidInput, NotFound, SettingsError
from gatehouse.core.money import MAX_AMOUNT, format_amount
from gatehouse.core.wording.sentences import Phrase
from gatehouse.intel.places import minor_digits
from gatehouse.settings.settings import Settings
from gatehouse.store.accounts import accounts
from gatehouse.store.admin.admin_session import AdminSession, Change, Reading
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
_STORES_NONE: Final = Phrase(
    "refused.top_ups_store_none", "this installation stores no cards for automatic top-ups"
)
_TOO_MUCH: Final = Phrase("refused.top_up_most", "a balance is at most {most} {currency}")
_NONE: Final = Phrase("refused.no_top_up_id", "no top-up {id}")
_LONGEST_WAIT_S: Final = 5.0
_LOOK_AGAIN_S: Final = 0.25


@use_case(
    "GET /top-ups",
    scope=_SCOPE,
    permission=Permission.SEE_MONEY,
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
    answers="topUpResponse",
    unseen=True,
)
async def create_top_up(session: AdminSession, account_id: str, given: TopUpWanted) -> TopUpShown:
    """Top up by card.

    Answers the address of a page of the payment provider, on which a person pays by card. Where the
    provider takes longer than some seconds, `url` is null; then ask for the top-up again. What is
    paid is added to the balance once, with the id of the top-up as its reference. With `storeCard`,
    or where a limit of a day is set, it needs the scope `manage:payments`, too.
    """
    found = await asyncio.to_thread(ask, session, account_id, given)
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(_LONGEST_WAIT_S):
            while found.state is TopUpState.WAITING:
                await asyncio.sleep(_LOOK_AGAIN_S)
                found = await asyncio.to_thread(get_top_up, session, account_id, found.top_up_id)
    return found


def ask(session: AdminSession, account_id: str, given: TopUpWanted) -> TopUpShown:
    """The same without waiting for the page."""
    with session.account_change(account_id, unseen=True) as change:
        offered = offered_by(change.connection, session.settings)
        if offered is None:
            raise Conflict(_NOT_OFFERED())
        if given.store_card and not offered.charges_cards:
            raise Conflict(_STORES_NONE())
        if queries.count_open(change.connection, account_id) >= MOST_OPEN:
            raise Conflict(_MANY_OPEN(most=MOST_OPEN))
        kind = TopUpKind.PAGE
        if given.store_card:
            change.actor.check(Right.MOVE_MONEY)
            check_approved(change, account_id, ApprovalKind.TOP_UPS)
            kind = TopUpKind.STORING
        return _shown(begin(change, account_id, given.amount_minor, offered.connector, kind))


def begin(
    change: Change, account_id: str, amount_minor: int, connector: str, kind: TopUpKind
) -> KeptTopUp:
    """Keep a new top-up with its tax; or say why it cannot be."""
    account = accounts.get_open(change.connection, account_id)
    net = amount_minor * minor_micros(account.currency)
    check_amount(accounts.state(change.connection, account_id).balance + net, account.currency)
    terms = terms_of(change.connection, account_id)
    unit = minor_unit(minor_digits(account.currency) or 0)
    tax = 0 if terms is None else tax_on(net, terms.hundredths, unit)
    tax_minor = tax // minor_micros(account.currency)
    check_day_limit(change, account, amount_minor + tax_minor)
    is_page = kind is not TopUpKind.AUTOMATIC
    new = KeptTopUp(
        account_id=account_id,
        id=change.new_id("top"),
        state=TopUpState.WAITING,
        connector=connector,
        currency=account.currency,
        actor=str(change.actor),
        amount_minor=amount_minor,
        tax_minor=tax_minor,
        at_ms=change.now_ms,
        changed_at_ms=change.now_ms,
        expires_at_ms=change.now_ms + PAGE_LIFETIME_MS,
        next_at_ms=change.now_ms if is_page else None,
        kind=kind,
    )
    queries.add(change.connection, new)
    said = {"amountMinor": new.amount_minor, "taxMinor": new.tax_minor, "kind": kind.value}
    change.audit("top-up.ask", account_id, topUpId=new.id, currency=new.currency, **said)
    return new


class OfferedTopUps(NamedTuple):
    """How an installation takes top-ups by card."""

    connector: str
    charges_cards: bool
    """Whether cards can be stored and charged again."""


def offered(session: AdminSession, account_id: str) -> OfferedTopUps | None:
    """How an account can top up by card; None if it cannot."""
    with session.account_reading(account_id) as connection:
        return offered_by(connection, session.settings)


def check_amount(micros: int, currency: str) -> None:
    """Refuse what no balance can hold."""
    if micros > MAX_AMOUNT:
        raise InvalidInput(_TOO_MUCH(most=format_amount(MAX_AMOUNT), currency=currency))


def offered_by(connection: sa.Connection, settings: Settings) -> OfferedTopUps | None:
    """The connector that shows the pages; None where there is none."""
    name = settings.top_up_connector
    in_force = configurations.find(connection, CONNECTORS_KEY)
    if not name or in_force is None:
        return None
    try:
        definition = decode_program(in_force.program).connectors.get(name)
    except SettingsError:
        return None
    if definition is None or not definition.shows_pages():
        return None
    return OfferedTopUps(name, definition.charges_cards())


def _find(connection: sa.Connection, account_id: str, top_up_id: str) -> TopUpShown:
    found = queries.find(connection, account_id, top_up_id)
    if found is None:
        raise NotFound(_NONE(id=recordable(top_up_id)))
    return _shown(found)


def _shown(kept: KeptTopUp) -> TopUpShown:
    return TopUpShown(
        top_up_id=kept.id,
        kind=kept.kind or TopUpKind.PAGE,
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

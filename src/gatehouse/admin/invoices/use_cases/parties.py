"""The legal data of both sides: the seller's for the installation, the buyer's for an account."""

from typing import Final

import msgspec
import sqlalchemy as sa

from gatehouse.access.roles import Permission
from gatehouse.admin.approvals.use_cases.approvals import ApprovalKind, check_approved
from gatehouse.admin.invoices import queries
from gatehouse.admin.invoices.types.invoice import (
    BillingDetails,
    Party,
    Seller,
    TaxTerms,
    check_terms,
)
from gatehouse.core.cards.redaction import recordable
from gatehouse.core.errors import InvalidInput, NotFound
from gatehouse.core.wording.sentences import Phrase
from gatehouse.store.admin.admin_session import AdminSession, Reading
from gatehouse.store.admin.use_case import use_case
from gatehouse.store.configured.signing import INSTALLATION

NO_SELLER: Final = Phrase(
    "refused.no_seller", "who sells is not known yet; the operator enters it first"
)
NO_BUYER: Final = Phrase(
    "refused.no_buyer", "whom invoices are for is not known yet; the operator enters it first"
)
_CARD: Final = Phrase(
    "refused.legal_card", "something in it looks like a card number, which is never kept"
)


def get_seller(session: AdminSession) -> Seller:
    """Who runs the installation; `NotFound` before that was said."""
    with session.installation_reading() as connection:
        found = queries.details(connection, INSTALLATION, Seller)
    if found is None:
        raise NotFound(NO_SELLER())
    return found


def set_seller(session: AdminSession, given: Seller) -> Seller:
    """Say who runs the installation; it is on invoices from now on."""
    _check(given)
    with session.installation_change() as change:
        queries.keep_details(change, INSTALLATION, given)
        change.audit("invoices.seller", name=given.party.name)
    return given


@use_case(
    "GET /billing-details",
    scope="manage:billing",
    permission=Permission.SEE_MONEY,
    answers="billingDetailsResponse",
)
def get_billing_details(reading: Reading, account_id: str) -> BillingDetails:
    """Billing details.

    Whom the account's invoices are for, and with which tax.
    """
    found = queries.details(reading.connection, account_id, BillingDetails)
    if found is None:
        raise NotFound(NO_BUYER())
    return found


def terms_of(connection: sa.Connection, account_id: str) -> TaxTerms | None:
    """The tax of an account, for who is in a transaction already; None while it is not known."""
    found = queries.details(connection, account_id, BillingDetails)
    return None if found is None else found.tax


def set_billing_details(
    session: AdminSession, account_id: str, given: BillingDetails
) -> BillingDetails:
    """Say whom an account's invoices are for, and with which tax; for invoices from now on."""
    _check(given)
    with session.account_change(account_id) as change:
        seller = queries.details(change.connection, INSTALLATION, Seller)
        if seller is not None:
            check_terms(seller.party, given.buyer, given.tax)
        kept = queries.details(change.connection, account_id, BillingDetails)
        if given.commitment != (kept.commitment if kept else None):
            check_approved(change, account_id, ApprovalKind.PRICES)
        queries.keep_details(change, account_id, given)
        terms = {"tax": given.tax.category, "rate": given.tax.rate}
        change.audit("invoices.buyer", account_id, name=given.buyer.name, **terms)
    return given


def _check(given: Seller | BillingDetails) -> None:
    party: Party = given.party if isinstance(given, Seller) else given.buyer
    reason = given.tax.reason if isinstance(given, BillingDetails) else None
    for text in (*msgspec.structs.astuple(party), reason):
        if text is not None and (recordable(text) != text or not text.isprintable()):
            raise InvalidInput(_CARD())

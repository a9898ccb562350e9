"""An invoice that pages can show."""

import msgspec

from gatehouse.admin.invoices.types.invoice import BillingDetails
from gatehouse.admin.invoices.use_cases import closing, parties
from gatehouse.admin.money.use_cases import money
from gatehouse.store.admin.admin_session import AdminSession
from tests.admin.invoices.test_closing import SELLER, STANDARD


def keep_invoice(session: AdminSession, account_id: str, details: BillingDetails = STANDARD) -> str:
    """Of a month that cost what was agreed; who is invoiced need not have it yet."""
    parties.set_seller(session, SELLER)
    terms = msgspec.structs.replace(details, commitment="5")
    parties.set_billing_details(session, account_id, terms)
    money.set_credit_limit(session, account_id, 10_000_000)
    made = closing.close_month(session, account_id, "2020-01")
    assert made is not None
    return made.invoice_id

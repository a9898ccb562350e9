"""An invoice or credit note as it was issued, and the legal data that it carries."""

from datetime import date
from enum import StrEnum
from typing import Annotated

from msgspec import UNSET, Meta, UnsetType

from gatehouse.core.api_values import CamelStruct, Money, doc
from gatehouse.core.errors import InvalidInput
from gatehouse.core.wording.sentences import Phrase

_TAX_RATE = Phrase("refused.tax_rate", "the standard rate needs a rate above 0, other tax none")
_TAX_REASON = Phrase(
    "refused.tax_reason", "tax that is exempt or outside its scope needs its reason"
)
_SELLER_VAT = Phrase("refused.seller_vat", "this tax needs the VAT number of the seller")
_BUYER_VAT = Phrase(
    "refused.buyer_vat", "reverse charge needs the VAT number or the registration of the buyer"
)
_SELLER_REGISTRATION = Phrase(
    "refused.seller_registration",
    "outside the scope of tax no VAT number is named: the seller needs a registration",
)

Line = Annotated[str, Meta(min_length=1, max_length=200)]
Month = Annotated[str, doc("YYYY-MM.", "2026-11", pattern=r"^[0-9]{4}-(0[1-9]|1[0-2])\Z")]
Rate = Annotated[str, Meta(pattern=r"^[0-9]{1,2}(\.[0-9]{1,2})?\Z")]


class TaxCategory(StrEnum):
    """What kind of tax is due, by the codes of EN 16931."""

    STANDARD = "S"
    ZERO = "Z"
    EXEMPT = "E"
    REVERSE_CHARGE = "AE"
    OUTSIDE_SCOPE = "O"


class Party(CamelStruct, forbid_unknown_fields=True):
    """Who sells or buys, as the law wants it named."""

    name: Annotated[Line, doc("Legal name.", "Corner Shop GmbH")]
    street: Annotated[Line, doc("Street and number.", "Hauptstr. 1")]
    city: Annotated[Line, doc("City.", "Berlin")]
    country: Annotated[str, doc("ISO 3166 code.", "DE", pattern=r"^[A-Z]{2}\Z")]
    postal_code: Annotated[str | None, doc("Where there is one.", "10115")] = None
    vat_id: Annotated[
        Annotated[str, Meta(pattern=r"^[A-Z]{2}[0-9A-Z]{2,13}\Z")] | None,
        doc("VAT number with its country.", "DE123456789"),
    ] = None
    registration: Annotated[
        Annotated[str, Meta(min_length=1, max_length=100)] | None,
        doc("Number in a register of companies.", "HRB 1234"),
    ] = None


class Seller(CamelStruct, forbid_unknown_fields=True):
    """Who runs the installation, and how invoices are numbered and paid."""

    party: Party
    iban: Annotated[str, Meta(pattern=r"^[A-Z]{2}[0-9]{2}[0-9A-Z]{8,30}\Z")] | None = None
    payment_days: Annotated[int, Meta(ge=0, le=365)] = 14
    invoice_prefix: Annotated[str, Meta(pattern=r"^[A-Z0-9-]{0,12}\Z")] = "INV-"
    credit_note_prefix: Annotated[str, Meta(pattern=r"^[A-Z0-9-]{0,12}\Z")] = "CN-"


class TaxTerms(CamelStruct, forbid_unknown_fields=True):
    """The tax of an account's invoices."""

    category: Annotated[
        TaxCategory,
        doc(
            "`S` standard, `Z` zero rate, `E` exempt, `AE` reverse charge, `O` outside "
            "the scope of tax."
        ),
    ]
    rate: Annotated[Rate, doc("Percent.", "19")] = "0"
    reason: Annotated[
        Annotated[str, Meta(min_length=1, max_length=200)] | None,
        doc("Why there is none.", "Reverse charge"),
    ] = None

    @property
    def hundredths(self) -> int:
        """The rate in hundredths of a percent."""
        whole, _, rest = self.rate.partition(".")
        return int(whole) * 100 + int(rest.ljust(2, "0"))


class BillingDetails(CamelStruct, forbid_unknown_fields=True):
    """Whom an account's invoices are for."""

    buyer: Annotated[Party, doc("Who pays.")]
    tax: Annotated[TaxTerms, doc("As the operator has set it.")]
    commitment: Annotated[
        Annotated[str, Meta(pattern=r"^[0-9]{1,9}(\.[0-9]{1,6})?\Z")] | None,
        doc("What a month costs at least.", "50.00"),
    ] = None


class InvoiceKind(StrEnum):
    """What a paper is."""

    INVOICE = "INVOICE"
    CREDIT_NOTE = "CREDIT_NOTE"


class InvoiceLine(CamelStruct):
    """One position."""

    item: Annotated[
        str,
        doc("A fee type, `COMMITMENT` for what a month costs at least, or `CREDIT`.", "PRECHECK"),
    ]
    count: Annotated[int, doc("How many.", 1200)]
    unit_price: Annotated[Money, doc("The price of each.")]
    amount: Annotated[Money, doc("In whole minor units; they add up to `net`.")]


class Invoice(CamelStruct, kw_only=True):
    """An invoice or credit note; never changed."""

    invoice_id: Annotated[str, doc("Its id.", "inv_01k")]
    number: Annotated[str, doc("Its number.", "INV-000001")]
    kind: Annotated[InvoiceKind, doc("What it is.")]
    month: Month
    issued_on: Annotated[date, doc("Day of issue, in UTC.")]
    due_on: Annotated[date, doc("Day until which it is to be paid.")]
    currency: Annotated[str, doc("ISO 4217 code.", "EUR")]
    seller: Annotated[Party, doc("Who sells.")]
    buyer: Annotated[Party, doc("Who buys.")]
    tax: Annotated[TaxTerms, doc("The tax of all its lines.")]
    lines: Annotated[list[InvoiceLine], doc("What was used.")]
    volume_credit: Annotated[Money, doc("What tiers take off.")]
    net: Annotated[Money, doc("Lines minus the volume credit.")]
    tax_amount: Annotated[Money, doc("Tax on `net`.")]
    total: Annotated[Money, doc("`net` and tax.")]
    paid: Annotated[Money, doc("What was paid from the balance already.")]
    due: Annotated[Money, doc("What is to be paid.")]
    carried_in: Annotated[Money, doc("Less than a minor unit that the invoice before left over.")]
    carried_out: Annotated[Money, doc("Less than a minor unit for the next one.")]
    iban: Annotated[str | None, doc("Where to pay to.")] = None
    credits: Annotated[
        str | UnsetType, doc("Number of the invoice that a credit note is about.", "INV-1")
    ] = UNSET
    reason: Annotated[str | UnsetType, doc("Why a credit note was issued.")] = UNSET
    expired_credits: Annotated[
        Money | UnsetType,
        doc(
            "What was taken back of credits that expired in the month, if any; no part "
            "of the amounts."
        ),
    ] = UNSET


class InvoiceSummary(CamelStruct):
    """An invoice in a list."""

    invoice_id: Annotated[str, doc("Its id.", "inv_01k")]
    number: Annotated[str, doc("Its number.", "INV-000001")]
    kind: Annotated[InvoiceKind, doc("What it is.")]
    month: Month
    issued_on: Annotated[date, doc("Day of issue, in UTC.")]
    total: Annotated[Money, doc("With tax.")]
    due: Annotated[Money, doc("What is to be paid.")]


class InvoiceList(CamelStruct):
    """An account's invoices."""

    invoices: Annotated[list[InvoiceSummary], doc("The newest first.")]


class UblDocument(CamelStruct):
    """An invoice as a program of the buyer reads it."""

    number: Annotated[str, doc("Its number.", "INV-000001")]
    xml: Annotated[str, doc("UBL 2.1 after EN 16931.")]


def check_terms(seller: Party, buyer: Party, tax: TaxTerms) -> None:
    """Refuse what cannot become a lawful invoice, before a number is given."""
    category, has_rate = tax.category, tax.hundredths > 0
    if (category is TaxCategory.STANDARD) != has_rate:
        raise InvalidInput(_TAX_RATE())
    explained = (TaxCategory.EXEMPT, TaxCategory.OUTSIDE_SCOPE, TaxCategory.REVERSE_CHARGE)
    if category in explained and tax.reason is None:
        raise InvalidInput(_TAX_REASON())
    if category is TaxCategory.OUTSIDE_SCOPE:
        if seller.registration is None:
            raise InvalidInput(_SELLER_REGISTRATION())
    elif seller.vat_id is None:
        raise InvalidInput(_SELLER_VAT())
    if category is TaxCategory.REVERSE_CHARGE and not (buyer.vat_id or buyer.registration):
        raise InvalidInput(_BUYER_VAT())

"""Writes an invoice as UBL 2.1 after EN 16931. The order of elements is that of the schema."""

from calendar import monthrange
from typing import Final
from xml.etree import ElementTree as ET

from msgspec import UNSET

from gatehouse.admin.invoices.types.invoice import Invoice, InvoiceKind, Party, TaxCategory
from gatehouse.core.api_values import Money
from gatehouse.core.money import format_amount

_URN: Final = "urn:oasis:names:specification:ubl:schema:xsd:"
_CBC: Final = f"{{{_URN}CommonBasicComponents-2}}"
_CAC: Final = f"{{{_URN}CommonAggregateComponents-2}}"
_SPECIFICATION: Final = "urn:cen.eu:en16931:2017"
_TRANSFER: Final = "58"
_IN_ADVANCE: Final = "97"
"""By a clearing between the parties: out of the balance."""
_VOLUME: Final = "Volume credit"
_EACH: Final = "C62"


def ubl(made: Invoice) -> str:
    """The document."""
    return _Document(made).written()


class _Document:
    def __init__(self, made: Invoice) -> None:
        self._made = made
        self._is_invoice = made.kind is InvoiceKind.INVOICE
        name = "Invoice" if self._is_invoice else "CreditNote"
        self._root = ET.Element(f"{{{_URN}{name}-2}}{name}")
        self._name = name

    def written(self) -> str:
        """As text."""
        made, root = self._made, self._root
        _text(root, "CustomizationID", _SPECIFICATION)
        _text(root, "ID", made.number)
        _text(root, "IssueDate", made.issued_on.isoformat())
        if self._is_invoice:
            _text(root, "DueDate", made.due_on.isoformat())
        _text(root, f"{self._name}TypeCode", "380" if self._is_invoice else "381")
        for note in self._notes():
            _text(root, "Note", note)
        _text(root, "DocumentCurrencyCode", made.currency)
        year, month = (int(part) for part in made.month.split("-"))
        period = ET.SubElement(root, f"{_CAC}InvoicePeriod")
        _text(period, "StartDate", f"{made.month}-01")
        _text(period, "EndDate", f"{made.month}-{monthrange(year, month)[1]}")
        if made.credits is not UNSET:
            reference = _under(root, "BillingReference", "InvoiceDocumentReference")
            _text(reference, "ID", made.credits)
        self._party("AccountingSupplierParty", made.seller)
        self._party("AccountingCustomerParty", made.buyer)
        self._payment()
        if made.volume_credit.micros:
            self._volume_credit()
        self._tax()
        self._totals()
        for number, line in enumerate(made.lines, start=1):
            self._line(str(number), line.item, line.count, (line.unit_price, line.amount))
        for prefix, name in (("", f"{self._name}-2"), ("cbc", _CBC), ("cac", _CAC)):
            ET.register_namespace(prefix, name.strip("{}") if prefix else f"{_URN}{name}")
        ET.indent(root)
        return ET.tostring(root, encoding="unicode", xml_declaration=True) + "\n"

    def _notes(self) -> list[str]:
        made = self._made
        notes = [] if made.reason is UNSET else [made.reason]
        if made.carried_in.micros or made.carried_out.micros:
            carried = [f"{format_amount(each.micros)} {made.currency}"
                       for each in (made.carried_in, made.carried_out)]  # fmt: skip
            notes.append(
                f"Rounding: {carried[0]} from the invoice before, {carried[1]} to the next"
            )
        if made.expired_credits is not UNSET:
            expired = format_amount(made.expired_credits.micros)
            notes.append(f"Credits that expired in the month: {expired} {made.currency}")
        return notes

    def _party(self, role: str, party: Party) -> None:
        inner = _under(self._root, role, "Party")
        address = ET.SubElement(inner, f"{_CAC}PostalAddress")
        _text(address, "StreetName", party.street)
        _text(address, "CityName", party.city)
        if party.postal_code is not None:
            _text(address, "PostalZone", party.postal_code)
        _text(ET.SubElement(address, f"{_CAC}Country"), "IdentificationCode", party.country)
        # Outside the scope of tax no VAT number may be named.
        if party.vat_id is not None and self._made.tax.category is not TaxCategory.OUTSIDE_SCOPE:
            scheme = ET.SubElement(inner, f"{_CAC}PartyTaxScheme")
            _text(scheme, "CompanyID", party.vat_id)
            _text(ET.SubElement(scheme, f"{_CAC}TaxScheme"), "ID", "VAT")
        legal = ET.SubElement(inner, f"{_CAC}PartyLegalEntity")
        _text(legal, "RegistrationName", party.name)
        if party.registration is not None:
            _text(legal, "CompanyID", party.registration)

    def _payment(self) -> None:
        made = self._made
        means = ET.SubElement(self._root, f"{_CAC}PaymentMeans")
        pays = made.iban is not None and made.due.micros > 0
        _text(means, "PaymentMeansCode", _TRANSFER if pays else _IN_ADVANCE)
        if pays:
            _text(means, "PaymentID", made.number)
            _text(ET.SubElement(means, f"{_CAC}PayeeFinancialAccount"), "ID", made.iban or "")

    def _volume_credit(self) -> None:
        allowance = ET.SubElement(self._root, f"{_CAC}AllowanceCharge")
        _text(allowance, "ChargeIndicator", "false")
        _text(allowance, "AllowanceChargeReason", _VOLUME)
        _amount(allowance, "Amount", self._made.volume_credit)
        self._category(allowance, "TaxCategory")

    def _tax(self) -> None:
        made = self._made
        total = ET.SubElement(self._root, f"{_CAC}TaxTotal")
        _amount(total, "TaxAmount", made.tax_amount)
        part = ET.SubElement(total, f"{_CAC}TaxSubtotal")
        _amount(part, "TaxableAmount", made.net)
        _amount(part, "TaxAmount", made.tax_amount)
        self._category(part, "TaxCategory", explained=True)

    def _totals(self) -> None:
        made = self._made
        totals = ET.SubElement(self._root, f"{_CAC}LegalMonetaryTotal")
        lines = made.net.micros + made.volume_credit.micros
        _amount(totals, "LineExtensionAmount", made.net, lines)
        _amount(totals, "TaxExclusiveAmount", made.net)
        _amount(totals, "TaxInclusiveAmount", made.total)
        if made.volume_credit.micros:
            _amount(totals, "AllowanceTotalAmount", made.volume_credit)
        if made.paid.micros:
            _amount(totals, "PrepaidAmount", made.paid)
        _amount(totals, "PayableAmount", made.due)

    def _line(self, number: str, item: str, count: int, amounts: tuple[Money, Money]) -> None:
        line = ET.SubElement(self._root, f"{_CAC}{self._name}Line")
        _text(line, "ID", number)
        quantity = "InvoicedQuantity" if self._is_invoice else "CreditedQuantity"
        _text(line, quantity, str(count), unitCode=_EACH)
        price, amount = amounts
        _amount(line, "LineExtensionAmount", amount)
        named = ET.SubElement(line, f"{_CAC}Item")
        _text(named, "Name", item)
        self._category(named, "ClassifiedTaxCategory")
        _amount(ET.SubElement(line, f"{_CAC}Price"), "PriceAmount", price)

    def _category(self, inside: ET.Element, name: str, *, explained: bool = False) -> None:
        tax = self._made.tax
        category = ET.SubElement(inside, f"{_CAC}{name}")
        _text(category, "ID", tax.category)
        if tax.category is not TaxCategory.OUTSIDE_SCOPE:
            _text(category, "Percent", tax.rate)
        if explained and tax.reason is not None:
            if tax.category is TaxCategory.REVERSE_CHARGE:
                _text(category, "TaxExemptionReasonCode", "VATEX-EU-AE")
            _text(category, "TaxExemptionReason", tax.reason)
        _text(ET.SubElement(category, f"{_CAC}TaxScheme"), "ID", "VAT")


def _under(inside: ET.Element, *names: str) -> ET.Element:
    for name in names:
        inside = ET.SubElement(inside, f"{_CAC}{name}")
    return inside


def _text(inside: ET.Element, name: str, text: str, **attributes: str) -> None:
    ET.SubElement(inside, f"{_CBC}{name}", attributes).text = text


def _amount(inside: ET.Element, name: str, amount: Money, micros: int | None = None) -> None:
    shown = format_amount(amount.micros if micros is None else micros)
    _text(inside, name, shown, currencyID=amount.currency)

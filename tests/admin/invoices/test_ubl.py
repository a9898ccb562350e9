"""Electronic invoices keep the rules of EN 16931, and are valid by the schema of UBL 2.1."""

import os
import subprocess
import sys
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any, Final
from xml.etree import ElementTree as ET

import msgspec
import pytest

from gatehouse.admin.invoices.types.invoice import (
    Invoice,
    InvoiceKind,
    InvoiceLine,
    TaxCategory,
    TaxTerms,
)
from gatehouse.admin.invoices.types.making import tax_on
from gatehouse.admin.invoices.types.ubl import ubl
from gatehouse.core.api_values import money
from tests.admin.invoices.test_closing import BUYER, SELLER
from tests.docs.pages import ROOT
from tests.installed_programs import built, run

_LOCK: Final = ROOT / "requirements/invoices.lock"
_URN: Final = "urn:oasis:names:specification:ubl:schema:xsd:"
_NAMES: Final = {
    "a": f"{_URN}CommonAggregateComponents-2",
    "b": f"{_URN}CommonBasicComponents-2",
}
_NAME: Final = 'Müller & Söhne <Handel> "Ost" ' + "x" * 60
TAXES: Final = (
    TaxTerms(TaxCategory.STANDARD, "19"),
    TaxTerms(TaxCategory.STANDARD, "8.25"),
    TaxTerms(TaxCategory.ZERO),
    TaxTerms(TaxCategory.EXEMPT, reason="Exempt"),
    TaxTerms(TaxCategory.REVERSE_CHARGE, reason="Reverse charge"),
    TaxTerms(TaxCategory.OUTSIDE_SCOPE, reason="Third country"),
)


def _made(kind: InvoiceKind, tax: TaxTerms, *, volume: int = 0, paid: bool = True) -> Invoice:
    def eur(micros: int) -> Any:
        return money("EUR", micros)

    net = 10_000_000 - volume
    added = tax_on(net, tax.hundredths, 10_000)
    made = Invoice(
        invoice_id="inv_1",
        number="INV-000002",
        kind=kind,
        month="2028-02",
        issued_on=date(2028, 3, 1),
        due_on=date(2028, 3, 15),
        currency="EUR",
        seller=SELLER.party,
        buyer=msgspec.structs.replace(BUYER, name=_NAME, postal_code=None),
        tax=tax,
        lines=[
            InvoiceLine("PRECHECK", 200, eur(42_500), eur(8_500_000)),
            InvoiceLine("COMMITMENT", 1, eur(1_500_000), eur(1_500_000)),
        ],
        volume_credit=eur(volume),
        net=eur(net),
        tax_amount=eur(added),
        total=eur(net + added),
        paid=eur(net + added if paid else 0),
        due=eur(0 if paid else net + added),
        carried_in=eur(5_600),
        carried_out=eur(0),
        iban=SELLER.iban,
    )
    if kind is InvoiceKind.INVOICE:
        return made
    return msgspec.structs.replace(made, credits="INV-000001", reason="agreed")


EXAMPLES: Final = [
    _made(kind, tax, volume=volume, paid=paid)
    for kind in InvoiceKind
    for tax in TAXES
    for volume in ((0, 1_234_500 // 10_000 * 10_000) if kind is InvoiceKind.INVOICE else (0,))
    for paid in (True, False)
]


def _amount(root: ET.Element, path: str) -> Decimal:
    return Decimal(root.findtext(path, "0", _NAMES))


@pytest.mark.parametrize("made", EXAMPLES, ids=lambda made: f"{made.kind}-{made.tax.category}")
def test_the_rules_of_the_standard_hold(made: Invoice) -> None:
    root = ET.fromstring(ubl(made))
    name = root.tag.rpartition("}")[2]
    # BR-01 to BR-16: what every invoice has.
    for path in (
        *("b:CustomizationID", "b:ID", "b:IssueDate", f"b:{name}TypeCode"),
        *("b:DocumentCurrencyCode", f"a:{name}Line", "a:TaxTotal/b:TaxAmount"),
        *(
            f"a:Accounting{side}Party/a:Party/{part}"
            for side in ("Supplier", "Customer")
            for part in (
                "a:PartyLegalEntity/b:RegistrationName",
                "a:PostalAddress/a:Country/b:IdentificationCode",
            )
        ),
    ):
        assert root.findtext(path, None, _NAMES) is not None, path
    assert root.findtext("a:InvoicePeriod/b:EndDate", None, _NAMES) == "2028-02-29"
    totals = "a:LegalMonetaryTotal/b:"
    lines = root.findall(f"a:{name}Line", _NAMES)
    # BR-CO-10: the sum of the lines.
    whole = sum(_amount(line, "b:LineExtensionAmount") for line in lines)
    assert _amount(root, f"{totals}LineExtensionAmount") == whole
    # BR-CO-11 and 13: allowances, and the total without tax.
    allowances = sum(
        _amount(each, "b:Amount") for each in root.findall("a:AllowanceCharge", _NAMES)
    )
    assert _amount(root, f"{totals}AllowanceTotalAmount") == allowances
    net = _amount(root, f"{totals}TaxExclusiveAmount")
    assert net == whole - allowances
    # BR-CO-14 to 17: tax, and the total with it.
    tax = _amount(root, "a:TaxTotal/b:TaxAmount")
    assert tax == _amount(root, "a:TaxTotal/a:TaxSubtotal/b:TaxAmount")
    assert abs(tax - net * Decimal(made.tax.rate) / 100) <= Decimal("0.005")
    gross = _amount(root, f"{totals}TaxInclusiveAmount")
    assert gross == net + tax
    assert _amount(root, f"{totals}PayableAmount") == gross - _amount(
        root, f"{totals}PrepaidAmount"
    )
    # BR-DEC: at most two decimals, but for prices.
    for each in root.iter():
        if "currencyID" in each.attrib and not each.tag.endswith("PriceAmount"):
            assert Decimal(each.text or "").as_tuple().exponent >= -2  # type: ignore[operator]
    category = "a:TaxTotal/a:TaxSubtotal/a:TaxCategory/b:"
    assert root.findtext(f"{category}ID", None, _NAMES) == made.tax.category
    explained = root.findtext(f"{category}TaxExemptionReason", None, _NAMES)
    # BR-AE-10, BR-E-10, BR-O-10: a reason; BR-S-10, BR-Z-10: none.
    assert explained == made.tax.reason
    numbers = root.findall(".//a:PartyTaxScheme/b:CompanyID", _NAMES)
    # BR-O-02: no VAT numbers outside the scope.
    assert len(numbers) == (0 if made.tax.category is TaxCategory.OUTSIDE_SCOPE else 2)
    legal = "a:AccountingCustomerParty/a:Party/a:PartyLegalEntity/b:RegistrationName"
    assert root.findtext(legal, None, _NAMES) == _NAME


@pytest.fixture(scope="session")
def packages() -> Path:
    """The folder of the schemas, and of what validates with them."""
    with built("invoices", _LOCK.read_bytes()) as (wanted, filled):
        if not filled:
            install = "install --no-compile --quiet --disable-pip-version-check --no-deps"
            words = [*install.split(), "--require-hashes", "--target", str(wanted / "packages")]
            run([sys.executable, "-m", "pip", *words, "-r", _LOCK], wanted)
    return wanted / "packages"


def test_documents_are_valid_by_the_schema_and_a_wrong_one_is_not(
    packages: Path, tmp_path: Path
) -> None:
    program = Path(__file__).with_name("validate_ubl.py")
    folder = packages / "odoo/addons/base_ubl/data/xsd-2.1/maindoc"

    def validated(name: str, *files: Path) -> subprocess.CompletedProcess[str]:
        schema = folder / f"UBL-{name}-2.1.xsd"
        command = list(map(str, (sys.executable, program, schema, *files)))
        around = {**os.environ, "PYTHONPATH": str(packages)}
        return subprocess.run(command, env=around, capture_output=True, text=True, check=False)

    for kind, name in ((InvoiceKind.INVOICE, "Invoice"), (InvoiceKind.CREDIT_NOTE, "CreditNote")):
        files = []
        for number, made in enumerate(each for each in EXAMPLES if each.kind is kind):
            files.append(tmp_path / f"{name}{number}.xml")
            files[-1].write_text(ubl(made), encoding="utf-8")
        assert len(files) >= 12
        done = validated(name, *files)
        assert done.returncode == 0, done.stderr
    wrong = tmp_path / "wrong.xml"
    wrong.write_text(files[0].read_text(encoding="utf-8").replace("cbc:Note", "cbc:Nota"))
    assert "Nota" in validated(name, wrong).stderr

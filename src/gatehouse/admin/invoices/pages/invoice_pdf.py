"""An invoice as a PDF, in the words of the person who asks for it."""

from gatehouse.admin.invoices.types.invoice import Invoice, InvoiceLine, Party
from gatehouse.billing.statement import Period
from gatehouse.console.visit import Visit
from gatehouse.core.api_values import Money
from gatehouse.core.files.paper import Paper


def invoice_pdf(visit: Visit, made: Invoice) -> bytes:
    """The file."""
    at_ms = Period(made.issued_on, made.issued_on).start_ms
    title = f"{visit.text('invoices.kinds.' + made.kind)} {made.number}"
    paper = Paper(title, at_ms)

    def word(name: str) -> str:
        return visit.text(f"invoices.{name}")

    def amount(of: Money) -> str:
        return visit.money(of.micros, made.currency)

    paper.section(
        "",
        [
            (word("issued"), visit.formats.day(made.issued_on)),
            (word("due_on"), visit.formats.day(made.due_on) if made.due.micros else None),
            (word("month"), made.month),
            (word("credits"), made.credits or None),
            (word("reason"), made.reason or None),
        ],
    )
    paper.section(word("seller"), _party(visit, made.seller))
    paper.section(word("buyer"), _party(visit, made.buyer))
    headings = [word(name) for name in ("item", "count", "unit_price", "amount")]
    rows = [
        [
            item_name(visit, line),
            visit.number(line.count),
            amount(line.unit_price),
            amount(line.amount),
        ]
        for line in made.lines
    ]
    paper.sheet(word("lines"), headings, rows)
    tax = f"{visit.text('invoices.tax.' + made.tax.category)} {made.tax.rate} %"
    paper.section(
        word("sums"),
        [
            (
                word("volume_credit"),
                amount(made.volume_credit) if made.volume_credit.micros else None,
            ),
            (word("net"), amount(made.net)),
            (tax, amount(made.tax_amount)),
            (word("tax_reason"), made.tax.reason),
            (word("total"), amount(made.total)),
            (word("paid"), amount(made.paid) if made.paid.micros else None),
            (word("due"), amount(made.due)),
            ("IBAN", made.iban if made.due.micros else None),
            (word("carried_in"), amount(made.carried_in) if made.carried_in.micros else None),
            (word("carried_out"), amount(made.carried_out) if made.carried_out.micros else None),
            (
                word("expired_credits"),
                amount(made.expired_credits) if made.expired_credits else None,
            ),
        ],
    )
    return bytes(paper.output())


def item_name(visit: Visit, line: InvoiceLine) -> str:
    """What a line is about, in the person's language."""
    own = {"COMMITMENT": "invoices.items.commitment", "CREDIT": "invoices.items.credit"}
    return visit.text(own[line.item]) if line.item in own else visit.function(line.item)


def _party(visit: Visit, party: Party) -> list[tuple[str, object]]:
    place = " ".join(filter(None, (party.country, party.postal_code, party.city)))
    return [
        (visit.text("invoices.name"), party.name),
        (visit.text("invoices.address"), f"{party.street}, {place}"),
        (visit.text("invoices.vat_id"), party.vat_id),
        (visit.text("invoices.registration"), party.registration),
    ]

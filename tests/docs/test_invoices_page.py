"""docs/invoices.md is run as a finance person would run it."""

from pathlib import Path

from gatehouse.admin.invoices.types.invoice import TaxCategory
from tests.docs.pages import ROOT, steps
from tests.docs.walk import check_steps
from tests.harness import Server

_PAGE = (ROOT / "docs/invoices.md").read_text()


def test_the_commands_print_what_the_page_shows(checkout_at: tuple[Path, Server]) -> None:
    walk = list(steps(_PAGE))
    assert len(walk) >= 7
    check_steps(walk, *checkout_at, with_errors=True)


def test_every_kind_of_tax_is_explained() -> None:
    assert all(f"| `{each}` |" in _PAGE for each in TaxCategory)

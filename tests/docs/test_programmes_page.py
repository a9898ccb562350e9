"""docs/programmes.md is run as an operator would run it, and its figures are those of the table."""

from pathlib import Path

from gatehouse.admin.programmes.types.thresholds import read_table
from gatehouse.admin.programmes.use_cases.tables import shipped_table
from tests.admin.programmes.test_meter import SMALL
from tests.docs.pages import ROOT, steps
from tests.docs.walk import check_steps
from tests.harness import Server

_PAGE = (ROOT / "docs/programmes.md").read_text()


def test_the_commands_print_what_the_page_shows(checkout_at: tuple[Path, Server]) -> None:
    walk = list(steps(_PAGE))
    assert len(walk) == 5
    check_steps(walk, *checkout_at, with_errors=True)


def test_the_page_names_every_programme_and_the_limits_of_enumeration() -> None:
    table = shipped_table()
    for each in table.programmes:
        assert f"`{each.name}`" in _PAGE
    limit = table.enumeration
    assert f"from {limit.basis_points:,} basis points" in _PAGE
    assert f"and {limit.events:,} in a month" in _PAGE
    assert f"bursts of {limit.burst_cards} or more cards" in _PAGE


def test_the_rate_of_the_page_can_be_used() -> None:
    rate = _PAGE.partition("```toml\n")[2].partition("```")[0]
    assert read_table(SMALL + rate).rates[0].currency == "GBP"

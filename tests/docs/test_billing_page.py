"""docs/billing.md is run as a finance person would run it, and its limits are those of the code."""

from pathlib import Path

from gatehouse.admin.money.queries.statements import MOST_MOVEMENTS
from gatehouse.billing.statement import MOST_DAYS
from tests.docs.pages import ROOT, steps
from tests.docs.walk import check_steps
from tests.harness import Server

_PAGE = (ROOT / "docs/billing.md").read_text()


def test_the_commands_print_what_the_page_shows(checkout_at: tuple[Path, Server]) -> None:
    walk = list(steps(_PAGE))
    assert len(walk) >= 13
    check_steps(walk, *checkout_at, with_errors=True)


def test_the_limits_are_those_of_the_code() -> None:
    guide = (ROOT / "docs/api.md").read_text()
    for page in (_PAGE, guide):
        assert f"At most {MOST_DAYS} days" in page
        assert f"{MOST_MOVEMENTS:,} top-ups and adjustments" in page

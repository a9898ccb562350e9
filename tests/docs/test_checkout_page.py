"""docs/checkout-to-chargeback.md is run as a reader would run it."""

from pathlib import Path

from tests.docs.pages import ROOT, steps
from tests.docs.walk import check_steps
from tests.harness import Server

_PAGE = (ROOT / "docs/checkout-to-chargeback.md").read_text()


def test_the_way_of_an_order_prints_what_the_page_shows(checkout_at: tuple[Path, Server]) -> None:
    way = list(steps(_PAGE))
    assert len(way) >= 8
    check_steps(way, *checkout_at, with_errors=False)


def test_the_page_leads_to_the_guide_of_every_step() -> None:
    for guide in ("collector", "pipelines", "console", "events", "webhooks", "learning"):
        assert f"]({guide}.md" in _PAGE

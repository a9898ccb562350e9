"""The page about disputes is run from beginning to end, and must print what it shows."""

import json
from pathlib import Path

import msgspec
import pytest

from gatehouse.admin.evidence.types.compelling import EARLIEST_DAYS, LATEST_DAYS
from gatehouse.admin.evidence.types.desk import LONGEST_COMMENT
from gatehouse.admin.evidence.use_cases.evidence import get_evidence
from gatehouse.admin.evidence.use_cases.finding import MOST_EARLIER
from gatehouse.core.files.attachments import MOST_FILE_BYTES, MOST_FILES
from gatehouse.decisions.order_envelope import KEPT_DAYS
from gatehouse.store.admin.admin_session import AdminSession
from tests.admin.evidence.test_evidence import Shop
from tests.docs.pages import ROOT, blocks, steps
from tests.docs.walk import check_steps
from tests.harness import Server

_PAGE = (ROOT / "docs/disputes.md").read_text()


def test_the_page_prints_what_it_shows(checkout_at: tuple[Path, Server]) -> None:
    walk = list(steps(_PAGE))
    assert len(walk) == 5
    check_steps(walk, *checkout_at, with_errors=True)


def test_the_packet_is_one_that_is_made(session: AdminSession) -> None:
    shop = Shop(session)
    disputed, *_ = shop.pair()
    shop.keep(
        disputed,
        email="amelia@example.com",
        product="Shoes",
        shipping={"line1": "1 Main St", "city": "Springfield"},
    )
    found = get_evidence(session, shop.account, disputed).packet
    [shown] = [block for block in blocks(_PAGE) if block.kind == "json"]
    assert json.loads(shown.text) == msgspec.to_builtins(found)


@pytest.mark.parametrize(
    "told",
    [
        f"{LATEST_DAYS} to {EARLIEST_DAYS} days before the disputed one",
        f"readable for {KEPT_DAYS} days",
        f"| a file | {MOST_FILE_BYTES // 1024 // 1024} MiB |",
        f"| files of a dispute | {MOST_FILES} |",
        f"compared | {MOST_EARLIER}, the newest",
        f"| a comment | {LONGEST_COMMENT:,} characters |",
    ],
)
def test_the_figures_are_those_of_the_code(told: str) -> None:
    assert told in _PAGE

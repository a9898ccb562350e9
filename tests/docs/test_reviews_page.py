"""The page about reviews is run from beginning to end, and must print what it shows."""

from pathlib import Path

import pytest

from gatehouse.admin.reviews.types import (
    LONGEST_NAME,
    LONGEST_NOTE,
    LONGEST_REASON,
    MOST_AT_ONCE,
)
from gatehouse.admin.workload.use_cases import review_bulk
from gatehouse.store.decisions.review_events import MOST_OF_A_KIND
from tests.docs.pages import ROOT, steps
from tests.docs.walk import check_steps
from tests.harness import Server

_PAGE = (ROOT / "docs/reviews.md").read_text()


def test_the_page_prints_what_it_shows(checkout_at: tuple[Path, Server]) -> None:
    walk = list(steps(_PAGE))
    assert len(walk) >= 10
    check_steps(walk, *checkout_at, with_errors=True)


@pytest.mark.parametrize(
    "told",
    [
        f"| a reason | {LONGEST_REASON} characters |",
        f"| a note | {LONGEST_NOTE} characters |",
        f"| notes, assignments and corrections of one review | {MOST_OF_A_KIND} each |",
        f"| reviews resolved by one command | {review_bulk.MOST_AT_ONCE} |",
        f"| reviews resolved by one call of the API | {MOST_AT_ONCE} |",
        f"compared with | {review_bulk.MOST_EXAMINED:,}, the oldest |",
        f"up to {LONGEST_NAME} characters",
    ],
)
def test_the_limits_are_those_of_the_code(told: str) -> None:
    assert told in _PAGE

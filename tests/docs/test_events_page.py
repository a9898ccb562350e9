"""docs/events.md is run as a developer would run it, and its table is that of the code."""

import re
from pathlib import Path

from gatehouse.admin.events.queries.watching import MOST_OF_ACCOUNT
from gatehouse.admin.events.routes import LONGEST_WAIT_S
from gatehouse.admin.webhooks.use_cases.messages import TEST_TYPE
from gatehouse.api.openapi.event_schemas import DATA
from gatehouse.core.events import MEANINGS
from gatehouse.settings.settings import Settings
from tests.docs.pages import ROOT, steps
from tests.docs.walk import check_steps
from tests.harness import Server

_PAGE = (ROOT / "docs/events.md").read_text()


def test_the_commands_print_what_the_page_shows(checkout_at: tuple[Path, Server]) -> None:
    walk = list(steps(_PAGE))
    assert len(walk) == 5
    check_steps(walk, *checkout_at, with_errors=True)


def test_what_each_type_says_is_what_the_description_says() -> None:
    rows = [line.split(" | ") for line in _PAGE.splitlines() if line.startswith("| `")]
    told = {kind.strip("| `"): re.sub(r"\(.*?\)", "", said) for kind, _, said in rows}
    fields = {kind: set(re.findall(r"`(\w+)`", said)) for kind, said in told.items()}
    known = {kind: {*said} for kind, said in DATA.items()}
    assert {*known.pop(TEST_TYPE)} == {"webhookId"}
    counts = known["import.finished"] - {"importId", "kind"}
    assert all(f"`{each}`" in _PAGE for each in counts)
    fields["import.finished"] = known["import.finished"]
    assert fields == known


def test_the_types_and_limits_are_those_of_the_code() -> None:
    told = [line.split(" | ")[:2] for line in _PAGE.splitlines() if line.startswith("| `")]
    assert told == [[f"| `{name}`", meaning] for name, meaning in MEANINGS.items()]
    assert f"{LONGEST_WAIT_S} at most" in _PAGE
    assert f"An account may have {MOST_OF_ACCOUNT} callers" in _PAGE
    assert f"by default {Settings().events_days}" in _PAGE

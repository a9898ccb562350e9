"""docs/pipelines.md is run as a reader would run it, and what it says of defaults is so."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from gatehouse.core.documents.reading import LARGEST_DOCUMENT
from gatehouse.core.stages.outcomes import DecisionReason, OnFailure
from gatehouse.core.stages.registry import REGISTRY
from gatehouse.gateway.response import GatewayStatus
from gatehouse.pipeline.authoring import _KEYS, _STAGE_KEYS, MOST_STAGES
from gatehouse.store.configured.configurations import MOST_NAMES
from gatehouse.store.requests.asking_gateway import MOST_ATTEMPTS
from gatehouse.store.requests.intents import IntentState
from tests.docs.pages import ROOT, steps
from tests.docs.walk import check_steps, checkout
from tests.harness import Server

_PAGE = (ROOT / "docs/pipelines.md").read_text()


@pytest.fixture
def checkout_at(tmp_path: Path) -> Iterator[tuple[Path, Server]]:
    """As elsewhere, but nobody waits ten seconds for a gateway that never answers."""
    with checkout(tmp_path, GATEHOUSE_GATEWAY_TIMEOUT_MS="300") as server:
        yield tmp_path, server


def test_the_commands_print_what_the_page_shows(checkout_at: tuple[Path, Server]) -> None:
    walk = list(steps(_PAGE))
    assert len(walk) >= 15
    check_steps(walk, *checkout_at, with_errors=True)


@pytest.mark.parametrize("stage", REGISTRY.names)
def test_the_defaults_of_a_stage_are_those_of_the_code(stage: str) -> None:
    stop = REGISTRY[stage].stop_when
    told = _row("`stop_when`")
    assert (f"{stage}: `{stop}`" in told) if stop else (f"{stage}:" not in told)
    failing = {spec.name for spec in REGISTRY if spec.on_failure is OnFailure.STOP}
    assert f"| {', '.join(sorted(failing, reverse=True))}: `STOP`; others: `CONTINUE` |" in _PAGE
    assert f"`{stage}`" in _row("`stage`")


def test_every_key_of_a_definition_is_explained() -> None:
    keys = {name.strip("`") for name in re.findall(r"^\| (`[a-z_]+`) \|", _PAGE, re.MULTILINE)}
    assert {"pipeline", "stages", "decided_by", "rule_set", "skip_when"} <= keys
    assert keys == {*_KEYS, *_STAGE_KEYS}


def test_every_state_of_a_payment_every_way_to_fail_and_every_reason_is_explained() -> None:
    words = [*IntentState, *OnFailure, *GatewayStatus, *DecisionReason]
    assert all(f"\n| `{word.value}` | " in _PAGE for word in words)


def test_the_limits_are_those_of_the_code() -> None:
    assert f"{MOST_NAMES} pipelines, each with up to {MOST_STAGES} stages" in _PAGE
    assert f"a file of up to {LARGEST_DOCUMENT // 1024} KiB" in _PAGE
    assert f"{MOST_ATTEMPTS} attempts failed, over about a day." in _PAGE


def _row(key: str) -> str:
    """The row of the table that explains a key."""
    rows = [line for line in _PAGE.splitlines() if line.startswith(f"| {key} |")]
    assert len(rows) == 1
    return rows[0]

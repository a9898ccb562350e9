"""The page about providers: its configurations can be applied, and it names every mapping."""

import re
from pathlib import Path

import pytest

from gatehouse.connectors.http.options import HttpDefinition, shipped_mappings
from gatehouse.connectors.reading import read_configuration
from tests.docs.pages import ROOT, blocks

PAGE = (ROOT / "docs" / "providers.md").read_text()
CONFIGURATIONS = [block.text for block in blocks(PAGE) if block.text.startswith("connectors:")]


def _no_file(name: str) -> bytes:
    raise AssertionError(f"{name} is not needed: the mapping ships")


@pytest.mark.parametrize("text", CONFIGURATIONS, ids=lambda text: text.split()[1])
def test_every_configuration_can_be_applied(text: str) -> None:
    [name] = re.findall(r"^  (\w+):$", text, re.MULTILINE)
    read = read_configuration(f"{text}routes: {{precheck: [{{use: [{name}]}}]}}".encode(), _no_file)
    made = read.configuration.connectors[name]
    assert isinstance(made, HttpDefinition)
    assert made.unfit_for_production() == ()
    row = re.search(rf"^\| `{made.mapping.mapping}` \|.*\| (yes|no)\b[^|]*\|$", PAGE, re.MULTILINE)
    assert row is not None
    offered = ("precheck", "idverify") + (("gateway",) if row[1] == "yes" else ())
    assert made.functions() == offered


def test_every_mapping_of_a_provider_is_on_the_page() -> None:
    named = set(re.findall(r"^    mapping: (\S+)$", PAGE, re.MULTILINE))
    assert named == set(shipped_mappings()) - {"gatehouse"}


def test_the_page_names_the_test_that_there_is() -> None:
    [path] = re.findall(r"pytest (tests/\S+\.py)", PAGE)
    assert Path(ROOT / path).exists()

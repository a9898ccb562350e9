"""docs/connectors.md is followed as an operator would, against the reference host on free ports."""

import re
from pathlib import Path

import pytest

from gatehouse.connectors.kinds import KINDS
from gatehouse.connectors.reading import (
    MOST_CONNECTORS,
    MOST_ROUTES,
    MOST_VALUES,
    read_configuration,
)
from gatehouse.core.documents.reading import LARGEST_DOCUMENT
from tests.connectors.test_reading import no_file
from tests.docs.pages import ROOT, blocks, steps
from tests.docs.walk import check_on_ports

_PAGE = (ROOT / "docs/connectors.md").read_text()


def test_an_operator_gets_from_credentials_to_a_first_check(
    tmp_path: Path, ports: dict[str, str]
) -> None:
    walk = [*steps(_PAGE)]
    assert len(walk) >= 14
    check_on_ports(walk, tmp_path, ports)


def test_the_sample_of_the_file_can_be_applied() -> None:
    (sample,) = [block.text for block in blocks(_PAGE) if block.kind == "yaml"]
    assert read_configuration(sample.encode(), no_file).warnings == []


@pytest.mark.parametrize("kind", ["http", "iso8583"])
def test_every_key_of_a_kind_is_told(kind: str) -> None:
    known = set(KINDS[kind]().definition.__struct_fields__)
    told = set(re.findall(r"^\| `([a-z0-9_]+)` \|", _PAGE, re.MULTILINE))
    assert known <= told


def test_the_limits_are_those_of_the_code() -> None:
    assert f"| connectors | {MOST_CONNECTORS} |" in _PAGE
    assert f"| routes of a function | {MOST_ROUTES} |" in _PAGE
    assert f"| values of a key of a route | {MOST_VALUES:,} |" in _PAGE
    assert f"| size of a file | {LARGEST_DOCUMENT // 1024} KiB |" in _PAGE

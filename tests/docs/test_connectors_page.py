"""docs/connectors.md is followed as an operator would, against the reference host on free ports."""

import contextlib
import os
import re
import signal
from collections.abc import Iterator
from dataclasses import replace
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
from tests.docs.walk import check_in_shell
from tests.forkserver import fork_server
from tests.harness import Home, free_port

_PAGE = (ROOT / "docs/connectors.md").read_text()
_WRAPPER = """#!/bin/sh
case $1 in
reference-host) shift; set -- reference-host --iso8583-port {iso8583} --http-port {http} "$@";;
serve) ;;
*) exec {launcher} "$@";;
esac
{launcher} "$@" &
echo $! >> {pids}
wait
"""


@pytest.fixture
def ports(tmp_path: Path) -> Iterator[dict[str, str]]:
    """The command on free ports of this machine; what it left running ends with the test."""
    found = {name: str(free_port()) for name in ("9583", "9584", "8080")}
    pids = tmp_path / "pids"
    command = tmp_path / "bin/gatehouse"
    command.parent.mkdir()
    command.write_text(
        _WRAPPER.format(
            iso8583=found["9583"], http=found["9584"], launcher=fork_server().launcher, pids=pids
        )
    )
    command.chmod(0o755)
    try:
        yield found
    finally:
        for pid in pids.read_text().split() if pids.exists() else ():
            with contextlib.suppress(ProcessLookupError):
                # The launcher hands this signal on; killed, it would leave its fork running.
                os.kill(int(pid), signal.SIGTERM)


def test_an_operator_gets_from_credentials_to_a_first_check(
    tmp_path: Path, ports: dict[str, str]
) -> None:
    home = Home(tmp_path / ".gatehouse").migrated()
    command = tmp_path / "bin/gatehouse"

    def here(text: str) -> str:
        for port, own in ports.items():
            text = text.replace(f"127.0.0.1:{port}", f"127.0.0.1:{own}")
            text = text.replace(f"--port {port}", f"--port {own}")
        return re.sub(r"\bgatehouse (?=connectors|reference-host|serve)", f"{command} ", text)

    walk = [replace(step, command=here(step.command)) for step in steps(_PAGE)]
    assert len(walk) >= 14
    check_in_shell(walk, tmp_path, home.environ(), with_errors=True)


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

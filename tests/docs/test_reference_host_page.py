"""docs/reference-host.md is run as a reader would run it, with a host on ports of its own."""

import contextlib
import os
import re
import signal
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from gatehouse.connectors.reference_host.misbehaviour import HostFate
from tests.docs.pages import ROOT, steps
from tests.docs.walk import check_in_shell
from tests.forkserver import fork_server
from tests.harness import free_port

_PAGE = (ROOT / "docs/reference-host.md").read_text()
_WRAPPER = """#!/bin/sh
echo $$ >> {pids}
exec {launcher} "$@" --iso8583-port {iso8583} --http-port {http}
"""


@pytest.fixture
def command(tmp_path: Path) -> Iterator[tuple[Path, int, int]]:
    """The command with two free ports; hosts end with the test."""
    place, pids, ports = tmp_path / "gatehouse", tmp_path / "pids", (free_port(), free_port())
    place.write_text(
        _WRAPPER.format(pids=pids, launcher=fork_server().launcher, iso8583=ports[0], http=ports[1])
    )
    place.chmod(0o755)
    try:
        yield place, *ports
    finally:
        for pid in pids.read_text().split() if pids.exists() else ():
            with contextlib.suppress(ProcessLookupError):
                os.kill(int(pid), signal.SIGTERM)


def test_the_commands_print_what_the_page_shows(
    tmp_path: Path, command: tuple[Path, int, int]
) -> None:
    place, iso8583, http = command

    def here(text: str) -> str:
        text = text.replace("127.0.0.1:9584", f"127.0.0.1:{http}")
        text = text.replace("127.0.0.1:9583", f"127.0.0.1:{iso8583}")
        return text.replace("gatehouse reference-host", f"{place} reference-host")

    walk = [
        replace(
            step,
            command=here(step.command),
            shown=tuple(replace(block, text=here(block.text)) for block in step.shown),
        )
        for step in steps(_PAGE)
    ]
    assert len(walk) >= 9
    check_in_shell(walk, tmp_path, dict(os.environ), with_errors=True)


def test_every_fate_is_told() -> None:
    table = _PAGE.partition("<!-- examples: fates -->")[2].partition("<!-- end of fates -->")[0]
    assert re.findall(r"^\| `([a-z-]+)`", table, re.MULTILINE) == [fate.value for fate in HostFate]

"""A folder in which the commands of a page can be run."""

import contextlib
import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.docs.processor import Processor, running_processor
from tests.docs.walk import checkout
from tests.forkserver import fork_server
from tests.harness import Server, free_port

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
def checkout_at(tmp_path: Path) -> Iterator[tuple[Path, Server]]:
    """A folder that looks like a checkout after `make run`, with its server."""
    with checkout(tmp_path) as server:
        yield tmp_path, server


@pytest.fixture
def processor() -> Iterator[Processor]:
    """A payment processor on this machine."""
    with running_processor() as server:
        yield server


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

"""A supervisor outlives what the machine refuses it, and keeps the workers that it has."""

import errno
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.harness.waiting import PATIENCE_S, until

SUPERVISOR = """
import errno, json, logging, os, subprocess, sys
from gatehouse.api.serving import supervisor

left = {2: json.loads(sys.argv[1])}
start = subprocess.Popen

def refusing(command, **others):
    number = int(command[-1])
    if left.get(number):
        refused = left[number].pop(0)
        raise OSError(refused, os.strerror(refused))
    return start(command, **others)

supervisor.subprocess.Popen = refusing
logging.basicConfig(level="INFO", stream=sys.stdout, format="%(message)s %(number)s")
worker = [sys.executable, "-c", "import sys; sys.stdin.read()"]
plan = supervisor.WorkerPlan(2, lambda number: [*worker, str(number)], dict(os.environ))
sys.exit(supervisor.Supervisor(plan).run())
"""


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "log"


@pytest.fixture
def supervised(log: Path) -> Iterator["subprocess.Popen[bytes]"]:
    """A supervisor of two workers, the second of which cannot be started at first."""
    refusals = json.dumps([errno.EAGAIN, errno.ENOMEM])
    with log.open("wb") as file:
        command = [sys.executable, "-u", "-c", SUPERVISOR, refusals]
        process = subprocess.Popen(command, stdout=file, stderr=file)
    yield process
    process.kill()
    process.wait(PATIENCE_S)


def test_a_worker_that_cannot_be_started_is_tried_again_while_the_other_goes_on(
    supervised: "subprocess.Popen[bytes]", log: Path
) -> None:
    said = until(
        lambda: log.read_text().splitlines(),
        lambda lines: "a worker starts 2" in lines or supervised.poll() is not None,
    )
    assert said == [
        "a worker starts 1",
        "a worker could not be started 2",
        "a worker could not be started 2",
        "a worker starts 2",
    ]
    supervised.terminate()
    assert supervised.wait(PATIENCE_S) == 0
    assert not re.search("ended|Traceback", log.read_text())

"""A process that is told to end exits, so that it clears away what it has made."""

import os
import signal
from collections.abc import Iterator

import pytest

from gatehouse.core.ending import exit_on_signal


@pytest.fixture(autouse=True)
def _as_before() -> Iterator[None]:
    before = signal.getsignal(signal.SIGHUP)
    yield
    signal.signal(signal.SIGHUP, before)


def test_a_signal_becomes_an_exit_while_the_work_lasts() -> None:
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    with pytest.raises(SystemExit) as left, exit_on_signal():
        os.kill(os.getpid(), signal.SIGHUP)
    assert left.value.code == 128 + signal.SIGHUP
    assert signal.getsignal(signal.SIGHUP) is signal.SIG_DFL


def test_a_signal_that_nohup_lets_the_process_ignore_stays_ignored() -> None:
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    with exit_on_signal():
        os.kill(os.getpid(), signal.SIGHUP)
    assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN

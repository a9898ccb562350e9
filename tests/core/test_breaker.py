"""The breaker before a party that can fail."""

import pytest

from gatehouse.core.limits.breaker import Breaker


class _Clock:
    def __init__(self) -> None:
        self.now_s = 100.0

    def __call__(self) -> float:
        return self.now_s


@pytest.fixture
def clock() -> _Clock:
    return _Clock()


@pytest.fixture
def breaker(clock: _Clock) -> Breaker:
    return Breaker(clock, failures=3, pause_s=2.0)


def _fail(breaker: Breaker, times: int) -> None:
    for _ in range(times):
        breaker.failed()


def test_calls_are_made_while_they_succeed(breaker: Breaker) -> None:
    breaker.succeeded()

    assert breaker.allows()
    assert not breaker.is_open


def test_single_failures_do_not_open_it(breaker: Breaker) -> None:
    for _ in range(5):
        _fail(breaker, 2)
        breaker.succeeded()

    assert breaker.allows()


def test_failures_in_a_row_open_it(breaker: Breaker) -> None:
    _fail(breaker, 3)

    assert breaker.is_open
    assert not breaker.allows()


def test_after_a_pause_one_call_alone_is_let_through(breaker: Breaker, clock: _Clock) -> None:
    _fail(breaker, 3)
    clock.now_s += 2

    assert [breaker.allows() for _ in range(3)] == [True, False, False]
    assert breaker.is_open


def test_a_probe_that_succeeds_closes_it(breaker: Breaker, clock: _Clock) -> None:
    _fail(breaker, 3)
    clock.now_s += 2
    breaker.allows()
    breaker.succeeded()

    assert not breaker.is_open
    assert breaker.allows()
    _fail(breaker, 2)
    assert breaker.allows()


def test_a_probe_that_fails_keeps_it_open_for_another_pause(
    breaker: Breaker, clock: _Clock
) -> None:
    _fail(breaker, 3)
    clock.now_s += 2
    breaker.allows()
    clock.now_s += 1
    breaker.failed()
    clock.now_s += 1.9

    assert not breaker.allows()
    clock.now_s += 0.1
    assert breaker.allows()


def test_a_probe_that_never_reports_back_does_not_block_the_next(
    breaker: Breaker, clock: _Clock
) -> None:
    _fail(breaker, 3)
    clock.now_s += 2
    breaker.allows()
    clock.now_s += 2

    assert breaker.allows()

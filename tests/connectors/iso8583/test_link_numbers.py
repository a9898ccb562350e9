"""STAN, RRN and the memory that is bounded in number and time."""

import asyncio
import re

import pytest

from gatehouse.connectors.iso8583.layout.numbers import (
    MOST_STANS,
    PaymentReference,
    StanCounter,
    age_s,
    rrn_of,
    transmission_time,
)
from gatehouse.connectors.iso8583.link.recent import Recent
from gatehouse.core.errors import ConnectorFailed
from tests.connectors.iso8583.playhost import run, until
from tests.harness.rows import each


def test_stans_have_six_digits_and_begin_again_after_the_last() -> None:
    counter = StanCounter(MOST_STANS - 2)
    assert [counter.take(()) for _ in range(4)] == ["999998", "999999", "000001", "000002"]


def test_a_stan_that_is_in_use_is_left_out() -> None:
    counter = StanCounter(0)
    assert counter.take({"000001", "000002"}) == "000003"


def test_without_a_free_stan_nothing_is_sent() -> None:
    class Everything:
        def __contains__(self, _stan: object) -> bool:
            return True

    with pytest.raises(ConnectorFailed) as failed:
        StanCounter(0).take(Everything())
    assert not failed.value.sent


def test_an_rrn_is_the_same_in_every_process_and_differs_between_requests() -> None:
    # A payment that was made before an upgrade must be found after it.
    assert rrn_of("req_01h455vb4pex5vsknk084sn02q") == "ZXXG4Y19Y830"
    many = {rrn_of(f"req_{number}") for number in range(1000)}
    assert len(many) == 1000
    assert all(re.fullmatch("[0-9A-Z]{12}", rrn) for rrn in many)


def test_a_check_is_not_taken_for_the_payment_of_its_request() -> None:
    assert len({rrn_of("req_1"), rrn_of("req_1", b"check"), rrn_of("req_1", b"name")}) == 3


def test_times_are_in_utc() -> None:
    assert transmission_time(1_700_000_000) == "1114221320"


def test_a_reference_is_read_back_as_it_was_written() -> None:
    reference = PaymentReference("000042", "1114221320", "ABCDEF123456", "A1", "T9")
    assert PaymentReference.parse(reference.text()) == reference
    assert PaymentReference.parse("000042/1114221320/ABCDEF123456//") is not None


@each(["", "pay_1", "42/1114221320/ABCDEF123456//", "000042/1114221320/ABCDEF123456/A1/T9/X"])
def test_what_is_no_reference_is_not_read(text: str) -> None:
    assert PaymentReference.parse(text) is None


def test_what_is_remembered_is_bounded_in_number() -> None:
    async def play() -> None:
        recent = Recent[int](most=2, kept_s=60)
        for number in range(3):
            recent.put(str(number), number)
        assert [recent.get(key) for key in ("0", "1", "2")] == [None, 1, 2]
        recent.clear()
        assert len(recent) == 0

    run(play)


def test_what_is_remembered_is_bounded_in_time() -> None:
    async def play() -> None:
        recent = Recent[int](most=10, kept_s=0.005)
        recent.put("old", 1)
        await until(lambda: len(recent) == 0)
        recent.put("new", 2)
        assert "new" in recent
        await until(lambda: len(recent) == 0)
        await asyncio.sleep(0)

    run(play)


@each([(1_700_000_000, 0), (1_700_000_090, 90), (1_699_999_000, 0), (1_731_000_000, 31_000_000)])
def test_the_age_of_a_message_is_known_without_its_year(now_s: int, age: int) -> None:
    assert age_s("1114221320", now_s) == age


def test_a_message_of_a_leap_day_has_an_age_too() -> None:
    assert age_s("0229000000", 1_709_164_800 + 10) == 10
    assert age_s("0229000000", 1_740_787_200) == 1_740_787_200 - 1_709_164_800
    assert age_s("9999999999", 1_700_000_000) == 0

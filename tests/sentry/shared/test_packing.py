"""Histories and amounts as the shared memory packs and counts them."""

import random
from array import array

import pytest

from gatehouse.connectors.valkey.address import StoreAddress
from gatehouse.core.errors import SettingsError
from gatehouse.sentry import kinds
from gatehouse.sentry.memory.account_stats import AccountStats
from gatehouse.sentry.memory.local import LocalMemory
from gatehouse.sentry.shared.snapshot import pack_history, unpack_history
from gatehouse.sentry.shared.spreads import last_count, new_amounts
from tests.sentry.streams import stream


def test_every_history_comes_out_of_its_snapshot_as_it_was() -> None:
    memory, kept = LocalMemory(limit=10_000), 0
    for step in stream(60):
        if step.view is None:
            memory.note_decline(step.event)
            continue
        history = memory.note(step.event)
        for kind, each in zip(history.kinds, history.histories, strict=True):
            assert unpack_history(kind, pack_history(each)) == each
            kept += 1
    assert kept > 300
    assert unpack_history(kinds.USER, pack_history(None)) is None


def test_a_spread_is_worked_out_at_the_same_counts_as_in_one_process() -> None:
    dice, account, followed = random.Random(3), AccountStats(), new_amounts()
    amounts: list[float] = []
    for count in range(1, 2_000):
        amounts.append(dice.gauss(4, 1))
        account.add("USD", amounts[-1])
        assert (count >= followed.wanted) == (last_count(count) == count)
        if count >= followed.wanted:
            kept = amounts[-640:]
            followed.follow(array("d", (count - len(kept), *kept)).tobytes())
        assert followed.spread == account.usual_amounts("USD")
    late = new_amounts()
    late.follow(array("d", (len(amounts) - 640, *amounts[-640:])).tobytes())
    assert (late.spread, late.wanted) == (followed.spread, followed.wanted)


def test_amounts_that_the_store_has_lost_begin_anew() -> None:
    amounts = new_amounts()
    amounts.follow(array("d", (5_000, *[1.0] * 640)).tobytes())
    amounts.follow(array("d", (0, 1.0, 2.0)).tobytes())
    assert (amounts.spread, amounts.wanted) == (None, new_amounts().wanted)


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("valkey://:hush@example.test/2", "example.test:6379"),
        ("rediss://ann:hush@example.test:7000", "example.test:7000"),
        ("unix:///run/valkey.sock?password=hush", "/run/valkey.sock"),
    ],
)
def test_an_address_shows_no_secret(url: str, shown: str) -> None:
    address = StoreAddress.parse(url)
    assert address.shown == shown
    assert "hush" not in repr(address)


@pytest.mark.parametrize(
    "url", ["http://:hush@host", "hush", "redis://host:hush", "redis://:hush@host?wrong=hush"]
)
def test_an_address_that_cannot_be_read_is_refused_without_repeating_it(url: str) -> None:
    with pytest.raises(SettingsError) as refused:
        StoreAddress.parse(url)
    assert "hush" not in str(refused.value)
    assert refused.value.__cause__ is None

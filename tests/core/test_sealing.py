"""Sealing: only the right key at the right place opens what was sealed."""

import os

import pytest

from gatehouse.core.errors import KeyMissing, SealBroken
from gatehouse.core.secrets.keyring import IDENTITIES, KeyRing
from gatehouse.core.secrets.sealing import Sealer

OLD = KeyRing({(IDENTITIES, 1): b"1" * 32})
BOTH = KeyRing({(IDENTITIES, 1): b"1" * 32, (IDENTITIES, 2): b"2" * 32})
NEW = KeyRing({(IDENTITIES, 2): b"2" * 32})
PLAIN = b"Eleanor Whitfield"


def test_what_was_sealed_is_opened_with_its_label() -> None:
    version, sealed = Sealer(OLD, IDENTITIES).seal(PLAIN, b"here", os.urandom)
    assert version == 1
    assert PLAIN not in sealed
    assert len(sealed) == 12 + len(PLAIN) + 16
    assert Sealer(OLD, IDENTITIES).open(version, sealed, b"here") == PLAIN


def test_the_same_text_is_never_sealed_the_same_way_twice() -> None:
    sealer = Sealer(OLD, IDENTITIES)
    assert sealer.seal(PLAIN, b"here", os.urandom) != sealer.seal(PLAIN, b"here", os.urandom)


def test_the_newest_key_seals_and_older_ones_go_on_opening() -> None:
    before = Sealer(OLD, IDENTITIES).seal(PLAIN, b"here", os.urandom)
    sealer = Sealer(BOTH, IDENTITIES)
    assert sealer.open(*before, b"here") == PLAIN
    version, sealed = sealer.seal(PLAIN, b"here", os.urandom)
    assert version == 2
    assert Sealer(NEW, IDENTITIES).open(version, sealed, b"here") == PLAIN


def test_a_key_that_is_not_on_the_ring_is_named() -> None:
    version, sealed = Sealer(OLD, IDENTITIES).seal(PLAIN, b"here", os.urandom)
    with pytest.raises(KeyMissing, match="version 1 of the key for identities"):
        Sealer(NEW, IDENTITIES).open(version, sealed, b"here")


@pytest.mark.parametrize("place", [0, 11, 12, 20, -1])
def test_a_changed_value_is_not_opened(place: int) -> None:
    sealer = Sealer(OLD, IDENTITIES)
    version, sealed = sealer.seal(PLAIN, b"here", os.urandom)
    changed = bytearray(sealed)
    changed[place] ^= 1
    with pytest.raises(SealBroken):
        sealer.open(version, bytes(changed), b"here")


def test_a_value_is_not_opened_elsewhere_under_another_key_or_cut_off() -> None:
    sealer = Sealer(BOTH, IDENTITIES)
    version, sealed = sealer.seal(PLAIN, b"here", os.urandom)
    with pytest.raises(SealBroken):
        sealer.open(version, sealed, b"there")
    with pytest.raises(SealBroken):
        sealer.open(1, sealed, b"here")
    for length in (0, 5, 12, 27, len(sealed) - 1):
        with pytest.raises(SealBroken) as caught:
            sealer.open(version, sealed[:length], b"here")
        assert "Eleanor" not in str(caught.value)

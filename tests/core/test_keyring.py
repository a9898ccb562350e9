"""The ring of keys and the root secret that wraps it."""

import os

import pytest

from gatehouse.core.errors import SettingsError
from gatehouse.core.secrets.keyring import KeyRing, RootSecret

ROOT = RootSecret.parse("r" * 32)


def test_a_wrapped_key_opens_with_its_own_secret_only() -> None:
    wrapped = ROOT.wrap("audit", 1, b"k" * 32, os.urandom(12))
    assert ROOT.unwrap("audit", 1, wrapped) == b"k" * 32
    with pytest.raises(SettingsError, match="not the one this database was made with"):
        RootSecret.parse("s" * 32).unwrap("audit", 1, wrapped)


def test_a_wrapped_key_cannot_be_passed_off_for_another_purpose_or_version() -> None:
    wrapped = ROOT.wrap("audit", 1, b"k" * 32, os.urandom(12))
    for purpose, version in (("audit", 2), ("api-keys", 1)):
        with pytest.raises(SettingsError):
            ROOT.unwrap(purpose, version, wrapped)


def test_a_short_root_secret_is_refused() -> None:
    with pytest.raises(SettingsError, match="at least 32"):
        RootSecret.parse("short")


def test_the_newest_version_is_current_and_older_ones_stay() -> None:
    ring = KeyRing({("audit", 1): b"a", ("audit", 2): b"b"})
    assert ring.current("audit") == (2, b"b")
    assert ring.key("audit", 1) == b"a"
    assert "b'" not in repr(ring)

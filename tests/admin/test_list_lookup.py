"""Which lists hold a value, for lists of every kind."""

import io
from functools import partial

import pytest

from gatehouse.admin.lists.use_cases import list_lookup, lists
from gatehouse.admin.lists.use_cases.lists import GivenEntries, ListFile, NewEntries
from gatehouse.rules.list_entries import ListKind
from gatehouse.store.admin.admin_session import AdminSession

HELD = {
    ListKind.CARDS: ("4111 1111 1111 1111", "4111111111111111"),
    ListKind.BINS: ("411111", "4111 1111 1111 1111"),
    ListKind.NETWORKS: ("203.0.113.0/24", "203.0.113.7"),
    ListKind.EMAILS: ("j.doe@gmail.com", "JDoe@gmail.com"),
    ListKind.DOMAINS: ("example.com", "anna@mail.example.com"),
    ListKind.PHONES: ("+44 20 7946 0958", "+442079460958"),
    ListKind.USERS: ("u-17", "u-17"),
    ListKind.DEVICES: ("d-17", "d-17"),
    ListKind.COUNTRIES: ("GB", "gb"),
    ListKind.WORDS: ("coupon", "coupon"),
}
"""By kind, an entry, and a value that it covers."""


@pytest.fixture
def filled(sqlite_session: AdminSession, account: str) -> AdminSession:
    """The account has a list of every kind."""
    for kind, (entry, _) in HELD.items():
        file = ListFile("", partial(io.BytesIO, entry.encode()), "lines")
        given = GivenEntries(file=file)
        lists.add(sqlite_session, account, f"of-{kind}", given, NewEntries(kind))
    return sqlite_session


def _holding(session: AdminSession, account: str, value: str) -> set[str]:
    return {name for name, _ in list_lookup.holding(session, account, value)}


def test_a_list_of_every_kind_is_found_by_what_it_covers(
    filled: AdminSession, account: str
) -> None:
    assert set(HELD) == set(ListKind)
    for kind, (_, value) in HELD.items():
        assert f"of-{kind}" in _holding(filled, account, value), kind
    assert _holding(filled, account, "4111111111111111") == {"of-cards", "of-bins"}
    assert _holding(filled, account, "203.0.113.0/28") == {"of-networks"}
    assert _holding(filled, account, "203.0.0.0/16") == set()


def test_an_entry_that_was_removed_does_not_hold(filled: AdminSession, account: str) -> None:
    lists.remove(filled, account, "of-users", GivenEntries(["u-17"]))
    assert _holding(filled, account, "u-17") == set()

"""Keys that keys issue: none outlives its issuer, and none touches a stronger one."""

import dataclasses
from collections.abc import Iterator

import pytest

from gatehouse.access.actors import Actor
from gatehouse.admin.keys import use_cases as keys
from gatehouse.admin.keys.types import KeyRevocation, KeyRotation, KeyShown, NewKey
from gatehouse.core.errors import Conflict, InvalidInput, NotFound
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.tables import API_KEYS
from tests.admin.people.signing_in import MovedClock
from tests.harness import Home, make_account

MINUTE_S = 60
MINUTE_MS = MINUTE_S * 1000
HOUR_S = 60 * MINUTE_S


class Keys:
    """An account whose keys manage keys."""

    def __init__(self, session: AdminSession) -> None:
        self.clock = MovedClock(session.clock())
        self.session = dataclasses.replace(session, clock=self.clock)
        self.account = make_account(session)

    def made(self, lifetime_s: int | None = None, *scopes: str) -> KeyShown:
        """A key from a person."""
        new = NewKey("issuer", list(scopes or ("manage:keys",)), expires_in_s=lifetime_s)
        return keys.issue(self.session, self.account, new).issued

    def child(self, parent: KeyShown, lifetime_s: int | None = None) -> KeyShown:
        """A key from another key."""
        new = NewKey("child", ["manage:keys"], expires_in_s=lifetime_s)
        return keys.issue(self._by(parent), self.account, new).issued

    def rotate(self, by: KeyShown, key: KeyShown) -> KeyShown:
        return keys.rotate(self._by(by), self.account, key.key_id, KeyRotation(0)).issued

    def revoke(self, by: KeyShown, key: KeyShown, *, children: bool = False) -> None:
        given = KeyRevocation("over", children)
        keys.revoke(self._by(by), self.account, key.key_id, given)

    def rotate_by_person(self, key: KeyShown) -> KeyShown:
        return keys.rotate(self.session, self.account, key.key_id, KeyRotation(0)).issued

    def revoke_by_person(self, key: KeyShown, *, children: bool = False) -> None:
        given = KeyRevocation("leaked", children)
        keys.revoke(self.session, self.account, key.key_id, given)

    def active(self) -> set[str]:
        found = keys.list_keys(self.session, self.account).keys
        return {each.key_id for each in found if each.status == "active"}

    def _by(self, key: KeyShown) -> AdminSession:
        return self.session.acting_as(Actor.key(key.key_id, self.account))


@pytest.fixture
def at(home: Home) -> Iterator[Keys]:
    with home.migrated().session() as session:
        yield Keys(session)


def test_a_key_ends_with_the_one_that_issued_it_at_the_latest(at: Keys) -> None:
    parent = at.made(MINUTE_S)
    assert parent.expires_at is not None
    child = at.child(parent)
    assert (child.expires_at, child.parent) == (parent.expires_at, parent.key_id)
    assert at.child(child, 1).expires_at == at.clock() + 1000
    with pytest.raises(InvalidInput, match="this key ends at"):
        at.child(parent, MINUTE_S + 1)
    assert at.child(at.made(), HOUR_S).expires_at == at.clock() + HOUR_S * 1000


def test_a_key_does_not_put_off_its_end_by_rotating(at: Keys) -> None:
    key = at.made(MINUTE_S)
    child = at.child(key)
    at.clock.move(seconds=30)
    successor = at.rotate(key, key)
    assert successor.expires_at == key.expires_at
    # A person may: the life begins again. That of a key's key still ends with its issuer.
    assert at.rotate_by_person(successor).expires_at == at.clock() + MINUTE_MS // 2
    later = at.rotate_by_person(child)
    assert later.expires_at == at.clock() + MINUTE_MS // 2


def test_a_key_neither_rotates_nor_revokes_one_that_it_could_not_issue(at: Keys) -> None:
    weak = at.made(MINUTE_S)
    endless, strong = at.made(), at.made(MINUTE_S, "manage")
    for target in (endless, strong):
        with pytest.raises(InvalidInput):
            at.rotate(weak, target)
        with pytest.raises(InvalidInput):
            at.revoke(weak, target)
    assert {endless.key_id, strong.key_id} <= at.active()
    at.revoke(endless, weak)
    at.revoke(endless, endless)
    assert at.active() == {strong.key_id}


def test_a_revoked_key_takes_its_keys_along_when_that_is_wanted(at: Keys) -> None:
    parent, other = at.made(), at.made()
    child = at.child(parent)
    grandchild = at.child(child)
    assert [each.key_id for each in keys.issued_by(at.session, at.account, parent.key_id)] == [
        child.key_id,
        grandchild.key_id,
    ]
    at.revoke_by_person(parent)
    assert at.active() == {child.key_id, grandchild.key_id, other.key_id}
    # It was forgotten the first time.
    at.revoke_by_person(parent, children=True)
    assert at.active() == {other.key_id}
    with pytest.raises(Conflict, match="revoked already"):
        at.revoke_by_person(parent, children=True)


def test_the_keys_of_a_rotated_key_belong_to_its_successor(at: Keys) -> None:
    parent = at.made()
    child = at.child(parent)
    successor = at.rotate(parent, parent)
    assert keys.issued_by(at.session, at.account, parent.key_id) == []
    [kept] = keys.issued_by(at.session, at.account, successor.key_id)
    assert (kept.key_id, kept.parent) == (child.key_id, successor.key_id)
    at.revoke(successor, successor, children=True)
    assert at.active() == set()


def test_a_key_that_has_ended_meanwhile_issues_nothing(at: Keys) -> None:
    """A server that knew it a moment ago may still let the call in."""
    ended = at.made()
    at.revoke_by_person(ended)
    before = at.active()
    for attempt in (at.child, lambda key: at.rotate(key, key), lambda key: at.revoke(key, key)):
        with pytest.raises(Conflict):
            attempt(ended)
    assert at.active() == before


def test_a_key_of_another_account_is_not_found(at: Keys) -> None:
    mine, theirs = at.made(), Keys(at.session)
    with pytest.raises(NotFound):
        at.revoke(mine, theirs.made(), children=True)
    with pytest.raises(NotFound):
        keys.issued_by(at.session, at.account, theirs.made().key_id)


def test_who_issued_a_key_cannot_be_changed_in_the_database(at: Keys) -> None:
    parent = at.made()
    child = at.child(parent)
    table = API_KEYS
    with at.session.database.reading() as connection:
        row = connection.execute(table.select().where(table.c.id == child.key_id)).one()
    assert at.session.signer.is_genuine(table, row._mapping)
    assert not at.session.signer.is_genuine(table, {**row._mapping, "parent": None})

"""One look sees everything that servers follow, also after its connection was cut."""

import pytest

from gatehouse.core.errors import StoreUnavailable
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.lookout import Lookout, SeenChanges
from tests.harness import make_account


def test_a_look_sees_what_has_changed_since_the_last_one(session: AdminSession) -> None:
    lookout = Lookout(session.database)
    try:
        before = lookout.look()
        assert lookout.look() == before
        make_account(session)
        after = lookout.look()
    finally:
        lookout.close()
    assert after.revision > before.revision
    assert (after.audited or 0) > (before.audited or 0)
    unseen = SeenChanges(before.revision, audited=before.audited, told=before.told, holds=False)
    assert before == unseen


def test_a_look_opens_another_connection_when_its_own_was_cut(session: AdminSession) -> None:
    lookout = Lookout(session.database)
    try:
        before = lookout.look()
        lookout._connection.close()
        assert lookout.look() == before
    finally:
        lookout.close()


def test_a_database_that_does_not_answer_is_told_of(
    session: AdminSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    lookout = Lookout(session.database)
    try:
        lookout.look()
        with monkeypatch.context() as patched:

            def refuse() -> None:
                raise StoreUnavailable("gone")

            patched.setattr(session.database, "driver_connection", refuse)
            lookout._connection.close()
            with pytest.raises(StoreUnavailable):
                lookout.look()
        monkeypatch.setattr(lookout, "_look", "SELECT nothing FROM nowhere")
        with pytest.raises(StoreUnavailable):
            lookout.look()
    finally:
        lookout.close()

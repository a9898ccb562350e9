"""Sentry's models as they are kept: versions, which one is live, on both databases."""

from collections.abc import Callable

import msgspec
import pytest
import sqlalchemy as sa

from gatehouse.core.errors import Conflict, InvalidInput, NotFound
from gatehouse.store.accounts import accounts
from gatehouse.store.admin import audit
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.configured import configurations, models
from gatehouse.store.configured.configurations import stamp_of, stamps_of
from gatehouse.store.configured.models import StoredModel
from gatehouse.store.tables import CONFIGURATION_HEADS


def keep(session: AdminSession, account: str, note: str | None = None) -> int:
    with session.change() as change:
        return models.keep(
            change,
            account,
            lambda version: f'{{"report of": {version}}}',
            lambda version: f'{{"sheet of": {version}}}',
            note=note,
        )


def promote(session: AdminSession, account: str, version: int) -> int | None:
    with session.change() as change:
        return models.promote(change, account, version)


def rollback(session: AdminSession, account: str, to: int | None = None) -> tuple[int, int | None]:
    with session.change() as change:
        return models.rollback(change, account, to)


def live(session: AdminSession, account: str) -> int | None:
    with session.reading() as connection:
        found = models.live_program(connection, account)
    if found is None:
        return None
    assert found[1] == f'{{"sheet of": {found[0]}}}'
    return found[0]


def stamp(session: AdminSession, account: str) -> str:
    with session.reading() as connection:
        return stamp_of(connection, account)


def test_a_kept_model_is_not_used_until_it_is_promoted(session: AdminSession, account: str) -> None:
    before = stamp(session, account)
    assert [keep(session, account, note) for note in (None, " better ")] == [1, 2]
    assert live(session, account) is None
    assert stamp(session, account) == before
    assert promote(session, account, 2) is None
    assert live(session, account) == 2
    with session.reading() as connection:
        found = models.listing(connection, account)
        assert models.get(connection, account) == found[0]
        assert models.get(connection, account, 1) == found[1]
        lines = audit.read(connection, account, 100)
    assert [(each.version, each.note, each.active) for each in found] == [
        (2, "better", True),
        (1, None, False),
    ]
    assert msgspec.structs.replace(found[1], account_id="", kind="", signature=None) == StoredModel(
        "sentry",
        1,
        found[1].created_at_ms,
        "test",
        None,
        False,
        '{"report of": 1}',
        '{"sheet of": 1}',
    )
    assert [(line.action, line.details) for line in lines if "model" in line.action] == [
        ("model.train", {"version": 1, "source": "records", "note": None}),
        ("model.train", {"version": 2, "source": "records", "note": "better"}),
        ("model.promote", {"version": 2, "before": 0}),
    ]


def test_going_back_leads_to_what_was_live_before(session: AdminSession, account: str) -> None:
    for _ in range(3):
        keep(session, account)
    assert promote(session, account, 1) is None
    assert promote(session, account, 3) == 1
    assert rollback(session, account) == (3, 1)
    assert live(session, account) == 1
    assert rollback(session, account, 2) == (1, 2)
    assert live(session, account) == 2
    assert rollback(session, account, 0) == (2, None)
    assert live(session, account) is None
    # What was live before the shipped scorecard is of no account after it.
    assert promote(session, account, 3) is None
    assert rollback(session, account) == (3, None)
    with session.reading() as connection:
        lines = audit.read(connection, account, 100)
    assert [line.details for line in lines if line.action == "model.rollback"] == [
        {"version": 1, "before": 3},
        {"version": 2, "before": 1},
        {"version": 0, "before": 2},
        {"version": 0, "before": 3},
    ]


def shadow(session: AdminSession, account: str) -> int | None:
    with session.reading() as connection:
        found = models.shadow_of(connection, account)
    return None if found is None else found.version


def test_one_model_at_a_time_is_in_shadow_until_it_is_stopped_or_live(
    session: AdminSession, account: str
) -> None:
    def change(do: Callable[..., object], *given: int) -> None:
        with session.change() as change:
            do(change, account, *given)

    for _ in range(3):
        keep(session, account)
    promote(session, account, 1)
    for version, error in ((0, Conflict), (1, Conflict), (9, NotFound)):
        with pytest.raises(error):
            change(models.start_shadow, version)
    before = stamp(session, account)
    change(models.start_shadow, 2)
    assert stamp(session, account) != before
    assert (live(session, account), shadow(session, account)) == (1, 2)
    with pytest.raises(Conflict, match="already"):
        change(models.start_shadow, 2)
    with pytest.raises(Conflict, match="no model scores beside"):
        change(models.stop_shadow, 3)
    change(models.start_shadow, 3)
    promote(session, account, 3)
    assert shadow(session, account) is None
    change(models.start_shadow, 1)
    change(models.stop_shadow, 1)
    assert shadow(session, account) is None
    change(models.start_shadow, 1)
    assert rollback(session, account, 0) == (3, None)
    assert shadow(session, account) == 1
    with session.reading() as connection:
        lines = audit.read(connection, account, 100)
    assert [(each.action, each.details) for each in lines if "shadow" in each.action] == [
        ("model.shadow", {"version": 2, "before": None}),
        ("model.shadow", {"version": 3, "before": 2}),
        ("model.unshadow", {"version": 3}),
        ("model.shadow", {"version": 1, "before": None}),
        ("model.unshadow", {"version": 1}),
        ("model.shadow", {"version": 1, "before": None}),
    ]


def test_going_back_twice_does_not_lead_to_what_was_fled_from(
    session: AdminSession, account: str
) -> None:
    for _ in range(3):
        keep(session, account)
    promote(session, account, 1)
    promote(session, account, 3)
    assert rollback(session, account) == (3, 1)
    with pytest.raises(Conflict, match=r"model 1 is live .* go back to: 3, 2, 0 \(the shipped"):
        rollback(session, account)
    assert live(session, account) == 1
    # What is said is done, and somebody who promotes has a way back again.
    assert rollback(session, account, 3) == (1, 3)
    with pytest.raises(Conflict, match=r"model 3 is live since a rollback; say which"):
        rollback(session, account)
    assert promote(session, account, 2) == 3
    assert rollback(session, account) == (2, 3)


def test_of_many_versions_the_newest_are_named(
    session: AdminSession, account: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(models, "_MOST_SHOWN", 2)
    for _ in range(4):
        keep(session, account)
    promote(session, account, 2)
    promote(session, account, 1)
    rollback(session, account)
    with pytest.raises(Conflict, match=r"go back to: 4, 3, \.\.\., 0 \(the shipped"):
        rollback(session, account)


def test_the_first_model_that_was_live_gives_way_to_the_shipped_scorecard(
    session: AdminSession, account: str
) -> None:
    keep(session, account)
    promote(session, account, 1)
    assert rollback(session, account) == (1, None)
    assert live(session, account) is None
    with session.reading() as connection, pytest.raises(NotFound, match="no model is live"):
        models.get(connection, account)


def test_servers_see_every_change_even_one_and_back_within_a_moment(
    session: AdminSession, account: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session, "clock", lambda: 1_790_000_000_000)
    stamps = [stamp(session, account)]
    for _ in range(2):
        keep(session, account)
    for version in (1, 2, 1):
        promote(session, account, version)
        stamps.append(stamp(session, account))
        rollback(session, account, 0)
        stamps.append(stamp(session, account))
    assert len(set(stamps)) == len(stamps) == 7


def test_stamps_can_be_asked_for_many_accounts_at_once(session: AdminSession, account: str) -> None:
    with session.change() as change:
        other = accounts.create(change, "Other", "USD").account_id
    keep(session, account)
    promote(session, account, 1)
    every = [account, other, "acct_none"]
    with session.reading() as connection:
        found = stamps_of(connection, every)
        assert found == {each: stamp_of(connection, each) for each in every}
        assert stamps_of(connection, []) == {}
    assert len(set(found.values())) == 3


def test_what_cannot_be_is_refused_and_changes_nothing(session: AdminSession, account: str) -> None:
    with pytest.raises(Conflict, match="no model is live"):
        rollback(session, account)
    for _ in range(2):
        keep(session, account)
    promote(session, account, 2)
    before = stamp(session, account)
    with pytest.raises(Conflict, match="model 2 is live already"):
        promote(session, account, 2)
    with pytest.raises(Conflict, match="model 2 is live already"):
        rollback(session, account, 2)
    with pytest.raises(Conflict, match="go back to it"):
        promote(session, account, 0)
    for version in (3, -1, 2**31, 10**30):
        with pytest.raises(NotFound, match=f"no model with version {version}"):
            promote(session, account, version)
        with pytest.raises(NotFound, match=f"no model with version {version}"):
            rollback(session, account, version)
    with pytest.raises(InvalidInput, match="at most 200"):
        keep(session, account, "x" * 201)
    assert live(session, account) == 2
    assert stamp(session, account) == before
    rollback(session, account, 0)
    with pytest.raises(Conflict, match="there is nothing to go back from"):
        rollback(session, account, 1)


def test_an_account_sees_and_uses_only_its_own(session: AdminSession, account: str) -> None:
    keep(session, account)
    promote(session, account, 1)
    with session.change() as change:
        other = accounts.create(change, "Other", "USD").account_id
    assert live(session, other) is None
    with session.reading() as connection:
        assert models.listing(connection, other) == []
    with pytest.raises(NotFound):
        promote(session, other, 1)
    assert keep(session, other) == 1
    promote(session, other, 1)
    rollback(session, other)
    assert live(session, account) == 1


def test_models_are_no_rule_sets_and_no_pipelines(session: AdminSession, account: str) -> None:
    with session.reading() as connection:
        before = [configurations.active(connection, account, kind) for kind in configurations.KINDS]
    keep(session, account)
    promote(session, account, 1)
    with session.reading() as connection:
        after = [configurations.active(connection, account, kind) for kind in configurations.KINDS]
        heads = connection.execute(
            sa.select(CONFIGURATION_HEADS).where(CONFIGURATION_HEADS.c.kind == models.KIND)
        ).all()
    assert after == before
    assert [(head.name, head.version) for head in heads] == [("sentry", 1)]

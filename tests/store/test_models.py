"""Sentry's models as they are kept: versions, which one is live, on both databases."""

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
from tests.harness import make_account


@pytest.fixture
def account(office: AdminSession) -> str:
    return make_account(office)


def keep(office: AdminSession, account: str, note: str | None = None) -> int:
    with office.change() as change:
        return models.keep(
            change,
            account,
            lambda version: f'{{"report of": {version}}}',
            lambda version: f'{{"sheet of": {version}}}',
            note=note,
        )


def promote(office: AdminSession, account: str, version: int) -> int | None:
    with office.change() as change:
        return models.promote(change, account, version)


def rollback(office: AdminSession, account: str, to: int | None = None) -> tuple[int, int | None]:
    with office.change() as change:
        return models.rollback(change, account, to)


def live(office: AdminSession, account: str) -> int | None:
    with office.reading() as connection:
        found = models.live_program(connection, account)
    if found is None:
        return None
    assert found[1] == f'{{"sheet of": {found[0]}}}'
    return found[0]


def stamp(office: AdminSession, account: str) -> str:
    with office.reading() as connection:
        return stamp_of(connection, account)


def test_a_kept_model_is_not_used_until_it_is_promoted(office: AdminSession, account: str) -> None:
    before = stamp(office, account)
    assert [keep(office, account, note) for note in (None, " better ")] == [1, 2]
    assert live(office, account) is None
    assert stamp(office, account) == before
    assert promote(office, account, 2) is None
    assert live(office, account) == 2
    with office.reading() as connection:
        found = models.listing(connection, account)
        assert models.get(connection, account) == found[0]
        assert models.get(connection, account, 1) == found[1]
        lines = audit.read(connection, account, 100)
    assert [(each.version, each.note, each.active) for each in found] == [
        (2, "better", True),
        (1, None, False),
    ]
    assert found[1] == StoredModel(
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
        ("model.train", {"version": 1, "note": None}),
        ("model.train", {"version": 2, "note": "better"}),
        ("model.promote", {"version": 2, "before": 0}),
    ]


def test_going_back_leads_to_what_was_live_before(office: AdminSession, account: str) -> None:
    for _ in range(3):
        keep(office, account)
    assert promote(office, account, 1) is None
    assert promote(office, account, 3) == 1
    assert rollback(office, account) == (3, 1)
    assert live(office, account) == 1
    assert rollback(office, account, 2) == (1, 2)
    assert live(office, account) == 2
    assert rollback(office, account, 0) == (2, None)
    assert live(office, account) is None
    # What was live before the shipped scorecard is of no account after it.
    assert promote(office, account, 3) is None
    assert rollback(office, account) == (3, None)
    with office.reading() as connection:
        lines = audit.read(connection, account, 100)
    assert [line.details for line in lines if line.action == "model.rollback"] == [
        {"version": 1, "before": 3},
        {"version": 2, "before": 1},
        {"version": 0, "before": 2},
        {"version": 0, "before": 3},
    ]


def test_going_back_twice_does_not_lead_to_what_was_fled_from(
    office: AdminSession, account: str
) -> None:
    for _ in range(3):
        keep(office, account)
    promote(office, account, 1)
    promote(office, account, 3)
    assert rollback(office, account) == (3, 1)
    with pytest.raises(Conflict, match=r"model 1 is live .* one of 3, 2, 0 \(the shipped"):
        rollback(office, account)
    assert live(office, account) == 1
    # What is said is done, and somebody who promotes has a way back again.
    assert rollback(office, account, 3) == (1, 3)
    with pytest.raises(Conflict, match=r"model 3 is live since a rollback; .* rollback --to"):
        rollback(office, account)
    assert promote(office, account, 2) == 3
    assert rollback(office, account) == (2, 3)


def test_of_many_versions_the_newest_are_named(
    office: AdminSession, account: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(models, "_MOST_SHOWN", 2)
    for _ in range(4):
        keep(office, account)
    promote(office, account, 2)
    promote(office, account, 1)
    rollback(office, account)
    with pytest.raises(Conflict, match=r"one of 4, 3, \.\.\., 0 \(the shipped"):
        rollback(office, account)


def test_the_first_model_that_was_live_gives_way_to_the_shipped_scorecard(
    office: AdminSession, account: str
) -> None:
    keep(office, account)
    promote(office, account, 1)
    assert rollback(office, account) == (1, None)
    assert live(office, account) is None
    with office.reading() as connection, pytest.raises(NotFound, match="gatehouse sentry models"):
        models.get(connection, account)


def test_servers_see_every_change_even_one_and_back_within_a_moment(
    office: AdminSession, account: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(office, "clock", lambda: 1_790_000_000_000)
    stamps = [stamp(office, account)]
    for _ in range(2):
        keep(office, account)
    for version in (1, 2, 1):
        promote(office, account, version)
        stamps.append(stamp(office, account))
        rollback(office, account, 0)
        stamps.append(stamp(office, account))
    assert len(set(stamps)) == len(stamps) == 7


def test_stamps_can_be_asked_for_many_accounts_at_once(office: AdminSession, account: str) -> None:
    with office.change() as change:
        other = accounts.create(change, "Other", "USD").account_id
    keep(office, account)
    promote(office, account, 1)
    every = [account, other, "acct_none"]
    with office.reading() as connection:
        found = stamps_of(connection, every)
        assert found == {each: stamp_of(connection, each) for each in every}
        assert stamps_of(connection, []) == {}
    assert len(set(found.values())) == 3


def test_what_cannot_be_is_refused_and_changes_nothing(office: AdminSession, account: str) -> None:
    with pytest.raises(Conflict, match="no model is live"):
        rollback(office, account)
    for _ in range(2):
        keep(office, account)
    promote(office, account, 2)
    before = stamp(office, account)
    with pytest.raises(Conflict, match="model 2 is live already"):
        promote(office, account, 2)
    with pytest.raises(Conflict, match="model 2 is live already"):
        rollback(office, account, 2)
    with pytest.raises(Conflict, match="rollback --to 0"):
        promote(office, account, 0)
    for version in (3, -1, 2**31, 10**30):
        with pytest.raises(NotFound, match=f"no model with version {version}; see: gatehouse"):
            promote(office, account, version)
        with pytest.raises(NotFound, match=f"no model with version {version}"):
            rollback(office, account, version)
    with pytest.raises(InvalidInput, match="at most 200"):
        keep(office, account, "x" * 201)
    assert live(office, account) == 2
    assert stamp(office, account) == before
    rollback(office, account, 0)
    with pytest.raises(Conflict, match="gatehouse sentry promote"):
        rollback(office, account, 1)


def test_an_account_sees_and_uses_only_its_own(office: AdminSession, account: str) -> None:
    keep(office, account)
    promote(office, account, 1)
    with office.change() as change:
        other = accounts.create(change, "Other", "USD").account_id
    assert live(office, other) is None
    with office.reading() as connection:
        assert models.listing(connection, other) == []
    with pytest.raises(NotFound):
        promote(office, other, 1)
    assert keep(office, other) == 1
    promote(office, other, 1)
    rollback(office, other)
    assert live(office, account) == 1


def test_models_are_no_rule_sets_and_no_pipelines(office: AdminSession, account: str) -> None:
    with office.reading() as connection:
        before = [configurations.active(connection, account, kind) for kind in configurations.KINDS]
    keep(office, account)
    promote(office, account, 1)
    with office.reading() as connection:
        after = [configurations.active(connection, account, kind) for kind in configurations.KINDS]
        heads = connection.execute(
            sa.select(CONFIGURATION_HEADS).where(CONFIGURATION_HEADS.c.kind == models.KIND)
        ).all()
    assert after == before
    assert [(head.name, head.version) for head in heads] == [("sentry", 1)]

"""Use cases about models, called with a session and without any command."""

from collections.abc import Iterator

import msgspec
import pytest

from gatehouse.access.actors import Actor
from gatehouse.admin.configurations.types import VersionReturn
from gatehouse.admin.models.types import ModelSwitched
from gatehouse.admin.models.use_cases import versions
from gatehouse.admin.models.use_cases.replays import for_account, replay_options
from gatehouse.core.errors import Conflict, InvalidInput, NotFound
from gatehouse.sentry.policy import SentryPolicy
from gatehouse.sentry.scorecard import Sheet, encode_sheet, load_sheet
from gatehouse.store.accounts import accounts
from gatehouse.store.admin import audit
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.configured import models
from gatehouse.training.replay.replay import ReplayOptions
from gatehouse.training.report.report import encode_report
from tests.harness import Home, make_account
from tests.training.material import report


@pytest.fixture
def session(sqlite_home: Home) -> Iterator[AdminSession]:
    with sqlite_home.session(Actor.system("someone")) as opened:
        yield opened


@pytest.fixture
def account_id(session: AdminSession) -> str:
    return make_account(session)


def store(session: AdminSession, account_id: str, sheet: Sheet) -> int:
    with session.change() as change:
        document = encode_report(report())
        return models.keep(change, account_id, lambda _: document, lambda _: encode_sheet(sheet))


def test_a_change_says_what_was_live_and_is_audited_with_its_actor(
    session: AdminSession, account_id: str
) -> None:
    version = store(session, account_id, load_sheet())
    assert versions.promote_model(session, account_id, str(version)) == ModelSwitched(1, 0, [])
    assert versions.get_model(session, account_id).version == version
    assert versions.roll_back_model(session, account_id, VersionReturn()) == ModelSwitched(0, 1, [])
    with session.reading() as connection:
        lines = audit.read(connection, account_id, 2)
    assert {line.action for line in lines} == {"model.promote", "model.rollback"}
    assert {line.actor for line in lines} == {str(session.actor)}


def test_a_model_that_servers_could_not_use_leaves_everything_as_it_was(
    session: AdminSession, account_id: str
) -> None:
    sheet = load_sheet()
    broken = msgspec.structs.replace(sheet, terms=(*sheet.terms, sheet.terms[0]))
    version = store(session, account_id, broken)
    with pytest.raises(Conflict, match="cannot be used by this version"):
        versions.promote_model(session, account_id, str(version))
    assert [entry.live for entry in versions.list_models(session, account_id)] == [False, True]
    with pytest.raises(InvalidInput, match="cannot be used"):
        for_account(session, account_id, version, ReplayOptions(7))


def test_a_replay_begins_with_the_accounts_policy_and_model(
    session: AdminSession, account_id: str
) -> None:
    options = ReplayOptions(7)
    assert for_account(session, account_id, None, options) == options
    with session.change() as change:
        accounts.set_policy(change, account_id, "Sentry", {"entities": ["branch"]})
    version = store(session, account_id, load_sheet())
    start = for_account(session, account_id, version, options)
    assert start.policy == SentryPolicy(("branch",))
    assert start.learned_until == report().until
    assert start.scorecard is not None
    with pytest.raises(NotFound):
        for_account(session, account_id, 7, options)


def test_spans_of_a_replay_must_fit_together() -> None:
    assert replay_options(7, 5, None, 1).retrain_every_ms is None
    with pytest.raises(InvalidInput, match="longer than nothing"):
        replay_options(7, 10, 0, 1)
    with pytest.raises(InvalidInput, match="nothing in it has a label"):
        replay_options(7, 7, 10, 1)

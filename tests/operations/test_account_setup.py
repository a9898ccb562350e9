"""What accounts configured, as a running server finds it."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar, cast
from unittest import mock

import msgspec
import pytest

from gatehouse.access.accounts import Account
from gatehouse.core.errors import ConfigurationRefused
from gatehouse.core.stages.case import Case, ValuesByType
from gatehouse.core.stages.registry import REGISTRY
from gatehouse.core.stages.stage import Stage
from gatehouse.intel.addresses import Address
from gatehouse.intel.networks import AddressFacts
from gatehouse.operations.account_setup import Builder, Setup, Setups
from gatehouse.operations.planning import Pipelines
from gatehouse.pipeline.job import SignalBuilder
from gatehouse.rules.authoring import read_rule_set
from gatehouse.rules.decide import CompiledRuleSet
from gatehouse.rules.ruleset import encode_program
from gatehouse.sentry.entities import EntityHasher
from gatehouse.sentry.memory.local import LocalMemory
from gatehouse.sentry.request import SentryRequest
from gatehouse.sentry.scorecard import Prior, encode_sheet, load_scorecard, load_sheet
from gatehouse.sentry.stage import SentryStage
from gatehouse.store.accounts import accounts
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.configured import configurations, models
from gatehouse.store.configured.configurations import (
    ConfigurationKey,
    StoredVersion,
    VersionContent,
)

T = TypeVar("T")


class Nothing:
    """A book of addresses that knows nothing."""

    def look(self, address: Address, day: int) -> AddressFacts:
        return AddressFacts()


SENTRY = SentryStage(
    Nothing(), LocalMemory(1000), load_scorecard(), EntityHasher(b"k" * 32), time_limit_ms=1000
)


class CountingBuilder(Builder):
    """Counts what it builds, and fails where a test wants it to."""

    def __init__(self) -> None:
        # No other stage is ever run here.
        super().__init__({**dict.fromkeys(REGISTRY.names, cast(Stage, None)), "Sentry": SENTRY})
        self.built: list[str] = []
        self.fails_for = ""

    def rule_sets(self, account_id: str, stored: list[StoredVersion]) -> dict[str, CompiledRuleSet]:
        self.built.append(account_id)
        if account_id == self.fails_for:
            raise LookupError("a defect")
        return super().rule_sets(account_id, stored)


@pytest.fixture
def merchants(session: AdminSession) -> tuple[str, str]:
    with session.change() as change:
        first = accounts.create(change, "First", "USD").account_id
        second = accounts.create(change, "Second", "USD").account_id
    return first, second


def _apply(session: AdminSession, account: str, condition: str) -> None:
    text = f"rule_set: starter\nrules:\n  - {{name: a, condition: {condition}, outcome: REVIEW}}\n"
    program = encode_program(read_rule_set(text.encode()))
    with session.change() as change:
        key = ConfigurationKey(account, "rules", "starter")
        base = configurations.get(change.connection, key).version
        configurations.apply(change, key, VersionContent(text, program), base=base)


def _run(scenario: Callable[[], Awaitable[T]]) -> T:
    async def whole() -> T:
        return await scenario()

    return asyncio.run(whole())


def test_many_who_ask_at_once_wait_for_one_reading(
    session: AdminSession, merchants: tuple[str, str]
) -> None:
    async def scenario() -> list[str]:
        builder = CountingBuilder()
        setups = Setups(session.database, builder, session.signer)
        found = await asyncio.gather(*(setups.find(merchants[0]) for _ in range(20)))
        setups.stop()
        assert {id(each) for each in found} == {id(found[0])}
        assert set(found[0].pipelines) == {1, 2}
        return builder.built

    assert _run(scenario) == [merchants[0]]


def test_one_account_that_cannot_be_read_does_not_hold_up_the_others(
    session: AdminSession, merchants: tuple[str, str]
) -> None:
    async def scenario() -> int:
        builder = CountingBuilder()
        setups = Setups(session.database, builder, session.signer)
        for merchant in merchants:
            await setups.find(merchant)
        work = asyncio.create_task(setups.run())
        builder.fails_for = merchants[0]
        for merchant in merchants:
            _apply(session, merchant, "ip.tor")
        setups.changed()
        for _ in range(6000):
            version = (await setups.find(merchants[1])).rule_sets["starter"].version
            if version == 2:
                break
            await asyncio.sleep(0.02)
        still = (await setups.find(merchants[0])).rule_sets["starter"].version
        work.cancel()
        setups.stop()
        assert still == 1
        return version

    assert _run(scenario) == 2


def test_a_change_over_which_the_task_died_is_taken_up_when_it_is_started_again(
    session: AdminSession, merchants: tuple[str, str]
) -> None:
    async def scenario() -> int:
        setups = Setups(session.database, CountingBuilder(), session.signer)
        await setups.find(merchants[0])
        _apply(session, merchants[0], "ip.tor")
        setups.changed()
        with mock.patch.object(setups, "_refresh", side_effect=RuntimeError):
            with pytest.raises(RuntimeError):
                await setups.run()
        work = asyncio.create_task(setups.run())
        for _ in range(6000):
            version = (await setups.find(merchants[0])).rule_sets["starter"].version
            if version == 2:
                break
            await asyncio.sleep(0.02)
        work.cancel()
        setups.stop()
        return version

    assert _run(scenario) == 2


def test_of_many_accounts_those_are_read_again_that_changed(
    session: AdminSession, merchants: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gatehouse.operations.account_setup._MOST_STAMPS", 2)
    with session.change() as change:
        more = [accounts.create(change, "More", "USD").account_id for _ in range(3)]
    every = [*merchants, *more]

    async def scenario() -> list[str]:
        builder = CountingBuilder()
        setups = Setups(session.database, builder, session.signer)
        for merchant in every:
            await setups.find(merchant)
        work = asyncio.create_task(setups.run())
        changed = {merchants[1], more[2]}
        for merchant in changed:
            _apply(session, merchant, "ip.tor")
        setups.changed()
        for _ in range(6000):
            found = [
                (await setups.find(merchant)).rule_sets["starter"].version for merchant in every
            ]
            if sum(found) == 7:
                break
            await asyncio.sleep(0.02)
        work.cancel()
        setups.stop()
        assert found == [1, 2, 1, 1, 2]
        return builder.built

    assert _run(scenario) == [*every, merchants[1], more[2]]


@pytest.mark.parametrize("kind", ["rules", "pipeline"])
def test_an_account_with_something_that_cannot_be_read_is_refused(
    session: AdminSession, merchants: tuple[str, str], kind: str
) -> None:
    with session.change() as change:
        key = ConfigurationKey(merchants[0], kind, "newer")
        configurations.apply(change, key, VersionContent("?", '{"from": "later"}'), base=None)
    with pytest.raises(ConfigurationRefused, match="newer, version 1, cannot be read by this"):
        _found(session, merchants[0])
    assert set(_found(session, merchants[1]).pipelines) == {1, 2}


def test_an_older_reading_that_ends_leaves_the_newer_one_to_those_who_wait(
    sqlite_session: AdminSession,
) -> None:
    async def scenario() -> None:
        setups = Setups(sqlite_session.database, CountingBuilder(), sqlite_session.signer)
        older: asyncio.Future[Setup] = asyncio.Future()
        newer: asyncio.Future[Setup] = asyncio.Future()
        setups._sought["acct_1"] = newer
        setups._forget_sought("acct_1", older)
        assert setups._sought == {"acct_1": newer}
        setups._forget_sought("acct_1", newer)
        assert not setups._sought
        setups.stop()

    _run(scenario)


def _keep(session: AdminSession, account: str, program: str, *, live: bool = True) -> int:
    with session.change() as change:
        version = models.keep(change, account, lambda _: "{}", lambda _: program)
        if live:
            models.promote(change, account, version)
    return version


def _program(name: str, **changes: Any) -> str:
    return encode_sheet(msgspec.structs.replace(load_sheet(), version=name, **changes))


def _used_by(stage: Stage, account: str) -> str:
    """The version of the scorecard that a Sentry stage scores with."""
    case = Case("req_1", account, 1_790_000_000_000, ValuesByType.of(SentryRequest()))
    version: str = asyncio.run(cast(SentryStage, stage).run(case)).facts["model"]
    return version


def _found(session: AdminSession, account: str) -> Setup:
    async def scenario() -> Setup:
        setups = Setups(session.database, CountingBuilder(), session.signer)
        try:
            return await setups.find(account)
        finally:
            setups.stop()

    return _run(scenario)


def test_an_account_has_its_live_model_in_sentry_and_in_every_pipeline(
    session: AdminSession, merchants: tuple[str, str]
) -> None:
    _keep(session, merchants[0], _program("mine-1"))
    _keep(session, merchants[0], _program("mine-2"), live=False)
    mine, other = (_found(session, merchant) for merchant in merchants)
    assert (mine.model, _used_by(mine.sentry, merchants[0])) == (1, "mine-1")
    in_pipelines = [
        step.stage
        for pipeline in mine.pipelines.values()
        for step, each in zip(pipeline.steps, pipeline.definition.stages, strict=True)
        if each.stage == "Sentry"
    ]
    assert in_pipelines
    assert all(stage is mine.sentry for stage in in_pipelines)
    assert (other.model, other.sentry) == (None, SENTRY)


def test_a_model_in_shadow_is_recorded_and_changes_nothing_else(
    session: AdminSession, merchants: tuple[str, str]
) -> None:
    account = merchants[0]
    _keep(session, account, _program("mine-1"))
    doubting = Prior(0.05, "for a test")
    _keep(session, account, _program("mine-2", prior=doubting), live=False)

    def scored(setup: Setup) -> tuple[object, dict[str, Any]]:
        case = Case("req_1", account, 1_790_000_000_000, ValuesByType.of(SentryRequest()))
        result = asyncio.run(setup.sentry.run(case))
        return result.response, dict(result.facts)

    response, plain = scored(_found(session, account))
    with session.change() as change:
        models.start_shadow(change, account, 2)
    tried = _found(session, account)
    assert (tried.model, tried.shadow) == (1, 2)
    same, facts = scored(tried)
    shadow = facts.pop("shadow")
    assert (same, facts) == (response, plain)
    assert shadow["model"] == "mine-2"
    assert shadow["requestConfidence"] < plain["requestConfidence"]
    with session.change() as change:
        models.stop_shadow(change, account, 2)
    assert scored(_found(session, account)) == (response, plain)
    with session.change() as change:
        broken = models.keep(change, account, lambda _: "{}", lambda _: "{}")
        models.start_shadow(change, account, broken)
    assert scored(_found(session, account)) == (response, plain)


def test_the_sentry_operation_is_planned_with_the_stage_of_its_account(
    session: AdminSession, merchants: tuple[str, str]
) -> None:
    _keep(session, merchants[0], _program("mine-1"))

    async def scenario() -> list[Stage]:
        builder = CountingBuilder()
        setups = Setups(session.database, builder, session.signer)
        pipelines = Pipelines(setups, cast(SignalBuilder, None))
        with session.reading() as connection:
            callers: list[Account] = [accounts.get(connection, merchant) for merchant in merchants]
        plans = [await pipelines.plan_sentry(caller, SentryRequest()) for caller in callers]
        setups.stop()
        return [plan.steps[0].stage for plan in plans]

    mine, other = _run(scenario)
    assert _used_by(mine, merchants[0]) == "mine-1"
    assert other is SENTRY


def test_a_promoted_model_is_taken_up_and_one_that_stays_is_not_read_again(
    session: AdminSession, merchants: tuple[str, str]
) -> None:
    account = merchants[0]
    _keep(session, account, _program("mine-1"))
    _keep(session, account, _program("mine-2"), live=False)

    async def scenario() -> list[Setup]:
        setups = Setups(session.database, CountingBuilder(), session.signer)
        work = asyncio.create_task(setups.run())
        seen = [await setups.find(account)]

        async def changed() -> None:
            setups.changed()
            for _ in range(6000):
                found = await setups.find(account)
                if found is not seen[-1]:
                    seen.append(found)
                    return
                await asyncio.sleep(0.02)
            raise AssertionError("nothing changed")

        _apply(session, account, "ip.tor")
        await changed()
        for change_model in (
            lambda change: models.promote(change, account, 2),
            lambda change: models.rollback(change, account, 0),
        ):
            with session.change() as change:
                change_model(change)
            await changed()
        work.cancel()
        setups.stop()
        return seen

    first, other_rules, promoted, back = _run(scenario)
    assert other_rules.sentry is first.sentry
    assert other_rules.rule_sets["starter"].version == 2
    assert (promoted.model, _used_by(promoted.sentry, account)) == (2, "mine-2")
    assert (back.model, back.sentry) == (None, SENTRY)


@pytest.mark.parametrize(
    "program",
    [
        '{"from": "later"}',
        "no JSON",
        _program("mine").replace('"report_from"', '"of_later": [], "report_from"'),
        _program("mine", terms=load_sheet().terms * 2),
    ],
)
def test_a_model_that_cannot_be_read_is_refused_and_not_replaced(program: str) -> None:
    with pytest.raises(ConfigurationRefused, match="model 3 cannot be read by this version"):
        CountingBuilder().sentry("acct_1", (3, program))


def test_a_model_made_for_other_signals_is_used_and_told_about_once(
    session: AdminSession, merchants: tuple[str, str], caplog: pytest.LogCaptureFixture
) -> None:
    account = merchants[0]
    first, *others = load_sheet().terms
    unknown = msgspec.structs.replace(first, code="OF_LATER")
    _keep(session, account, _program("mine", terms=(unknown, *others)))

    async def scenario() -> Setup:
        setups = Setups(session.database, CountingBuilder(), session.signer)
        work = asyncio.create_task(setups.run())
        await setups.find(account)
        _apply(session, account, "ip.tor")
        setups.changed()
        for _ in range(6000):
            found = await setups.find(account)
            if found.rule_sets["starter"].version == 2:
                break
            await asyncio.sleep(0.02)
        work.cancel()
        setups.stop()
        return found

    found = _run(scenario)
    assert found.rule_sets["starter"].version == 2
    assert _used_by(found.sentry, account) == "mine"
    [record] = caplog.records
    assert record.levelno == logging.WARNING
    told = record.__dict__
    assert (told["shipped_terms"], told["dropped_terms"]) == ((first.code,), ("OF_LATER",))

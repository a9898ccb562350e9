"""What each account has configured, compiled and ready: rule sets, pipelines, lists.

A setup is read when an account first needs it and again, beside the requests, as soon as the
database says that something changed. A request uses one setup from its beginning to its end.
"""

import asyncio
import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Final, TypeVar

import msgspec

from gatehouse.core.case import Case
from gatehouse.core.stage import Stage
from gatehouse.language.nodes import Condition
from gatehouse.language.running import Lists, compile_condition
from gatehouse.pipeline.definition import (
    PipelineDefinition,
    StageDefinition,
    decode_program,
    needs,
)
from gatehouse.rules import ruleset
from gatehouse.rules.deciding import CompiledRuleSet
from gatehouse.rules.lists import AccountLists
from gatehouse.rules.stage import RulesStage
from gatehouse.store import configurations, lists
from gatehouse.store.configurations import Kept
from gatehouse.store.database import Database

_log: Final = logging.getLogger("gatehouse.offers")

_MOST_REMEMBERED: Final = 2_000
_RETRY_S: Final = 0.5

T = TypeVar("T")
Test = Callable[[Case], bool]


class PlannedStage(msgspec.Struct, frozen=True):
    """A stage of a pipeline with its conditions, ready to run."""

    definition: StageDefinition
    stage: Stage
    skip: Test | None
    stop: Test | None


class Pipeline(msgspec.Struct, frozen=True):
    """A pipeline of an account, ready to run."""

    definition: PipelineDefinition
    version: int
    stages: tuple[PlannedStage, ...]
    needs: dict[str, tuple[str, ...]]
    names: frozenset[str]
    """Of its stages."""


class Setup(msgspec.Struct, frozen=True):
    """Everything an account has configured, as of one moment."""

    stamp: str
    rule_sets: dict[str, CompiledRuleSet]
    pipelines: dict[int, Pipeline]
    lists: AccountLists


class Builder:
    """Makes setups out of what the store keeps."""

    def __init__(self, stages: dict[str, Stage]) -> None:
        self._stages = stages

    def build(
        self, account_id: str, stamp: str, kept: tuple[list[Kept], list[Kept]], held: AccountLists
    ) -> Setup:
        """A setup from kept rule sets, kept pipelines and lists.

        What this server cannot read, because a newer one wrote it, is left out and told about.
        """
        rule_sets: dict[str, CompiledRuleSet] = {}
        pipelines: dict[int, Pipeline] = {}
        for each in kept[0]:
            try:
                read = ruleset.decode_program(each.program)
                rule_sets[each.name] = CompiledRuleSet(read, each.version)
            except Exception:
                _log.exception("a rule set cannot be used", extra=_which(account_id, each))
        for each in kept[1]:
            try:
                definition = decode_program(each.program)
                number = definition.number
                pipelines[number] = self._pipeline(definition, each.version, rule_sets, held)
            except Exception:
                _log.exception("a pipeline cannot be used", extra=_which(account_id, each))
        return Setup(stamp, rule_sets, pipelines, held)

    def rules_stage(self, compiled: CompiledRuleSet, held: Lists) -> RulesStage:
        """A Rules stage for one rule set."""
        return RulesStage(compiled, held)

    def _pipeline(
        self,
        definition: PipelineDefinition,
        version: int,
        rule_sets: dict[str, CompiledRuleSet],
        held: AccountLists,
    ) -> Pipeline:
        def stage_of(each: StageDefinition) -> Stage:
            if each.rule_set is None:
                return self._stages[each.stage]
            return self.rules_stage(rule_sets[each.rule_set], held)

        stages = tuple(
            PlannedStage(
                each, stage_of(each), _test(each.skip_when, held), _test(each.stop_when, held)
            )
            for each in definition.stages
        )
        names = frozenset(each.stage for each in definition.stages)
        return Pipeline(definition, version, stages, needs(definition), names)


def _which(account_id: str, kept: Kept) -> dict[str, object]:
    return {"account": account_id, "called": kept.name, "version": kept.version}


def _test(condition: Condition | None, held: Lists) -> Test | None:
    if condition is None:
        return None
    holds = compile_condition(condition)
    return lambda case: holds(case.signals, held, case.at_ms)


class Setups:
    """Finds setups, and keeps those in use up to date."""

    def __init__(self, database: Database, builder: Builder) -> None:
        self._database = database
        self._builder = builder
        self._remembered: dict[str, Setup] = {}
        self._sought: dict[str, asyncio.Future[Setup]] = {}
        self._generation = 0
        self._changed = asyncio.Event()
        # Of its own: whoever looks up a key must not wait for somebody's large list.
        self._threads = ThreadPoolExecutor(2, "gatehouse-setups")

    async def find(self, account_id: str) -> Setup:
        """What the account has configured."""
        known = self._remembered.get(account_id)
        if known is not None:
            return known
        sought = self._sought.get(account_id)
        if sought is None:
            sought = asyncio.ensure_future(self._seek(account_id))
            self._sought[account_id] = sought
            sought.add_done_callback(lambda _: self._sought.pop(account_id, None))
        # Others may be waiting for the same: one who leaves must not take it from them.
        return await asyncio.shield(sought)

    def changed(self) -> None:
        """Something in the database has changed: perhaps a setup."""
        self._generation += 1
        # Whoever comes from now on must not be given what was being read before.
        self._sought.clear()
        self._changed.set()

    async def run(self) -> None:
        """Keep the setups in use up to date until cancelled."""
        while True:
            await self._changed.wait()
            self._changed.clear()
            failed = False
            for account_id in list(self._remembered):
                failed = not await self._refresh(account_id) or failed
            if failed:
                await asyncio.sleep(_RETRY_S)
                self._changed.set()

    def stop(self) -> None:
        """Let the threads go."""
        self._threads.shutdown(wait=False, cancel_futures=True)

    async def _seek(self, account_id: str) -> Setup:
        generation = self._generation
        setup = await self._on_a_thread(self._read, account_id)
        if generation == self._generation:
            if len(self._remembered) >= _MOST_REMEMBERED:
                self._remembered.clear()
            self._remembered[account_id] = setup
        return setup

    async def _refresh(self, account_id: str) -> bool:
        """Whether the account's setup is up to date now; if not, it stays as it was."""
        try:
            fresh = await self._on_a_thread(self._newer, account_id)
        except Exception:
            _log.exception("could not look for changes", extra={"account": account_id})
            return False
        if fresh is not None:
            self._remembered[account_id] = fresh
        return True

    def _on_a_thread(self, question: Callable[[str], T], account_id: str) -> "asyncio.Future[T]":
        return asyncio.get_running_loop().run_in_executor(self._threads, question, account_id)

    def _newer(self, account_id: str) -> Setup | None:
        known = self._remembered.get(account_id)
        with self._database.reading() as connection:
            stamp = configurations.stamp(connection, account_id)
        return None if known is not None and known.stamp == stamp else self._read(account_id)

    def _read(self, account_id: str) -> Setup:
        known = self._remembered.get(account_id)
        with self._database.reading() as connection:
            stamp = configurations.stamp(connection, account_id)
            kept = (
                configurations.active(connection, account_id, "rules"),
                configurations.active(connection, account_id, "pipeline"),
            )
            # Lists can be large, and rules change more often than they do.
            same_lists = known is not None and _lists_part(known.stamp) == _lists_part(stamp)
            held = known.lists if known and same_lists else lists.load(connection, account_id)
        return self._builder.build(account_id, stamp, kept, held)


def _lists_part(stamp: str) -> str:
    return stamp.partition("/")[2]

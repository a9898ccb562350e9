"""What each account has configured, compiled and ready: rule sets, pipelines, lists, its Sentry.

A setup is read when an account first needs it and again, beside the requests, as soon as the
database says that something changed. A request uses one setup from its beginning to its end.
"""

import asyncio
import contextlib
import logging
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Final, Protocol, TypeVar

import msgspec

from gatehouse.core.errors import ConfigurationRefused, StoreUnavailable
from gatehouse.core.limits.lru_cache import LruCache
from gatehouse.core.stages.registry import REGISTRY
from gatehouse.core.stages.stage import Stage
from gatehouse.core.wording.sentences import Phrase, said_by
from gatehouse.operations.live_experiments import (
    ExperimentParts,
    LiveExperiment,
    challenger_program,
    live_experiment,
    running_experiment,
)
from gatehouse.operations.pipeline_steps import Ruled, steps_of
from gatehouse.operations.ready_pipeline import Pipeline
from gatehouse.pipeline.definition import (
    PipelineDefinition,
    decode_program,
    needs,
    reads,
    without_payment,
)
from gatehouse.rules import ruleset
from gatehouse.rules.decide import CompiledRuleSet
from gatehouse.rules.lists import AccountLists
from gatehouse.rules.stage import RulesStage
from gatehouse.sentry.features.catalogue import BY_CODE
from gatehouse.sentry.scorecard import Scorecard, ScorecardError
from gatehouse.sentry.stage import SentryStage
from gatehouse.store.configured import configurations, experiments, models
from gatehouse.store.configured.account_signature import check_account, put_back
from gatehouse.store.configured.configurations import (
    StoredVersion,
    check_versions,
    stamp_of,
    stamps_of,
)
from gatehouse.store.configured.hold_out_caps import HoldOutCounter
from gatehouse.store.configured.list_reading import load as load_lists
from gatehouse.store.configured.refusals import Refusals
from gatehouse.store.configured.signing import Signer
from gatehouse.store.database import Database

_log: Final = logging.getLogger("gatehouse.operations")

_MOST_REMEMBERED: Final = 2_000
_MOST_STAMPS: Final = 500
"""How many accounts one query asks for."""
_RETRY_S: Final = 0.5
_REFUSED_AGAIN_S: Final = 10.0

_UNREADABLE: Final = Phrase(
    "refused.configuration_unreadable",
    "{what} cannot be read by this version of Gatehouse ({kind}); upgrade this server, or apply "
    "an earlier version",
)

Q = TypeVar("Q")
A = TypeVar("A")


class Setup(msgspec.Struct, frozen=True):
    """Everything an account has configured, as of one moment."""

    stamp: str
    rule_sets: dict[str, CompiledRuleSet]
    pipelines: dict[int, Pipeline]
    lists: AccountLists
    sentry: SentryStage
    """Scores with the account's live model, if it has one."""
    model: int | None
    """The version of that model."""
    changes: int = 0
    """How often the account's configuration was changed."""
    shadow: int | None = None
    """The version of the model that scores beside the live one, if there is one."""
    ruling: dict[str, RulesStage] = {}
    """Rules alone by the name of the rule set; made when they are needed."""
    live: LiveExperiment | None = None
    """The experiment under way, if there is one."""

    def rules_alone(self, name: str) -> RulesStage | None:
        """The stage of a Rules request; None when there is no such rule set."""
        stage = self.ruling.get(name)
        if stage is None and name in self.rule_sets:
            stage = self.ruling[name] = RulesStage(self.rule_sets[name], self.lists)
        return stage


class SetupSource(Protocol):
    """Finds setups."""

    async def find(self, account_id: str) -> Setup:
        """What the account has configured."""


class Builder:
    """Makes setups out of what the store keeps."""

    def __init__(self, stages: dict[str, Stage], *, pays: bool = True) -> None:
        """`pays` says whether there is a gateway that could be asked for a payment."""
        sentry = stages[SentryStage.name]
        assert isinstance(sentry, SentryStage)
        self._stages = stages
        self._pays = pays
        self.shipped_sentry = sentry
        """Sentry for accounts without a model of their own."""

    def sentry(self, account_id: str, live: tuple[int, str] | None) -> SentryStage:
        """Sentry for an account, with the scorecard of its live model, if it has one."""
        if live is None:
            return self.shipped_sentry
        version, program = live
        which = {"account": account_id, "version": version}
        with _readable(account_id, f"model {version}"):
            read = models.read_program(program)
            scorecard = Scorecard(read.sheet, BY_CODE.keys())
            if read.added or read.dropped:
                changes = {"shipped_terms": read.added, "dropped_terms": read.dropped}
                _log.warning("a model was made for other signals", extra={**which, **changes})
            return self.shipped_sentry.with_scorecard(scorecard)

    def with_shadow(self, sentry: SentryStage, beside: StoredVersion) -> SentryStage:
        """The same with a model beside it, which decides nothing: unreadable, it is left out."""
        try:
            read = models.read_program(beside.program)
            return sentry.with_shadow(Scorecard(read.sheet, BY_CODE.keys()))
        except ScorecardError as error:
            which = {"account": beside.account_id, "version": beside.version}
            _log.warning("a model in shadow cannot be used", extra={**which, "reason": str(error)})
            return sentry

    def rule_sets(self, account_id: str, stored: list[StoredVersion]) -> dict[str, CompiledRuleSet]:
        """The rule sets by name."""
        found: dict[str, CompiledRuleSet] = {}
        for each in stored:
            with _readable(account_id, f"rule set {each.name}, version {each.version},"):
                read = ruleset.decode_program(each.program)
                found[each.name] = CompiledRuleSet(read, each.version)
        return found

    def pipelines(
        self,
        account_id: str,
        stored: list[StoredVersion],
        rule_sets: dict[str, CompiledRuleSet],
        lists: AccountLists,
        sentry: SentryStage,
    ) -> dict[int, Pipeline]:
        """The pipelines by number."""
        found: dict[int, Pipeline] = {}
        for each in stored:
            with _readable(account_id, f"pipeline {each.name}, version {each.version},"):
                whole = decode_program(each.program)
                if not self._pays and all(REGISTRY[step.stage].pays for step in whole.stages):
                    # Without a gateway nothing is left of it, so that it cannot be called.
                    continue
                found[whole.number] = self.pipeline(whole, each.version, rule_sets, lists, sentry)
        return found

    def pipeline(
        self,
        whole: PipelineDefinition,
        version: int,
        rule_sets: Mapping[str, CompiledRuleSet],
        lists: AccountLists,
        sentry: SentryStage,
    ) -> Pipeline:
        """One pipeline, ready to run; without its payment where there is no gateway."""
        read = whole if self._pays else without_payment(whole)
        if SentryStage.name in read.decided_by:
            sentry = sentry.deciding()
        stages: dict[str, Stage] = {**self._stages, SentryStage.name: sentry}
        ruled = Ruled(read, rule_sets, lists)
        steps = steps_of(read, lambda _, name: stages[name], ruled, lists)
        # What is paid elsewhere may still be told here, so that rules can speak of it.
        return Pipeline(read, version, steps, reads(whole), needs(read))


@contextlib.contextmanager
def _readable(account_id: str, what: str) -> Iterator[None]:
    """Refuse what cannot be read: a decision without it would be another decision."""
    try:
        yield
    except Exception as error:
        kind = type(error).__name__
        raise ConfigurationRefused(account_id, _UNREADABLE(what=what, kind=kind)) from error


class Setups:
    """Finds setups, and keeps those in use up to date."""

    def __init__(
        self,
        database: Database,
        builder: Builder,
        signer: Signer,
        refusals: Refusals | None = None,
    ) -> None:
        self._database = database
        self._builder = builder
        self._caps = HoldOutCounter(database)
        self._signer = signer
        self._refusals = refusals or Refusals()
        self._refused: dict[str, ConfigurationRefused] = {}
        self._remembered: LruCache[str, Setup] = LruCache(_MOST_REMEMBERED)
        self._sought: dict[str, asyncio.Future[Setup]] = {}
        self._generation = 0
        self._changed = asyncio.Event()
        # Threads of its own: the look-up of a key must not wait for another account's large list.
        self._threads = ThreadPoolExecutor(2, "gatehouse-setups")

    async def find(self, account_id: str) -> Setup:
        """What the account has configured."""
        known = self._remembered.find(account_id)
        if known is not None:
            return known
        refused = self._refused.get(account_id)
        if refused is not None:
            raise ConfigurationRefused(account_id, said_by(refused))
        sought = self._sought.get(account_id)
        if sought is None:
            sought = asyncio.ensure_future(self._seek(account_id))
            self._sought[account_id] = sought
            sought.add_done_callback(partial(self._forget_sought, account_id))
        # Other requests may wait for the same setup: one that is cancelled must not cancel it.
        return await asyncio.shield(sought)

    def _forget_sought(self, account_id: str, done: "asyncio.Future[Setup]") -> None:
        # After a change there may be a newer one, which others wait for.
        if self._sought.get(account_id) is done:
            del self._sought[account_id]

    def changed(self) -> None:
        """Something in the database has changed: perhaps a setup."""
        self._generation += 1
        # A request that comes from now on must not get a setup that was read before the change.
        self._sought.clear()
        self._changed.set()

    async def run(self) -> None:
        """Keep the setups in use up to date until cancelled."""
        # An earlier run may have died over a change.
        self._changed.set()
        while True:
            with contextlib.suppress(TimeoutError):
                # What was refused may be put right without a change that is counted.
                async with asyncio.timeout(_REFUSED_AGAIN_S if self._refused else None):
                    await self._changed.wait()
            self._changed.clear()
            failed = False
            # A copy: threads change it.
            for account_id in list(self._refused):
                if account_id not in self._remembered:
                    await self._seek_again(account_id)
            known = list(self._remembered)
            for begin in range(0, len(known), _MOST_STAMPS):
                failed = not await self._refresh(known[begin : begin + _MOST_STAMPS]) or failed
            if failed:
                await asyncio.sleep(_RETRY_S)
                self._changed.set()

    def stop(self) -> None:
        """End the threads, which may have a connection of the database until then."""
        self._threads.shutdown(cancel_futures=True)

    async def _seek(self, account_id: str) -> Setup:
        generation = self._generation
        setup = await self._on_a_thread(self._read, account_id)
        if generation == self._generation:
            self._remembered.put(account_id, setup)
        return setup

    async def _seek_again(self, account_id: str) -> None:
        try:
            await self._seek(account_id)
        except (ConfigurationRefused, StoreUnavailable):
            pass  # It is logged again only if something else is refused now.
        except Exception:
            _log.exception("could not look for changes", extra={"account": account_id})

    async def _refresh(self, account_ids: list[str]) -> bool:
        """Whether these accounts' setups are up to date now; one that is not stays as it was."""
        try:
            changed = await self._on_a_thread(self._outdated, account_ids)
        except Exception:
            _log.exception("could not look for changes")
            return False
        done = True
        for account_id in changed:
            try:
                self._remembered.put(account_id, await self._on_a_thread(self._read, account_id))
            except ConfigurationRefused:
                continue  # It was logged, and what was loaded before stays in use.
            except Exception:
                _log.exception("could not look for changes", extra={"account": account_id})
                done = False
        return done

    def _on_a_thread(self, question: Callable[[Q], A], about: Q) -> "asyncio.Future[A]":
        return asyncio.get_running_loop().run_in_executor(self._threads, question, about)

    def _outdated(self, account_ids: list[str]) -> list[str]:
        with self._database.reading() as connection:
            stamps = stamps_of(connection, account_ids)
        setups = [(each, self._remembered.get(each)) for each in account_ids]
        return [
            each
            for each, setup in setups
            if setup and (setup.stamp != stamps[each] or each in self._refused)
        ]

    def _read(self, account_id: str) -> Setup:
        """What the account has configured; `ConfigurationRefused` if it was changed by others."""
        known = self._remembered.get(account_id)
        try:
            setup = self._read_genuine(account_id, known)
        except ConfigurationRefused as error:
            self._refused[account_id] = error
            self._refusals.note(account_id, "setup", said_by(error), kept=known is not None)
            raise
        self._refused.pop(account_id, None)
        self._refusals.clear(account_id, "setup")
        return setup

    def _read_genuine(self, account_id: str, known: Setup | None) -> Setup:
        signer = self._signer
        with self._database.reading() as connection:
            stamp = stamp_of(connection, account_id)
            changes = check_account(connection, signer, account_id)
            if known is not None and changes < known.changes:
                raise put_back(account_id)
            stored_rules = configurations.active(connection, account_id, "rules")
            stored_pipelines = configurations.active(connection, account_id, "pipeline")
            stored_model = configurations.active(connection, account_id, models.KIND)
            stored_experiments = configurations.active(connection, account_id, experiments.KIND)
            beside = models.shadow_version(connection, account_id)
            stored = [*stored_rules, *stored_pipelines, *stored_model, *stored_experiments]
            check_versions(signer, stored if beside is None else [*stored, beside])
            experiment = running_experiment(stored_experiments)
            challenger = challenger_program(connection, signer, account_id, experiment)
            # Lists can be large, and rules change more often than they do.
            same_lists = known is not None and _lists_part(known.stamp) == _lists_part(stamp)
            if known is not None and same_lists:
                lists = known.lists
            else:
                lists = load_lists(connection, account_id, signer)
        live = (stored_model[0].version, stored_model[0].program) if stored_model else None
        model = None if live is None else live[0]
        # A version is never changed: what was made of it stays true.
        tried = None if beside is None else beside.version
        if known is not None and (known.model, known.shadow) == (model, tried):
            sentry = known.sentry
        else:
            sentry = self._builder.sentry(account_id, live)
            if beside is not None:
                sentry = self._builder.with_shadow(sentry, beside)
        rule_sets = self._builder.rule_sets(account_id, stored_rules)
        pipelines = self._builder.pipelines(account_id, stored_pipelines, rule_sets, lists, sentry)
        running = None
        if experiment is not None:
            parts = ExperimentParts(
                account_id,
                rule_sets,
                lists,
                sentry,
                model or 0,
                stored_pipelines,
                pipelines,
                challenger,
            )
            with contextlib.suppress(ConfigurationRefused):
                running = live_experiment(self._builder, experiment, parts, self._caps)
        made = Setup(stamp, rule_sets, pipelines, lists, sentry, model, changes, tried)
        return msgspec.structs.replace(made, live=running) if running else made


def _lists_part(stamp: str) -> str:
    return stamp.partition("/")[2]

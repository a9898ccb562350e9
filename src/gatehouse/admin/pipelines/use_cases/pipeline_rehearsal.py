"""Runs a request that a person wrote through a draft of a pipeline.

The engine and the stages are those of a server. Only the sandbox's parties are asked, nothing is
charged or recorded, and the memory is empty, so that the request is the first of everybody in it.
"""

import asyncio
import secrets
from collections.abc import Callable
from functools import cache
from typing import Final, cast

import msgspec

from gatehouse.admin.pipelines.use_cases.pipeline_trial import PipelineTrial, TriedStage, read_draft
from gatehouse.core.errors import InvalidInput
from gatehouse.core.ids import new_id
from gatehouse.core.reading.request_reader import RequestReader
from gatehouse.core.reading.unread_fields import FieldWarning, UnreadFields
from gatehouse.core.stages.case import Case
from gatehouse.core.stages.outcomes import OnFailure
from gatehouse.core.wording.sentences import Phrase
from gatehouse.idverify.source import NoRecords
from gatehouse.intel.bins import BinTable, load_bins
from gatehouse.intel.feeds.feeds import Feeds
from gatehouse.intel.networks import PackedNetworks, load_networks
from gatehouse.operations.account_setup import Setup, Setups
from gatehouse.operations.assembly import (
    assemble,
    engine_options,
    make_engine,
    sandbox_parties,
    with_sandbox_parties,
)
from gatehouse.operations.catalogue import PIPELINE, read_policies
from gatehouse.operations.planning import Pipelines
from gatehouse.pipeline.definition import PipelineDefinition
from gatehouse.pipeline.engine import Engine
from gatehouse.pipeline.job import Job, Processed, RequestPlan, Step
from gatehouse.pipeline.settlement import (
    AuthorizationResult,
    Authorize,
    Authorized,
    Close,
    Closed,
    Redirect,
    Release,
)
from gatehouse.sentry.memory.local import LocalMemory
from gatehouse.settings.settings import Settings
from gatehouse.store.accounts import accounts
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.admin.named_cards import NamedCards

_REQUEST_BYTES: Final = Phrase("refused.request_bytes", "a request has at most {most} bytes")

LARGEST_REQUEST: Final = 64 * 1024
_MOST_ENTITIES: Final = 100
"""That the memory holds: no request names more."""
_DRAFT: Final = 0
"""The version of a pipeline that nobody has applied."""


class _Nothing:
    """A settlement that settles nothing."""

    async def authorize(self, order: Authorize) -> AuthorizationResult:
        return Authorized(remaining=0)

    def close(self, order: Close) -> "asyncio.Future[Closed]":
        done: asyncio.Future[Closed] = asyncio.get_running_loop().create_future()
        done.set_result(Closed(remaining=0, answer=None))
        return done

    async def redirect(self, order: Redirect) -> None:
        return None

    async def release(self, order: Release) -> None:
        return None


class _Only:
    """The setup of one account."""

    def __init__(self, setup: Setup) -> None:
        self._setup = setup

    async def find(self, _account_id: str) -> Setup:
        return self._setup


class _Ends:
    """Notes which conditions of a plan held, by the places of their stages."""

    def __init__(self) -> None:
        self.skipped: set[int] = set()
        self.stopped: set[int] = set()

    def watch(self, plan: RequestPlan) -> RequestPlan:
        """The same plan, watched."""
        steps = [
            msgspec.structs.replace(
                each,
                skip=_noting(each.skip, self.skipped, each),
                stop=_noting(each.stop, self.stopped, each),
            )
            for each in plan.steps
        ]
        return msgspec.structs.replace(plan, steps=tuple(steps))


def try_request(
    session: AdminSession, account_id: str, settings: Settings, content: bytes, body: bytes
) -> PipelineTrial:
    """What a draft decides about a request; `RequestRefused` as the API would refuse it."""
    if len(body) > LARGEST_REQUEST:
        raise InvalidInput(_REQUEST_BYTES(most=LARGEST_REQUEST))
    definition = read_draft(session, account_id, content)
    return asyncio.run(_Rehearsal(session, account_id, settings).run(definition, body))


class _Rehearsal:
    def __init__(self, session: AdminSession, account_id: str, settings: Settings) -> None:
        self._session = session
        self._account_id = account_id
        self._settings = with_sandbox_parties(settings)
        self._ends = _Ends()

    async def run(self, definition: PipelineDefinition, body: bytes) -> PipelineTrial:
        pipelines = await self._pipelines(definition)
        call = RequestReader(pipelines.messages.call).read(body)
        with self._session.account_reading(self._account_id) as connection:
            account = accounts.get(connection, self._account_id)
        plan = await pipelines.plan_pipeline(account, call)
        self._count_cards(plan)
        unread = UnreadFields(pipelines.messages.request).find(body, plan.ignored)
        job = Job(
            request_id=new_id("req", self._session.clock(), secrets.token_bytes),
            operation=PIPELINE,
            account_id=self._account_id,
            policies=read_policies(account.policies),
            plan=self._ends.watch(plan),
            client_reference=None,
            claim=None,
            render=lambda _done: b"",
        )
        done = cast(Processed, await self._engine().process(job))
        return _trial(definition, done, self._ends, unread)

    def _count_cards(self, plan: RequestPlan) -> None:
        """Count the card numbers: the account's own lists say which of them they hold."""
        with NamedCards(self._session, self._account_id, "pipelines") as cards:
            for card in (plan.card, *plan.other_cards.values()):
                if card is not None:
                    cards.of(card.number)

    async def _pipelines(self, definition: PipelineDefinition) -> Pipelines:
        """What plans requests for the draft, and for nothing else."""
        session = self._session
        feeds = Feeds(_networks(), None, session.clock)
        # A trial has no limit to guesses, so that it must not ask about real people.
        parties = sandbox_parties(session, NoRecords(), feeds, LocalMemory(_MOST_ENTITIES))
        made = assemble(self._settings, parties)
        setups = Setups(session.database, made.builder, session.signer)
        try:
            setup = await setups.find(self._account_id)
        finally:
            await asyncio.to_thread(setups.stop)
        draft = made.builder.pipeline(
            definition, _DRAFT, setup.rule_sets, setup.lists, setup.sentry
        )
        only = msgspec.structs.replace(setup, pipelines={definition.number: draft})
        return made.pipelines(_Only(only))

    def _engine(self) -> Engine:
        session = self._session
        options = engine_options(self._settings, session, "rehearsal")
        # Only the sandbox's parties are asked, and the card numbers are counted already.
        options = msgspec.structs.replace(options, guess_limit=0, enumeration_limit=0, terms=None)
        return make_engine(_Nothing(), session, _bins(), session.clock, options)


def _trial(
    definition: PipelineDefinition,
    done: Processed,
    ends: _Ends,
    unread: tuple[FieldWarning, ...],
) -> PipelineTrial:
    runs = {run.position: run for run in done.runs}
    last = max(runs, default=-1)
    stages = []
    for place, each in enumerate(definition.stages):
        run = runs.get(place)
        if run is None:
            skipped = place in ends.skipped or place < last
            stages.append(TriedStage(each, ran=False, skipped=skipped))
            continue
        failed = not run.item.completed
        stages.append(
            TriedStage(
                each,
                ran=True,
                vote=run.result.verdict,
                matched=tuple(run.result.facts.get("matched", ())),
                failed=failed,
                stopped=place in ends.stopped or (failed and each.on_failure is OnFailure.STOP),
                answer=msgspec.json.format(
                    msgspec.json.encode(run.result.inside or run.result.response)
                ).decode(),
            )
        )
    assert done.decision is not None, "a pipeline decides"
    return PipelineTrial(None, None, done.decision, stages, unread)


def _noting(
    test: Callable[[Case], bool] | None, held: set[int], step: Step
) -> Callable[[Case], bool] | None:
    if test is None:
        return None

    def noted(case: Case) -> bool:
        if test(case):
            held.add(step.position)
            return True
        return False

    return noted


# Read once in a process: the table of networks takes a second and 34 MB.
@cache
def _networks() -> PackedNetworks:
    return load_networks()


@cache
def _bins() -> BinTable:
    return load_bins()

"""The engine on a real store: what runs, what is charged, what is recorded."""

import asyncio
import itertools
import time
import traceback
from collections.abc import Callable
from typing import Any

import msgspec
import pytest
import sqlalchemy as sa

from gatehouse.admin.money.use_cases import money
from gatehouse.admin.reviews.queries import reviews
from gatehouse.core.defects import Defect
from gatehouse.core.errors import ConnectorFailed, RequestRefused, StoreUnavailable
from gatehouse.core.money import Payment
from gatehouse.core.stages.case import Case, StageResult, ValuesByType
from gatehouse.core.stages.outcomes import Outcome
from gatehouse.core.stages.stage import Stage
from gatehouse.decisions.record import PipelineVersion, RecordedSignals, encode
from gatehouse.intel.bins import load_bins
from gatehouse.intel.cards import CardMasker
from gatehouse.pipeline.engine import Engine, EngineOptions, ProcessingResult
from gatehouse.pipeline.job import DecisionPlan, Job, Processed, RequestPlan, Step
from gatehouse.pipeline.settlement import Insufficient, Release
from gatehouse.store.accounts import accounts
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.decisions import decisions
from gatehouse.store.requests import intents
from gatehouse.store.requests.batch_sql import open_batch_session
from gatehouse.store.requests.writer import Writer
from gatehouse.store.tables import GATEWAY_INTENTS
from tests.harness import FINGERPRINTS, make_account

_NUMBERS = itertools.count(1)
MASKER = CardMasker(load_bins(), FINGERPRINTS)


class Answer(msgspec.Struct):
    word: str


class PlayStage:
    """A stage that does what a test wants."""

    time_limit_ms = 50

    def __init__(self, fee_type: str, does: Callable[[Case], Any]) -> None:
        self.name = fee_type.title()
        self.fee_type = fee_type
        self._does = does
        self.ran = 0

    async def run(self, case: Case) -> StageResult:
        self.ran += 1
        done = self._does(case)
        if asyncio.iscoroutine(done):
            await done
        return StageResult(Answer("done"), completed=True, facts={"word": "done"})

    def refer(self, case: Case) -> str | None:
        return f"reference of {case.account_id}"

    def unavailable(self, case: Case) -> StageResult:
        return StageResult(Answer("later"), completed=False, facts={"word": "later"})


def nothing(_case: Case) -> None:
    return None


def fails(_case: Case) -> None:
    raise ConnectorFailed("no line")


def silent(_case: Case) -> Any:
    return asyncio.sleep(60)


def defect(_case: Case) -> None:
    raise LookupError("a defect")


SECRET = "".join(["the code is ", "7", "3", "7"])  # so that no line of source holds it
FEES = {"PRECHECK": 50_000, "SENTRY": 20_000}


def order(*stages: Stage, account_id: str) -> Job:
    return Job(
        request_id=f"req_{next(_NUMBERS):026d}",
        operation="play",
        account_id=account_id,
        policies=ValuesByType(),
        plan=RequestPlan(
            steps=tuple(Step(stage, FEES[stage.fee_type]) for stage in stages),
            inputs=ValuesByType(),
            card=None,
            answer=lambda done: done,
        ),
        client_reference="order 4242424242424242",
        claim=None,
        render=lambda _: b"",
    )


def process(session: AdminSession, *orders: Job) -> list[ProcessingResult | BaseException]:
    """Run orders at once on an engine with its own writer."""

    async def scenario() -> list[ProcessingResult | BaseException]:
        writer = Writer(lambda: open_batch_session(session.database))
        writer.start()
        options = EngineOptions(owner="srv_test", authorization_ttl_ms=60_000, guess_limit=0)
        engine = Engine(writer, MASKER, session.clock, time.perf_counter, options)
        try:
            return await asyncio.gather(*map(engine.process, orders), return_exceptions=True)
        finally:
            await writer.stop()

    return asyncio.run(scenario())


@pytest.fixture
def account(session: AdminSession) -> str:
    return make_account(session, micros=100_000)


def _state(session: AdminSession, account: str) -> tuple[int, int]:
    with session.reading() as connection:
        state = accounts.state(connection, account)
    assert money.verify_ledger(session).problems == []
    return state.balance, state.held


def test_what_completes_is_charged_and_what_does_not_is_free(
    session: AdminSession, account: str
) -> None:
    wanted = order(PlayStage("PRECHECK", fails), PlayStage("SENTRY", nothing), account_id=account)
    [done] = process(session, wanted)
    assert isinstance(done, Processed)
    assert [(run.item.fee_type, run.item.completed) for run in done.runs] == [
        ("PRECHECK", False),
        ("SENTRY", True),
    ]
    assert (done.authorized, done.closed, done.remaining) == (70_000, 20_000, 80_000)
    assert _state(session, account) == (80_000, 0)


def test_a_stage_that_takes_too_long_is_cut_off_and_free(
    session: AdminSession, account: str
) -> None:
    [done] = process(session, order(PlayStage("PRECHECK", silent), account_id=account))
    assert isinstance(done, Processed)
    assert done.runs[0].result.facts == {"word": "later"}
    assert _state(session, account) == (100_000, 0)


def test_without_money_nothing_runs_and_nothing_is_held(
    session: AdminSession, account: str
) -> None:
    stages = [PlayStage("PRECHECK", nothing) for _ in range(3)]
    outcomes = process(session, *(order(stage, account_id=account) for stage in stages))
    refused = [one for one in outcomes if isinstance(one, Insufficient)]
    assert len(refused) == 1
    assert sum(stage.ran for stage in stages) == 2
    assert _state(session, account) == (0, 0)


def test_a_defect_in_a_stage_costs_the_caller_nothing(session: AdminSession, account: str) -> None:
    outcomes = process(
        session,
        order(PlayStage("PRECHECK", defect), account_id=account),
        order(PlayStage("SENTRY", nothing), account_id=account),
    )
    assert isinstance(outcomes[0], Defect)
    assert isinstance(outcomes[1], Processed)
    assert _state(session, account) == (80_000, 0)


def _with_everything() -> Exception:
    """An exception that repeats a secret wherever an exception can hold words."""
    error = ValueError(SECRET)
    error.add_note(SECRET)
    error.__cause__ = KeyError(SECRET)
    error.__context__ = OSError(SECRET)
    return error


def _named(text: str) -> type[BaseException]:
    return type("Mine", (BaseException,), {"__str__": lambda _: text, "__repr__": lambda _: text})


@pytest.mark.parametrize(
    "raised",
    [
        _with_everything(),
        ExceptionGroup(SECRET, [ValueError(SECRET)]),
        SyntaxError(SECRET, (SECRET, 1, 1, SECRET)),
        UnicodeEncodeError("ascii", SECRET, 0, 1, SECRET),
        RequestRefused("invalid_request", fields={SECRET: [SECRET]}, details=[SECRET]),
        StoreUnavailable(SECRET),
        SystemExit(SECRET),
        _named(SECRET)(),
    ],
    ids=lambda each: type(each).__name__,
)
def test_a_defect_of_a_stage_keeps_its_class_and_its_trace_but_not_its_words(
    session: AdminSession, account: str, raised: BaseException
) -> None:
    def careless(_case: Case) -> None:
        raise raised

    [found] = process(session, order(PlayStage("PRECHECK", careless), account_id=account))
    assert isinstance(found, Defect)
    told = "".join(traceback.format_exception(found))
    assert f"{type(raised).__name__} in a stage" in told
    assert "in careless" in told
    assert SECRET not in told
    assert found.__cause__ is None
    assert found.__context__ is None
    assert _state(session, account) == (100_000, 0)


def test_later_stages_see_what_earlier_ones_found(session: AdminSession, account: str) -> None:
    seen: list[list[str]] = []
    first = PlayStage("PRECHECK", nothing)
    second = PlayStage("SENTRY", lambda case: seen.append(list(case.results)))
    process(session, order(first, second, account_id=account))
    assert seen == [["Precheck"]]


def test_the_record_names_the_stages_and_masks_free_text(
    session: AdminSession, account: str
) -> None:
    wanted = order(PlayStage("PRECHECK", nothing), account_id=account)
    process(session, wanted)
    with session.reading() as connection:
        record = decisions.get(connection, account, wanted.request_id, session.fingerprints)
        other = decisions.get(connection, "acct_other", wanted.request_id, session.fingerprints)
    assert record is not None
    assert other is None
    assert record.client_reference_id == "order [card]"
    assert [stage.name for stage in record.stages] == ["Precheck"]
    assert "4242424242424242" not in encode(record)


def test_one_bad_order_in_a_batch_fails_alone(session: AdminSession, account: str) -> None:
    """The second use of a request id breaks the ledger's key; its neighbours must not notice."""
    good = [order(PlayStage("SENTRY", nothing), account_id=account) for _ in range(3)]
    twin = msgspec.structs.replace(good[0])
    process(session, good[0])
    outcomes = process(session, good[1], twin, good[2])
    assert isinstance(outcomes[0], Processed)
    assert isinstance(outcomes[1], Exception)
    assert isinstance(outcomes[2], Processed)
    assert _state(session, account) == (40_000, 0)


def test_releasing_twice_gives_the_money_back_once(session: AdminSession, account: str) -> None:
    async def scenario() -> None:
        writer = Writer(lambda: open_batch_session(session.database))
        writer.start()
        await asyncio.gather(*(writer.release(Release(account, "req_none", 0)) for _ in range(2)))
        await writer.stop()

    asyncio.run(scenario())
    assert _state(session, account) == (100_000, 0)


class Plain:
    """A survey that knows what a test tells it."""

    def __init__(self, **signals: Any) -> None:
        self._signals = signals

    async def describe(self, case: Case) -> None:
        case.signals = dict(self._signals)

    def facts(self, case: Case) -> RecordedSignals:
        return RecordedSignals(self._signals)


def course(decided: Outcome = Outcome.ACCEPT, **signals: Any) -> DecisionPlan:
    return DecisionPlan(Plain(**signals), lambda _runs: decided, PipelineVersion(7, 3))


def steps(*given: Step, account_id: str, **more: Any) -> Job:
    wanted = order(account_id=account_id)
    return planned(wanted, steps=given, decision_plan=course(), **more)


def planned(job: Job, **changes: Any) -> Job:
    return msgspec.structs.replace(job, plan=msgspec.structs.replace(job.plan, **changes))


def ran(outcome: object) -> list[str]:
    assert isinstance(outcome, Processed)
    return [run.stage for run in outcome.runs]


def test_a_stage_is_left_out_when_its_condition_says_so(
    session: AdminSession, account: str
) -> None:
    left_out = PlayStage("PRECHECK", nothing)
    skipped = Step(left_out, 50_000, skip=lambda case: case.signals["amount"] > 5)
    wanted = steps(skipped, Step(PlayStage("SENTRY", nothing), 20_000), account_id=account)
    [done] = process(session, planned(wanted, decision_plan=course(amount=9)))
    assert ran(done) == ["Sentry"]
    assert left_out.ran == 0
    assert _state(session, account) == (80_000, 0)


def test_nothing_runs_after_a_stage_whose_condition_ends_the_request(
    session: AdminSession, account: str
) -> None:
    last = Step(PlayStage("SENTRY", nothing), 20_000, stop=lambda _case: True)
    never = PlayStage("PRECHECK", nothing)
    [done] = process(session, steps(last, Step(never, 50_000), account_id=account))
    assert ran(done) == ["Sentry"]
    assert never.ran == 0
    assert isinstance(done, Processed)
    assert (done.authorized, done.closed) == (70_000, 20_000)


@pytest.mark.parametrize("ends", [True, False])
def test_a_failed_stage_ends_the_request_only_where_it_is_to(
    session: AdminSession, account: str, ends: bool
) -> None:
    # The condition is for stages that completed: what a failure means is said by itself.
    late = Step(PlayStage("SENTRY", fails), 20_000, stop=lambda _case: True, ends_on_failure=ends)
    wanted = steps(late, Step(PlayStage("PRECHECK", nothing), 50_000), account_id=account)
    [done] = process(session, wanted)
    assert ran(done) == (["Sentry"] if ends else ["Sentry", "Precheck"])


def test_a_step_can_cost_something_else_than_its_stage(session: AdminSession, account: str) -> None:
    [done] = process(session, steps(Step(PlayStage("SENTRY", nothing), 1), account_id=account))
    assert isinstance(done, Processed)
    assert done.closed == 1
    assert _state(session, account) == (99_999, 0)


def test_the_record_of_a_course_tells_what_was_decided_and_on_what(
    session: AdminSession, account: str
) -> None:
    wanted = steps(Step(PlayStage("SENTRY", nothing), 1), account_id=account)
    process(session, planned(wanted, decision_plan=course(Outcome.REVIEW, amount=9)))
    with session.reading() as connection:
        record = decisions.get(connection, account, wanted.request_id, session.fingerprints)
        waiting = reviews.get(connection, account, wanted.request_id)
    assert record is not None
    assert record.decision == "REVIEW"
    assert record.pipeline == PipelineVersion(7, 3)
    assert record.signals == {"amount": 9}
    assert waiting.state == "OPEN"


def intents_of(session: AdminSession, request_id: str) -> list[str]:
    with session.reading() as connection:
        query = sa.select(GATEWAY_INTENTS.c.state).where(GATEWAY_INTENTS.c.request_id == request_id)
        return list(connection.scalars(query))


class Paying(PlayStage):
    """A stage that asks for a payment."""

    def __init__(self, session: AdminSession, does: Callable[[Case], Any]) -> None:
        super().__init__("SENTRY", does)
        self._office = session
        self.noted: list[str] = []

    async def run(self, case: Case) -> StageResult:
        self.noted = intents_of(self._office, case.request_id)
        return await super().run(case)

    def unavailable(self, case: Case) -> StageResult:
        return StageResult(Answer("late"), completed=False, facts={}, in_doubt=True)


@pytest.mark.parametrize(
    ("does", "left"),
    [(nothing, []), (silent, ["REVERSE"]), (fails, ["REVERSE"]), (defect, ["REVERSE"])],
)
def test_a_payment_is_noted_before_it_is_asked_for_and_in_doubt_unless_answered(
    session: AdminSession, account: str, does: Callable[[Case], Any], left: list[str]
) -> None:
    stage = Paying(session, does)
    wanted = steps(Step(stage, 1), account_id=account, intent=Payment(5990, "USD"))
    process(session, wanted)
    assert stage.noted == ["OPEN"]
    assert intents_of(session, wanted.request_id) == left


def test_no_payment_is_asked_for_once_the_decision_is_to_decline(
    session: AdminSession, account: str
) -> None:
    paying = Paying(session, nothing)
    wanted = steps(
        Step(Declining("PRECHECK", nothing), 1),
        Step(paying, 1, pays=True),
        account_id=account,
        intent=Payment(5990, "USD"),
    )
    refused = planned(wanted, decision_plan=course(Outcome.DECLINE))
    [done] = process(session, refused)
    assert ran(done) == ["Precheck"]
    assert paying.ran == 0
    assert intents_of(session, wanted.request_id) == []


def test_a_payment_that_is_declined_afterwards_is_reversed(
    session: AdminSession, account: str
) -> None:
    paid = Step(Paid("SENTRY", nothing), 1, pays=True)
    late = Step(Declining("PRECHECK", nothing), 1)
    wanted = steps(paid, late, account_id=account, intent=Payment(5990, "USD"))
    process(session, planned(wanted, decision_plan=course(Outcome.DECLINE)))
    assert intents_of(session, wanted.request_id) == ["REVERSE"]


def test_how_a_gateway_finds_a_payment_is_stored_before_it_is_sent_and_again_with_its_answer(
    session: AdminSession, account: str
) -> None:
    stored: list[str | None] = []

    def reference(request_id: str) -> str | None:
        with session.reading() as connection:
            return intents.get(connection, request_id).reference

    def answered(case: Case) -> None:
        stored.append(reference(case.request_id))
        case.payment_reference = "as the gateway calls it"

    paid = Step(Paid("SENTRY", answered), 1, pays=True)
    late = Step(Declining("PRECHECK", nothing), 1)
    wanted = steps(paid, late, account_id=account, intent=Payment(5990, "USD"))
    process(session, planned(wanted, decision_plan=course(Outcome.DECLINE)))
    assert stored == [f"reference of {account}"]
    assert reference(wanted.request_id) == "as the gateway calls it"


class Declining(PlayStage):
    async def run(self, case: Case) -> StageResult:
        return msgspec.structs.replace(await super().run(case), verdict=Outcome.DECLINE)


class Paid(PlayStage):
    async def run(self, case: Case) -> StageResult:
        return msgspec.structs.replace(await super().run(case), paid=True)


def test_a_request_broken_off_while_it_is_closed_ends_as_the_books_say(
    session: AdminSession, account: str
) -> None:
    told: list[bool] = []
    stage = PlayStage("SENTRY", lambda case: case.on_settled.append(told.append))
    wanted = order(stage, account_id=account)

    async def scenario() -> object:
        writer = Writer(lambda: open_batch_session(session.database))
        writer.start()
        options = EngineOptions(owner="srv_test", authorization_ttl_ms=60_000, guess_limit=0)
        engine = Engine(writer, MASKER, session.clock, time.perf_counter, options)
        task = asyncio.create_task(engine.process(wanted))
        while not stage.ran:  # noqa: ASYNC110  # a stage has no event to wait for
            await asyncio.sleep(0)
        await asyncio.sleep(0)
        task.cancel()
        try:
            return await task
        finally:
            await writer.stop()

    done = asyncio.run(scenario())
    assert isinstance(done, Processed)
    assert told == [True]
    assert _state(session, account) == (80_000, 0)


def test_whoever_wants_to_be_told_cannot_spoil_a_settled_request(
    session: AdminSession, account: str
) -> None:
    def spoil(_done: bool) -> None:
        raise LookupError("a defect")

    stage = PlayStage("SENTRY", lambda case: case.on_settled.append(spoil))
    [done] = process(session, order(stage, account_id=account))
    assert isinstance(done, Processed)
    assert _state(session, account) == (80_000, 0)


def test_a_payment_that_was_never_asked_for_is_forgotten(
    session: AdminSession, account: str
) -> None:
    stop = Step(PlayStage("PRECHECK", nothing), 1, stop=lambda _case: True)
    wanted = steps(
        stop, Step(Paying(session, nothing), 1), account_id=account, intent=Payment(5990, "USD")
    )
    process(session, wanted)
    assert intents_of(session, wanted.request_id) == []

"""The engine on a real store: what runs, what is charged, what is recorded."""

import asyncio
import itertools
import json
import time
from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from gatehouse.core.case import Case, StageResult
from gatehouse.core.errors import ConnectorFailed
from gatehouse.core.stage import Stage
from gatehouse.pipeline.desk import Insufficient, Release
from gatehouse.pipeline.engine import Engine, EngineOptions, Order, Outcome, Processed
from gatehouse.store import accounts, decisions, ledger
from gatehouse.store.doors import open_door
from gatehouse.store.office import Office
from gatehouse.store.writer import Writer

_NUMBERS = itertools.count(1)


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


FEES = {"PRECHECK": 50_000, "SENTRY": 20_000}


def order(*stages: Stage, account_id: str) -> Order:
    return Order(
        request_id=f"req_{next(_NUMBERS):026d}",
        operation="play",
        account_id=account_id,
        fees=FEES,
        policies={},
        stages=stages,
        inputs={},
        card=None,
        client_reference="order 4242424242424242",
        claim=None,
        render=lambda _: b"",
    )


def process(office: Office, *orders: Order) -> list[Outcome | BaseException]:
    """Run orders at once on an engine with its own writer."""

    async def scenario() -> list[Outcome | BaseException]:
        writer = Writer(lambda: open_door(office.database))
        writer.start()
        options = EngineOptions(owner="srv_test", authorization_ttl_ms=60_000, guess_limit=0)
        engine = Engine(writer, _no_card, office.clock, time.perf_counter, options)
        try:
            return await asyncio.gather(*map(engine.process, orders), return_exceptions=True)
        finally:
            await writer.stop()

    return asyncio.run(scenario())


def _no_card(_card: object) -> Any:
    raise AssertionError("these orders have no card")


@pytest.fixture
def account(office: Office) -> str:
    with office.change() as change:
        made = accounts.create(change, "Shop", "USD")
        ledger.top_up(change, made.account_id, 100_000, "")
    return made.account_id


def _state(office: Office, account: str) -> tuple[int, int]:
    with office.look() as connection:
        state = accounts.state(connection, account)
        assert ledger.verify(connection).problems == []
    return state.balance, state.held


def test_what_completes_is_charged_and_what_does_not_is_free(office: Office, account: str) -> None:
    wanted = order(PlayStage("PRECHECK", fails), PlayStage("SENTRY", nothing), account_id=account)
    [done] = process(office, wanted)
    assert isinstance(done, Processed)
    assert [(run.item.fee_type, run.item.completed) for run in done.runs] == [
        ("PRECHECK", False),
        ("SENTRY", True),
    ]
    assert (done.authorized, done.closed, done.remaining) == (70_000, 20_000, 80_000)
    assert _state(office, account) == (80_000, 0)


def test_a_stage_that_takes_too_long_is_cut_off_and_free(office: Office, account: str) -> None:
    [done] = process(office, order(PlayStage("PRECHECK", silent), account_id=account))
    assert isinstance(done, Processed)
    assert done.runs[0].result.facts == {"word": "later"}
    assert _state(office, account) == (100_000, 0)


def test_without_money_nothing_runs_and_nothing_is_held(office: Office, account: str) -> None:
    stages = [PlayStage("PRECHECK", nothing) for _ in range(3)]
    outcomes = process(office, *(order(stage, account_id=account) for stage in stages))
    refused = [one for one in outcomes if isinstance(one, Insufficient)]
    assert len(refused) == 1
    assert sum(stage.ran for stage in stages) == 2
    assert _state(office, account) == (0, 0)


def test_a_defect_in_a_stage_costs_the_caller_nothing(office: Office, account: str) -> None:
    outcomes = process(
        office,
        order(PlayStage("PRECHECK", defect), account_id=account),
        order(PlayStage("SENTRY", nothing), account_id=account),
    )
    assert isinstance(outcomes[0], LookupError)
    assert isinstance(outcomes[1], Processed)
    assert _state(office, account) == (80_000, 0)


def test_later_stages_see_what_earlier_ones_found(office: Office, account: str) -> None:
    seen: list[list[str]] = []
    first = PlayStage("PRECHECK", nothing)
    second = PlayStage("SENTRY", lambda case: seen.append(list(case.results)))
    process(office, order(first, second, account_id=account))
    assert seen == [["Precheck"]]


def test_the_record_names_the_stages_and_masks_free_text(office: Office, account: str) -> None:
    wanted = order(PlayStage("PRECHECK", nothing), account_id=account)
    process(office, wanted)
    with office.look() as connection:
        record = decisions.get(connection, account, wanted.request_id)
        other = decisions.get(connection, "acct_other", wanted.request_id)
    assert record is not None
    assert other is None
    assert record["clientReferenceId"] == "order [card]"
    assert [stage["name"] for stage in record["stages"]] == ["Precheck"]
    assert "4242424242424242" not in json.dumps(record)


def test_one_bad_order_in_a_batch_fails_alone(office: Office, account: str) -> None:
    """The second use of a request id breaks the ledger's key; its neighbours must not notice."""
    good = [order(PlayStage("SENTRY", nothing), account_id=account) for _ in range(3)]
    twin = msgspec.structs.replace(good[0])
    process(office, good[0])
    outcomes = process(office, good[1], twin, good[2])
    assert isinstance(outcomes[0], Processed)
    assert isinstance(outcomes[1], Exception)
    assert isinstance(outcomes[2], Processed)
    assert _state(office, account) == (40_000, 0)


def test_releasing_twice_gives_the_money_back_once(office: Office, account: str) -> None:
    async def scenario() -> None:
        writer = Writer(lambda: open_door(office.database))
        writer.start()
        await asyncio.gather(*(writer.release(Release(account, "req_none", 0)) for _ in range(2)))
        await writer.stop()

    asyncio.run(scenario())
    assert _state(office, account) == (100_000, 0)

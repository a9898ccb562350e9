"""The operations of the API as the front door sees them: a path, a body, a plan, an answer."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import msgspec

from gatehouse.access.accounts import Account
from gatehouse.billing.fees import fee_schedule
from gatehouse.core.cards import CardOfRequest
from gatehouse.core.stage import Stage
from gatehouse.pipeline.engine import DecisionPlan, Processed, Step
from gatehouse.pipeline.settlement import Intent


class RequestPlan(msgspec.Struct, frozen=True):
    """How one request is going to be worked on."""

    steps: tuple[Step, ...]
    inputs: dict[str, Any]
    card: CardOfRequest | None
    answer: Callable[[Processed], msgspec.Struct]
    """From what was found to the operation's own object."""
    other_cards: dict[str, CardOfRequest] = {}
    intent: Intent | None = None
    decision_plan: DecisionPlan | None = None


class Operation(msgspec.Struct, frozen=True):
    """One POST operation: a pipeline of stages behind a path."""

    name: str
    """Scope of keys, last part of the path, and the word in decision records."""
    title: str
    about: str
    field: str
    """The envelope's field for the answer."""
    request_type: type[msgspec.Struct]
    response_type: type[msgspec.Struct]
    plan: Callable[[Account, Any], Awaitable[RequestPlan]]
    """Raises `Problem` when the request does not fit what the account has configured."""
    example: msgspec.Struct
    """The answer to the request that the examples of the fields make, for the documentation."""
    mistaken: dict[str, Any]
    """A request with mistakes, for the documentation to show how it is refused."""
    fee_types: tuple[str, ...]
    """What the example is charged for."""
    read_type: type[msgspec.Struct] | None = None
    """What the body is decoded as, where that is not what the documentation shows."""

    @property
    def path(self) -> str:
        """Where the operation is found."""
        return f"/api/v1/{self.name}"


def plan_of(
    stage: Stage, card: Callable[[Any], CardOfRequest | None]
) -> Callable[[Account, Any], Awaitable[RequestPlan]]:
    """The plan of an operation that is one stage, whatever the account has configured."""
    name, fee_type = stage.name, stage.fee_type

    async def plan(account: Account, request: Any) -> RequestPlan:
        fee = fee_schedule(account.fees)[fee_type]
        return RequestPlan((Step(stage, fee),), {name: request}, card(request), last_response)

    return plan


def last_response(done: Processed) -> msgspec.Struct:
    """The answer of the only stage."""
    return done.runs[-1].result.response


def tags_of(done: Processed) -> list[str]:
    """The tags of all stages that ran, in order of appearance, each once."""
    return list(dict.fromkeys([tag for run in done.runs for tag in run.result.tags]))


def responses_of(done: Processed, stage: str) -> Sequence[msgspec.Struct]:
    """What a stage answers inside a pipeline, once for each time it ran."""
    found = [run.result for run in done.runs if run.stage == stage]
    return [result.response if result.inside is None else result.inside for result in found]

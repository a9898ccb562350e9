"""The operations of the API: each has a name, a body, a plan for the engine, and an answer."""

from collections.abc import Awaitable, Callable, Mapping
from functools import lru_cache
from typing import Any, Final

import msgspec

from gatehouse.access.accounts import Account
from gatehouse.billing.fees import DEFAULT_FEES
from gatehouse.core.stages.case import ValuesByType
from gatehouse.core.stages.stage import Contacts, OperationSpec, Stage, StageSpec
from gatehouse.decisions.search_terms import FoundBy
from gatehouse.pipeline.job import Processed, RequestPlan, Step

_MOST_FEES: Final = 64
"""What a stage costs to different accounts; the steps of so many fees are kept."""

Planner = Callable[[Account, Any], Awaitable[RequestPlan]]
"""Raises `RequestRefused` when the request does not fit what the account has configured."""


class Operation(OperationSpec, frozen=True, kw_only=True):
    """One operation: a pipeline of stages, planned for the account that calls it."""

    field: str
    """The envelope's field for the answer."""
    plan: Planner
    fee_types: tuple[str, ...]
    """What the documentation's example is charged for."""
    read_type: type[msgspec.Struct]
    """What the body is decoded as; `request_type` is what the documentation shows."""
    most_bytes: int = 0
    """How large a body may be, where that is more than the settings allow."""
    left_out: tuple[str, ...] = ()
    """Fields that the documentation's example of a request does without."""


def stage_operation(spec: StageSpec, declared: OperationSpec, plan: Planner) -> Operation:
    """A stage as an operation of its own."""
    return Operation(
        **{name: getattr(declared, name) for name in declared.__struct_fields__},
        field=spec.response.field,
        plan=plan,
        fee_types=(spec.fee_type,),
        read_type=declared.request_type,
        most_bytes=spec.request.most_bytes,
    )


FoundByContacts = Callable[[Contacts], tuple[FoundBy, ...]]
"""Makes what a request is found by, out of contacts that its record says nothing of."""


FeesOf = Callable[[Account], Mapping[str, int]]
"""What each function costs an account now."""


def default_fees(account: Account) -> Mapping[str, int]:
    """An account's own fees over the defaults, where there is no price list."""
    return {**DEFAULT_FEES, **account.fees}


def plan_stage(
    spec: StageSpec, stage: Stage, found_by: FoundByContacts, fees_of: FeesOf = default_fees
) -> Planner:
    """The plan of an operation that is one stage, the same for every account."""
    kind, card_of, fee_type = spec.request.type, spec.request.card, spec.fee_type
    contacts_of = spec.request.contacts

    @lru_cache(_MOST_FEES)
    def steps_at(fee: int) -> tuple[Step, ...]:
        return (Step(stage, fee),)

    async def plan(account: Account, request: Any) -> RequestPlan:
        steps = steps_at(fees_of(account)[fee_type])
        card = None if card_of is None else card_of(request)
        inputs = ValuesByType({kind: request})
        if contacts_of is None:
            return RequestPlan(steps, inputs, card, last_response)
        # The stage needs them, too.
        contacts = inputs[Contacts] = contacts_of(request)
        return RequestPlan(steps, inputs, card, last_response, contacts=found_by(contacts))

    return plan


def last_response(done: Processed) -> msgspec.Struct:
    """The answer of the only stage."""
    return done.runs[-1].result.response

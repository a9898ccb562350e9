"""The operations whose stages an account configures: Pipeline, Rules and Sentry by themselves."""

from collections.abc import Sequence
from typing import Any, Final, TypeVar

import msgspec
from msgspec import UNSET

from gatehouse.access.accounts import Account
from gatehouse.billing.fees import fee_schedule
from gatehouse.core.cards import CardOfRequest
from gatehouse.core.errors import RequestRefused
from gatehouse.core.outcomes import Outcome, strongest
from gatehouse.core.request_reader import RequestReader
from gatehouse.decisions.record import PipelineVersion
from gatehouse.gateway.request import GatewayRequest, Payment, UnfitPayment, read_payment
from gatehouse.gateway.stage import GatewayInput
from gatehouse.idverify.request import IdVerifyRequest
from gatehouse.operations.account_setup import Builder, Pipeline, Setups
from gatehouse.operations.pipeline_messages import PipelineCall, PipelineResponse
from gatehouse.pipeline.decision import combine
from gatehouse.pipeline.definition import FEE_TYPES, OnFailure
from gatehouse.pipeline.engine import DecisionPlan, Processed, SignalBuilder, StageRun, Step
from gatehouse.pipeline.settlement import Intent
from gatehouse.precheck.request import PreCheckRequest
from gatehouse.rules.request import RulesCall, RulesRequest
from gatehouse.rules.response import RulesResponse
from gatehouse.rules.starter import STARTER_NAME
from gatehouse.sentry.request import Order, SentryRequest
from gatehouse.signals.request_parts import INPUT, RequestParts, bring_together
from gatehouse.web.operations import RequestPlan, last_response, responses_of, tags_of
from gatehouse.web.pipelines import PipelinesResponse, PipelineStage, PipelineSummary
from gatehouse.web.problems import Problem

T = TypeVar("T", bound=msgspec.Struct)
FieldErrors = dict[str, list[str]]

_NOTHING: Final = (b"", b"null")
_LONGEST_NOTHING: Final = 4
_STOP: Final = OnFailure.STOP
_NO_RULES: Final = RulesRequest()
_NO_SENTRY: Final = SentryRequest()
_NO_GATEWAY: Final = GatewayRequest()


class Inputs(msgspec.Struct):
    """What a pipeline's stages were given."""

    rules: RulesRequest = _NO_RULES
    sentry: SentryRequest = _NO_SENTRY
    pre_check: PreCheckRequest | None = None
    id_verify: IdVerifyRequest | None = None
    payment: Payment | None = None
    amount: float | None = None
    """The payment's, as it was written."""


class Pipelines:
    """Plans the requests of these operations."""

    def __init__(
        self, setups: Setups, builder: Builder, signal_builder: SignalBuilder, *, pays: bool = True
    ) -> None:
        """`pays` says whether there is a gateway that could be asked for a payment."""
        self._pays = pays
        self._setups = setups
        self._builder = builder
        self._signal_builder = signal_builder
        self._readers = _Readers()

    async def plan_pipeline(self, account: Account, call: PipelineCall) -> RequestPlan:
        """How a Pipeline request is going to be worked on."""
        setup = await self._setups.find(account.account_id)
        pipeline = setup.pipelines.get(call.pipeline_id)
        if pipeline is None:
            raise Problem("invalid_request", fields={"pipelineId": [_unknown(setup.pipelines)]})
        given = self._readers.read(pipeline, call)
        card, others = _cards(given)
        version = PipelineVersion(call.pipeline_id, pipeline.version)

        def decide(runs: Sequence[StageRun]) -> Outcome:
            stages = pipeline.definition.stages
            return combine(
                pipeline.definition,
                [(stages[run.position], run.result.verdict, run.item.completed) for run in runs],
            )

        return RequestPlan(
            steps=_steps(pipeline, account),
            inputs=_stage_inputs(given),
            card=card,
            answer=_answer,
            other_cards=others,
            intent=_intent(given.payment) if self._pays else None,
            decision_plan=DecisionPlan(self._signal_builder, decide, version),
        )

    async def plan_rules(self, account: Account, call: RulesCall) -> RequestPlan:
        """How a Rules request is going to be worked on."""
        setup = await self._setups.find(account.account_id)
        name = call.rule_set
        if name is None:
            name = next(iter(setup.rule_sets)) if len(setup.rule_sets) == 1 else STARTER_NAME
        compiled = setup.rule_sets.get(name)
        if compiled is None:
            known = ", ".join(sorted(setup.rule_sets)) or "none"
            message = f"there is no such rule set; there are: {known}"
            raise Problem("invalid_request", fields={"ruleSet": [message]})
        stage = self._builder.rules_stage(compiled, setup.lists)
        number = call.card_number
        told = RequestParts(call, cards=() if number is None else (number,))
        return RequestPlan(
            steps=(Step(stage, fee_schedule(account.fees)[stage.fee_type]),),
            inputs={INPUT: bring_together(told)},
            card=None if number is None else CardOfRequest(number, None, guessable=False),
            answer=last_response,
            decision_plan=DecisionPlan(self._signal_builder, _strongest),
        )

    async def plan_sentry(self, account: Account, request: SentryRequest) -> RequestPlan:
        """How a Sentry request is going to be worked on."""
        stage = (await self._setups.find(account.account_id)).sentry
        fee = fee_schedule(account.fees)[stage.fee_type]
        return RequestPlan((Step(stage, fee),), {stage.name: request}, None, last_response)

    async def listing(self, account_id: str) -> PipelinesResponse:
        """The account's pipelines and what each needs."""
        setup = await self._setups.find(account_id)
        return PipelinesResponse([_summary(each) for _, each in sorted(setup.pipelines.items())])


class _Readers:
    """Reads the inputs that a pipeline looks at; the others may hold anything."""

    def __init__(self) -> None:
        self._rules = RequestReader(RulesRequest)
        self._sentry = RequestReader(SentryRequest)
        self._pre_check = RequestReader(PreCheckRequest)
        self._id_verify = RequestReader(IdVerifyRequest)
        self._gateway = RequestReader(GatewayRequest)

    def read(self, pipeline: Pipeline, call: PipelineCall) -> Inputs:
        """The inputs, or the `Problem` with all that is wrong with them."""
        names, needed = pipeline.names, pipeline.needs
        wrong: FieldErrors = {}
        found = Inputs()
        sees_orders = "Sentry" in names or "Rules" in names or "payment" in needed
        if sees_orders:
            sentry = _read(self._sentry, call.sentry_request, "sentryRequest", wrong)
            found.sentry = sentry or _NO_SENTRY
        if "Rules" in names:
            rules = _read(self._rules, call.rules_request, "rulesRequest", wrong)
            found.rules = rules or _NO_RULES
        for name, raw in (
            ("preCheckRequest", call.pre_check_request),
            ("idVerifyRequest", call.id_verify_request),
        ):
            if name in needed and bytes(raw) in _NOTHING:
                wrong[name] = [_required(pipeline, needed[name])]
        if "preCheckRequest" in needed:
            found.pre_check = _read(
                self._pre_check, call.pre_check_request, "preCheckRequest", wrong
            )
        if "idVerifyRequest" in needed:
            found.id_verify = _read(
                self._id_verify, call.id_verify_request, "idVerifyRequest", wrong
            )
        if "payment" in needed:
            asked = _read(self._gateway, call.gateway_request, "gatewayRequest", wrong)
            _read_payment(found, asked or _NO_GATEWAY, pipeline, wrong)
        if wrong:
            raise Problem("invalid_request", fields=wrong)
        return found


def _read(reader: RequestReader[T], raw: msgspec.Raw, path: str, wrong: FieldErrors) -> T | None:
    """One input, if it was sent; what is wrong with it is added to the others' problems."""
    if len(raw) <= _LONGEST_NOTHING and bytes(raw) in _NOTHING:
        return None
    try:
        return reader.read_part(raw)
    except RequestRefused as refused:
        if not refused.fields:
            unread = [f"cannot be read: {detail}" for detail in refused.details]
            wrong[path] = unread if bytes(raw).startswith(b"{") else ["must be an object"]
        for field, messages in refused.fields.items():
            wrong[f"{path}.{field}"] = messages
        return None


def _read_payment(
    found: Inputs, asked: GatewayRequest, pipeline: Pipeline, wrong: FieldErrors
) -> None:
    """What is to be paid: said to Gateway, or by the order."""
    order = found.sentry.order
    # What an input says that has other mistakes is not known, but it is not missing.
    spoilt = any(path.startswith(("gatewayRequest", "sentryRequest")) for path in wrong)
    places: dict[str, str] = {}
    given: dict[str, Any] = {}
    for name in ("amount", "currency"):
        place, value = f"gatewayRequest.{name}", getattr(asked, name)
        other, said = f"sentryRequest.order.{name}", getattr(order, name, None)
        if value is None and said is not None:
            place, value = other, said
        if value is None and not spoilt:
            also = f"; {other} can say it, too"
            wrong[place] = [_required(pipeline, ("Gateway",)) + also]
        places[name], given[name] = place, value
    if None in given.values():
        return
    if places["amount"].partition(".")[0] != places["currency"].partition(".")[0]:
        _refuse_mixture(places, asked, order, wrong)
    try:
        found.payment = read_payment(given["amount"], given["currency"].strip().upper()[:8])
        found.amount = given["amount"]
    except UnfitPayment as unfit:
        wrong.setdefault(places[unfit.field], []).append(str(unfit))


def _refuse_mixture(
    places: dict[str, str], asked: GatewayRequest, order: Order | None, wrong: FieldErrors
) -> None:
    """An amount of one place is not one of another place's currency when the two disagree."""
    for name, place in places.items():
        said, here = getattr(order, name, None), getattr(asked, name)
        if isinstance(said, str) and isinstance(here, str):
            said, here = said.strip().upper(), here.strip().upper()
        if place.startswith("gatewayRequest.") and said not in (None, here):
            other = "currency" if name == "amount" else "amount"
            message = f"differs from sentryRequest.order.{name}: send {other} here, too"
            wrong.setdefault(place, []).append(message)


def _required(pipeline: Pipeline, stages: Sequence[str]) -> str:
    return f"is required by pipeline {pipeline.definition.number} ({', '.join(stages)})"


def _unknown(pipelines: dict[int, Pipeline]) -> str:
    known = ", ".join(map(str, sorted(pipelines))) or "none"
    return f"there is no such pipeline; there are: {known}"


def _cards(given: Inputs) -> tuple[CardOfRequest | None, dict[str, CardOfRequest]]:
    """The card that will be charged, and that of a stage which was asked about another."""
    charged = None if given.pre_check is None else given.pre_check.card()
    verified = None if given.id_verify is None else given.id_verify.card()
    if charged is None:
        if verified is None and given.rules.card_number is not None:
            return CardOfRequest(given.rules.card_number, None, guessable=False), {}
        return verified, {}
    if verified is None:
        return charged, {}
    if verified.number != charged.number:
        return charged, {"IdVerify": verified}
    if verified.guessable and not charged.guessable:
        charged = msgspec.structs.replace(charged, guessable=True)
    return charged, {}


def _stage_inputs(given: Inputs) -> dict[str, Any]:
    checked, verified, payment = given.pre_check, given.id_verify, given.payment
    numbers = [each.card_number for each in (checked, verified) if each is not None]
    if given.rules.card_number is not None:
        numbers.append(given.rules.card_number)
    told = RequestParts(
        rules=given.rules,
        sentry=given.sentry,
        payment=None if payment is None else (given.amount or 0.0, payment.currency),
        email=None if verified is None else verified.card_holder_email_address,
        phone=None if verified is None else verified.card_holder_phone_number,
        cards=tuple(numbers),
    )
    survey = bring_together(told)
    inputs: dict[str, Any] = {INPUT: survey, "Sentry": survey.sentry}
    if checked is not None:
        inputs["PreCheck"] = checked
        if payment is not None:
            inputs["Gateway"] = _gateway_input(checked, payment)
    if verified is not None:
        inputs["IdVerify"] = verified
    return inputs


def _gateway_input(checked: PreCheckRequest, payment: Payment) -> GatewayInput:
    address = checked.card_address
    return GatewayInput(
        payment=payment,
        number=checked.card_number,
        expiry=checked.card_expiry_date,
        security_code=checked.card_cvv2_value,
        postal_code=None if address is None else address.postal_code,
        street=None if address is None else address.street,
    )


def _intent(payment: Payment | None) -> Intent | None:
    return None if payment is None else Intent(payment.amount_minor, payment.currency)


def _steps(pipeline: Pipeline, account: Account) -> tuple[Step, ...]:
    fees = fee_schedule(account.fees)
    return tuple(
        [
            Step(
                each.stage,
                fees[each.stage.fee_type]
                if each.definition.fee_micros is None
                else each.definition.fee_micros,
                each.skip,
                each.stop,
                each.definition.on_failure is _STOP,
                position,
                each.definition.stage == "Gateway",
            )
            for position, each in enumerate(pipeline.stages)
        ]
    )


def _strongest(runs: Sequence[StageRun]) -> Outcome:
    return strongest([run.result.verdict for run in runs if run.result.verdict is not None])


def _answer(done: Processed) -> PipelineResponse:
    assert done.decision is not None
    found: dict[str, Any] = {
        run.stage: run.result.inside or run.result.response for run in done.runs
    }
    return PipelineResponse(
        pipeline_stages=[run.stage for run in done.runs],
        decision=done.decision,
        tags=tags_of(done),
        rules_response=_all_rules(done) if "Rules" in found else UNSET,
        sentry_response=found.get("Sentry", UNSET),
        pre_check_response=found.get("PreCheck", UNSET),
        id_verify_response=found.get("IdVerify", UNSET),
        gateway_response=found.get("Gateway", UNSET),
    )


def _all_rules(done: Processed) -> RulesResponse:
    """What several Rules stages say together: the strongest status, every match."""
    every = responses_of(done, "Rules")
    answers = [each for each in every if isinstance(each, RulesResponse)]
    if len(answers) == 1:
        return answers[0]
    matched = [match for each in answers for match in each.matched_rules]
    return RulesResponse(strongest([each.status for each in answers]), tuple(matched))


def _summary(pipeline: Pipeline) -> PipelineSummary:
    definition = pipeline.definition
    required = [name for name in pipeline.needs if name != "payment"]
    if "payment" in pipeline.needs:
        required += ["gatewayRequest.amount", "gatewayRequest.currency"]
    return PipelineSummary(
        pipeline_id=definition.number,
        version=pipeline.version,
        name=definition.name,
        description=definition.description,
        stages=[
            PipelineStage(each.stage, FEE_TYPES[each.stage], each.rule_set or UNSET)
            for each in definition.stages
        ],
        required=required,
    )

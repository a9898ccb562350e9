"""Plans the operations whose stages an account configures: Pipeline, Rules and Sentry."""

from collections.abc import Sequence
from functools import partial
from typing import Final

import msgspec
from msgspec import UNSET

from gatehouse.access.accounts import Account
from gatehouse.core.cards.three_d_secure import ThreeDSecure
from gatehouse.core.errors import RequestRefused
from gatehouse.core.money import Payment
from gatehouse.core.stages.case import ValuesByType
from gatehouse.core.stages.outcomes import Outcome, strongest
from gatehouse.core.stages.registry import REGISTRY
from gatehouse.core.stages.stage import PAYMENT, Contacts, Stage
from gatehouse.core.wording.sentences import Phrase
from gatehouse.decisions.reasons import is_retryable
from gatehouse.decisions.record import PipelineVersion
from gatehouse.decisions.search_terms import FoundBy
from gatehouse.gateway.port import GatewayInput
from gatehouse.gateway.stored_credential import (
    EarlierPayments,
    NetworkTransactionId,
    NoEarlierPayments,
    StoredCredential,
)
from gatehouse.idverify.request import IdVerifyRequest
from gatehouse.idverify.spec import contacts_of
from gatehouse.operations.account_setup import SetupSource
from gatehouse.operations.arms import ArmChooser, ArmSignals, Hasher
from gatehouse.operations.kept_evidence import envelope_of, keeps_evidence
from gatehouse.operations.operation import FeesOf, FoundByContacts, default_fees, last_response
from gatehouse.operations.pipeline_inputs import EARLIER_PLACE, InputReader, PipelineInputs
from gatehouse.operations.pipeline_messages import (
    PipelineCall,
    PipelinesResponse,
    PipelineStage,
    PipelineSummary,
    pipeline_messages,
    responses_by_field,
)
from gatehouse.operations.pipeline_steps import decide
from gatehouse.operations.ready_pipeline import Pipeline
from gatehouse.operations.request_cards import RequestCards, cards_of, unused_credential
from gatehouse.pipeline.experiment import Arm
from gatehouse.pipeline.job import (
    DecisionPlan,
    ExpectedCard,
    Processed,
    RequestPlan,
    SignalBuilder,
    StageRun,
    Step,
)
from gatehouse.precheck.request import PreCheckRequest
from gatehouse.rules.request import RulesCall, RulesRequest
from gatehouse.rules.starter import STARTER_NAME
from gatehouse.sentry.request import SentryRequest
from gatehouse.signals.request_parts import RequestParts, SignalInput, bring_together

_NO_PIPELINE: Final = Phrase("invalid.no_pipeline", "there is no such pipeline; there are: {known}")
_NO_RULE_SET: Final = Phrase("invalid.no_rule_set", "there is no such rule set; there are: {known}")
_NONE: Final = Phrase("invalid.none", "none")
_NO_EARLIER: Final = Phrase(
    "invalid.no_earlier_payment",
    "no payment that stands was made by this request; send networkTransactionId if you have it",
)
_NO_NETWORK_ID: Final = Phrase(
    "invalid.no_network_id",
    "the provider gave no network transaction id for this payment; send networkTransactionId if "
    "you have it from elsewhere",
)
_OTHER_CARD: Final = Phrase(
    "invalid.earlier_card",
    "was paid with another card number; if it was replaced, send networkTransactionId",
)
_NO_RULES: Final = RulesRequest()


class Pipelines:
    """Plans the requests of these operations."""

    def __init__(
        self,
        setups: SetupSource,
        signal_builder: SignalBuilder,
        found_by: FoundByContacts = lambda _contacts: (),
        hashed: Hasher = str,
        fees_of: FeesOf = default_fees,
    ) -> None:
        """`hashed` is a keyed hash, by which the arms of experiments are chosen."""
        self.messages = pipeline_messages()
        self.found_by = found_by
        self.fees_of = fees_of
        self._setups = setups
        self._signal_builder = signal_builder
        self._inputs = InputReader()
        self._arms = ArmChooser(hashed)
        self.earlier: EarlierPayments = NoEarlierPayments()
        """Where a later payment with a stored card finds the earlier one."""

    async def plan_pipeline(self, account: Account, call: PipelineCall) -> RequestPlan:
        """How a Pipeline request is going to be worked on."""
        setup = await self._setups.find(account.account_id)
        pipeline = setup.pipelines.get(call.pipeline_id)
        if pipeline is None:
            known = ", ".join(map(str, sorted(setup.pipelines))) or _NONE()
            message = _NO_PIPELINE(known=known)
            raise RequestRefused("invalid_request", fields={"pipelineId": [message]})
        given = self._inputs.read(pipeline, call)
        cards = cards_of(given.values)
        expected, credential = None, given.stored_credential
        if credential is not None and credential.earlier_request_id is not None:
            credential, expected = await self._with_id(account.account_id, credential)
            given = msgspec.structs.replace(given, stored_credential=credential)
        version = PipelineVersion(call.pipeline_id, pipeline.version)
        inputs = _stage_inputs(given, cards)
        builder, live = self._signal_builder, setup.live
        if live is not None and (other := live.pipelines.get(call.pipeline_id)) is not None:
            arm = self._arms.arm(live.experiment, cards.charged, inputs)
            if arm is not None:
                builder = ArmSignals(builder, live.experiment, arm)
                pipeline = other if arm is Arm.CHALLENGER else pipeline
        return RequestPlan(
            steps=pipeline.steps_at(self.fees_of(account)),
            inputs=inputs,
            card=cards.charged,
            answer=self._answer,
            other_cards=cards.others,
            intent=given.payment if PAYMENT in pipeline.needs else None,
            decision_plan=DecisionPlan(
                builder,
                partial(decide, pipeline.definition),
                version,
                pipeline.definition.decided_by,
            ),
            contacts=self._contacts(given),
            ignored=given.ignored | cards.ignored if cards.ignored else given.ignored,
            evidence=envelope_of(inputs) if keeps_evidence(account) else None,
            expected=expected,
        )

    async def plan_rules(self, account: Account, call: RulesCall) -> RequestPlan:
        """How a Rules request is going to be worked on."""
        setup = await self._setups.find(account.account_id)
        name = call.rule_set
        if name is None:
            name = next(iter(setup.rule_sets)) if len(setup.rule_sets) == 1 else STARTER_NAME
        stage: Stage | None = setup.rules_alone(name)
        if stage is None:
            known = ", ".join(sorted(setup.rule_sets)) or _NONE()
            message = _NO_RULE_SET(known=known)
            raise RequestRefused("invalid_request", fields={"ruleSet": [message]})
        card = call.card()
        parts = RequestParts(
            call, cards=() if card is None else (card,), three_d_secure=call.three_d_secure
        )
        inputs = ValuesByType.of(bring_together(parts))
        if call.three_d_secure is not None:
            inputs[ThreeDSecure] = call.three_d_secure
        builder, live = self._signal_builder, setup.live
        if live is not None and (other := live.ruling.get(name)) is not None:
            arm = self._arms.arm(live.experiment, card, inputs)
            if arm is not None:
                builder = ArmSignals(builder, live.experiment, arm)
                stage = other if arm is Arm.CHALLENGER else stage
        return RequestPlan(
            steps=(Step(stage, self.fees_of(account)[stage.fee_type]),),
            inputs=inputs,
            card=card,
            answer=last_response,
            decision_plan=DecisionPlan(builder, _strongest),
            ignored=unused_credential(call) if card is None and call.has_credential else {},
            evidence=envelope_of(inputs) if keeps_evidence(account) else None,
        )

    async def plan_sentry(self, account: Account, request: SentryRequest) -> RequestPlan:
        """How a Sentry request is going to be worked on."""
        stage = (await self._setups.find(account.account_id)).sentry
        fee = self.fees_of(account)[stage.fee_type]
        return RequestPlan((Step(stage, fee),), ValuesByType.of(request), None, last_response)

    async def _with_id(
        self, account_id: str, credential: StoredCredential
    ) -> tuple[StoredCredential, ExpectedCard]:
        """The same with the network's id of the payment that is named, and the card of that."""
        assert credential.earlier_request_id is not None
        found = await self.earlier.find(account_id, credential.earlier_request_id)
        if found is None:
            raise _refused(_NO_EARLIER())
        if found.network_transaction_id is None or found.card is None:
            raise _refused(_NO_NETWORK_ID())
        network_id = NetworkTransactionId.parse(found.network_transaction_id)
        named = msgspec.structs.replace(
            credential, network_transaction_id=network_id, earlier_request_id=None
        )
        return named, ExpectedCard(found.card, _refused(_OTHER_CARD()))

    async def listing(self, account_id: str) -> PipelinesResponse:
        """The account's pipelines and what each needs."""
        setup = await self._setups.find(account_id)
        return PipelinesResponse([_summary(each) for _, each in sorted(setup.pipelines.items())])

    def _contacts(self, given: PipelineInputs) -> tuple[FoundBy, ...]:
        """Those of ID Verify's contacts that are no signals, because Rules was sent others."""
        verified, rules = given.values.find(IdVerifyRequest), given.values.find(RulesRequest)
        if verified is None or rules is None:
            return ()
        sent = contacts_of(verified)
        mailbox = None if rules.email is None else sent.mailbox
        number = None if rules.phone is None else sent.number
        return self.found_by(Contacts(mailbox, number)) if mailbox or number else ()

    def _answer(self, done: Processed) -> msgspec.Struct:
        """The objects of the stages that ran, and what follows from them."""
        found = responses_by_field(
            (run.stage, run.result.inside or run.result.response) for run in done.runs
        )
        return self.messages.response(
            pipeline_stages=[run.stage for run in done.runs],
            decision=done.decision,
            reason=done.reason,
            retryable=is_retryable(done.decision, done.reason),
            # In order of appearance, each once.
            tags=list(dict.fromkeys([tag for run in done.runs for tag in run.result.tags])),
            **found,
        )


def _refused(problem: str) -> RequestRefused:
    return RequestRefused("invalid_request", fields={EARLIER_PLACE: [problem]})


def _stage_inputs(given: PipelineInputs, cards: RequestCards) -> ValuesByType:
    """What the stages are given: what was sent, and what follows from all of it together."""
    values, payment = given.values, given.payment
    rules = values.find(RulesRequest) or _NO_RULES
    checked, verified = values.find(PreCheckRequest), values.find(IdVerifyRequest)
    parts = RequestParts(
        rules=rules,
        sentry=values.find(SentryRequest),
        payment=None if payment is None else (given.amount or 0.0, payment.currency),
        email=None if verified is None else verified.card_holder_email_address,
        phone=None if verified is None else verified.card_holder_phone_number,
        cards=tuple(cards.named),
        three_d_secure=given.three_d_secure,
    )
    together = bring_together(parts)
    values[SignalInput] = together
    values[SentryRequest] = together.sentry
    if given.three_d_secure is not None:
        values[ThreeDSecure] = given.three_d_secure
    if checked is not None:
        card = cards.charged
        assert card is not None
        if card.account_reference is not None or card.credential_type is not None:
            # Another object may have said it.
            checked = values[PreCheckRequest] = msgspec.structs.replace(
                checked,
                payment_account_reference=card.account_reference,
                credential_type=card.credential_type,
            )
        if payment is not None:
            values[GatewayInput] = _gateway_input(checked, payment, given)
    return values


def _gateway_input(
    checked: PreCheckRequest, payment: Payment, given: PipelineInputs
) -> GatewayInput:
    address = checked.card_address
    return GatewayInput(
        payment=payment,
        number=checked.card_number,
        expiry=checked.card_expiry_date,
        security_code=checked.card_cvv2_value,
        postal_code=None if address is None else address.postal_code,
        street=None if address is None else address.street,
        city=None if address is None else address.city,
        country=None if address is None else address.country,
        account_reference=checked.payment_account_reference,
        credential_type=checked.credential_type,
        three_d_secure=given.three_d_secure,
        stored_credential=given.stored_credential,
    )


def _strongest(runs: Sequence[StageRun]) -> Outcome:
    return strongest([run.result.verdict for run in runs if run.result.verdict is not None])


def _summary(pipeline: Pipeline) -> PipelineSummary:
    definition = pipeline.definition
    required = [name for name in pipeline.needs if name != PAYMENT]
    if PAYMENT in pipeline.needs:
        required += ["gatewayRequest.amount", "gatewayRequest.currency"]
    return PipelineSummary(
        pipeline_id=definition.number,
        version=pipeline.version,
        name=definition.name,
        description=definition.description,
        stages=[
            PipelineStage(each.stage, REGISTRY[each.stage].fee_type, each.rule_set or UNSET)
            for each in definition.stages
        ],
        required=required,
    )

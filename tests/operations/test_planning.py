"""Requests are planned, and refused, without a word of HTTP."""

import asyncio
from collections.abc import Callable
from typing import Any, cast

import msgspec
import pytest

from gatehouse.access.accounts import Account
from gatehouse.core.errors import RequestRefused
from gatehouse.core.stages.registry import REGISTRY
from gatehouse.core.stages.stage import Stage
from gatehouse.gateway.port import GatewayInput
from gatehouse.operations.account_setup import Builder, Setup, Setups
from gatehouse.operations.planning import Pipelines
from gatehouse.pipeline.job import RequestPlan, SignalBuilder
from gatehouse.pipeline.starter import starter_pipelines
from gatehouse.precheck.request import PreCheckRequest
from gatehouse.rules.lists import AccountLists
from gatehouse.rules.starter import starter_program
from gatehouse.sentry.request import SentryRequest
from gatehouse.signals.request_parts import SignalInput
from gatehouse.store.configured.configurations import StoredVersion
from tests.harness import PURCHASE
from tests.operations.test_account_setup import SENTRY

ACCOUNT = Account("acct_1", "Shop", "USD", 0, {}, {})


def stored_version(name: str, program: str) -> StoredVersion:
    return StoredVersion(name, 3, 0, "test", None, True, "", program)


class OneSetup:
    """Finds what every new account has."""

    def __init__(self, builder: Builder) -> None:
        rules = [stored_version("starter", starter_program())]
        pipelines = [stored_version(name, program) for name, _, program in starter_pipelines()]
        held, rule_sets = AccountLists({}), builder.rule_sets("acct_1", rules)
        planned = builder.pipelines("acct_1", pipelines, rule_sets, held, SENTRY)
        self._setup = Setup("1", rule_sets, planned, held, SENTRY, None)

    async def find(self, account_id: str) -> Setup:
        return self._setup


@pytest.fixture(scope="module")
def plan() -> Callable[..., RequestPlan]:
    stages = {**dict.fromkeys(REGISTRY.names, cast(Stage, SENTRY)), SENTRY.name: SENTRY}
    builder = Builder(stages)
    setups = cast(Setups, OneSetup(builder))
    pipelines = Pipelines(setups, cast(SignalBuilder, None))
    decode = msgspec.json.Decoder(pipelines.messages.call).decode

    def planned(**changes: Any) -> RequestPlan:
        call = decode(msgspec.json.encode({**PURCHASE, **changes}))
        return asyncio.run(pipelines.plan_pipeline(ACCOUNT, call))

    return planned


def test_a_plan_has_the_stages_in_order_and_the_inputs_by_their_types(
    plan: Callable[..., RequestPlan],
) -> None:
    found = plan()
    assert [step.pays for step in found.steps] == [False, False, False, True]
    checked = found.inputs.find(PreCheckRequest)
    assert checked is not None
    assert found.card == checked.card()
    assert found.inputs.find(SentryRequest) is not None
    together = found.inputs.find(SignalInput)
    assert together is not None
    assert together.cards_differ is False
    paid = found.inputs.find(GatewayInput)
    assert paid is not None
    assert found.intent is not None
    assert found.intent.amount_minor == paid.payment.amount_minor == 5990


def test_a_request_that_does_not_fit_is_an_error_of_the_trade(
    plan: Callable[..., RequestPlan],
) -> None:
    with pytest.raises(RequestRefused) as unknown:
        plan(pipelineId=9)
    message = "there is no such pipeline; there are: 1, 2"
    assert unknown.value.fields == {"pipelineId": [message]}
    with pytest.raises(RequestRefused) as wrong:
        plan(pipelineId=2, preCheckRequest=None, sentryRequest={"order": {"amount": "x"}})
    assert wrong.value.fields == {
        "sentryRequest.order.amount": ["must be a number"],
        "preCheckRequest": ["is required by pipeline 2 (PreCheck, Gateway)"],
        "idVerifyRequest": ["is required by pipeline 2 (IdVerify)"],
    }


def test_what_no_stage_looks_at_may_hold_anything(plan: Callable[..., RequestPlan]) -> None:
    assert plan(idVerifyRequest=17).other_cards == {}


PAR = "V0010013018036776997406844829"
AUTHENTICATED = {"version": "2.2.0", "eci": "05", "status": "Y"}


def test_what_one_object_says_of_the_card_holds_for_all_and_reaches_the_gateway(
    plan: Callable[..., RequestPlan],
) -> None:
    card = PURCHASE["preCheckRequest"]["cardNumber"]
    found = plan(
        rulesRequest={"cardNumber": card, "paymentAccountReference": PAR},
        preCheckRequest=PURCHASE["preCheckRequest"] | {"credentialType": "NETWORK_TOKEN"},
        gatewayRequest={"threeDSecure": AUTHENTICATED},
    )
    paid, checked = found.inputs.find(GatewayInput), found.inputs.find(PreCheckRequest)
    assert paid is not None
    assert checked is not None
    assert found.card is not None
    for reference in (
        *(paid.account_reference, checked.payment_account_reference),
        found.card.account_reference,
    ):
        assert reference is not None
        assert reference.reveal() == PAR
    assert paid.credential_type == found.card.credential_type == "NETWORK_TOKEN"
    assert paid.three_d_secure is not None
    assert paid.three_d_secure.eci == "05"


def test_two_tokens_of_one_account_are_no_different_cards(
    plan: Callable[..., RequestPlan],
) -> None:
    token = {"cardNumber": "5555555555554444", "paymentAccountReference": PAR}
    checked = PURCHASE["preCheckRequest"] | {"paymentAccountReference": PAR}
    for check, differ in ((checked, False), (PURCHASE["preCheckRequest"], True)):
        together = plan(rulesRequest=token, preCheckRequest=check).inputs.find(SignalInput)
        assert together is not None
        assert together.cards_differ is differ


@pytest.mark.parametrize(
    ("changes", "errors"),
    [
        (
            {
                "rulesRequest": {"paymentAccountReference": PAR[:-1] + "0"},
                "preCheckRequest": {
                    **PURCHASE["preCheckRequest"],
                    "paymentAccountReference": PAR,
                },
            },
            {"rulesRequest.paymentAccountReference": "differs from what another object says"},
        ),
        (
            {
                "rulesRequest": {"threeDSecure": AUTHENTICATED},
                "gatewayRequest": {"threeDSecure": {"status": "A"}},
            },
            {"gatewayRequest.threeDSecure": "differs from rulesRequest.threeDSecure"},
        ),
        (
            {"rulesRequest": {"threeDSecure": {"status": "C"}}},
            {"rulesRequest.threeDSecure.status": "the challenge is not over"},
        ),
    ],
    ids=["two references", "two results", "no result yet"],
)
def test_objects_that_contradict_each_other_are_refused(
    plan: Callable[..., RequestPlan], changes: dict[str, Any], errors: dict[str, str]
) -> None:
    with pytest.raises(RequestRefused) as wrong:
        plan(**changes)
    assert wrong.value.fields.keys() == errors.keys()
    for path, says in errors.items():
        assert says in wrong.value.fields[path][0]

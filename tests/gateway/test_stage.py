"""The Gateway stage words what a gateway says, and keeps its secrets."""

import asyncio
from typing import Any

import msgspec
import pytest

from gatehouse.connectors.sandbox.parties import SandboxGateway
from gatehouse.core.cards.numbers import CardNumber, ExpiryDate, SecurityCode
from gatehouse.core.cards.three_d_secure import AuthenticationValue, Eci, ThreeDSecure
from gatehouse.core.errors import ConnectorFailed
from gatehouse.core.limits.timeouts import with_timeout
from gatehouse.core.money import Payment
from gatehouse.core.secrets.credentials import AccountReference, CredentialType
from gatehouse.core.stages.case import Case, StageResult, ValuesByType
from gatehouse.core.stages.outcomes import Outcome
from gatehouse.gateway.port import (
    Authorization,
    GatewayAnswer,
    GatewayInput,
    PaymentGateway,
    Reversal,
)
from gatehouse.gateway.response import GatewayResponse, GatewayStatus
from gatehouse.gateway.stage import GatewayStage

CARD = "4242424242424242"
CODE = "737"


class Scripted:
    """A gateway that answers, or fails, as it is told."""

    def __init__(self, answer: Any) -> None:
        self.answer = answer
        self.asked: list[Authorization] = []

    async def authorize(self, authorization: Authorization) -> GatewayAnswer:
        self.asked.append(authorization)
        if isinstance(self.answer, Exception):
            raise self.answer
        answer: GatewayAnswer = self.answer
        return answer

    async def reverse(self, reversal: Reversal) -> None:
        raise AssertionError("a stage never reverses")


def case(number: str = CARD, request_id: str = "req_1") -> Case:
    asked = GatewayInput(
        payment=Payment(5990, "USD"),
        number=CardNumber.parse(number),
        expiry=ExpiryDate(2035, 12),
        security_code=SecurityCode.parse(CODE),
        postal_code="94105",
        street="1 Market Street",
    )
    return Case(request_id, "acct_1", 0, ValuesByType.of(asked))


def run(gateway: PaymentGateway, of: Case | None = None) -> StageResult:
    stage = GatewayStage(gateway, time_limit_ms=1000)
    return asyncio.run(with_timeout(60, stage.run(of or case())))


def test_an_approval_is_accepted_with_its_codes() -> None:
    gateway = Scripted(GatewayAnswer(True, "00", "A1B2C3"))
    result = run(gateway)
    assert result.response == GatewayResponse(GatewayStatus.APPROVED, "00", "A1B2C3")
    assert (result.completed, result.verdict, result.declined) == (True, Outcome.ACCEPT, False)
    assert result.facts == {
        "status": "APPROVED",
        "responseCode": "00",
        "approvalCode": "A1B2C3",
        "amountMinor": 5990,
        "currency": "USD",
    }


def test_the_gateway_is_told_everything_it_needs_under_the_id_of_the_request() -> None:
    gateway = Scripted(GatewayAnswer(True, "00"))
    run(gateway)
    (asked,) = gateway.asked
    assert (asked.request_id, asked.payment) == ("req_1", Payment(5990, "USD"))
    assert (asked.number.reveal(), str(asked.expiry)) == (CARD, "2035-12")
    assert asked.security_code is not None
    assert asked.security_code.reveal() == CODE
    assert (asked.postal_code, asked.street) == ("94105", "1 Market Street")


class Referring(Scripted):
    """A gateway that finds payments by more than the request id."""

    def refer(self, authorization: Authorization) -> str:
        return f"sent as {authorization.request_id} for {authorization.account_id}"


def test_a_payment_goes_to_the_gateway_with_the_reference_that_was_stored_for_it() -> None:
    gateway = Referring(GatewayAnswer(True, "00", reference="psp-1"))
    of = case()
    of.payment_reference = GatewayStage(gateway, time_limit_ms=1000).refer(of)
    result = run(gateway, of)
    assert gateway.asked[0].payment.reference == "sent as req_1 for acct_1"
    assert of.payment_reference == "psp-1"
    assert "reference" not in result.facts


ID_22 = "7038592816966123456789"
"""As CyberSource makes them; parts of it could be card numbers."""


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ("NC6HT9CRT65ZGN82", "NC6HT9CRT65ZGN82"),
        (ID_22, ID_22),
        (None, None),
        (CARD, "[card]"),
        ("4242-4242-4242-4242", "[card]"),
        (f"99{CARD}9999", "[card]"),
        ("pay 5555555555554444", "pay [card]"),
        ("a\x00b", "a\N{REPLACEMENT CHARACTER}b"),
        ("x" * 600, "x" * 512),
    ],
)
@pytest.mark.parametrize("approved", [True, False])
def test_the_id_and_the_party_of_a_payment_are_told_and_recorded(
    given: str | None, told: str | None, approved: bool
) -> None:
    answer = GatewayAnswer(approved, "00", payment_id=given, party="main-processor")
    result = run(Scripted(answer))
    assert isinstance(result.response, GatewayResponse)
    assert (result.response.payment_id, result.response.party) == (told, "main-processor")
    assert (result.facts.get("paymentId"), result.facts["party"]) == (told, "main-processor")


class Turning(Referring):
    """A gateway that turns to another party, and fails there or before."""

    def __init__(self, *, sent: bool) -> None:
        super().__init__(None)
        self._sent = sent

    async def authorize(self, authorization: Authorization) -> GatewayAnswer:
        assert authorization.redirect is not None
        await authorization.redirect("the other party")
        raise ConnectorFailed("no answer", sent=self._sent)


@pytest.mark.parametrize("sent", [True, False])
def test_a_payment_is_in_doubt_where_it_was_sent_and_only_if_it_was(sent: bool) -> None:
    of, stored = case(), list[str]()

    async def store(reference: str) -> None:
        stored.append(reference)

    of.redirect_payment = store
    stage = GatewayStage(Turning(sent=sent), time_limit_ms=1000)
    with pytest.raises(ConnectorFailed):
        asyncio.run(stage.run(of))
    result = stage.unavailable(of)
    assert (stored, of.payment_reference) == (["the other party"], "the other party")
    assert (result.in_doubt, result.completed) == (sent, False)


def test_a_payment_whose_time_is_over_before_another_party_is_stored_was_sent_to_nobody() -> None:
    of = case()

    async def store(_reference: str) -> None:
        raise asyncio.CancelledError

    of.redirect_payment = store
    stage = GatewayStage(Turning(sent=True), time_limit_ms=1000)
    with pytest.raises(asyncio.CancelledError):
        asyncio.run(stage.run(of))
    assert not stage.unavailable(of).in_doubt


def test_a_gateway_without_references_needs_none() -> None:
    assert GatewayStage(Scripted(None), time_limit_ms=1000).refer(case()) is None


def test_a_decline_is_an_attempt_that_was_refused_and_has_no_approval_code() -> None:
    result = run(Scripted(GatewayAnswer(False, "51", "left over")))
    assert result.response == GatewayResponse(GatewayStatus.DECLINED, "51", None)
    assert (result.completed, result.verdict, result.declined) == (True, Outcome.DECLINE, True)
    assert not result.in_doubt


def test_a_decline_with_a_security_code_counts_as_a_wrong_guess() -> None:
    assert run(Scripted(GatewayAnswer(False, "51"))).mismatched
    assert not run(Scripted(GatewayAnswer(True, "00"))).mismatched


def test_a_decline_without_a_security_code_is_no_guess() -> None:
    of = case()
    asked = of.input(GatewayInput)
    of.inputs[GatewayInput] = msgspec.structs.replace(asked, security_code=None)
    assert not run(Scripted(GatewayAnswer(False, "51")), of).mismatched


def test_a_payment_that_was_refused_without_asking_is_no_further_guess() -> None:
    of = case()
    of.guess_limit_reached = True
    assert not run(Scripted(GatewayAnswer(False, "51")), of).mismatched


def test_a_gateway_that_failed_is_an_error_that_is_not_charged_and_not_a_decline() -> None:
    result = GatewayStage(SandboxGateway(), time_limit_ms=1).unavailable(case())
    assert result.response == GatewayResponse(GatewayStatus.ERROR, None, None)
    assert (result.completed, result.verdict, result.declined) == (False, Outcome.DECLINE, False)
    assert result.in_doubt
    assert result.facts["amountMinor"] == 5990


@pytest.mark.parametrize("failure", [ConnectorFailed("down"), TimeoutError()])
def test_a_failure_of_the_other_side_is_left_to_the_engine(failure: Exception) -> None:
    with pytest.raises(type(failure)):
        run(Scripted(failure))


@pytest.mark.parametrize(
    "answer", [None, {"approved": True}, "00",
               GatewayAnswer(True, 0)],  # type: ignore[arg-type]  # as a careless connector would
)  # fmt: skip
def test_an_answer_that_is_none_is_a_defect(answer: object) -> None:
    with pytest.raises(TypeError):
        run(Scripted(answer))


@pytest.mark.parametrize("careless", ["no", 1, None])
def test_an_answer_that_is_neither_yes_nor_no_is_a_defect(careless: Any) -> None:
    # Whatever it meant, the payment may stand: the engine releases it, which reverses it.
    with pytest.raises(TypeError):
        run(Scripted(GatewayAnswer(careless, "00")))


def test_a_code_that_may_be_guessed_at_is_not_tried_at_the_gateway() -> None:
    gateway = Scripted(GatewayAnswer(True, "00"))
    of = case()
    of.guess_limit_reached = of.guess_limit_at_risk = True
    refused = run(gateway, of)
    assert refused.response == GatewayResponse(GatewayStatus.DECLINED, None, None)
    assert refused.completed
    of.guess_limit_reached = False
    waiting = run(gateway, of)
    assert waiting.response == GatewayResponse(GatewayStatus.ERROR, None, None)
    assert not waiting.completed
    assert not waiting.in_doubt
    assert gateway.asked == []


def test_what_comes_back_is_kept_as_a_short_code_without_card_numbers() -> None:
    result = run(Scripted(GatewayAnswer(True, f"no {CARD}", "x\x00\ud800" * 1000)))
    text = msgspec.json.encode(result.facts).decode()
    assert CARD not in text
    assert len(text) < 400
    assert result.facts["responseCode"] == "no [card]"


def test_nothing_that_a_stage_holds_shows_the_card() -> None:
    gateway = Scripted(GatewayAnswer(True, "00"))
    asked = case()
    result = run(gateway, asked)
    for shown in (repr(asked), repr(gateway.asked), repr(result)):
        assert CARD not in shown
        assert CODE not in shown
        assert "Market" not in shown


def test_the_sandbox_approves_with_six_digits_that_belong_to_the_request() -> None:
    first, again = run(SandboxGateway()), run(SandboxGateway())
    other = run(SandboxGateway(), case(request_id="req_2"))
    code = first.facts["approvalCode"]
    assert (first.facts["status"], first.facts["responseCode"]) == ("APPROVED", "00")
    assert len(code) == 6
    assert code.isdigit()
    assert again.facts["approvalCode"] == code != other.facts["approvalCode"]


def test_the_sandbox_declines_and_stays_silent_as_its_table_says() -> None:
    assert run(SandboxGateway(), case("4000000000000341")).facts["responseCode"] == "05"

    async def silent() -> StageResult:
        stage = GatewayStage(SandboxGateway(), time_limit_ms=10)
        return await with_timeout(0.01, stage.run(case("4000000000000259")))

    with pytest.raises(TimeoutError):
        asyncio.run(silent())


def test_the_sandbox_reverses_everything() -> None:
    asyncio.run(SandboxGateway().reverse(Reversal("req_1", Payment(1, "USD"), "acct_1")))


def test_the_gateway_gets_the_account_and_the_authentication_and_the_record_neither() -> None:
    value, reference = "AAABBEg0VhI0VniQEjRWAAAAAAA=", "V0010013018036776997406844829"
    asked = msgspec.structs.replace(
        case().input(GatewayInput),
        account_reference=AccountReference.parse(reference),
        credential_type=CredentialType.NETWORK_TOKEN,
        three_d_secure=ThreeDSecure(
            eci=Eci.AUTHENTICATED, authentication_value=AuthenticationValue.parse(value)
        ),
    )
    gateway = Scripted(GatewayAnswer(True, "00"))
    result = run(gateway, Case("req_1", "acct_1", 0, ValuesByType.of(asked)))
    [sent] = gateway.asked
    assert (sent.account_reference, sent.credential_type, sent.three_d_secure) == (
        *(asked.account_reference, "NETWORK_TOKEN", asked.three_d_secure),
    )
    shown = f"{sent!r} {asked.three_d_secure!r} {result!r}"
    assert value not in shown
    assert reference not in shown

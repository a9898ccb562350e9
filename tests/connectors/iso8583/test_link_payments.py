"""Payments over ISO 8583: one authorization each, and reversals that find it again."""

import asyncio

import msgspec
import pytest

from gatehouse.connectors.iso8583.connector import Iso8583Connector
from gatehouse.connectors.iso8583.payments import Iso8583Gateway, PaymentCodes
from gatehouse.connectors.iso8583.roles import MessageKind, Role
from gatehouse.core.cards.numbers import CardNumber, ExpiryDate, SecurityCode
from gatehouse.core.cards.three_d_secure import (
    Eci,
    ScaExemption,
    ThreeDSecure,
    ThreeDSStatus,
    ThreeDSVersion,
)
from gatehouse.core.errors import ConnectorFailed
from gatehouse.core.money import Payment
from gatehouse.core.secrets.credentials import AccountReference, CredentialType
from gatehouse.gateway.port import Authorization, Reversal
from tests.connectors.iso8583.playhost import (
    PlayHost,
    connector_to,
    end_time_limits,
    silent,
    until,
    well,
    with_host,
)
from tests.harness.rows import each

EUROS = Payment(1234, "EUR")
AUTHORIZE, REVERSE = MessageKind.AUTHORIZE, MessageKind.REVERSE
REPEAT = MessageKind.REVERSE_REPEAT


def authorization(payment: Payment = EUROS, request_id: str = "req_1") -> Authorization:
    return Authorization(
        payment,
        CardNumber.parse("4242424242424242"),
        ExpiryDate.parse("2031-07"),
        SecurityCode.parse("123"),
        request_id=request_id,
        account_id="acct_1",
    )


def gateway_of(connector: Iso8583Connector) -> Iso8583Gateway:
    assert connector.gateway is not None
    return connector.gateway


def referred(gateway: Iso8583Gateway, request_id: str = "req_1") -> Payment:
    return Payment(1234, "EUR", gateway.refer(authorization(request_id=request_id)))


async def give_up(host: PlayHost, gateway: Iso8583Gateway, payment: Payment) -> None:
    """Ask for a payment, and stop waiting when the host has it; it then approves all else."""
    host.behave = silent
    asking = asyncio.create_task(gateway.authorize(authorization(payment)))
    await until(lambda: host.asked)
    asking.cancel()
    await asyncio.wait([asking])
    host.behave = well


def test_a_payment_is_sent_with_the_numbers_that_were_stored_for_it() -> None:
    async def play(host: PlayHost, connector: Iso8583Connector) -> None:
        gateway = gateway_of(connector)
        host.behave = lambda side, asked: side.answer(asked, approval_code="A1B2C3")
        payment = referred(gateway)
        answer = await gateway.authorize(authorization(payment))
        assert (answer.approved, answer.response_code) == (True, "00")
        assert answer.approval_code == "A1B2C3"
        values = host.asked[0].values
        stan, sent_at, rrn, *_ = str(payment.reference).split("/")
        assert (values[Role.STAN], values[Role.TRANSMITTED_AT], values[Role.RRN]) == (
            stan,
            sent_at,
            rrn,
        )
        assert values[Role.AMOUNT] == "000000001234"
        assert values[Role.CURRENCY] == "978"
        assert "4242" not in str(payment.reference)

    with_host(play)


def test_what_3d_secure_found_and_the_account_behind_a_token_go_to_the_host() -> None:
    async def play(host: PlayHost, connector: Iso8583Connector) -> None:
        found = ThreeDSecure(
            ThreeDSVersion.V2_2_0,
            Eci.AUTHENTICATED,
            ThreeDSStatus.AUTHENTICATED,
            ScaExemption.TRANSACTION_RISK_ANALYSIS,
        )
        account = AccountReference.parse("V0010013018036776997406844829")
        asked = msgspec.structs.replace(
            authorization(),
            three_d_secure=found,
            account_reference=account,
            credential_type=CredentialType.NETWORK_TOKEN,
        )
        await gateway_of(connector).authorize(asked)
        values = host.asked[0].values
        assert values[Role.ECI] == "05"
        assert values[Role.THREE_D_SECURE_STATUS] == "Y"
        assert values[Role.THREE_D_SECURE_VERSION] == "2.2.0"
        assert values[Role.EXEMPTION] == "TR"
        assert values[Role.PAR] == account.reveal()
        assert values[Role.CREDENTIAL_TYPE] == "NETWORK_TOKEN"

    with_host(play)


def test_a_payment_is_reversed_after_a_crash_by_what_was_stored() -> None:
    async def play(host: PlayHost, connector: Iso8583Connector) -> None:
        payment = referred(gateway_of(connector))
        await gateway_of(connector).authorize(authorization(payment))
        after_the_crash = connector_to(host)
        await after_the_crash.start()
        await until(lambda: after_the_crash.state().problem is None)
        await gateway_of(after_the_crash).reverse(Reversal("req_1", payment, "acct_1"))
        await after_the_crash.stop()
        paid, reversed_ = host.asked
        assert reversed_.kind is REVERSE
        assert reversed_.values[Role.RRN] == paid.values[Role.RRN]
        assert reversed_.values[Role.ORIGINAL_MTI] == "0100"
        assert reversed_.values[Role.ORIGINAL_STAN] == paid.values[Role.STAN]
        assert reversed_.values[Role.ORIGINAL_TRANSMITTED_AT] == "1114221320"
        assert reversed_.values[Role.AMOUNT] == "000000001234"
        assert Role.NUMBER not in reversed_.values

    with_host(play)


def test_while_the_process_lives_a_reversal_has_what_the_host_answered_and_the_number() -> None:
    async def play(host: PlayHost, connector: Iso8583Connector) -> None:
        gateway = gateway_of(connector)
        host.behave = lambda side, asked: side.answer(
            asked, approval_code="A1 C3", transaction_id="T 99"
        )
        answer = await gateway.authorize(authorization(referred(gateway)))
        await gateway.reverse(Reversal("req_1", Payment(1234, "EUR", answer.reference), "acct_1"))
        values = host.asked[1].values
        assert values[Role.APPROVAL_CODE] == "A1C3"
        assert values[Role.NUMBER] == "4242424242424242"

    with_host(play)


def test_a_second_reversal_is_a_repeat() -> None:
    async def play(host: PlayHost, connector: Iso8583Connector) -> None:
        gateway = gateway_of(connector)
        reversal = Reversal("req_1", referred(gateway), "acct_1")
        await gateway.reverse(reversal)
        await gateway.reverse(reversal)
        assert host.kinds() == [REVERSE, REPEAT]

    with_host(play)


def test_a_host_that_never_heard_of_a_payment_has_nothing_to_reverse() -> None:
    async def play(host: PlayHost, connector: Iso8583Connector) -> None:
        host.behave = lambda side, asked: side.answer(asked, response_code="25")
        gateway = gateway_of(connector)
        await gateway.reverse(Reversal("req_1", referred(gateway), "acct_1"))

    with_host(play)


def test_a_payment_that_may_still_arrive_is_not_believed_to_be_unknown() -> None:
    async def play(host: PlayHost, connector: Iso8583Connector) -> None:
        gateway = gateway_of(connector)
        gateway.codes = PaymentCodes(not_found_after_s=60)
        host.behave = lambda side, asked: side.answer(asked, response_code="25")
        reference = str(gateway.refer(authorization()))
        with pytest.raises(ConnectorFailed, match="25"):
            await gateway.reverse(Reversal("req_1", Payment(1234, "EUR", reference), "acct_1"))
        a_minute_ago = reference.replace("1114221320", "1114221220")
        await gateway.reverse(Reversal("req_1", Payment(1234, "EUR", a_minute_ago), "acct_1"))

    with_host(play)


@each(["05", "12", "21", "91", "96"])
def test_any_other_answer_to_a_reversal_confirms_nothing(code: str) -> None:
    async def play(host: PlayHost, connector: Iso8583Connector) -> None:
        host.behave = lambda side, asked: side.answer(asked, response_code=code)
        gateway = gateway_of(connector)
        with pytest.raises(ConnectorFailed, match=code):
            await gateway.reverse(Reversal("req_1", referred(gateway), "acct_1"))

    with_host(play)


@each([None, "", "pay_123", "1/2/3/4/5"])
def test_a_payment_of_which_too_little_is_known_is_not_called_reversed(reference: object) -> None:
    async def play(host: PlayHost, connector: Iso8583Connector) -> None:
        stored = Payment(1234, "EUR", None if reference is None else str(reference))
        with pytest.raises(ConnectorFailed) as failed:
            await gateway_of(connector).reverse(Reversal("req_1", stored, "acct_1"))
        assert not failed.value.sent
        assert host.asked == []

    with_host(play)


def test_a_payment_without_a_stored_reference_says_afterwards_how_it_is_found() -> None:
    async def play(host: PlayHost, connector: Iso8583Connector) -> None:
        answer = await gateway_of(connector).authorize(authorization())
        assert str(answer.reference).startswith(host.asked[0].values[Role.STAN])

    with_host(play)


@each(["05", "51", "91"])
def test_a_refusal_is_a_decline_with_its_code(code: str) -> None:
    async def play(host: PlayHost, connector: Iso8583Connector) -> None:
        host.behave = lambda side, asked: side.answer(asked, response_code=code)
        answer = await gateway_of(connector).authorize(authorization())
        assert (answer.approved, answer.response_code) == (False, code)

    with_host(play)


@each(
    [
        *({"response_code": code} for code in ("08", "10", "85")),
        {"amount": "000000001233"},
        {"currency": "840"},
    ]
)
def test_an_approval_of_something_else_is_in_doubt_so_that_it_is_reversed(
    said: dict[str, str],
) -> None:
    async def play(host: PlayHost, connector: Iso8583Connector) -> None:
        host.behave = lambda side, asked: side.answer(asked, **said)
        with pytest.raises(ConnectorFailed) as failed:
            await gateway_of(connector).authorize(authorization())
        assert failed.value.sent
        assert failed.value.answered, "such cards must not stop the payments of others"

    with_host(play)


@each([Payment(10**12, "EUR"), Payment(1, "XXX")])
def test_an_amount_that_cannot_be_said_is_not_sent(payment: Payment) -> None:
    async def play(host: PlayHost, connector: Iso8583Connector) -> None:
        with pytest.raises(ConnectorFailed) as failed:
            await gateway_of(connector).authorize(authorization(payment))
        assert not failed.value.sent
        assert host.asked == []

    with_host(play)


def test_an_approval_that_comes_after_the_time_limit_is_reversed_at_once() -> None:
    async def play(host: PlayHost, connector: Iso8583Connector) -> None:
        gateway = gateway_of(connector)
        host.behave = silent
        asking = asyncio.create_task(gateway.authorize(authorization(referred(gateway))))
        await until(lambda: host.asked)
        end_time_limits(connector)
        with pytest.raises(ConnectorFailed, match="in time") as failed:
            await asking
        assert failed.value.sent
        host.behave = well
        host.open_sides[0].answer(host.asked[0])
        await until(lambda: gateway.late_reversed == 1)
        assert host.kinds() == [AUTHORIZE, REVERSE]
        assert host.asked[1].values[Role.ORIGINAL_STAN] == host.asked[0].values[Role.STAN]
        assert connector.state().late_answers == 1

    with_host(play)


def test_an_approval_that_comes_after_its_request_was_given_up_is_reversed_at_once() -> None:
    async def play(host: PlayHost, connector: Iso8583Connector) -> None:
        gateway = gateway_of(connector)
        await give_up(host, gateway, referred(gateway))
        assert connector.state().in_flight == 0
        host.open_sides[0].answer(host.asked[0], approval_code="A1B2C3")
        await until(lambda: gateway.late_reversed == 1)
        assert host.kinds() == [AUTHORIZE, REVERSE]
        assert host.asked[1].values[Role.APPROVAL_CODE] == "A1B2C3"

    with_host(play)


def test_a_reversal_that_never_left_is_not_repeated_but_sent() -> None:
    async def play(host: PlayHost, connector: Iso8583Connector) -> None:
        gateway = gateway_of(connector)
        reversal = Reversal("req_1", referred(gateway), "acct_1")
        [link] = connector.pool.links
        link.pause_writing()
        with pytest.raises(ConnectorFailed):
            await gateway.reverse(reversal)
        link.resume_writing()
        await gateway.reverse(reversal)
        assert host.kinds() == [REVERSE]

    with_host(play)


def test_the_reversal_worker_and_the_link_may_both_reverse_and_the_second_is_a_repeat() -> None:
    async def play(host: PlayHost, connector: Iso8583Connector) -> None:
        gateway = gateway_of(connector)
        payment = referred(gateway)
        await give_up(host, gateway, payment)
        await gateway.reverse(Reversal("req_1", payment, "acct_1"))
        host.open_sides[0].answer(host.asked[0])
        await until(lambda: gateway.late_reversed == 1)
        assert host.kinds() == [AUTHORIZE, REVERSE, REPEAT]

    with_host(play)


def test_a_late_decline_needs_no_reversal_and_a_late_check_neither() -> None:
    async def play(host: PlayHost, connector: Iso8583Connector) -> None:
        gateway = gateway_of(connector)
        await give_up(host, gateway, referred(gateway))
        host.open_sides[0].answer(host.asked[0], response_code="05")
        await until(lambda: connector.state().late_answers == 1)
        assert host.kinds() == [AUTHORIZE]

    with_host(play)


def test_a_late_approval_is_reversed_again_a_few_times_and_then_left_to_the_worker() -> None:
    async def play(host: PlayHost, connector: Iso8583Connector) -> None:
        gateway = gateway_of(connector)
        gateway.pause_s = lambda _attempt: 0.0
        await give_up(host, gateway, referred(gateway))
        host.behave = lambda side, asked: side.answer(asked, response_code="96")
        host.open_sides[0].answer(host.asked[0])
        await until(lambda: len(host.asked) == 4 and connector.state().in_flight == 0)
        assert host.kinds() == [AUTHORIZE, REVERSE, REPEAT, REPEAT]
        assert gateway.late_reversed == 0

    with_host(play)


def test_nothing_in_memory_shows_a_card() -> None:
    async def play(host: PlayHost, connector: Iso8583Connector) -> None:
        gateway = gateway_of(connector)
        await gateway.authorize(authorization(referred(gateway)))
        shown = repr(vars(gateway)) + repr(connector.state()) + repr(connector.counts)
        assert "4242424242424242" not in shown
        assert "123" not in str(host.asked[0])

    with_host(play)

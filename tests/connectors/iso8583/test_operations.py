"""Captures and refunds over ISO 8583: done once, whichever answer is lost."""

import asyncio

import msgspec
import pytest

from gatehouse.connectors.iso8583.connector import Iso8583Connector
from gatehouse.connectors.iso8583.dialect import Dialect
from gatehouse.connectors.iso8583.reading import shipped_dialect
from gatehouse.connectors.iso8583.roles import MessageKind, Role
from gatehouse.core.errors import ConnectorFailed
from gatehouse.core.ids import first_id
from gatehouse.core.money import Payment
from gatehouse.gateway.operating import Offer, OperationEnd, OperationKind, PaymentOperation
from gatehouse.gateway.sending import SENDS_UNTIL_MS
from tests.connectors.iso8583.playhost import (
    PlayHost,
    connector_to,
    end_time_limits,
    run,
    silent,
    until,
    well,
    with_host,
)
from tests.connectors.iso8583.test_link_payments import authorization, gateway_of, referred
from tests.connectors.iso8583.test_link_reference_host import both

CAPTURE, REFUND = OperationKind.CAPTURE, OperationKind.REFUND


def operation(
    payment: Payment, kind: OperationKind = CAPTURE, amount_minor: int = 400, number: int = 1
) -> PaymentOperation:
    """An operation on the payment of `authorization`, by an id of a known moment."""
    return PaymentOperation(
        operation_id=f"{first_id('op', 1_763_000_000_000)}{number:016d}",
        kind=kind,
        request_id="req_1",
        account_id="acct_1",
        payment=payment,
        amount_minor=amount_minor,
    )


def again(asked: PaymentOperation) -> PaymentOperation:
    return msgspec.structs.replace(asked, is_repeat=True)


@pytest.mark.parametrize(
    ("kind", "first", "repeat", "code"),
    [
        (CAPTURE, MessageKind.CAPTURE, MessageKind.CAPTURE_REPEAT, "000000"),
        (REFUND, MessageKind.REFUND, MessageKind.REFUND_REPEAT, "200000"),
    ],
)
def test_what_is_sent_again_says_that_it_is_a_repeat_and_differs_in_nothing_else(
    kind: OperationKind, first: MessageKind, repeat: MessageKind, code: str
) -> None:
    async def play(host: PlayHost, connector: Iso8583Connector) -> None:
        gateway = gateway_of(connector)
        host.behave = lambda side, asked: side.answer(asked, approval_code="A1B2C3")
        payment = referred(gateway)
        reference = (await gateway.authorize(authorization(payment))).reference
        asked = operation(msgspec.structs.replace(payment, reference=reference), kind)
        assert gateway.offer(asked) is Offer.REPEATABLE

        host.behave = silent
        waiting = asyncio.create_task(gateway.operate(asked))
        await until(lambda: len(host.asked) == 2)
        end_time_limits(connector)
        with pytest.raises(ConnectorFailed) as failed:
            await waiting
        assert failed.value.sent

        host.behave = well
        ended = await gateway.operate(again(asked))
        assert ended.end is OperationEnd.SUCCEEDED
        paid, one, other = host.asked
        assert (one.kind, other.kind) == (first, repeat)
        assert one.values == other.values
        assert ended.party_reference == one.values[Role.RRN] != paid.values[Role.RRN]
        assert one.values[Role.ORIGINAL_RRN] == paid.values[Role.RRN]
        assert one.values[Role.ORIGINAL_STAN] == paid.values[Role.STAN]
        assert one.values[Role.APPROVAL_CODE] == "A1B2C3"
        assert (one.values[Role.AMOUNT], one.values[Role.PROCESSING_CODE]) == (
            "000000000400",
            code,
        )
        assert Role.NUMBER not in one.values

    with_host(play)


def test_nothing_is_sent_after_the_moment_until_which_it_may_be() -> None:
    async def play(host: PlayHost, connector: Iso8583Connector) -> None:
        gateway = gateway_of(connector)
        SENDS_UNTIL_MS.set(0)
        with pytest.raises(ConnectorFailed) as failed:
            await gateway.operate(operation(referred(gateway)))
        assert (failed.value.sent, host.asked) == (False, [])

    with_host(play)


def test_only_a_clear_answer_ends_an_operation() -> None:
    async def play(host: PlayHost, connector: Iso8583Connector) -> None:
        gateway = gateway_of(connector)
        payment = referred(gateway)

        async def told(number: int, **values: str) -> object:
            host.behave = lambda side, asked: side.answer(asked, **values)
            try:
                return (await gateway.operate(operation(payment, number=number))).end
            except ConnectorFailed as failure:
                return failure.sent

        assert await told(1) is OperationEnd.SUCCEEDED
        assert await told(2, response_code="05") is OperationEnd.REFUSED
        assert await told(3, response_code="13") is OperationEnd.REFUSED
        for number, code in enumerate(("91", "96", "94", "10"), 4):
            assert await told(number, response_code=code) is True, "nobody knows"
        assert await told(9, amount="000000000399") is True, "it is about another amount"

    with_host(play)


def without(*kinds: MessageKind) -> Dialect:
    """The reference dialect without some messages."""
    shipped = shipped_dialect("reference")
    left = {kind: layout for kind, layout in shipped.messages.items() if kind not in kinds}
    return Dialect(msgspec.structs.replace(shipped, messages=left))


@pytest.mark.parametrize(
    ("dialect", "kind", "offer"),
    [
        (without(MessageKind.CAPTURE_REPEAT), CAPTURE, Offer.ONCE),
        (without(MessageKind.REFUND_REPEAT), REFUND, Offer.ONCE),
        (Dialect(shipped_dialect("base-one")), CAPTURE, Offer.NONE),
        (Dialect(shipped_dialect("base-one")), REFUND, Offer.NONE),
        (Dialect(shipped_dialect("base-one")), OperationKind.VOID, Offer.REPEATABLE),
    ],
)
def test_a_dialect_offers_what_it_has_messages_for(
    dialect: Dialect, kind: OperationKind, offer: Offer
) -> None:
    gateway = gateway_of(connector_to(PlayHost(dialect)))
    assert gateway.offer(operation(Payment(1, "EUR"), kind)) is offer


def test_the_host_captures_and_gives_back_once_for_each_id_and_never_more_than_there_is() -> None:
    async def play() -> None:
        async with both() as (connector, host):
            await until(lambda: connector.state().problem is None)
            gateway = gateway_of(connector)
            payment = referred(gateway)
            answer = await gateway.authorize(authorization(payment))
            payment = msgspec.structs.replace(payment, reference=answer.reference)
            capture = operation(payment, amount_minor=1000)
            for asked in (capture, again(capture), again(capture)):
                assert (await gateway.operate(asked)).end is OperationEnd.SUCCEEDED
            more = operation(payment, amount_minor=235, number=2)
            assert (await gateway.operate(more)).response_code == "13", "1234 was authorized"
            refused = operation(payment, amount_minor=105, number=3)
            assert (await gateway.operate(refused)).end is OperationEnd.REFUSED
            refund = operation(payment, REFUND, 400, number=4)
            # The first message may be lost: a repeat is then the first that arrives.
            for asked in (again(refund), again(refund)):
                assert (await gateway.operate(asked)).end is OperationEnd.SUCCEEDED
            back = operation(payment, REFUND, 601, number=5)
            assert (await gateway.operate(back)).end is OperationEnd.REFUSED
            summary = host.host.memory.summary
            assert (summary.captured, summary.refunded) == (1, 1)

    run(play)

"""A host that misbehaves: every request ends, nothing is sent twice, and nothing is left behind."""

import asyncio
import gc
import random
from contextlib import suppress

import pytest

from gatehouse.connectors.iso8583.connector import Iso8583Connector
from gatehouse.connectors.iso8583.dialect import Unpacked
from gatehouse.connectors.iso8583.layout.numbers import rrn_of
from gatehouse.connectors.iso8583.link.link import Link, Pending
from gatehouse.connectors.iso8583.roles import MessageKind, Role
from gatehouse.core.errors import ConnectorFailed
from gatehouse.gateway.port import Reversal
from gatehouse.precheck.issuer import IssuerAnswer
from tests.connectors.iso8583.playhost import (
    HostSide,
    PlayHost,
    end_time_limits,
    silent,
    until,
    well,
    with_host,
)
from tests.connectors.iso8583.test_link_payments import (
    AUTHORIZE,
    authorization,
    gateway_of,
    referred,
)
from tests.connectors.iso8583.test_link_pool import check
from tests.harness.rows import each

FINE = IssuerAnswer("00")


async def _failure_at_the_limit(host: PlayHost, connector: Iso8583Connector) -> ConnectorFailed:
    """How a check ends whose time limit passes once the host has the message."""
    asking = asyncio.create_task(check(connector))
    await until(lambda: host.asked)
    end_time_limits(connector)
    with pytest.raises(ConnectorFailed) as failed:
        await asking
    return failed.value


def test_an_answer_that_comes_byte_by_byte_is_read() -> None:
    async def play(host: PlayHost, connector: Iso8583Connector) -> None:
        def slowly(side: HostSide, asked: Unpacked) -> None:
            for byte in side.framed(asked):
                side.transport.write(bytes([byte]))

        host.behave = slowly
        assert await check(connector) == FINE

    with_host(play)


def test_half_a_message_and_then_nothing_is_found_out_by_an_echo() -> None:
    async def play(host: PlayHost, connector: Iso8583Connector) -> None:
        host.behave = lambda side, asked: side.transport.write(side.framed(asked)[:20])
        failure = await _failure_at_the_limit(host, connector)
        assert failure.sent
        # The answer to the echo is taken for the rest of the message.
        await until(lambda: MessageKind.ECHO in [each.kind for each in host.network])
        end_time_limits(connector)
        await until(lambda: connector.counts.lost)
        host.behave = well
        await until(lambda: connector.state().problem is None)
        assert await check(connector) == FINE

    with_host(play)


def test_what_was_heard_in_the_millisecond_of_a_message_is_no_sign_of_life_after_it() -> None:
    async def play(host: PlayHost, connector: Iso8583Connector) -> None:
        def same_moment(_side: HostSide, _asked: Unpacked) -> None:
            [link] = connector.pool.links
            [pending] = link.waiting
            link.heard_at_s = pending.sent_at_s

        host.behave = same_moment
        await _failure_at_the_limit(host, connector)
        await until(lambda: host.network[-1].kind is MessageKind.ECHO)

    with_host(play)


def test_half_a_message_and_then_a_reset_fails_what_waits_at_once() -> None:
    async def play(host: PlayHost, connector: Iso8583Connector) -> None:
        def half(side: HostSide, asked: Unpacked) -> None:
            side.transport.write(side.framed(asked)[:20])
            side.transport.close()

        host.behave = half
        with pytest.raises(ConnectorFailed) as failed:
            await check(connector)
        assert failed.value.sent
        host.behave = well
        await until(lambda: connector.state().problem is None)
        assert await check(connector) == FINE

    with_host(play)


def test_a_length_that_cannot_be_ends_the_connection() -> None:
    async def play(host: PlayHost, connector: Iso8583Connector) -> None:
        host.behave = lambda side, _asked: side.transport.write(b"\xff\xff" * 50)
        with pytest.raises(ConnectorFailed, match="no message") as failed:
            await check(connector)
        assert failed.value.sent
        await until(lambda: connector.state().problem is None)
        assert connector.counts.lost == 1

    with_host(play)


def test_a_message_that_cannot_be_read_is_dropped_and_the_next_one_counts() -> None:
    async def play(host: PlayHost, connector: Iso8583Connector) -> None:
        def garbled(side: HostSide, asked: Unpacked) -> None:
            side.transport.write(side.framing.frame(b"0110" + bytes(range(40))))
            side.answer(asked)

        host.behave = garbled
        assert await check(connector) == FINE
        assert connector.counts.malformed == 1
        assert connector.counts.lost == 0

    with_host(play)


def test_an_answer_that_comes_twice_counts_once() -> None:
    async def play(host: PlayHost, connector: Iso8583Connector) -> None:
        host.behave = lambda side, asked: side.transport.write(side.framed(asked) * 2)
        assert await check(connector) == FINE
        assert await check(connector) == FINE
        await until(lambda: connector.counts.unmatched == 2)
        assert connector.counts.answered == 3  # with the sign-on

    with_host(play)


@pytest.mark.parametrize("wrong", ["stan", "rrn"])
def test_an_answer_fits_only_with_both_numbers(wrong: str) -> None:
    async def play(host: PlayHost, connector: Iso8583Connector) -> None:
        def answer(side: HostSide, asked: Unpacked) -> None:
            other = "1" * len(asked.values[Role(wrong)])
            side.answer(asked, **{wrong: other}, response_code="05")
            side.answer(asked)

        host.behave = answer
        assert await check(connector) == FINE
        assert connector.counts.unmatched == 1

    with_host(play)


def test_an_answer_to_something_else_is_none_whatever_its_numbers() -> None:
    async def play(host: PlayHost, connector: Iso8583Connector) -> None:
        def confuse(side: HostSide, asked: Unpacked) -> None:
            of_others = (MessageKind.REVERSE_ANSWER, MessageKind.CAPTURE_ANSWER)
            for kind in of_others:
                side.send(kind, {**asked.values, Role.RESPONSE_CODE: "00"})
            side.answer(asked, response_code="05")

        host.behave = confuse
        assert not (await gateway_of(connector).authorize(authorization())).approved
        assert connector.counts.unmatched == 2

    with_host(play)


@each([MessageKind.ECHO, MessageKind.AUTHORIZE_ANSWER, "garbage", "signs of life"])
def test_a_flood_of_what_nobody_asked_for_ends_the_connection(sent: str) -> None:
    async def play(host: PlayHost, connector: Iso8583Connector) -> None:
        [side] = host.open_sides
        numbers = {Role.STAN: "000777", Role.RRN: "AB12CD34EF56", Role.AMOUNT: "000000000001"}
        message = side.framing.frame(b"0110")
        if isinstance(sent, MessageKind):
            approved = {**numbers, Role.RESPONSE_CODE: "00"}
            message = side.framing.frame(host.dialect.pack(sent, approved))
        side.say((b"\0\0" if sent == "signs of life" else message) * 20_000)
        await until(lambda: connector.counts.lost)
        counts = connector.counts
        assert counts.unmatched + counts.malformed + len(host.answers) < 10_000
        await until(lambda: connector.state().problem is None)
        assert await check(connector) == FINE

    with_host(play)


def test_our_own_message_sent_back_is_no_answer() -> None:
    async def play(host: PlayHost, connector: Iso8583Connector) -> None:
        def mirror(side: HostSide, asked: Unpacked) -> None:
            side.send(asked.kind, asked.values)
            side.answer(asked)

        host.behave = mirror
        assert await check(connector) == FINE
        assert connector.counts.unmatched == 1

    with_host(play)


def test_a_reset_fails_everything_on_that_connection_and_nothing_on_the_others() -> None:
    async def play(host: PlayHost, connector: Iso8583Connector) -> None:
        held: list[tuple[HostSide, Unpacked]] = []
        host.behave = lambda side, asked: held.append((side, asked))
        asking = [asyncio.create_task(check(connector, f"req_{n}")) for n in range(20)]
        await until(lambda: len(held) == 20)
        dead = host.open_sides[0]
        dead.transport.abort()
        for side, asked in held:
            if side is not dead:
                side.answer(asked)
        ends = await asyncio.gather(*asking, return_exceptions=True)
        failed = [end for end in ends if isinstance(end, ConnectorFailed)]
        assert len(failed) == 10
        assert all(failure.sent for failure in failed)
        assert ends.count(FINE) == 10

    with_host(play, connections=2)


def test_what_was_not_written_when_the_connection_broke_may_go_elsewhere() -> None:
    async def play(host: PlayHost, connector: Iso8583Connector) -> None:
        asking = asyncio.create_task(check(connector))
        await asyncio.sleep(0)  # The message waits for the end of this turn of the loop.
        [link] = connector.pool.links
        link.close("broken by the test")
        with pytest.raises(ConnectorFailed) as failed:
            await asking
        assert not failed.value.sent
        assert host.asked == []

    with_host(play)


def test_a_request_given_up_before_it_was_written_is_never_sent() -> None:
    async def play(host: PlayHost, connector: Iso8583Connector) -> None:
        gateway = gateway_of(connector)
        asking = asyncio.create_task(gateway.authorize(authorization(referred(gateway))))
        await asyncio.sleep(0)
        asking.cancel()
        await asyncio.wait([asking])
        assert await check(connector) == FINE
        assert len(host.asked) == 1

    with_host(play)


def test_a_silent_host_that_still_answers_echoes_keeps_its_connection() -> None:
    async def play(host: PlayHost, connector: Iso8583Connector) -> None:
        host.behave = silent
        assert "in time" in str(await _failure_at_the_limit(host, connector))
        host.behave = well
        assert await check(connector) == FINE
        assert len(host.sides) == 1

    with_host(play)


def test_an_answer_after_the_time_limit_is_counted_and_confuses_nobody() -> None:
    async def play(host: PlayHost, connector: Iso8583Connector) -> None:
        host.behave = silent
        await _failure_at_the_limit(host, connector)
        host.behave = well
        host.open_sides[0].answer(host.asked[0], response_code="05")
        assert await check(connector) == FINE
        assert connector.state().late_answers == 1
        assert connector.counts.unmatched == 0

    with_host(play)


def test_an_answer_in_the_turn_in_which_its_request_is_given_up_is_late() -> None:
    async def play(host: PlayHost, connector: Iso8583Connector) -> None:
        gateway = gateway_of(connector)
        host.behave = silent
        asking = asyncio.create_task(gateway.authorize(authorization(referred(gateway))))
        await until(lambda: host.asked)
        [link] = connector.pool.links
        [pending] = link.waiting
        side = host.open_sides[0]
        [body] = side.framing.feed(side.framed(host.asked[0]))
        host.behave = well
        connector.pool.received(link, body)
        assert pending.future.done()
        asking.cancel()
        await asyncio.wait([asking])
        assert asking.cancelled()
        await until(lambda: gateway.late_reversed == 1)

    with_host(play)


def test_the_host_may_be_restarted_again_and_again() -> None:
    async def play(host: PlayHost, connector: Iso8583Connector) -> None:
        for _ in range(5):
            await host.shut()
            with pytest.raises(ConnectorFailed):
                await check(connector)
            await host.listen()
            await until(lambda: connector.state().problem is None)
            assert await check(connector) == FINE
        assert len(host.open_sides) == 2

    with_host(play, connections=2)


def test_under_every_fault_at_once_each_request_ends_and_no_payment_is_sent_twice() -> None:
    """Payments on a host that misbehaves by chance: what it approved is approved or reversed."""

    async def play(host: PlayHost, connector: Iso8583Connector) -> None:
        dice = random.Random(17)
        gateway = gateway_of(connector)
        host.behave = lambda side, asked: _misbehave(dice, side, asked)

        approved: set[str] = set()
        doubtful: list[Reversal] = []

        async def pay(request_id: str) -> None:
            payment = referred(gateway, request_id)
            try:
                await gateway.authorize(authorization(payment, request_id))
                approved.add(rrn_of(request_id))
            except ConnectorFailed:
                doubtful.append(Reversal(request_id, payment, "acct_1"))

        for first in range(0, 200, 40):
            await asyncio.gather(*[pay(f"req_{number}") for number in range(first, first + 40)])
            await until(lambda: connector.state().connections)
        host.behave = well
        connector.pool.options = connector.pool.options._replace(timeout_s=1.0, connect_s=1.0)
        await until(lambda: connector.state().problem is None and not gateway.reversing)
        while doubtful:
            # Some connections are still broken: what was sent on them is of no use.
            with suppress(ConnectorFailed):
                await gateway.reverse(doubtful[-1])
                doubtful.pop()
        paid = [each.values[Role.RRN] for each in host.asked if each.kind is AUTHORIZE]
        taken_back = {each.values[Role.RRN] for each in host.asked if each.kind is not AUTHORIZE}
        assert len(paid) == len(set(paid))
        assert set(paid) - approved <= taken_back
        assert approved
        assert taken_back

    with_host(play, connections=4, timeout_s=0.05, connect_s=0.2)
    gc.collect()
    left = [each for each in gc.get_objects() if isinstance(each, Link | Pending)]
    assert left == []


def _misbehave(dice: random.Random, side: HostSide, asked: Unpacked) -> None:
    fate = dice.random()
    framed = side.framed(asked)
    if not side.is_open:
        return
    if fate < 0.05:
        side.transport.abort()
    elif fate < 0.10:
        side.transport.write(dice.randbytes(30))
    elif fate < 0.15:
        side.transport.write(framed[: dice.randrange(len(framed))])
    elif fate < 0.20:
        side.answer(asked, stan="000000")
    elif fate < 0.25:
        pass
    elif fate < 0.30:
        side.transport.write(framed * 2)
    elif fate < 0.40:
        asyncio.get_running_loop().call_later(0.06, side.say, framed)
    else:
        side.transport.write(framed)

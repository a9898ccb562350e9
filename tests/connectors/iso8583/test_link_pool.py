"""The connections of a connector: opened, tried, spread over and closed."""

import asyncio
from pathlib import Path

import msgspec
import pytest

from gatehouse.connectors.iso8583.connector import Iso8583Connector
from gatehouse.connectors.iso8583.dialect import Dialect, Unpacked
from gatehouse.connectors.iso8583.link.pool_options import Host
from gatehouse.connectors.iso8583.reading import shipped_dialect
from gatehouse.connectors.iso8583.roles import MessageKind, Role
from gatehouse.connectors.tls import TlsOptions
from gatehouse.core.errors import ConnectorFailed
from gatehouse.precheck.issuer import IssuerAnswer
from tests.connectors.iso8583.playhost import (
    HostSide,
    PlayHost,
    be_patient,
    connector_to,
    run,
    silent,
    until,
    well,
    with_host,
)
from tests.connectors.iso8583.test_link_checks import enquiry


async def check(connector: Iso8583Connector, request_id: str = "req_1") -> IssuerAnswer:
    assert connector.issuer is not None
    return await connector.issuer.check(enquiry(request_id=request_id))


def test_a_thousand_requests_are_in_flight_on_four_connections() -> None:
    async def play(host: PlayHost, connector: Iso8583Connector) -> None:
        held: list[tuple[HostSide, Unpacked]] = []
        host.behave = lambda side, asked: held.append((side, asked))
        asking = [asyncio.create_task(check(connector, f"req_{n}")) for n in range(1000)]
        await until(lambda: len(held) == 1000)
        assert connector.state().in_flight == 1000
        assert {len([1 for side, _ in held if side is each]) for each in host.sides} == {250}
        assert len({asked.values[Role.STAN] for _, asked in held}) == 1000
        for side, asked in reversed(held):
            side.answer(asked, approval_code=asked.values[Role.STAN])
        answers = await asyncio.gather(*asking)
        assert answers == [IssuerAnswer("00")] * 1000
        assert connector.counts.unmatched == 0

    with_host(play, connections=4, in_flight=1000)


def test_what_is_asked_in_one_turn_is_written_at_once() -> None:
    async def play(host: PlayHost, connector: Iso8583Connector) -> None:
        before = host.reads
        await asyncio.gather(*[check(connector, f"req_{n}") for n in range(50)])
        assert host.reads - before == 1

    with_host(play)


def test_more_than_the_limit_is_refused_at_once_and_may_go_elsewhere() -> None:
    async def play(host: PlayHost, connector: Iso8583Connector) -> None:
        held: list[tuple[HostSide, Unpacked]] = []
        host.behave = lambda side, asked: held.append((side, asked))
        asking = [asyncio.create_task(check(connector, f"req_{n}")) for n in range(3)]
        await until(lambda: len(held) == 3)
        with pytest.raises(ConnectorFailed, match="too many") as failed:
            await check(connector)
        assert not failed.value.sent
        for side, asked in held:
            side.answer(asked)
        await asyncio.gather(*asking)
        host.behave = well
        await check(connector)

    with_host(play, in_flight=3)


def test_a_host_that_cannot_be_reached_is_said_and_nothing_is_sent() -> None:
    async def play() -> None:
        async with PlayHost() as host:
            pass
        connector = connector_to(host)
        await connector.start()
        await until(lambda: "cannot be reached" in str(connector.state().problem))
        with pytest.raises(ConnectorFailed, match=r"127\.0\.0\.1") as failed:
            await check(connector)
        assert not failed.value.sent
        await connector.stop()

    run(play)


def test_the_connector_signs_on_and_off_on_every_connection() -> None:
    async def play() -> None:
        async with PlayHost() as host:
            connector = connector_to(host, connections=2)
            await connector.start()
            await until(lambda: connector.state().problem is None)
            assert [each.kind for each in host.network] == [MessageKind.SIGN_ON] * 2
            await connector.stop()
            assert [each.kind for each in host.network[2:]] == [MessageKind.SIGN_OFF] * 2

    run(play)


def test_a_host_that_refuses_the_sign_on_is_not_used_and_asked_again() -> None:
    async def play() -> None:
        async with PlayHost() as host:
            connector = connector_to(host, connect_s=0.05)
            host.is_deaf = True
            await connector.start()
            await until(lambda: "in time" in str(connector.state().problem))
            host.is_deaf = False
            await until(lambda: connector.state().problem is None)
            await connector.stop()

    run(play)


def test_a_dialect_without_network_messages_needs_none() -> None:
    definition = shipped_dialect("reference")
    network = ("sign_on", "sign_off", "echo")
    messages = {
        kind: layout for kind, layout in definition.messages.items() if not kind.startswith(network)
    }
    dialect = Dialect(msgspec.structs.replace(definition, messages=messages))

    async def play() -> None:
        async with PlayHost(dialect) as host:
            connector = connector_to(host, echo_s=0.005)
            await connector.start()
            await until(lambda: connector.state().problem is None)
            assert await check(connector) == IssuerAnswer("00")
            await connector.stop()
            assert host.network == []

    run(play)


def test_a_connection_on_which_nothing_is_heard_is_tried_with_an_echo() -> None:
    async def play(host: PlayHost, connector: Iso8583Connector) -> None:
        await until(lambda: len(host.network) >= 3)
        assert host.network[1].kind is MessageKind.ECHO
        assert connector.counts.lost == 0

    with_host(play, echo_s=0.005)


def test_a_peer_that_does_not_answer_an_echo_is_dead_and_another_connection_is_opened() -> None:
    async def play(host: PlayHost, connector: Iso8583Connector) -> None:
        host.is_deaf = True
        await until(lambda: connector.counts.lost)
        be_patient(connector)
        host.is_deaf = False
        await until(lambda: connector.state().problem is None)
        assert await check(connector) == IssuerAnswer("00")

    with_host(play, echo_s=0.005, timeout_s=0.02, connect_s=0.02)


def test_the_host_may_try_the_connection_as_well() -> None:
    async def play(host: PlayHost, connector: Iso8583Connector) -> None:
        host.open_sides[0].send(MessageKind.ECHO, {Role.STAN: "000777"})
        await until(lambda: host.answers)
        [answer] = host.answers
        assert answer.kind is MessageKind.ECHO_ANSWER
        assert (answer.values[Role.STAN], answer.values[Role.RESPONSE_CODE]) == ("000777", "00")
        assert await check(connector) == IssuerAnswer("00")

    with_host(play)


def test_with_several_hosts_one_that_is_down_does_not_matter() -> None:
    async def play() -> None:
        async with PlayHost() as gone:
            pass
        async with PlayHost() as host:
            hosts = [Host("127.0.0.1", gone.port), Host("127.0.0.1", host.port)]
            connector = connector_to(host, hosts=hosts, connections=2)
            await connector.start()
            await until(lambda: connector.state().connections == 2)
            assert len(host.open_sides) == 2
            await connector.stop()

    run(play)


def test_the_pause_before_the_next_try_doubles_and_is_drawn_from_the_whole_span() -> None:
    async def play() -> None:
        async with PlayHost() as host:
            pass
        spans: list[tuple[float, float]] = []

        def jitter(low: float, high: float) -> float:
            spans.append((low, high))
            return 0.0

        connector = connector_to(host, jitter=jitter, least_backoff_s=0.1, most_backoff_s=0.5)
        await connector.start()
        await until(lambda: len(spans) >= 5)
        await connector.stop()
        assert spans[:5] == [(0.0, 0.1), (0.0, 0.2), (0.0, 0.4), (0.0, 0.5), (0.0, 0.5)]

    run(play)


def test_a_host_that_agrees_and_then_hangs_up_is_left_alone_for_longer_and_longer() -> None:
    async def play() -> None:
        async with PlayHost() as host:
            spans: list[float] = []

            def jitter(_low: float, high: float) -> float:
                spans.append(high)
                return 0.0

            async def hang_up(times: int) -> None:
                for side in host.open_sides:
                    side.transport.close()
                await until(lambda: len(spans) == times)

            connector = connector_to(host, jitter=jitter, least_backoff_s=0.1, most_backoff_s=60)
            await connector.start()
            for times in (1, 2, 3):
                await until(lambda: connector.state().problem is None)
                await hang_up(times)
            await until(lambda: connector.state().problem is None)
            await check(connector)
            await hang_up(4)
            assert spans == [0.1, 0.2, 0.4, 0.1]
            await connector.stop()

    run(play)


def test_a_host_that_is_silent_at_the_sign_on_does_not_hold_up_the_stop() -> None:
    async def play() -> None:
        async with PlayHost() as host:
            host.is_deaf = True
            connector = connector_to(host)
            await connector.start()
            await until(lambda: host.network)
            await connector.stop()
            await until(lambda: not host.open_sides)

    run(play)


def test_requests_one_after_another_use_every_connection() -> None:
    async def play(host: PlayHost, connector: Iso8583Connector) -> None:
        used: list[HostSide] = []

        def note(side: HostSide, asked: Unpacked) -> None:
            used.append(side)
            side.answer(asked)

        host.behave = note
        for _ in range(3):
            await check(connector)
        assert len(set(map(id, used))) == 3

    with_host(play, connections=3)


def test_a_message_that_is_too_long_for_the_connection_leaves_nothing_behind() -> None:
    definition = shipped_dialect("reference")
    framing = msgspec.structs.replace(definition.framing, largest=64)
    dialect = Dialect(msgspec.structs.replace(definition, framing=framing))

    async def play() -> None:
        async with PlayHost(dialect) as host:
            connector = connector_to(host)
            await connector.start()
            await until(lambda: connector.state().problem is None)
            with pytest.raises(ConnectorFailed, match="longer") as failed:
                await check(connector)
            assert not failed.value.sent
            assert connector.state().in_flight == 0
            await connector.stop()
            assert host.asked == []

    run(play)


def test_stopping_lets_what_is_in_flight_end_and_takes_nothing_new() -> None:
    async def play(host: PlayHost, connector: Iso8583Connector) -> None:
        host.behave = silent
        asking = asyncio.create_task(check(connector))
        await until(lambda: host.asked)
        stopping = asyncio.create_task(connector.stop())
        await asyncio.sleep(0)
        with pytest.raises(ConnectorFailed, match="stopping") as failed:
            await check(connector)
        assert not failed.value.sent
        host.open_sides[0].answer(host.asked[0])
        assert await asking == IssuerAnswer("00")
        await stopping

    with_host(play)


def test_a_connection_that_takes_no_more_bytes_gets_no_more_requests_and_answers() -> None:
    async def play(host: PlayHost, connector: Iso8583Connector) -> None:
        [link] = connector.pool.links
        link.pause_writing()
        with pytest.raises(ConnectorFailed, match="no host") as failed:
            await check(connector)
        assert not failed.value.sent
        host.open_sides[0].send(MessageKind.ECHO, {Role.STAN: "000777"})
        await until(lambda: connector.counts.unmatched)
        link.resume_writing()
        assert await check(connector) == IssuerAnswer("00")
        assert (len(host.asked), host.answers) == (1, [])

    with_host(play)


def test_tls_files_that_are_missing_are_said_and_read_again(tmp_path: Path) -> None:
    async def play() -> None:
        async with PlayHost() as host:
            missing = TlsOptions(ca_file=str(tmp_path / "none.pem"))
            connector = connector_to(host, tls=missing)
            await connector.start()
            await until(lambda: "TLS" in str(connector.state().problem))
            await connector.stop()
            assert host.sides == []

    run(play)

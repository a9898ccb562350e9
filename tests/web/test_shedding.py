"""A server that is behind refuses requests at their head, and lets in what it can answer soon."""

import asyncio
import logging
import re
from collections.abc import Callable

import pytest

from gatehouse.api.serving.in_flight import InFlight
from gatehouse.api.serving.protocol import FrontProtocol
from gatehouse.api.serving.refusals import ShedAnswers
from gatehouse.api.serving.shedding import LEAST, ROOM, LoadGate, ServerLoad
from gatehouse.api.serving.whole_calls import is_whole_call
from gatehouse.core.ids import is_id
from tests.resilience.wire import answers, request
from tests.web.test_protocol import Echo, listening, run

SLOW_S, FAST_S = 0.2, 0.01


def _gate(taken: int) -> LoadGate:
    in_flight = InFlight(1000)
    for _ in range(taken):
        in_flight.take()
    gate = LoadGate(in_flight, 1000, 50)
    gate.limit = 1000
    return gate


def test_the_limit_falls_while_requests_wait_and_grows_again_afterwards() -> None:
    gate = _gate(taken=500)
    gate.adjust(SLOW_S)
    assert gate.limit == 250
    for _ in range(20):
        gate.adjust(SLOW_S)
    assert gate.limit == LEAST
    for _ in range(20):
        gate.adjust(FAST_S)
    assert gate.limit == 1000


def test_a_limit_that_is_reached_grows_slowly_unless_requests_hardly_wait() -> None:
    async def scenario(delay_s: float) -> float:
        gate = _gate(taken=500)
        gate.adjust(SLOW_S)
        assert not gate.admits()
        gate.adjust(delay_s)
        return gate.limit

    assert asyncio.run(scenario(FAST_S * 2)) == 255
    assert asyncio.run(scenario(FAST_S)) == 300


def test_a_limit_grows_as_far_as_it_is_needed_and_falls_when_it_is_not() -> None:
    def after(gate: LoadGate, looks: int = 200) -> float:
        for _ in range(looks):
            gate.adjust(FAST_S)
        return gate.limit

    busy, idle = _gate(taken=300), _gate(taken=0)
    assert LoadGate(InFlight(1000), 1000, 50).limit == ROOM
    assert after(busy, 1) == 950
    assert after(busy) == 600
    assert after(idle) == ROOM


def test_requests_that_wait_for_an_outside_party_do_not_count() -> None:
    async def scenario() -> None:
        in_flight = InFlight(1000)
        for _ in range(500):
            in_flight.take()
        outside = 500 - LEAST + 1
        gate = LoadGate(in_flight, 1000, 50, lambda: ServerLoad(outside=outside))
        for _ in range(20):
            gate.adjust(SLOW_S)
        assert gate.limit == LEAST
        assert [gate.admits() for _ in range(2)] == [True, False]

    asyncio.run(scenario())


def test_known_callers_that_have_no_slot_yet_count() -> None:
    async def scenario() -> None:
        gate = LoadGate(InFlight(1000), 1000, 50, lambda: ServerLoad(entering=ROOM))
        assert not gate.admits()

    asyncio.run(scenario())


def test_without_a_delay_only_the_number_counts() -> None:
    gate = LoadGate(InFlight(1000), 1000, 0)
    gate.adjust(SLOW_S)
    assert gate.limit == 1000


def test_requests_of_one_turn_count_before_they_have_their_slots() -> None:
    async def scenario() -> None:
        gate = LoadGate(InFlight(1000), 1000, 50)
        gate.limit = 2
        assert not gate.is_full()
        assert [gate.admits() for _ in range(4)] == [True, True, False, False]
        assert gate.is_full()
        assert gate.shed == 2
        await asyncio.sleep(0)
        assert gate.admits()

    asyncio.run(scenario())


def test_the_gate_follows_an_event_loop_that_is_late() -> None:
    async def scenario() -> None:
        gate = _gate(taken=500)
        following = asyncio.create_task(gate.run())
        gate.committed(SLOW_S)
        async with asyncio.timeout(60):
            while gate.limit == 1000:  # noqa: ASYNC110  # it tells nobody
                await asyncio.sleep(0.01)
        following.cancel()

    asyncio.run(scenario())


def test_the_gate_does_not_wait_for_the_end_of_a_commit_that_takes_long() -> None:
    async def scenario() -> None:
        in_flight = InFlight(1000)
        for _ in range(500):
            in_flight.take()
        gate = LoadGate(in_flight, 1000, 50, lambda: ServerLoad(committing_s=SLOW_S))
        gate.limit = 1000
        following = asyncio.create_task(gate.run())
        async with asyncio.timeout(60):
            while gate.limit > LEAST:  # noqa: ASYNC110  # it tells nobody
                await asyncio.sleep(0.01)
        following.cancel()

    asyncio.run(scenario())


def test_the_gate_of_an_idle_server_does_not_look_until_a_request_comes() -> None:
    looks = 0

    def load() -> ServerLoad:
        nonlocal looks
        looks += 1
        return ServerLoad()

    async def scenario() -> None:
        gate = LoadGate(InFlight(1000), 1000, 50, load)
        following = asyncio.create_task(gate.run())
        await asyncio.sleep(0.1)
        assert looks == 1
        assert gate.admits()
        async with asyncio.timeout(60):
            while looks < 4:  # noqa: ASYNC110  # it tells nobody
                await asyncio.sleep(0.01)
        following.cancel()

    asyncio.run(scenario())


def test_a_refused_request_is_told_to_come_again_and_its_connection_goes_on() -> None:
    body = b"x" * 100_000

    async def scenario() -> None:
        echo, room = Echo(), iter([False, True, True])
        async with listening(echo, admits=lambda: next(room)) as front:
            sent = [
                request(body, path=b"/api/v1/" + name, close=name == b"c")
                for name in (b"a", b"b", b"c")
            ]
            found = answers(await front.send(b"".join(sent)))
        assert [each.status for each in found] == [503, 200, 200]
        assert found[0].headers["retry-after"] == "1"
        assert found[0].code == "overloaded"
        assert [path for path, _ in echo.asked] == ["/api/v1/b", "/api/v1/c"]

    run(scenario)


def test_nothing_is_said_after_a_refusal_when_the_body_is_malformed() -> None:
    head = b"POST /api/v1/x HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"

    async def scenario() -> None:
        async with listening(Echo(), admits=lambda: False) as front:
            found = answers(await front.send(head + b"4\r\nbody\r\nno size\r\n"))
        assert [each.code for each in found] == ["overloaded"]

    run(scenario)


def test_health_metrics_and_management_are_never_refused() -> None:
    kept = (b"/healthz", b"/metrics", b"/console/", b"/api/v1/manage/keys")

    async def scenario() -> None:
        async with listening(Echo(), admits=lambda: False, is_full=lambda: True) as front:
            for path, status in (*((path, 200) for path in kept), (b"/api/v1/x", 503)):
                sent = request(method=b"GET", path=path)
                assert [each.status for each in answers(await front.send(sent))] == [status]

    run(scenario)


def _call(headers: bytes = b"", body: bytes = b"{}", path: bytes = b"/api/v1/x") -> bytes:
    length = b"Content-Length: %d\r\n" % len(body)
    return b"POST %b HTTP/1.1\r\nHost: x\r\n%b%b\r\n%b" % (path, length, headers, body)


@pytest.mark.parametrize(
    ("data", "whole"),
    [
        (_call(), True),
        (_call(b"Connection: keep-alive\r\n"), True),
        (_call(b"X-Note: \xc3\xa4\r\n", b""), True),
        (_call(path=b"/api/v1/x?a=b"), True),
        (_call(path=b"/healthz"), False),
        (_call(path=b"/api/v1/manage/keys"), False),
        (_call()[:-1], False),
        (_call()[:20], False),
        (_call() + b"P", False),
        (_call() + _call(), False),
        (_call(b"Content-Length: 2\r\n"), False),
        (_call(b"content-length:\t1\r\n"), False),
        (_call(b"Transfer-Encoding: chunked\r\n"), False),
        (_call(b"EXPECT: 100-continue\r\n"), False),
        (_call(b"Connection: close\r\n"), False),
        (_call(b"Connection: Upgrade\r\nUpgrade: h2c\r\n"), False),
        (_call(b"Odd\n"), False),
        (_call(b"A: b\nTransfer-Encoding: chunked\r\n"), False),
        (_call(b"Transfer-Encoding : chunked\r\n"), False),
        (_call().replace(b"HTTP/1.1", b"HTTP/1.0"), False),
        (_call().replace(b"Length: 2", b"Length: +2"), False),
        (_call().replace(b"Length: 2", b"Length: "), False),
        (_call().replace(b"Length: 2", b"Length: " + b"9" * 5000), False),
    ],
)
def test_only_one_whole_request_after_which_the_connection_goes_on_is_refused_unread(
    data: bytes, whole: bool
) -> None:
    assert is_whole_call(data) is whole


class _Room:
    """Says whether there is room, and counts how often a request was refused."""

    def __init__(self) -> None:
        self.full = True
        self.refused = 0

    def admits(self) -> bool:
        self.refused += self.full
        return not self.full

    def is_full(self) -> bool:
        return self.full


def test_a_whole_request_is_refused_without_the_parser_and_the_next_is_answered(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    begun: list[FrontProtocol] = []
    begin = FrontProtocol.on_message_begin

    def noted(connection: FrontProtocol) -> None:
        begun.append(connection)
        begin(connection)

    monkeypatch.setattr(FrontProtocol, "on_message_begin", noted)

    async def scenario() -> None:
        room = _Room()
        async with listening(Echo(), admits=room.admits, is_full=room.is_full) as front:
            reader, writer = await front.connect()
            found = []
            for _ in range(3):
                writer.write(_call())
                found.append(answers(await _one_answer(reader))[0])
            assert begun == []
            assert room.refused == 3
            assert {each.code for each in found} == {"overloaded"}
            assert {each.headers["retry-after"] for each in found} == {"1"}
            ids = [each.headers["x-request-id"] for each in found]
            assert len(set(ids)) == 3
            assert all(is_id(each, "req") for each in ids)
            room.full = False
            writer.write(_call())
            assert (await _one_answer(reader)).startswith(b"HTTP/1.1 200")
            assert len(begun) == 1
            writer.close()

    run(scenario)


async def _one_answer(reader: asyncio.StreamReader) -> bytes:
    head = await reader.readuntil(b"\r\n\r\n")
    [length] = re.findall(rb"content-length: ([0-9]+)", head)
    return head + await reader.readexactly(int(length))


def test_what_comes_in_parts_is_refused_by_the_parser_and_answered_once() -> None:
    async def scenario() -> None:
        room = _Room()
        async with listening(Echo(), admits=room.admits, is_full=room.is_full) as front:
            reader, writer = await front.connect()
            # The second part looks like a whole request, but is the body of the first.
            body = _call()
            sent = _call(body=body)
            writer.write(sent[: -len(body)])
            assert b"overloaded" in await _one_answer(reader)
            writer.write(body)
            writer.write_eof()
            assert await reader.read() == b""
            assert room.refused == 1
            writer.close()

    run(scenario)


def test_refused_requests_are_logged_once_a_second_with_their_number(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def scenario() -> None:
        loop = asyncio.get_running_loop()
        due: list[tuple[float, Callable[[], None]]] = []
        answers_of = ShedAnswers(logging.getLogger("gatehouse.web"))
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(loop, "call_later", lambda delay, call: due.append((delay, call)))
            for count in (1500, 2):
                made = [answers_of.next() for _ in range(count)]
                assert len(set(made)) == count
                [(delay, tell)] = due
                assert delay == 1
                due.clear()
                tell()

    asyncio.run(scenario())
    lines = [(each.getMessage(), each.__dict__["requests"]) for each in caplog.records]
    assert lines == [("requests were refused", 1500), ("requests were refused", 2)]

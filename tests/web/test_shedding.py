"""A server that is behind refuses requests at their head, and lets in what it can answer soon."""

import asyncio

from gatehouse.api.serving.in_flight import InFlight
from gatehouse.api.serving.shedding import LEAST, ROOM, LoadGate, ServerLoad
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
        assert [gate.admits() for _ in range(4)] == [True, True, False, False]
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


def test_health_and_metrics_are_never_refused() -> None:
    async def scenario() -> None:
        async with listening(Echo(), admits=lambda: False) as front:
            for path, status in ((b"/healthz", 200), (b"/metrics", 200), (b"/api/v1/x", 503)):
                sent = request(method=b"GET", path=path)
                assert [each.status for each in answers(await front.send(sent))] == [status]

    run(scenario)

"""Requests are sent again when that is safe, and never charged twice."""

import asyncio
import logging
import socket
import traceback
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Final

import httpx2
import pytest
from tests.harness import PATIENCE_S, Home, Server, free_port, until
from tests.harness.unreliable import cut, instead, lose, unreliable
from tests.web.merchant import Merchant

from gatehouse_client import (
    AsyncGatehouse,
    ConnectionFailed,
    Gatehouse,
    InFlight,
    RateLimited,
    ServiceUnavailable,
    TimedOut,
    UnreadableAnswer,
    _sending,
    sandbox,
)

SECURITY_CODE: Final = "987"
REFUSED: Final = (
    '{"isSuccess":false,"errors":{"message":"Busy.","code":"CODE","fieldErrors":{},'
    '"globalErrors":[]},"billing":null,"requestId":"req_1"}'
)


class Clock:
    """Notes how long a client would have slept."""

    def __init__(self) -> None:
        self.slept: list[float] = []

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)


@pytest.fixture(autouse=True)
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()

    async def sleep(seconds: float) -> None:
        clock.sleep(seconds)

    monkeypatch.setattr(_sending, "time", clock)
    monkeypatch.setattr(_sending, "asyncio", SimpleNamespace(sleep=sleep))
    return clock


@pytest.fixture
def merchant(shared: Server) -> Merchant:
    with shared.home.session() as session:
        return Merchant(session)


def precheck(client: Gatehouse, card: str = sandbox.APPROVED, key: str | None = None) -> Any:
    return client.precheck(
        card_number=card,
        card_expiry_date=sandbox.EXPIRY,
        card_cvv2_value=SECURITY_CODE,
        idempotency_key=key,
    )


def charged(shared: Server, merchant: Merchant) -> Decimal:
    with Gatehouse(merchant.key, shared.base) as client:
        return 7 - client.balance().result.balance.amount


@pytest.mark.parametrize("trouble", [lose, cut, instead("502 Bad Gateway")])
def test_a_lost_answer_is_asked_for_again_and_charged_once(
    shared: Server, merchant: Merchant, trouble: Any
) -> None:
    with unreliable(shared.port, trouble, trouble) as proxy:
        with Gatehouse(merchant.key, proxy.base) as client:
            answer = precheck(client)
    assert answer.is_replay
    assert len(proxy.requests) == 3
    assert len(set(proxy.headers("Idempotency-Key"))) == 1
    assert len(set(proxy.headers("X-Request-Id"))) == 1
    assert charged(shared, merchant) == Decimal("0.05")


def test_the_asynchronous_client_does_the_same(shared: Server, merchant: Merchant) -> None:
    async def ask(base: str) -> Any:
        async with AsyncGatehouse(merchant.key, base) as client:
            return await client.sentry(client_reference_id="a")

    with unreliable(shared.port, lose, cut) as proxy:
        answer = asyncio.run(ask(proxy.base))
    assert answer.is_replay
    assert len(set(proxy.headers("Idempotency-Key"))) == 1
    assert charged(shared, merchant) == Decimal("0.02")


def test_after_two_retries_the_failure_is_told_with_the_key_to_go_on(
    shared: Server, merchant: Merchant
) -> None:
    with unreliable(shared.port, lose, lose, lose) as proxy:
        with Gatehouse(merchant.key, proxy.base) as client:
            with pytest.raises(ConnectionFailed) as failed:
                client.sentry(client_reference_id="a")
            later = client.sentry(
                client_reference_id="a", idempotency_key=failed.value.idempotency_key
            )
    assert later.is_replay
    assert charged(shared, merchant) == Decimal("0.02")


def test_two_calls_never_share_a_key(shared: Server, merchant: Merchant) -> None:
    with unreliable(shared.port) as proxy:
        with Gatehouse(merchant.key, proxy.base) as client:
            client.sentry()
            client.sentry()
    assert len(set(proxy.headers("Idempotency-Key"))) == 2
    assert charged(shared, merchant) == Decimal("0.04")


def test_what_would_be_done_twice_is_not_sent_again(shared: Server, merchant: Merchant) -> None:
    with unreliable(shared.port, lose) as proxy:
        with Gatehouse(merchant.key, proxy.base) as client, pytest.raises(ConnectionFailed):
            client.reviews.note("req_01kabcdefghjkmnpqrstvwxyz0", text="Called")
    assert len(proxy.requests) == 1


def test_a_server_that_never_answers_is_given_up_with_the_key_to_go_on() -> None:
    with socket.create_server(("127.0.0.1", 0)) as deaf:
        base = f"http://127.0.0.1:{deaf.getsockname()[1]}"
        with Gatehouse("gh_sandbox_x", base, max_retries=0, timeout_s=0.05) as client:
            with pytest.raises(TimedOut) as failed:
                precheck(client, key="order-1")
    assert failed.value.idempotency_key == "order-1"
    assert failed.value.trace_id


def test_a_server_that_is_still_at_work_says_so_to_who_asks_again(tmp_path: Path) -> None:
    home = Home(tmp_path / "home").migrated()
    # Neither limit ends before the test does, however busy the machine is.
    server = home.start({"GATEHOUSE_PRECHECK_TIMEOUT_MS": "60000"})
    with home.session() as session:
        merchant = Merchant(session)
    with (
        Gatehouse(merchant.key, server.base, max_retries=0, timeout_s=PATIENCE_S) as client,
        ThreadPoolExecutor(1) as thread,
    ):
        try:
            first = thread.submit(precheck, client, sandbox.ISSUER_SILENT, "order-1")
            until(lambda: client.balance().result.held.amount)
            with pytest.raises(InFlight) as running:
                precheck(client, sandbox.ISSUER_SILENT, "order-1")
        finally:
            server.kill()
        assert isinstance(first.exception(), ConnectionFailed)
    assert running.value.retry_after_s == 1


def test_a_server_that_is_not_there_is_a_failed_connection(clock: Clock) -> None:
    with Gatehouse("gh_sandbox_x", f"http://127.0.0.1:{free_port()}") as client:
        with pytest.raises(ConnectionFailed) as failed:
            client.reviews.note("req_1", text="Even this was never sent, so it is tried again")
    assert not isinstance(failed.value, TimedOut)
    assert len(clock.slept) == 2


def answering(*answers: httpx2.Response) -> Any:
    """A client of a server that gives these answers, and what it was sent."""
    waiting, sent = list(answers), list[httpx2.Request]()

    def answer(request: httpx2.Request) -> httpx2.Response:
        sent.append(request)
        return waiting.pop(0)

    http = httpx2.Client(transport=httpx2.MockTransport(answer))
    return Gatehouse("gh_sandbox_x", http_client=http), sent


def refusal(status: int, code: str, **headers: str) -> httpx2.Response:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return httpx2.Response(status, text=REFUSED.replace("CODE", code), headers=named)


def test_waits_grow_and_vary(clock: Clock) -> None:
    client, sent = answering(*[refusal(503, "overloaded") for _ in range(3)])
    with pytest.raises(ServiceUnavailable) as failed:
        client.sentry()
    assert len(sent) == 3
    first, second = clock.slept
    assert 0.25 <= first <= 0.5 <= second <= 1
    assert failed.value.request_id == "req_1"


def test_a_server_that_says_how_long_to_wait_is_obeyed(clock: Clock) -> None:
    client, _ = answering(
        refusal(429, "rate_limited", Retry_After="7"),
        refusal(
            503,
            "overloaded",
            Retry_After="Mon, 16 Nov 2026 10:00:09 GMT",
            Date="Mon, 16 Nov 2026 10:00:00 GMT",
        ),
        refusal(402, "insufficient_balance"),
    )
    with pytest.raises(Exception, match="insufficient_balance"):
        client.sentry()
    assert [int(one) for one in clock.slept] == [7, 9]


def test_a_server_that_asks_for_hours_is_not_waited_for(clock: Clock) -> None:
    client, sent = answering(refusal(429, "card_enumeration", Retry_After="86400"))
    with pytest.raises(RateLimited) as refused:
        client.sentry()
    assert (len(sent), clock.slept, refused.value.retry_after_s) == (1, [], 86400)


def test_a_request_in_flight_is_waited_for_and_another_conflict_is_not() -> None:
    client, sent = answering(*[refusal(409, "idempotency_in_flight") for _ in range(3)])
    with pytest.raises(InFlight):
        client.sentry()
    assert len(sent) == 3
    client, sent = answering(refusal(409, "already_resolved"))
    with pytest.raises(Exception, match="already_resolved"):
        client.reviews.resolve("req_1", resolution="APPROVE", reason="known")
    assert len(sent) == 1


def test_feedback_that_is_lost_is_given_again(shared: Server, merchant: Merchant) -> None:
    with unreliable(shared.port, lambda connection, answer: False, lose) as proxy:
        with Gatehouse(merchant.key, proxy.base) as client:
            request_id = client.sentry().request_id
            given = client.feedback.give(request_id=request_id, label="FRAUD")
            assert len(client.feedback.get(request_id).result.history) == 1
    assert [one.changed for one in given.result.requests] == [False]
    assert len(proxy.requests) == 4


@pytest.mark.parametrize("status", [408, 429])
def test_what_the_server_did_not_do_is_sent_again_whatever_it_is(status: int) -> None:
    client, sent = answering(refusal(status, "body_timeout"), refusal(404, "not_found"))
    with pytest.raises(Exception, match="not_found"):
        client.reviews.note("req_1", text="x")
    assert len(sent) == 2


@pytest.mark.parametrize(
    "answer",
    [
        httpx2.Response(200, text="<html>welcome to the proxy</html>"),
        httpx2.Response(200, text='{"isSuccess": true}'),
        httpx2.Response(200, content=b"\xff\xfe"),
        httpx2.Response(302, headers={"Location": "https://elsewhere.example"}),
        httpx2.Response(404, text="{}"),
    ],
)
def test_what_is_no_answer_of_gatehouse_is_said_to_be_none(answer: httpx2.Response) -> None:
    client, sent = answering(answer)
    with pytest.raises(UnreadableAnswer) as failed:
        client.sentry()
    assert failed.value.status == answer.status_code
    assert len(sent) == 1


def test_nothing_that_is_shown_holds_a_card_or_a_key(
    shared: Server, merchant: Merchant, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    shown = [repr(sandbox.card())]
    with unreliable(shared.port, lose, lose, lose) as proxy:
        with Gatehouse(merchant.key, proxy.base) as client:
            shown += [repr(client), repr(client._sender.options)]
            with pytest.raises(ConnectionFailed) as failed:
                precheck(client)
            shown += [repr(precheck(client))]
            shown += traceback.format_exception(failed.value)
            shown += [repr(vars(failed.value)), *map(repr, failed.value.args)]
    text = "\n".join([*shown, caplog.text])
    assert "card_cvv2_value='[hidden]'" in text
    for secret in (sandbox.APPROVED, f"'{SECURITY_CODE}'", f'"{SECURITY_CODE}"', merchant.key):
        assert secret not in text

"""What a call asks for, and what its errors carry, without any server."""

import asyncio
import itertools
import pickle
from collections.abc import AsyncIterator, Iterator
from datetime import datetime, timezone
from typing import Any

import httpx2
import pytest

from gatehouse_client import (
    AsyncGatehouse,
    CallOptions,
    Gatehouse,
    InsufficientBalance,
    JobFailed,
    TimedOut,
    _sending,
    models,
)
from gatehouse_client._calls import Call, Exchange, Options, Repeat

OPTIONS = Options(
    api_key="k",
    base_url="https://pay.example",
    timeout_s=1,
    max_retries=0,
    strict=False,
    user_agent="test",
)
REFUSED = (
    b'{"isSuccess":false,"errors":{"message":"Too little.","code":"insufficient_balance",'
    b'"fieldErrors":{"a":["b"]},"globalErrors":[]},"billing":null,"requestId":"req_1"}'
)


def exchange(**values: Any) -> Exchange[models.BalanceResponse]:
    call = Call(
        method="GET",
        path="/api/v1/{name}" if values else "/api/v1/balance",
        answer=models.BalanceResponse,
        named="balanceResponse",
        repeat=Repeat.KEYED,
        path_values=values,
    )
    return Exchange(call, OPTIONS)


def test_an_error_can_be_raised_in_another_process() -> None:
    with pytest.raises(InsufficientBalance) as refused:
        exchange().received(402, {"Retry-After": "7"}, REFUSED)
    with pytest.raises(TimedOut) as late:
        exchange().failed(sent=True, timed_out=True)
    job = models.JobResponse(
        job_id="job_1", kind="rules.backtest", state=models.JobState.FAILED,
        started_by="key:1", created_at=datetime(2026, 11, 16, tzinfo=timezone.utc),
        started_at=None, finished_at=None, done=0, total=None, step=None, result=None, error="no",
    )  # fmt: skip
    for error in (refused.value, late.value, JobFailed(job)):
        again = pickle.loads(pickle.dumps(error))
        assert (type(again), str(again), vars(again)) == (type(error), str(error), vars(error))
    assert refused.value.retry_after_s == 7


def test_an_answer_that_comes_bit_by_bit_ends_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    now_s = itertools.count()
    monkeypatch.setattr(_sending, "monotonic", lambda: next(now_s))
    sent: list[bytes] = []

    def drip() -> Iterator[bytes]:
        for _ in range(100):
            sent.append(b" ")
            yield b" "

    async def adrip() -> AsyncIterator[bytes]:
        for part in drip():
            yield part

    slow: dict[str, Any] = {"base_url": "https://pay.example", "timeout_s": 5, "max_retries": 0}
    transport = httpx2.MockTransport(lambda _: httpx2.Response(200, content=drip()))
    with httpx2.Client(transport=transport) as http, pytest.raises(TimedOut):
        Gatehouse("k", **slow, http_client=http).balance()
    assert len(sent) < 10

    async def story() -> None:
        atransport = httpx2.MockTransport(lambda _: httpx2.Response(200, content=adrip()))
        async with httpx2.AsyncClient(transport=atransport) as ahttp:
            with pytest.raises(TimedOut):
                await AsyncGatehouse("k", **slow, http_client=ahttp).balance()

    asyncio.run(story())
    assert len(sent) < 20


def answering(*headers: tuple[str, str], status: int = 200) -> Any:
    """A client of a server that gives these headers, and what it was sent."""
    sent = list[httpx2.Request]()
    money = '{"currency":"USD","amount":1}'
    amounts = ["remainingBalance", "amountAuthorized", "amountClosed"]
    billing = ",".join(f'"{name}":{money}' for name in amounts)
    text = (
        f'{{"isSuccess":true,"errors":null,"billing":{{"items":[],{billing}}},'
        '"pipelinesResponse":{"pipelines":[]},"requestId":"req_1"}'
    )

    def answer(request: httpx2.Request) -> httpx2.Response:
        sent.append(request)
        body = text if status == 200 else REFUSED.decode()
        return httpx2.Response(status, text=body, headers=list(headers))

    http = httpx2.Client(transport=httpx2.MockTransport(answer))
    return Gatehouse("k", http_client=http), sent


def test_a_call_has_its_own_time_limit_trace_id_and_headers() -> None:
    client, sent = answering(("RateLimit-Remaining", "7"))
    own: CallOptions = {"timeout_s": 3, "trace_id": "trace-1", "headers": {"traceparent": "00"}}
    answer = client.pipelines(options=own)
    assert (sent[0].headers["x-request-id"], sent[0].headers["traceparent"]) == ("trace-1", "00")
    assert sent[0].extensions["timeout"]["read"] == 3
    assert answer.headers["ratelimit-remaining"] == "7"
    client.pipelines()
    assert sent[1].extensions["timeout"]["read"] == 10
    assert sent[1].headers["x-request-id"] != "trace-1"


def test_a_refusal_shows_the_headers_of_its_answer() -> None:
    client, _ = answering(("X-Request-Id", "trace-1"), status=402)
    with pytest.raises(InsufficientBalance) as refused:
        client.pipelines(options={"max_retries": 0})
    assert refused.value.headers["x-request-id"] == "trace-1"


@pytest.mark.parametrize(
    "own",
    [
        {"headers": {"x-api-key": "another"}},
        {"headers": {"Idempotency-Key": "a"}},
        {"headers": {"odd": "a\r\nX-API-KEY: b"}},
        {"headers": {"a b": "c"}},
        {"trace_id": "with space"},
        {"trace_id": "x" * 129},
        {"timeout_s": 0},
    ],
)
def test_an_option_that_cannot_be_is_refused(own: Any) -> None:
    client, sent = answering()
    with pytest.raises(ValueError):
        client.pipelines(options=own)
    with pytest.raises(TypeError, match="timeout"):
        client.pipelines(options={"timeout": 3})
    assert not sent


@pytest.mark.parametrize("name", ["", ".", ".."])
def test_a_name_that_would_make_another_path_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="name is missing"):
        Gatehouse("k").manage.lists.drop(name)


def test_a_name_stays_one_part_of_the_path() -> None:
    assert (
        exchange(name="../a b?c#d").request.url == "https://pay.example/api/v1/..%2Fa%20b%3Fc%23d"
    )

"""Sends requests at a steady rate to several servers, as callers with good manners do.

Runs as a process of its own (`python -m scripts.soak.load PLAN JOURNAL`), so that what it does
costs the faults no time. A request that got no clear answer is sent again with its key, to the next
server, until it is answered; one without a key is not. The journal has a line for each request.
"""

import asyncio
import json
import random
import sys
import time
from pathlib import Path
from typing import Final

import msgspec
import uvloop

from scripts.bench.client import post
from scripts.soak.mixing import Mixer, Sending

_TICK_S: Final = 0.002
_ATTEMPT_S: Final = 8.0
_LONGEST_PAUSE_S: Final = 1.0
_MOST_IN_FLIGHT: Final = 3000
_LONGEST_IDLE_S: Final = 30.0
"""A connection that is idle for longer is not used again: the server may be about to close it."""
_AGAIN: Final = (409, 503)
"""Answers after which a request is sent again."""
_UNREADABLE: Final = "unreadable"
"""An answer that is none of ours."""
_UNSURE: Final = ("store_unavailable", _UNREADABLE)
"""With these the request may have been processed all the same."""


class Plan(msgspec.Struct):
    """What to send, where to, and for how long."""

    ports: list[int]
    keys: dict[str, str]
    rate: float
    seconds: float
    seed: int
    patience_s: float = 120.0
    """How long a request is sent again before it is given up."""


class Outcome(msgspec.Struct, omit_defaults=True):
    """What became of one request."""

    reference: str
    account_id: str
    operation: str
    due_s: float
    """Seconds after the start of the load."""
    ms: float
    """From when it was due until its last answer."""
    key: str | None = None
    status: int = 0
    """0: no answer."""
    code: str | None = None
    request_id: str = ""
    closed: int = 0
    """What was charged, in millionths."""
    failed: list[str] = msgspec.field(default_factory=list)
    """What came of each attempt before the last."""
    lost: int = 0
    """Attempts that may have been processed, although no answer says so."""

    @property
    def said(self) -> str:
        """The last answer in a few words."""
        return f"{self.status} {self.code or ''}".rstrip() if self.status else "no answer"

    @property
    def is_unsure(self) -> bool:
        """Whether the last answer leaves open what became of the request."""
        return self.code in _UNSURE

    @property
    def is_answered(self) -> bool:
        """Whether it got what it asked for."""
        return self.status == 200 and not self.is_unsure


class _Answer(msgspec.Struct):
    status: int
    body: bytes


class _Money(msgspec.Struct):
    amount: float | int


class _Billing(msgspec.Struct):
    amountClosed: _Money


class _Errors(msgspec.Struct):
    code: str | None = None


class _Envelope(msgspec.Struct):
    requestId: str = ""
    billing: _Billing | None = None
    errors: _Errors | None = None


_read: Final = msgspec.json.Decoder(_Envelope).decode


_Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]


class _Caller:
    """Kept-alive connections to one server, and what came of using them."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._idle: list[tuple[float, _Streams]] = []

    async def ask(self, request: bytes) -> _Answer:
        """The answer; raises `OSError`, `EOFError` or `TimeoutError` when there is none."""
        async with asyncio.timeout(_ATTEMPT_S):
            streams = self._kept() or await self._open()
            try:
                return await self._exchange(streams, request)
            except BaseException:
                streams[1].transport.abort()
                raise

    def close(self) -> None:
        """End the connections that nothing waits for."""
        for _, streams in self._idle:
            streams[1].transport.abort()
        self._idle.clear()

    def _kept(self) -> _Streams | None:
        """The connection that was used last, unless all have been idle for too long."""
        while self._idle:
            since, streams = self._idle.pop()
            if time.monotonic() - since < _LONGEST_IDLE_S and not streams[0].at_eof():
                return streams
            streams[1].transport.abort()
        return None

    async def _open(self) -> _Streams:
        try:
            return await asyncio.open_connection("127.0.0.1", self._port)
        except OSError as error:
            raise NotSent from error

    async def _exchange(self, streams: _Streams, request: bytes) -> _Answer:
        reader, writer = streams
        writer.write(request)
        head = (await reader.readuntil(b"\r\n\r\n")).lower()
        length = int(head.partition(b"content-length: ")[2].partition(b"\r\n")[0])
        answer = _Answer(int(head.split(b" ", 2)[1]), await reader.readexactly(length))
        if b"connection: close" in head:
            writer.close()
        else:
            self._idle.append((time.monotonic(), streams))
        return answer


class NotSent(Exception):
    """The server could not be reached, so nothing can have happened."""


class Load:
    """One run of load."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._callers = [_Caller(port) for port in plan.ports]
        self._chance = random.Random(plan.seed + 1)  # not for secrets
        self.outcomes: list[Outcome] = []
        self._started = 0.0

    async def run(self) -> None:
        """Send what the plan says, and wait for all answers."""
        plan, mixer = self._plan, Mixer(list(self._plan.keys), self._plan.seed)
        waiting: set[asyncio.Task[None]] = set()
        self._started, sent = time.perf_counter(), 0
        while (now := time.perf_counter() - self._started) < plan.seconds:
            while (due := sent / plan.rate) <= now and len(waiting) < _MOST_IN_FLIGHT:
                task = asyncio.create_task(self._one(mixer.next(), due))
                waiting.add(task)
                task.add_done_callback(waiting.discard)
                sent += 1
            await asyncio.sleep(_TICK_S)
        if waiting:
            await asyncio.wait(waiting)
        for caller in self._callers:
            caller.close()
        if len(self.outcomes) != sent:
            raise SystemExit(f"of {sent} requests, {len(self.outcomes)} have an outcome")

    async def _one(self, sending: Sending, due_s: float) -> None:
        headers = {"X-API-KEY": self._plan.keys[sending.account_id]}
        if sending.idempotency_key is not None:
            headers["Idempotency-Key"] = sending.idempotency_key
        request = post(f"/api/v1/{sending.operation}", sending.body, headers)
        outcome = Outcome(
            sending.reference, sending.account_id, sending.operation, due_s, 0.0,
            sending.idempotency_key,
        )  # fmt: skip
        turn, pause = self._chance.randrange(len(self._callers)), 0.05
        while True:
            again = await self._attempt(self._callers[turn], request, outcome)
            waited = time.perf_counter() - self._started - due_s
            if not again or waited > self._plan.patience_s:
                break
            outcome.failed.append(outcome.said)
            turn = (turn + 1) % len(self._callers)
            await asyncio.sleep(pause * self._chance.uniform(0.5, 1.5))
            pause = min(pause * 2, _LONGEST_PAUSE_S)
        outcome.ms = waited * 1000
        self.outcomes.append(outcome)

    async def _attempt(self, caller: _Caller, request: bytes, outcome: Outcome) -> bool:
        """Send it once; whether it is to be sent again."""
        try:
            answer = await caller.ask(request)
        except NotSent:
            outcome.status, outcome.code = 0, None
            return True
        except (OSError, EOFError, TimeoutError, ValueError, asyncio.LimitOverrunError):
            outcome.status, outcome.code = 0, None
            outcome.lost += 1
            return outcome.key is not None
        read_answer(answer.status, answer.body, outcome)
        if outcome.is_unsure:
            outcome.lost += 1
            return outcome.key is not None and answer.status in _AGAIN
        return answer.status in _AGAIN


def read_answer(status: int, body: bytes, outcome: Outcome) -> None:
    """Note what an answer says."""
    outcome.status = status
    try:
        envelope = _read(body)
    except msgspec.DecodeError:
        outcome.code = _UNREADABLE
        return
    outcome.code = envelope.errors.code if envelope.errors else None
    if status == 200:
        outcome.request_id = envelope.requestId
        if envelope.billing is not None:
            outcome.closed = round(envelope.billing.amountClosed.amount * 1_000_000)


def main() -> None:
    plan = msgspec.json.decode(Path(sys.argv[1]).read_bytes(), type=Plan)
    load = Load(plan)
    uvloop.run(load.run())
    with Path(sys.argv[2]).open("w") as journal:
        for outcome in load.outcomes:
            journal.write(json.dumps(msgspec.to_builtins(outcome)) + "\n")


if __name__ == "__main__":
    main()

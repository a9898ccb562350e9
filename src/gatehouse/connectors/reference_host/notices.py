"""Tells a server what became of payments, as providers do: signed, also late, twice or wrongly."""

import asyncio
import contextlib
import hashlib
import hmac
from collections.abc import Callable
from typing import Annotated, Final

import msgspec
from msgspec import Meta

from gatehouse.connectors.http.building import split_url
from gatehouse.connectors.http.client import HttpClient
from gatehouse.connectors.http.wire import CallFailed, PartyRequest
from gatehouse.connectors.reference_host.misbehaviour import HostFate, HostMisbehaviour, draw
from gatehouse.core.api_values import CamelStruct
from gatehouse.core.clock import Clock, iso_time
from gatehouse.core.errors import RequestRefused, SettingsError
from gatehouse.core.wording.sentences import said_by

_MOST_TRIES: Final = 60
_AGAIN_S: Final = 0.5
_ANSWER_S: Final = 5.0
_MOST_WAITING: Final = 10_000
_SIGNATURE: Final = b"gatehouse-signature"


class NoticeReceiver(msgspec.Struct, frozen=True):
    """`PUT /v1/notifications`: where notifications are sent, and the key that signs them."""

    url: Annotated[str, Meta(min_length=1, max_length=500)]
    key: Annotated[str, Meta(min_length=16, max_length=200)]


class HostNotice(CamelStruct, omit_defaults=True):
    """What is told, in the words of our own contract."""

    id: str
    event: str
    at: str
    payment_id: str
    reference: str
    amount_minor: int
    currency: str
    operation: str | None = None
    operation_id: str | None = None
    case: str | None = None
    reason: str | None = None
    result: str | None = None


class HostNotices:
    """Sends notifications until they are taken; misbehaviour decides what goes wrong with some."""

    def __init__(self, clock: Clock, misbehaviour: Callable[[], HostMisbehaviour]) -> None:
        self._clock = clock
        self._misbehaviour = misbehaviour
        self._receiver: NoticeReceiver | None = None
        self._client: HttpClient | None = None
        self._target = b""
        self._sending: set[asyncio.Task[None]] = set()

    @property
    def waiting(self) -> int:
        """Notifications that were not taken so far."""
        return len(self._sending)

    def send_to(self, receiver: NoticeReceiver) -> None:
        """Send to another place from now on, also what was not taken so far."""
        try:
            endpoint, path = split_url(receiver.url)
        except SettingsError as error:
            raise RequestRefused("invalid_request", fields={"url": [said_by(error)]}) from None
        self.close_client()
        self._client = HttpClient(endpoint, None, connections=8, connect_timeout_s=1.0)
        self._receiver, self._target = receiver, path.encode()

    def tell(self, notice: HostNotice) -> None:
        """Send a notification, if anybody wants to be told."""
        if self._receiver is None or len(self._sending) >= _MOST_WAITING:
            return
        task = asyncio.get_running_loop().create_task(self._deliver(notice))
        self._sending.add(task)
        task.add_done_callback(self._sending.discard)

    def now(self) -> str:
        """The moment, as notifications name it."""
        return iso_time(self._clock())

    def stop(self) -> None:
        """Send nothing more."""
        for task in self._sending:
            task.cancel()
        self.close_client()

    def close_client(self) -> None:
        """End the connections to the receiver."""
        if self._client is not None:
            self._client.close()

    async def _deliver(self, notice: HostNotice) -> None:
        wrong = self._is_drawn(HostFate.NOTICE_UNSIGNED, notice)
        if self._is_drawn(HostFate.NOTICE_LATE, notice):
            await asyncio.sleep(self._misbehaviour().slow_ms / 1000)
        if wrong:
            await self._send(notice, is_wrong=True)
        times = 2 if self._is_drawn(HostFate.NOTICE_TWICE, notice) else 1
        for _ in range(times):
            for _ in range(_MOST_TRIES):
                if await self._send(notice):
                    break
                await asyncio.sleep(_AGAIN_S)

    def _is_drawn(self, fate: HostFate, notice: HostNotice) -> bool:
        misbehaviour = self._misbehaviour()
        share = misbehaviour.shares.get(fate, 0.0)
        drawn = draw(misbehaviour.seed.to_bytes(8, "big"), f"{fate}:{notice.id}")
        return drawn < share * 2**64

    async def _send(self, notice: HostNotice, *, is_wrong: bool = False) -> bool:
        """Whether it was taken."""
        assert self._receiver is not None
        assert self._client is not None
        body, at_s = msgspec.json.encode(notice), self._clock() // 1000
        key = self._receiver.key + ("?" if is_wrong else "")
        made = hmac.new(key.encode(), b"%d." % at_s + body, hashlib.sha256).hexdigest()
        headers = [
            (b"content-type", b"application/json"),
            (_SIGNATURE, f"t={at_s},v1={made}".encode()),
        ]
        with contextlib.suppress(CallFailed, TimeoutError):
            async with asyncio.timeout(_ANSWER_S):
                request = PartyRequest(b"POST", self._target, headers, body)
                return (await self._client.ask(request)).status == 200
        return False

"""Messages are sent over TLS to the address that was checked, directly or through a proxy."""

import asyncio
import contextlib
import socket
import ssl
import threading
from collections.abc import AsyncIterator
from ipaddress import ip_network
from pathlib import Path

import pytest

from gatehouse.admin.webhooks.types.schedule import next_attempt_ms
from gatehouse.connectors.webhooks import sender as webhook_sender
from gatehouse.connectors.webhooks.destinations import DestinationPolicy
from gatehouse.connectors.webhooks.sender import HttpWebhookSender
from gatehouse.connectors.webhooks.sending import SendResult, WebhookMessage
from tests.connectors.http.certificates import Authority
from tests.connectors.http.party import Heard, Party, Reply
from tests.harness import PATIENCE_S

HOST = "hooks.shop.example"


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    """Signs the certificate of the receiver."""
    return Authority(tmp_path_factory.mktemp("authority"))


@contextlib.asynccontextmanager
async def receiving(authority: Authority, reply: Reply) -> AsyncIterator[tuple[Party, int]]:
    """A receiver over TLS whose certificate is for `HOST`."""
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(*authority.certificate(HOST))
    party = Party(lambda heard: reply)
    server = await asyncio.start_server(party.serve, "127.0.0.1", 0, ssl=context)
    async with server:
        yield party, server.sockets[0].getsockname()[1]
        await party.close_connections()


async def resolve(_host: str, _port: int) -> list[str]:
    return ["127.0.0.1"]


def send(
    authority: Authority, reply: Reply, *, host: str = HOST, through: bool = False
) -> tuple[SendResult, list[Heard], list[str]]:
    """Send one message; what came of it, what the receiver heard, and what a proxy was asked."""
    asked: list[str] = []
    done = asyncio.Event()

    async def proxy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        asked.append((await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")[0])
        port = int(asked[-1].split(" ")[1].rpartition(":")[2])
        there, back = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b"HTTP/1.1 200 Connected\r\n\r\n")

        async def copy(source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
            while part := await source.read(65536):
                target.write(part)

        both = [asyncio.create_task(copy(*pair)) for pair in ((reader, back), (there, writer))]
        await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
        for task in both:
            task.cancel()
        for end in (back, writer):
            end.transport.abort()
        done.set()

    async def story() -> tuple[SendResult, list[Heard], list[str]]:
        async with receiving(authority, reply) as (party, port):
            tunnel = await asyncio.start_server(proxy, "127.0.0.1", 0)
            sender = HttpWebhookSender(
                DestinationPolicy(ports=(port,), networks=(ip_network("127.0.0.0/8"),)),
                ca_file=str(authority.ca_file),
                proxy=tunnel.sockets[0].getsockname() if through else None,
                resolve=resolve,
            )
            url = f"https://{host}:{port}/in?shop=1"
            result = await sender.send(WebhookMessage(url, "evt_1", b"17", b"v1,x", b"{}"))
            await sender.close()
            if through:
                await done.wait()
            tunnel.close()
            await asyncio.sleep(0)
            return result, party.heard, asked

    return asyncio.run(story())


@pytest.mark.parametrize("through", [False, True])
def test_a_message_goes_to_the_checked_address_under_the_name_of_its_host(
    authority: Authority, through: bool
) -> None:
    result, [heard], asked = send(authority, Reply(status=204), through=through)
    assert (result.status, result.is_accepted) == (204, True)
    assert (heard.method, heard.path, heard.body) == ("POST", "/in?shop=1", b"{}")
    assert heard.headers["host"].startswith(HOST)
    assert heard.headers["webhook-id"] == "evt_1"
    assert heard.headers["webhook-timestamp"] == "17"
    assert heard.headers["webhook-signature"] == "v1,x"
    assert heard.headers["content-type"] == "application/json"
    assert [line.startswith("CONNECT 127.0.0.1:") for line in asked] == [True] * through


def test_a_receiver_with_a_certificate_for_another_name_gets_nothing(authority: Authority) -> None:
    result, heard, _ = send(authority, Reply(status=204), host="other.shop.example")
    assert "TLS failed" in str(result.failure)
    assert heard == []


@pytest.mark.parametrize("status", [301, 302, 400, 404, 410, 429, 500, 503])
def test_only_2xx_counts_and_redirects_are_not_followed(authority: Authority, status: int) -> None:
    headers = {"location": "https://127.0.0.1/", "retry-after": "7"}
    result, heard, _ = send(authority, Reply(status=status, headers=headers))
    assert (result.status, result.failure) == (status, f"answered {status}")
    assert result.retry_after == b"7"
    assert len(heard) == 1


def test_waits_grow_with_some_chance_and_end() -> None:
    assert next_attempt_ms((5000, 300_000), 1, 1000, 0.0) == 6000
    assert next_attempt_ms((5000, 300_000), 2, 0, 1.0) == 360_000
    assert next_attempt_ms((5000, 300_000), 3, 0, 0.0) is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (b"120", 120_000),
        (b"99999999999", 86_400_000),
        (b"Thu, 01 Jan 1970 00:01:00 GMT", 60_000),
        (b"Thu, 01 Jan 1970 00:00:00 GMT", 0),
        (b"soon", 0),
        (b"-5", 0),
        (b"", 0),
    ],
)
def test_what_a_receiver_asks_for_is_honoured_within_a_day(text: bytes, expected: int) -> None:
    assert SendResult(503, retry_after=text).pause_ms(0) == expected


def test_a_broken_file_of_certificates_is_told(tmp_path: Path) -> None:
    sender = HttpWebhookSender(
        DestinationPolicy(networks=(ip_network("127.0.0.0/8"),)), ca_file=str(tmp_path / "none")
    )
    message = WebhookMessage("https://127.0.0.1/", "evt_1", b"1", b"v1,x", b"{}")
    assert "file for TLS" in str(asyncio.run(sender.send(message)).failure)


def test_names_that_take_long_to_resolve_hold_up_no_other_work(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    answered = threading.Event()

    def slow(*_asked: object, **_options: object) -> list[object]:
        answered.wait(PATIENCE_S)
        raise OSError

    monkeypatch.setattr(socket, "getaddrinfo", slow)

    async def story() -> None:
        names = [asyncio.ensure_future(webhook_sender.resolve(HOST, 443)) for _ in range(40)]
        await asyncio.sleep(0)
        try:
            async with asyncio.timeout(PATIENCE_S):
                assert await asyncio.to_thread(answered.is_set) is False
        finally:
            answered.set()
            await asyncio.gather(*names, return_exceptions=True)

    asyncio.run(story())

"""None of these URLs and DNS answers makes us open a connection, whoever gave them to us."""

import asyncio
import ipaddress
import socket
import threading
from collections.abc import Sequence
from typing import Any, Final

import pytest

from gatehouse.connectors.webhooks.destinations import DestinationPolicy, DestinationRefused
from gatehouse.connectors.webhooks.sender import HttpWebhookSender, resolve
from gatehouse.connectors.webhooks.sending import SendResult, WebhookMessage
from gatehouse.connectors.webhooks.turns import MOST_OF_ACCOUNT

PRODUCTION: Final = DestinationPolicy()
SANDBOX: Final = DestinationPolicy(allows_loopback=True)

URLS: Final = [
    "http://example.com/hook",
    "http://127.0.0.1/hook",
    "https://127.0.0.1/hook",
    "https://127.1/hook",
    "https://2130706433/hook",
    "https://0x7f000001/hook",
    "https://0177.0.0.1/hook",
    "https://0/hook",
    "https://localhost/hook",
    "https://LOCALHOST./hook",
    "https://metadata/hook",
    "https://metadata.google.internal/computeMetadata/v1/",
    "https://169.254.169.254/latest/meta-data/",
    "https://[::1]/hook",
    "https://[::]/hook",
    "https://[::ffff:127.0.0.1]/hook",
    "https://[::ffff:8.8.8.8]/hook",
    "https://[::127.0.0.1]/hook",
    "https://[64:ff9b::7f00:1]/hook",
    "https://[64:ff9b:1::a00:1]/hook",
    "https://[2002:7f00:1::]/hook",
    "https://[2001:0:4136:e378:8000:63bf:3fff:fdd2]/hook",
    "https://[fe80::1]/hook",
    "https://[fe80::1%25eth0]/hook",
    "https://[fd00:ec2::254]/hook",
    "https://[fec0::1]/hook",
    "https://[ff02::1]/hook",
    "https://10.1.2.3/hook",
    "https://172.16.0.1/hook",
    "https://192.168.1.1/hook",
    "https://100.64.0.1/hook",
    "https://100.100.100.200/hook",
    "https://168.63.129.16/hook",
    "https://192.88.99.1/hook",
    "https://198.18.0.1/hook",
    "https://224.0.0.1/hook",
    "https://255.255.255.255/hook",
    "https://user:word@example.com/hook",
    "https://example.com@127.0.0.1/hook",
    "https://127.0.0.1\\@example.com/hook",
    "https://example.com#@127.0.0.1/",
    "https://example.com:22/hook",
    "https://example.com:0/hook",
    "https://example.com:6379/hook",
    "https://１２７.0.0.1/hook",
    "https://ex ample.com/hook",
    "https://example.com/a\r\nhost: 127.0.0.1",
    "https:///etc/passwd",
    "https:example.com",
    "//example.com/hook",
    "file:///etc/passwd",
    "gopher://example.com:6379/_SET",
    "unix:///run/docker.sock",
    "https://127.0.0.1.:443/",
    "https://" + "a" * 64 + ".com/",
    "https://example.com/" + "a" * 2048,
]
ANSWERS: Final = [
    ["127.0.0.1"],
    ["10.0.0.1"],
    ["169.254.169.254"],
    ["100.64.0.1"],
    ["0.0.0.0"],
    ["::1"],
    ["fe80::1%eth0"],
    ["2606:4700::1111%eth0"],
    ["::ffff:10.0.0.1"],
    ["64:ff9b::a00:1"],
    ["2002:a00:1::1"],
    ["93.184.215.14", "10.0.0.1"],
    ["10.0.0.1", "93.184.215.14"],
    ["2606:4700::1111", "fd00::1"],
    ["not an address"],
    [],
]


@pytest.fixture
def connected(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The addresses to which this process tried to connect; none of it leaves the machine."""
    tried: list[Any] = []

    async def note(_loop: object, *arguments: Any, **_: Any) -> Any:
        tried.append(arguments[1:3])
        raise ConnectionRefusedError

    monkeypatch.setattr(asyncio.BaseEventLoop, "create_connection", note)
    return tried


async def _no_names(host: str, _port: int) -> Sequence[str]:
    raise socket.gaierror(f"no address of {host}")


def send(url: str, policy: DestinationPolicy, resolve: Any = _no_names) -> SendResult:
    message = WebhookMessage(url, "evt_1", b"1", b"v1,x", b"{}")
    return asyncio.run(HttpWebhookSender(policy, resolve=resolve).send(message))


@pytest.mark.parametrize("url", URLS)
def test_a_hostile_url_is_refused_and_never_contacted(url: str, connected: list[Any]) -> None:
    is_fit_for_trying = url == "http://127.0.0.1/hook"
    for policy in [PRODUCTION] if is_fit_for_trying else [PRODUCTION, SANDBOX]:
        assert not send(url, policy).is_accepted
        with pytest.raises(DestinationRefused):
            policy.check_url(url)
    assert connected == []


@pytest.mark.parametrize("answer", ANSWERS, ids=" ".join)
def test_a_name_with_any_hostile_address_is_never_contacted(
    answer: list[str], connected: list[Any]
) -> None:
    async def resolve(_host: str, _port: int) -> list[str]:
        return answer

    for policy in (PRODUCTION, SANDBOX):
        assert not send("https://hooks.example.com/", policy, resolve).is_accepted
    assert connected == []


def test_a_name_that_is_bound_anew_after_it_was_checked_reaches_only_what_was_checked(
    connected: list[Any],
) -> None:
    answers = iter([["93.184.215.14"], ["127.0.0.1"], ["169.254.169.254"]])

    async def resolve(_host: str, _port: int) -> list[str]:
        return next(answers)

    async def send_thrice() -> list[SendResult]:
        sender = HttpWebhookSender(PRODUCTION, resolve=resolve)
        message = WebhookMessage("https://rebind.example.com/", "evt_1", b"1", b"v1,x", b"{}")
        return [await sender.send(message) for _ in range(3)]

    results = asyncio.run(send_thrice())
    assert connected == [("93.184.215.14", 443)]
    assert "public address" in str(results[1].failure)


def test_names_of_one_account_that_never_resolve_keep_nobody_from_sending(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found, over = socket.getaddrinfo, threading.Event()

    def look_up(host: Any, *arguments: Any, **options: Any) -> Any:
        if str(host).endswith(".slow.example"):
            over.wait(60)
        return found(host, *arguments, **options)

    async def look_up_another() -> list[str]:
        loop = asyncio.get_running_loop()
        # As many as an account may send at once, while as many wait on that it gave up.
        slow = [resolve(f"{each}.slow.example", 443) for each in range(2 * MOST_OF_ACCOUNT)]
        waiting = [loop.create_task(each) for each in slow]
        await asyncio.sleep(0)
        try:
            async with asyncio.timeout(20):
                return await resolve("127.0.0.1", 443)
        finally:
            over.set()
            await asyncio.gather(*waiting, return_exceptions=True)

    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    assert asyncio.run(look_up_another()) == ["127.0.0.1"]


def test_plain_http_in_the_sandbox_goes_to_this_machine_alone(connected: list[Any]) -> None:
    async def resolve(_host: str, _port: int) -> list[str]:
        return ["127.0.0.1", "10.0.0.1"]

    send("http://localhost:9999/", SANDBOX, resolve)
    assert connected == []
    send("http://127.0.0.1:9999/", SANDBOX)
    assert connected == [("127.0.0.1", 9999)]


def test_an_operator_allows_networks_of_his_own_and_names_the_only_hosts() -> None:
    allowed = DestinationPolicy(networks=(ipaddress.ip_network("10.1.0.0/16"),))
    assert allowed.check_url("https://10.1.2.3/").host == "10.1.2.3"
    with pytest.raises(DestinationRefused, match="public address"):
        allowed.check_url("https://10.2.0.1/")
    only = DestinationPolicy(hosts=("hooks.example.com", ".shop.example"))
    assert only.check_url("https://eu.shop.example/in")
    with pytest.raises(DestinationRefused, match="GATEHOUSE_WEBHOOK_HOSTS"):
        only.check_url("https://hooks.example.com.evil.example/")


def test_a_fit_url_is_split_as_it_is_sent() -> None:
    found = PRODUCTION.check_url("https://Hooks.Example.com:8443/in?shop=1")
    assert (found.host, found.port, found.target) == ("hooks.example.com", 8443, b"/in?shop=1")

"""Every way in which the reference host can misbehave, over both protocols and by its seed."""

import contextlib
import ssl
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from gatehouse.connectors.iso8583.layout.malformed import MalformedMessage
from gatehouse.connectors.iso8583.roles import MessageKind, Role
from gatehouse.connectors.reference_host.certificates import HostTls, make_certificates
from gatehouse.connectors.reference_host.journal import HostKind
from gatehouse.connectors.reference_host.misbehaviour import (
    HostFate,
    HostMisbehaviour,
    make_fates,
    read_shares,
)
from gatehouse.core.errors import InvalidInput, WrongUsage
from tests.connectors.reference_host.hosts import CARD, HostThread, Iso8583Caller, host_thread
from tests.harness import PATIENCE_S, until

_BODY = {"cardNumber": CARD, "expiry": "2035-12"}
_SHORT = httpx.Timeout(PATIENCE_S, read=0.02)


def _check(host: HostThread, request_id: str, timeout: httpx.Timeout | None = None) -> str:
    body = {"requestId": request_id, **_BODY}
    # On a connection of its own: what one answer leaves behind must not meet the next request.
    answer = host.client.post(
        "/v1/cards/check",
        json=body,
        timeout=timeout or PATIENCE_S,
        headers={"Connection": "close"},
    )
    code: str = answer.json()["responseCode"]
    return code


@contextlib.contextmanager
def _asked(host: HostThread, fate: str, rrn: str) -> Iterator[tuple[Iso8583Caller, str]]:
    """A connection on which one message was sent that meets a fate; and its STAN."""
    with host.iso8583() as caller, host.misbehaving(fate):
        yield caller, caller.send(MessageKind.CHECK, rrn=rrn, number=CARD, expiry="3512")


def test_a_slow_answer_comes_later(host: HostThread) -> None:
    with host.iso8583() as caller:
        with host.misbehaving("slow"):
            slow = caller.send(MessageKind.CHECK, rrn="SLOW00000001", number=CARD, expiry="3512")
            assert _check(host, "slow-1") == "00"
            _wait_until_received(host, "SLOW00000001")
        quick = caller.send(MessageKind.ECHO)
        assert {caller.receive().values[Role.STAN] for _ in range(2)} == {slow, quick}
    assert host.summary()["misbehaved"] >= 2


def test_a_silent_answer_never_comes(host: HostThread) -> None:
    with host.iso8583() as caller:
        with host.misbehaving("silent"):
            caller.send(MessageKind.CHECK, rrn="SILENT000001", number=CARD, expiry="3512")
            with pytest.raises(httpx.ReadTimeout):
                _check(host, "silent-1", _SHORT)
            _wait_until_received(host, "SILENT000001")
        assert caller.hears_nothing()


def _wait_until_received(host: HostThread, rrn: str) -> None:
    until(lambda: host.running.host.memory.times(HostKind.CHECK, rrn))


def test_garbage_is_no_message_and_no_json(host: HostThread) -> None:
    seen = set()
    for place in range(12):
        with _asked(host, "garbage", f"GARBAGE{place:05d}") as (caller, _):
            with pytest.raises(MalformedMessage):
                caller.receive()
            with pytest.raises((httpx.RemoteProtocolError, ValueError)) as raised:
                _check(host, f"garbage-{place}")
            seen.add(raised.type)
    assert {httpx.RemoteProtocolError} < seen, "some are no HTTP, and some are no JSON"


def test_half_an_answer_is_followed_by_the_end_of_the_connection(host: HostThread) -> None:
    with _asked(host, "half", "HALF00000001") as (caller, _):
        part = caller.receive_bytes()
        assert part
        assert caller.receive_bytes() == b""
        assert caller.feed(part) == []
        with pytest.raises(httpx.RemoteProtocolError):
            _check(host, "half-1")


def test_a_duplicate_answer_comes_twice(host: HostThread) -> None:
    with _asked(host, "duplicate", "DOUBLE000001") as (caller, stan):
        assert [caller.receive().values[Role.STAN] for _ in range(2)] == [stan, stan]
        assert _check(host, "duplicate-1") == "00"


def test_a_wrong_stan_is_that_of_another_message(host: HostThread) -> None:
    with _asked(host, "wrong-stan", "WRONG0000001") as (caller, stan):
        answer = caller.receive().values
        assert answer[Role.RRN] == "WRONG0000001"
        assert answer[Role.STAN] != stan
        assert _check(host, "wrong-1") == "00", "HTTP has no such number"


def test_a_reset_ends_the_connection_without_an_answer(host: HostThread) -> None:
    with _asked(host, "reset", "RESET0000001") as (caller, _):
        with pytest.raises(ConnectionResetError):
            caller.receive_bytes()
        with pytest.raises(httpx.ReadError):
            _check(host, "reset-1")


def test_a_payment_whose_answer_was_lost_was_authorized_all_the_same(host: HostThread) -> None:
    payment = {"reference": "lost-1", "amountMinor": 100, "currency": "USD", **_BODY}
    before = host.summary()
    with host.misbehaving("reset"), pytest.raises(httpx.ReadError):
        host.client.post("/v1/payments", json=payment)
    after = host.summary()
    counted = [after[name] - before[name] for name in ("approved", "unreversed", "misbehaved")]
    assert counted == [1, 1, 1]


@pytest.fixture(scope="module")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("tls")


def test_tls_asks_for_certificates_and_fails_a_share_of_handshakes(certificates: Path) -> None:
    made = make_certificates(certificates, "127.0.0.1", lambda: time.time_ns() // 1_000_000)
    assert made == make_certificates(certificates, "127.0.0.1", lambda: 0), "they are used again"
    caller = ssl.create_default_context(cafile=made.ca_file)
    stranger = ssl.create_default_context(cafile=made.ca_file)
    caller.load_cert_chain(made.client_certificate_file, made.client_key_file)
    tls = HostTls(made.certificate_file, made.key_file, made.ca_file)
    with host_thread(caller, tls=tls) as host:
        assert _check(host, "tls-1") == "00"
        with host.iso8583() as connection:
            assert connection.hears_nothing()
        with pytest.raises(httpx.HTTPError), httpx.Client(verify=stranger) as unknown:
            unknown.get(host.client.base_url.join("/v1/health"))
        with host.misbehaving("tls-failure"):
            with pytest.raises(ssl.SSLError), host.iso8583():
                pass
        with host.iso8583() as connection:
            assert connection.hears_nothing()


def test_tls_failures_need_tls() -> None:
    wanted = HostMisbehaviour({HostFate.TLS_FAILURE: 0.5})
    with pytest.raises(WrongUsage, match="needs --tls"), host_thread(misbehaviour=wanted):
        pass


def test_the_fate_of_a_message_follows_from_the_seed() -> None:
    shares = read_shares("slow=0.02, silent=0.03,reset=0.05")
    keys = [f"authorize:{place}:0" for place in range(5000)]

    def fates(seed: int) -> list[HostFate | None]:
        return list(map(make_fates(HostMisbehaviour(shares, seed=seed)), keys))

    assert fates(7) == fates(7) != fates(8)
    counted = Counter(fates(7))
    assert 60 < counted[HostFate.SLOW] < 140
    assert 100 < counted[HostFate.SILENT] < 200
    assert 180 < counted[HostFate.RESET] < 320


def test_what_is_asked_again_may_meet_another_fate(host: HostThread) -> None:
    with host.misbehaving("reset", share=0.5):
        fates = []
        for _ in range(16):
            try:
                fates.append(_check(host, "again-1"))
            except httpx.ReadError:
                fates.append("reset")
    assert set(fates) == {"00", "reset"}


@pytest.mark.parametrize("text", ["slow", "slow=x", "quick=0.1", "slow=1.1", "slow=0.6,half=0.6"])
def test_shares_that_cannot_be_are_refused(text: str) -> None:
    with pytest.raises(InvalidInput, match="--misbehave"):
        read_shares(text)

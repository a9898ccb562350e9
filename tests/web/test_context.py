"""What a request's head says about its caller, and the log of what strangers cause."""

import ipaddress
import logging

import pytest

from gatehouse.access.addresses import Header
from gatehouse.api.context import RequestContext
from gatehouse.api.logs import ThrottledLog

PROXIES = (ipaddress.ip_network("127.0.0.0/8"),)


def _context(*headers: Header, peer: str = "127.0.0.1") -> RequestContext:
    scope = {"scheme": "http", "client": (peer, 1), "headers": list(headers)}
    return RequestContext(scope, "req_1")


@pytest.mark.parametrize(
    ("lines", "secure"),
    [
        ([b"https"], True),
        ([b"https", b"https"], True),
        ([b"https", b"http"], False),
        ([b"http", b"https"], False),
        ([b"https,http"], False),
        ([], False),
    ],
)
def test_a_request_is_secure_only_if_every_line_of_its_proxy_says_so(
    lines: list[bytes], secure: bool
) -> None:
    headers = [(b"x-forwarded-proto", line) for line in lines]
    assert _context(*headers).is_secure(PROXIES) is secure
    assert _context(*headers, peer="192.0.2.1").is_secure(PROXIES) is False


def test_a_log_line_names_the_proxy_when_what_it_forwards_cannot_be_read() -> None:
    for text in (b"unknown", b"9" * 30_000):
        assert _context((b"x-forwarded-for", text)).shown_address(PROXIES) == "127.0.0.1"


def test_lines_that_strangers_cause_are_few_and_the_others_are_counted(
    caplog: pytest.LogCaptureFixture,
) -> None:
    now = 0.5
    log = ThrottledLog(logging.getLogger("gatehouse.web"), lambda: now)
    for _ in range(50):
        log.warning("refused")
    assert len(caplog.records) == 10
    now = 1.5
    log.warning("refused")
    assert caplog.records[-1].__dict__["leftOut"] == 40

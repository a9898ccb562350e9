"""The client and the reference host over real sockets: the answers are those of the sandbox."""

import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from gatehouse.connectors.iso8583.connector import Iso8583Connector
from gatehouse.connectors.iso8583.dialect import Dialect
from gatehouse.connectors.iso8583.link.pool_options import Host, PoolOptions
from gatehouse.connectors.iso8583.payments import PaymentCodes
from gatehouse.connectors.iso8583.reading import shipped_dialect
from gatehouse.connectors.reference_host.certificates import HostTls, make_certificates
from gatehouse.connectors.reference_host.serving import HostOptions, RunningHost, serve_host
from gatehouse.connectors.sandbox.parties import SandboxIssuer
from gatehouse.connectors.sandbox.triggers import all_triggers
from gatehouse.connectors.tls import TlsOptions
from gatehouse.core.cards.numbers import CardNumber, SecurityCode
from gatehouse.core.errors import ConnectorFailed
from gatehouse.gateway.port import Reversal
from gatehouse.precheck.issuer import CardEnquiry
from tests.connectors.iso8583.playhost import run, until
from tests.connectors.iso8583.test_link_checks import enquiry
from tests.connectors.iso8583.test_link_payments import authorization, gateway_of, referred
from tests.harness.waiting import PATIENCE_S

DIALECTS = ("reference", "base-one")


def now_ms() -> int:
    return time.time_ns() // 1_000_000


@asynccontextmanager
async def both(
    name: str = "reference", host_tls: HostTls | None = None, tls: TlsOptions | None = None
) -> AsyncIterator[tuple[Iso8583Connector, RunningHost]]:
    """A reference host, and a connector to it that was started."""
    dialect = Dialect(shipped_dialect(name))
    async with serve_host(HostOptions(dialect=dialect, token="t", tls=host_tls), now_ms) as host:
        options = PoolOptions(
            [Host("127.0.0.1", host.iso8583_port)],
            connections=2,
            timeout_s=PATIENCE_S,
            tls=tls,
            most_backoff_s=0.01,
        )
        connector = Iso8583Connector(dialect, options, PaymentCodes(), now_ms)
        await connector.start()
        try:
            yield connector, host
        finally:
            await connector.stop()


def triggered() -> list[CardEnquiry]:
    """A check for every trigger that an issuer knows and does not meet with silence."""
    found = [enquiry(), enquiry(postal_code="94105", street="1 Market Street")]
    for trigger in all_triggers():
        whole = {"postal_code": "94105", "street": "1 Market Street"}
        match trigger.field:
            case "cardNumber" if not trigger.silent:
                number = CardNumber.parse(trigger.value)
                code = SecurityCode.parse(
                    "1234" if number.brand and number.brand.code_length == 4 else "123"
                )
                found.append(enquiry(number=number, security_code=code, **whole))
            case "cardCvv2Value":
                found.append(enquiry(security_code=SecurityCode.parse(trigger.value)))
            case "cardAddress.postalCode":
                found.append(enquiry(**whole | {"postal_code": trigger.value}))
            case "cardAddress.street":
                found.append(enquiry(**whole | {"street": trigger.value}))
    return found


@pytest.mark.parametrize("name", DIALECTS)
def test_every_trigger_of_the_sandbox_gives_the_same_answer(name: str) -> None:
    async def play() -> None:
        async with both(name) as (connector, _host):
            await until(lambda: connector.state().problem is None)
            assert connector.issuer is not None
            asked = triggered()
            assert len(asked) > 15
            for each in asked:
                assert await connector.issuer.check(each) == await SandboxIssuer().check(each)

    run(play)


@pytest.mark.parametrize("name", DIALECTS)
def test_a_payment_is_made_and_reversed_and_the_host_remembers_both(name: str) -> None:
    async def play() -> None:
        async with both(name) as (connector, host):
            await until(lambda: connector.state().problem is None)
            gateway = gateway_of(connector)
            payment = referred(gateway)
            assert (await gateway.authorize(authorization(payment))).approved
            await gateway.reverse(Reversal("req_1", payment, "acct_1"))
            never_sent = referred(gateway, "req_2")
            await gateway.reverse(Reversal("req_2", never_sent, "acct_1"))
            answer = await gateway.authorize(authorization(never_sent, "req_2"))
            assert not answer.approved
            summary = host.host.memory.summary
            assert summary.unreversed == 0

    run(play)


def test_tls_with_a_certificate_of_our_own(tmp_path: Path) -> None:
    made = make_certificates(tmp_path, "127.0.0.1", now_ms)
    host_tls = HostTls(made.certificate_file, made.key_file, made.ca_file)
    ours = TlsOptions(
        ca_file=str(made.ca_file),
        certificate_file=str(made.client_certificate_file),
        key_file=str(made.client_key_file),
    )

    async def play() -> None:
        async with both(host_tls=host_tls, tls=ours) as (connector, _host):
            await until(lambda: connector.state().problem is None)
            assert connector.issuer is not None
            assert (await connector.issuer.check(enquiry())).response_code == "00"

    run(play)


def test_a_host_with_a_certificate_of_somebody_else_is_never_talked_to(tmp_path: Path) -> None:
    made = make_certificates(tmp_path / "host", "127.0.0.1", now_ms)
    others = make_certificates(tmp_path / "others", "127.0.0.1", now_ms)

    async def play() -> None:
        host_tls = HostTls(made.certificate_file, made.key_file)
        theirs = TlsOptions(ca_file=str(others.ca_file))
        async with both(host_tls=host_tls, tls=theirs) as (connector, host):
            await until(lambda: "Cert" in str(connector.state().problem))
            assert connector.issuer is not None
            with pytest.raises(ConnectorFailed) as failed:
                await connector.issuer.check(enquiry())
            assert not failed.value.sent
            assert host.host.memory.summary.authorizations == 0

    run(play)

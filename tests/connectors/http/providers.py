"""A provider in the process of the test, asked through the mapping that ships for it."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import msgspec

from gatehouse.connectors.http.connector import HttpConnector
from gatehouse.connectors.http.options import HttpDefinition
from gatehouse.connectors.http.reading import read_mapping
from gatehouse.connectors.tls import TlsOptions
from gatehouse.core.cards.numbers import CardNumber
from gatehouse.core.cards.three_d_secure import (
    AuthenticationValue,
    Eci,
    ScaExemption,
    ThreeDSecure,
    ThreeDSStatus,
    ThreeDSVersion,
)
from gatehouse.core.errors import ConnectorFailed
from gatehouse.gateway.operating import PaymentOperation
from gatehouse.idverify.request import IdVerifyRequest
from gatehouse.idverify.source import IdentityEnquiry
from gatehouse.precheck.issuer import CardEnquiry, IssuerAnswer
from gatehouse.precheck.networks import read_avs, read_cvv2, read_response_code
from tests.connectors.http.asking import authorization, connected, enquiry
from tests.connectors.http.certificates import Authority
from tests.connectors.http.party import Heard, Reply, serving

FOLDER = Path("src/gatehouse/connectors/http/mappings")
DISCOVER = CardNumber.parse("6011111111111117")
AMEX = CardNumber.parse("378282246310005")
MASTERCARD = CardNumber.parse("5555555555554444")
CAVV = "AAABBEg0VhI0VniQEjRWAAAAAAA="
DS_TRANSACTION = "f38e6948-5388-41a6-bca4-b49723c19437"

Work = Callable[[HttpConnector], Awaitable[Any]]


def shipped(name: str) -> bytes:
    """The file of a mapping that ships."""
    return (FOLDER / f"{name}.yaml").read_bytes()


class Provider:
    """What is needed to ask one provider."""

    def __init__(self, name: str, secret: Path, authority: Authority, **options: str) -> None:
        written = read_mapping(shipped(name))
        # In the clear, so that a test sees what is sent; one gives the keys and sees none of it.
        self.mapping = msgspec.structs.replace(written, encryption=None)
        self.secrets = dict.fromkeys(written.secrets, f"file:{secret}")
        # To read all authorities of the system would take longer than the test.
        self._tls = TlsOptions(ca_file=str(authority.ca_file))
        self.options = options

    def definition(self, url: str) -> HttpDefinition:
        return HttpDefinition(
            mapping=self.mapping,
            base_url=url,
            secrets=self.secrets,
            options=self.options,
            tls=self._tls,
        )

    def ask(self, replies: Sequence[Reply], work: Work) -> tuple[list[Any], list[Heard]]:
        """What the work comes to with each reply, or the failure; and what the provider heard."""
        waiting = iter(replies)

        async def run() -> tuple[list[Any], list[Heard]]:
            async with serving(lambda _heard: next(waiting), None) as party:
                async with connected(self.definition(party.url)) as connector:
                    found = [await attempted(work, connector) for _ in replies]
                return found, party.heard

        return asyncio.run(run())

    def checks(self, answers: Iterable[Any], number: CardNumber | None = None) -> list[Any]:
        """What PreCheck's port says of each answer."""
        asked = enquiry() if number is None else enquiry(number)
        found, _ = self.ask([Reply(each) for each in answers], checking(asked))
        return found

    def sent(self, work: Work, reply: Any) -> Heard:
        """The one request of a piece of work."""
        _, [heard] = self.ask([Reply(reply)], work)
        return heard

    def payments(self, answers: Iterable[Any], status: int = 200) -> list[Any]:
        """What Gateway's port says of each answer."""
        replies = [Reply(each, status) for each in answers]
        return self.ask(replies, lambda each: gateway(each).authorize(authorization()))[0]


async def attempted(work: Work, connector: HttpConnector) -> Any:
    """What the work comes to, or its failure."""
    try:
        return await work(connector)
    except ConnectorFailed as failure:
        return failure


def checking(asked: CardEnquiry) -> Work:
    """Asks PreCheck's port."""

    def work(connector: HttpConnector) -> Awaitable[Any]:
        assert connector.issuer is not None
        return connector.issuer.check(asked)

    return work


def finding(asked: IdentityEnquiry) -> Work:
    """Asks ID Verify's port."""

    def work(connector: HttpConnector) -> Awaitable[Any]:
        assert connector.identities is not None
        return connector.identities.find(asked)

    return work


def gateway(connector: HttpConnector) -> Any:
    """Gateway's port."""
    assert connector.gateway is not None
    return connector.gateway


def operating(asked: PaymentOperation) -> Work:
    """Asks for a capture or a refund."""

    def work(connector: HttpConnector) -> Awaitable[Any]:
        done: Awaitable[Any] = gateway(connector).operate(asked)
        return done

    return work


def offering(asked: PaymentOperation) -> Work:
    """Asks how a mapping takes an operation."""

    async def work(connector: HttpConnector) -> Any:
        return gateway(connector).offer(asked)

    return work


def words(answer: IssuerAnswer, brand: str = "VISA") -> tuple[str, str, str]:
    """Advice, AVS and CVV2 in the words of the API."""
    advice, _ = read_response_code(answer.response_code)
    return advice, read_avs(brand, answer.avs_letter), read_cvv2(answer.cvv2_letter)


def proven(eci: Eci = Eci.AUTHENTICATED, exemption: ScaExemption | None = None) -> ThreeDSecure:
    """What 3-D Secure found about a payment."""
    return ThreeDSecure(
        ThreeDSVersion.V2_2_0,
        eci,
        ThreeDSStatus.AUTHENTICATED,
        exemption,
        AuthenticationValue.parse(CAVV),
        DS_TRANSACTION,
    )


def with_holder(holder: IdVerifyRequest) -> CardEnquiry:
    """An enquiry whose pipeline asks ID Verify as well."""
    return enquiry(holder=holder)

"""Connectors whose answers a test chooses, and enquiries to give them."""

import asyncio
import functools
from collections.abc import Callable, Coroutine
from typing import Any

from gatehouse.connectors.connector import Connector, ConnectorState
from gatehouse.connectors.definition import Configuration, Function, Route
from gatehouse.connectors.part_reader import Definition
from gatehouse.connectors.routing.roster import Roster
from gatehouse.core.cards.numbers import CardNumber, ExpiryDate
from gatehouse.core.errors import ConnectorFailed, SettingsError
from gatehouse.core.money import Payment
from gatehouse.core.stages.case import ValuesByType
from gatehouse.gateway.port import Authorization, GatewayAnswer, Reversal
from gatehouse.idverify.request import IdVerifyRequest
from gatehouse.idverify.source import HolderResults, Holders, IdentityEnquiry, IdentitySource
from gatehouse.precheck.issuer import CardEnquiry, IssuerAnswer

VISA = CardNumber.parse("4242424242424242")
MASTERCARD = CardNumber.parse("5555555555554444")
EXPIRY = ExpiryDate(2030, 12)


class FakeDefinition(Definition, frozen=True, kw_only=True, tag="fake"):
    """A connector of a test."""

    version: int = 1


class FakeConnector:
    """Answers as it is told; it notes what it was given."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.issuer = self.identities = self.gateway = self
        self.given: list[Any] = []
        self.reversed: list[Reversal] = []
        self.failure: Exception | None = None
        self.hold: asyncio.Event | None = None
        self.stopped = False
        self.refers = True
        self.people: Holders | HolderResults = HolderResults()

    async def _turn(self, given: Any) -> None:
        self.given.append(given)
        if self.hold is not None:
            await self.hold.wait()
        if self.failure is not None:
            raise self.failure

    async def check(self, enquiry: CardEnquiry) -> IssuerAnswer:
        await self._turn(enquiry)
        return IssuerAnswer("00", avs_letter=self.name)

    async def find(self, enquiry: IdentityEnquiry) -> Holders | HolderResults:
        await self._turn(enquiry)
        return self.people

    def refer(self, authorization: Authorization) -> str | None:
        return f"{self.name}:{authorization.request_id}" if self.refers else None

    async def authorize(self, authorization: Authorization) -> GatewayAnswer:
        await self._turn(authorization)
        return GatewayAnswer(True, "00", self.name)

    async def reverse(self, reversal: Reversal) -> None:
        if self.failure is not None:
            raise self.failure
        self.reversed.append(reversal)

    async def start(self) -> None:
        if self.name == "keyless":
            raise SettingsError("env:KEY is empty or not set")

    async def stop(self) -> None:
        if self.hold is not None:
            await self.hold.wait()
        self.stopped = True

    def state(self) -> ConnectorState:
        return ConnectorState(connections=1, wanted=1, in_flight=len(self.given))


class FakeRoster:
    """A roster of fakes, and each of them by its name."""

    def __init__(self, country: str | None = None, records: IdentitySource | None = None) -> None:
        self.made: dict[str, FakeConnector] = {}
        self.seen: list[tuple[str, str, str]] = []

        def make(name: str, _definition: Definition) -> Connector:
            self.made[name] = FakeConnector(name)
            return self.made[name]

        def observe(name: str, call: str, outcome: str, _seconds: float) -> None:
            self.seen.append((name, call, outcome))

        self.roster = Roster(lambda _bin: country, observe, records, make)

    async def use(self, *routes: Route, limit: int = 10, version: int = 1) -> "FakeRoster":
        """Serve every function by these routes."""
        names = dict.fromkeys(name for route in routes for name in route.use if name != "records")
        made: dict[str, Definition] = {
            name: FakeDefinition(in_flight=limit, version=version) for name in names
        }
        await self.roster.adopt(Configuration(made, dict.fromkeys(Function, routes)))
        return self

    def __getitem__(self, name: str) -> FakeConnector:
        return self.made[name]


def enquiry(
    number: CardNumber = VISA, account_id: str = "acct_1", inputs: ValuesByType | None = None
) -> CardEnquiry:
    return CardEnquiry(
        "req_1", number, EXPIRY, None, None, None, account_id, inputs or ValuesByType()
    )


def identity_enquiry(number: CardNumber = VISA) -> IdentityEnquiry:
    request = IdVerifyRequest(number, EXPIRY)
    return IdentityEnquiry("req_1", "acct_1", number, "fingerprint", request)


def authorization(reference: str | None = None, request_id: str = "req_1") -> Authorization:
    payment = Payment(1000, "USD", reference)
    return Authorization(payment, VISA, EXPIRY, request_id=request_id, account_id="acct_1")


def reversal(reference: str | None, request_id: str = "req_1") -> Reversal:
    return Reversal(request_id, Payment(1000, "USD", reference), "acct_1")


def unsent() -> ConnectorFailed:
    return ConnectorFailed("no connection", sent=False)


async def until(holds: Callable[[], bool]) -> None:
    """Let other tasks run until something holds."""
    while not holds():  # noqa: ASYNC110  # what is waited for sets no event
        await asyncio.sleep(0)


def in_a_loop(test: Callable[..., Coroutine[Any, Any, None]]) -> Callable[..., None]:
    """A test that is a coroutine, as a function that runs it."""

    @functools.wraps(test)
    def run(*args: Any, **kwargs: Any) -> None:
        asyncio.run(test(*args, **kwargs))

    return run

"""`python -m scripts.bench.routing`: what the way to a connector adds to a check and to a payment.

A connector that answers at once is asked directly and through routes, by processor time.
"""

import asyncio
import statistics
import time
from collections.abc import Awaitable, Callable
from typing import Final

import msgspec
from tests.connectors.fakes import EXPIRY, VISA, authorization, enquiry

from gatehouse.connectors.connector import ConnectorState
from gatehouse.connectors.definition import Configuration, Function, Route
from gatehouse.connectors.part_reader import Definition
from gatehouse.connectors.routing.checks import RoutedIssuer
from gatehouse.connectors.routing.payments import RoutedGateway
from gatehouse.connectors.routing.roster import Roster
from gatehouse.connectors.sandbox.connector import SandboxDefinition
from gatehouse.gateway.port import Authorization, GatewayAnswer, Reversal
from gatehouse.intel.bins import load_bins
from gatehouse.precheck.issuer import CardEnquiry, IssuerAnswer

_CALLS: Final = 5_000
_ROUNDS: Final = 7
_ANY: Final = Route(("a", "b"))
_ROUTES: Final = {
    "one route": (_ANY,),
    "brand, BINs, country and account before it": (
        Route(("b",), brands=("AMEX",)),
        Route(("b",), bins=("411111-411119",)),
        Route(("b",), countries=("JP",)),
        Route(("b",), accounts=("acct_x",)),
        _ANY,
    ),
    "199 routes of BINs before it": (
        *(Route(("b",), bins=(str(500_000 + number),)) for number in range(199)),
        _ANY,
    ),
}


class Instant:
    """A connector that answers at once."""

    identities = None

    def __init__(self) -> None:
        self.issuer = self.gateway = self
        self._answers = IssuerAnswer("00"), GatewayAnswer(True, "00")

    async def check(self, _enquiry: CardEnquiry) -> IssuerAnswer:
        """Approve."""
        return self._answers[0]

    async def authorize(self, _authorization: Authorization) -> GatewayAnswer:
        """Approve."""
        return self._answers[1]

    async def reverse(self, _reversal: Reversal) -> None:
        """Confirm."""

    async def start(self) -> None:
        """Nothing is opened."""

    async def stop(self) -> None:
        """Nothing is closed."""

    def state(self) -> ConnectorState:
        """Always well."""
        return ConnectorState(0, 0, 0)


async def microseconds(call: Callable[[], Awaitable[object]]) -> float:
    """The median of several rounds."""
    rounds = []
    for _ in range(_ROUNDS):
        started = time.process_time()
        for _ in range(_CALLS):
            await call()
        rounds.append((time.process_time() - started) / _CALLS * 1e6)
    return statistics.median(rounds)


async def measure() -> None:
    """Print what each set of routes adds."""
    bins = load_bins()

    def country_of(first_digits: str) -> str | None:
        facts = bins.facts(first_digits)
        return facts.country if facts else None

    direct, checked, asked = Instant(), enquiry(), authorization()
    definitions: dict[str, Definition] = {"a": SandboxDefinition(), "b": SandboxDefinition()}
    roster = Roster(country_of, lambda *_: None, None, lambda *_: Instant())
    issuer, gateway = RoutedIssuer(roster, routes_identities=False), RoutedGateway(roster)

    async def pay() -> None:
        payment = msgspec.structs.replace(asked.payment, reference=gateway.refer(asked))
        given = Authorization(
            payment, VISA, EXPIRY, request_id=asked.request_id, account_id=asked.account_id
        )
        await gateway.authorize(given)

    check_us = await microseconds(lambda: direct.check(checked))
    pay_us = await microseconds(lambda: direct.authorize(asked))
    for label, routes in _ROUTES.items():
        await roster.adopt(Configuration(definitions, dict.fromkeys(Function, routes)))
        check = await microseconds(lambda: issuer.check(checked)) - check_us
        payment = await microseconds(pay) - pay_us
        print(f"{label}: +{check:.1f} µs for a check, +{payment:.1f} µs for a payment")


if __name__ == "__main__":
    asyncio.run(measure())

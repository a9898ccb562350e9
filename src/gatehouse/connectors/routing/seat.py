"""One connector in use: how many requests it may have in flight, and whether it is asked at all."""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable
from typing import Final, TypeVar

from gatehouse.connectors.connector import Connector, ConnectorState
from gatehouse.connectors.definition import kind_of
from gatehouse.connectors.part_reader import Definition
from gatehouse.core.api_values import CamelStruct
from gatehouse.core.defects import blanked
from gatehouse.core.errors import ConnectorFailed, GatehouseError
from gatehouse.core.limits.breaker import Breaker
from gatehouse.gateway.hosted_pages import HostedPages, PageConnector
from gatehouse.gateway.notifying import NotificationReader, NotifiedConnector
from gatehouse.gateway.port import Authorization, PaymentGateway, ReferringGateway
from gatehouse.idverify.source import IdentitySource
from gatehouse.precheck.issuer import Issuer

_log: Final = logging.getLogger("gatehouse.connectors")

T = TypeVar("T")
Observe = Callable[[str, str, str, float], None]
"""Takes the connector, what it was asked for, how that ended, and the seconds."""
_ALIVE: Final = ("answered", "refused")
"""How a request ends with a party that works."""
_UNSENT: Final = "unsent"
"""How one ends that was not sent, for a reason that is none of the party's."""


class SeatState(CamelStruct):
    """How a connector in use is, for people."""

    kind: str
    up: bool
    """Whether requests are given to it now."""
    in_flight: int
    limit: int
    connections: int = 0
    wanted: int = 0
    breaker_open: bool = False
    late_answers: int = 0
    problem: str | None = None


class Seat:
    """A connector with its limit and its breaker; without a connector it only has a problem."""

    def __init__(
        self,
        name: str,
        definition: Definition,
        made: Connector | str,
        observe: Observe,
        stopwatch: Callable[[], float] = time.monotonic,
    ) -> None:
        """`made` is the connector, or why it could not be made."""
        self.name = name
        self.definition = definition
        self.connector: Connector | None = None
        self.issuer: Issuer | None = None
        self.identities: IdentitySource | None = None
        self.gateway: PaymentGateway | None = None
        self.notifications: NotificationReader | None = None
        self.pages: HostedPages | None = None
        self._refer: Callable[[Authorization], str | None] | None = None
        if isinstance(made, str):
            self._problem = made
        else:
            self._take(made)
        self.in_flight = 0
        self.retired = False
        """Whether another connector has its place by now."""
        self.breaker = Breaker(stopwatch)
        self._observe = observe
        self._limit = definition.in_flight

    def _take(self, connector: Connector) -> None:
        self.connector, self.issuer = connector, connector.issuer
        self.identities, self.gateway = connector.identities, connector.gateway
        if isinstance(connector, NotifiedConnector):
            self.notifications = connector.notifications
        if isinstance(connector, PageConnector):
            self.pages = connector.pages
        if isinstance(connector.gateway, ReferringGateway):
            self._refer = connector.gateway.refer

    def refer(self, authorization: Authorization) -> str | None:
        """What its gateway has to know to reverse a payment, besides the request id."""
        return None if self._refer is None else self._refer(authorization)

    def takes(self) -> bool:
        """Whether it may be given a request now; while its breaker is open, one call is a probe."""
        return self.would_take and self.breaker.allows()

    @property
    def would_take(self) -> bool:
        """The same, without a probe being spent."""
        has_room = self.connector is not None and self.in_flight < self._limit
        return has_room and self.breaker.would_allow

    async def ask(self, call: str, answer: Awaitable[T], *, tells: bool = True) -> T:
        """Wait for an answer, count it, and let the breaker know how it went.

        Without `tells` its end says nothing about whether other requests will be served.
        """
        self.in_flight += 1
        started, outcome = time.perf_counter(), "failed"
        try:
            found = await answer
            outcome = "answered"
            return found
        except asyncio.CancelledError:
            # The engine gives a call up in this way when its time is over.
            outcome = "timeout"
            raise
        except GatehouseError as failure:
            if isinstance(failure, ConnectorFailed) and failure.answered:
                outcome = "refused" if failure.sent else _UNSENT
            raise
        except Exception as error:
            outcome = "defect"
            defect = blanked(error, "a connector")
        finally:
            self.in_flight -= 1
            if tells and outcome in _ALIVE:
                self.breaker.succeeded()
            elif tells and outcome != _UNSENT:
                self.breaker.failed()
            self._observe(self.name, call, outcome, time.perf_counter() - started)
        _log.error("a connector is defective", exc_info=defect, extra={"connector": self.name})
        raise ConnectorFailed(f"connector {self.name} is defective")

    def state(self) -> SeatState:
        """How it is now."""
        if self.connector is None:
            inner = ConnectorState(0, 0, 0, self._problem)
        else:
            inner = self.connector.state()
        connected = inner.wanted == 0 or inner.connections > 0
        return SeatState(
            kind=kind_of(self.definition),
            up=self.connector is not None and connected and not self.breaker.is_open,
            in_flight=self.in_flight,
            limit=self._limit,
            connections=inner.connections,
            wanted=inner.wanted,
            breaker_open=self.breaker.is_open,
            late_answers=inner.late_answers,
            problem=inner.problem,
        )

"""The connectors in use; another configuration takes their place while requests go on."""

import asyncio
import logging
from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Final

from gatehouse.connectors.connector import Connector, ConnectorState
from gatehouse.connectors.definition import RECORDS, Configuration, Function, kind_of
from gatehouse.connectors.kinds import KINDS
from gatehouse.connectors.part_reader import Definition
from gatehouse.connectors.routing.seat import Observe, Seat, SeatState
from gatehouse.connectors.routing.table import CountryOf, RoutingTable
from gatehouse.connectors.secret_sources import ConnectorFiles
from gatehouse.core.cards.numbers import CardNumber
from gatehouse.core.defects import blanked
from gatehouse.core.errors import SettingsError
from gatehouse.core.wording.sentences import Phrase, row, said_by
from gatehouse.idverify.source import IdentitySource
from gatehouse.settings.settings import Settings

_NOT_STARTED: Final = Phrase("connector.not_started", "it could not be started; see the log")
_log: Final = logging.getLogger("gatehouse.connectors")
_NO_LIMIT: Final = 1_000_000
_DOWN_LOOKS: Final = 2


MakeConnector = Callable[[str, Definition], Connector]


def make_connector(name: str, definition: Definition) -> Connector:
    """A connector by its definition; `SettingsError` when a secret or a file is missing."""
    return KINDS[kind_of(definition)]().make(name, definition)


def connector_maker(settings: Settings) -> MakeConnector:
    """Makes connectors; `SettingsError` for what this installation must not let them use."""
    files = ConnectorFiles.of(settings)

    def make(name: str, definition: Definition) -> Connector:
        unfit = [*(definition.unfit_for_production() if settings.is_production else ())]
        unfit += files.problems(definition)
        if unfit:
            raise SettingsError(row(unfit, ";"))
        return make_connector(name, definition)

    return make


class Roster:
    """Every connector by its name, and the routes to them."""

    def __init__(
        self,
        country_of: CountryOf,
        observe: Observe,
        records: IdentitySource | None = None,
        make: MakeConnector = make_connector,
    ) -> None:
        self.configuration = Configuration()
        self._country_of = country_of
        self._observe = observe
        self._make = make
        self._seats: dict[str, Seat] = {}
        self._records: dict[str, Seat] = {}
        if records is not None:
            unlimited = _Records(in_flight=_NO_LIMIT)
            self._records[RECORDS] = Seat(RECORDS, unlimited, _RecordsConnector(records), observe)
        self._table = RoutingTable({}, {}, country_of)
        self._adopting = asyncio.Lock()
        self._draining: set[asyncio.Task[None]] = set()
        self._withheld: Mapping[str, str] = {}
        """Why connectors may not be used, by their names."""
        self._down_looks: dict[str, int] = {}
        """How many times in a row each connector was found down."""

    def candidates(self, function: Function, number: CardNumber, account_id: str) -> Iterator[Seat]:
        """The connectors to ask, in order; the caller goes on to the next one after a failure."""
        for seat in self._table.find(function, number, account_id):
            current = self._seats.get(seat.name) if seat.retired else seat
            if current is not None:
                yield current

    def first_name(self, function: Function, number: CardNumber, account_id: str) -> str | None:
        """The name of the connector that is asked first."""
        found = self._table.find(function, number, account_id)
        return found[0].name if found else None

    def all_for(self, function: Function, account_id: str) -> list[Seat]:
        """Every connector that a card of the account could have been given to."""
        return self._table.all_for(function, account_id)

    def seat(self, name: str) -> Seat | None:
        """The connector of a name."""
        return self._seats.get(name)

    async def adopt(
        self, configuration: Configuration, withheld: Mapping[str, str] = MappingProxyType({})
    ) -> None:
        """Use another configuration from now on; `withheld` says which connectors it may not use.

        Connectors that did not change are kept; those that are gone end what they have in flight.
        """
        async with self._adopting:
            self._withheld = withheld
            await self._adopt(configuration)

    async def _adopt(self, configuration: Configuration) -> None:
        before, seats = self._seats, {}
        for name, definition in configuration.connectors.items():
            known = None if name in self._withheld else before.get(name)
            if known is not None and known.definition == definition and known.connector is not None:
                seats[name] = known
            else:
                seats[name] = await self._open(name, definition)
        self._seats, self.configuration = seats, configuration
        routes = configuration.routes
        self._table = RoutingTable(routes, {**seats, **self._records}, self._country_of)
        for name, seat in before.items():
            if seats.get(name) is not seat:
                self._retire(seat)

    async def retry(self) -> None:
        """Make the connectors that could not be made, if what they lack is there by now."""
        async with self._adopting:
            if any(seat.connector is None for seat in self._seats.values()):
                await self._adopt(self.configuration)

    async def stop(self) -> None:
        """End every connector, and wait for those that end already."""
        await self.adopt(Configuration())
        await asyncio.gather(*self._draining, return_exceptions=True)

    def states(self) -> dict[str, SeatState]:
        """How each connector is."""
        return {name: seat.state() for name, seat in self._seats.items()}

    def log_changes(self) -> bool:
        """Write one line when a connector has gone down, and one when it serves again.

        One that is down when it is first looked at may just have begun; it is logged when it still
        is at the next look. Returns whether anything changed since the last look.
        """
        states = self.states()
        looks = {
            name: 0 if state.up else self._down_looks.get(name, 0) + 1
            for name, state in states.items()
        }
        for name, count in looks.items():
            if count == _DOWN_LOOKS:
                about = {"connector": name, "problem": states[name].problem}
                _log.warning("a connector is down", extra=about)
            elif not count and self._down_looks.get(name, 0) >= _DOWN_LOOKS:
                _log.warning("a connector serves again", extra={"connector": name})
        before, self._down_looks = self._down_looks, looks
        return {name for name in looks if looks[name]} != {name for name in before if before[name]}

    def looked_at(self) -> dict[str, bool | None]:
        """Whether each connector was up at the last look; None before it is logged as down."""
        down = {0: True, _DOWN_LOOKS: False}
        return {name: down.get(min(looks, _DOWN_LOOKS)) for name, looks in self._down_looks.items()}

    async def _open(self, name: str, definition: Definition) -> Seat:
        made: Connector | str
        if name in self._withheld:
            return Seat(name, definition, self._withheld[name], self._observe)
        try:
            # Certificates, secrets and modules are read: requests must not wait for that.
            made = await asyncio.to_thread(self._make, name, definition)
            await made.start()
        except SettingsError as error:
            made = said_by(error)
        except Exception as error:
            defect = blanked(error, "a connector")
            _log.error("a connector is defective", exc_info=defect, extra={"connector": name})
            made = _NOT_STARTED()
        return Seat(name, definition, made, self._observe)

    def _retire(self, seat: Seat) -> None:
        seat.retired = True
        if seat.connector is not None:
            task = asyncio.create_task(_end(seat.name, seat.connector))
            self._draining.add(task)
            task.add_done_callback(self._draining.discard)


async def _end(name: str, connector: Connector) -> None:
    try:
        await connector.stop()
    except Exception as error:
        defect = blanked(error, "a connector")
        _log.error("a connector did not stop", exc_info=defect, extra={"connector": name})


class _Records(Definition, frozen=True, kw_only=True, tag=RECORDS):
    """The imported identity records, which need no configuration."""


class _RecordsConnector:
    issuer = gateway = None

    def __init__(self, records: IdentitySource) -> None:
        self.identities = records

    async def start(self) -> None:
        """The service starts them."""

    async def stop(self) -> None:
        """The service stops them."""

    def state(self) -> ConnectorState:
        return ConnectorState(0, 0, 0)

"""The routes of a configuration, made ready to be looked up for every request."""

from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from gatehouse.connectors.definition import BinRange, Function, Route
from gatehouse.connectors.routing.seat import Seat
from gatehouse.core.cards.numbers import CardNumber
from gatehouse.core.limits.lru_cache import LruCache

CountryOf = Callable[[str], str | None]
"""The country of the issuer of the cards with these first digits, if it is known."""

_MOST_REMEMBERED: Final = 10_000
"""With many routes it costs more to go through them than to remember which one fitted."""


class _Bins:
    """Ranges of first digits, joined and in order."""

    def __init__(self, ranges: Sequence[BinRange]) -> None:
        self._lows: list[int] = []
        self._highs: list[int] = []
        for low, high in sorted(ranges):
            if self._highs and low <= self._highs[-1] + 1:
                self._highs[-1] = max(high, self._highs[-1])
            else:
                self._lows.append(low)
                self._highs.append(high)

    def hold(self, first_digits: int) -> bool:
        place = bisect_right(self._lows, first_digits) - 1
        return place >= 0 and first_digits <= self._highs[place]


class _Entry:
    """One route with its connectors."""

    __slots__ = ("_accounts", "_bins", "_brands", "_countries", "seats")

    def __init__(self, route: Route, seats: tuple[Seat, ...]) -> None:
        self._brands = frozenset(route.brands)
        self._bins = _Bins([BinRange.parse(each) for each in route.bins]) if route.bins else None
        self._countries = frozenset(route.countries)
        self._accounts = frozenset(route.accounts)
        self.seats = seats

    def fits(self, number: CardNumber, account_id: str, country_of: CountryOf) -> bool:
        if self._accounts and account_id not in self._accounts:
            return False
        if self._brands:
            brand = number.brand
            if brand is None or brand.name not in self._brands:
                return False
        if self._bins is not None and not self._bins.hold(int(number.reveal()[:8])):
            return False
        return not self._countries or country_of(number.bin) in self._countries

    def serves(self, account_id: str) -> bool:
        """Whether some card of the account could come here."""
        return not self._accounts or account_id in self._accounts


class RoutingTable:
    """Finds the connectors for a card of an account, in the order in which they are asked."""

    def __init__(
        self,
        routes: Mapping[Function, Sequence[Route]],
        seats: Mapping[str, Seat],
        country_of: CountryOf,
    ) -> None:
        self._country_of = country_of
        self._found: LruCache[tuple[Function, str, str], tuple[Seat, ...]] = LruCache(
            _MOST_REMEMBERED
        )
        self._entries = {
            function: [
                _Entry(route, tuple(seats[name] for name in route.use))
                for route in routes.get(function, ())
            ]
            for function in Function
        }

    def find(self, function: Function, number: CardNumber, account_id: str) -> tuple[Seat, ...]:
        """The connectors of the first route that fits; none when no route does."""
        # Brand and country follow from the first eight digits as well.
        key = (function, number.reveal()[:8], account_id)
        found = self._found.find(key)
        if found is None:
            found = self._seek(function, number, account_id)
            self._found.put(key, found)
        return found

    def _seek(self, function: Function, number: CardNumber, account_id: str) -> tuple[Seat, ...]:
        for entry in self._entries[function]:
            if entry.fits(number, account_id, self._country_of):
                return entry.seats
        return ()

    def all_for(self, function: Function, account_id: str) -> list[Seat]:
        """Every connector that a card of the account could be given to."""
        found = {
            seat.name: seat
            for entry in self._entries[function]
            if entry.serves(account_id)
            for seat in entry.seats
        }
        return list(found.values())

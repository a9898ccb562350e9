"""Combines what the shipped table and the operator's files say about an address."""

import math
from collections.abc import Iterable
from typing import Any, Final, Protocol

from gatehouse.intel.addresses import Address
from gatehouse.intel.agents.claims import NOTHING, Claims
from gatehouse.intel.databases import AddressDatabase
from gatehouse.intel.feeds.files import FeedFile
from gatehouse.intel.feeds.freshness import age_days, trust
from gatehouse.intel.feeds.tables import Table
from gatehouse.intel.networks import AddressFacts, Feed
from gatehouse.intel.ranges import Segments, overlay


class Shipped(Protocol):
    """The table of networks that ships with the package."""

    @property
    def feed(self) -> Feed:
        """Where it came from."""
        ...

    def find(self, address: Address) -> Claims:
        """What it says about an address."""
        ...


class FeedState:
    """Everything that was read, independent of the day. Never changed once it is made."""

    def __init__(self, shipped: Shipped, files: Iterable[FeedFile]) -> None:
        self.files = sorted(files, key=lambda file: file.feed.name, reverse=True)
        self.shipped = shipped
        self.lists = [
            (file.feed, file.content) for file in self.files if isinstance(file.content, Segments)
        ]
        self.segments, self.combinations = overlay([segments for _, segments in self.lists])
        self.blocked_countries = frozenset[str]().union(
            *(file.content for file in self.files if isinstance(file.content, frozenset))
        )


class View:
    """What the feeds say on one day, which decides how far old data is believed."""

    __slots__ = ("_blocked", "_find", "_marks", "_segments", "_tellers", "_trust", "day", "state")

    def __init__(self, state: FeedState, day: int) -> None:
        self.state: Final = state
        self.day: Final = day
        self._find = state.shipped.find
        self._trust = trust(age_days(state.shipped.feed.date, day), "networks")
        self._segments = state.segments
        # Filled on demand: there may be very many combinations of lists.
        self._marks: list[Claims | None] = [None] * len(state.combinations)
        tellers = [
            (age_days(file.feed.date, day), file.content)
            for file in state.files
            if isinstance(file.content, AddressDatabase | Table)
        ]
        # Where two files disagree about an address, the newer one counts.
        tellers.sort(key=lambda teller: math.inf if teller[0] is None else teller[0])
        self._tellers = [(content, _trusted(age)) for age, content in tellers]
        self._blocked = state.blocked_countries

    def look(self, address: Address) -> AddressFacts:
        """What is known about an address."""
        row = self._find(address)
        combination = self._segments.find(address.version, address.value)
        marks = self._marks[combination] or self._mark(combination)
        hosting, vpn, tor = marks.hosting, marks.vpn, marks.tor
        proxy, relay = marks.proxy, marks.relay
        country = asn = organisation = None
        for content, trusted in self._tellers:
            claims = content.claims(address)
            if claims is NOTHING:
                continue
            country = country or claims.country
            if asn is None and claims.asn is not None:
                asn, organisation = claims.asn, claims.organisation
            if claims.flags:
                hosting = max(hosting, claims.hosting * trusted.hosting)
                vpn = max(vpn, claims.vpn * trusted.vpn)
                tor = max(tor, claims.tor * trusted.tor)
                proxy = max(proxy, claims.proxy * trusted.proxy)
                relay = max(relay, claims.relay * trusted.relay)
        if asn is None or asn == row.asn:
            asn, organisation = row.asn, organisation or row.organisation
        country = country or row.country
        # The networks of a relay are on lists of VPNs and belong to hosting companies, but behind
        # them are ordinary people. The shipped table only knows who holds a network, so its relay
        # mark overrides its own marks and not what the operator's files say about an address.
        if relay:
            hosting = vpn = 0.0
        elif row.relay:
            relay = 0.0 if hosting or vpn else self._trust
        else:
            hosting = max(hosting, self._trust) if row.hosting else hosting
            vpn = max(vpn, self._trust) if row.vpn else vpn
        allowed = marks.allowed > 0
        if allowed:
            hosting = vpn = tor = proxy = 0.0
        return AddressFacts(
            country,
            asn,
            organisation,
            hosting,
            vpn,
            tor,
            proxy,
            relay,
            row.mobile > 0 or marks.mobile > 0,
            marks.blocked > 0 and not allowed,
            allowed,
            country in self._blocked,
        )

    def _mark(self, combination: int) -> Claims:
        """What a combination of lists claims; of two of a kind the more trusted one counts."""
        found: dict[str, Any] = {}
        for layer in self.state.combinations[combination]:
            feed, _ = self.state.lists[layer]
            degree = trust(age_days(feed.date, self.day), feed.kind)
            found[feed.kind] = max(degree, found.get(feed.kind, 0.0))
        marks = self._marks[combination] = Claims(**found)
        return marks


def _trusted(age: int | None) -> Claims:
    """How far each claim of a database or a table of an age is believed."""
    flags = ("hosting", "vpn", "tor", "proxy", "relay")
    return Claims(None, None, None, *(trust(age, flag) for flag in flags))

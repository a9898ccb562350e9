"""Address data: the state of every feed, what the feeds say of an address, and trying a file.

These use cases read files and change nothing, so they need neither a session nor an actor.
"""

import logging
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final, Literal

import msgspec

from gatehouse.core.clock import Clock
from gatehouse.core.errors import InvalidInput, NotFound
from gatehouse.idverify.names.knowledge import knowledge
from gatehouse.intel.addresses import Address, read_address
from gatehouse.intel.agents.claims import Refused
from gatehouse.intel.feeds.feeds import Feeds
from gatehouse.intel.feeds.files import is_ignored, read_feed, recognise
from gatehouse.intel.feeds.folder import FileReport
from gatehouse.intel.feeds.freshness import age_days, does_age, trust
from gatehouse.intel.networks import AddressFacts, Feed, load_networks
from gatehouse.intel.shipped import shipped_feeds

_DAY_MS: Final = 86_400_000
_READ_AGAIN_S: Final = 0.3


class FeedAge(msgspec.Struct, frozen=True):
    """A feed as of today."""

    feed: Feed
    age: int | None
    """In days; None without a date."""
    trust: float | None
    """How far it is believed, 0 to 1; None for a feed that does not age."""


class FeedStatus(msgspec.Struct, frozen=True):
    """Every feed that a server would use, and the files that it would not."""

    feeds: Sequence[FeedAge]
    files: Sequence[FileReport]


class AddressReport(msgspec.Struct, frozen=True):
    """An address, and what all feeds together say of it."""

    address: Address
    facts: AddressFacts | None
    """None for an address that is not of the public internet."""


class FeedCheck(msgspec.Struct, frozen=True):
    """How a file for the feed folder would be read."""

    name: str
    state: Literal["readable", "refused", "not recognised"]
    reason: str | None = None
    feed: FeedAge | None = None


def feed_status(intel_dir: Path | None, clock: Clock) -> FeedStatus:
    """The feeds of a server with this feed folder, and the state of the folder's files."""
    feeds, day = _open_feeds(intel_dir, clock), clock() // _DAY_MS
    every = (*feeds.feeds(), *shipped_feeds(), _names())
    return FeedStatus([_as_of(feed, day) for feed in every], feeds.reports())


def look_up_address(text: str, intel_dir: Path | None, clock: Clock) -> AddressReport:
    """What the feeds say of an address; `InvalidInput` when the text is not one."""
    address = read_address(text)
    if address is None:
        raise InvalidInput(f"{text!r} is not an internet address")
    if not address.is_public:
        return AddressReport(address, None)
    return AddressReport(address, _open_feeds(intel_dir, clock).look(address, clock() // _DAY_MS))


def check_feed(file: Path, clock: Clock) -> FeedCheck:
    """How a file would be read, or why it would be refused; `NotFound` when it is not there."""
    if not file.exists():
        raise NotFound(f"{file} does not exist")
    if is_ignored(file.name):
        return FeedCheck(file.name, "not recognised", "files of that name are ignored")
    form = recognise(file.name)
    if form is None:
        return FeedCheck(file.name, "not recognised", "no rule fits it")
    try:
        feed = read_feed(file, form).feed
    except Refused as refusal:
        return FeedCheck(file.name, "refused", str(refusal))
    return FeedCheck(file.name, "readable", feed=_as_of(feed, clock() // _DAY_MS))


def _open_feeds(intel_dir: Path | None, clock: Clock) -> Feeds:
    """The feeds as a server would have them, including files that were put there just now."""
    # A server logs refused files; here they are part of the result.
    logging.getLogger("gatehouse.intel").addHandler(logging.NullHandler())
    feeds = Feeds(load_networks(), intel_dir, clock)
    feeds.refresh()
    if any(report.state == "waiting" for report in feeds.reports()):
        time.sleep(_READ_AGAIN_S)
        feeds.refresh()
    return feeds


def _as_of(feed: Feed, day: int) -> FeedAge:
    age = age_days(feed.date, day)
    believed = round(trust(age, feed.kind), 2) if does_age(feed.kind) else None
    return FeedAge(feed, age, believed)


def _names() -> Feed:
    """What ID Verify knows about names."""
    known = knowledge()
    return Feed(
        name="names",
        kind="names",
        source="rigour (Wikidata), Unihan, Faker, nicknames; see NOTICE",
        licence="several, see NOTICE",
        date=None,
        rows=len(known.common) + len(known.spellings) + len(known.nicknames),
        sha256=None,
        origin="shipped",
    )

"""Describes all data that ships with the package or comes with the packages it needs."""

from collections.abc import Callable
from importlib import metadata
from typing import Final

from gatehouse.intel import places
from gatehouse.intel.bins import load_bins
from gatehouse.intel.browsers import load_sources
from gatehouse.intel.networks import Feed


def shipped_feeds() -> list[Feed]:
    """Every set of data but the table of networks, which `Feeds` describes itself."""
    return [feed for describe in DESCRIPTIONS for feed in describe()]


def bins() -> list[Feed]:
    """The table of BINs."""
    source = load_bins().source
    return [
        Feed(
            name="bins",
            kind="bins",
            source=f"{source.package} {source.version} ({source.upstream})",
            licence=source.licence,
            date=source.date,
            rows=source.rows,
            sha256=source.sha256,
            origin="shipped",
        )
    ]


def browsers() -> list[Feed]:
    """When browsers came out, and how their user agents are read."""
    return [
        Feed(
            name=name,
            kind="browsers",
            source=f"{source.package} {source.version} ({source.upstream})",
            licence=source.licence,
            date=source.date,
            rows=source.rows,
            sha256=source.sha256,
            origin="shipped",
        )
        for name, source in zip(
            ("browser-releases", "browser-families"), load_sources(), strict=True
        )
    ]


def disposable_domains() -> list[Feed]:
    """The domains of e-mail addresses that are thrown away."""
    from disposable_email_domains import blocklist

    package = "disposable-email-domains"
    return [
        Feed(
            name="disposable-domains",
            kind="emails",
            source=f"{package} {metadata.version(package)}",
            licence="MIT",
            date=None,
            rows=len(blocklist),
            sha256=None,
            origin="shipped",
        )
    ]


DESCRIPTIONS: Final[tuple[Callable[[], list[Feed]], ...]] = (
    bins,
    places.feeds,
    browsers,
    disposable_domains,
)
"""The functions that describe a set of shipped data, one for each set."""

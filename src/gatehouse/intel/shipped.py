"""Describes all data that ships with the package or comes with the packages it needs."""

from collections.abc import Callable
from importlib import metadata
from typing import Final

from gatehouse.intel import places
from gatehouse.intel.bins import load_bins
from gatehouse.intel.browsers import load_sources
from gatehouse.intel.networks import Feed
from gatehouse.intel.packed import PackageSource


def shipped_feeds() -> list[Feed]:
    """Every set of data but the table of networks, which `Feeds` describes itself."""
    return [feed for describe in DESCRIPTIONS for feed in describe()]


def bins() -> list[Feed]:
    """The table of BINs."""
    return [_packaged("bins", "bins", load_bins().source)]


def browsers() -> list[Feed]:
    """When browsers came out, and how their user agents are read."""
    releases, patterns = load_sources()
    return [
        _packaged("browser-releases", "browsers", releases),
        _packaged("browser-families", "browsers", patterns),
    ]


def _packaged(name: str, kind: str, source: PackageSource) -> Feed:
    return Feed(
        name=name,
        kind=kind,
        source=f"{source.package} {source.version} ({source.upstream})",
        licence=source.licence,
        date=source.date,
        rows=source.rows,
        sha256=source.sha256,
        origin="shipped",
    )


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

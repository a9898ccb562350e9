"""Describes all data that ships with the package or comes with the packages it needs."""

from importlib import metadata

from gatehouse.intel import places
from gatehouse.intel.agents.browsers import load_sources
from gatehouse.intel.bins import load_bins
from gatehouse.intel.networks import Feed
from gatehouse.intel.packed import PackageSource


def shipped_feeds() -> list[Feed]:
    """Every set of data but the table of networks, which `Feeds` describes itself."""
    releases, patterns = load_sources()
    return [
        _packaged("bins", "bins", load_bins().source),
        *places.feeds(),
        _packaged("browser-releases", "browsers", releases),
        _packaged("browser-families", "browsers", patterns),
        _disposable_domains(),
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
    )


def _disposable_domains() -> Feed:
    from disposable_email_domains import blocklist

    package = "disposable-email-domains"
    return Feed(
        name="disposable-domains",
        kind="emails",
        source=f"{package} {metadata.version(package)}",
        licence="MIT",
        date=None,
        rows=len(blocklist),
        sha256=None,
    )

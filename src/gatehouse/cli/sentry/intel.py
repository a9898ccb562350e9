"""gatehouse intel: status, look, check."""

import logging
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import msgspec
import typer

from gatehouse.cli.arguments import AsJson
from gatehouse.cli.opening import read_settings
from gatehouse.cli.output import show, table
from gatehouse.core.errors import InvalidInput, NotFound

if TYPE_CHECKING:
    from gatehouse.intel.feed_folder import FileReport
    from gatehouse.intel.feeds import Feeds
    from gatehouse.intel.networks import Feed

app = typer.Typer(help="What is known about addresses, and where from.", no_args_is_help=True)

_DAY_MS: Final = 86_400_000
_LOOK_AGAIN_S: Final = 0.3


@app.command()
def status(as_json: AsJson = False) -> None:
    """Show every feed: where it came from, how old it is, how far it is believed.

    Files of GATEHOUSE_INTEL_DIR that are not in use follow, each with the reason.
    """
    from gatehouse.intel.shipped import shipped_feeds

    feeds, day = _open_feeds(), _clock() // _DAY_MS
    lines = [_described(feed, day) for feed in (*feeds.feeds(), *shipped_feeds(), _names())]
    headings = [name for name in lines[0] if name != "sha256"]
    rows = [["-" if line[name] is None else line[name] for name in headings] for line in lines]
    text = table([name.upper() for name in headings], rows)
    reports = feeds.reports()
    if reports:
        told = [(report.name, report.state, _reason(report)) for report in reports]
        text += "\n\n" + table(("FILE", "STATE", "REASON"), told)
    data = {
        "feeds": lines,
        "files": [
            {
                "name": report.name,
                "state": report.state,
                "reason": report.reason,
                "earlierInUse": report.earlier_in_use,
            }
            for report in reports
        ],
    }
    show(data, text, as_json=as_json)


@app.command()
def look(
    address: Annotated[str, typer.Argument(metavar="ADDRESS", help="An IPv4 or IPv6 address.")],
    as_json: AsJson = False,
) -> None:
    """Show what all feeds together say of an address."""
    from gatehouse.intel.addresses import read_address

    found = read_address(address)
    if found is None:
        raise InvalidInput(f"{address!r} is not an internet address")
    data: dict[str, Any] = {"address": found.text, "wrapped": found.wrapped}
    if found.is_public:
        facts = _open_feeds().look(found, _clock() // _DAY_MS)
        data |= {"network": found.network, "isPublic": True, **msgspec.to_builtins(facts)}
        data["countryBlocked"] = data.pop("country_blocked")
    else:
        data |= {"network": found.network, "isPublic": False}
    text = "\n".join(
        f"{name:<16}{_plain(value)}" for name, value in data.items() if value is not None
    )
    show(data, text, as_json=as_json)


@app.command()
def check(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A file for GATEHOUSE_INTEL_DIR.")],
    as_json: AsJson = False,
) -> None:
    """Say how a file would be read, or why it would be refused."""
    from gatehouse.intel.claims import Refused
    from gatehouse.intel.feed_files import is_ignored, read_feed, recognise

    if not file.exists():
        raise NotFound(f"{file} does not exist")
    form = None if is_ignored(file.name) else recognise(file.name)
    data: dict[str, Any]
    if form is None:
        ignored = "files of that name are ignored" if is_ignored(file.name) else "no rule fits it"
        data = {"name": file.name, "state": "not recognised", "reason": ignored}
        text = f"{file.name} is not recognised by its name: {ignored}; see docs/feeds.md"
    else:
        try:
            feed = read_feed(file, form).feed
        except Refused as refusal:
            data = {"name": file.name, "state": "refused", "reason": str(refusal)}
            text = f"{file.name} is refused: {refusal}"
        else:
            described = _described(feed, _clock() // _DAY_MS)
            data = {"state": "readable", **described}
            text = "\n".join(f"{name:<10}{value}" for name, value in described.items())
    show(data, text, as_json=as_json)
    if data["state"] != "readable":
        raise typer.Exit(1)


def _clock() -> int:
    return time.time_ns() // 1_000_000


def _open_feeds() -> "Feeds":
    """The feeds as a server would have them, files that were put there just now included."""
    from gatehouse.intel.feeds import Feeds
    from gatehouse.intel.networks import load_networks

    # What a server logs, the commands show.
    logging.getLogger("gatehouse.intel").addHandler(logging.NullHandler())
    feeds = Feeds(load_networks(), read_settings().intel_dir, _clock)
    feeds.refresh()
    if any(report.state == "waiting" for report in feeds.reports()):
        time.sleep(_LOOK_AGAIN_S)
        feeds.refresh()
    return feeds


def _described(feed: "Feed", day: int) -> dict[str, Any]:
    from gatehouse.intel.freshness import age_days, does_age, trust

    age = age_days(feed.date, day)
    return {
        "name": feed.name,
        "kind": feed.kind,
        "origin": feed.origin,
        "date": feed.date,
        "age": age,
        "trust": round(trust(age, feed.kind), 2) if does_age(feed.kind) else None,
        "rows": feed.rows,
        "licence": feed.licence,
        "source": feed.source,
        "sha256": feed.sha256,
    }


def _names() -> "Feed":
    """What ID Verify knows about names."""
    from gatehouse.idverify.names.knowledge import knowledge
    from gatehouse.intel.networks import Feed

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


def _reason(report: "FileReport") -> str:
    return report.reason + ("; the earlier version is in use" if report.earlier_in_use else "")


def _plain(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.2f}" if isinstance(value, float) else str(value)

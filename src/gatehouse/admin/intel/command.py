"""gatehouse intel: status, look, check."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import msgspec
import typer

from gatehouse.admin.opening import read_settings
from gatehouse.cli.arguments import AsJson, argument
from gatehouse.cli.output import columns, show, table

if TYPE_CHECKING:
    from gatehouse.admin.intel.use_cases import FeedAge
    from gatehouse.intel.feeds.folder import FileReport

_FEED: Final = (
    *("name", "kind", "origin", "date", "age", "trust"),
    *("rows", "licence", "source", "sha256"),
)

app = typer.Typer(no_args_is_help=True)


@app.command()
def status(as_json: AsJson = False) -> None:
    """Show every feed: where it came from, how old it is, how far it is believed.

    Files of GATEHOUSE_INTEL_DIR that are not in use follow, each with the reason.
    """
    from gatehouse.admin.intel.use_cases import feed_status
    from gatehouse.operations.installation import system_clock

    found = feed_status(read_settings().intel_dir, system_clock)
    lines = [_line(feed) for feed in found.feeds]
    shown = [name for name in _FEED if name != "sha256"]
    text = columns([name.upper() for name in shown], lines, shown)
    if found.files:
        files = [(report.name, report.state, _reason(report)) for report in found.files]
        text += "\n\n" + table(("FILE", "STATE", "REASON"), files)
    show({"feeds": lines, "files": found.files}, text, as_json)


@app.command()
def look(
    address: Annotated[str, argument("ADDRESS", "An IPv4 or IPv6 address.")],
    as_json: AsJson = False,
) -> None:
    """Show what all feeds together say of an address."""
    from gatehouse.admin.intel.use_cases import look_up_address
    from gatehouse.operations.installation import system_clock

    report = look_up_address(address, read_settings().intel_dir, system_clock)
    found, facts = report.address, report.facts
    data: dict[str, Any] = {
        "address": found.text,
        "wrapped": found.wrapped,
        "network": found.network,
        "isPublic": facts is not None,
    }
    if facts is not None:
        data |= msgspec.to_builtins(facts)
    text = "\n".join(
        f"{name:<16}{_plain(value)}" for name, value in data.items() if value is not None
    )
    show(data, text, as_json)


@app.command()
def check(
    file: Annotated[Path, argument("FILE", "A file for GATEHOUSE_INTEL_DIR.")],
    as_json: AsJson = False,
) -> None:
    """Say how a file would be read, or why it would be refused."""
    from gatehouse.admin.intel.use_cases import check_feed
    from gatehouse.operations.installation import system_clock

    found = check_feed(file, system_clock)
    if found.feed is not None:
        line = _line(found.feed)
        text = "\n".join(f"{name:<10}{value}" for name, value in line.items())
        show({"state": found.state, **line}, text, as_json)
        return
    text = f"{found.name} is refused: {found.reason}"
    if found.state == "not recognised":
        text = f"{found.name} is not recognised by its name: {found.reason}; see docs/feeds.md"
    data = {"name": found.name, "state": found.state, "reason": found.reason}
    show(data, text, as_json)
    raise typer.Exit(1)


def _line(found: "FeedAge") -> dict[str, Any]:
    known = {**msgspec.to_builtins(found.feed), "age": found.age, "trust": found.trust}
    return {name: known[name] for name in _FEED}


def _reason(report: "FileReport") -> str:
    return report.reason + ("; the earlier version is in use" if report.earlier_in_use else "")


def _plain(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.2f}" if isinstance(value, float) else str(value)

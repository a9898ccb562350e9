"""`gatehouse top`: what running servers do, as a page that is drawn again and again."""

import sys
import time
from collections.abc import Iterator
from itertools import islice
from typing import Annotated, Final

import typer

from gatehouse.admin.installation.types import Activity, InstallationFigures, Look, figures_between
from gatehouse.admin.opening import read_settings
from gatehouse.cli.arguments import AsJson, argument, option
from gatehouse.cli.output import show, table

_TIMEOUT_S: Final = 3.0
_MOST_SERVERS: Final = 64
_HEADINGS: Final = ("per s", "failed", "refused", "p50 ms", "p99 ms")


def top(
    addresses: Annotated[
        list[str] | None,
        argument(
            "[URL]...",
            "Where servers show their metrics; without any, the server of these settings.",
        ),
    ] = None,
    every: Annotated[float, option("Seconds between two looks.", min=0.2, max=300)] = 2.0,
    once: Annotated[bool, option("Print one page and end.", "--once")] = False,
    as_json: AsJson = False,
) -> None:
    """Show what running servers do: rates, times, decisions, connectors, backlogs.

    It reads their metrics and no data, and needs no secret. A page is what happened since the one
    before; `--json` prints one object a line.
    """
    pages = _pages(_addresses(addresses), every)
    try:
        if once or as_json:
            for figures in islice(pages, 1 if once else None):
                show(figures, drawn(figures), as_json)
                sys.stdout.flush()
        else:
            _watch(pages)
    except KeyboardInterrupt:
        raise typer.Exit from None


def drawn(figures: InstallationFigures) -> str:
    """A page for people."""
    state = f"in flight {figures.in_flight}   refused under load {figures.shed_per_second:.1f}/s"
    if figures.loop_late_p99_ms is not None:
        state += f"   event loop late by {figures.loop_late_p99_ms:.1f} ms at the p99"
    parts = [
        table(
            ("server", "state", "requests per s"),
            [(each.address, each.state, f"{each.requests_per_second:.1f}")
             for each in figures.servers],
            {"requests per s"},
        ),
        state,
        _activities("route", figures.routes),
        _per_minute("decided per minute", figures.decisions_per_minute),
        _per_minute("errors per minute", figures.errors_per_minute),
        _activities("connector", figures.connectors),
        "waiting: " + "   ".join(
            f"{name.replace('_', ' ')} {number:,}" for name, number in figures.backlog.items()
        ),
    ]  # fmt: skip
    return "\n\n".join(part for part in parts if part)


def _activities(heading: str, activities: list[Activity]) -> str:
    if not activities:
        return ""
    rows = [
        (each.name, f"{each.per_second:.1f}", f"{each.failed_per_second:.1f}",
         f"{each.refused_per_second:.1f}", _ms(each.p50_ms), _ms(each.p99_ms))
        for each in activities[:12]
    ]  # fmt: skip
    return table((heading, *_HEADINGS), rows, set(_HEADINGS))


def _per_minute(heading: str, counts: dict[str, float]) -> str:
    named = (f"{name} {number:,.0f}" for name, number in islice(counts.items(), 8))
    return f"{heading}: {'   '.join(named)}" if counts else ""


def _ms(value: float | None) -> str:
    return "-" if value is None else f"{value:.1f}"


def _addresses(given: list[str] | None) -> list[str]:
    from gatehouse.admin.installation.use_cases.server_figures import metrics_address

    if not given:
        return [metrics_address(read_settings())]
    if len(given) > _MOST_SERVERS:
        raise typer.BadParameter(f"at most {_MOST_SERVERS} addresses")
    for address in given:
        if not address.startswith(("http://", "https://")):
            raise typer.BadParameter(f"{address} does not begin with http:// or https://")
    return given


def _pages(addresses: list[str], every_s: float) -> Iterator[InstallationFigures]:
    """Figures of every span between two looks, without end."""
    before = _look(addresses)
    while True:
        time.sleep(every_s)
        after = _look(addresses)
        yield figures_between(before, after)
        before = after


def _look(addresses: list[str]) -> list[Look]:
    from gatehouse.admin.installation.use_cases.server_figures import look_at
    from gatehouse.operations.installation import system_clock

    return [look_at(address, system_clock, _TIMEOUT_S) for address in addresses]


def _watch(pages: Iterator[InstallationFigures]) -> None:
    from rich.console import Console
    from rich.live import Live
    from rich.text import Text

    console = Console(highlight=False)
    with Live(Text("..."), console=console, screen=console.is_terminal, auto_refresh=False) as live:
        for figures in pages:
            live.update(Text(drawn(figures), no_wrap=True, overflow="ellipsis"), refresh=True)

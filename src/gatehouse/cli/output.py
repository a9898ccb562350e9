"""How commands print: JSON for scripts, aligned columns for people, warnings on standard error."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec
import typer

from gatehouse.core.clock import iso_time
from gatehouse.core.money import format_amount


def show(data: Any, text: str, *, as_json: bool) -> None:
    """Print data for scripts or text for people."""
    if as_json:
        typer.echo(msgspec.json.format(msgspec.json.encode(data), indent=2).decode())
    else:
        typer.echo(text)


def warn(warnings: Iterable[str]) -> None:
    """Print warnings, one line each, apart from the results."""
    for warning in warnings:
        typer.echo(f"gatehouse: warning: {warning}", err=True)


def table(headings: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """Rows in aligned columns."""
    cells = [[str(cell) for cell in row] for row in (headings, *rows)]
    widths = [max(len(row[column]) for row in cells) for column in range(len(headings))]
    lines = [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in cells
    ]
    return "\n".join(lines)


def columns(
    headings: Sequence[str], data: Sequence[Mapping[str, Any]], fields: Sequence[str], none: str
) -> str:
    """The named fields of records as a table; `none` stands for what is missing."""
    return table(headings, [[cell(record[field], none) for field in fields] for record in data])


def sheet(rows: Iterable[tuple[str, object]]) -> str:
    """Names and values, one line each, without headings."""
    return table(("", ""), [(name, cell(value, "-")) for name, value in rows]).strip("\n ")


def cell(value: object, none: str) -> str:
    """A value as a table shows it; `none` stands for a missing one and for an empty list."""
    if isinstance(value, dict):
        value = [f"{name}={_plain(each)}" for name, each in value.items()]
    if isinstance(value, list | tuple):
        value = ", ".join(str(each) for each in value) or None
    return none if value is None else _plain(value)


def _plain(value: object) -> str:
    return bytes(value).decode() if isinstance(value, msgspec.Raw) else str(value)


def money(micros: int, currency: str | None) -> dict[str, Any]:
    """An amount for scripts, in the form of the API's money object."""
    return {"currency": currency, "amount": exact(micros)}


def exact(micros: int) -> msgspec.Raw:
    """Millionths as an exact JSON number."""
    return msgspec.Raw(format_amount(micros).encode())


def time_or_none(at_ms: int | None) -> str | None:
    """A moment for scripts, None when there is none."""
    return None if at_ms is None else iso_time(at_ms)

"""How commands print: JSON for scripts, aligned columns for people, warnings on standard error."""

import re
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final
from unicodedata import combining, east_asian_width

import msgspec
import typer

from gatehouse.cli.hints import as_hinted, hinted
from gatehouse.core.money import format_amount
from gatehouse.core.wording.sentences import plain

_JOINT: Final = re.compile(r"(?<=[a-z])(?=[A-Z])")


def show(data: Any, text: str, as_json: bool) -> None:
    """Print data for scripts or text for people."""
    if as_json:
        typer.echo(
            msgspec.json.format(msgspec.json.encode(data, enc_hook=as_hinted), indent=2).decode()
        )
    else:
        typer.echo(text)


def warn(warnings: Iterable[object]) -> None:
    """Print warnings, one line each, apart from the results."""
    for warning in warnings:
        typer.echo(f"gatehouse: warning: {hinted(warning)}", err=True)


def table(
    headings: Sequence[str], rows: Sequence[Sequence[object]], right: Container[str] = ()
) -> str:
    """Rows in aligned columns; those whose heading is in `right` are aligned on that side."""
    cells = [[hinted(cell) for cell in row] for row in (headings, *rows)]
    widths = [max(_width(row[column]) for row in cells) for column in range(len(headings))]
    sides = [heading in right for heading in headings]
    lines = [
        "  ".join(
            _padded(cell, width, right=side)
            for side, cell, width in zip(sides, row, widths, strict=True)
        ).rstrip()
        for row in cells
    ]
    return "\n".join(lines)


def _padded(text: str, width: int, *, right: bool) -> str:
    space = " " * (width - _width(text))
    return space + text if right else text + space


def _width(text: str) -> int:
    """How many places of a terminal a text takes: two for most letters of East Asia."""
    if text.isascii():
        return len(text)
    visible = [each for each in text if not combining(each)]
    return len(visible) + sum(east_asian_width(each) in {"W", "F"} for each in visible)


def columns(
    headings: Sequence[str],
    data: Sequence[Mapping[str, Any]],
    fields: Sequence[str],
    right: Container[str] = (),
    *,
    none: str = "-",
) -> str:
    """The named fields of records as a table; `none` stands for what is missing."""
    rows = [[cell(record[field], none) for field in fields] for record in data]
    return table(headings, rows, right)


def sheet(rows: Iterable[tuple[str, object]]) -> str:
    """Names and values, one line each, without headings."""
    return table(("", ""), [(name, cell(value, "-")) for name, value in rows]).strip("\n ")


def cell(value: object, none: str) -> str:
    """A value as a table shows it; `none` stands for a missing one and for an empty list."""
    if isinstance(value, dict) and value.keys() == {"currency", "amount"}:
        value = _item(value)
    if isinstance(value, dict):
        value = [f"{name}={cell(each, '-')}" for name, each in value.items()]
    if isinstance(value, list | tuple):
        value = ", ".join(map(_item, value)) or None
    return none if value is None else _plain(value)


def _item(value: object) -> str:
    """One of several values in a cell; what has fields is told by what is in them."""
    if isinstance(value, dict):
        return " ".join(_item(each) for each in value.values() if each is not None)
    return hinted(value)


def show_result(result: msgspec.Struct, as_json: bool) -> None:
    """Print what a use case answered: a table if it is a list, or a sheet of its fields.

    Lists beside an object, as limits are beside settings, come below the sheet.
    """
    whole = as_data(result)
    data = dict(_unfolded(whole))
    lists = {name: value for name, value in data.items() if isinstance(value, list | tuple)}
    tables = {name: _table(rows) for name, rows in lists.items() if _has_fields(rows)}
    beside = {name: value for name, value in data.items() if name not in tables}
    is_object = any(map(_has_fields, beside.values()))
    if tables and (is_object or len(lists) == 1):
        text = "\n\n".join([_fields(beside)] * is_object + [*tables.values()])
    else:
        text = _fields(data)
    show(whole, text, as_json)


def _unfolded(data: Mapping[str, Any], place: str = "") -> Iterator[tuple[str, Any]]:
    """The fields of an object; of one that holds others, each by its path."""
    for name, value in data.items():
        if isinstance(value, dict) and any(map(_has_fields, value.values())):
            yield from _unfolded(value, f"{place}{name}.")
        else:
            yield f"{place}{name}", value


def _has_fields(value: object) -> bool:
    """Whether it is an object, or a list of some."""
    return isinstance(value[0] if value and isinstance(value, list | tuple) else value, dict)


def _table(rows: Sequence[Mapping[str, Any]]) -> str:
    fields = [*rows[0]]
    return columns([_JOINT.sub(" ", each).upper() for each in fields], rows, fields)


def _fields(data: Mapping[str, Any]) -> str:
    return sheet([(name, cell(value, "-")) for name, value in data.items()])


def as_data(result: msgspec.Struct) -> dict[str, Any]:
    """What a use case answered, as the API writes it."""
    data: dict[str, Any] = msgspec.to_builtins(result, enc_hook=plain)
    return data


def _plain(value: object) -> str:
    return bytes(value).decode() if isinstance(value, msgspec.Raw) else hinted(value)


def shown_amount(micros: int, currency: str) -> str:
    """An amount for people, with the decimals of its currency and more where it needs them."""
    # Most commands print no money, so they need not wait for the table of currencies.
    from gatehouse.intel import places

    return places.shown_amount(micros, currency)


def shown_amounts(column: Sequence[int | None], currency: str) -> list[str]:
    """Amounts that stand below each other, all with the same decimals; nothing for None."""
    from gatehouse.intel import places

    return places.shown_amounts(column, currency)


def money(micros: int, currency: str | None) -> dict[str, Any]:
    """An amount for scripts, in the form of the API's money object."""
    return {"currency": currency, "amount": exact(micros)}


def exact(micros: int) -> msgspec.Raw:
    """Millionths as an exact JSON number."""
    return msgspec.Raw(format_amount(micros).encode())

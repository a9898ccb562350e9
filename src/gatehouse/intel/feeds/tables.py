"""Reads the CSV files of an operator: addresses, and what a table says about them."""

import csv
from collections.abc import Callable, Iterator
from typing import Final

from gatehouse.intel.addresses import Address
from gatehouse.intel.agents.claims import (
    NOT_KNOWN,
    NOTHING,
    Claims,
    read_asn,
    read_country,
    read_text,
)
from gatehouse.intel.feeds.lines import Lines, quoted, sensible
from gatehouse.intel.ranges import (
    RangeRow,
    Segments,
    Spans,
    is_everything,
    read_ends,
    read_numbers,
    read_span,
)

_COUNTRY_COLUMNS: Final = ("country_code", "country_iso_code", "iso_code", "country")
_ASN_COLUMNS: Final = ("asn", "autonomous_system_number", "as_number")
_NAME_COLUMNS: Final = (
    "as_name",
    "autonomous_system_organization",
    "as_organization",
    "organization",
    "organisation",
    "name",
)


class Table:
    """Countries or networks by address."""

    __slots__ = ("_claims", "_segments")

    def __init__(self, segments: Segments, claims: list[Claims]) -> None:
        self._segments = segments
        self._claims = (NOTHING, *claims)

    def claims(self, address: Address) -> Claims:
        """What the table says about an address."""
        return self._claims[self._segments.find(address.version, address.value)]


class _Rows:
    """The rows of a file below its headings, each with the addresses that it is about."""

    def __init__(self, lines: Lines) -> None:
        self._lines = lines
        self.headings: list[str] = []
        self.width = 0
        """How many columns the addresses take: one for a network, two for the ends of a range."""

    def __iter__(self) -> Iterator[tuple[list[str], RangeRow]]:
        lines = self._lines
        try:
            for row in csv.reader(lines, strict=True, skipinitialspace=True):
                if not self.width and not self.headings and _is_heading(row[0]):
                    self.headings = [cell.strip().lower() for cell in row]
                    continue
                span, width = _read_row(row)
                if width != self.width:
                    if self.width:
                        raise lines.refusal("is laid out in another way than the lines above it")
                    self.width = width
                if span is None or is_everything(span):
                    span = sensible(lines, span, ",".join(row[:width]))
                yield row, span
        except csv.Error as error:
            raise lines.refusal(f"is no CSV: {error}") from None

    def column(self, names: tuple[str, ...], place: int) -> int:
        """The column of a value: under one of its headings, or at a place after the addresses."""
        for name in names:
            if name in self.headings[self.width :]:
                return self.headings.index(name, self.width)
        return self.width + place


def read_listed(lines: Lines) -> tuple[Segments, int]:
    """The addresses of a table whose other columns do not matter, and how many rows it has."""
    spans = Spans()
    for _, span in _Rows(lines):
        spans.add(span)
    return spans.segments(), len(spans)


def read_country_table(lines: Lines) -> tuple[Table, int]:
    """A table of countries by address, and how many of its rows name one."""

    def read(values: tuple[str, ...]) -> Claims | None:
        code = read_country(values[0])
        if code is None and values[0].upper() not in NOT_KNOWN:
            raise lines.refusal(f"{quoted(values[0])} is no country's code of two letters")
        return Claims(country=code) if code else None

    return _read_table(lines, (_COUNTRY_COLUMNS,), read)


def read_asn_table(lines: Lines) -> tuple[Table, int]:
    """A table of networks by address, and how many of its rows name one."""

    def read(values: tuple[str, ...]) -> Claims | None:
        asn = read_asn(values[0])
        if asn is None and values[0].upper() not in NOT_KNOWN:
            raise lines.refusal(f"{quoted(values[0])} is no number of a network")
        return Claims(asn=asn, organisation=read_text(values[1])) if asn else None

    return _read_table(lines, (_ASN_COLUMNS, _NAME_COLUMNS), read)


def _read_table(
    lines: Lines,
    columns: tuple[tuple[str, ...], ...],
    read: Callable[[tuple[str, ...]], Claims | None],
) -> tuple[Table, int]:
    rows, spans, claims = _Rows(lines), Spans(), list[Claims]()
    numbers: dict[tuple[str, ...], int] = {}
    places: list[int] = []
    for cells, span in rows:
        places = places or [rows.column(names, place) for place, names in enumerate(columns)]
        values = tuple([_cell(cells, at) for at in places])
        number = numbers.get(values)
        if number is None:
            found = read(values)
            if found is not None:
                claims.append(found)
            number = numbers[values] = 0 if found is None else len(claims)
        if number:
            spans.add(span, number)
    return Table(spans.segments(), claims), len(spans)


def _cell(cells: list[str], column: int) -> str:
    return cells[column].strip() if column < len(cells) else ""


def _is_heading(cell: str) -> bool:
    """Whether a cell is a heading rather than a malformed address."""
    return cell.translate({ord(sign): None for sign in " _-"}).isalpha()


def _read_row(cells: list[str]) -> tuple[RangeRow | None, int]:
    """The addresses of a row, and how many columns they take."""
    first = cells[0].rstrip()
    other = cells[1].rstrip() if len(cells) > 1 else ""
    if first.isdigit():
        return read_numbers(first, other), 2
    # After an address, a number in the second column is a value and not another address.
    if "/" in first or "-" in first or not ("." in other or ":" in other):
        return read_span(first), 1
    return (read_span(first), 1) if read_span(other) is None else (read_ends(first, other), 2)

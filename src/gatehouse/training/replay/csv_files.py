"""Lines of a replay out of CSV: a column for each field of a request, named by its path.

A cell that is empty is a field that was not sent. No message repeats a cell, because any of them
can be personal data.
"""

import csv
import difflib
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from typing import Any, Final

import msgspec
from msgspec import inspect

from gatehouse.sentry.request import SentryRequest

CUSTOM: Final = "customInputs"
AT: Final = "at"
LABEL: Final = "label"
LABEL_AT: Final = "labelAt"
_OWN: Final = (AT, LABEL, LABEL_AT)
_LABELS: Final = {"1": "fraud", "0": "legitimate"}
"""How tables often write it."""
_MOST_COLUMNS: Final = 200

ReadCell = Callable[[str], Any]


def csv_lines(lines: Iterable[bytes]) -> Iterator[bytes]:
    """The rows of a CSV file with a header as JSON lines; a ValueError says what is wrong."""
    rows = csv.reader(map(_text, lines), strict=True)
    encode = msgspec.json.Encoder().encode
    try:
        header = [_column(*each) for each in enumerate(_header(rows), 1)]
        for cells in rows:
            if cells:
                yield encode(_line(header, cells)) + b"\n"
    except csv.Error:
        raise ValueError("is not a row of CSV, or has a quote that is not closed") from None


def _header(rows: Iterator[list[str]]) -> list[str]:
    names = [name.strip() for name in next(rows, [])]
    if len(names) == 1 and ";" in names[0]:
        raise ValueError("cells must be separated by commas, and not by semicolons")
    if len(names) > _MOST_COLUMNS:
        raise ValueError(f"there are more than {_MOST_COLUMNS} columns")
    if len(set(names)) != len(names):
        raise ValueError("a column is twice in the header")
    for needed in (AT, LABEL):
        if needed not in names:
            raise ValueError(
                f"the header has no column {needed}; it looks like at,label,order.amount,..."
            )
    return names


def _column(number: int, name: str) -> tuple[tuple[str, ...], ReadCell]:
    """Where in a line a column belongs, and how its cells are read."""
    known = request_columns()
    if name in _OWN:
        return (name,), _label if name == LABEL else str
    if name in known:
        return ("request", *name.split(".")), known[name]
    if name.startswith(f"{CUSTOM}.") and len(name) > len(CUSTOM) + 1:
        return ("request", CUSTOM, name.removeprefix(f"{CUSTOM}.")), _scalar
    alike = difflib.get_close_matches(name, [*_OWN, *known], 1)
    hint = f"; is {alike[0]} meant?" if alike else f"; there are {', '.join([*_OWN, *known])}"
    raise ValueError(f"column {number} of the header is not known{hint}")


@lru_cache(maxsize=1)
def request_columns() -> dict[str, ReadCell]:
    """The columns that a request can have, besides custom inputs, and how their cells are read."""
    return dict(_columns_of(inspect.type_info(SentryRequest)))


def _columns_of(struct: inspect.Type, before: str = "") -> Iterator[tuple[str, ReadCell]]:
    assert isinstance(struct, inspect.StructType)
    for field in struct.fields:
        name = before + field.encode_name
        kinds = [kind for kind in _kinds(field.type) if not isinstance(kind, inspect.NoneType)]
        if isinstance(kinds[0], inspect.StructType):
            yield from _columns_of(kinds[0], f"{name}.")
        elif name != CUSTOM:
            yield name, _reader(kinds)


def _kinds(kind: inspect.Type) -> tuple[inspect.Type, ...]:
    if isinstance(kind, inspect.Metadata):
        return _kinds(kind.type)
    return kind.types if isinstance(kind, inspect.UnionType) else (kind,)


def _reader(kinds: list[inspect.Type]) -> ReadCell:
    bare = [each.type if isinstance(each, inspect.Metadata) else each for each in kinds]
    if any(isinstance(each, inspect.ListType) for each in bare):
        return _list
    return _number if all(isinstance(each, inspect.FloatType) for each in bare) else str


def _line(header: list[tuple[tuple[str, ...], ReadCell]], cells: list[str]) -> dict[str, Any]:
    if len(cells) != len(header):
        raise ValueError(f"has {len(cells)} cells, but there are {len(header)} columns")
    line: dict[str, Any] = {"request": {}, LABEL: None}
    for (path, read), cell in zip(header, cells, strict=True):
        if cell.strip():
            place = line
            for name in path[:-1]:
                place = place.setdefault(name, {})
            try:
                place[path[-1]] = read(cell.strip())
            except ValueError as error:
                raise ValueError(f"{'.'.join(path)} {error}") from None
    return line


def _label(cell: str) -> str:
    return _LABELS.get(cell, cell.lower())


def _number(cell: str) -> float:
    try:
        return float(cell)
    except ValueError:
        raise ValueError("is not a number") from None


def _list(cell: str) -> Any:
    """A list as JSON; a single word stands for itself."""
    if not cell.startswith("["):
        return [cell]
    try:
        return msgspec.json.decode(cell)
    except (msgspec.DecodeError, RecursionError):
        raise ValueError("is not a list in JSON") from None


def _scalar(cell: str) -> Any:
    """What a caller would have sent as a custom input: a number, true or false, or words."""
    try:
        value = msgspec.json.decode(cell)
    except (msgspec.DecodeError, RecursionError):
        return cell
    return value if isinstance(value, bool | int | float) else cell


def _text(line: bytes) -> str:
    try:
        return line.decode()
    except UnicodeDecodeError:
        raise ValueError("is not written in UTF-8") from None

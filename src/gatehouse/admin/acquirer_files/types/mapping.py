"""How the columns of an acquirer's file become the fields of an outcome.

A mapping is a small TOML file: constants, columns by field, values by field, and how its days and
amounts are written. What it does not name is not read.
"""

import datetime
import re
import tomllib
from collections.abc import Callable, Collection, Mapping
from functools import cache, cached_property, lru_cache
from importlib import resources
from typing import Annotated, Any, Final, Literal
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import msgspec
from msgspec import Meta

from gatehouse.admin.outcomes.types.outcome import DisputeStage, OutcomeReport
from gatehouse.core.errors import InvalidInput
from gatehouse.core.files.records import Columns
from gatehouse.core.wording.sentences import Phrase
from gatehouse.intel.places import minor_digits

_UNFIT: Final = Phrase("refused.outcome_mapping", "{name}: {why}")

SHIPPED: Final = (
    "gatehouse",
    "adyen-disputes",
    "adyen-settlement",
    "stripe-disputes",
    "stripe-early-fraud-warnings",
    "tabapay-fraud",
)
LONGEST_MAPPING: Final = 64 * 1024
_FIELDS: Final = {each.encode_name: each for each in msgspec.structs.fields(OutcomeReport)}
_MOMENTS: Final = frozenset(("at", "respondBy", "transactionAt"))
_YES: Final = frozenset(("1", "true", "yes", "y"))
_STAGES: Final = tuple(DisputeStage)
_UNIX: Final = "unix"
_DAY: Final = len("2026-11-15")
_Reader = Callable[[Any], Any]
_Column = Annotated[str, Meta(max_length=200)]
_Columns = Annotated[list[_Column], Meta(min_length=1, max_length=8)]
_LONGEST_MOMENT: Final = 100
_LARGEST: Final = 2.0**53
_MOST_DOTS: Final = 32
"""In a line: the parser takes time and memory for the square of a key's parts."""


class NotAnOutcome(ValueError):
    """A row that says nothing of what became of a payment, such as one about a fee."""


class OutcomeMapping(msgspec.Struct, frozen=True, forbid_unknown_fields=True, dict=True):
    """How one kind of file is read."""

    about: Annotated[str, Meta(min_length=1)]
    columns: dict[str, _Column | _Columns]
    """By field of an outcome, the column that has it; of several, the first that says something,
    and of those with a stage the one that goes furthest."""
    constants: dict[str, str] = {}
    values: dict[str, dict[str, str]] = {}
    """By field, what a cell means, or an empty text for nothing; other cells stay as they are."""
    pass_over: tuple[str, ...] = ()
    """Fields of which only the cells in `values` are read: rows with others are passed over."""
    leave_out: tuple[str, ...] = ()
    """The same, but only the field is left out."""
    moments: Annotated[str, Meta(max_length=_LONGEST_MOMENT)] | None = None
    """How days and times are written, as `strptime` wants it, or `unix` for seconds since 1970;
    without it, RFC 3339, or a day."""
    zone: Annotated[str, Meta(max_length=_LONGEST_MOMENT)] = "UTC"
    """The time zone of what is written without one."""
    amounts: Literal["units", "minor"] = "units"
    """Whether amounts are in units of the currency or in its smallest unit."""

    def __post_init__(self) -> None:
        named = (*self.columns, *self.constants, *self.values, *self.pass_over, *self.leave_out)
        unknown = [each for each in named if each not in _FIELDS]
        if unknown:
            raise ValueError(f"an outcome has no field {unknown[0]}")
        try:
            ZoneInfo(self.zone)
        except (ZoneInfoNotFoundError, ValueError, OSError):
            raise ValueError("zone must be a time zone such as Europe/Berlin") from None

    def narrowed(self, columns: Collection[str]) -> "OutcomeMapping":
        """The same for a file that has only some of the columns."""
        kept = {
            name: [each for each in _listed(column) if each in columns]
            for name, column in self.columns.items()
        }
        return msgspec.structs.replace(
            self, columns={name: found for name, found in kept.items() if found}
        )

    @cached_property
    def _read(self) -> list[tuple[str, tuple[str, ...], dict[str, str], _Reader | None]]:
        """By field: its columns, what its cells mean, and how what is left is read."""
        return [
            (name, _listed(column), self.values.get(name, {}), self._reader(name))
            for name, column in self.columns.items()
        ]

    def _reader(self, name: str) -> _Reader | None:
        if name in _MOMENTS:
            # What is longer is no moment, and would fill the cache.
            return lambda text: _moment(name, str(text)[:_LONGEST_MOMENT], self.moments, self.zone)
        return _READERS.get(name)

    def header(self) -> Columns:
        """The columns that a file can have, and those that it must have."""
        known = [each for column in self.columns.values() for each in _listed(column)]
        must = [self.columns[name] for name in ("reference", "at") if name in self.columns]
        needed = tuple(_listed(each) for each in must)
        return Columns(tuple(dict.fromkeys(known)), needed, others=True)

    def fields(self, row: Mapping[str, Any]) -> dict[str, Any]:
        """The fields of a row as the API would have them; `ValueError` says what is wrong."""
        found: dict[str, Any] = dict(self.constants)
        for name, columns, values, read in self._read:
            cells = [cell for each in columns if (cell := _cell(row, each)) is not None]
            if values:
                left_out = name in self.leave_out
                meant = (values.get(str(each), "" if left_out else each) for each in cells)
                cells = [each for each in meant if each != ""]
            text = (max(cells, key=_further) if name == "stage" else cells[0]) if cells else None
            if name in self.pass_over and text not in values.values():
                raise NotAnOutcome
            if text is not None:
                found[name] = text if read is None else read(text)
        if self.amounts == "minor" and "amount" in found:
            found["amount"] = _units(found["amount"], found.get("currency"))
        return found


def _further(stage: Any) -> int:
    return _STAGES.index(stage) if stage in _STAGES else -1


def _amount(text: Any) -> Any:
    try:
        return float(text) if isinstance(text, str) else text
    except ValueError:
        raise ValueError("amount must be a number such as 12.50") from None


def _yes(text: Any) -> Any:
    return text.lower() in _YES if isinstance(text, str) else text


def _arn(text: Any) -> Any:
    # Spreadsheets take 23 digits for a number; so some acquirers put a sign before them.
    return text.lstrip("*'") if isinstance(text, str) else text


_READERS: Final[dict[str, _Reader]] = {"amount": _amount, "threeDSecure": _yes, "arn": _arn}


# A file names the same days again and again.
@lru_cache(4096)
def _moment(name: str, text: str, written: str | None, zone: str) -> str:
    """A moment as RFC 3339; a day begins at midnight."""
    try:
        if written == _UNIX:
            at = datetime.datetime.fromtimestamp(float(text), datetime.UTC)
        elif written is not None:
            at = datetime.datetime.strptime(text, written)  # noqa: DTZ007  # it may name its zone
        elif len(text) == _DAY:
            at = datetime.datetime.fromisoformat(text)
        else:
            return text
    except (ValueError, OverflowError, OSError, re.error):
        raise ValueError(f"{name} must be written as {written or '2026-11-15'}") from None
    return (at if at.tzinfo is not None else at.replace(tzinfo=ZoneInfo(zone))).isoformat()


def _cell(row: Mapping[str, Any], column: str) -> Any:
    """A cell, or None if it is empty; a dot leads into an object."""
    cell: Any = row.get(column)
    if cell is None and "." in column:
        cell = row
        for part in column.split("."):
            cell = cell.get(part) if isinstance(cell, Mapping) else None
    if isinstance(cell, str):
        cell = cell.strip()
    return None if cell == "" else cell


def _listed(column: "str | list[str]") -> tuple[str, ...]:
    return (column,) if isinstance(column, str) else tuple(column)


def _units(amount: Any, currency: Any) -> float:
    """An amount in units; the smallest unit of some currencies is a thousandth, of some a whole."""
    digits = minor_digits(str(currency or "").strip().upper())
    is_number = type(amount) in (int, float) and abs(amount) < _LARGEST
    if digits is None or not is_number or amount % 1:
        raise ValueError("amount must be a whole number of the smallest unit of its currency")
    return float(int(amount) / 10**digits)


def read_mapping(text: str, name: str) -> OutcomeMapping:
    """A mapping that somebody wrote; `InvalidInput` says what is wrong with it."""
    try:
        dots = max(line.count(".") for line in text.split("\n"))
        if len(text) > LONGEST_MAPPING or dots > _MOST_DOTS:
            kib = LONGEST_MAPPING // 1024
            raise ValueError(f"has more than {kib} KiB, or a line with more than {_MOST_DOTS} dots")
        return msgspec.convert(tomllib.loads(text), OutcomeMapping)
    except (ValueError, RecursionError) as error:
        raise InvalidInput(_UNFIT(name=name, why=str(error))) from None


@cache
def shipped_mapping(name: str) -> OutcomeMapping:
    """One of the mappings that come with the program."""
    file = resources.files("gatehouse.admin.acquirer_files.types") / "mappings" / f"{name}.toml"
    return read_mapping(file.read_text(encoding="utf-8"), file.name)

"""How the columns of an acquirer's file become the fields of an outcome.

A mapping is a small TOML file: constants, columns by field, values by field, and how its days are
written. What it does not name is not read.
"""

import datetime
import tomllib
from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import Annotated, Any, Final

import msgspec
from msgspec import Meta

from gatehouse.admin.outcomes.types.outcome import OutcomeReport
from gatehouse.core.errors import InvalidInput
from gatehouse.core.files.records import Columns

SHIPPED: Final = ("gatehouse", "tabapay-fraud")
_FIELDS: Final = {each.encode_name: each for each in msgspec.structs.fields(OutcomeReport)}
_MOMENTS: Final = ("at", "respondBy")
_NUMBERS: Final = frozenset(("amount",))
_FLAGS: Final = {"threeDSecure": {"1": True, "true": True, "yes": True, "y": True}}


class OutcomeMapping(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How one kind of file is read."""

    about: Annotated[str, Meta(min_length=1)]
    columns: dict[str, str]
    """By field of an outcome, the column that has it."""
    constants: dict[str, str] = {}
    values: dict[str, dict[str, str]] = {}
    """By field, what a cell means; other cells stay as they are."""
    moments: str | None = None
    """How days are written, as `strptime` wants it; without it, RFC 3339 or a day."""

    def __post_init__(self) -> None:
        named = (*self.columns, *self.constants, *self.values)
        unknown = [each for each in named if each not in _FIELDS]
        if unknown:
            raise ValueError(f"an outcome has no field {unknown[0]}")

    def header(self) -> Columns:
        """The columns that a file must have."""
        return Columns(
            tuple(self.columns.values()),
            tuple((self.columns[name],) for name in ("reference", "at") if name in self.columns),
            others=True,
        )

    def fields(self, row: Mapping[str, Any]) -> dict[str, Any]:
        """The fields of a row as the API would have them; `ValueError` says what is wrong."""
        found: dict[str, Any] = dict(self.constants)
        for name, column in self.columns.items():
            cell = row.get(column)
            text = cell.strip() if isinstance(cell, str) else cell
            if text is None or text == "":
                continue
            text = self.values.get(name, {}).get(str(text), text)
            found[name] = self._value(name, text)
        return found

    def _value(self, name: str, text: Any) -> Any:
        if not isinstance(text, str):
            return text
        if name in _MOMENTS:
            return _moment(name, text, self.moments)
        if name in _NUMBERS:
            try:
                return float(text)
            except ValueError:
                raise ValueError(f"{name} must be a number such as 12.50") from None
        if name in _FLAGS:
            return _FLAGS[name].get(text.lower(), False)
        return text


def _moment(name: str, text: str, written: str | None) -> str:
    """A moment as RFC 3339; a day begins at midnight in UTC."""
    try:
        if written is not None:
            day = datetime.datetime.strptime(text, written).replace(tzinfo=datetime.UTC)
            return day.isoformat().replace("+00:00", "Z")
    except ValueError:
        raise ValueError(f"{name} must be written as {written}") from None
    return f"{text}T00:00:00Z" if len(text) == len("2026-11-15") else text


def read_mapping(text: str, name: str) -> OutcomeMapping:
    """A mapping that somebody wrote; `InvalidInput` says what is wrong with it."""
    try:
        return msgspec.convert(tomllib.loads(text), OutcomeMapping)
    except (tomllib.TOMLDecodeError, msgspec.ValidationError) as error:
        raise InvalidInput(f"{name}: {error}") from None


@cache
def shipped_mapping(name: str) -> OutcomeMapping:
    """One of the mappings that come with the program."""
    file = resources.files("gatehouse.admin.outcomes.types") / "mappings" / f"{name}.toml"
    return read_mapping(file.read_text(encoding="utf-8"), file.name)

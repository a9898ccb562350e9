"""The sandbox's trigger table, read from triggers.toml: one source for behaviour and docs."""

import re
import tomllib
from functools import cache
from importlib import resources
from typing import Any, Final, Literal

import msgspec

from gatehouse.intel.networks import AddressFacts

MatchWord = Literal["match", "no", "unknown", "retry"]

SILENT: Final = "silent"
"""What is in the place of a gateway's code when it never answers."""

_HOUSE_NUMBER = re.compile(r"\d+")
_STREET = "cardAddress.street"


class Trigger(msgspec.Struct, frozen=True):
    """One row of the table."""

    field: str
    value: str
    effect: str
    gives: dict[str, str]
    code: str | None = None
    street: MatchWord | None = None
    postcode: MatchWord | None = None
    cvv2: str | None = None
    silent: bool = False
    gateway: str | None = None
    facts: AddressFacts | None = None


class _Table(msgspec.Struct, frozen=True):
    trigger: list[Trigger]
    letters: dict[str, list[str]]


@cache
def _table() -> _Table:
    folder = resources.files("gatehouse.connectors.sandbox")
    raw: dict[str, Any] = tomllib.loads(folder.joinpath("triggers.toml").read_text("utf-8"))
    return msgspec.convert(raw, _Table)


def all_triggers() -> list[Trigger]:
    """Every row, in the order of the file."""
    return list(_table().trigger)


def avs_letters(brand: str | None) -> list[str]:
    """The letters a brand's issuer answers with, in the order the file explains."""
    letters = _table().letters
    return letters.get(brand or "", letters["default"])


@cache
def _by_field() -> dict[str, dict[str, Trigger]]:
    """The rows by field and value; streets by their house number."""
    rows: dict[str, dict[str, Trigger]] = {}
    for row in _table().trigger:
        value = _house_number(row.value) if row.field == _STREET else row.value
        rows.setdefault(row.field, {})[value] = row
    return rows


def find(field: str, value: str | None) -> Trigger | None:
    """The row a value triggers, if any."""
    if value is None:
        return None
    rows = _by_field()[field]
    return rows.get(value) if field != _STREET else rows.get(_house_number(value))


def _house_number(value: str) -> str:
    number = _HOUSE_NUMBER.search(value)
    return number.group() if number else ""

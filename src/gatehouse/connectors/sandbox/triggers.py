"""The sandbox's trigger table, read from triggers.toml: one source for behaviour and docs."""

import re
import tomllib
from functools import cache
from importlib import resources
from typing import Any, Literal

import msgspec

from gatehouse.intel.networks import AddressFacts

Part = Literal["match", "no", "unknown", "retry"]

_HOUSE_NUMBER = re.compile(r"\d+")


class Trigger(msgspec.Struct, frozen=True):
    """One row of the table."""

    field: str
    value: str
    effect: str
    gives: dict[str, str]
    code: str | None = None
    street: Part | None = None
    postcode: Part | None = None
    cvv2: str | None = None
    silent: bool = False
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
def by_field() -> dict[tuple[str, str], Trigger]:
    """The rows by field and value; streets by their house number."""
    return {(row.field, _key(row.field, row.value)): row for row in _table().trigger}


def find(field: str, value: str | None) -> Trigger | None:
    """The row a value triggers, if any."""
    return None if value is None else by_field().get((field, _key(field, value)))


def _key(field: str, value: str) -> str:
    if field != "cardAddress.street":
        return value
    number = _HOUSE_NUMBER.search(value)
    return number.group() if number else ""

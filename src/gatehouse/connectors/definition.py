"""The connectors of an installation and the routes to them, as one version of a configuration."""

from enum import StrEnum
from typing import Any, Final, NamedTuple

import msgspec

from gatehouse.connectors.kinds import KINDS
from gatehouse.connectors.part_reader import Definition
from gatehouse.core.errors import SettingsError
from gatehouse.core.wording.sentences import Phrase

_UNKNOWN_KIND: Final = Phrase(
    "connector.unknown_kind", "connector {name} is of the kind {kind}, which is not known here"
)
_BIN_FORM: Final = Phrase(
    "document.bin_form", "must be 6 to 8 digits, such as 411111, or a range: 411111-411119"
)
_BIN_DIGITS: Final = Phrase(
    "document.bin_digits", "must have as many digits at its end as at its beginning"
)
_BIN_ORDER: Final = Phrase("document.bin_order", "must begin with the smaller number")

RECORDS: Final = "records"
"""Stands in routes of ID Verify for the identity records that were imported here."""
_DIGITS: Final = 8


class Function(StrEnum):
    """What connectors are asked for."""

    PRECHECK = "precheck"
    IDVERIFY = "idverify"
    GATEWAY = "gateway"


class BinRange(NamedTuple):
    """Card numbers by their first eight digits, both ends included."""

    low: int
    high: int

    @classmethod
    def parse(cls, text: str) -> "BinRange":
        """Read `411111`, `41111100` or `411111-411119`; `ValueError` for anything else."""
        low, dash, high = text.partition("-")
        high = high if dash else low
        if not all(
            6 <= len(end) <= _DIGITS and end.isascii() and end.isdigit() for end in (low, high)
        ):
            raise ValueError(_BIN_FORM())
        if len(low) != len(high):
            raise ValueError(_BIN_DIGITS())
        scale = 10 ** (_DIGITS - len(low))
        if int(low) > int(high):
            raise ValueError(_BIN_ORDER())
        return cls(int(low) * scale, (int(high) + 1) * scale - 1)


class Route(msgspec.Struct, frozen=True, omit_defaults=True):
    """Which connectors are asked, in order, about requests that fit; empty means any."""

    use: tuple[str, ...]
    brands: tuple[str, ...] = ()
    bins: tuple[str, ...] = ()
    countries: tuple[str, ...] = ()
    """Of the card's issuer, as far as the BIN table knows it."""
    accounts: tuple[str, ...] = ()

    def __str__(self) -> str:
        parts = [
            f"{name} {', '.join(values)}"
            for name in ("brands", "bins", "countries", "accounts")
            if (values := getattr(self, name))
        ]
        return f"{'; '.join(parts) or 'any card'} -> {', '.join(self.use)}"


class Configuration(msgspec.Struct, frozen=True):
    """Every connector by its name, and the routes of each function in order."""

    connectors: dict[str, Definition] = {}
    routes: dict[Function, tuple[Route, ...]] = {}

    def used_by(self, name: str) -> list[Function]:
        """The functions with a route to a connector."""
        return [
            function
            for function, routes in self.routes.items()
            if any(name in route.use for route in routes)
        ]


class _Stored(msgspec.Struct, frozen=True):
    connectors: dict[str, msgspec.Raw]
    routes: dict[Function, tuple[Route, ...]]


class _Tagged(msgspec.Struct, frozen=True):
    kind: str


def encode_program(configuration: Configuration) -> str:
    """A configuration as it is stored."""
    return msgspec.json.encode(configuration).decode()


def decode_program(program: str) -> Configuration:
    """A stored configuration; `SettingsError` when it needs a newer version of Gatehouse."""
    stored = msgspec.json.decode(program, type=_Stored)
    connectors = {name: _decode(name, raw) for name, raw in stored.connectors.items()}
    return Configuration(connectors, stored.routes)


def _decode(name: str, raw: msgspec.Raw) -> Definition:
    kind = msgspec.json.decode(raw, type=_Tagged).kind
    if kind not in KINDS:
        raise SettingsError(_UNKNOWN_KIND(name=name, kind=kind))
    return msgspec.json.decode(raw, type=KINDS[kind]().definition)


def kind_of(definition: Definition) -> str:
    """The word for the kind of a connector."""
    return str(type(definition).__struct_config__.tag)


def as_data(definition: Definition) -> Any:
    """A connector as plain data, to show or to compare."""
    return msgspec.to_builtins(definition)

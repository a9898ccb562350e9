"""Names that records hold as numbers: each has one for ever, and values come back as they were."""

from hashlib import sha256
from typing import Any

import msgspec
import pytest
from scripts.number_names import known_names, with_new_names

from gatehouse.decisions.packed_values import (
    FEATURES,
    FEATURES_FILE,
    SIGNALS,
    SIGNALS_FILE,
    NameTable,
    PackedFeatures,
    PackedValues,
    features_in,
)
from gatehouse.decisions.recorded_event import KIND_WORDS
from gatehouse.sentry.records.features import recorded_features, rounded_features

TABLES = {FEATURES_FILE: FEATURES, SIGNALS_FILE: SIGNALS}
SHIPPED = [(FEATURES_FILE, 108, "0b54bf96dc2217eb"), (SIGNALS_FILE, 55, "1a356929c278f03b")]


@pytest.mark.parametrize(("file", "version", "digest"), SHIPPED)
def test_the_names_of_a_shipped_version_keep_their_numbers(
    file: str, version: int, digest: str
) -> None:
    shipped = "\n".join(TABLES[file].names[:version])
    moved = f"{file}: records hold the places of its lines; add lines at the end, move none"
    assert sha256(shipped.encode()).hexdigest().startswith(digest), moved


def test_the_kinds_of_entities_keep_their_numbers() -> None:
    added = {9: "authentication"}
    first = [each for each in sorted(KIND_WORDS.items()) if each[0] not in added][:25]
    assert sha256(repr(first).encode()).hexdigest().startswith("b63ee6868f59f705")
    assert added.items() <= KIND_WORDS.items()


@pytest.mark.parametrize("file", TABLES)
def test_every_name_has_a_number(file: str) -> None:
    lacking = set(known_names()[file]) - set(TABLES[file].names)
    assert not lacking, f"{', '.join(lacking)}: not in {file}; run: make docs"
    assert len(set(TABLES[file].names)) == TABLES[file].version


def test_new_names_are_added_at_the_end() -> None:
    assert with_new_names("b\ngone\na\n", ["a", "new", "b", "newer"]) == "b\ngone\na\nnew\nnewer\n"


@pytest.mark.parametrize(
    "values",
    [
        {},
        {"ip.country": None, "order.amount": 12.5, "request.hour": 0},
        {"custom.plan": "free", "velocity.card": [1, 2.5], "not.known.yet": True, "card.bin": "4"},
    ],
)
def test_values_come_back_with_their_names_and_in_their_order(values: dict[str, Any]) -> None:
    text = msgspec.json.encode(SIGNALS.pack(values))
    again = SIGNALS.unpack(msgspec.json.decode(text, type=PackedValues))
    assert list(again.items()) == list(values.items())


def test_a_number_of_a_newer_version_is_left_out() -> None:
    table = NameTable(["a", "b"])
    assert table.unpack(PackedValues(5, [0, 4, 1], [1, 2, 3])) == {"a": 1, "b": 3}


def test_features_come_back_as_exact_as_they_were_rounded() -> None:
    values = {"IP_CONSUMER": 1.0, "UA_OUTDATED": 410, "ORDER_AMOUNT": 123.256789, "NEW": -0.00005}
    text = msgspec.json.encode(recorded_features(values))
    again = features_in(msgspec.json.decode(text, type=PackedFeatures))
    assert again == rounded_features(values)
    assert all(type(value) is float for value in again.values())

"""The table of limits and rates: dated, sourced, replaceable, and never guessed."""

import datetime
from pathlib import Path

import pytest

from gatehouse.core.errors import InvalidInput
from gatehouse.sentry.authentication.table import (
    FILE,
    load_authentication_table,
    read_authentication_table,
)
from tests.sentry.authentication.situations import DAY, TABLE, UNIT

SHIPPED = Path(load_authentication_table.__wrapped__.__code__.co_filename).with_name(FILE)
TEXT = SHIPPED.read_text()


def test_regions_and_the_days_from_which_they_hold() -> None:
    german, british = TABLE.regime_of("DE", DAY), TABLE.regime_of("GB", DAY)
    assert german is not None
    assert british is not None
    assert (german.name, british.name) == ("EEA", "UK")
    assert len(german.countries) == 30
    assert TABLE.regime_of("US", DAY) is None
    assert TABLE.regime_of("DE", datetime.date(2019, 9, 13)) is None


def test_amounts_are_converted_once_and_exactly() -> None:
    assert TABLE.converted(30 * UNIT, "EUR", "EUR") == 30 * UNIT
    assert TABLE.converted(31_167_000, "USD", "EUR") == 30 * UNIT
    assert TABLE.converted(31_167_001, "USD", "EUR") == 30_000_001
    assert TABLE.converted(25 * UNIT, "GBP", "GBP") == 25 * UNIT
    assert TABLE.converted(UNIT, "EUR", "GBP") == 829_180


@pytest.mark.parametrize("currency", ["XXX", "JPY"])
def test_a_currency_without_a_rate_is_not_guessed(currency: str) -> None:
    assert TABLE.converted(UNIT, currency, "EUR") is None
    assert TABLE.converted(UNIT, "EUR", currency) is None


def test_every_value_says_where_it_is_from() -> None:
    for regime in TABLE.regimes:
        assert regime.source
        assert regime.low_value.source
        assert all(band.source for band in regime.bands)
    assert "default" in TABLE.rates.source


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ('EUR = "1"', 'EUR = "0"', "EUR: a rate cannot be 0"),
        ("up_to = 250", "up_to = 100", "EEA: the bands must grow"),
        ("as_of = 2026-11-01", "", "as_of"),
        ('name = "EEA"', "name = 7", "str"),
        ("[rates]", "[rates", "table.toml"),
    ],
)
def test_what_is_wrong_with_a_table_is_said(old: str, new: str, why: str) -> None:
    with pytest.raises(InvalidInput, match=why):
        read_authentication_table(TEXT.replace(old, new, 1))


def test_an_operators_file_takes_the_place_of_the_shipped_one(tmp_path: Path) -> None:
    own = tmp_path / "own.toml"
    own.write_text(TEXT.replace('USD = "1.0389"', 'USD = "2"'))
    assert load_authentication_table(own).converted(2 * UNIT, "USD", "EUR") == UNIT
    with pytest.raises(InvalidInput, match="missing"):
        load_authentication_table(tmp_path / "missing.toml")
    (tmp_path / "huge.toml").write_bytes(b"#" * 1_000_001)
    with pytest.raises(InvalidInput, match="larger"):
        load_authentication_table(tmp_path / "huge.toml")

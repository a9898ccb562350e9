"""Numbers in sentences are written as people write them."""

import pytest

from gatehouse.core.wording.sentences import Phrase, number_text

_MEASURED = Phrase("test.measured", "{value:g} was measured")
_MOVED = Phrase("test.moved", "by {effect:+g}, {count:,} times")


@pytest.mark.parametrize(
    ("value", "told"),
    [
        (1184.0, "1,184"),
        (1_234_567.0, "1,234,567"),
        (0.00002, "0.00002"),
        (-2.5, "-2.5"),
        (80.0, "80"),
        (float("inf"), "inf"),
    ],
)
def test_a_number_is_told_without_an_exponent(value: float, told: str) -> None:
    assert number_text(value) == told
    assert _MEASURED(value=value) == f"{told} was measured"


def test_signs_and_counts_are_told_as_the_phrase_says() -> None:
    assert _MOVED(effect=0.5, count=12_000) == "by +0.5, 12,000 times"
    assert _MOVED(effect=-0.5, count=1) == "by -0.5, 1 times"
    assert number_text(2_000_000, "+g") == "+2,000,000"

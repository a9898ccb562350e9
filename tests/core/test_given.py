"""What people type becomes the struct of a use case, with the limits of the API."""

from typing import Annotated

import msgspec
import pytest
from msgspec import Meta

from gatehouse.core.errors import InvalidFields
from gatehouse.core.reading.given import read_given, read_typed


class Wish(msgspec.Struct, frozen=True, rename="camel"):
    """What a form sends."""

    text: Annotated[str, Meta(min_length=1, max_length=5)]
    how_many: Annotated[int, Meta(ge=0, le=9)] = 1
    tags: list[str] = []
    loud: bool = False
    until: Annotated[str, Meta(max_length=3)] | None = None


def test_fields_are_read_by_their_types_and_empty_ones_are_not_given() -> None:
    sent = {"text": ("abc",), "how_many": ("7",), "tags": ("x", "", "y"), "loud": ("on",)}
    assert read_typed(Wish, sent) == Wish("abc", 7, ["x", "y"], True)
    assert read_typed(Wish, {"text": ("abc",), "how_many": ("",), "until": ("",)}) == Wish("abc")


@pytest.mark.parametrize("number", ["--5", "-", "1e3", "٣", "9" * 5000, "1.5", "x", "10", "-1"])
def test_what_is_no_number_within_the_limits_is_refused_by_its_field(number: str) -> None:
    with pytest.raises(InvalidFields) as refused:
        read_typed(Wish, {"text": ("abc",), "how_many": (number,)})
    assert [*refused.value.fields] == ["how_many"]


def test_everything_that_is_wrong_is_told_at_once() -> None:
    with pytest.raises(InvalidFields) as refused:
        read_given(Wish, {"text": "too long", "until": "also too long"})
    assert {*refused.value.fields} == {"text", "until"}

"""Values that many messages have, as the API writes them."""

import re
from decimal import Decimal
from functools import lru_cache
from typing import Annotated, Any, Final, dataclass_transform

import msgspec
from msgspec import Meta

from gatehouse.core.money import format_amount


@dataclass_transform(frozen_default=True, field_specifiers=(msgspec.field,))
class CamelStruct(msgspec.Struct, frozen=True, rename="camel"):
    """What is written with the names of its fields in camelCase, and does not change."""


def camel(name: str) -> str:
    """A name as the API writes it."""
    return re.sub(r"_([a-z])", lambda found: found[1].upper(), name)


def doc(description: str, *examples: Any, **limits: Any) -> Meta:
    """How the documentation of the API describes a field, and what else limits it."""
    return Meta(description=description, examples=list(examples) or None, **limits)


# The amount is formatted from an integer, so that it is exact.
JsonAmount = Annotated[msgspec.Raw, Meta(extra_json_schema={"type": "number"})]

Timestamp = Annotated[str, Meta(extra_json_schema={"format": "date-time"})]
"""A moment in the words of RFC 3339."""

LONGEST_NOTE: Final = 200
"""Why something was configured, for its history."""
DEFAULT_PAGE: Final = 20
LARGEST_PAGE: Final = 100
PageSize = Annotated[int, Meta(ge=1, le=LARGEST_PAGE, description="Size of a page.")]
Cursor = Annotated[str, Meta(min_length=1, max_length=1000)]
HasMore = Annotated[bool, Meta(description="Whether there are more.", examples=[False])]
DryRunFlag = Annotated[
    bool, Meta(description="Whether this was a dry run, which changes nothing.", examples=[False])
]


class Money(msgspec.Struct, frozen=True):
    """An exact amount of one currency."""

    currency: Annotated[str, Meta(description="ISO 4217 code.", examples=["USD"])]
    amount: Annotated[JsonAmount, Meta(description="Exact decimal number.", examples=[0.05])]

    @property
    def micros(self) -> int:
        """The amount in millionths."""
        return int(Decimal(bytes(self.amount).decode()).scaleb(6))


@lru_cache(maxsize=1024)
def money(currency: str, micros: int) -> Money:
    """Millionths as the money object of the API."""
    return Money(currency, msgspec.Raw(format_amount(micros).encode()))

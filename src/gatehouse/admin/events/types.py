"""What an account is told as events: which decisions, and below which balance."""

from typing import Annotated, Final

from msgspec import Meta

from gatehouse.core.api_values import CamelStruct, Money, doc
from gatehouse.core.money import MAX_AMOUNT, MICROS_PER_UNIT

MOST_FILTERS: Final = 20
_FILTER: Final = ["pipeline:REVIEW,DECLINE"]


class EventSettingsBody(CamelStruct):
    """What is to change; what is not sent stays."""

    decisions: Annotated[
        Annotated[list[Annotated[str, Meta(max_length=100)]], Meta(max_length=MOST_FILTERS)] | None,
        doc("An operation, or `*` for all, and after a colon the outcomes.", _FILTER),
    ] = None
    low_balance: Annotated[
        Annotated[float, Meta(ge=0, le=MAX_AMOUNT // MICROS_PER_UNIT)] | None,
        doc("In units of the account's currency; 0 for none.", 20),
    ] = None


class EventSettingsShown(CamelStruct):
    """What the account is told."""

    decisions: Annotated[list[str], doc("Which decisions are told.", _FILTER)]
    low_balance: Annotated[Money | None, doc("Below which balance it is told; null for none.")]

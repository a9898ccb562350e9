"""What is asked for when decisions are to be counted in groups by a job."""

from typing import Annotated, Final

import msgspec
from msgspec import Meta

from gatehouse.core.reading.spans import SinceText, UntilText
from gatehouse.core.stages.outcomes import Outcome

MOST_GROUPS: Final = 50
_MOST_VALUES: Final = 20
_Name = Annotated[str, Meta(min_length=1, max_length=120)]
_Names = Annotated[list[_Name], Meta(max_length=_MOST_VALUES)]


class ExplorationRequest(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """Decisions to count in groups; by default those of the last 30 days."""

    by: Annotated[
        _Name,
        Meta(
            description="A signal, or `decision`, `operation`, `rule` or `shadowRule`.",
            examples=["card.country"],
        ),
    ]
    also: Annotated[
        _Name | None, Meta(description="Another one, for pairs.", examples=["card.funding"])
    ] = None
    groups: Annotated[
        int,
        Meta(
            ge=1, le=MOST_GROUPS, description="How many are told apart; of pairs, 12 on each side."
        ),
    ] = 12
    since: SinceText = None
    until: UntilText = None
    time_zone: Annotated[
        str, Meta(max_length=64, description="Whose days the trend counts.", examples=["UTC"])
    ] = "UTC"
    where: Annotated[
        list[Annotated[str, Meta(min_length=1, max_length=600)]],
        Meta(
            max_length=8,
            description="Conditions in the language of rules; all must hold.",
            examples=[["order.amount > 100"]],
        ),
    ] = []
    decision: Annotated[
        list[Outcome], Meta(max_length=3, description="Only these.", examples=[["DECLINE"]])
    ] = []
    operation: Annotated[
        _Names, Meta(description="Only decisions of these.", examples=[["pipeline"]])
    ] = []
    rule: Annotated[
        _Names, Meta(description="Only those that one of these rules hit.", examples=[["large"]])
    ] = []
    shadow_rule: Annotated[
        _Names, Meta(description="The same of rules in shadow.", examples=[["trial"]])
    ] = []

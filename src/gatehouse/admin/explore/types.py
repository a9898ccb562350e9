"""What is asked for when decisions are to be counted in groups by a job."""

from typing import Annotated, Final

from msgspec import Meta

from gatehouse.core.api_values import CamelStruct, doc
from gatehouse.core.reading.spans import SinceText, UntilText
from gatehouse.core.stages.outcomes import Outcome

MOST_GROUPS: Final = 50
_MOST_VALUES: Final = 20
_Name = Annotated[str, Meta(min_length=1, max_length=120)]
_Names = Annotated[list[_Name], Meta(max_length=_MOST_VALUES)]


class ExplorationRequest(CamelStruct, kw_only=True):
    """Decisions to count in groups; by default those of the last 30 days."""

    by: Annotated[
        _Name, doc("A signal, or `decision`, `operation`, `rule` or `shadowRule`.", "card.country")
    ]
    also: Annotated[_Name | None, doc("Another one, for pairs.", "card.funding")] = None
    groups: Annotated[
        int, doc("How many are told apart; of pairs, 12 on each side.", ge=1, le=MOST_GROUPS)
    ] = 12
    since: SinceText = None
    until: UntilText = None
    time_zone: Annotated[str, doc("Whose days the trend counts.", "UTC", max_length=64)] = "UTC"
    where: Annotated[
        list[Annotated[str, Meta(min_length=1, max_length=600)]],
        doc(
            "Conditions in the language of rules; all must hold.",
            ["order.amount > 100"],
            max_length=8,
        ),
    ] = []
    decision: Annotated[list[Outcome], doc("Only these.", ["DECLINE"], max_length=3)] = []
    operation: Annotated[_Names, doc("Only decisions of these.", ["pipeline"])] = []
    rule: Annotated[_Names, doc("Only those that one of these rules hit.", ["large"])] = []
    shadow_rule: Annotated[_Names, doc("The same of rules in shadow.", ["trial"])] = []

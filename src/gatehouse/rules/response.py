"""The answer of Rules, in the words of the API."""

from typing import Annotated

from gatehouse.core.api_values import CamelStruct, doc
from gatehouse.core.stages.outcomes import Outcome


class Matched(CamelStruct):
    """A rule that matched."""

    id: Annotated[str, doc("Name of the rule.", "foreign-card")]
    rule_set: Annotated[str, doc("Rule set it belongs to.", "starter")]
    version: Annotated[int, doc("Version of the rule set.", 1)]
    outcome: Annotated[Outcome, doc("What the rule decides by itself.", "REVIEW")]
    tags: Annotated[tuple[str, ...], doc("The rule's tags.", ["country"])]


class RulesResponse(CamelStruct):
    """What the rules decide, and which of them matched."""

    status: Annotated[
        Outcome,
        doc(
            "Strongest outcome of the rules that matched, or that of a `final` one; "
            "ACCEPT when none did.",
            "ACCEPT",
        ),
    ]
    matched_rules: Annotated[tuple[Matched, ...], doc("Every rule that matched, in order.")]

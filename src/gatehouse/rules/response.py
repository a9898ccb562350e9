"""The answer of Rules, in the words of the API."""

from typing import Annotated

import msgspec
from msgspec import Meta

from gatehouse.core.stages.outcomes import Outcome


class Matched(msgspec.Struct, frozen=True, rename="camel"):
    """A rule that matched."""

    id: Annotated[str, Meta(description="Name of the rule.", examples=["foreign-card"])]
    rule_set: Annotated[str, Meta(description="Rule set it belongs to.", examples=["starter"])]
    version: Annotated[int, Meta(description="Version of the rule set.", examples=[1])]
    outcome: Annotated[
        Outcome, Meta(description="What the rule decides by itself.", examples=["REVIEW"])
    ]
    tags: Annotated[tuple[str, ...], Meta(description="The rule's tags.", examples=[["country"]])]


class RulesResponse(msgspec.Struct, frozen=True, rename="camel"):
    """What the rules decide, and which of them matched."""

    status: Annotated[
        Outcome,
        Meta(
            description="Strongest outcome of the rules that matched, or that of a `final` one; "
            "ACCEPT when none did.",
            examples=["ACCEPT"],
        ),
    ]
    matched_rules: Annotated[
        tuple[Matched, ...], Meta(description="Every rule that matched, in order.")
    ]

"""The answer of Rules, in the words of the API."""

from typing import Annotated

import msgspec
from msgspec import Meta

from gatehouse.core.outcomes import Outcome
from gatehouse.rules.decide import Matched


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

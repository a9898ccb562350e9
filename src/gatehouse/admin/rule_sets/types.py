"""Rule sets that are tried before they are applied: on one case, and on the past."""

from collections.abc import Iterator
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from gatehouse.admin.configurations.types import Differences, Document, Note, Version
from gatehouse.admin.jobs.types import MOST_EXAMPLES
from gatehouse.core.clock import Moment
from gatehouse.core.reading.spans import SinceText, UntilText
from gatehouse.core.reading.validation import Checked
from gatehouse.core.stages.outcomes import Outcome
from gatehouse.rules.ruleset import RuleState


class BacktestRequest(msgspec.Struct, frozen=True, rename="camel"):
    """A rule set to try on recorded requests."""

    document: Document
    since: SinceText = None
    until: UntilText = None
    lists_now: Annotated[
        bool,
        Meta(description="Whether lists are used as they are now, not as they were then."),
    ] = False
    examples: Annotated[
        int,
        Meta(
            ge=0,
            le=MOST_EXAMPLES,
            description="Requests to name for each change. They are shown to keys that also have "
            "the scope `decisions`.",
        ),
    ] = 5


class TrialRequest(Checked, msgspec.Struct, frozen=True, rename="camel"):
    """A rule set, and the case to try it on."""

    document: Document
    request_id: Annotated[
        Annotated[str, Meta(max_length=64)] | None,
        Meta(
            description="A recorded request, for a key that also has the scope `decisions`. Give "
            "it or `signals`."
        ),
    ] = None
    signals: Annotated[
        dict[str, Any] | None,
        Meta(
            description="Values of signals by their names, as a decision record shows them.",
            examples=[{"order.amount": 700}],
        ),
    ] = None

    def problems(self) -> Iterator[tuple[str, str]]:
        """Errors that the types of the fields do not express."""
        if (self.request_id is None) == (self.signals is None):
            yield "signals", "give exactly one of requestId, signals"


class ListAnswer(msgspec.Struct, frozen=True, rename="camel"):
    """What a list said to a rule."""

    signal: Annotated[str, Meta(description="What was looked up.", examples=["ip.address"])]
    list: Annotated[str, Meta(description="Where.", examples=["bad-networks"])]
    listed: Annotated[
        bool | None,
        Meta(description="Whether it is there; null if the signal has no value.", examples=[True]),
    ]


class TriedRule(msgspec.Struct, frozen=True, rename="camel"):
    """What one rule said."""

    name: Annotated[str, Meta(description="Its name.", examples=["large-order"])]
    matches: Annotated[bool, Meta(description="Whether its condition holds.", examples=[True])]
    outcome: Annotated[Outcome, Meta(description="What it decides.", examples=["REVIEW"])]
    final: Annotated[bool, Meta(description="Whether it decides alone.", examples=[False])]
    shadow: Annotated[bool, Meta(description="Whether it only watches.", examples=[False])]
    signals: Annotated[
        dict[str, Any],
        Meta(description="The values that it looked at.", examples=[{"order.amount": 700}]),
    ]
    lists: Annotated[list[ListAnswer], Meta(description="The lists that it looked at.")]


class TrialResponse(msgspec.Struct, frozen=True, rename="camel"):
    """What a rule set decides about a case."""

    rule_set: Annotated[str, Meta(description="Its name.", examples=["checkout"])]
    status: Annotated[Outcome, Meta(description="What it decides.", examples=["REVIEW"])]
    final_by: Annotated[
        str | None, Meta(description="The final rule that decided alone, if one did.")
    ]
    tags: Annotated[list[str], Meta(description="Tags of the rules that match.", examples=[[]])]
    rules: Annotated[list[TriedRule], Meta(description="In the order of the document.")]


class RuleVersion(msgspec.Struct, frozen=True, rename="camel"):
    """A version of the rule set in which a rule changed."""

    version: Version
    created_at: Annotated[Moment, Meta(description="When it was made (RFC 3339).")]
    by: Annotated[str, Meta(description="Who made it.", examples=["user:mo@shop.example"])]
    note: Annotated[str | None, Meta(description="Why.", examples=["Watch it first"])]
    differences: Differences


class RuleShown(msgspec.Struct, frozen=True, rename="camel"):
    """One rule of a rule set."""

    rule_set: Annotated[str, Meta(description="Its rule set.", examples=["checkout"])]
    version: Version
    name: Annotated[str, Meta(description="Its name.", examples=["large-order"])]
    place: Annotated[int, Meta(description="Where it stands, from 1.", examples=[1])]
    state: Annotated[RuleState, Meta(description="What it does.", examples=["live"])]
    outcome: Annotated[Outcome, Meta(description="What it decides.", examples=["REVIEW"])]
    final: Annotated[bool, Meta(description="Whether it decides alone.", examples=[False])]
    sentence: Annotated[
        str,
        Meta(description="It in words.", examples=["Review if the amount is more than 500."]),
    ]
    condition: Annotated[
        str, Meta(description="Its condition as written.", examples=["order.amount > 500"])
    ]
    description: Annotated[str, Meta(description="What it is for.", examples=["Large orders"])]
    tags: Annotated[list[str], Meta(description="Its tags.", examples=[[]])]
    signals: Annotated[
        list[str], Meta(description="The signals it names.", examples=[["order.amount"]])
    ]
    changes: Annotated[
        list[RuleVersion],
        Meta(description="The versions in which it changed, newest first, of the newest 30."),
    ]


class RuleSwitch(msgspec.Struct, frozen=True, rename="camel"):
    """What a rule is to do from now on."""

    state: Annotated[
        RuleState,
        Meta(
            description="`off` asks it no more, `shadow` only watches, `live` decides.",
            examples=["shadow"],
        ),
    ]
    note: Note = None

"""Rule sets that are tried before they are applied: on one case, and on the past."""

from collections.abc import Iterator
from typing import Annotated, Any

from msgspec import Meta

from gatehouse.admin.configurations.types import Differences, Document, Note, Version
from gatehouse.admin.jobs.types import MOST_EXAMPLES
from gatehouse.core.api_values import CamelStruct, doc
from gatehouse.core.clock import Moment
from gatehouse.core.reading.spans import SinceText, UntilText
from gatehouse.core.reading.validation import Checked
from gatehouse.core.stages.outcomes import Outcome
from gatehouse.rules.ruleset import RuleState


class BacktestRequest(CamelStruct):
    """A rule set to try on recorded requests."""

    document: Document
    since: SinceText = None
    until: UntilText = None
    lists_now: Annotated[
        bool, doc("Whether lists are used as they are now, not as they were then.")
    ] = False
    examples: Annotated[
        int,
        doc(
            "Requests to name for each change. They are shown to keys that also have "
            "the scope `decisions`.",
            ge=0,
            le=MOST_EXAMPLES,
        ),
    ] = 5


class TrialRequest(Checked, CamelStruct):
    """A rule set, and the case to try it on."""

    document: Document
    request_id: Annotated[
        Annotated[str, Meta(max_length=64)] | None,
        doc(
            "A recorded request, for a key that also has the scope `decisions`. Give "
            "it or `signals`."
        ),
    ] = None
    signals: Annotated[
        dict[str, Any] | None,
        doc(
            "Values of signals by their names, as a decision record shows them.",
            {"order.amount": 700},
        ),
    ] = None

    def problems(self) -> Iterator[tuple[str, str]]:
        """Errors that the types of the fields do not express."""
        if (self.request_id is None) == (self.signals is None):
            yield "signals", "give exactly one of requestId, signals"


class ListAnswer(CamelStruct):
    """What a list said to a rule."""

    signal: Annotated[str, doc("What was looked up.", "ip.address")]
    list: Annotated[str, doc("Where.", "bad-networks")]
    listed: Annotated[
        bool | None, doc("Whether it is there; null if the signal has no value.", True)
    ]


class TriedRule(CamelStruct):
    """What one rule said."""

    name: Annotated[str, doc("Its name.", "large-order")]
    matches: Annotated[bool, doc("Whether its condition holds.", True)]
    outcome: Annotated[Outcome, doc("What it decides.", "REVIEW")]
    final: Annotated[bool, doc("Whether it decides alone.", False)]
    shadow: Annotated[bool, doc("Whether it only watches.", False)]
    signals: Annotated[dict[str, Any], doc("The values that it looked at.", {"order.amount": 700})]
    lists: Annotated[list[ListAnswer], doc("The lists that it looked at.")]


class TrialResponse(CamelStruct):
    """What a rule set decides about a case."""

    rule_set: Annotated[str, doc("Its name.", "checkout")]
    status: Annotated[Outcome, doc("What it decides.", "REVIEW")]
    final_by: Annotated[str | None, doc("The final rule that decided alone, if one did.")]
    tags: Annotated[list[str], doc("Tags of the rules that match.", [])]
    rules: Annotated[list[TriedRule], doc("In the order of the document.")]


class RuleVersion(CamelStruct):
    """A version of the rule set in which a rule changed."""

    version: Version
    created_at: Annotated[Moment, doc("When it was made (RFC 3339).")]
    by: Annotated[str, doc("Who made it.", "user:mo@shop.example")]
    note: Annotated[str | None, doc("Why.", "Watch it first")]
    differences: Differences


class RuleShown(CamelStruct):
    """One rule of a rule set."""

    rule_set: Annotated[str, doc("Its rule set.", "checkout")]
    version: Version
    name: Annotated[str, doc("Its name.", "large-order")]
    place: Annotated[int, doc("Where it stands, from 1.", 1)]
    state: Annotated[RuleState, doc("What it does.", "live")]
    outcome: Annotated[Outcome, doc("What it decides.", "REVIEW")]
    final: Annotated[bool, doc("Whether it decides alone.", False)]
    sentence: Annotated[str, doc("It in words.", "Review if the amount is more than 500.")]
    condition: Annotated[str, doc("Its condition as written.", "order.amount > 500")]
    description: Annotated[str, doc("What it is for.", "Large orders")]
    tags: Annotated[list[str], doc("Its tags.", [])]
    signals: Annotated[list[str], doc("The signals it names.", ["order.amount"])]
    changes: Annotated[
        list[RuleVersion], doc("The versions in which it changed, newest first, of the newest 30.")
    ]


class RuleSwitch(CamelStruct):
    """What a rule is to do from now on."""

    state: Annotated[
        RuleState, doc("`off` asks it no more, `shadow` only watches, `live` decides.", "shadow")
    ]
    note: Note = None

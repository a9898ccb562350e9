"""What an explanation consists of."""

from typing import Annotated, Any

import msgspec

from gatehouse.core.api_values import CamelStruct, doc
from gatehouse.core.stages.outcomes import Outcome


class ExplainedReason(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """One reason of a decision, in words."""

    text: Annotated[str, doc("The reason, as a sentence.")]
    stage: Annotated[str, doc("The stage that it comes from.")]
    code: Annotated[str, doc("Name of the rule, or code of the result.")] = ""
    decisive: Annotated[bool, doc("Whether the decision is what it is because of it.")] = False
    outcome: Annotated[Outcome | None, doc("What the rule or the stage wants to be decided.")] = (
        None
    )
    effect: Annotated[float | None, doc("What it added to Sentry's score, in log-odds.")] = None
    signals: Annotated[dict[str, Any], doc("What the rule looked at, as it was.")] = {}


class ExplainedChange(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """What would have changed a decision."""

    text: Annotated[str, doc("The change and what it would have led to.")]
    decision: Annotated[Outcome | None, doc("What would have been decided.")] = None
    signals: Annotated[
        dict[str, Any],
        doc(
            "The signals that would have been different. `(another)` is any text that "
            "no rule and no list names."
        ),
    ] = {}
    lists: Annotated[
        dict[str, bool],
        doc("Lists on which the request's value would have been, or not have been."),
    ] = {}
    unless: Annotated[
        list[str],
        doc(
            "Stages that did not run and would have run then. It is assumed that they "
            "would have found nothing against the request."
        ),
    ] = []


class Explanation(CamelStruct):
    """Why a request was decided as it was, and what would have changed that.

    Its texts are sentences that can be said in other languages, until `in_english` is asked for.
    """

    summary: Annotated[str, doc("What was decided, and by what.")]
    reasons: Annotated[list[ExplainedReason], doc("In order of their weight.")]
    changes: Annotated[
        list[ExplainedChange],
        doc(
            "What would have changed the decision, smallest change first. Each was "
            "checked by judging the request again."
        ),
    ]
    notes: Annotated[list[str], doc("What could not be told, and how far it was looked for.")]

    def in_english(self) -> "Explanation":
        """The same with plain texts, which can be encoded."""
        return Explanation(
            str(self.summary),
            [msgspec.structs.replace(each, text=str(each.text)) for each in self.reasons],
            [msgspec.structs.replace(each, text=str(each.text)) for each in self.changes],
            [str(each) for each in self.notes],
        )

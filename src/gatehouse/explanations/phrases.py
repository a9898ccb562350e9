"""What explanations say, as phrases that can be said in other languages."""

from typing import Any, Final

from gatehouse.core.stages.outcomes import Outcome
from gatehouse.core.wording.sentences import Phrase

NOTHING: Final = Phrase("explained.nothing", "Nothing was found.")
PAST: Final = Phrase(
    "explained.past", "An imported order of the past: nothing was decided or charged."
)
INCOMPLETE: Final = Phrase(
    "explained.incomplete", "{stage} did not complete: whom it asks failed or was late."
)

# What would have led to another decision.
WOULD_BE: Final = Phrase("explained.would_be", "It would have been {decision} if {conditions}.")
"""Its conditions may tell more than conditions: what follows them within the stage."""
WITH_RESULT: Final = Phrase("explained.with_result", "{conditions}: {consequence}")
WITH_RULE: Final = Phrase("explained.with_rule", "{conditions}; the rule {rule} would have matched")
UNLESS: Final = Phrase(
    "explained.unless",
    "{conditions}, unless {stages}, which did not run, had found something against it",
)
OUTCOMES: Final = {each: Phrase(f"explained.outcome.{each}", each) for each in Outcome}
OTHER_RESULT: Final = Phrase("explained.other_result", "{consequence} if {condition}.")

# What could have been different; it follows "if".
NOT_KNOWN: Final = Phrase("explained.had.not_known", "{signal} had not been known")
NOT_HELD: Final = Phrase("explained.had.not_held", "{signal} had not held {value}")
BEEN: Final = Phrase("explained.had.been", "{signal} had been {value} (it was {was})")
ANOTHER: Final = Phrase(
    "explained.had.another",
    "{signal} had been another one, which no rule and no list names (it was {was})",
)
LISTED: Final = Phrase("explained.had.listed", "{signal} had been on the list {list}")
NOT_LISTED: Final = Phrase("explained.had.not_listed", "{signal} had not been on the list {list}")
COMPLETED: Final = Phrase(
    "explained.had.completed", "{stage} had completed and found nothing against it"
)

# A number beside a threshold.
RELATIONS: Final = {
    "at most": Phrase("explained.number.at_most", "at most {number}"),
    "at least": Phrase("explained.number.at_least", "at least {number}"),
    "less than": Phrase("explained.number.less_than", "less than {number}"),
    "more than": Phrase("explained.number.more_than", "more than {number}"),
}
JUST: Final = {
    "less than": Phrase("explained.number.just_under", "just under {number}"),
    "more than": Phrase("explained.number.just_over", "just over {number}"),
}

# What could not be told.
CANNOT_TELL: Final = Phrase(
    "explained.cannot_tell", "{problem} What would have changed it cannot be told."
)
ERASED: Final = Phrase(
    "explained.erased", "Everything about the person was erased from the record."
)
DIFFERENT: Final = Phrase(
    "explained.different",
    "Judged again with what is kept of that time, the request comes out differently.",
)
NO_STAGE: Final = Phrase("explained.no_stage", "This installation does not have the stage {stage}.")
NO_PIPELINE: Final = Phrase(
    "explained.no_pipeline", "The record does not say which pipeline decided."
)
OTHER_STAGES: Final = Phrase(
    "explained.other_stages", "The stages that ran are not those of the pipeline."
)
GONE: Final = Phrase("explained.gone", "This installation does not have {what} any more.")
CHANGED: Final = Phrase(
    "explained.changed",
    "This installation cannot use {what}, which was changed in the database.",
)
LIST_CHANGED: Final = Phrase(
    "explained.list_changed", "An entry of a list was changed in the database."
)
FEW_REASONS: Final = Phrase(
    "explained.few_reasons", "Only the first {most} of {count} reasons are listed."
)
NEAREST: Final = Phrase(
    "explained.nearest", "It was accepted; these changes came closest to another decision."
)
NOTHING_NEAR: Final = Phrase(
    "explained.nothing_near",
    "It was accepted, and no number that rules look at came near another decision.",
)
NONE_ACCEPTS: Final = Phrase(
    "explained.none_accepts",
    "None of the {singles:,} single changes that the conditions suggest, and no pair of them, "
    "would have led to ACCEPT.",
)
NONE_CHANGES: Final = Phrase(
    "explained.none_changes",
    "None of the {singles:,} single changes that the conditions suggest, and no pair of them, "
    "would have changed the decision.",
)
NONE_TRIED_ACCEPTS: Final = Phrase(
    "explained.none_tried_accepts",
    "None of the {singles:,} single changes and {pairs:,} pairs that were tried would have led to "
    "ACCEPT; the search ends there.",
)
NONE_TRIED_CHANGES: Final = Phrase(
    "explained.none_tried_changes",
    "None of the {singles:,} single changes and {pairs:,} pairs that were tried would have changed "
    "the decision; the search ends there.",
)

_TRUE: Final = Phrase("explained.value.true", "true")
_FALSE: Final = Phrase("explained.value.false", "false")
_NUMBER: Final = Phrase("explained.value.number", "{number}")


def show_value(value: Any) -> str:
    """A value as sentences show it."""
    if isinstance(value, bool):
        return _TRUE() if value else _FALSE()
    if isinstance(value, float):
        rounded = f"{value:.4f}".rstrip("0").rstrip(".")
        said = rounded if float(rounded) == value else repr(value)
        return _NUMBER.worded(said, number=value)
    if isinstance(value, int):
        return _NUMBER.worded(str(value), number=value)
    return f"'{value}'" if isinstance(value, str) else str(value)

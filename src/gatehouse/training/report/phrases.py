"""What training says: why there is no model, and what a reader of a report must know.

They stand apart from the modules that need the packages of training.
"""

from typing import Final

from gatehouse.core.wording.sentences import Phrase

TRAINING_PACKAGES: Final = Phrase("refused.training_packages", "training needs more packages")
TRAINING_LITTLE: Final = Phrase(
    "refused.training_little",
    "there is too little to learn from: {frauds} known frauds and {legitimates} "
    "legitimate requests, where at least {frauds_needed} and {legitimates_needed} are "
    "needed; look back further, wait less long for labels, or report more of what became of "
    "requests",
)
TRAINING_NONE: Final = Phrase(
    "refused.training_none",
    "there are no requests older than {delay} that Sentry has judged; look back further, or wait "
    "less long for labels",
)
TRAINING_UNLABELLED: Final = Phrase(
    "refused.training_unlabelled",
    "none of the {count:,} requests older than {delay} has a label; report what became of them",
)
_PERCENT: Final = Phrase("training.percent", "{number}%")

TOLD_ALL: Final = Phrase(
    "training.told_all",
    "of the {all:,} frauds that the trial model learned from, {known:,} had been reported when "
    "the requests began that it is measured on; it was told all the same, so its figures are "
    "better than they should be. If labels were imported later than they became known, import "
    "them again with when they did (when)",
)
LATE_LABELS: Final = Phrase(
    "training.late_labels",
    "half of the frauds were reported {late} after their request or later, and labels are waited "
    "for {delay}: many of the newest requests that count as legitimate may yet turn out to be "
    "fraud; wait longer for labels",
)
NOT_MEASURED: Final = Phrase(
    "training.not_measured",
    "the model was not measured: a trial model could not learn from the {count:,} requests that "
    "came {delay} or more before the newest {share} ({why}); look back further, wait "
    "less long for labels, or measure on fewer",
)
OTHER_METHOD: Final = Phrase(
    "training.other_method",
    "the figures are those of a trial model fitted with {trial}, because it had fewer requests; "
    "the model itself was fitted with {method}",
)
SET_BY_ALL: Final = Phrase(
    "training.set_by_all",
    "{doubt}: so its confidence was set by all requests, where otherwise the newest say how much "
    "fraud there is now; look whether something else is reported than before",
)
OUTCOME_FEW: Final = Phrase(
    "training.outcome_few",
    "{count:,} requests had this outcome, and {least:,} are needed for a score of its own",
)
OUTCOME_ALONE: Final = Phrase(
    "training.outcome_alone",
    "no other outcome has {least:,} requests as this one has ({count:,}): a score of its own would "
    "say what the confidence says",
)
OUTCOME_UNTRIED: Final = Phrase(
    "training.outcome_untried",
    "it was not measured: {count:,} requests with this outcome were known when the newest requests "
    "began",
)
FEW_LEGITIMATE: Final = Phrase(
    "training.few_legitimate", "of the newest {count:,} requests {legitimates:,} are legitimate"
)
OTHER_RATE: Final = Phrase(
    "training.other_rate",
    "{rate} of the newest {count:,} requests are fraud, and {usual} of all {all:,}",
)
LEFT_OUT: Final = Phrase(
    "training.currency_left_out", "amounts in {currency} are not counted: few orders are"
)
NO_FRAUD: Final = Phrase(
    "training.no_fraud",
    "none of the newest {count:,} requests, on which models are measured, are fraud: there is "
    "nothing to tell apart; measure on more of them, or report more of what became of requests",
)
ALL_FRAUD: Final = Phrase(
    "training.all_fraud",
    "all of the newest {count:,} requests, on which models are measured, are fraud: there is "
    "nothing to tell apart; measure on more of them, or report more of what became of requests",
)
FEW_FRAUDS: Final = Phrase(
    "training.few_frauds",
    "only {frauds} of the {count:,} requests that were measured are fraud: with fewer than "
    "{least} the figures mean little",
)
MANY_FRAUDS: Final = Phrase(
    "training.many_frauds",
    "{share} of the requests it learned from are fraud; if that is not so of all that you get, "
    "its confidence will be too low",
)
UNREADABLE: Final = Phrase(
    "training.unreadable", "records that cannot be read were left out: {count:,}"
)
CURRENT_LEARNED: Final = Phrase(
    "training.current_learned",
    "the current model has itself learned from requests up to {until}, so from some of those "
    "that it is measured on here: its figures are better than they should be",
)
IMPORTED: Final = Phrase(
    "training.imported",
    "this model comes out of a file that this account exported; it was made {made_at} with "
    "Gatehouse {made_with}, and imported by {by}",
)
IMPORTED_STRANGE: Final = Phrase(
    "training.imported_strange",
    "this model was made elsewhere ({made_at}, with {made_with}) and is trusted by {by}: its "
    "figures are what its file tells; try it in shadow before you promote it",
)
ARCHIVE_ENDS: Final = Phrase(
    "training.archive_ends",
    "the archive has whole days up to {day}; later requests are left out",
)

_UNITS: Final = (
    (86_400_000, Phrase("span.day", "{count:,} day"), Phrase("span.days", "{count:,} days")),
    (3_600_000, Phrase("span.hour", "{count:,} hour"), Phrase("span.hours", "{count:,} hours")),
    (
        60_000,
        Phrase("span.minute", "{count:,} minute"),
        Phrase("span.minutes", "{count:,} minutes"),
    ),
)
_SECONDS: Final = Phrase("span.seconds", "{count:,} seconds")


def span_text(milliseconds: int) -> str:
    """A span of time in the largest unit that it is a whole number of."""
    for size, one, several in _UNITS:
        if milliseconds >= size and milliseconds % size == 0:
            count = milliseconds // size
            return (one if count == 1 else several)(count=count)
    return _SECONDS(count=round(milliseconds / 1000))


def percent_text(share: float, digits: int) -> str:
    """A share in percent."""
    return _PERCENT.worded(f"{share:.{digits}%}", number=round(100 * share, digits))

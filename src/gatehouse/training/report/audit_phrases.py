"""What an audit of labels says: what was found, and what to do about it."""

from typing import Final

from gatehouse.core.wording.sentences import Phrase

TOO_FEW: Final = Phrase(
    "label_audit.too_few",
    "this cannot be told from {frauds:,} frauds and {legitimates:,} legitimate requests; at least "
    "{least} of each are needed, and half as many in each part that is compared",
)
SINGLE_FEATURE: Final = Phrase(
    "label_audit.single_feature",
    "{signal} alone tells fraud from honest requests with an area under the curve of {area}: look "
    "whether it is known when an order comes, and whether labels were chosen by it",
)
NO_SINGLE_FEATURE: Final = Phrase(
    "label_audit.no_single_feature",
    "no signal alone tells fraud from honest requests; the strongest is {signal} with an area "
    "under the curve of {area}",
)
STRONG_VALUE: Final = Phrase(
    "label_audit.strong_value",
    "where {signal} is {where}, fraud is {lift} times as frequent as everywhere, and {share} of "
    "all fraud is there: look whether labels were chosen by it, and decide such orders with a rule",
)
NO_STRONG_VALUE: Final = Phrase(
    "label_audit.no_strong_value",
    "no value of a signal has more than {most} times the usual share of fraud",
)
WHERE_MISSING: Final = Phrase("label_audit.where_missing", "missing")
WHERE_ANY: Final = Phrase("label_audit.where_any", "there at all")
WHERE_BELOW: Final = Phrase("label_audit.where_below", "below {high}")
WHERE_FROM: Final = Phrase("label_audit.where_from", "{low} or more")
WHERE_BETWEEN: Final = Phrase("label_audit.where_between", "from {low} to below {high}")
NO_ENTITIES: Final = Phrase(
    "label_audit.no_entities",
    "the requests name too few users, cards, devices or other identifiers again to tell",
)
IDENTIFIERS: Final = Phrase(
    "label_audit.identifiers",
    "identifiers alone (area {identifiers}) do as well as everything that was measured (area "
    "{everything}): the model would know the customers of these labels, and not their way to "
    "order; report more different frauds before you rely on its figures",
)
IDENTIFIERS_FINE: Final = Phrase(
    "label_audit.identifiers_fine",
    "identifiers alone reach an area of {identifiers}, everything that was measured {everything}",
)
IDENTIFIERS_INVERTED: Final = Phrase(
    "label_audit.identifiers_inverted",
    "worse than chance: identifiers alone reach an area of {identifiers}, everything that was "
    "measured {everything}, where 0.5 is a coin; what spoke for fraud earlier speaks against it in "
    "the newest part: look whether labels mean the same all the time",
)
IDENTIFIERS_VAGUE: Final = Phrase(
    "label_audit.identifiers_vague",
    "there is too little to say: identifiers alone reach an area of {identifiers}, everything that "
    "was measured {everything}",
)
FRAUD_FREE: Final = Phrase(
    "label_audit.fraud_free",
    "{share} of the requests have no fraud at all, told by {signal} alone: the figures are those "
    "of an easy question; look at the others apart, or whether fraud there is never reported",
)
NO_FRAUD_FREE: Final = Phrase(
    "label_audit.no_fraud_free",
    "no signal alone sets most requests apart as free of fraud; the most is {share}, by {signal}",
)
CONTRADICTIONS: Final = Phrase(
    "label_audit.contradictions",
    "{share} of the frauds look exactly like legitimate requests in everything that was measured: "
    "send more about orders, or look whether labels are wrong",
)
NO_CONTRADICTIONS: Final = Phrase(
    "label_audit.no_contradictions",
    "{share} of the frauds look exactly like legitimate requests",
)
ONLY_WITH_FRAUD: Final = Phrase(
    "label_audit.only_with_fraud",
    "{signal} is measured in {count:,} frauds and hardly ever without fraud ({others:,}): look "
    "whether it is known when an order comes, or only when fraud was found",
)
NEVER_WITH_FRAUD: Final = Phrase(
    "label_audit.never_with_fraud",
    "{signal} is measured in {share} of the legitimate requests and in no fraud, where "
    "{expected:,} would be usual: look whether it is known when an order comes, or only when one "
    "went well",
)
NOT_AFTERWARDS: Final = Phrase(
    "label_audit.not_afterwards", "no signal is measured with one label alone"
)
AREA: Final = Phrase("label_audit.area", "{area} ({low} to {high})")
FALLING: Final = Phrase(
    "label_audit.falling",
    "a model of {learned:,} earlier requests reaches an area of {first} in the time after them "
    "and of {last} in the newest part (from {since}): train more often, and look back less far",
)
NOT_FALLING: Final = Phrase(
    "label_audit.not_falling",
    "a model of {learned:,} earlier requests reaches an area of {first} in the time after them "
    "and of {last} in the newest part",
)
INVERTED: Final = Phrase(
    "label_audit.inverted",
    "a model of {learned:,} earlier requests is worse than chance: it reaches an area of {first} "
    "in the time after them and of {last} in the newest part (from {since}), where 0.5 is a coin; "
    "what spoke for fraud speaks against it there: look whether labels mean the same all the time",
)
NO_BETTER: Final = Phrase(
    "label_audit.no_better",
    "a model of {learned:,} earlier requests is no better than chance in the time after them "
    "(area {first}; {last} in the newest part): of a change with time this says nothing",
)
VAGUE: Final = Phrase(
    "label_audit.vague",
    "there is too little to say: a model of {learned:,} earlier requests reaches an area of "
    "{first} in the time after them and of {last} in the newest part",
)
DELAY_UNKNOWN: Final = Phrase(
    "label_audit.delay_unknown",
    "it is not known when frauds were found: all labels came equally long after their request; "
    "import them with when they became known (when, in a file labelAt)",
)
FRESH: Final = Phrase(
    "label_audit.fresh",
    "nine of ten frauds are known after {days} days, and {share} of the requests are younger: some "
    "that count as legitimate may yet be fraud; wait longer for labels",
)
NOT_FRESH: Final = Phrase(
    "label_audit.not_fresh",
    "nine of ten frauds are known after {days} days, and {share} of the requests are younger",
)
FEW: Final = Phrase(
    "label_audit.few",
    "{frauds:,} frauds are few: below {enough} a model is hardly better than the one that ships; "
    "look back further, or report more of what became of requests",
)
MANY: Final = Phrase(
    "label_audit.many",
    "{share} of the requests are fraud: if that is not so of all that you get, labels were chosen, "
    "and the confidence will be too low; report what became of all requests",
)
ONLY_FRAUDS: Final = Phrase(
    "label_audit.only_frauds",
    "only frauds are labelled; all {legitimates:,} legitimate requests are taken for it because "
    "nothing was reported: report some legitimate ones, such as reviewed orders that went well",
)
BALANCED: Final = Phrase(
    "label_audit.balanced",
    "{frauds:,} of {records:,} requests are fraud ({share}), and {labelled:,} legitimate ones were "
    "reported as such",
)
REPEATED: Final = Phrase(
    "label_audit.repeated",
    "{share} of the newest requests repeat a transaction that the trial model learned from: it is "
    "measured on what it knows; send one request for each order",
)
SAME_FRAUDSTERS: Final = Phrase(
    "label_audit.same_fraudsters",
    "{share} of the newest frauds share an identifier with a fraud of the time before: the figures "
    "say little about fraudsters that nobody has met",
)
NOT_REPEATED: Final = Phrase(
    "label_audit.not_repeated",
    "{share} of the newest requests repeat an earlier transaction, and {known} of the newest "
    "frauds share an identifier with an earlier fraud",
)

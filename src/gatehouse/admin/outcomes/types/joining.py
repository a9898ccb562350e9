"""Which decision an outcome is about: the rule, and what is shown where it cannot be told."""

from collections.abc import Hashable, Mapping, Sequence
from typing import Annotated, Final, NamedTuple

from msgspec import Meta

from gatehouse.admin.outcomes.types.outcome import JoinedBy, OutcomeKind
from gatehouse.core.api_values import CamelStruct, doc
from gatehouse.core.clock import Moment
from gatehouse.core.wording.labels import LONGEST_ID

DAY_MS: Final = 86_400_000
WITHIN_DAYS: Final = 3
"""How many days before or after the day of a payment its decision may have been made."""

Candidates = Mapping[JoinedBy, Sequence[str]]
"""The decisions that each name of an outcome stands for, those that identify best first."""


class NamedDecisions(NamedTuple):
    """The decisions that an outcome can be about, and by which of its names."""

    by: JoinedBy | None
    request_ids: tuple[str, ...]


class CandidatePayment(NamedTuple):
    """What tells whether two decisions are about the same payment."""

    request_id: str
    refused: bool
    """Whether it was declined, so that nothing was paid."""
    payment: Hashable
    """The gateway's payment, or card, amount and currency."""


def common(found: Candidates) -> NamedDecisions:
    """The decisions that all names agree on; a name that agrees with no other adds nothing."""
    chosen: NamedDecisions = NamedDecisions(None, ())
    for by, request_ids in found.items():
        if not request_ids:
            continue
        if chosen.by is None:
            chosen = NamedDecisions(by, tuple(request_ids))
            continue
        both = tuple(each for each in chosen.request_ids if each in set(request_ids))
        if both:
            chosen = NamedDecisions(chosen.by, both)
    return chosen


def only_payment(candidates: Sequence[CandidatePayment]) -> str | None:
    """The decision about the one payment that is meant; None if there are several payments.

    A payment can have several decisions: one was declined and tried again, or two functions looked
    at it. Of those about the payment that was made, the last one counts.
    """
    paid = [each for each in candidates if not each.refused] or candidates
    if len({each.payment for each in paid}) != 1:
        return None
    return max(each.request_id for each in paid)


def days_around(at_ms: int) -> range:
    """The beginnings of the days, in UTC, on which the decision of a payment may have been made."""
    day = at_ms - at_ms % DAY_MS
    return range(day - WITHIN_DAYS * DAY_MS, day + (WITHIN_DAYS + 1) * DAY_MS, DAY_MS)


def fits_card(first: str | None, last_four: str, known_first: str, known_last: str | None) -> bool:
    """Whether a masked card can be the one of a record, as far as both tell their digits."""
    if known_last != last_four:
        return False
    return first is None or known_first.startswith(first) or first.startswith(known_first)


class OutcomeJoin(CamelStruct):
    """An outcome, and the decision that it is about."""

    kind: Annotated[OutcomeKind, doc("What happened.", "DISPUTE")]
    reference: Annotated[str, doc("Its own name.", "dp-1001", min_length=1, max_length=LONGEST_ID)]
    request_id: Annotated[
        Annotated[str, Meta(max_length=LONGEST_ID)] | None,
        doc("The `requestId` of the decision; null takes a decision away."),
    ] = None


class OutcomeNamed(CamelStruct):
    """Which outcome is meant."""

    kind: Annotated[OutcomeKind, doc("What happened.", "DISPUTE")]
    reference: Annotated[str, doc("Its own name.", "dp-1001", min_length=1, max_length=LONGEST_ID)]


class OutcomeCandidate(CamelStruct):
    """A decision that an outcome can be about."""

    request_id: Annotated[str, doc("The `requestId` of the decision.")]
    at: Annotated[Moment, doc("When it was made (RFC 3339).")]
    decision: Annotated[str | None, doc("What was decided.")]
    amount: Annotated[str | None, doc("What was to be paid, as a decimal.")]
    currency: Annotated[str | None, doc("ISO 4217 code of the amount.")]
    card: Annotated[str | None, doc("The card, masked.")]
    payment_id: Annotated[str | None, doc("The gateway's id of the payment.")]


class OutcomeCandidates(CamelStruct):
    """The decisions that an outcome can be about."""

    found_by: Annotated[JoinedBy | None, doc("By what they were found.")]
    candidates: Annotated[list[OutcomeCandidate], doc("Oldest first, up to 100.")]


class JoinedAgain(CamelStruct):
    """What became of looking for decisions again."""

    looked_at: Annotated[int, doc("Outcomes that had no decision.", 12)]
    joined: Annotated[int, doc("How many have one now.", 3)]
    ambiguous: Annotated[int, doc("How many could be about several.", 1)]
    labelled: Annotated[int, doc("Labels that follow from them.", 2)]

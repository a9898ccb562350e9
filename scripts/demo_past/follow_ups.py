"""What people at the demo shop do about an order, and what comes back from banks: reviews, labels.

It is told for each decision that the engine can take; the engine's own is not known here.
"""

import random
from collections.abc import Iterator
from typing import Final

from gatehouse.admin.sandbox.use_cases.past import DAY_MS, DAYS, FollowUp, FollowUpKind, FollowUps
from gatehouse.core.stages.outcomes import Outcome
from gatehouse.core.wording.labels import Label
from scripts.demo_past.customers import new_dice
from scripts.demo_past.made_up_values import APPROVED, DECLINED, NOTES, PEOPLE
from scripts.demo_past.scenes import HOUR_MS, MINUTE_MS, DemoDraft, DemoTruth

_CONFIRMED: Final = 0.3
"""The share of good orders that are confirmed to be good."""
_LOOKED_AT: Final = 0.9
"""The share of declined fraud that somebody looks at and calls by its name."""
_NO_AUTHORISATION: Final = "10.4"
"""The reason code of most disputes: the cardholder says that somebody else paid."""
_OPEN_DAYS: Final = 9
_FRAUD_OPEN_DAYS: Final = 2
"""Only reviews that are younger may be open still."""
_UNTOUCHED: Final = 0.4
_UNRESOLVED: Final = 0.75
"""The shares of those that nobody has looked at, and that are not resolved."""


def follow_ups(draft: DemoDraft) -> FollowUps:
    """What is done about an order, should it come to review, and should it be accepted."""
    dice = new_dice(f"{draft.at_ms} {draft.body['clientReferenceId']}")
    return {
        Outcome.REVIEW: tuple(_review(dice, draft)),
        Outcome.ACCEPT: tuple(_labels(dice, draft)),
        Outcome.DECLINE: tuple(_looked_at(dice, draft)),
    }


def _review(dice: random.Random, draft: DemoDraft) -> Iterator[FollowUp]:
    person = dice.choice(PEOPLE)
    is_fraud = draft.truth is DemoTruth.FRAUD
    age_ms = DAYS * DAY_MS - draft.at_ms
    may_be_open = age_ms < (_FRAUD_OPEN_DAYS if is_fraud else _OPEN_DAYS) * DAY_MS
    stays = dice.random()
    if may_be_open and stays < _UNTOUCHED and not is_fraud:
        return
    after_ms = int(dice.uniform(0.2, 6) * HOUR_MS)
    yield FollowUp(after_ms, FollowUpKind.ASSIGN, person)
    stays_open = may_be_open and (is_fraud or stays < _UNRESOLVED)
    if stays_open or dice.random() < 0.5:
        after_ms += dice.randrange(2, 40) * MINUTE_MS
        yield FollowUp(after_ms, FollowUpKind.NOTE, person, dice.choice(NOTES))
    if stays_open:
        return
    after_ms += int(dice.uniform(0.1, 20) * HOUR_MS)
    kind = FollowUpKind.DECLINE if is_fraud else FollowUpKind.APPROVE
    yield FollowUp(after_ms, kind, person, dice.choice(DECLINED if is_fraud else APPROVED))


def _labels(dice: random.Random, draft: DemoDraft) -> Iterator[FollowUp]:
    """Banks take money back weeks later; some good orders are confirmed."""
    after_ms = int(dice.uniform(9, 20) * DAY_MS)
    if draft.truth is not DemoTruth.HONEST:
        yield FollowUp(after_ms, FollowUpKind.DISPUTE, words=_NO_AUTHORISATION)
    elif dice.random() < _CONFIRMED:
        yield FollowUp(after_ms, FollowUpKind.LABEL, words=Label.LEGITIMATE)


def _looked_at(dice: random.Random, draft: DemoDraft) -> Iterator[FollowUp]:
    """Somebody says of what was declined that it was fraud."""
    if draft.truth is DemoTruth.FRAUD and dice.random() < _LOOKED_AT:
        after_ms = int(dice.uniform(2, 30) * HOUR_MS)
        yield FollowUp(after_ms, FollowUpKind.LABEL, words=Label.FRAUD)

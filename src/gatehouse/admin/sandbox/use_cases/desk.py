"""What people at the demo shop did about decisions, and what came back from banks: reviews and
labels.

`follow_ups` says what, as a pure function of an order and its decision; `DemoDesk` does it, by the
use cases that people and programs call.
"""

import random
from collections.abc import Iterator
from enum import StrEnum
from typing import Final, NamedTuple

import msgspec

from gatehouse.access.actors import Actor
from gatehouse.admin.feedback.use_cases.record import record_many
from gatehouse.admin.lists.use_cases.lists import GivenEntries, NewEntries, add
from gatehouse.admin.reviews.use_cases.review_desk import Assignment, add_note, assign_review
from gatehouse.admin.reviews.use_cases.reviews import ReviewFinding, resolve_review
from gatehouse.admin.sandbox.use_cases.customers import new_dice
from gatehouse.admin.sandbox.use_cases.made_up_values import APPROVED, DECLINED, NOTES, PEOPLE
from gatehouse.admin.sandbox.use_cases.scenes import DAY_MS, HOUR_MS, MINUTE_MS, DemoTruth
from gatehouse.admin.sandbox.use_cases.story import DemoEntry, DemoOrder, DemoPlan
from gatehouse.core.errors import Conflict, GatehouseError
from gatehouse.core.stages.outcomes import Outcome
from gatehouse.core.wording.labels import Label
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.feedback.statements import FeedbackStatement, FeedbackSubject

_CONFIRMED: Final = 0.15
"""The share of good orders that are confirmed to be good."""
_OPEN_DAYS: Final = 9
_FRAUD_OPEN_DAYS: Final = 2
"""Only reviews that are younger may be open still."""
_UNTOUCHED: Final = 0.4
_UNRESOLVED: Final = 0.75
"""The shares of those that nobody has looked at, and that are not resolved."""


class FollowUpKind(StrEnum):
    """What is done about a decision."""

    ASSIGN = "ASSIGN"
    NOTE = "NOTE"
    APPROVE = "APPROVE"
    DECLINE = "DECLINE"
    LABEL = "LABEL"


class FollowUp(msgspec.Struct, frozen=True, order=True):
    """Something that is done about a decision later."""

    at_ms: int
    request_id: str
    kind: FollowUpKind
    who: str = ""
    words: str = ""
    """Of a note or a reason; of a label, its name."""
    amount_micros: int | None = None
    """What a bank took back."""


class DecidedOrder(NamedTuple):
    """An order with what the engine made of it."""

    order: DemoOrder
    request_id: str
    decision: Outcome | None
    closed_micros: int


def follow_ups(plan: DemoPlan, decided: DecidedOrder) -> list[FollowUp]:
    """What is done about an order until the end of the past."""
    # Whatever attempt it took: the same order has the same fate.
    dice = new_dice(decided.order.request_ids[0])
    if decided.decision is Outcome.REVIEW:
        found = _review(dice, plan, decided)
    elif decided.decision is Outcome.ACCEPT:
        found = _labels(dice, decided)
    else:
        return []
    return [each for each in found if each.at_ms < plan.end_ms]


def _review(dice: random.Random, plan: DemoPlan, decided: DecidedOrder) -> Iterator[FollowUp]:
    order, request_id = decided.order, decided.request_id
    person, at_ms = dice.choice(PEOPLE), order.at_ms
    is_fraud = order.truth is DemoTruth.FRAUD
    may_be_open = plan.end_ms - at_ms < (_FRAUD_OPEN_DAYS if is_fraud else _OPEN_DAYS) * DAY_MS
    stays = dice.random()
    if may_be_open and stays < _UNTOUCHED and not is_fraud:
        return
    at_ms += int(dice.uniform(0.2, 6) * HOUR_MS)
    yield FollowUp(at_ms, request_id, FollowUpKind.ASSIGN, person)
    stays_open = may_be_open and (is_fraud or stays < _UNRESOLVED)
    if stays_open or dice.random() < 0.5:
        at_ms += dice.randrange(2, 40) * MINUTE_MS
        yield FollowUp(at_ms, request_id, FollowUpKind.NOTE, person, dice.choice(NOTES))
    if stays_open:
        return
    at_ms += int(dice.uniform(0.1, 20) * HOUR_MS)
    kind = FollowUpKind.DECLINE if is_fraud else FollowUpKind.APPROVE
    reason = dice.choice(DECLINED if is_fraud else APPROVED)
    yield FollowUp(at_ms, request_id, kind, person, reason)


def _labels(dice: random.Random, decided: DecidedOrder) -> Iterator[FollowUp]:
    """Banks take money back weeks later; some good orders are confirmed."""
    order = decided.order
    at_ms = order.at_ms + int(dice.uniform(9, 20) * DAY_MS)
    label = FollowUp(at_ms, decided.request_id, FollowUpKind.LABEL, words=Label.LEGITIMATE)
    if order.truth is not DemoTruth.HONEST:
        amount = order.amount_micros
        yield msgspec.structs.replace(label, words=Label.CHARGEBACK, amount_micros=amount)
    elif dice.random() < _CONFIRMED:
        yield label


class DemoDesk:
    """Does what follows, in the names of the shop's people and of its program."""

    def __init__(self, session: AdminSession, account_id: str, key_id: str) -> None:
        """`session` has the moved clock."""
        self._session = session
        self._account_id = account_id
        self._key_id = key_id

    def do(self, follow_up: FollowUp) -> None:
        """Do one thing; what was done before is left as it is."""
        try:
            self._do(follow_up)
        except Conflict:
            # An earlier run, which was ended, came this far.
            return

    def enter(self, entry: DemoEntry) -> None:
        """Put something on a list."""
        days = entry.lifetime_days
        new = NewEntries(reason=entry.reason, lifetime_ms=None if days is None else days * DAY_MS)
        session = self._as(PEOPLE[0])
        add(session, self._account_id, entry.list_name, GivenEntries([entry.value]), new)

    def _do(self, what: FollowUp) -> None:
        place = self._account_id, what.request_id
        match what.kind:
            case FollowUpKind.ASSIGN:
                assign_review(self._as(what.who), *place, Assignment(what.who))
            case FollowUpKind.NOTE:
                add_note(self._as(what.who), *place, what.words)
            case FollowUpKind.LABEL:
                self._label(what)
            case kind:
                finding = ReviewFinding(kind is FollowUpKind.APPROVE, what.words)
                resolve_review(self._as(what.who), *place, finding)

    def _label(self, what: FollowUp) -> None:
        actor = Actor.key(self._key_id, self._account_id)
        amount = what.amount_micros
        statement = FeedbackStatement(
            Label(what.words), what.at_ms - 2 * HOUR_MS, amount, None if amount is None else "USD"
        )
        given = [(FeedbackSubject(request_id=what.request_id), statement)]
        [answer] = record_many(self._session.acting_as(actor), self._account_id, given)
        if isinstance(answer, GatehouseError):
            raise answer

    def _as(self, person: str) -> AdminSession:
        return self._session.acting_as(Actor.user(person, self._account_id))

"""Does what people at the demo shop did about decisions, and what came back from banks, by the use
cases that people and programs call.
"""

from typing import Final

from gatehouse.access.actors import Actor
from gatehouse.admin.feedback.use_cases.record import record_many
from gatehouse.admin.lists.use_cases.lists import GivenEntries, NewEntries, add
from gatehouse.admin.reviews.use_cases.review_desk import Assignment, add_note, assign_review
from gatehouse.admin.reviews.use_cases.reviews import ReviewFinding, resolve_review
from gatehouse.admin.sandbox.use_cases.past import DAY_MS, FollowUp, FollowUpKind, RecordedEntry
from gatehouse.core.errors import Conflict, GatehouseError
from gatehouse.core.wording.labels import Label
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.feedback.statements import FeedbackStatement, FeedbackSubject

_LISTS_ARE_KEPT_BY: Final = "dana"
_TOLD_AFTER_MS: Final = 2 * 3_600_000


class DemoDesk:
    """Does what follows, in the names of the shop's people and of its program."""

    def __init__(self, session: AdminSession, account_id: str, key_id: str) -> None:
        """`session` has the moved clock."""
        self._session = session
        self._account_id = account_id
        self._key_id = key_id

    def do(self, request_id: str, follow_up: FollowUp) -> None:
        """Do one thing; what was done before is left as it is."""
        try:
            self._do(request_id, follow_up)
        except Conflict:
            # An earlier run, which was ended, came this far.
            return

    def enter(self, entry: RecordedEntry) -> None:
        """Put something on a list."""
        days = entry.lifetime_days
        new = NewEntries(reason=entry.reason, lifetime_ms=None if days is None else days * DAY_MS)
        session = self._as(_LISTS_ARE_KEPT_BY)
        add(session, self._account_id, entry.list_name, GivenEntries([entry.value]), new)

    def _do(self, request_id: str, what: FollowUp) -> None:
        place = self._account_id, request_id
        match what.kind:
            case FollowUpKind.ASSIGN:
                assign_review(self._as(what.who), *place, Assignment(what.who))
            case FollowUpKind.NOTE:
                add_note(self._as(what.who), *place, what.words)
            case FollowUpKind.LABEL:
                self._label(request_id, what)
            case kind:
                finding = ReviewFinding(kind is FollowUpKind.APPROVE, what.words)
                resolve_review(self._as(what.who), *place, finding)

    def _label(self, request_id: str, what: FollowUp) -> None:
        actor = Actor.key(self._key_id, self._account_id)
        amount = what.amount_micros
        currency = None if amount is None else "USD"
        observed_ms = self._session.clock() - _TOLD_AFTER_MS
        statement = FeedbackStatement(Label(what.words), observed_ms, amount, currency)
        given = [(FeedbackSubject(request_id=request_id), statement)]
        [answer] = record_many(self._session.acting_as(actor), self._account_id, given)
        if isinstance(answer, GatehouseError):
            raise answer

    def _as(self, person: str) -> AdminSession:
        return self._session.acting_as(Actor.user(person, self._account_id))

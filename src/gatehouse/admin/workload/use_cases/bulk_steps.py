"""What a change of many decisions does with one of them, and how that is undone."""

from collections.abc import Callable, Mapping, Sequence
from typing import Final, Protocol

import msgspec

from gatehouse.access.actors import ActorKind
from gatehouse.admin.approvals.use_cases.approvals import ApprovalKind, check_approved
from gatehouse.admin.decisions.use_cases.decisions import get_decision
from gatehouse.admin.entities.types import entities_of
from gatehouse.admin.lists.use_cases.lists import GivenEntries, NewEntries, planned
from gatehouse.admin.reviews.use_cases.review_desk import Assignment, assign_review
from gatehouse.admin.reviews.use_cases.review_undo import reopen_in
from gatehouse.admin.reviews.use_cases.reviews import (
    AlreadyResolved,
    ReviewFinding,
    ReviewState,
    resolve_in,
    stored_review,
)
from gatehouse.admin.workload.types import BulkAction, BulkTerms
from gatehouse.core.errors import Conflict, NotFound
from gatehouse.core.wording.labels import Label, LabelSource
from gatehouse.core.wording.sentences import Phrase
from gatehouse.store.admin.admin_session import AdminSession, Change
from gatehouse.store.configured import lists
from gatehouse.store.configured.list_plans import ListKey, PlannedEntry, plan_adding
from gatehouse.store.feedback import feedback
from gatehouse.store.feedback.statements import FeedbackStatement, FeedbackSubject, LabelReport

_SAME: Final = Phrase("refused.bulk_same", "{request_id} is so already")
_CHANGED: Final = Phrase(
    "refused.bulk_changed", "{request_id} was changed by somebody since, which stays"
)
_NO_ENTITY: Final = Phrase("refused.bulk_no_entity", "{request_id} has no {kind}")

_DAY_MS: Final = 86_400_000
Prepared = Mapping[str, PlannedEntry]


class BulkStep(Protocol):
    """One kind of change. What is refused raises, before anything is written."""

    def prepare(self, request_ids: Sequence[str]) -> Prepared:
        """What has to be known before the transaction."""

    def do(self, change: Change, request_id: str, prepared: Prepared) -> str | None:
        """Change one decision; what undo needs to know."""

    def undo(self, change: Change, request_id: str, before: str | None, prepared: Prepared) -> None:
        """Bring one decision back."""


class _StepOfKind:
    """What the kinds have in common."""

    def __init__(self, session: AdminSession, account_id: str, terms: BulkTerms) -> None:
        self._session = session
        self._account_id = account_id
        self._terms = terms

    def prepare(self, request_ids: Sequence[str]) -> Prepared:
        """Nothing has to be known."""
        return {}


class _Resolve(_StepOfKind):
    """Resolves open reviews; undo opens them again."""

    def do(self, change: Change, request_id: str, prepared: Prepared) -> str | None:
        review = stored_review(change.connection, self._account_id, request_id)
        if review.state is not ReviewState.OPEN:
            raise AlreadyResolved(review)
        finding = ReviewFinding(self._terms.approve, self._terms.reason or "")
        resolve_in(change, self._account_id, request_id, finding)
        return None

    def undo(self, change: Change, request_id: str, before: str | None, prepared: Prepared) -> None:
        reopen_in(change, self._account_id, request_id, in_time=True)


class _Assign(_StepOfKind):
    """Gives reviews to a person, unless somebody else has them; undo gives them back."""

    def do(self, change: Change, request_id: str, prepared: Prepared) -> str | None:
        review = stored_review(change.connection, self._account_id, request_id)
        if review.state is not ReviewState.OPEN:
            raise AlreadyResolved(review)
        if review.assignee == self._terms.assignee:
            raise Conflict(_SAME(request_id=request_id))
        self._give(change, request_id, self._terms.assignee, take_over=False)
        return review.assignee

    def undo(self, change: Change, request_id: str, before: str | None, prepared: Prepared) -> None:
        review = stored_review(change.connection, self._account_id, request_id)
        if review.assignee != self._terms.assignee:
            raise Conflict(_CHANGED(request_id=request_id))
        self._give(change, request_id, before, take_over=True)

    def _give(
        self, change: Change, request_id: str, person: str | None, *, take_over: bool
    ) -> None:
        joined = self._session.joining(change)
        assign_review(joined, self._account_id, request_id, Assignment(person, take_over))


class _Label(_StepOfKind):
    """Says what requests were; undo says again what was said before, if nobody spoke since."""

    def do(self, change: Change, request_id: str, prepared: Prepared) -> str | None:
        label = self._terms.label
        assert label is not None
        said = feedback.history(change.connection, self._account_id, request_id)
        if (said[0].label if said else Label.WITHDRAWN) is label:
            raise Conflict(_SAME(request_id=request_id))
        self._say(change, request_id, FeedbackStatement(label))
        return None if not said else msgspec.json.encode(said[0].statement).decode()

    def undo(self, change: Change, request_id: str, before: str | None, prepared: Prepared) -> None:
        said = feedback.history(change.connection, self._account_id, request_id)
        ours = (self._terms.label, str(change.actor))
        if not said or (said[0].label, said[0].actor) != ours:
            raise Conflict(_CHANGED(request_id=request_id))
        withdrawn = FeedbackStatement(Label.WITHDRAWN)
        old = withdrawn if before is None else msgspec.json.decode(before, type=FeedbackStatement)
        self._say(change, request_id, old)

    def _say(self, change: Change, request_id: str, statement: FeedbackStatement) -> None:
        # `NotFound` for a request of another account.
        feedback.find(change.connection, self._account_id, FeedbackSubject(request_id=request_id))
        is_key = change.actor.kind is ActorKind.KEY
        source = LabelSource.API if is_key else LabelSource.COMMAND
        report = LabelReport(self._account_id, [request_id], statement, str(change.actor), source)
        feedback.record(change.connection, report, change.now_ms)
        about = {"label": statement.label.value, "requests": 1, "changed": 1}
        change.audit("feedback.add", self._account_id, **about, requestId=request_id)


class _List(_StepOfKind):
    """Puts who acted on a list, unless they are on it; undo takes them off."""

    def prepare(self, request_ids: Sequence[str]) -> Prepared:
        found: dict[str, PlannedEntry] = {}
        days, name = self._terms.days, self._terms.list or ""
        new = NewEntries(None, self._terms.reason, None if days is None else days * _DAY_MS)
        for request_id in request_ids:
            try:
                record = get_decision(self._session, self._account_id, request_id)
            except NotFound:
                continue
            values = [each.value for each in entities_of(record) if each.kind is self._terms.entity]
            if values:
                given = GivenEntries(values[:1])
                found[request_id] = planned(self._session, self._account_id, name, given, new)[0]
        return found

    def do(self, change: Change, request_id: str, prepared: Prepared) -> str | None:
        entry = self._entry(request_id, prepared)
        check_approved(change, self._account_id, ApprovalKind.LISTS)
        key = ListKey(self._account_id, self._terms.list or "")
        plan = plan_adding(change.connection, key, [entry], change.now_ms)
        if not plan.tally.added:
            raise Conflict(_SAME(request_id=request_id))
        lists.add(change, *key, None, [entry])
        return None

    def undo(self, change: Change, request_id: str, before: str | None, prepared: Prepared) -> None:
        entry = self._entry(request_id, prepared)
        check_approved(change, self._account_id, ApprovalKind.LISTS)
        lists.remove(change, self._account_id, self._terms.list or "", [entry])

    def _entry(self, request_id: str, prepared: Prepared) -> PlannedEntry:
        if request_id not in prepared:
            kind = self._terms.entity or ""
            raise NotFound(_NO_ENTITY(request_id=request_id, kind=str(kind)))
        return prepared[request_id]


_STEPS: Final[dict[BulkAction, Callable[..., BulkStep]]] = {
    BulkAction.RESOLVE: _Resolve,
    BulkAction.ASSIGN: _Assign,
    BulkAction.LABEL: _Label,
    BulkAction.LIST: _List,
}


def step_of(
    session: AdminSession, account_id: str, action: BulkAction, terms: BulkTerms
) -> BulkStep:
    """What is done with each decision."""
    session.actor.check_account(account_id)
    return _STEPS[action](session, account_id, terms)

"""Many decisions at once on both databases: done alike, each with its audit line, undone as one."""

import pytest
import sqlalchemy as sa

from gatehouse.access.actors import Actor
from gatehouse.admin.approvals.use_cases.approvals import set_wanted
from gatehouse.admin.entities.types import EntityType
from gatehouse.admin.lists.types import NewList
from gatehouse.admin.lists.use_cases import lists
from gatehouse.admin.lists.use_cases.lists import EntryPage
from gatehouse.admin.reviews.types import ReviewVerdict
from gatehouse.admin.reviews.use_cases.review_desk import Assignment, assign_review
from gatehouse.admin.reviews.use_cases.reviews import get_review
from gatehouse.admin.workload.tables import BULK_CHANGES
from gatehouse.admin.workload.types import (
    AssignMany,
    BulkAction,
    BulkState,
    BulkTerms,
    LabelMany,
    ListMany,
    ResolveMany,
)
from gatehouse.admin.workload.use_cases import bulk
from gatehouse.core.errors import ApprovalNeeded, Conflict, InvalidInput, NotFound
from gatehouse.core.wording.labels import Label
from gatehouse.rules.list_entries import ListKind
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.feedback import feedback
from gatehouse.store.tables import AUDIT
from tests.harness import make_account
from tests.store.reviewing import keep_payment, open_review


def _resolve(*request_ids: str) -> ResolveMany:
    return ResolveMany(
        request_ids=list(request_ids), resolution=ReviewVerdict.DECLINE, reason="one attack"
    )


def _states(session: AdminSession, account: str, *request_ids: str) -> list[str]:
    return [get_review(session, account, each).review.state for each in request_ids]


def _labels(session: AdminSession, account: str, request: str) -> list[Label]:
    with session.reading() as connection:
        return [one.label for one in feedback.history(connection, account, request)][::-1]


def _audited(session: AdminSession, account: str, action: str) -> int:
    with session.reading() as connection:
        query = sa.select(sa.func.count()).where(
            AUDIT.c.account_id == account, AUDIT.c.action == action
        )
        return connection.scalar(query) or 0


def test_a_typed_reason_stays_with_the_decisions_alone_and_without_card_numbers(
    session: AdminSession, account: str
) -> None:
    request = open_review(session, account)
    given = ResolveMany(
        request_ids=[request],
        resolution=ReviewVerdict.DECLINE,
        reason="Ann Archer, 4242 4242 4242 4242",
    )
    done = bulk.resolve_many(session, account, given)
    assert done.done == 1
    with session.reading() as connection:
        kept = "\n".join(connection.scalars(sa.select(BULK_CHANGES.c.terms)))
    assert "Ann" not in kept
    reason = get_review(session, account, request).review.reason or ""
    assert (reason[:10], "4242 4242" in reason) == ("Ann Archer", False)


def test_many_reviews_are_resolved_and_undone_as_one_but_for_what_cannot_be(
    session: AdminSession, account: str
) -> None:
    free = [open_review(session, account) for _ in range(6)]
    paid = open_review(session, account)
    keep_payment(session, account, paid)
    given = _resolve(*free, paid, "req_nothing")
    tried = bulk.resolve_many(session, account, given, dry_run=True)
    assert (tried.id, tried.done, tried.refused) == (None, 7, 1)
    assert _states(session, account, *free) == ["OPEN"] * 6
    done = bulk.resolve_many(session, account, given)
    assert (done.state, done.done, done.refused, done.pending) == (BulkState.DONE, 7, 1, 0)
    assert [each.request_id for each in done.refusals] == ["req_nothing"]
    assert _states(session, account, *free, paid) == ["DECLINED"] * 7
    assert _audited(session, account, "review.resolve") == 7
    again = bulk.resolve_many(session, account, given)
    assert (again.done, again.refused) == (0, 8)
    assert done.id is not None
    with pytest.raises(Conflict, match="only test"):
        bulk.undo(session.acting_as(Actor.operator("bob")), account, done.id)
    with pytest.raises(NotFound):
        bulk.undo(session, make_account(session), done.id)
    undone = bulk.undo(session, account, done.id)
    assert (undone.state, undone.undone, undone.kept) == (BulkState.UNDONE, 6, 1)
    assert "what becomes of money cannot be undone" in undone.refusals[0].why
    assert _states(session, account, *free, paid) == ["OPEN"] * 6 + ["DECLINED"]
    with pytest.raises(Conflict, match="only what is DONE"):
        bulk.undo(session, account, done.id)


def test_labels_and_assignments_go_back_to_what_they_were_unless_somebody_spoke_since(
    session: AdminSession, account: str
) -> None:
    first, second, taken = (open_review(session, account) for _ in range(3))
    bulk.label_many(session, account, LabelMany(request_ids=[first], label=Label.LEGITIMATE))
    both = [first, second]
    done = bulk.label_many(session, account, LabelMany(request_ids=both, label=Label.FRAUD))
    assert _audited(session, account, "feedback.add") == 3
    bulk.label_many(session, account, LabelMany(request_ids=[second], label=Label.CHARGEBACK))
    undone = bulk.undo(session, account, done.id or "")
    assert (undone.undone, undone.kept) == (1, 1)
    assert _labels(session, account, first)[-1] is Label.LEGITIMATE
    assert _labels(session, account, second)[-1] is Label.CHARGEBACK
    assign_review(session, account, taken, Assignment("amelia"))
    given = AssignMany(request_ids=[first, taken], assignee="bob")
    shared = bulk.assign_many(session, account, given)
    assert (shared.done, shared.refused) == (1, 1)
    assert get_review(session, account, taken).review.assignee == "amelia"
    bulk.undo(session, account, shared.id or "")
    assert get_review(session, account, first).review.assignee is None


def test_who_acted_is_put_on_a_list_under_two_pairs_of_eyes_if_wanted(
    session: AdminSession, account: str
) -> None:
    def listed() -> list[str]:
        page = EntryPage(session.clock(), 10)
        return [each.value for each in lists.entries(session, account, "bad", page)]

    lists.create(session, account, NewList("bad", ListKind.USERS))
    known = {"order.amount": 9.0, "order.currency": "USD"}
    ids = [
        open_review(session, account, signals={**known, "user.id": user})
        for user in ("u-1", "u-2", "u-1")
    ]
    nobody = open_review(session, account, signals=known)
    given = ListMany(
        request_ids=[*ids, nobody], list="bad", entity=EntityType.USER, reason="one attack"
    )
    done = bulk.put_many_on_list(session, account, given)
    assert (done.done, done.refused, sorted(listed())) == (2, 2, ["u-1", "u-2"])
    assert bulk.undo(session, account, done.id or "").undone == 2
    assert listed() == []
    set_wanted(session, account, ["lists"])
    with pytest.raises(ApprovalNeeded):
        bulk.put_many_on_list(session, account, given)


def test_what_is_too_much_or_nothing_is_refused_with_a_sentence(
    session: AdminSession, account: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, other = open_review(session, account), open_review(session, account)
    with pytest.raises(InvalidInput, match="nothing to do"):
        bulk.begin_with(session, account, BulkAction.LABEL, BulkTerms(label=Label.FRAUD), [])
    monkeypatch.setattr(bulk, "MOST_MEANT", 1)
    with pytest.raises(InvalidInput, match="more than 1 decisions fit"):
        bulk.resolve_many(session, account, _resolve(one, other))


def test_more_than_a_few_are_a_job_that_goes_on_where_it_was_interrupted(
    session: AdminSession, account: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    ids = [open_review(session, account) for _ in range(12)]
    monkeypatch.setattr(bulk, "DONE_AT_ONCE", 10)
    begun = bulk.resolve_many(session, account, _resolve(*ids))
    assert (begun.state, begun.pending) == (BulkState.RUNNING, 12)

    def stop(done: int, total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        bulk.carry_out(session, account, begun.id or "", stop)
    assert bulk.get(session, account, begun.id or "").done == 5
    assert bulk.carry_out(session, account, begun.id or "").done == 12
    assert _audited(session, account, "review.resolve") == 12

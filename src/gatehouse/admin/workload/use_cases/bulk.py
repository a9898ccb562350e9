"""Many decisions at once: carried out a few at a time, and undone as one for ten minutes.

Few are done before the answer, more by a job. Each decision has its own audit line and its own
events, as if it had been changed alone; what cannot be done with one does not stop the others.
"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, Final

import msgspec

from gatehouse.access.roles import Permission
from gatehouse.admin.approvals.use_cases.approvals import ApprovalKind, check_allowed
from gatehouse.admin.jobs.types import BulkOrder, JobKind
from gatehouse.admin.jobs.use_cases import start_job
from gatehouse.admin.reviews.types import LONGEST_REASON
from gatehouse.admin.reviews.use_cases.reviews import open_among
from gatehouse.admin.search.use_cases.exporting import found_ids
from gatehouse.admin.workload import queries
from gatehouse.admin.workload.queries import BulkItem, StoredBulk
from gatehouse.admin.workload.types import (
    DONE_AT_ONCE,
    MOST_MEANT,
    MOST_TOLD,
    UNDO_MS,
    AssignMany,
    BulkAction,
    BulkId,
    BulkRefusal,
    BulkSelection,
    BulkShown,
    BulkState,
    BulkTerms,
    ItemState,
    LabelMany,
    ListMany,
    ResolveMany,
)
from gatehouse.admin.workload.use_cases.bulk_steps import step_of
from gatehouse.core.cards.redaction import recordable
from gatehouse.core.clock import Moment, moment
from gatehouse.core.errors import Conflict, GatehouseError, InvalidInput, NotFound
from gatehouse.core.ids import is_id
from gatehouse.core.wording.notes import noted, read_note
from gatehouse.core.wording.sentences import Phrase, said_by
from gatehouse.store.admin.admin_session import AdminSession, Reading
from gatehouse.store.admin.throttle import Pace
from gatehouse.store.admin.use_case import MOST_DOCUMENT_BYTES, OF_DECISIONS, use_case
from gatehouse.store.configured import list_reading
from gatehouse.store.decisions.review_events import storable_words

_MANY: Final = Phrase(
    "refused.bulk_many",
    "more than {most} decisions fit, which is the most at once; say more exactly which",
)
_NONE: Final = Phrase("refused.bulk_none", "no decision fits, so there is nothing to do")
_NO_BULK: Final = Phrase("refused.no_bulk", "account {account} has no bulk change {id}")
_NOT_YOURS: Final = Phrase("refused.bulk_not_yours", "only {actor}, who made it, can undo it")
_NOT_DONE: Final = Phrase("refused.bulk_not_done", "it is {state}; only what is DONE is undone")
_LATE: Final = Phrase(
    "refused.bulk_late", "it ended more than {minutes} minutes ago and cannot be undone any more"
)

# As for single reviews: one takes some 7 ms, and requests wait for the write lock meanwhile.
_IN_ONE_TRANSACTION: Final = 5
_ABOUT_REVIEWS: Final = (BulkAction.RESOLVE, BulkAction.ASSIGN)
_TERMS: Final[dict[str, Any]] = {
    "answers": "bulkResponse",
    "permission": Permission.REVIEW,
    "most_bytes": MOST_DOCUMENT_BYTES,
    "names_cards": True,
    "example": {"requestIds": ["req_01kabcdefghjkmnpqrstvwxyz0"]},
}
Reached = Callable[[int, int], None]


class _NothingToWrite(Exception):
    """Ends a change that has nothing to write, and so no audit line."""


@use_case("POST /bulk/resolutions", scope="manage:feedback", **_TERMS)
def resolve_many(
    session: AdminSession, account_id: str, given: ResolveMany, dry_run: bool = False
) -> BulkShown:
    """Resolve the reviews of many decisions.

    One verdict on those that are open. With a search, all that fit are meant, up to 10,000. More
    than 50 are a job: ask for the change until it is `DONE`. For ten minutes it can be undone.
    """
    return begin(session, account_id, BulkAction.RESOLVE, given, dry_run=dry_run)


@use_case("POST /bulk/labels", scope="manage:feedback", **_TERMS)
def label_many(
    session: AdminSession, account_id: str, given: LabelMany, dry_run: bool = False
) -> BulkShown:
    """Label many decisions.

    Says what each turned out to be, as feedback does.
    """
    return begin(session, account_id, BulkAction.LABEL, given, dry_run=dry_run)


@use_case("POST /bulk/assignments", scope="manage:feedback", **_TERMS)
def assign_many(
    session: AdminSession, account_id: str, given: AssignMany, dry_run: bool = False
) -> BulkShown:
    """Assign many reviews.

    Gives the open reviews to a person, or to nobody. What somebody else has is left with them.
    """
    return begin(session, account_id, BulkAction.ASSIGN, given, dry_run=dry_run)


@use_case(
    "POST /bulk/entries",
    scope="manage:lists",
    rights=OF_DECISIONS,
    **{**_TERMS, "permission": Permission.CONFIGURE},
)
def put_many_on_list(
    session: AdminSession, account_id: str, given: ListMany, dry_run: bool = False
) -> BulkShown:
    """Put who acted in many decisions on a list.

    Such as the users, cards or devices of them. What is on the list already is left as it is.
    """
    return begin(session, account_id, BulkAction.LIST, given, dry_run=dry_run)


@use_case(
    "GET /bulk/{bulkId}",
    scope="manage:feedback",
    permission=Permission.SEE,
    operation="getBulkChange",
    answers="bulkResponse",
)
def get(reading: Reading, account_id: str, bulk_id: BulkId) -> BulkShown:
    """Show a bulk change.

    How far it is, what was left as it was, and why.
    """
    connection = reading.connection
    found = queries.get_bulk(connection, account_id, bulk_id)
    if found is None:
        raise NotFound(_NO_BULK(account=account_id, id=recordable(bulk_id[:40])))
    counts = queries.count_items(connection, account_id, bulk_id)
    left = (ItemState.REFUSED, ItemState.KEPT)
    actor = reading.session.actor
    is_told = found.actor == str(actor) or actor.may(*OF_DECISIONS)
    most = MOST_TOLD if is_told else 0
    told = queries.items_in(connection, account_id, bulk_id, left, most)
    ended = found.ended_at_ms
    return BulkShown(
        id=found.id,
        action=found.action,
        state=found.state,
        at=Moment(found.at_ms),
        by=found.actor,
        undo_until=moment(None if ended is None else ended + UNDO_MS),
        **{each.value.lower(): counts.get(each.value, 0) for each in ItemState},
        refusals=[BulkRefusal(each.request_id, read_note(each.why or "")) for each in told],
        dry_run=False,
    )


@use_case(
    "POST /bulk/{bulkId}/undo",
    scope="manage:feedback",
    permission=Permission.REVIEW,
    operation="undoBulkChange",
    answers="bulkResponse",
)
def undo(session: AdminSession, account_id: str, bulk_id: BulkId) -> BulkShown:
    """Undo a bulk change.

    For ten minutes after its end, by the one who made it. Each decision is brought back on its own:
    a review that a payment waited for, and what somebody has changed since, stay as they are.
    """
    shown = get(session, account_id, bulk_id)
    with session.account_change(account_id) as change:
        found = queries.get_bulk(change.connection, account_id, bulk_id)
        assert found is not None
        if found.actor != str(change.actor):
            raise Conflict(_NOT_YOURS(actor=found.actor))
        if found.state is not BulkState.DONE:
            raise Conflict(_NOT_DONE(state=found.state.value))
        if (found.ended_at_ms or 0) + UNDO_MS < change.now_ms:
            raise Conflict(_LATE(minutes=UNDO_MS // 60_000))
        queries.set_state(change.connection, account_id, bulk_id, BulkState.UNDOING)
        change.audit("bulk.undo", account_id, bulkId=bulk_id, count=shown.done)
    return _go_on(session, account_id, bulk_id, shown.done)


def begin(
    session: AdminSession,
    account_id: str,
    action: BulkAction,
    given: ResolveMany | LabelMany | AssignMany | ListMany,
    *,
    dry_run: bool = False,
) -> BulkShown:
    """Begin a change of the decisions that are named or fit."""
    return begin_with(
        session, account_id, action, given.terms, selected(session, account_id, given), dry_run
    )


def selected(session: AdminSession, account_id: str, given: BulkSelection) -> list[str]:
    """The decisions that are meant; `InvalidInput` when they are too many."""
    session.actor.check_account(account_id)
    if given.search is None:
        # What is no id of a request is told as refused, and may be anything that was typed.
        named = dict.fromkeys(given.request_ids or ())
        return [each if is_id(each, "req") else recordable(each) for each in named]
    return found_ids(session, account_id, given.search, MOST_MEANT + 1)


def begin_with(
    session: AdminSession,
    account_id: str,
    action: BulkAction,
    terms: BulkTerms,
    request_ids: Sequence[str],
    dry_run: bool = False,
) -> BulkShown:
    """Begin a change of these decisions."""
    if not request_ids:
        raise InvalidInput(_NONE())
    if len(request_ids) > MOST_MEANT:
        raise InvalidInput(_MANY(most=MOST_MEANT))
    if action is BulkAction.RESOLVE:
        storable_words(terms.reason or "", LONGEST_REASON, "reason")
    if terms.reason is not None:
        terms = msgspec.structs.replace(terms, reason=recordable(terms.reason))
    with session.account_reading(account_id) as connection:
        if action is BulkAction.LIST:
            list_reading.kind_of(connection, account_id, terms.list or "")
            check_allowed(connection, session.actor, account_id, ApprovalKind.LISTS)
        if dry_run:
            about_reviews = action in _ABOUT_REVIEWS
            fit = open_among(connection, account_id, request_ids) if about_reviews else request_ids
            return _planned(session, action, len(request_ids), len(fit))
    with session.account_change(account_id) as change:
        bulk_id = change.new_id("blk")
        new = StoredBulk(
            bulk_id, change.now_ms, str(change.actor), action, terms, BulkState.RUNNING
        )
        queries.add_bulk(change, account_id, new, request_ids)
        about = {"bulkId": bulk_id, "change": action.value, "count": len(request_ids)}
        change.audit("bulk.begin", account_id, **about)
    return _go_on(session, account_id, bulk_id, len(request_ids))


def carry_out(
    session: AdminSession, account_id: str, bulk_id: str, reached: Reached | None = None
) -> BulkShown:
    """Do what is left of a change, or of its undo; after an interruption again, the rest."""
    with session.account_reading(account_id) as connection:
        found = queries.get_bulk(connection, account_id, bulk_id)
    assert found is not None
    undoing = found.state is BulkState.UNDOING
    wanted = ItemState.DONE if undoing else ItemState.PENDING
    pace, done = Pace(session.database), 0
    while found.state in (BulkState.RUNNING, BulkState.UNDOING):
        with session.reading() as connection:
            items = queries.items_in(connection, account_id, bulk_id, [wanted], _IN_ONE_TRANSACTION)
            left = queries.count_items(connection, account_id, bulk_id).get(wanted, 0)
        if not items:
            break
        _Turn(session, account_id, found, pace).take(items)
        done += len(items)
        if reached is not None:
            reached(done, done + left - len(items))
    with session.database.writing() as connection:
        state = BulkState.UNDONE if undoing else BulkState.DONE
        # What somebody typed stands with each decision now, and nowhere else.
        terms = msgspec.json.encode(msgspec.structs.replace(found.terms, reason=None)).decode()
        ended = {"terms": terms} if undoing else {"terms": terms, "ended_at_ms": session.clock()}
        queries.set_state(connection, account_id, bulk_id, state, **ended)
    return get(session, account_id, bulk_id)


class _Turn:
    """Some decisions in one transaction."""

    def __init__(
        self, session: AdminSession, account_id: str, bulk: StoredBulk, pace: Pace
    ) -> None:
        self._session = session
        self._account_id = account_id
        self._bulk = bulk
        self._pace = pace
        self._step = step_of(session, account_id, bulk.action, bulk.terms)

    def take(self, items: Sequence[BulkItem]) -> None:
        """Do or undo each, and note what became of it."""
        prepared = self._step.prepare([each.request_id for each in items])
        ended: list[BulkItem] = []
        # Servers look lists up in a copy; reviews and labels they do not.
        unseen = self._bulk.action is not BulkAction.LIST
        with (
            suppress(_NothingToWrite),
            self._pace.turn(),
            self._session.change(unseen=unseen) as change,
        ):
            for item in items:
                try:
                    ended.append(self._one(change, item, prepared))
                except GatehouseError as refused:
                    state = ItemState.KEPT if self._is_undo else ItemState.REFUSED
                    why = noted(said_by(refused))
                    ended.append(BulkItem(item.request_id, state, change.now_ms, item.before, why))
            if change.audit_head is None:
                raise _NothingToWrite
            self._note(change.connection, ended)
            return
        with self._session.writing() as connection:
            self._note(connection, ended)

    @property
    def _is_undo(self) -> bool:
        return self._bulk.state is BulkState.UNDOING

    def _one(self, change: Any, item: BulkItem, prepared: Any) -> BulkItem:
        name, now_ms = item.request_id, change.now_ms
        if self._is_undo:
            self._step.undo(change, name, item.before, prepared)
            return BulkItem(name, ItemState.UNDONE, now_ms, item.before)
        return BulkItem(name, ItemState.DONE, now_ms, self._step.do(change, name, prepared))

    def _note(self, connection: Any, ended: Sequence[BulkItem]) -> None:
        for each in ended:
            queries.set_item(connection, self._account_id, self._bulk.id, each)


def _go_on(session: AdminSession, account_id: str, bulk_id: str, count: int) -> BulkShown:
    """Carry a change out now if it is small, else as a job."""
    if count <= DONE_AT_ONCE:
        return carry_out(session, account_id, bulk_id)
    start_job(session, account_id, JobKind.BULK, BulkOrder(bulk_id))
    return get(session, account_id, bulk_id)


def _planned(session: AdminSession, action: BulkAction, meant: int, fit: int) -> BulkShown:
    return BulkShown(
        id=None,
        action=action,
        state=BulkState.DONE,
        at=Moment(session.clock()),
        by=str(session.actor),
        undo_until=None,
        **{"pending": 0, "done": fit, "refused": meant - fit, "undone": 0, "kept": 0},
        refusals=[],
        dry_run=True,
    )

"""Use case: erase a person from everything that an account has.

Decision records become anonymous. The ledger, and the audit trail, which never named the person,
stay.
"""

import logging
from typing import Final

import msgspec

from gatehouse.admin.people.queries import saved_searches
from gatehouse.admin.privacy.queries.erasing import RequestEraser
from gatehouse.admin.privacy.queries.kept_answers import LONGEST_KEPT_MS, drop_answers, find_answers
from gatehouse.admin.privacy.queries.waiting import not_over
from gatehouse.admin.privacy.use_cases.person import DataSubject, PersonNamed
from gatehouse.admin.search.use_cases.people import requests_about
from gatehouse.core.errors import StoreUnavailable
from gatehouse.core.ids import first_id
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.admin.throttle import Pace, batch_of
from gatehouse.store.configured import lists
from gatehouse.store.decisions import forgotten_events, record_changes
from gatehouse.store.identities import erasure
from gatehouse.store.identities.identities import overwrite_deleted
from gatehouse.store.search.indexing import is_complete

_log: Final = logging.getLogger("gatehouse.admin")

_AT_ONCE: Final = 100
_AUDITED: Final = (
    *("erasureId", "decisions", "reviews", "answers", "identityRecords", "listEntries"),
    *("listEntriesKept", "waiting"),
)
MOST_NAMED: Final = 100
"""How many requests that wait are named; the others are counted."""


class ErasureOptions(msgspec.Struct, frozen=True):
    """How a person is erased."""

    lists: bool = False
    """Whether entries of lists name the person no more; they go on matching."""
    dry_run: bool = False
    compact: bool | None = None
    """Whether unused space is cleared; None does it if that is quick."""


class ErasedPerson(msgspec.Struct, rename="camel"):
    """What was erased, or would be."""

    erasure_id: str | None
    """Names the erasure in the audit trail; None for a dry run."""
    named_by: list[str]
    decisions: int = 0
    labels_kept: int = 0
    """Labels of these decisions, which say nothing about anybody any more."""
    reviews: int = 0
    outcomes: int = 0
    """What became of these payments, which no longer names payment or card."""
    answers: int = 0
    """Answers that were kept for repeated requests."""
    identity_records: int = 0
    list_entries: int = 0
    """Entries of lists that name nobody any more."""
    list_entries_kept: int = 0
    waiting: int = 0
    """Requests with an open review or a payment in doubt, which were left as they are."""
    waiting_requests: list[str] = []
    index_complete: bool = True
    """Whether all decisions of earlier versions could be found."""
    compacted: bool = False
    archives: list[str] = []
    """Archives of the account, which hold the person until they are brought up to date."""

    def note_waiting(self, request_ids: list[str]) -> None:
        """Count requests that wait, and name the first of them."""
        self.waiting += len(request_ids)
        self.waiting_requests += request_ids[: MOST_NAMED - len(self.waiting_requests)]


def erase_person(
    session: AdminSession,
    account_id: str,
    person: PersonNamed,
    options: ErasureOptions,
    pace: Pace | None = None,
) -> ErasedPerson:
    """Erase a person; doing it again does what was left, and harms nothing."""
    subject = DataSubject(session, account_id, person)
    if options.dry_run:
        return _foresee(session, subject, options)
    with session.account_change(account_id) as change:
        result = ErasedPerson(change.new_id("ers"), subject.named_by)
        result.index_complete = is_complete(change.connection)
        erasure.mark_due(change)
        # The values stay out of a log from which nothing can be erased, and so do hashes of them.
        about = {"erasureId": result.erasure_id, "namedBy": subject.named_by}
        change.audit("privacy.erase-begin", account_id, **about)
    pace = pace or Pace(session.database)
    _erase_requests(session, subject, result, pace)
    _erase_identities(session, subject, result, pace)
    _erase_entries(session, subject, result, wanted=options.lists)
    with session.account_change(account_id) as change:
        done = msgspec.to_builtins(result)
        searches = saved_searches.erase(
            change.connection, change.ring, account_id, subject.named_values
        )
        result.archives = record_changes.archived_to(change.connection, account_id)
        counts = {name: done[name] for name in _AUDITED}
        change.audit("privacy.erase", account_id, **counts, savedSearches=searches)
    try:
        result.compacted = erasure.tidy(session, options.compact)
    except StoreUnavailable as error:
        # The person is erased, and the caller still has archives to bring up to date.
        _log.warning("unused space could not be cleared", extra={"reason": str(error)})
    return result


def _erase_requests(
    session: AdminSession, subject: DataSubject, result: ErasedPerson, pace: Pace
) -> None:
    eraser = RequestEraser(session, subject.account_id)
    oldest_answer = first_id("req", session.clock() - LONGEST_KEPT_MS)
    answered: set[str] = set()
    found = requests_about(session, subject.account_id, subject.terms, batch=_AT_ONCE)
    for request_ids in found:
        with pace.turn(), batch_of(session) as connection:
            done = eraser.erase(connection, request_ids)
        result.decisions += len(done.erased)
        result.reviews += done.reviews
        result.outcomes += done.outcomes
        result.labels_kept += done.labels
        result.note_waiting(done.waiting)
        answered.update(each for each in done.erased if each > oldest_answer)
    if answered:
        claims = find_answers(session.database, answered.__contains__)
        result.answers = drop_answers(session, claims, pace)
    with pace.turn(), batch_of(session) as connection:
        forgotten_events.delete_old(connection, session.clock())


def _erase_identities(
    session: AdminSession, subject: DataSubject, result: ErasedPerson, pace: Pace
) -> None:
    with session.reading() as connection:
        selectors = subject.identity_selectors(connection)
    for selector in selectors:
        reason = f"erasure {result.erasure_id}"
        scope = subject.account_id
        result.identity_records += erasure.erase(scope, selector, reason, session, pace)


def _erase_entries(
    session: AdminSession, subject: DataSubject, result: ErasedPerson, *, wanted: bool
) -> None:
    account_id = subject.account_id
    with session.account_reading(account_id) as connection:
        found = [each for each in subject.list_entries(connection) if each.names]
    if not found or not wanted:
        result.list_entries_kept = len(found)
        return
    by_list: dict[str, set[str]] = {}
    for each in found:
        by_list.setdefault(each.list, set()).add(each.entry.value)
    with session.account_change(account_id) as change:
        overwrite_deleted(change.connection)
        for name, values in by_list.items():
            result.list_entries += lists.erase(change, account_id, name, sorted(values))
        change.audit("list.erase", account_id, lists=sorted(by_list), erased=result.list_entries)


def _foresee(session: AdminSession, subject: DataSubject, options: ErasureOptions) -> ErasedPerson:
    """What an erasure would do now."""
    account_id = subject.account_id
    result = ErasedPerson(None, subject.named_by)
    oldest_answer = first_id("req", session.clock() - LONGEST_KEPT_MS)
    answered: set[str] = set()
    for request_ids in requests_about(session, account_id, subject.terms):
        with session.account_reading(account_id) as connection:
            waiting = not_over(connection, account_id, request_ids)
        result.decisions += len(request_ids) - len(waiting)
        result.note_waiting(sorted(waiting))
        answered.update(each for each in request_ids if each > oldest_answer)
        answered -= waiting
    if answered:
        result.answers = len(find_answers(session.database, answered.__contains__))
    with session.account_reading(account_id) as connection:
        result.index_complete = is_complete(connection)
        result.identity_records = sum(1 for _ in subject.identity_records(connection))
        result.archives = record_changes.archived_to(connection, account_id)
        entries = sum(each.names for each in subject.list_entries(connection))
    if options.lists:
        result.list_entries = entries
    else:
        result.list_entries_kept = entries
    return result

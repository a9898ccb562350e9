"""Use case: everything that an account has about a person, as one JSON object.

It is written piece by piece, so that memory does not grow with what there is.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final

import msgspec

from gatehouse.admin.evidence.use_cases.exporting import kept_about
from gatehouse.admin.identities.use_cases.masking import clear_record
from gatehouse.admin.outcomes.use_cases.listing import outcomes_of_requests
from gatehouse.admin.privacy.use_cases.person import DataSubject, FoundEntry, PersonNamed
from gatehouse.admin.reviews.queries import reviews
from gatehouse.admin.reviews.queries.reviews import StoredReview
from gatehouse.admin.search.use_cases.people import requests_about
from gatehouse.core.clock import iso_time, time_or_none
from gatehouse.core.wording.sentences import plain
from gatehouse.decisions.record import UnreadableRecord, encode_named
from gatehouse.decisions.record_fingerprints import decode
from gatehouse.sentry.records.event import past_event_in
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.decisions import records
from gatehouse.store.decisions.review_events import ReviewEvent, history
from gatehouse.store.feedback import feedback_history
from gatehouse.store.feedback.statements import LabelEntry
from gatehouse.store.identities.identity_sealer import StoredHolder

_AT_ONCE: Final = 200
_MOST_ENTITIES: Final = 100_000

Write = Callable[[bytes], object]


class PersonCounts(msgspec.Struct, rename="camel"):
    """How much was exported."""

    decisions: int = 0
    labels: int = 0
    reviews: int = 0
    outcomes: int = 0
    identity_records: int = 0
    list_entries: int = 0
    remembered: int = 0
    """Entities of Sentry's memory that these decisions made."""
    evidence: int = 0
    """What was kept for disputes."""


class _Seen(msgspec.Struct, rename="camel"):
    """How often something was seen."""

    events: int
    first_at: str
    last_at: str


def export_person(
    session: AdminSession, account_id: str, person: PersonNamed, write: Write
) -> PersonCounts:
    """Write everything about a person of an account; that it was done is audited first."""
    subject = DataSubject(session, account_id, person)
    with session.account_change(account_id) as change:
        change.audit("privacy.export", account_id, namedBy=subject.named_by)
        about = {
            "accountId": account_id,
            "exportedAt": iso_time(change.now_ms),
            "namedBy": subject.named_by,
        }
    return _Export(session, subject, write).write(about)


class _Export:
    """One export while it is written."""

    def __init__(self, session: AdminSession, subject: DataSubject, write: Write) -> None:
        self._session = session
        self._subject = subject
        self._write = write
        self._labels: list[Any] = []
        self._reviews: list[Any] = []
        self._outcomes: list[Any] = []
        self._evidence: list[Any] = []
        self._seen: dict[tuple[str, str], _Seen] = {}

    def write(self, about: dict[str, Any]) -> PersonCounts:
        """Write all of it."""
        self._write(msgspec.json.encode(about)[:-1])
        counts = PersonCounts()
        counts.decisions = self._array("decisions", self._decisions())
        counts.labels = self._array("labels", self._labels)
        counts.reviews = self._array("reviews", self._reviews)
        counts.outcomes = self._array("outcomes", self._outcomes)
        counts.evidence = self._array("evidence", self._evidence)
        with self._session.account_reading(self._subject.account_id) as connection:
            people = map(self._person, self._subject.identity_records(connection))
            counts.identity_records = self._array("identityRecords", people)
            entries = self._subject.list_entries(connection)
        counts.list_entries = self._array("listEntries", map(_entry, entries))
        remembered = (
            {"kind": kind, "value": value, **msgspec.to_builtins(seen)}
            for (kind, value), seen in self._seen.items()
        )
        counts.remembered = self._array("memory", remembered)
        self._write(b"}\n")
        return counts

    def _array(self, name: str, items: Iterable[Any]) -> int:
        self._write(f',\n"{name}":['.encode())
        number = 0
        for item in items:
            self._write((b",\n" if number else b"\n") + msgspec.json.encode(item))
            number += 1
        self._write(b"]")
        return number

    def _decisions(self) -> Iterator[msgspec.Raw]:
        account_id = self._subject.account_id
        for ids in requests_about(self._session, account_id, self._subject.terms, batch=_AT_ONCE):
            with self._session.account_reading(account_id) as connection:
                texts = records.texts_of(connection, account_id, ids)
                labels = feedback_history.entries_of(connection, account_id, ids)
                became = outcomes_of_requests(connection, account_id, ids)
                self._outcomes += msgspec.to_builtins(became, enc_hook=plain)
                self._evidence += kept_about(connection, self._session.ring, account_id, ids)
                found = [
                    _review(each, history(connection, account_id, each.request_id))
                    for each in reviews.get_many(connection, account_id, ids)
                ]
            self._labels += [each for some in labels.values() for each in map(_label, some)]
            self._reviews += found
            for text in texts:
                self._remember(text)
                yield self._shown(text)

    def _shown(self, text: str) -> msgspec.Raw:
        try:
            record = decode(self._subject.account_id, text, self._session.fingerprints)
        except UnreadableRecord:
            return msgspec.Raw(text.encode())
        return msgspec.Raw(encode_named(record).encode())

    def _remember(self, text: str) -> None:
        past = past_event_in(self._subject.account_id, text)
        if past is None or not past.counted or len(self._seen) > _MOST_ENTITIES:
            return
        at = iso_time(round(past.event.at_s * 1000))
        for kind, value in past.event.entities:
            seen = self._seen.setdefault((kind.name.lower(), value), _Seen(0, at, at))
            seen.events += 1
            seen.first_at, seen.last_at = min(seen.first_at, at), max(seen.last_at, at)

    def _person(self, stored: StoredHolder) -> dict[str, Any]:
        card = self._session.fingerprints.of_account(self._subject.account_id, stored.entry.card)
        entry = msgspec.structs.replace(stored.entry, card=card)
        clear = clear_record(msgspec.structs.replace(stored, entry=entry))
        return {"id": stored.person_id, "updatedAt": iso_time(stored.updated_at_ms), **clear}


def _label(entry: LabelEntry) -> dict[str, Any]:
    return {
        "requestId": entry.request_id,
        "label": entry.label,
        "when": time_or_none(entry.found_at_ms),
        "recordedAt": time_or_none(entry.recorded_at_ms),
        "source": entry.source,
        "by": entry.actor,
    }


def _review(review: StoredReview, events: list[ReviewEvent]) -> dict[str, Any]:
    return {
        "requestId": review.request_id,
        "createdAt": time_or_none(review.at_ms),
        "status": review.state,
        "resolvedAt": time_or_none(review.resolved_at_ms),
        "resolvedBy": review.actor,
        "reason": review.reason,
        "history": [
            {
                "at": time_or_none(each.at_ms),
                "by": each.actor,
                "kind": each.kind,
                "text": each.words,
            }
            for each in events
        ],
    }


def _entry(found: FoundEntry) -> dict[str, Any]:
    entry = found.entry
    return {
        "list": found.list,
        "value": entry.value,
        "shown": entry.shown,
        "reason": entry.reason,
        "addedAt": time_or_none(entry.added_at_ms),
        "expiresAt": time_or_none(entry.expires_at_ms),
        "removedAt": time_or_none(entry.removed_at_ms),
    }

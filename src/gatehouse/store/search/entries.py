"""What is kept in the index about decisions: named by the decision itself, or by its record."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

import sqlalchemy as sa
from msgspec.structs import asdict

from gatehouse.core.cards.fingerprints import Fingerprints
from gatehouse.decisions.record import UnreadableRecord
from gatehouse.decisions.record_fingerprints import decode
from gatehouse.decisions.search_terms import (
    SearchEntry,
    TermMaker,
    WaitingTerms,
    entries_of,
    is_of_a_person,
    pack_terms,
    unpack_amount,
    unpack_terms,
)
from gatehouse.store.search.position import note_forgotten
from gatehouse.store.tables import DECISIONS, SEARCH_WAITING

_ADD: Final = sa.text(
    "INSERT INTO search_entries (term, request_id, amount) VALUES (:term, :request_id, :amount)"
    " ON CONFLICT DO NOTHING"
)
_REMOVE: Final = sa.text(
    "DELETE FROM search_entries WHERE term = :term AND request_id = :request_id"
)
_IDS_AT_ONCE: Final = 500


class SearchIndex:
    """Adds decisions to the index and takes them out, with the keys of an installation."""

    def __init__(self, terms: TermMaker, fingerprints: Fingerprints) -> None:
        self._terms = terms
        self._fingerprints = fingerprints

    def add(self, connection: sa.Connection, account_id: str, texts: Iterable[str]) -> None:
        """Index decisions by the texts of their records; one that cannot be read is left out."""
        _add(connection, [each for text in texts for each in self._entries(account_id, text)])

    def forget(
        self, connection: sa.Connection, account_id: str, request_ids: Sequence[str]
    ) -> None:
        """Take decisions out of the index; call it before their records are deleted."""
        note_forgotten(connection)
        _take_waiting(connection, request_ids)
        rows = _decisions(connection, account_id, request_ids)
        # In the order of the index, neighbours are deleted from pages that are at hand.
        pairs = sorted(
            (term, row.request_id) for row in rows for term in self._terms_of(account_id, row)
        )
        if pairs:
            names = ("term", "request_id")
            connection.execute(_REMOVE, [dict(zip(names, each, strict=True)) for each in pairs])

    def forget_person(
        self, connection: sa.Connection, account_id: str, request_ids: Sequence[str]
    ) -> None:
        """Let decisions no longer be found by user, card, contacts, address and device.

        Call it before their records are made anonymous. They are still found by the rest.
        """
        note_forgotten(connection)
        waiting = _take_waiting(connection, request_ids)
        _add(connection, [entry for each in waiting for entry in entries_of(each)])
        for row in _decisions(connection, account_id, request_ids):
            if row.terms is None:
                self.add(connection, account_id, [row.record])
            terms = self._terms_of(account_id, row)
            _remove(connection, row.request_id, [each for each in terms if is_of_a_person(each)])
            amount = None if row.terms is None else unpack_amount(row.terms)
            left = pack_terms([each for each in terms if not is_of_a_person(each)], amount)
            this = (
                DECISIONS.c.account_id == account_id,
                DECISIONS.c.request_id == row.request_id,
            )
            connection.execute(DECISIONS.update().where(*this).values(terms=left))

    def _terms_of(self, account_id: str, row: Any) -> list[int]:
        if row.terms is not None:
            return unpack_terms(row.terms)
        # An earlier version made the record, and it was indexed by what the record says.
        return [entry.term for entry in self._entries(account_id, row.record)]

    def _entries(self, account_id: str, text: str) -> list[SearchEntry]:
        try:
            record = decode(account_id, text, self._fingerprints)
        except UnreadableRecord:
            return []
        return self._terms.entries(account_id, record)


def _decisions(
    connection: sa.Connection, account_id: str, request_ids: Sequence[str]
) -> Iterator[Any]:
    columns = (DECISIONS.c.request_id, DECISIONS.c.record, DECISIONS.c.terms)
    for start in range(0, len(request_ids), _IDS_AT_ONCE):
        some = request_ids[start : start + _IDS_AT_ONCE]
        query = sa.select(*columns).where(
            DECISIONS.c.account_id == account_id, DECISIONS.c.request_id.in_(some)
        )
        yield from connection.execute(query).all()


def _take_waiting(connection: sa.Connection, request_ids: Sequence[str]) -> list[WaitingTerms]:
    """Let decisions wait no longer to be indexed; what they waited with."""
    taken = []
    for start in range(0, len(request_ids), _IDS_AT_ONCE):
        these = SEARCH_WAITING.c.request_id.in_(request_ids[start : start + _IDS_AT_ONCE])
        gone = SEARCH_WAITING.delete().where(these).returning(*SEARCH_WAITING.c)
        taken += [WaitingTerms(*row) for row in connection.execute(gone)]
    return taken


def _add(connection: sa.Connection, entries: Sequence[SearchEntry]) -> None:
    if entries:
        connection.execute(_ADD, [asdict(each) for each in entries])


def _remove(connection: sa.Connection, request_id: str, terms: Sequence[int]) -> None:
    if terms:
        connection.execute(_REMOVE, [{"term": each, "request_id": request_id} for each in terms])

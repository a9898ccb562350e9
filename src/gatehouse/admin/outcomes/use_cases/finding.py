"""Finds the decisions that outcomes are about, many at once."""

import contextlib
from collections.abc import Mapping, Sequence
from typing import Any, Final, TypeVar

import msgspec
import sqlalchemy as sa

from gatehouse.admin.decisions.use_cases.request_subject import subject_of
from gatehouse.admin.outcomes.queries import joins, rows
from gatehouse.admin.outcomes.queries.joins import CardOfDecision
from gatehouse.admin.outcomes.types.joining import (
    DAY_MS,
    CandidatePayment,
    Candidates,
    NamedDecisions,
    common,
    days_around,
    fits_card,
    only_payment,
)
from gatehouse.admin.outcomes.types.kept import OutcomeRow
from gatehouse.admin.outcomes.types.outcome import JoinedBy
from gatehouse.core.stages.outcomes import Outcome
from gatehouse.decisions.record import DecisionRecord, UnreadableRecord, decode
from gatehouse.decisions.search_terms import AMOUNT, PAYMENT, amount_bucket
from gatehouse.gateway.spec import GATEWAY
from gatehouse.store.admin.admin_session import AdminSession, Reading
from gatehouse.store.decisions import records
from gatehouse.store.feedback.statements import FeedbackSubject

MOST_CANDIDATES: Final = 100
"""Decisions that are looked at for one outcome, and shown."""
_DAYS_REMEMBERED: Final = 400
_PRICES_REMEMBERED: Final = 4000

_BEST_FIRST: Final = tuple(JoinedBy)

K = TypeVar("K")
V = TypeVar("V")


class PaymentFinder:
    """Finds decisions of one account; it remembers what it read of days and prices.

    A file of a month's settlements asks for the same days and prices again and again.
    """

    def __init__(self, session: AdminSession, account_id: str) -> None:
        self._session = session
        self._account_id = account_id
        self._days: dict[tuple[int, int], dict[int, list[str]]] = {}
        self._prices: dict[tuple[str, int, int], list[CardOfDecision]] = {}

    def join(self, connection: sa.Connection, told: Sequence[OutcomeRow]) -> list[OutcomeRow]:
        """Outcomes with their decisions, as far as these can be told.

        `request_id` of those that are given is what was told, and may be anything.
        """
        decided = [common(each) for each in self.named(connection, told)]
        several = [each.request_ids for each in decided if len(each.request_ids) > 1]
        few = dict.fromkeys(one for ids in several if len(ids) <= MOST_CANDIDATES for one in ids)
        payments = {
            each.request_id: candidate_in(each) for each in self.records(connection, [*few])
        }
        joined = [_chosen(*each, payments) for each in zip(told, decided, strict=True)]
        return self._by_arn(connection, joined)

    def named(self, connection: sa.Connection, told: Sequence[OutcomeRow]) -> list[Candidates]:
        """The decisions that the names of each outcome stand for, but for its ARN."""
        subjects = [_subjects(each) for each in told]
        wanted = list(dict.fromkeys(each for some in subjects for each in some.values()))
        known = joins.by_subjects(connection, self._account_id, wanted) if wanted else {}
        paid = self._by_payment(connection, told)
        found: list[Candidates] = []
        for row, named in zip(told, subjects, strict=True):
            ids = {by: them for by, subject in named.items() if (them := known.get(subject))}
            if row.payment_id in paid:
                ids[JoinedBy.PAYMENT] = paid[row.payment_id]
            if not ids and (by_card := self._by_card(connection, row)):
                ids[JoinedBy.CARD] = by_card
            found.append({by: ids[by] for by in _BEST_FIRST if by in ids} if ids else ids)
        return found

    def _by_payment(
        self, connection: sa.Connection, told: Sequence[OutcomeRow]
    ) -> dict[str, list[str]]:
        names = dict.fromkeys(each.payment_id for each in told if each.payment_id is not None)
        make = self._session.terms.term
        terms = {make(self._account_id, PAYMENT, each): each for each in names}
        return joins.by_terms(connection, self._account_id, terms) if terms else {}

    def _by_card(self, connection: sa.Connection, row: OutcomeRow) -> list[str]:
        if row.card_last_four is None or row.transaction_ms is None or row.amount is None:
            return []
        found = []
        for day in days_around(row.transaction_ms):
            found += [
                each.request_id
                for each in self._cards(connection, row.currency or "", row.amount, day)
                if fits_card(row.card_first, row.card_last_four, each.first, each.last_four)
            ]
        return sorted(found)

    def _cards(
        self, connection: sa.Connection, currency: str, micros: int, day: int
    ) -> list[CardOfDecision]:
        """The cards of a day's decisions about a price."""
        key = (currency, micros, day)
        found = self._prices.get(key)
        if found is None:
            term = self._session.terms.term(
                self._account_id, AMOUNT, amount_bucket(currency, micros)
            )
            ids = self._amounts(connection, term, day).get(micros, [])
            found = joins.cards_of(connection, self._account_id, ids) if ids else []
            _remember(self._prices, key, found, _PRICES_REMEMBERED)
        return found

    def _amounts(self, connection: sa.Connection, term: int, day: int) -> dict[int, list[str]]:
        """A day's decisions with a term of amounts, by their amount."""
        found = self._days.get((term, day))
        if found is None:
            found = joins.by_amounts(connection, term, day, day + DAY_MS)
            _remember(self._days, (term, day), found, _DAYS_REMEMBERED)
        return found

    def records(
        self, connection: sa.Connection, request_ids: Sequence[str]
    ) -> list[DecisionRecord]:
        """The records of some decisions, oldest first; one that cannot be read is left out."""
        if not request_ids:
            return []
        prints = self._session.fingerprints
        kept = records.by_ids(connection, self._account_id, request_ids, prints)
        found = []
        for each in sorted(kept, key=lambda each: each.request_id):
            with contextlib.suppress(UnreadableRecord):
                found.append(decode(each.text))
        return found

    def _by_arn(self, connection: sa.Connection, told: Sequence[OutcomeRow]) -> list[OutcomeRow]:
        """Outcomes that no other name joined, with the decision of others with their ARN."""
        open_ones = {each.arn for each in told if each.request_id is None and each.arn is not None}
        if not open_ones:
            return list(told)
        known = rows.requests_by_arn(connection, self._account_id, sorted(open_ones))
        for each in told:
            if each.arn in open_ones and each.request_id is not None:
                known.setdefault(each.arn, []).append(each.request_id)
        joined = []
        for each in told:
            ids = set(known.get(each.arn or "", ())) if each.request_id is None else set[str]()
            if len(ids) == 1:
                joined.append(_joined(each, next(iter(ids)), JoinedBy.ARN))
            elif ids and each.candidates is None:
                joined.append(msgspec.structs.replace(each, candidates=len(ids)))
            else:
                joined.append(each)
        return joined


def requests_paid(reading: Reading, account_id: str, payment_id: str) -> list[str]:
    """The requests whose payments have this id at the provider."""
    term = reading.session.terms.term(account_id, PAYMENT, payment_id)
    return joins.by_terms(reading.connection, account_id, {term: payment_id}).get(payment_id, [])


def candidate_in(record: DecisionRecord) -> CandidatePayment:
    """What a record tells of its payment."""
    status = [each.get("status") for each in _paid(record)]
    refused = record.decision is Outcome.DECLINE or any(each != "APPROVED" for each in status)
    order = subject_of(record).order.amount
    card = None if record.card is None else record.card.fingerprint
    price = None if order is None else (order.currency, bytes(order.amount))
    return CandidatePayment(record.request_id, refused, payment_in(record) or (card, price))


def payment_in(record: DecisionRecord) -> str | None:
    """The gateway's id of the payment of a request."""
    return next((each["paymentId"] for each in _paid(record) if each.get("paymentId")), None)


def _paid(record: DecisionRecord) -> list[dict[str, Any]]:
    return [each.result for each in record.stages if each.name == GATEWAY.name]


def _subjects(row: OutcomeRow) -> dict[JoinedBy, FeedbackSubject]:
    """What names the decision of an outcome, in the form that records have."""
    found = {}
    if row.request_id is not None:
        found[JoinedBy.REQUEST] = FeedbackSubject(request_id=row.request_id)
    if row.transaction_reference is not None:
        found[JoinedBy.TRANSACTION] = FeedbackSubject(transaction=row.transaction_reference)
    if row.client_reference is not None:
        found[JoinedBy.REFERENCE] = FeedbackSubject(client_reference=row.client_reference)
    return found


def _chosen(
    row: OutcomeRow, decided: NamedDecisions, payments: Mapping[str, CandidatePayment]
) -> OutcomeRow:
    """An outcome with the decision that its names agree on, or with how many there are."""
    ids = decided.request_ids
    if not ids and row.request_id is None and row.candidates is None:
        return row  # Most settlements of a large file have none.
    only = ids[0] if len(ids) == 1 else None
    if 1 < len(ids) <= MOST_CANDIDATES:
        only = only_payment([payments[each] for each in ids if each in payments])
    if only is not None:
        return _joined(row, only, decided.by)
    return msgspec.structs.replace(
        row, request_id=None, joined_by=None, candidates=len(ids) or None
    )


def _remember(kept: dict[K, V], key: K, value: V, most: int) -> None:
    """Keep what was read, and forget what was read first when it is too much."""
    if len(kept) >= most:
        del kept[next(iter(kept))]
    kept[key] = value


def _joined(row: OutcomeRow, request_id: str, by: JoinedBy | None) -> OutcomeRow:
    return msgspec.structs.replace(row, request_id=request_id, joined_by=by, candidates=None)

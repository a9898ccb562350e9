"""Keeps outcomes: finds their decisions, stores them, and lets labels and events follow."""

from collections.abc import Iterable, Sequence
from typing import Final

import sqlalchemy as sa

from gatehouse.admin.outcomes.queries import rows
from gatehouse.admin.outcomes.queries.rows import PutOutcomes
from gatehouse.admin.outcomes.types.kept import OutcomeRow
from gatehouse.admin.outcomes.types.outcome import (
    OutcomeKind,
    OutcomeReceipt,
    OutcomeReport,
    card_parts,
    is_known_reason,
    reason_of,
    region_of,
)
from gatehouse.admin.outcomes.use_cases.finding import PaymentFinder
from gatehouse.admin.outcomes.use_cases.labelling import Replaced, follow_labels
from gatehouse.core.cards.redaction import recordable
from gatehouse.core.events import EventName, NewEvent, encode_data
from gatehouse.core.ids import new_id
from gatehouse.core.limits.short_cache import cache_short
from gatehouse.core.money import MICROS_PER_UNIT, format_amount
from gatehouse.core.secrets import keyring
from gatehouse.sentry.entities import EntityHasher
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.events import outbox

# A file names the same merchants, regions and reasons again and again.
_masked_text: Final = cache_short(4096)(recordable)
_LATE_AT_ONCE: Final = 500
"""Outcomes that wait for an ARN and are joined with the one that names it."""


class OutcomeKeeper:
    """Keeps outcomes of one account for one actor."""

    def __init__(self, session: AdminSession, account_id: str) -> None:
        self._session = session
        self._account_id = account_id
        self._hasher = EntityHasher(session.ring.current(keyring.ENTITIES)[1])
        self.finder = PaymentFinder(session, account_id)

    def prepared(self, reports: Iterable[OutcomeReport]) -> list[OutcomeRow]:
        """Outcomes as they are stored, with their decisions; nobody waits for this."""
        now_ms, actor = self._session.clock(), str(self._session.actor)
        told = [self._row(each, now_ms, actor) for each in reports]
        with self._session.reading() as connection:
            return self.finder.join(connection, told)

    def store(self, connection: sa.Connection, given: Sequence[OutcomeRow]) -> OutcomeReceipt:
        """Store them; the transaction must hold the lock on changes."""
        put = rows.put(connection, self._account_id, given)
        moved: list[Replaced] = [*((None, each) for each in put.new), *put.changed]
        moved += self._late(connection, [after for _, after in moved])
        now_ms, actor = self._session.clock(), str(self._session.actor)
        labels = follow_labels(connection, self._account_id, moved, actor, now_ms)
        self._tell(connection, moved, now_ms)
        return _receipt(put, len(given), *labels)

    def foresee(self, connection: sa.Connection, given: Sequence[OutcomeRow]) -> OutcomeReceipt:
        """What storing them would change."""
        return _receipt(rows.compare(connection, self._account_id, given), len(given))

    def _late(self, connection: sa.Connection, moved: Sequence[OutcomeRow]) -> list[Replaced]:
        """Outcomes that waited for a decision whose ARN is known now."""
        arns = list(dict.fromkeys(each.arn for each in moved if each.arn and each.request_id))
        waiting = rows.not_joined(connection, self._account_id, arns, _LATE_AT_ONCE) if arns else []
        if not waiting:
            return []
        joined = self.finder.join(connection, waiting)
        pairs = [
            (before, after)
            for before, after in zip(waiting, joined, strict=True)
            if after.request_id is not None
        ]
        rows.replace(connection, self._account_id, [after for _, after in pairs])
        return [*pairs]

    def _tell(self, connection: sa.Connection, moved: Sequence[Replaced], now_ms: int) -> None:
        """Tell the account of what happened; settlements are too many to be told one by one."""
        actor, random_bytes = str(self._session.actor), self._session.randomness
        events = [
            NewEvent(
                new_id("evt", now_ms, random_bytes),
                self._account_id,
                now_ms,
                EventName.OUTCOME_RECORDED,
                actor,
                row.reference,
                encode_data(_told(row)),
            )
            for _, row in moved
            if row.kind is not OutcomeKind.SETTLED
        ]
        outbox.add(connection, events)

    def _row(self, report: OutcomeReport, now_ms: int, actor: str) -> OutcomeRow:
        masked = report.masked_card
        first, last = (masked and card_parts(masked)) or (None, None)
        transaction, reference = report.transaction_id, report.client_reference_id
        until, paid = report.respond_by, report.transaction_at
        return OutcomeRow(
            account_id=self._account_id,
            kind=report.kind,
            reference=kept_reference(self._hasher, report.reference),
            at_ms=round(report.at.seconds * 1000),
            network=report.network,
            request_id=report.request_id,
            arn=report.arn,
            merchant_id=_masked(report.merchant_id),
            region=None if report.region is None else region_of(report.region),
            joined_by=None,
            candidates=None,
            transaction_reference=None if transaction is None else self._hasher.kept(transaction),
            client_reference=_as_recorded(reference),
            payment_id=_as_recorded(report.payment_id),
            card_first=first,
            card_last_four=last,
            transaction_ms=None if paid is None else round(paid.seconds * 1000),
            # A float is exact enough for six decimals of any amount that is taken.
            amount=None if report.amount is None else round(report.amount * MICROS_PER_UNIT),
            currency=None if report.currency is None else report.currency.strip().upper(),
            three_d_secure=None if report.three_d_secure is None else int(report.three_d_secure),
            reason=_masked(report.reason and reason_of(report.network, report.reason)),
            fraud_type=_masked(report.fraud_type),
            stage=report.stage,
            result=report.result,
            label=None,
            respond_by_ms=None if until is None else round(until.seconds * 1000),
            recorded_at_ms=now_ms,
            actor=actor,
        )


def _masked(text: str | None) -> str | None:
    """A text of a file or a program, without card numbers that were put into it."""
    return None if text is None else _masked_text(text)


def kept_reference(hasher: EntityHasher, reference: str) -> str:
    """A reference as it is kept; acquirers count payments with numbers that can look like cards."""
    return reference if recordable(reference) == reference else hasher.hashed(reference)


def _as_recorded(name: str | int | None) -> str | None:
    """A name as records have it; none that they mask, because it would find others."""
    text = None if name is None else str(name)
    return None if text is None or recordable(text) != text else text


def _receipt(put: PutOutcomes, told: int, labelled: int = 0, withdrawn: int = 0) -> OutcomeReceipt:
    return OutcomeReceipt(
        new=len(put.new),
        changed=put.changes,
        unchanged=told - len(put.new) - put.changes,
        joined=sum(each.request_id is not None for each in put.told),
        labelled=labelled,
        ambiguous=sum(each.candidates is not None for each in put.told),
        withdrawn=withdrawn,
        unknown_reasons=sum(
            each.reason is not None and not is_known_reason(each.network, each.reason)
            for each in put.told
        ),
    )


def _told(row: OutcomeRow) -> dict[str, str | None]:
    """What an event says of an outcome."""
    said = {
        "kind": row.kind.value,
        "requestId": row.request_id,
        "network": row.network.value,
        "reason": row.reason,
        "fraudType": row.fraud_type,
        "stage": row.stage,
        "result": row.result,
        "amount": None if row.amount is None else format_amount(row.amount),
        "currency": row.currency,
    }
    return {name: value for name, value in said.items() if value is not None}

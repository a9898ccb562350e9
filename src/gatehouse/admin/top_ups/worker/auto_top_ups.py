"""Charges stored cards of accounts whose balance is under their floor, one top-up at a time.

A row of the account names the top-up that is under way before the party is asked. So the server
that comes after one that was killed asks for the same one again, and the party charges nothing
twice for one reference.
"""

import asyncio
import logging
from typing import Final

from gatehouse.access.actors import Actor
from gatehouse.admin.top_ups.queries import auto_top_ups as queries
from gatehouse.admin.top_ups.queries import top_ups
from gatehouse.admin.top_ups.queries.auto_top_ups import KeptAutoTopUp
from gatehouse.admin.top_ups.queries.top_ups import KeptTopUp
from gatehouse.admin.top_ups.types import NOT_OVER, AutoTopUpReason, TopUpKind, TopUpState
from gatehouse.admin.top_ups.use_cases.auto_top_ups import check_card, month_of
from gatehouse.admin.top_ups.use_cases.limits import DayLimitReached
from gatehouse.admin.top_ups.use_cases.top_ups import begin
from gatehouse.admin.top_ups.worker import ends
from gatehouse.admin.top_ups.worker.parties import party_of
from gatehouse.connectors.routing.roster import Roster
from gatehouse.core.errors import ConnectorFailed, GatehouseError, KeyMissing, SealBroken
from gatehouse.core.limits.timeouts import with_timeout
from gatehouse.core.money import Payment
from gatehouse.gateway.hosted_pages import StoredCardCharge, StoredCardId
from gatehouse.gateway.operating import OperationAnswer, OperationEnd
from gatehouse.store.accounts import accounts
from gatehouse.store.admin.admin_session import AdminSession

_log: Final = logging.getLogger("gatehouse.money")

_AT_ONCE: Final = 16
_CLAIM_MARGIN_MS: Final = 30_000
_SHORTEST_PAUSE_MS: Final = 2_000
_LONGEST_PAUSE_MS: Final = 10 * 60_000
_CARD_DELETED: Final = "card_deleted"
_UNANSWERED_MS: Final = 12 * 3_600_000
"""How long a party is asked for a charge: it must know its reference for longer than that."""


class AutoTopUpWorker:
    """Begins automatic top-ups and has them charged, in the background of a server."""

    def __init__(self, session: AdminSession, roster: Roster | None, *, time_limit_ms: int) -> None:
        self._session = session.acting_as(Actor.system("top-ups"))
        self._roster = roster
        self._time_limit_ms = time_limit_ms

    async def look(self) -> int:
        """Do what is due; returns for how many accounts."""
        database, now_ms = self._session.database, self._session.clock()
        if not await database.read_on_thread(lambda c: queries.anything_due(c, now_ms)):
            return 0
        until_ms = now_ms + self._time_limit_ms + _CLAIM_MARGIN_MS
        claimed = await database.write_on_thread(
            lambda c: queries.claim(c, now_ms, until_ms, _AT_ONCE)
        )
        await asyncio.gather(*(self._go_on(each) for each in claimed))
        return len(claimed)

    async def _go_on(self, auto: KeptAutoTopUp) -> None:
        try:
            card = auto.card(self._session.ring)
            seat, pages = party_of(self._roster, auto.connector or "")
        except (SealBroken, KeyMissing, ConnectorFailed) as failure:
            _log.warning("an automatic top-up waits: %s", failure, extra=_about(auto))
            await asyncio.to_thread(self._not_now, auto, isinstance(failure, SealBroken))
            return
        kept = await asyncio.to_thread(self._under_way, auto)
        if kept is None:
            return
        try:
            asking = seat.ask("charge", pages.charge(_charge(kept, card)), tells=False)
            answer = await with_timeout(self._time_limit_ms / 1000, asking)
        except (ConnectorFailed, TimeoutError) as failure:
            _log.warning("a stored card was not charged: %s", failure, extra=ends.about(kept))
            await asyncio.to_thread(self._later, auto, kept)
            return
        await asyncio.to_thread(self._answered, auto, kept, answer)

    def _under_way(self, auto: KeptAutoTopUp) -> KeptTopUp | None:
        """The top-up that is charged: begun before, or now, if there is still a reason to."""
        if auto.top_up_id is not None:
            with self._session.reading() as connection:
                kept = top_ups.find(connection, auto.account_id, auto.top_up_id)
                account = accounts.get(connection, auto.account_id)
            if kept is None or kept.state not in NOT_OVER:
                return None
            # Asked now, a party could charge what cannot be added, or what another has charged.
            if account.closed_at_ms is not None:
                reason = ends.NOT_ADDED
            elif kept.connector != auto.connector:
                reason = _CARD_DELETED
            else:
                return kept
            ends.end(self._session, kept, TopUpState.IN_DOUBT, reason)
            return None
        try:
            return self._begin(auto)
        except _NotNeeded:
            return None
        except GatehouseError as refused:
            _log.warning("no automatic top-up was begun: %s", refused, extra=_about(auto))
            self._postpone(auto, _LONGEST_PAUSE_MS)
            return None

    def _begin(self, auto: KeptAutoTopUp) -> KeptTopUp | None:
        """Begin one, unless another server did or the month is full; the limit is held exactly."""
        with self._session.change(unseen=True) as change:
            now = queries.find(change.connection, auto.account_id, lock=True)
            if now != auto or not auto.is_on or auto.floor is None or auto.amount_minor is None:
                raise _NotNeeded
            if accounts.state(change.connection, auto.account_id).balance >= auto.floor:
                raise _NotNeeded
            check_card(change, now)
            month = month_of(change.now_ms)
            added = queries.added_since(change.connection, auto.account_id, month.start_ms)
            if added + auto.amount_minor > (auto.monthly_limit_minor or 0):
                reason = AutoTopUpReason.MONTHLY_LIMIT
                ends.pause(change, auto.account_id, reason, month.end_ms)
                return None
            assert auto.connector is not None
            parts = (auto.account_id, auto.amount_minor, auto.connector)
            try:
                new = begin(change, *parts, TopUpKind.AUTOMATIC)
            except DayLimitReached as reached:
                reason = AutoTopUpReason.DAILY_LIMIT
                ends.pause(change, auto.account_id, reason, reached.until_ms)
                return None
            values = {"top_up_id": new.id, "paused_until_ms": None, "reason": None}
            queries.write(change, auto.account_id, **values)
            return new

    def _answered(self, auto: KeptAutoTopUp, kept: KeptTopUp, answer: OperationAnswer) -> None:
        if answer.end is OperationEnd.SUCCEEDED:
            ends.add(self._session, kept)
        elif answer.end is OperationEnd.REFUSED:
            ends.end(self._session, kept, TopUpState.REFUSED, answer.response_code)
        elif answer.end is OperationEnd.OTHER_AMOUNT:
            ends.end(self._session, kept, TopUpState.IN_DOUBT, ends.OTHER_AMOUNT)
        else:
            self._later(auto, kept)

    def _not_now(self, auto: KeptAutoTopUp, has_no_card: bool) -> None:
        """A top-up that is under way without its card cannot be asked about any more."""
        if auto.top_up_id is None:
            self._postpone(auto, _LONGEST_PAUSE_MS)
            return
        with self._session.reading() as connection:
            kept = top_ups.find(connection, auto.account_id, auto.top_up_id)
        assert kept is not None
        if has_no_card:
            ends.end(self._session, kept, TopUpState.IN_DOUBT, _CARD_DELETED)
        else:
            self._later(auto, kept)

    def _later(self, auto: KeptAutoTopUp, kept: KeptTopUp) -> None:
        """Ask again, the later the longer it has lasted; in the end nobody knows."""
        age_ms = self._session.clock() - kept.at_ms
        if age_ms > _UNANSWERED_MS:
            ends.end(self._session, kept, TopUpState.IN_DOUBT, "connector_failed")
        else:
            self._postpone(auto, min(_LONGEST_PAUSE_MS, max(_SHORTEST_PAUSE_MS, age_ms // 4)))

    def _postpone(self, auto: KeptAutoTopUp, pause_ms: int) -> None:
        next_at_ms = self._session.clock() + pause_ms
        with self._session.writing() as connection:
            queries.postpone(connection, auto, next_at_ms)


class _NotNeeded(Exception):
    """The account needs no top-up any more, or another server makes it; nothing is changed."""


def _charge(kept: KeptTopUp, card: StoredCardId) -> StoredCardCharge:
    return StoredCardCharge(
        reference=kept.id,
        account_id=kept.account_id,
        payment=Payment(kept.amount_minor + kept.tax_minor, kept.currency),
        card=card,
    )


def _about(auto: KeptAutoTopUp) -> dict[str, object]:
    return {"accountId": auto.account_id, "topUpId": auto.top_up_id}

"""Has pages made, asks how they stand, and adds what was paid, once.

A server does it, because it has the connectors. Several servers share the work: each claims what
it asks about for a while. What ends a top-up happens in one transaction under the lock of its row,
so that two answers, or a server that is killed, never add anything twice.
"""

import asyncio
import logging
from typing import Final

import msgspec

from gatehouse.access.actors import Actor
from gatehouse.admin.top_ups import queries
from gatehouse.admin.top_ups.queries import KeptTopUp
from gatehouse.admin.top_ups.types import TopUpState
from gatehouse.admin.top_ups.use_cases import minor_micros
from gatehouse.connectors.routing.roster import Roster
from gatehouse.connectors.routing.seat import Seat
from gatehouse.core.errors import AccountClosed, ConnectorFailed, InvalidInput, NotFound
from gatehouse.core.events import EventName
from gatehouse.core.limits.timeouts import with_timeout
from gatehouse.core.money import Payment
from gatehouse.gateway.hosted_pages import (
    FoundPage,
    HostedPages,
    MadePage,
    PageEnquiry,
    PageState,
    WantedPage,
)
from gatehouse.store.accounts import ledger
from gatehouse.store.admin.admin_session import AdminSession, Change

_log: Final = logging.getLogger("gatehouse.money")

_ACTOR: Final = "top-ups"
_AT_ONCE: Final = 16
_CLAIM_MARGIN_MS: Final = 30_000
_MINUTE_MS: Final = 60_000
_DAY_MS: Final = 24 * 60 * _MINUTE_MS
_YOUNG_MS: Final = 15 * _MINUTE_MS
_MAKING_MS: Final = 10 * _MINUTE_MS
"""How long it is tried to have a page made."""
_UNANSWERED_MS: Final = 7 * _DAY_MS
"""How long after its end a party is asked about a page that it does not answer for."""
_LONGEST_PAUSE_MS: Final = 10 * _MINUTE_MS
_ENDS: Final = {PageState.REFUSED: TopUpState.REFUSED, PageState.EXPIRED: TopUpState.EXPIRED}
_OTHER_AMOUNT: Final = "other_amount"
_NOT_ADDED: Final = "not_added"


class TopUpWorker:
    """Works through the top-ups that are not over, in the background of a server."""

    def __init__(self, session: AdminSession, roster: Roster | None, *, time_limit_ms: int) -> None:
        self._session = session.acting_as(Actor.system(_ACTOR))
        self._roster = roster
        self._time_limit_ms = time_limit_ms
        self._console_url = session.settings.console_url

    async def look(self) -> int:
        """Ask about what is due; returns about how many."""
        database, now_ms = self._session.database, self._session.clock()
        if not await database.read_on_thread(lambda c: queries.anything_due(c, now_ms)):
            return 0
        until_ms = now_ms + self._time_limit_ms + _CLAIM_MARGIN_MS
        claimed = await database.write_on_thread(
            lambda c: queries.claim(c, now_ms, until_ms, _AT_ONCE)
        )
        await asyncio.gather(*(self._go_on(each) for each in claimed))
        return len(claimed)

    async def _go_on(self, kept: KeptTopUp) -> None:
        try:
            answer = await with_timeout(self._time_limit_ms / 1000, self._ask(kept))
        except (ConnectorFailed, TimeoutError) as failure:
            _log.warning("a top-up waits for its connector: %s", failure, extra=_about(kept))
            await asyncio.to_thread(self._failed, kept)
            return
        if isinstance(answer, MadePage):
            await asyncio.to_thread(self._made, kept, answer)
        else:
            await asyncio.to_thread(self._found, kept, answer)

    async def _ask(self, kept: KeptTopUp) -> MadePage | FoundPage:
        seat, pages = self._party(kept.connector)
        payment = Payment(kept.amount_minor + kept.tax_minor, kept.currency)
        if kept.state is TopUpState.WAITING:
            wanted = WantedPage(
                reference=kept.id,
                account_id=kept.account_id,
                payment=payment,
                expires_at_ms=kept.expires_at_ms,
                return_url=self._return_url(kept.account_id),
            )
            return await seat.ask("page", pages.make(wanted), tells=False)
        enquiry = PageEnquiry(
            reference=kept.id, account_id=kept.account_id, payment=payment, page_id=kept.page_id
        )
        return await seat.ask("page_status", pages.find(enquiry), tells=False)

    def _return_url(self, account_id: str) -> str | None:
        where = f"/a/{account_id}/money/top-ups"
        return f"{self._console_url.rstrip('/')}{where}" if self._console_url else None

    def _party(self, name: str) -> tuple[Seat, HostedPages]:
        seat = None if self._roster is None else self._roster.seat(name)
        if seat is None or seat.pages is None or not seat.would_take:
            raise ConnectorFailed(f"connector {name} shows no pages now", sent=False)
        return seat, seat.pages

    def _made(self, kept: KeptTopUp, page: MadePage) -> None:
        now_ms = self._session.clock()
        changed = msgspec.structs.replace(
            kept,
            state=TopUpState.OPEN,
            changed_at_ms=now_ms,
            attempts=0,
            next_at_ms=now_ms + _pause_ms(kept, now_ms),
            url=page.url,
            page_id=page.page_id,
        )
        with self._session.writing() as connection:
            queries.write(connection, kept, changed)

    def _found(self, kept: KeptTopUp, page: FoundPage) -> None:
        now_ms = self._session.clock()
        if page.state is PageState.PAID:
            self._paid(kept, page)
        elif page.state in _ENDS:
            self._end(kept, _ENDS[page.state], None)
        elif now_ms > kept.expires_at_ms + _DAY_MS:
            self._end(kept, TopUpState.EXPIRED, "not_ended_by_the_party")
        else:
            next_at_ms = now_ms + _pause_ms(kept, now_ms)
            changed = msgspec.structs.replace(kept, attempts=0, next_at_ms=next_at_ms)
            with self._session.writing() as connection:
                queries.write(connection, kept, changed)

    def _failed(self, kept: KeptTopUp) -> None:
        now_ms, attempts = self._session.clock(), kept.attempts + 1
        if kept.state is TopUpState.WAITING and now_ms > kept.at_ms + _MAKING_MS:
            self._end(kept, TopUpState.FAILED, "connector_failed")
            return
        if now_ms > kept.expires_at_ms + _UNANSWERED_MS:
            self._end(kept, TopUpState.IN_DOUBT, "connector_failed")
            return
        pause_ms = min(_LONGEST_PAUSE_MS, 2_000 * 2 ** min(attempts, 10))
        changed = msgspec.structs.replace(
            kept, attempts=attempts, next_at_ms=now_ms + pause_ms, changed_at_ms=now_ms
        )
        with self._session.writing() as connection:
            queries.write(connection, kept, changed)

    def _paid(self, kept: KeptTopUp, page: FoundPage) -> None:
        """Add what was paid, and note that, in one transaction; never another amount."""
        asked = (kept.amount_minor + kept.tax_minor, kept.currency)
        if (page.amount_minor, page.currency) != asked:
            self._end(kept, TopUpState.IN_DOUBT, _OTHER_AMOUNT)
            return
        try:
            with self._session.change() as change:
                if queries.locked(change.connection, kept.account_id, kept.id) is None:
                    raise _Over
                micros = kept.amount_minor * minor_micros(kept.currency)
                note = f"by card, through {kept.connector}"
                ledger.top_up(change, kept.account_id, micros, note, kept.id)
                queries.write(change.connection, kept, _over(kept, TopUpState.PAID, change))
        except _Over:
            return
        except (AccountClosed, NotFound, InvalidInput, ledger.ReferenceTaken) as refused:
            _log.error("a paid top-up could not be added: %s", refused, extra=_about(kept))
            self._end(kept, TopUpState.IN_DOUBT, _NOT_ADDED)

    def _end(self, kept: KeptTopUp, state: TopUpState, reason: str | None) -> None:
        """End a top-up of which nothing is added, and tell the account."""
        try:
            with self._session.change(unseen=True) as change:
                ended = _over(kept, state, change, reason)
                if not queries.write(change.connection, kept, ended):
                    raise _Over
                said = {"state": state.value, "reason": reason}
                change.audit("top-up.end", kept.account_id, topUpId=kept.id, **said)
                told = {"topUpId": kept.id, "amountMinor": kept.amount_minor}
                told |= {"currency": kept.currency, **said}
                change.event(EventName.BALANCE_TOP_UP_ENDED, kept.account_id, kept.id, told)
        except _Over:
            return
        if state is TopUpState.IN_DOUBT:
            _log.error("a top-up is in doubt; look after it", extra=_about(ended))


class _Over(Exception):
    """Another answer has ended the top-up already; nothing is changed."""


def _over(
    kept: KeptTopUp, state: TopUpState, change: Change, reason: str | None = None
) -> KeptTopUp:
    return msgspec.structs.replace(
        kept, state=state, changed_at_ms=change.now_ms, next_at_ms=None, reason=reason
    )


def _pause_ms(kept: KeptTopUp, now_ms: int) -> int:
    """How long until the party is asked again: often while somebody is likely to pay."""
    if now_ms < kept.at_ms + _YOUNG_MS:
        return 5_000
    return _MINUTE_MS if now_ms < kept.expires_at_ms else _LONGEST_PAUSE_MS


def _about(kept: KeptTopUp) -> dict[str, object]:
    return {
        "topUpId": kept.id,
        "accountId": kept.account_id,
        "state": kept.state.value,
        "reason": kept.reason,
    }

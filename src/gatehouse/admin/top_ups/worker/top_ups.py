"""Has pages made, asks how they stand, and adds what was paid, once.

A server does it, because it has the connectors. Several servers share the work: each claims what
it asks about for a while.
"""

import asyncio
import logging
from typing import Final

import msgspec

from gatehouse.access.actors import Actor
from gatehouse.admin.top_ups.queries import top_ups as queries
from gatehouse.admin.top_ups.queries.top_ups import KeptTopUp
from gatehouse.admin.top_ups.types import TopUpKind, TopUpState
from gatehouse.admin.top_ups.worker import ends
from gatehouse.admin.top_ups.worker.auto_top_ups import AutoTopUpWorker
from gatehouse.admin.top_ups.worker.parties import party_of
from gatehouse.connectors.routing.roster import Roster
from gatehouse.core.errors import ConnectorFailed
from gatehouse.core.limits.timeouts import with_timeout
from gatehouse.core.money import Payment
from gatehouse.gateway.hosted_pages import (
    STORING,
    FoundPage,
    MadePage,
    PageEnquiry,
    PageState,
    WantedPage,
)
from gatehouse.store.admin.admin_session import AdminSession

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


class TopUpWorker:
    """Works through the top-ups that are not over, in the background of a server."""

    def __init__(self, session: AdminSession, roster: Roster | None, *, time_limit_ms: int) -> None:
        self._session = session.acting_as(Actor.system(_ACTOR))
        self._roster = roster
        self._time_limit_ms = time_limit_ms
        self._console_url = session.settings.console_url
        self._automatic = AutoTopUpWorker(session, roster, time_limit_ms=time_limit_ms)

    async def look(self) -> int:
        """Do what is due, automatic top-ups included; returns how much it was."""
        return await self._look() + await self._automatic.look()

    async def _look(self) -> int:
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
            _log.warning("a top-up waits for its connector: %s", failure, extra=ends.about(kept))
            await asyncio.to_thread(self._failed, kept)
            return
        if isinstance(answer, MadePage):
            await asyncio.to_thread(self._made, kept, answer)
        else:
            await asyncio.to_thread(self._found, kept, answer)

    async def _ask(self, kept: KeptTopUp) -> MadePage | FoundPage:
        seat, pages = party_of(self._roster, kept.connector)
        payment = Payment(kept.amount_minor + kept.tax_minor, kept.currency)
        if kept.state is TopUpState.WAITING:
            wanted = WantedPage(
                reference=kept.id,
                account_id=kept.account_id,
                payment=payment,
                expires_at_ms=kept.expires_at_ms,
                return_url=self._return_url(kept.account_id),
                stored_credential=STORING if kept.kind is TopUpKind.STORING else None,
            )
            return await seat.ask("page", pages.make(wanted), tells=False)
        enquiry = PageEnquiry(
            reference=kept.id, account_id=kept.account_id, payment=payment, page_id=kept.page_id
        )
        return await seat.ask("page_status", pages.find(enquiry), tells=False)

    def _return_url(self, account_id: str) -> str | None:
        where = f"/a/{account_id}/money/top-ups"
        return f"{self._console_url.rstrip('/')}{where}" if self._console_url else None

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
            ends.end(self._session, kept, _ENDS[page.state], None)
        elif now_ms > kept.expires_at_ms + _DAY_MS:
            ends.end(self._session, kept, TopUpState.EXPIRED, "not_ended_by_the_party")
        else:
            next_at_ms = now_ms + _pause_ms(kept, now_ms)
            changed = msgspec.structs.replace(kept, attempts=0, next_at_ms=next_at_ms)
            with self._session.writing() as connection:
                queries.write(connection, kept, changed)

    def _failed(self, kept: KeptTopUp) -> None:
        now_ms, attempts = self._session.clock(), kept.attempts + 1
        if kept.state is TopUpState.WAITING and now_ms > kept.at_ms + _MAKING_MS:
            ends.end(self._session, kept, TopUpState.FAILED, "connector_failed")
            return
        if now_ms > kept.expires_at_ms + _UNANSWERED_MS:
            ends.end(self._session, kept, TopUpState.IN_DOUBT, "connector_failed")
            return
        pause_ms = min(_LONGEST_PAUSE_MS, 2_000 * 2 ** min(attempts, 10))
        changed = msgspec.structs.replace(
            kept, attempts=attempts, next_at_ms=now_ms + pause_ms, changed_at_ms=now_ms
        )
        with self._session.writing() as connection:
            queries.write(connection, kept, changed)

    def _paid(self, kept: KeptTopUp, page: FoundPage) -> None:
        """Add what was paid; never another amount."""
        asked = (kept.amount_minor + kept.tax_minor, kept.currency)
        if (page.amount_minor, page.currency) != asked:
            ends.end(self._session, kept, TopUpState.IN_DOUBT, ends.OTHER_AMOUNT)
            return
        if kept.kind is TopUpKind.STORING and page.card is None:
            _log.warning("the party stored no card", extra=ends.about(kept))
        ends.add(self._session, kept, page.card)


def _pause_ms(kept: KeptTopUp, now_ms: int) -> int:
    """How long until the party is asked again: often while somebody is likely to pay."""
    if now_ms < kept.at_ms + _YOUNG_MS:
        return 5_000
    return _MINUTE_MS if now_ms < kept.expires_at_ms else _LONGEST_PAUSE_MS

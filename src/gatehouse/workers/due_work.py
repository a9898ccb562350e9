"""What only a server can do, when a look has found that it is due: sweeps and calls of connectors.

Sweeps go through the server's writer; reversals, captures, voids, refunds and top-ups through its
connectors; notifications of providers come to it. An idle server has nothing of these to do, and
one look a second tells so (`store.lookout`).
"""

import asyncio
from functools import partial
from typing import Final

from gatehouse.admin.notifications.worker import NotificationWorker
from gatehouse.admin.top_ups.worker.top_ups import TopUpWorker
from gatehouse.connectors.routing.roster import Roster
from gatehouse.core.cards.network_ids import NetworkIdSealer
from gatehouse.core.clock import Clock
from gatehouse.gateway.port import PaymentGateway
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.background import repeat
from gatehouse.store.lookout import SeenChanges
from gatehouse.store.payments.operation_worker import OperationWorker
from gatehouse.store.requests.reversal_worker import ReversalWorker
from gatehouse.store.requests.sweeper import Sweeper

_SWEEP_S: Final = 5.0
_WATCH_S: Final = 2.0
_PRUNE_S: Final = 60.0
_REVERSE_S: Final = 30.0
"""When no look has found that a payment is due."""
_NOT_SWEPT: Final = "could not sweep"
_NOT_REVERSED: Final = "could not reverse payments"
_TIDY_S: Final = 3600.0
_NOT_APPLIED: Final = "could not apply notifications of providers"
_NOT_TOPPED_UP: Final = "could not ask about top-ups"
_NOT_OPERATED: Final = "could not capture, void or refund payments"


class DueWork:
    """Runs the sweeper, the reversals and the operations on payments of one server."""

    def __init__(
        self,
        sweeper: Sweeper,
        reverser: ReversalWorker,
        operator: OperationWorker,
        notifications: NotificationWorker,
        top_ups: TopUpWorker,
        clock: Clock,
    ) -> None:
        self._sweeper = sweeper
        self._reverser = reverser
        self._operator = operator
        self._notifications = notifications
        self._top_ups = top_ups
        self._clock = clock
        self._holds = True
        self._silent = self._was_silent = True
        self._reversal_due = asyncio.Event()
        self._operation_due = asyncio.Event()
        self._notification_due = asyncio.Event()
        self._top_up_due = asyncio.Event()

    def saw(self, seen: SeenChanges) -> None:
        """Note what a look has found."""
        self._holds, self._silent = bool(seen.holds), bool(seen.silent)
        if seen.reversal_due_ms is not None and seen.reversal_due_ms <= self._clock():
            self._reversal_due.set()
        if seen.operation_due_ms is not None and seen.operation_due_ms <= self._clock():
            self._operation_due.set()
        if seen.notification_due_ms is not None and seen.notification_due_ms <= self._clock():
            self._notification_due.set()
        if seen.top_up_due_ms is not None and seen.top_up_due_ms <= self._clock():
            self._top_up_due.set()

    def notified(self) -> None:
        """A provider's notification was kept here: it need not wait for a look."""
        self._notification_due.set()

    async def reverse(self) -> None:
        """Reverse payments when some are due, until cancelled."""
        await asyncio.gather(
            repeat(self._reverser.tidy, _PRUNE_S, _NOT_REVERSED),
            repeat(self._reverse_all, _REVERSE_S, _NOT_REVERSED, self._reversal_due),
        )

    async def operate(self) -> None:
        """Send captures, voids and refunds, and ask about top-ups, when some are due."""
        await asyncio.gather(
            repeat(self._operate_all, _REVERSE_S, _NOT_OPERATED, self._operation_due),
            repeat(self._top_ups.look, _REVERSE_S, _NOT_TOPPED_UP, self._top_up_due),
        )

    async def apply(self) -> None:
        """Apply what providers tell, when something is due, until cancelled."""
        await asyncio.gather(
            repeat(self._tidy, _TIDY_S, _NOT_APPLIED),
            repeat(self._apply_all, _REVERSE_S, _NOT_APPLIED, self._notification_due),
        )

    async def sweep(self) -> None:
        """Release what nobody ends, and delete what is over, until cancelled."""
        await asyncio.sleep(_SWEEP_S)
        await asyncio.gather(
            repeat(self.release, _SWEEP_S, _NOT_SWEPT),
            repeat(self.release_of_dead, _WATCH_S, "could not look for dead servers"),
            repeat(lambda: asyncio.to_thread(self._sweeper.prune), _PRUNE_S, _NOT_SWEPT),
        )

    async def release(self) -> None:
        """Release what has expired or belongs to requests that have ended, if anything is held."""
        if self._holds:
            await self._sweeper.release_orphans()
            await self._sweeper.release_of_ended()

    async def release_of_dead(self) -> None:
        """Release what dead servers hold, if one is silent.

        The sweeper takes a server for dead that is silent at two looks in a row. So it also looks
        once more when none is silent any longer.
        """
        before, self._was_silent = self._was_silent, self._silent
        if before or self._silent:
            await self._sweeper.release_of_dead()

    async def _reverse_all(self) -> None:
        while await self._reverser.reverse_due():
            pass

    async def _apply_all(self) -> None:
        while await asyncio.to_thread(self._notifications.apply_due):
            pass

    async def _tidy(self) -> None:
        await asyncio.to_thread(self._notifications.tidy)

    async def _operate_all(self) -> None:
        while await self._operator.send_due():
            pass


def make_due_work(
    session: AdminSession,
    sweeper: Sweeper,
    gateway: PaymentGateway,
    roster: Roster | None,
    *,
    time_limit_ms: int,
) -> DueWork:
    """The work of one server; the gateway is given that long for each answer."""
    parts = (session.database, gateway, session.clock)
    sealer = NetworkIdSealer(session.ring)
    seal = partial(sealer.seal_reference, randomness=session.randomness)
    return DueWork(
        sweeper,
        ReversalWorker(*parts, time_limit_ms=time_limit_ms),
        OperationWorker(*parts, time_limit_ms=time_limit_ms, seal=seal),
        NotificationWorker(session),
        TopUpWorker(session, roster, time_limit_ms=time_limit_ms),
        session.clock,
    )

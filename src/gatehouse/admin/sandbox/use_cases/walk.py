"""Walks through the past of the demo account, from its first order to its end.

What an earlier walk did is found by the ids of its requests and not done again.
"""

import asyncio
import dataclasses
import heapq
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Final

import msgspec

from gatehouse.admin.money.use_cases.money import top_up
from gatehouse.admin.sandbox.use_cases.desk import DemoDesk
from gatehouse.admin.sandbox.use_cases.engine import DemoEngine, MovedClock
from gatehouse.admin.sandbox.use_cases.past import (
    DAY_MS,
    DAYS,
    DemoOrder,
    DemoPlan,
    FollowUp,
    FollowUpKind,
    RecordedEntry,
    RecordedRule,
    orders_of,
    read_recorded,
)
from gatehouse.admin.sandbox.use_cases.watch import LOOKS_MS, MINUTE_MS, DemoWatch
from gatehouse.admin.sandbox.use_cases.webhook import ANSWERS, DemoWebhook
from gatehouse.core.stages.outcomes import Outcome
from gatehouse.decisions.record import DecisionRecord
from gatehouse.settings.settings import Settings
from gatehouse.store.accounts import accounts, ledger
from gatehouse.store.admin.admin_session import AdminSession, Change
from gatehouse.store.decisions import decisions

_WEEK_MS: Final = 7 * DAY_MS
_START_MICROS: Final = 100_000_000

_Act = Callable[[], Awaitable[None]]


class DemoCounts(msgspec.Struct, rename="camel"):
    """What a past consists of."""

    decisions: int = 0
    accepted: int = 0
    reviewed: int = 0
    declined: int = 0
    labels: int = 0
    spent_micros: int = 0
    """What the requests cost; as much was topped up."""


class DemoWalk:
    """One walk through a past."""

    def __init__(
        self, session: AdminSession, settings: Settings, account_id: str, plan: DemoPlan, owner: str
    ) -> None:
        """`session` has the real clock; `owner` is the server that looks after open requests."""
        self._session = session
        self._account_id = account_id
        self._plan = plan
        self._recorded = read_recorded()
        self.orders = orders_of(plan, self._recorded)
        self._clock = MovedClock(plan.start_ms)
        self._past = dataclasses.replace(session, clock=self._clock)
        self._engine = DemoEngine(session, settings, account_id, self._clock, owner)
        self._desk = DemoDesk(self._past, account_id, self._engine.key_id)
        self._known: dict[str, DecisionRecord] = {}
        self._taken: set[str] = set()
        """Ids of requests that came to an end, or were given up."""
        self._webhook = DemoWebhook(self._past, settings, account_id)
        self._waiting: list[tuple[int, int, _Act]] = []
        """What is going to happen: when, a number that keeps the order, and what."""
        self._planned = 0
        self._unpaid = 0
        self._watch = DemoWatch(self._past)
        self.counts = DemoCounts()
        self.rest_s = 0.0
        """Between two requests, in which a server gets the write lock."""

    async def start(self) -> None:
        """Look at what an earlier walk has done, and begin with money in the account."""
        ids = [each for order in self.orders for each in order.request_ids]
        prints = self._session.fingerprints
        with self._session.reading() as connection:
            found = decisions.get_many(connection, self._account_id, ids, prints)
            self._taken = ledger.known_references(connection, self._account_id, ids)
            account = accounts.get(connection, self._account_id)
        self._known = {each.request_id: each for each in found}
        self._is_younger = account.created_at_ms > self._plan.start_ms
        if self._is_younger:
            note = "play money for a made-up past"
            top_up(self._past, self._account_id, _START_MICROS, note, "demo-start")
        await self._engine.start()

    async def stop(self) -> None:
        """End the engine, and the receiver of messages."""
        await self._webhook.stop()
        await self._engine.stop()

    async def go(self, reached: Callable[[int], object]) -> None:
        """Let everything happen, in the order of time."""
        for entry in self._recorded.entries:
            self._later(self._plan.moment(entry.moment_ms), partial(self._enter, entry))
        for week in range(1, DAYS // 7 + 1):
            self._later(self._plan.start_ms + week * _WEEK_MS, self._pay)
        for number in range(len(ANSWERS)):
            self._later(self._plan.start_ms + (5 + 6 * number) * DAY_MS, self._webhook.attempt)
        if self._plan.is_whole:
            self._plan_the_attack()
        for done, order in enumerate(self.orders):
            await self._catch_up(order.at_ms)
            await self._send(order)
            if self.rest_s:
                await asyncio.sleep(self.rest_s)
            reached(done + 1)
        await self._catch_up(self._plan.end_ms)
        self._clock.now_ms = self._plan.end_ms
        await self._pay()

    def settle(self, change: Change) -> None:
        """Take back what a young account was lent, so that its balance is what it was."""
        if self._is_younger:
            reason = "play money for a made-up past, taken back"
            ledger.adjust(change, self._account_id, -_START_MICROS, reason)

    def _plan_the_attack(self) -> None:
        """Have rules change, and the watch look, as they would have."""
        for rule in self._recorded.rules:
            self._later(self._plan.moment(rule.moment_ms), partial(self._change_rules, rule))
        first_ms = self._plan.tuesday_ms + self._recorded.attack[0].moment_ms
        self._later(first_ms - MINUTE_MS, self._watch.learn)
        for after_ms in LOOKS_MS:
            self._later(first_ms + after_ms, self._watch.look)

    async def _change_rules(self, rule: RecordedRule) -> None:
        self._desk.change_rules(rule)
        self._engine.reload()

    def _later(self, at_ms: int, act: _Act) -> None:
        self._planned += 1
        heapq.heappush(self._waiting, (at_ms, self._planned, act))

    async def _catch_up(self, until_ms: int) -> None:
        while self._waiting and self._waiting[0][0] < until_ms:
            self._clock.now_ms, _, act = heapq.heappop(self._waiting)
            await act()

    async def _enter(self, entry: RecordedEntry) -> None:
        self._desk.enter(entry)
        self._engine.reload()

    async def _follow_up(self, request_id: str, what: FollowUp) -> None:
        self._desk.do(request_id, what)
        if what.kind not in (FollowUpKind.ASSIGN, FollowUpKind.NOTE):
            self.counts.labels += 1
            await self._engine.learn()

    async def _send(self, order: DemoOrder) -> None:
        self._clock.now_ms = order.at_ms
        # What an earlier walk made of the order counts.
        records = (self._known.get(each) for each in order.request_ids)
        record = next(filter(None, records), None)
        if record is not None:
            request_id, decision, closed = record.request_id, record.decision, record.closed_micros
        else:
            request_id = next(each for each in order.request_ids if each not in self._taken)
            done = await self._engine.send(order.operation, request_id, order.body)
            decision, closed = done.decision, done.closed
        self._unpaid += closed
        self._count(decision, closed)
        if decision is Outcome.ACCEPT:
            self._desk.sold(request_id, order)
        for each in order.follow_ups.get(decision, ()) if decision else ():
            at_ms = order.at_ms + each.after_ms
            if at_ms < self._plan.end_ms:
                self._later(at_ms, partial(self._follow_up, request_id, each))

    def _count(self, decision: Outcome | None, closed: int) -> None:
        counts = self.counts
        counts.decisions += 1
        counts.spent_micros += closed
        counts.accepted += decision is Outcome.ACCEPT
        counts.reviewed += decision is Outcome.REVIEW
        counts.declined += decision is Outcome.DECLINE

    async def _pay(self) -> None:
        """Top up by what was spent since the last time; once, by its reference."""
        if self._unpaid:
            day = (self._clock.now_ms - self._plan.start_ms) // DAY_MS
            note = "play money for the requests of the days before"
            top_up(self._past, self._account_id, self._unpaid, note, f"demo-day-{day}")
            self._unpaid = 0
        self._desk.settle()

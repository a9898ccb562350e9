"""Use cases: how long data is kept, and deleting what is older, beside running servers."""

import contextlib
import time
from collections.abc import Callable
from functools import partial
from typing import Final

import msgspec
import sqlalchemy as sa

from gatehouse.access.actors import Actor
from gatehouse.admin.evidence.use_cases.forgetting import count_before, forget_before
from gatehouse.admin.money.queries.ledger_verification import RETENTION_BEGAN
from gatehouse.admin.outcomes.use_cases import forgetting
from gatehouse.admin.privacy.queries import deletion
from gatehouse.admin.privacy.queries.deletion import DeletedRows, OldDecisions, OldMonths
from gatehouse.admin.privacy.queries.kept_answers import LONGEST_KEPT_MS, drop_answers, find_answers
from gatehouse.core.clock import iso_time
from gatehouse.core.errors import InvalidInput, StoreUnavailable
from gatehouse.core.ids import first_id
from gatehouse.core.wording.sentences import Phrase
from gatehouse.decisions.order_envelope import KEPT_DAYS
from gatehouse.settings.settings import Settings
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.admin.throttle import Pace, batch_of
from gatehouse.store.background import RepeatedLook
from gatehouse.store.decisions.partitions import count_month
from gatehouse.store.identities.identities import overwrite_deleted
from gatehouse.store.search.entries import SearchIndex
from gatehouse.store.state import clear_mark, read_mark, set_mark
from gatehouse.store.tables import ACCOUNTS

__all__ = ["DeletedRows"]

_RETENTION_DAYS: Final = Phrase("refused.retention_days", "{name} are kept for 1 to {most} days")

_DAY_MS: Final = 86_400_000
_MARK: Final = "retention"
_LOOK_S: Final = 600.0
_FIRST_LOOK_S: Final = 60.0
LONGEST_DAYS: Final = 36_500
DECISIONS_AT_ONCE: Final = 20
ROWS_AT_ONCE: Final = 500
_REST_S: Final = 0.15
"""Between two batches. A batch holds the lock for about 20 ms, so it is free for most of the time:
a request needs it twice."""


class RetentionPolicy(msgspec.Struct, frozen=True):
    """How many days each kind of data is kept; None is for ever."""

    decisions: int | None = None
    feedback: int | None = None
    reviews: int | None = None
    imports: int | None = None
    events: int | None = None
    evidence: int | None = None
    outcomes: int | None = None

    def __post_init__(self) -> None:
        for name in self.__struct_fields__:
            days = getattr(self, name)
            if days is not None and not 1 <= days <= LONGEST_DAYS:
                raise InvalidInput(_RETENTION_DAYS(name=name, most=LONGEST_DAYS))

    @property
    def keeps_everything(self) -> bool:
        """Whether nothing is ever deleted by it."""
        return self == RetentionPolicy()

    def before_ms(self, kind: str, now_ms: int) -> int | None:
        """The moment before which a kind of data is deleted."""
        days: int | None = getattr(self, kind)
        return None if days is None else max(0, now_ms - days * _DAY_MS)


def retention_policy(settings: Settings) -> RetentionPolicy:
    """The policy that the settings name."""
    return RetentionPolicy(
        decisions=settings.retention_decisions_days,
        feedback=settings.retention_feedback_days,
        reviews=settings.retention_reviews_days,
        imports=settings.retention_imports_days,
        events=settings.events_days,
        evidence=KEPT_DAYS,
        outcomes=settings.retention_outcomes_days,
    )


class RetentionHooks(msgspec.Struct, frozen=True):
    """How a long run speaks to its caller."""

    reached: Callable[[DeletedRows], object] = lambda _: None
    """Told after every batch what is deleted so far."""
    stopped: Callable[[], bool] = lambda: False
    """Asked before every batch whether to end early."""
    rests: bool = True
    """Whether servers get their turn between two batches."""


def count_old(session: AdminSession, policy: RetentionPolicy) -> DeletedRows:
    """How many rows would be deleted now, by kind."""
    now_ms, index = session.clock(), SearchIndex(session.terms, session.fingerprints)
    found = DeletedRows()
    with session.installation_reading() as connection:
        for account_id in _accounts(connection):
            if (before := policy.before_ms("decisions", now_ms)) is not None:
                found.decisions += OldDecisions(index, account_id, before).count(connection)
            if (before := policy.before_ms("reviews", now_ms)) is not None:
                found.reviews += deletion.count_reviews(connection, account_id, before)
            if (before := policy.before_ms("evidence", now_ms)) is not None:
                found.evidence += count_before(connection, account_id, before)
            if (before := policy.before_ms("outcomes", now_ms)) is not None:
                found.outcomes += forgetting.count_outcomes(connection, account_id, before)
        if (before := policy.before_ms("feedback", now_ms)) is not None:
            found.feedback = deletion.count_labels(connection, before)
        if (before := policy.before_ms("imports", now_ms)) is not None:
            found.imports = deletion.count_imports(connection, before)
        if (before := policy.before_ms("events", now_ms)) is not None:
            found.events = deletion.count_events(connection, before)
    return found


def run_retention(
    session: AdminSession, policy: RetentionPolicy, hooks: RetentionHooks | None = None
) -> DeletedRows:
    """Delete what is older than the policy keeps; after an interruption the next call goes on."""
    session.actor.check_installation()
    if not count_old(session, policy).total:
        return DeletedRows()
    now_ms = session.clock()
    before = {
        kind: iso_time(before_ms)
        for kind in policy.__struct_fields__
        if (before_ms := policy.before_ms(kind, now_ms)) is not None
    }
    with session.change(unseen=True) as change:
        run_id = change.new_id("ret")
        change.audit(RETENTION_BEGAN, runId=run_id, before=before)
    run = _RetentionRun(session, policy, hooks or RetentionHooks())
    run.delete_all(now_ms)
    with session.change(unseen=True) as change:
        change.audit("retention.end", runId=run_id, deleted=msgspec.to_builtins(run.deleted))
    return run.deleted


class _RetentionRun:
    """One run: what it has deleted, and how it rests between batches."""

    def __init__(
        self, session: AdminSession, policy: RetentionPolicy, hooks: RetentionHooks
    ) -> None:
        self._session = session
        self._policy = policy
        self._hooks = hooks
        sleep = time.sleep if hooks.rests else _no_rest
        self._pace = Pace(session.database, sleep=sleep, least_rest_s=_REST_S)
        self.deleted = DeletedRows()

    def delete_all(self, now_ms: int) -> None:
        """Delete everything that is old at a moment, unless it is stopped."""
        with self._session.installation_reading() as connection:
            accounts = _accounts(connection)
        if (before := self._policy.before_ms("decisions", now_ms)) is not None:
            self._drop_months(before, accounts)
        for account_id in accounts:
            if (before := self._policy.before_ms("decisions", now_ms)) is not None:
                self._delete_decisions(account_id, before)
            if (before := self._policy.before_ms("reviews", now_ms)) is not None:
                self._repeat("reviews", partial(deletion.delete_reviews, account_id, before))
            if (before := self._policy.before_ms("evidence", now_ms)) is not None:
                self._repeat("evidence", partial(_forget_evidence, account_id, before))
            if (before := self._policy.before_ms("outcomes", now_ms)) is not None:
                self._repeat("outcomes", partial(forgetting.delete_outcomes, account_id, before))
        if (before := self._policy.before_ms("decisions", now_ms)) is not None:
            self._delete_answers(before, now_ms)
        if (before := self._policy.before_ms("feedback", now_ms)) is not None:
            self._repeat("feedback", partial(deletion.delete_labels, before))
        if (before := self._policy.before_ms("imports", now_ms)) is not None:
            self._repeat("imports", partial(deletion.delete_imports, before))
        if (before := self._policy.before_ms("events", now_ms)) is not None:
            self._repeat("events", partial(deletion.delete_events, before))

    def _drop_months(self, before_ms: int, accounts: list[str]) -> None:
        """Drop partitions of which everything is old; what is left is deleted row by row."""
        old = OldMonths(before_ms)
        with self._session.installation_reading() as connection:
            months = {each: count_month(connection, each) for each in old.find(connection)}
        for month, records in months.items():
            for account_id in accounts:
                self._repeat("reviews", partial(old.delete_reviews, account_id, month))
                self._repeat("evidence", partial(_forget_evidence, account_id, before_ms))
            # A table that stays in use is left: its rows are deleted one by one.
            with contextlib.suppress(StoreUnavailable):
                self._step(partial(old.drop, month, records))

    def _delete_decisions(self, account_id: str, before_ms: int) -> None:
        index = SearchIndex(self._session.terms, self._session.fingerprints)
        old = OldDecisions(index, account_id, before_ms)
        while self._step(lambda c: old.delete_some(c, DECISIONS_AT_ONCE)):
            pass

        self._repeat("feedback", old.delete_lost_labels)
        self._forget_names(account_id, first_id("req", before_ms))

    def _forget_names(self, account_id: str, before: str) -> None:
        """Outcomes stay, but what they know of payment and card goes with the decision."""
        after: str | None = ""

        def some(connection: sa.Connection) -> DeletedRows | None:
            nonlocal after
            after = forgetting.forget_next(
                account_id, after or "", before, connection, ROWS_AT_ONCE
            )
            return None if after is None else DeletedRows()

        while self._step(some):
            pass

    def _delete_answers(self, before_ms: int, now_ms: int) -> None:
        """Delete answers to requests whose decision is gone, and those whose time is over."""
        if before_ms > now_ms - LONGEST_KEPT_MS and not self._hooks.stopped():
            first = first_id("req", before_ms)
            claims = find_answers(self._session.database, lambda request_id: request_id < first)
            self.deleted.answers += drop_answers(self._session, claims, self._pace)
        self._repeat("answers", partial(deletion.delete_expired_answers, now_ms))

    def _repeat(self, kind: str, work: Callable[[sa.Connection, int], int]) -> None:
        """Delete some rows of a kind after others, until there are none."""

        def some(connection: sa.Connection) -> DeletedRows | None:
            deleted = work(connection, ROWS_AT_ONCE)
            return DeletedRows(**{kind: deleted}) if deleted else None

        while self._step(some):
            pass

    def _step(self, work: Callable[[sa.Connection], DeletedRows | None]) -> bool:
        """One batch in a transaction of its own; whether there may be more, unless it was None."""
        if self._hooks.stopped():
            return False
        with self._pace.turn(), batch_of(self._session) as connection:
            found = work(connection)
        if found is None:
            return False
        self.deleted.add(found)
        self._hooks.reached(self.deleted)
        return True


class DailyRetention(RepeatedLook):
    """Applies the policy of a server once a day, by one server of all."""

    def __init__(self, session: AdminSession, policy: RetentionPolicy) -> None:
        super().__init__(_LOOK_S, "could not delete old data", first_s=_FIRST_LOOK_S)
        self._session = session.acting_as(Actor.system("retention"))
        self._policy = policy

    def look(self) -> DeletedRows | None:
        """Apply it, unless that was done within a day."""
        if self._policy.keeps_everything:
            return None
        now_ms = self._session.clock()
        self._session.actor.check_installation()
        with batch_of(self._session) as connection:
            last = read_mark(connection, _MARK)
            if last is not None and now_ms - _DAY_MS < int(last) <= now_ms:
                return None
            set_mark(connection, _MARK, str(now_ms))
        hooks = RetentionHooks(stopped=self._stopped.is_set)
        ended = False
        try:
            deleted = run_retention(self._session, self._policy, hooks)
            ended = not self._stopped.is_set()
        finally:
            if not ended:
                # The rest need not wait for the next day.
                with batch_of(self._session) as connection:
                    clear_mark(connection, _MARK, str(now_ms))
        return deleted


def _accounts(connection: sa.Connection) -> list[str]:
    return list(connection.scalars(sa.select(ACCOUNTS.c.id).order_by(ACCOUNTS.c.id)))


def _forget_evidence(account_id: str, before_ms: int, connection: sa.Connection, limit: int) -> int:
    overwrite_deleted(connection)
    return forget_before(account_id, before_ms, connection, limit)


def _no_rest(_: float) -> None:
    """Go on at once."""

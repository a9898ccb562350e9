"""What an account has used, by operation, key, pipeline or tag, and what it was charged."""

from collections.abc import Iterable, Iterator
from datetime import date, timedelta
from functools import partial
from typing import Final

import sqlalchemy as sa

from gatehouse.access.roles import Permission
from gatehouse.admin.usage.types import (
    UsageEntry,
    UsageGroupEntry,
    UsagePer,
    UsageQuery,
    UsageResponse,
)
from gatehouse.billing.statement import DAY_MS, Period, UsageBy
from gatehouse.core.api_values import money
from gatehouse.core.errors import InvalidInput
from gatehouse.core.files.csv_output import plain_cell
from gatehouse.core.money import format_amount
from gatehouse.core.wording.sentences import Phrase
from gatehouse.store.accounts import accounts, keys, usage
from gatehouse.store.accounts.ledger_days import LedgerDays, read_senders
from gatehouse.store.accounts.usage import UsageGroup
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.admin.use_case import use_case

_USAGE_DAYS: Final = Phrase(
    "refused.usage_days", "usage is shown for {most} days at most; choose a shorter period"
)

_MOST_DAYS: Final = 92
"""Every request of the period is looked at."""
_MOST_GROUPS: Final = 1000
_SpanGroup = tuple[Period, UsageGroup]
sender_days: Final = partial(LedgerDays, read=read_senders)
"""Remembers who sent the requests of past days, for `quick_usage`."""
CSV_HEADINGS: Final = (
    *("accountId", "currency", "per", "day", "by", "group", "name", "rest"),
    *("requests", "charged"),
)


@use_case(
    "GET /usage",
    scope="manage:billing",
    permission=Permission.SEE_MONEY,
    answers="usageResponse",
)
def get_usage(session: AdminSession, account_id: str, wanted: UsageQuery) -> UsageResponse:
    """Usage.

    Decided requests by day and operation, and what they were charged, of a month (by default this)
    or of up to 92 days; or by key, pipeline or tag, per day or month. Tags are of decisions: they
    need the scope `decisions`, too.
    """
    period = _period(session, wanted)
    if wanted.by is UsageBy.OPERATION:
        with session.account_reading(account_id) as connection:
            currency = accounts.currency_of(connection, account_id)
            entries = [
                UsageEntry(each.day, each.operation, each.requests, money(currency, each.charged))
                for each in usage.usage(connection, account_id, period)
            ]
        return UsageResponse(first=period.first, end=period.end, usage=entries)
    groups = [
        each
        for span in _spans(period, wanted.per)
        for each in _groups(session, account_id, span, wanted.by)
    ]
    return UsageResponse(first=period.first, end=period.end, usage=[], groups=groups)


def quick_usage(
    session: AdminSession, account_id: str, wanted: UsageQuery, days: LedgerDays
) -> UsageResponse:
    """The same, for who asks again: who sent the requests of past days is remembered in `days`."""
    if wanted.by is not UsageBy.KEY:
        return get_usage(session, account_id, wanted)
    session.actor.check_account(account_id)
    period, now_ms = _period(session, wanted), session.clock()
    first = period.start_ms // DAY_MS
    days.prepare(session.database, account_id, first, now_ms)
    with session.account_reading(account_id) as connection:
        sent = [
            each for each in days.groups(connection, account_id, first, now_ms) if not each.moved
        ]
        found: list[_SpanGroup] = []
        for span in _spans(period, wanted.per):
            inside = range(span.start_ms // DAY_MS, span.end_ms // DAY_MS)
            parts = (
                (each.alike, each.requests, -each.amount) for each in sent if each.day in inside
            )
            found += [(span, each) for each in usage.added_groups(parts, wanted.by, _MOST_GROUPS)]
        groups = _entries(connection, account_id, wanted.by, found)
    return UsageResponse(first=period.first, end=period.end, usage=[], groups=groups)


def _period(session: AdminSession, wanted: UsageQuery) -> Period:
    period = wanted.period(session.clock())
    if (period.end - period.first).days > _MOST_DAYS:
        raise InvalidInput(_USAGE_DAYS(most=_MOST_DAYS))
    return period


def usage_rows(
    account_id: str, wanted: UsageQuery, found: UsageResponse
) -> Iterator[tuple[object, ...]]:
    """The groups as cells below `CSV_HEADINGS`."""
    for each in found.groups:
        named = (plain_cell(each.group), plain_cell(each.name), "yes" if each.is_rest else "")
        yield (
            *(account_id, each.charged.currency, wanted.per.value, each.day, wanted.by.value),
            *(*named, each.requests, format_amount(each.charged.micros)),
        )


def _groups(
    session: AdminSession, account_id: str, span: Period, by: UsageBy
) -> list[UsageGroupEntry]:
    """The groups of one span, each read by itself: no reading takes long."""
    if by is UsageBy.TAG:
        session.actor.check_reads(account_id)
    with session.account_reading(account_id) as connection:
        found = usage.usage_groups(connection, account_id, span, by, _MOST_GROUPS)
        return _entries(connection, account_id, by, ((span, each) for each in found))


def _entries(
    connection: sa.Connection, account_id: str, by: UsageBy, found: Iterable[_SpanGroup]
) -> list[UsageGroupEntry]:
    """Groups with the currency of the account and the names of its keys."""
    currency, called = accounts.currency_of(connection, account_id), dict[str, str]()
    if by is UsageBy.KEY:
        called = {each.key_id: each.name for each in keys.of_account(connection, account_id)}
    return [
        UsageGroupEntry(
            day=span.first,
            group=each.name,
            name=called.get(each.name or ""),
            requests=each.requests,
            charged=money(currency, each.charged),
            is_rest=each.is_rest,
        )
        for span, each in found
    ]


def _spans(period: Period, per: UsagePer) -> Iterator[Period]:
    day = period.first
    while day < period.end:
        end = min(_after(day, per), period.end)
        yield Period(day, end)
        day = end


def _after(day: date, per: UsagePer) -> date:
    if per is UsagePer.DAY:
        return day + timedelta(days=1)
    return (day.replace(day=1) + timedelta(days=32)).replace(day=1)

"""Kept reports, and what reports count in tables; every query is bound to an account."""

from typing import Final, NamedTuple

import msgspec
import sqlalchemy as sa

from gatehouse.admin.reports.tables import REPORTS
from gatehouse.admin.reports.types.report import MonthlyReport, ReportLine
from gatehouse.core.clock import Moment
from gatehouse.core.ids import first_id, id_time_ms
from gatehouse.core.reading.validation import parse_own_type
from gatehouse.core.wording.sentences import plain
from gatehouse.decisions.record import IMPORTED
from gatehouse.store.counting import count_rows
from gatehouse.store.decisions.review_events import EventKind, ReviewState
from gatehouse.store.tables import DECISIONS, REVIEW_EVENTS, REVIEWS

_R: Final = REPORTS.c
_V: Final = REVIEWS.c
_E: Final = REVIEW_EVENTS.c
_KEPT: Final = 120
_OLDEST_MS: Final = 180 * 86_400_000
"""Reviews that were opened longer before a month are counted only while they are open."""
_decode: Final = msgspec.json.Decoder(MonthlyReport, dec_hook=parse_own_type).decode


def find(connection: sa.Connection, account_id: str, month: str) -> MonthlyReport | None:
    """The report on a month, if one was made."""
    query = sa.select(_R.content).where(_R.account_id == account_id, _R.month == month)
    text = connection.scalar(query)
    return None if text is None else _decode(text)


def keep(connection: sa.Connection, account_id: str, report: MonthlyReport) -> None:
    """Keep a report in place of the one on the same month."""
    mine = (_R.account_id == account_id, _R.month == report.month)
    connection.execute(REPORTS.delete().where(*mine))
    text = msgspec.json.encode(report, enc_hook=plain).decode()
    row = {"account_id": account_id, "month": report.month, "made_at_ms": int(report.made_at)}
    connection.execute(REPORTS.insert(), {**row, "content": text})


def listing(connection: sa.Connection, account_id: str) -> list[ReportLine]:
    """The reports that were made, the newest month first."""
    query = sa.select(_R.month, _R.made_at_ms).where(_R.account_id == account_id)
    rows = connection.execute(query.order_by(_R.month.desc()).limit(_KEPT))
    return [ReportLine(row.month, Moment(row.made_at_ms)) for row in rows]


def has_decisions(connection: sa.Connection, account_id: str, since_ms: int, until_ms: int) -> bool:
    """Whether there were requests in a span."""
    ids = DECISIONS.c.request_id
    query = sa.select(ids).where(
        DECISIONS.c.account_id == account_id,
        DECISIONS.c.operation != IMPORTED,
        *_between(ids, since_ms, until_ms),
    )
    return connection.scalar(query.limit(1)) is not None


class ResolvedReview(NamedTuple):
    """A review that was resolved, and what became of the resolution."""

    request_id: str
    by: str
    at_ms: int
    approved: bool
    corrected: bool

    @property
    def took_ms(self) -> int:
        """From its opening, which is the moment of the request."""
        return max(0, self.at_ms - id_time_ms(self.request_id))


def resolved(
    connection: sa.Connection, account_id: str, since_ms: int, until_ms: int
) -> list[ResolvedReview]:
    """The first resolutions of reviews, of all that were opened within the last half year."""
    query = (
        sa.select(_E.request_id, _E.at_ms, _E.actor, _E.kind, _E.details)
        .where(
            _E.account_id == account_id,
            *_between(_E.request_id, max(0, since_ms - _OLDEST_MS), until_ms),
            _E.kind.in_([EventKind.RESOLVED.value, EventKind.CORRECTED.value]),
        )
        .order_by(_E.request_id, _E.seq)
    )
    found: dict[str, ResolvedReview] = {}
    for row in connection.execute(query):
        approved = f'"{ReviewState.APPROVED.value}"' in row.details
        first = found.get(row.request_id)
        if first is None:
            made = ResolvedReview(row.request_id, row.actor, row.at_ms, approved, corrected=False)
            found[row.request_id] = made
        else:
            found[row.request_id] = first._replace(corrected=approved != first.approved)
    return list(found.values())


def opened(connection: sa.Connection, account_id: str, since_ms: int, until_ms: int) -> list[str]:
    """The reviews that were opened in a span."""
    mine = (_V.account_id == account_id, *_between(_V.request_id, since_ms, until_ms))
    return list(connection.scalars(sa.select(_V.request_id).where(*mine)))


def still_open_before(connection: sa.Connection, account_id: str, before_ms: int) -> int:
    """How many reviews from before a moment are open by now."""
    return count_rows(
        connection,
        REVIEWS,
        _V.account_id == account_id,
        _V.state == ReviewState.OPEN.value,
        _V.request_id < first_id("req", before_ms),
    )


def _between(
    column: sa.ColumnElement[str], since_ms: int, until_ms: int
) -> tuple[sa.ColumnElement[bool], sa.ColumnElement[bool]]:
    return column >= first_id("req", since_ms), column < first_id("req", until_ms)

"""Use case: keep an account's decisions as Parquet files, day by day, in a folder or in S3."""

import logging
from collections.abc import Callable
from typing import Final, NamedTuple

from gatehouse.archive.keeping import carry_out, make_plan
from gatehouse.archive.manifest import Manifest, read_manifest
from gatehouse.archive.places import ArchivePlace, open_place
from gatehouse.core.api_values import CamelStruct
from gatehouse.core.errors import Conflict, GatehouseError
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.decisions import record_changes
from gatehouse.store.decisions.records import RecordSpan
from gatehouse.store.exclusive import exclusive

_log: Final = logging.getLogger("gatehouse.admin")

Reached = Callable[[int, int], object]
"""Takes how many records are done, and of how many."""


class ArchiveState(CamelStruct):
    """What an archive has of an account, and what was done to it now."""

    account_id: str
    to: str
    since: str | None
    """Its first day and its last; None when it has none."""
    until: str | None
    days: int
    decisions: int
    labels: int
    bytes: int
    written: list[str]
    """Days whose decisions were written."""
    labelled: list[str]
    """Days of which only the labels had changed."""
    removed: list[str]
    """Days that the database has no decisions of any more."""


def archive_decisions(
    session: AdminSession, span: RecordSpan, to: str, reached: Reached
) -> ArchiveState:
    """Bring an archive up to date; whole days of the span are added to it."""
    account_id = span.account_id
    with session.account_reading(account_id):
        place = open_place(to)
    with exclusive(session.database, f"archive-{account_id}") as was_free:
        if not was_free:
            raise Conflict(
                f"another process writes an archive of {account_id}; try again when it has ended"
            )
        return _bring_up_to_date(session, span, place, reached)


def _bring_up_to_date(
    session: AdminSession, span: RecordSpan, place: ArchivePlace, reached: Reached
) -> ArchiveState:
    account_id = span.account_id
    manifest = read_manifest(place, account_id)
    known = manifest is not None
    manifest = manifest or Manifest(account_id)
    plan = make_plan(session, manifest, span)
    if plan.work or not known:
        with session.account_change(account_id) as change:
            about = {"to": place.shown, "days": len(plan.work), "decisions": plan.records}
            change.audit(record_changes.ARCHIVED, account_id, **about)
    carry_out(session, place, manifest, plan, reached)
    days = [day for day, there in manifest.in_order() if there.decisions]
    files = [each for day in manifest.days.values() for each in (day.file, day.labels)]
    return ArchiveState(
        account_id=account_id,
        to=place.shown,
        since=days[0] if days else None,
        until=days[-1] if days else None,
        days=len(days),
        decisions=sum(each.decisions for each in manifest.days.values()),
        labels=sum(each.labels.rows for each in manifest.days.values() if each.labels),
        bytes=sum(each.bytes for each in files if each is not None),
        written=[each.day for each in plan.work if each.whole and not each.is_gone],
        labelled=[each.day for each in plan.work if not each.whole],
        removed=[each.day for each in plan.work if each.is_gone],
    )


class ArchivesLeft(NamedTuple):
    """Archives that were not brought up to date."""

    failed: list[str]
    missing: list[str]
    """Places where none is: it was removed, or is on another machine or a disk that is away."""


def refresh_archives(session: AdminSession, account_id: str, reached: Reached) -> ArchivesLeft:
    """Bring every archive of the account up to date, without new days; those that were not.

    The audit trail tells where the account was archived to.
    """
    left = ArchivesLeft([], [])
    for to in archives_of(session, account_id):
        try:
            if read_manifest(open_place(to), account_id) is None:
                left.missing.append(to)
            else:
                archive_decisions(session, RecordSpan(account_id, 0, 0), to, reached)
        except GatehouseError as error:
            _log.warning("an archive could not be written", extra={"reason": str(error)})
            left.failed.append(to)
    return left


def archives_of(session: AdminSession, account_id: str) -> list[str]:
    """Every place that the account was archived to."""
    with session.account_reading(account_id) as connection:
        return record_changes.archived_to(connection, account_id)

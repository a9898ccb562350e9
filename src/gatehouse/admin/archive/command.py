"""gatehouse decisions archive: decisions as Parquet files, day by day."""

from typing import TYPE_CHECKING, Annotated, Final

import msgspec

from gatehouse.admin.opening import open_account
from gatehouse.cli.arguments import AccountOption, AsJson, option
from gatehouse.cli.output import sheet, show
from gatehouse.cli.progress import Progress
from gatehouse.cli.spans import Until, read_span

if TYPE_CHECKING:
    from gatehouse.admin.archive.use_cases.archive import ArchiveState

_ALWAYS: Final = "1970-01-01"


def archive(
    to: Annotated[str, option("Where the archive is.", "--to", metavar="DIR|s3://BUCKET/PREFIX")],
    since: Annotated[
        str, option("First day to add: a day, or 30d ago. Default: all.", "--from", metavar="WHEN")
    ] = _ALWAYS,
    until: Until = None,
    account: AccountOption = None,
    as_json: AsJson = False,
) -> None:
    """Keep decisions as Parquet files by account and day, for backtests and training beside them.

    Whole days (UTC) are added, and days that changed since are written again: labels, erasures and
    what was deleted reach the archive so. No card numbers are in it, but addresses and the names of
    users are: keep it safe.
    """
    from gatehouse.admin.archive.use_cases.archive import archive_decisions

    session, account_id = open_account(account)
    span = read_span(account_id, since, until, session.clock())
    with Progress("archiving", None) as progress:
        done = archive_decisions(session, span, to, progress.reached_record)
    show(msgspec.to_builtins(done), _text(done), as_json)


def _text(done: "ArchiveState") -> str:
    about = [
        ("archive", done.to),
        ("days", f"{done.days:,}" + (f", {done.since} to {done.until}" if done.since else "")),
        ("decisions", f"{done.decisions:,}"),
        ("labels", f"{done.labels:,}"),
        ("bytes", f"{done.bytes:,}"),
        ("days written", f"{len(done.written):,}"),
        ("days labelled", f"{len(done.labelled):,}"),
        ("days removed", f"{len(done.removed):,}"),
    ]
    return sheet(about)

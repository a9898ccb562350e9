"""gatehouse decisions: list, show, export."""

from pathlib import Path
from typing import Annotated, Any

import msgspec
import typer

from gatehouse.admin import decisions
from gatehouse.admin.decisions import DecisionExport, ExportFormat
from gatehouse.cli.arguments import AccountOption, After, AsJson, RequestIdArgument, check_after
from gatehouse.cli.opening import open_account
from gatehouse.cli.output import sheet, show, table
from gatehouse.cli.progress import Progress
from gatehouse.cli.spans import Since, Until, read_span
from gatehouse.core.clock import iso_time
from gatehouse.core.money import format_amount
from gatehouse.core.redaction import recordable
from gatehouse.decisions.record import DecisionRecord, RecordedStage, encode
from gatehouse.pipeline.settlement import Search

app = typer.Typer(help="Records of what was decided, and why.", no_args_is_help=True)


@app.command("list")
def list_decisions(
    reference: Annotated[
        str | None, typer.Option(help="Only requests with this clientReferenceId.")
    ] = None,
    after: After = None,
    limit: Annotated[int, typer.Option(min=1, max=1000, help="Newest ones.")] = 20,
    account: AccountOption = None,
    as_json: AsJson = False,
) -> None:
    """List decisions, newest first."""
    check_after(after)
    session, account_id = open_account(account)
    recorded = None if reference is None else recordable(reference)
    found = decisions.list_decisions(session, account_id, Search(recorded, after, limit + 1))
    page = found[:limit]
    rows = [
        (
            record.request_id,
            record.at,
            record.operation,
            record.decision or "-",
            ", ".join(_stage(stage) for stage in record.stages) or "-",
            _plain(record.client_reference_id),
        )
        for record in page
    ]
    headings = ("REQUEST", "AT", "OPERATION", "DECISION", "STAGES", "REFERENCE")
    text = table(headings, rows) if rows else "no decisions"
    if len(found) > limit:
        text += f"\nthere are more: --after {page[-1].request_id}"
    show(page, text, as_json=as_json)


@app.command("show")
def show_decision(
    request: RequestIdArgument,
    account: AccountOption = None,
    as_json: AsJson = False,
) -> None:
    """Show one decision: what every stage found, and every signal as it was."""
    record = decisions.get_decision(*open_account(account), request)
    show(record, _whole(record), as_json=as_json)


@app.command()
def export(
    out: Annotated[Path, typer.Option("--out", metavar="DIR", help="Folder to write to.")],
    file_format: Annotated[
        ExportFormat,
        typer.Option("--format", help="Typed columns, or the records as lines of JSON."),
    ] = "parquet",
    since: Since = "30d",
    until: Until = None,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Replace an earlier export in that folder.")
    ] = False,
    account: AccountOption = None,
    as_json: AsJson = False,
) -> None:
    """Write decisions into a folder, one folder inside it for each day (day=2026-11-15).

    No card numbers are in it, but addresses and the names of users are: keep it safe.
    """
    session, account_id = open_account(account)
    span = read_span(account_id, since, until, session.clock())
    job = DecisionExport(span, out, file_format, overwrite)
    with Progress("exporting", None) as progress:
        number = decisions.export_decisions(session, job, progress.reached_record)
    since_text, until_text = iso_time(span.since_ms), iso_time(span.until_ms)
    data = {"records": number, "since": since_text, "until": until_text, "folder": str(out)}
    show(data, f"{out}: {number:,} decisions from {since_text} to {until_text}", as_json=as_json)


def _whole(record: DecisionRecord) -> str:
    """A record for people: about it, its stages, and its signals."""
    from gatehouse.decisions.signal_rows import row_of

    about = [
        ("request", record.request_id),
        ("at", record.at),
        ("operation", record.operation),
        ("decision", record.decision or "-"),
        ("reference", _plain(record.client_reference_id)),
        ("card", _plain(record.card)),
        ("charged", format_amount(record.closed_micros)),
    ]
    stages = [
        (_stage(stage), f"{stage.duration_microseconds:,} µs", _plain(stage.result))
        for stage in record.stages
    ]
    parts = [sheet(about), table(("STAGE", "TOOK", "FOUND"), stages)]
    if record.signals:
        signals = row_of(encode(record), None)
        rows = [(name, _plain(value)) for name, value in sorted(signals.items())]
        parts.append(table(("SIGNAL", "VALUE"), rows))
    return "\n\n".join(parts)


def _stage(stage: RecordedStage) -> str:
    return stage.name + ("" if stage.completed else " (not completed)")


def _plain(value: Any) -> str:
    """A value without control characters, which a terminal would obey."""
    if value is None:
        return "-"
    text = value if isinstance(value, str) else msgspec.json.encode(value).decode()
    return recordable(text)

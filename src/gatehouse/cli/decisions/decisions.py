"""gatehouse decisions: list, show, export."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import msgspec
import typer

from gatehouse.cli.arguments import AccountOption, AsJson
from gatehouse.cli.opening import open_session, resolve_account
from gatehouse.cli.output import show, table
from gatehouse.cli.progress import Progress
from gatehouse.cli.spans import Since, Until, read_span
from gatehouse.core.clock import iso_time
from gatehouse.core.errors import InvalidInput, NotFound
from gatehouse.core.ids import is_id
from gatehouse.core.money import format_amount
from gatehouse.core.redaction import recordable
from gatehouse.pipeline.settlement import Search
from gatehouse.store.decisions import decisions

app = typer.Typer(help="Records of what was decided, and why.", no_args_is_help=True)


class ExportFormat(StrEnum):
    """What an export is written as."""

    PARQUET = "parquet"
    JSONL = "jsonl"


@app.command("list")
def list_decisions(
    reference: Annotated[
        str | None, typer.Option(help="Only requests with this clientReferenceId.")
    ] = None,
    after: Annotated[
        str | None, typer.Option(metavar="REQUEST", help="Go on after this one of a list before.")
    ] = None,
    limit: Annotated[int, typer.Option(min=1, max=1000, help="Newest ones.")] = 20,
    account: AccountOption = None,
    as_json: AsJson = False,
) -> None:
    """List decisions, newest first."""
    if after is not None and not is_id(after, "req"):
        raise InvalidInput("--after takes the id of a request, such as the last one of a list")
    place = open_session()
    account_id = resolve_account(place, account)
    kept = None if reference is None else recordable(reference)
    with place.reading() as connection:
        found = decisions.search(connection, account_id, Search(kept, after, limit + 1))
    page = found[:limit]
    rows = [
        (
            record["requestId"],
            record["at"],
            record["operation"],
            record.get("decision") or "-",
            ", ".join(_stage(stage) for stage in record["stages"]) or "-",
            _plain(record["clientReferenceId"]),
        )
        for record in page
    ]
    headings = ("REQUEST", "AT", "OPERATION", "DECISION", "STAGES", "REFERENCE")
    text = table(headings, rows) if rows else "no decisions"
    if len(found) > limit:
        text += f"\nthere are more: --after {page[-1]['requestId']}"
    show(page, text, as_json=as_json)


@app.command("show")
def show_decision(
    request: Annotated[str, typer.Argument(metavar="REQUEST", help="Id of the request (req_...).")],
    account: AccountOption = None,
    as_json: AsJson = False,
) -> None:
    """Show one decision: what every stage found, and every signal as it was."""
    place = open_session()
    account_id = resolve_account(place, account)
    with place.reading() as connection:
        record = decisions.get(connection, account_id, request)
    if record is None:
        raise NotFound(f"no decision {recordable(request)}; see: gatehouse decisions list")
    show(record, _whole(record), as_json=as_json)


@app.command()
def export(
    out: Annotated[Path, typer.Option("--out", metavar="DIR", help="Folder to write to.")],
    file_format: Annotated[
        ExportFormat,
        typer.Option("--format", help="Typed columns, or the records as they are kept."),
    ] = ExportFormat.PARQUET,
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
    from gatehouse.backtest.export import export_lines, export_parquet, new_folder
    from gatehouse.store.decisions import records
    from gatehouse.store.feedback import feedback

    place = open_session()
    account_id = resolve_account(place, account)
    span = read_span(account_id, since, until, place.clock())
    since_text, until_text = iso_time(span.since_ms), iso_time(span.until_ms)
    with place.reading() as connection:
        labels = feedback.labels(connection, *span)
        total = records.count(connection, span)
    if not total:
        raise NotFound(f"no decisions from {since_text} to {until_text}")
    with new_folder(out, overwrite=overwrite) as folder, Progress("exporting", total) as progress:
        with place.change() as change:
            told = {"format": file_format.value, "since": since_text, "until": until_text}
            change.audit("decisions.export", account_id, **told, count=total)

        def reached(done: int) -> None:
            progress.reached(done, f"{done:,} of {total:,} records")

        batches = records.stream(place.database, span)
        if file_format is ExportFormat.PARQUET:
            number = export_parquet(batches, labels, folder, reached)
        else:
            number = export_lines(batches, folder, reached)
    data = {"records": number, "since": since_text, "until": until_text, "folder": str(out)}
    show(data, f"{out}: {number:,} decisions from {since_text} to {until_text}", as_json=as_json)


def _whole(record: dict[str, Any]) -> str:
    """A record for people: about it, its stages, and its signals."""
    from gatehouse.backtest.rows import row_of

    card = record["card"]
    about = [
        ("request", record["requestId"]),
        ("at", record["at"]),
        ("operation", record["operation"]),
        ("decision", record.get("decision") or "-"),
        ("reference", _plain(record["clientReferenceId"])),
        ("card", "-" if card is None else _plain(card)),
        ("charged", format_amount(record["closedMicros"])),
    ]
    stages = [
        (_stage(stage), f"{stage['durationMicroseconds']:,} µs", _plain(stage["result"]))
        for stage in record["stages"]
    ]
    parts = [table(("", ""), about).strip("\n "), table(("STAGE", "TOOK", "FOUND"), stages)]
    signals = [(name, _plain(value)) for name, value in sorted(row_of(record, None).items())]
    if record.get("signals"):
        parts.append(table(("SIGNAL", "VALUE"), signals))
    return "\n\n".join(parts)


def _stage(stage: dict[str, Any]) -> str:
    return str(stage["name"]) + ("" if stage["completed"] else " (not completed)")


def _plain(value: Any) -> str:
    """A value without anything that a terminal would obey."""
    if value is None:
        return "-"
    text = value if isinstance(value, str) else msgspec.json.encode(value).decode()
    return recordable(text)

"""gatehouse decisions: list, search, show, export."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any

import msgspec
import typer

from gatehouse.admin.accounts.use_cases import accounts
from gatehouse.admin.archive.command import archive
from gatehouse.admin.decisions.command.explained import explained
from gatehouse.admin.decisions.command.subject_output import (
    became_of,
    stage_facts,
    subject_cells,
    subject_lines,
)
from gatehouse.admin.decisions.use_cases import decisions
from gatehouse.admin.decisions.use_cases.decisions import DecisionExport, ExportFormat
from gatehouse.admin.decisions.use_cases.public_decisions import public_decision
from gatehouse.admin.decisions.use_cases.request_subject import subject_of
from gatehouse.admin.opening import open_account
from gatehouse.admin.search.command import (
    Filters,
    following,
    warn_of_missing,
    with_filters,
)
from gatehouse.admin.search.use_cases.filters import DecisionSearchRequest
from gatehouse.cli.arguments import (
    AccountOption,
    After,
    AsJson,
    RequestIdArgument,
    check_after,
    option,
)
from gatehouse.cli.output import sheet, show, shown_amount, table
from gatehouse.cli.progress import Progress
from gatehouse.cli.spans import Since, Until, read_span
from gatehouse.core.cards.redaction import recordable
from gatehouse.core.clock import iso_time
from gatehouse.decisions.reasons import reason_of
from gatehouse.decisions.record import DecisionRecord, RecordedStage, encode, event_of
from gatehouse.pipeline.settlement import Search

app = typer.Typer(no_args_is_help=True)
app.command()(archive)

_DEVICES = ("device", "device_id")
_HEADINGS = ("REQUEST", "AT", "OPERATION", "DECISION", "AMOUNT", "CARD", "CUSTOMER", "REFERENCE")


@app.command("list")
def list_decisions(
    reference: Annotated[str | None, option("Only requests with this clientReferenceId.")] = None,
    after: After = None,
    limit: Annotated[int, option("Newest ones.", min=1, max=1000)] = 20,
    account: AccountOption = None,
    as_json: AsJson = False,
) -> None:
    """List decisions, newest first."""
    check_after(after)
    session, account_id = open_account(account)
    recorded = None if reference is None else recordable(reference)
    found = decisions.list_decisions(session, account_id, Search(recorded, after, limit + 1))
    page = found[:limit]
    text = _decision_table(page)
    if len(found) > limit:
        text += f"\nthere are more: --after {page[-1].request_id}"
    currency = accounts.get(session, account_id).account.currency
    show([public_decision(one, currency) for one in page], text, as_json)


@app.command("search")
@with_filters
def search(
    filters: Filters,
    as_csv: Annotated[
        bool, option("Print all that is found, with score, rules, label and review.", "--csv")
    ] = False,
    account: AccountOption = None,
    as_json: AsJson = False,
) -> None:
    """Search decisions, newest first. Every option that is given must apply."""
    # Loads what is known about phone numbers, which no other command here needs.
    from gatehouse.admin.decisions.use_cases.export_rows import csv_rows, with_findings
    from gatehouse.admin.search.use_cases.decisions import search_decisions
    from gatehouse.admin.search.use_cases.exporting import export_found

    session, account_id = open_account(account)
    if as_csv:
        records = export_found(session, account_id, DecisionSearchRequest(**filters))
        for line in csv_rows(with_findings(session, account_id, records)):
            typer.echo(line, nl=False)
        return
    found = search_decisions(session, account_id, DecisionSearchRequest(**filters))
    warn_of_missing(complete=found.complete)
    currency = accounts.get(session, account_id).account.currency
    shown = [public_decision(one, currency) for one in found.records]
    data = {"decisions": shown, "nextCursor": found.next_cursor}
    show(data, _decision_table(found.records) + following(found.next_cursor), as_json)


@app.command("show")
def show_decision(
    request: RequestIdArgument,
    account: AccountOption = None,
    as_json: AsJson = False,
) -> None:
    """Explain one decision: what decided, why, what would have changed it, and all that was found.

    In JSON it has the form of the API.
    """
    session, account_id = open_account(account)
    record = decisions.get_decision(session, account_id, request)
    currency = accounts.get(session, account_id).account.currency
    explanation = decisions.explain_decision(session, account_id, record)
    became = decisions.what_became(session, account_id, record)
    text = f"{explained(explanation)}\n\n{_whole(record, currency)}"
    if became:
        text += f"\n\n{became_of(became)}"
    show(public_decision(record, currency, explanation, became), text, as_json)


@app.command()
def export(
    out: Annotated[Path, option("Folder to write to.", "--out", metavar="DIR")],
    file_format: Annotated[
        ExportFormat, option("Typed columns, or the records as lines of JSON.", "--format")
    ] = "parquet",
    since: Since = "30d",
    until: Until = None,
    overwrite: Annotated[
        bool, option("Replace an earlier export in that folder.", "--overwrite")
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
    show(data, f"{out}: {number:,} decisions from {since_text} to {until_text}", as_json)


def _decision_table(records: Sequence[DecisionRecord]) -> str:
    """Decisions for people, one line each."""
    rows = [
        (
            record.request_id,
            record.at,
            record.operation,
            record.decision or "-",
            *subject_cells(subject_of(record)),
            _plain(record.client_reference_id),
        )
        for record in records
    ]
    return table(_HEADINGS, rows, right=("AMOUNT",)) if rows else "no decisions"


def _whole(record: DecisionRecord, currency: str) -> str:
    """A record for people: about it, its stages, and its signals."""
    from gatehouse.decisions.signal_rows import row_of

    about = [
        ("request", record.request_id),
        ("at", record.at),
        ("operation", record.operation),
        ("decision", record.decision or "-"),
        ("reason", reason_of(record) or "-"),
        *subject_lines(subject_of(record)),
        *_search_names(record),
        ("charged", f"{shown_amount(record.closed_micros, currency)} {currency}"),
    ]
    if record.erased_at is not None:
        about.append(("erased", record.erased_at))
    found = [row for stage in record.stages for row in _found(stage)]
    parts = [sheet(about), table(("STAGE", "FOUND", "VALUE"), found)]
    if record.signals:
        signals = row_of(encode(record), None)
        rows = [(name, _plain(value)) for name, value in sorted(signals.items())]
        parts.append(table(("SIGNAL", "VALUE"), rows))
    return "\n\n".join(parts)


def _search_names(record: DecisionRecord) -> Iterator[tuple[str, str]]:
    """The card and the device by the names that a search takes."""
    if record.card is not None:
        yield "fingerprint", _plain(record.card.fingerprint)
        if record.card.account_fingerprint is not None:
            yield "card account", _plain(record.card.account_fingerprint)
    event = event_of(record)
    entities = [] if event is None else event.entities
    yield from ((kind, value) for kind, value in entities if kind in _DEVICES)


def _found(stage: RecordedStage) -> list[tuple[str, str, str]]:
    """A stage, line by line."""
    took = f"{stage.duration_microseconds:,} µs"
    lines = [(name, _plain(value)) for name, value in stage_facts(stage).items()]
    rows = [("took", took), *lines]
    return [(_stage(stage) if place == 0 else "", *row) for place, row in enumerate(rows)]


def _stage(stage: RecordedStage) -> str:
    return stage.name + ("" if stage.completed else " (not completed)")


def _plain(value: Any) -> str:
    """A value without control characters, which a terminal would obey."""
    if value is None:
        return "-"
    text = value if isinstance(value, str) else msgspec.json.encode(value).decode()
    return recordable(text)

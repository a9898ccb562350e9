"""gatehouse feedback: import, add, show, list."""

from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import msgspec
import typer

from gatehouse.admin.opening import open_account
from gatehouse.cli.arguments import (
    AccountOption,
    AsJson,
    DryRun,
    ImportFileArgument,
    RecordFormatOption,
    RequestIdArgument,
    option,
)
from gatehouse.cli.output import columns, money, show, shown_amount
from gatehouse.cli.progress import Progress
from gatehouse.cli.spans import Since, read_span
from gatehouse.core.cards.redaction import recordable
from gatehouse.core.clock import iso_time, time_or_none
from gatehouse.core.errors import WrongUsage
from gatehouse.core.wording.labels import Label

if TYPE_CHECKING:
    from gatehouse.admin.feedback.use_cases.record import LabelEntry

app = typer.Typer(no_args_is_help=True)

_HEADINGS: Final = ("LABEL", "BEFORE", "WHEN", "AMOUNT", "CURRENCY", "RECORDED", "SOURCE", "BY")
_FIELDS: Final = (
    *("label", "previousLabel", "when", "amount", "currency", "recordedAt", "source", "by"),
)


@app.command("import")
def import_file(
    file: ImportFileArgument,
    file_format: RecordFormatOption = None,
    dry_run: DryRun = False,
    account: AccountOption = None,
    as_json: AsJson = False,
) -> None:
    """Import labels of requests from CSV or JSON Lines.

    A row has one of requestId, transactionId and clientReferenceId, a label (FRAUD, CHARGEBACK,
    CARD_TESTING, ABUSE, LEGITIMATE or WITHDRAWN), and if you like when, amount and currency. Rows
    that cannot be used are reported and left out, and the command then ends with code 1. Importing
    the same file again changes nothing, even if other labels were reported since. To report a label
    again, give it another when, or use feedback add.
    """
    from gatehouse.admin.feedback.use_cases.import_labels import import_feedback
    from gatehouse.admin.feedback.use_cases.statements import open_feedback_file
    from gatehouse.core.files.records import guess_format

    form = file_format or guess_format(file)
    path = None if file == "-" else Path(file)
    session, account_id = open_account(account)
    try:
        with (
            closing(open_feedback_file(path, form)) as source,
            Progress("importing", source.lines.size) as progress,
        ):
            done = import_feedback(session, account_id, source, progress, dry_run=dry_run)
    except KeyboardInterrupt:
        typer.echo("interrupted; import the file again: what is kept counts as unchanged", err=True)
        raise typer.Exit(130) from None
    numbers = done.counts()
    labels = {label.value: done.labels[label] for label in Label if done.labels[label]}
    if done.bad:
        left_out = "a row is" if done.bad == 1 else f"{done.bad:,} rows are"
        typer.echo(f"{left_out} left out:\n{done.report()}", err=True)
    text = "would be: " if dry_run else ""
    text += ", ".join(f"{name} {number:,}" for name, number in numbers.items())
    if labels:
        text += "\nby label: " + ", ".join(f"{name} {each:,}" for name, each in labels.items())
    flaws = [{"line": line, "message": message} for line, message in done.flaws]
    data = {**numbers, "labels": labels, "flaws": flaws, "dryRun": dry_run}
    show(data, text, as_json)
    if done.error is not None:
        raise done.error
    if done.bad:
        raise typer.Exit(1)


@app.command()
def add(  # noqa: PLR0913, PLR0917  # each option is one property of a statement
    label: Annotated[
        Label,
        option("What it turned out to be; WITHDRAWN takes the label back.", case_sensitive=False),
    ],
    request: Annotated[str | None, option("Id of the request (req_...).", metavar="ID")] = None,
    transaction: Annotated[
        str | None, option("All requests with this transactionId.", metavar="ID")
    ] = None,
    reference: Annotated[
        str | None, option("All requests with this clientReferenceId.", metavar="ID")
    ] = None,
    when: Annotated[
        str | None,
        option("When it was found out: 2026-11-15, or RFC 3339.", "--when", metavar="WHEN"),
    ] = None,
    amount: Annotated[str | None, option("What was lost, such as 12.50.")] = None,
    currency: Annotated[str | None, option("Its currency, such as USD.")] = None,
    account: AccountOption = None,
    as_json: AsJson = False,
) -> None:
    """Label a request, or all requests of a transaction or reference."""
    from gatehouse.admin.feedback.use_cases import record

    if [request, transaction, reference].count(None) != 2:
        raise WrongUsage(
            "name what is meant by exactly one of --request, --transaction and --reference"
        )
    names = {"requestId": request, "transactionId": transaction, "clientReferenceId": reference}
    given = {"label": label.value, "when": when, "amount": amount, "currency": currency}
    recorded = record.record_fields(*open_account(account), {**names, **given})
    fields = ("requestId", "label", "previousLabel", "changed")
    data: list[dict[str, Any]] = msgspec.to_builtins(recorded)
    rows = [{**each, "changed": "kept" if each["changed"] else "was known"} for each in data]
    text = columns(("REQUEST", "LABEL", "BEFORE", ""), rows, fields)
    show(data, text, as_json)


@app.command("show")
def show_feedback(
    request: RequestIdArgument,
    account: AccountOption = None,
    as_json: AsJson = False,
) -> None:
    """Show the labels of a request, newest first; the newest counts."""
    from gatehouse.admin.feedback.use_cases import record

    found = record.feedback_of(*open_account(account), request)
    counting = record.label_that_counts(found)
    data = {"requestId": request, "label": counting, "history": [_data(one) for one in found]}
    text = f"{request}: {counting or 'no label'}"
    if found:
        text += "\n\n" + columns(_HEADINGS, _rows(found), _FIELDS)
    show(data, text, as_json)


@app.command("list")
def list_feedback(
    since: Since = "30d",
    label: Annotated[Label | None, option("Only with this label.", case_sensitive=False)] = None,
    limit: Annotated[int, option("Newest ones.", min=1, max=10_000)] = 50,
    account: AccountOption = None,
    as_json: AsJson = False,
) -> None:
    """List labels of requests by the time when they were reported, newest first."""
    from gatehouse.admin.feedback.use_cases import record

    session, account_id = open_account(account)
    since_ms = read_span(account_id, since, None, session.clock()).since_ms
    found = record.list_feedback(session, account_id, since_ms, label, limit + 1)
    page = found[:limit]
    headings, fields = ("REQUEST", *_HEADINGS), ("requestId", *_FIELDS)
    text = columns(headings, _rows(page), fields) if page else "no feedback"
    if len(found) > limit:
        text += "\nthere are more: raise --limit"
    show([{"requestId": one.request_id, **_data(one)} for one in page], text, as_json)


def _data(one: "LabelEntry") -> dict[str, Any]:
    return {
        "label": one.label,
        "previousLabel": one.previous,
        "when": time_or_none(one.found_at_ms),
        "amount": None if one.amount is None else money(one.amount, one.currency),
        "recordedAt": iso_time(one.recorded_at_ms),
        "source": one.source,
        "by": one.actor,
    }


def _rows(entries: "list[LabelEntry]") -> list[dict[str, Any]]:
    """Entries for people; the name of an actor may hold anything."""
    return [
        {
            **{"requestId": one.request_id, **_data(one), "by": recordable(one.actor)},
            "amount": None if one.amount is None else shown_amount(one.amount, one.currency or ""),
            "currency": one.currency,
        }
        for one in entries
    ]

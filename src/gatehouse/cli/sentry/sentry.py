"""gatehouse sentry: models, show, promote, rollback; others add `train` and `replay`."""

from typing import TYPE_CHECKING, Annotated, Any, Final

import msgspec
import typer

from gatehouse.cli.arguments import AccountOption, AsJson
from gatehouse.cli.opening import open_account
from gatehouse.cli.output import show, table
from gatehouse.core.clock import iso_time
from gatehouse.core.errors import Conflict, GatehouseError
from gatehouse.store.configured import models
from gatehouse.store.configured.models import SHIPPED, StoredModel

if TYPE_CHECKING:
    from gatehouse.sentry.scorecard import Sheet, Term
    from gatehouse.training.report import ModelReport

app = typer.Typer(help="The models that Sentry scores with.", no_args_is_help=True)

VersionArgument = Annotated[int, typer.Argument(metavar="VERSION", help="Number of the model.")]

_HEADINGS: Final = (
    *("VERSION", "MADE", "BY", "METHOD", "SINCE", "UNTIL", "FRAUDS"),
    *("AUC", "AP", "ECE", "STATE", "NOTE"),
)
_DAY: Final = len("2026-01-01")


@app.command("models")
def list_models(account: AccountOption = None, as_json: AsJson = False) -> None:
    """List the account's models, newest first, with what each learned from and how it did then.

    AUC and AP (average precision) say how well a model tells fraud from honest requests, ECE how
    far its confidence is from the truth. Version 0 is the scorecard that ships with gatehouse.
    """
    place, account_id = open_account(account)
    with place.reading() as connection:
        found = models.listing(connection, account_id)
    data = [_line(each) for each in found]
    data.append(_shipped_line(live=not any(each.live for each in found)))
    show(data, table(_HEADINGS, [_row(line) for line in data]), as_json=as_json)


@app.command("show")
def show_model(
    version: Annotated[
        int | None,
        typer.Argument(metavar="[VERSION]", help="Number of the model. Default: the live one."),
    ] = None,
    account: AccountOption = None,
    as_json: AsJson = False,
) -> None:
    """Show a model: what it learned from, how it did beside the one live then, and its terms."""
    place, account_id = open_account(account)
    with place.reading() as connection:
        live = models.live_program(connection, account_id)
        wanted = version
        if wanted is None:
            wanted = SHIPPED if live is None else live[0]
        kept = None if wanted == SHIPPED else models.get(connection, account_id, wanted)
    if kept is None:
        _show_shipped(live=live is None, as_json=as_json)
        return
    data = {
        **_about(kept),
        "report": msgspec.Raw(kept.document.encode()),
        "scorecard": msgspec.Raw(kept.program.encode()),
    }
    show(data, _plain(kept), as_json=as_json)


@app.command()
def promote(
    version: VersionArgument, account: AccountOption = None, as_json: AsJson = False
) -> None:
    """Put a model into use; requests are scored with it within a second."""
    place, account_id = open_account(account)
    with place.change() as change:
        before = models.promote(change, account_id, version)
        remarks = _check(models.get(change.connection, account_id, version))
    _show_change(account_id, version, before or SHIPPED, remarks, as_json=as_json)


@app.command()
def rollback(
    to: Annotated[
        int | None,
        typer.Option(
            min=0,
            help="Version to go back to, 0 for the shipped scorecard. "
            "Default: what was live before this one; after a rollback it must be said.",
        ),
    ] = None,
    account: AccountOption = None,
    as_json: AsJson = False,
) -> None:
    """Go back to what was live before; requests are scored with it within a second."""
    place, account_id = open_account(account)
    with place.change() as change:
        before, after = models.rollback(change, account_id, to)
        remarks = []
        if after is not None:
            remarks = _check(models.get(change.connection, account_id, after))
    _show_change(account_id, after or SHIPPED, before, remarks, as_json=as_json)


def _check(model: StoredModel) -> list[str]:
    """Refuse a model that servers would not use; what is to be known about the others."""
    from gatehouse.sentry.features.catalogue import BY_CODE
    from gatehouse.sentry.scorecard import Scorecard, ScorecardError
    from gatehouse.store.configured.scorecards import read_program

    try:
        read = read_program(model.program)
        Scorecard(read.sheet, BY_CODE.keys())
    except ScorecardError as error:
        raise Conflict(
            f"model {model.version} cannot be used by this version of gatehouse: {error}"
        ) from None
    remarks = []
    if read.added:
        remarks.append(f"signals it does not know count as shipped: {', '.join(read.added)}")
    if read.dropped:
        remarks.append(f"it knows signals that are not measured: {', '.join(read.dropped)}")
    return remarks


def _show_change(
    account_id: str, version: int, before: int, remarks: list[str], *, as_json: bool
) -> None:
    data = {"accountId": account_id, "version": version, "before": before, "remarks": remarks}
    text = f"{_called(version)} is live; before it was {_called(before)}"
    show(data, "\n".join([text, *remarks]), as_json=as_json)


def _called(version: int) -> str:
    return f"model {version}" if version else "the shipped scorecard"


def _about(model: StoredModel) -> dict[str, Any]:
    return {
        "version": model.version,
        "createdAt": iso_time(model.created_at_ms),
        "actor": model.actor,
        "note": model.note,
        "live": model.live,
    }


def _report(model: StoredModel) -> "ModelReport | None":
    """What is known of a model; None when a newer version of gatehouse wrote it down."""
    from gatehouse.training.report import decode_report

    try:
        return decode_report(model.document)
    except GatehouseError:
        return None


def _line(model: StoredModel) -> dict[str, Any]:
    report = _report(model)
    if report is None:
        return {**_about(model), **_FIGURES}
    found = report.figures.candidate
    return {
        **_about(model),
        "method": report.method,
        "since": report.since,
        "until": report.until,
        "records": report.records,
        "frauds": report.frauds,
        "auc": None if found is None else found.auc,
        "averagePrecision": None if found is None else found.average_precision,
        "ece": None if found is None else found.ece,
    }


_FIGURES: Final = dict.fromkeys(
    ("method", "since", "until", "records", "frauds", "auc", "averagePrecision", "ece")
)


def _shipped_line(*, live: bool) -> dict[str, Any]:
    about = {"version": SHIPPED, "createdAt": None, "actor": None, "note": None, "live": live}
    return {**about, **_FIGURES, "method": "shipped"}


def _row(line: dict[str, Any]) -> list[object]:
    cells = [line["version"], line["createdAt"], line["actor"], line["method"]]
    cells += [None if line[name] is None else line[name][:_DAY] for name in ("since", "until")]
    cells.append(line["frauds"])
    figures = [line[name] for name in ("auc", "averagePrecision", "ece")]
    cells += [None if figure is None else f"{figure:.4f}" for figure in figures]
    shown: list[object] = ["-" if cell is None else cell for cell in cells]
    return [*shown, "live" if line["live"] else "", line["note"] or ""]


def _plain(model: StoredModel) -> str:
    """A model for people: who made it when, then its report."""
    from gatehouse.sentry.scorecard import ScorecardError, decode_sheet
    from gatehouse.training.report import as_text

    state = "live" if model.live else "not live"
    head = f"model {model.version}, made {iso_time(model.created_at_ms)} by {model.actor}, {state}"
    if model.note:
        head += f"\nnote: {model.note}"
    report = _report(model)
    if report is not None:
        return f"{head}\n\n{as_text(report)}"
    unread = f"{head}\nits report cannot be read by this version of gatehouse"
    try:
        sheet = decode_sheet(model.program)
    except ScorecardError:
        return f"{unread}, nor can its scorecard"
    wrong = [problem for term in sheet.terms for problem in term.problems()]
    return f"{unread}\n\n{'; '.join(wrong) or _terms(sheet)}"


def _show_shipped(*, live: bool, as_json: bool) -> None:
    from gatehouse.sentry.scorecard import load_sheet

    sheet = load_sheet()
    state = "live" if live else "not live"
    text = f"the shipped scorecard ({sheet.version}), {state}; set by hand, not learned"
    data = {**_shipped_line(live=live), "scorecard": sheet}
    show(data, f"{text}\n\n{_terms(sheet)}", as_json=as_json)


def _terms(sheet: "Sheet") -> str:
    """What each signal is worth, and what a request has of which nothing is known."""
    rows = [(term.code, term.family or "-", _steps(term)) for term in sheet.terms]
    begins = f"a request of which nothing is known has a confidence of {sheet.prior.confidence:.4g}"
    headings = ("SIGNAL", "FAMILY", "LOG-ODDS OF BEING LEGITIMATE")
    return f"{begins}\n\n{table(headings, rows)}"


def _steps(term: "Term") -> str:
    steps = [f"{term.effects[0]:+.4g}"]
    pairs = zip(term.cuts, term.effects[1:], strict=True)
    return ", ".join([*steps, *(f"from {cut:.6g}: {effect:+.4g}" for cut, effect in pairs)])

"""gatehouse sentry: the models that Sentry scores with, and what it remembers."""

from typing import TYPE_CHECKING, Annotated, Any, Final

import msgspec
import typer

from gatehouse.admin.memory.command import rebuild
from gatehouse.admin.models.command.sentry_files import export_model, import_model
from gatehouse.admin.models.command.sentry_remember import remember
from gatehouse.admin.models.command.sentry_replay import replay
from gatehouse.admin.models.command.sentry_train import train
from gatehouse.admin.opening import open_account
from gatehouse.cli.arguments import AccountOption, AsJson, argument, option
from gatehouse.cli.output import show, table
from gatehouse.core.clock import iso_time
from gatehouse.core.wording.sentences import number_text, plain

if TYPE_CHECKING:
    from gatehouse.admin.models.types import ModelSwitched, ThresholdKept
    from gatehouse.admin.models.use_cases.versions import ModelEntry, StoredModel
    from gatehouse.sentry.costs import CostTerms
    from gatehouse.sentry.scorecard import Sheet, Term

app = typer.Typer(no_args_is_help=True)
app.command("train")(train)
app.command("replay")(replay)
app.command("remember")(remember)
app.command("export")(export_model)
app.command("import")(import_model)
app.command("rebuild")(rebuild)

VersionArgument = Annotated[int, argument("VERSION", "Number of the model.")]

_HEADINGS: Final = (
    *("VERSION", "MADE", "BY", "METHOD", "SINCE", "UNTIL", "FRAUDS"),
    *("AUC", "AP", "ECE", "STATE", "NOTE"),
)
_FIGURES: Final = (
    *("method", "since", "until", "records", "frauds"),
    *("auc", "averagePrecision", "ece"),
)
_DAY: Final = len("2026-01-01")
_THRESHOLDS: Final = ("NAMED BY", "BELOW", "BEFORE", "UNMAPPED", "NOW", "CHANGED")


@app.command("models")
def list_models(account: AccountOption = None, as_json: AsJson = False) -> None:
    """List the account's models, newest first, with what each learned from and how it did then.

    AUC and AP (average precision) say how well a model tells fraud from honest requests, ECE how
    far its confidence is from the truth. Version 0 is the scorecard that ships with gatehouse.
    """
    from gatehouse.admin.models.use_cases import versions

    data = [_line(entry) for entry in versions.list_models(*open_account(account))]
    show(data, table(_HEADINGS, [_row(line) for line in data]), as_json)


@app.command("show")
def show_model(
    version: Annotated[
        int | None, argument("VERSION", "Number of the model. Default: the live one.")
    ] = None,
    account: AccountOption = None,
    as_json: AsJson = False,
) -> None:
    """Show a model: what it learned from, how it did beside the one live then, and its terms."""
    from gatehouse.admin.accounts.use_cases.costs import terms_of
    from gatehouse.admin.models.use_cases import versions

    session, account_id = open_account(account)
    entry = versions.get_model(session, account_id, version)
    if entry.stored is None:
        _show_shipped(entry, as_json=as_json)
        return
    data = {
        **_about(entry),
        "report": msgspec.Raw(entry.stored.document.encode()),
        "scorecard": msgspec.Raw(entry.stored.program.encode()),
    }
    costs = terms_of(session, account_id)
    if costs is not None:
        data["costs"] = versions.shown_costs(entry.report, costs)
    show(data, _plain(entry, entry.stored, costs), as_json)


@app.command()
def promote(
    version: VersionArgument,
    raw_scores: Annotated[
        bool,
        option("Tell its scores as they are; thresholds mean another share then.", "--raw-scores"),
    ] = False,
    account: AccountOption = None,
    as_json: AsJson = False,
) -> None:
    """Put a model into use; requests are scored with it within a second.

    Its scores are told so that thresholds in use keep the share of requests below them.
    """
    from gatehouse.admin.models.types import PromotionOptions
    from gatehouse.admin.models.use_cases import versions

    session, account_id = open_account(account)
    how = PromotionOptions(raw_scores)
    change = versions.promote_model(session, account_id, str(version), how)
    _show_change(account_id, change, as_json=as_json)


@app.command()
def rollback(
    to: Annotated[
        int | None,
        option(
            "Version to go back to, 0 for the shipped scorecard. "
            "Default: what was live before this one; after a rollback it must be said.",
            min=0,
        ),
    ] = None,
    account: AccountOption = None,
    as_json: AsJson = False,
) -> None:
    """Go back to what was live before; requests are scored with it within a second."""
    from gatehouse.admin.configurations.types import VersionReturn
    from gatehouse.admin.models.use_cases import versions

    session, account_id = open_account(account)
    change = versions.roll_back_model(session, account_id, VersionReturn(to))
    _show_change(account_id, change, as_json=as_json)


def _show_change(account_id: str, change: "ModelSwitched", *, as_json: bool) -> None:
    data = {"accountId": account_id, **msgspec.to_builtins(change, enc_hook=plain)}
    text = f"{_called(change.version)} is live; before it was {_called(change.before)}"
    parts = [text, *change.remarks]
    if change.thresholds:
        how = "so that thresholds keep their meaning" if change.mapped else "as they are"
        parts += [f"its scores are told {how}; requests below each threshold in use:"]
        parts.append(table(_THRESHOLDS, [_threshold_row(each) for each in change.thresholds]))
    show(data, "\n".join(parts), as_json)


def _threshold_row(one: "ThresholdKept") -> list[object]:
    shares = [one.before, one.unmapped, one.after]
    cells: list[object] = [f"{one.configured}, {one.name}", f"{one.threshold:g}"]
    cells += ["-" if share is None else f"{share:.2%}" for share in shares]
    return [*cells, "-" if one.changed is None else f"{one.changed:,}"]


def _called(version: int) -> str:
    return f"model {version}" if version else "the shipped scorecard"


def _about(entry: "ModelEntry") -> dict[str, Any]:
    stored = entry.stored
    return {
        "version": entry.version,
        "createdAt": None if stored is None else iso_time(stored.created_at_ms),
        "actor": None if stored is None else stored.actor,
        "note": None if stored is None else stored.note,
        "live": entry.live,
    }


def _line(entry: "ModelEntry") -> dict[str, Any]:
    report = entry.report
    told: dict[str, Any] = {"method": "shipped"} if entry.stored is None else {}
    if report is not None:
        figures = msgspec.to_builtins(report.figures.candidate or {})
        told = figures | msgspec.structs.asdict(report)
    return {**_about(entry), **{name: told.get(name) for name in _FIGURES}}


def _row(line: dict[str, Any]) -> list[object]:
    cells = [line["version"], line["createdAt"], line["actor"], line["method"]]
    cells += [None if line[name] is None else line[name][:_DAY] for name in ("since", "until")]
    cells.append(line["frauds"])
    figures = [line[name] for name in ("auc", "averagePrecision", "ece")]
    cells += [None if figure is None else f"{figure:.4f}" for figure in figures]
    shown: list[object] = ["-" if cell is None else cell for cell in cells]
    return [*shown, "live" if line["live"] else "", line["note"] or ""]


def _plain(entry: "ModelEntry", stored: "StoredModel", costs: "CostTerms | None") -> str:
    """A model for people: who made it when, then its report."""
    from gatehouse.sentry.scorecard import ScorecardError, decode_sheet
    from gatehouse.training.report.text import as_text

    made = f"made {iso_time(stored.created_at_ms)} by {stored.actor}"
    head = f"model {stored.version}, {made}, {_state(entry)}"
    if stored.note:
        head += f"\nnote: {stored.note}"
    if entry.report is not None:
        return f"{head}\n\n{as_text(entry.report, costs)}"
    unread = f"{head}\nits report cannot be read by this version of gatehouse"
    try:
        sheet = decode_sheet(stored.program)
    except ScorecardError:
        return f"{unread}, nor can its scorecard"
    wrong = [problem for term in sheet.terms for problem in term.problems()]
    return f"{unread}\n\n{'; '.join(wrong) or _terms(sheet)}"


def _show_shipped(entry: "ModelEntry", *, as_json: bool) -> None:
    from gatehouse.sentry.scorecard import load_sheet

    sheet = load_sheet()
    text = f"the shipped scorecard ({sheet.version}), {_state(entry)}; set by hand, not learned"
    data = {**_line(entry), "scorecard": sheet}
    show(data, f"{text}\n\n{_terms(sheet)}", as_json)


def _state(entry: "ModelEntry") -> str:
    return "live" if entry.live else "not live"


def _terms(sheet: "Sheet") -> str:
    """What each feature is worth, and the confidence in a request of which nothing is known."""
    rows = [(term.code, term.family or "-", _steps(term)) for term in sheet.terms]
    begins = f"a request of which nothing is known has a confidence of {sheet.prior.confidence:.4g}"
    headings = ("SIGNAL", "FAMILY", "LOG-ODDS OF BEING LEGITIMATE")
    return f"{begins}\n\n{table(headings, rows)}"


def _steps(term: "Term") -> str:
    steps = [f"{term.effects[0]:+.4g}"]
    pairs = zip(term.cuts, term.effects[1:], strict=True)
    return ", ".join(
        [*steps, *(f"from {number_text(cut)}: {effect:+.4g}" for cut, effect in pairs)]
    )

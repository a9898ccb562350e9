"""gatehouse sentry train: a model from what was measured and what became of it."""

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import msgspec
import typer

from gatehouse.cli.arguments import AccountOption, AsJson, Note, span_argument
from gatehouse.cli.opening import open_account
from gatehouse.cli.output import show
from gatehouse.cli.progress import Progress
from gatehouse.cli.spans import Since, Until, read_span
from gatehouse.core.errors import InvalidInput, NotFound
from gatehouse.core.redaction import recordable

if TYPE_CHECKING:
    from gatehouse.sentry.scorecard import Sheet
    from gatehouse.store.admin.admin_session import AdminSession
    from gatehouse.store.decisions.records import RecordCounts, RecordSpan
    from gatehouse.training.examples import Examples
    from gatehouse.training.model_training import TrainingOptions
    from gatehouse.training.report import ModelReport


class FitMethodOption(StrEnum):
    """How a model is fitted."""

    AUTO = "auto"
    EBM = "ebm"
    LOGISTIC = "logistic"


def train(  # noqa: PLR0913, PLR0917  # each option is one property of a training
    context: typer.Context,
    named: Annotated[
        str | None,
        typer.Argument(metavar="[ACCOUNT]", help="Id of the account, if not by --account."),
    ] = None,
    since: Since = "180d",
    until: Until = None,
    label_delay: Annotated[
        str,
        typer.Option(metavar="SPAN", help="How long labels are waited for; newer requests wait."),
    ] = "30d",
    holdout: Annotated[
        float, typer.Option(min=0.05, max=0.5, help="Share of the newest requests to measure on.")
    ] = 0.2,
    method: Annotated[
        FitMethodOption,
        typer.Option(help="How it is fitted; auto depends on how much fraud there is."),
    ] = FitMethodOption.AUTO,
    presume: Annotated[
        bool,
        typer.Option(
            help="Whether requests without a label count as legitimate, refused ones never."
        ),
    ] = True,
    plots: Annotated[
        str | None,
        typer.Option(metavar="DIR", help="Folder for the pictures. Default: ./sentry-model-N."),
    ] = None,
    note: Note = None,
    account: AccountOption = None,
    as_json: AsJson = False,
) -> None:
    """Train a model on recorded requests, and measure it beside the one in force.

    The model is kept as a new version and not used until somebody promotes it.
    """
    from gatehouse.training.extra_packages import require_extra

    require_extra()
    from gatehouse.sentry.scorecard import load_sheet
    from gatehouse.store.configured.configurations import check_note
    from gatehouse.training.model_fitting import FitOptions
    from gatehouse.training.model_training import TrainingOptions
    from gatehouse.training.model_training import train as fit_and_measure

    check_note(note)
    options = TrainingOptions(
        FitOptions(method=method.value),
        label_delay_ms=span_argument(label_delay),
        holdout=holdout,
        presume=presume,
    )
    if plots is not None:
        _make_folder(plots)
    place, account_id = open_account(_meant(context, named, account))
    span = read_span(account_id, since, until, place.clock())
    current, learned_until, remarks = _current(place, account_id)
    examples, since_s, told = _gather(place, span, options)
    typer.echo(f"learning from {len(examples):,} requests ...", err=True)
    trained = fit_and_measure(examples, load_sheet(), current, "learned", options, since_s)
    told += [*remarks, *_overlap(trained.report, learned_until)]
    report = msgspec.structs.replace(trained.report, warnings=(*trained.report.warnings, *told))
    version = _keep(place, account_id, (trained.sheet, report), note)
    drawn = _draw(report, version, plots)
    data = {"accountId": account_id, "version": version, "plots": drawn, "report": report}
    show(data, _text(version, report, drawn), as_json=as_json)


def _meant(context: typer.Context, named: str | None, account: str | None) -> str | None:
    """The account that is meant; one that the environment names gives way to one that is typed."""
    if named is None:
        return account
    source = context.get_parameter_source("account")
    if source is not None and source.name == "COMMANDLINE" and account != named:
        raise InvalidInput("two accounts are named, and a model is one account's; leave one out")
    return named


def _make_folder(path: str) -> None:
    """Before anything is learned, so that a mistyped folder costs no time."""
    try:
        Path(path).mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "not a path"
        raise InvalidInput(f"cannot make the folder {recordable(path)}: {reason}") from None


def _current(place: "AdminSession", account_id: str) -> tuple["Sheet", str | None, list[str]]:
    """The scorecard in force, until when it learned, and what is wrong with it."""
    from gatehouse.sentry.features.catalogue import BY_CODE
    from gatehouse.sentry.scorecard import Scorecard, ScorecardError, load_sheet
    from gatehouse.store.configured import models
    from gatehouse.store.configured.scorecards import read_program
    from gatehouse.training.report import decode_report

    try:
        with place.reading() as connection:
            live = models.get(connection, account_id, None)
    except NotFound:
        return load_sheet(), None, []
    try:
        sheet = read_program(live.program).sheet
        Scorecard(sheet, BY_CODE.keys())
        return sheet, decode_report(live.document).until, []
    except ScorecardError:
        remark = f"model {live.version} is live but cannot be read; servers use the shipped one"
        return load_sheet(), None, [remark]
    except InvalidInput:
        return sheet, None, []


def _gather(
    place: "AdminSession", span: "RecordSpan", options: "TrainingOptions"
) -> tuple["Examples", float | None, list[str]]:
    """The examples of a span, since when anything is reported, and what was wrong with records."""
    from gatehouse.store.decisions import records
    from gatehouse.store.feedback import label_times
    from gatehouse.training.model_training import gather, settled

    now_ms = place.clock()
    wanted = settled(span, now_ms, options)
    with place.reading() as connection:
        labels = label_times.labels_with_times(connection, *wanted)
        since_ms = label_times.reported_since(connection, span.account_id)
        total = records.count(connection, wanted)
    seen = records.RecordCounts()
    with Progress("reading records", total) as progress:

        def reached(gathered: "RecordCounts") -> None:
            nonlocal seen
            seen = gathered
            done = gathered.looked_at
            progress.reached(done, f"{done:,} of {total:,} records")

        examples = gather(place.database, span, labels, now_ms, options, reached)
    told = []
    if seen.unreadable:
        told.append(f"records that cannot be read were left out: {seen.unreadable:,}")
    return examples, None if since_ms is None else since_ms / 1000, told


def _overlap(report: "ModelReport", learned_until: str | None) -> list[str]:
    """Whether the comparison flatters the model in force."""
    if learned_until is None or learned_until < report.holdout.since:
        return []
    return [
        f"the current model has itself learned from requests up to {learned_until}, so from some "
        "of those that it is measured on here: its figures are better than they should be"
    ]


def _keep(
    place: "AdminSession", account_id: str, model: tuple["Sheet", "ModelReport"], note: str | None
) -> int:
    from gatehouse.sentry.scorecard import encode_sheet
    from gatehouse.store.configured import models
    from gatehouse.training.report import encode_report

    sheet, report = model

    def program(version: int) -> str:
        # Records name the model that judged them, so each has a name of its own.
        return encode_sheet(msgspec.structs.replace(sheet, version=f"learned-{version}"))

    with place.change(unseen=True) as change:
        return models.keep(change, account_id, lambda _: encode_report(report), program, note=note)


def _draw(report: "ModelReport", version: int, plots: str | None) -> list[str]:
    """The pictures that were drawn; the model is kept by now, whatever becomes of them."""
    from gatehouse.training.plots import draw

    try:
        folder = Path(f"sentry-model-{version}" if plots is None else plots)
        return [str(path) for path in draw(report, folder)]
    except InvalidInput as error:
        typer.echo(f"gatehouse: warning: there are no pictures: {error}", err=True)
        return []


def _text(version: int, report: "ModelReport", drawn: list[str]) -> str:
    from gatehouse.training.report import summary

    after = [f"kept as model {version}, not in use"]
    if drawn:
        after.append(f"pictures: {', '.join(drawn)}")
    after += [
        f"look at it: gatehouse sentry show {version}",
        f"use it:     gatehouse sentry promote {version}",
    ]
    return summary(report) + "\n\n" + "\n".join(after)

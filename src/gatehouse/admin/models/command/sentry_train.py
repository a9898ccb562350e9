"""gatehouse sentry train: a model from recorded requests and their labels, or from a file."""

import contextlib
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeVar

import typer

from gatehouse.admin.models.command import train_options as options
from gatehouse.admin.models.command.replay_files import RequestFiles
from gatehouse.admin.opening import open_account, read_settings
from gatehouse.cli.arguments import (
    AccountAlias,
    AccountOption,
    AsJson,
    Note,
    RecordFormatOption,
    span_argument,
)
from gatehouse.cli.output import show
from gatehouse.cli.progress import Progress
from gatehouse.cli.spans import Until, read_span
from gatehouse.core.cards.redaction import recordable
from gatehouse.core.errors import InvalidInput

if TYPE_CHECKING:
    from gatehouse.admin.models.types import ModelSwitched
    from gatehouse.admin.models.use_cases.training import PastRequests, TrainingWatcher
    from gatehouse.sentry.costs import CostTerms
    from gatehouse.training.report.audit import LabelAudit
    from gatehouse.training.report.report import ModelReport

T = TypeVar("T")
_ALWAYS: Final = "1970-01-01"


def train(  # noqa: PLR0913, PLR0917  # each option is one property of a training
    alias: AccountAlias = None,
    history: options.HistoryOption = None,
    archive: options.Archive = None,
    file_format: RecordFormatOption = None,
    since: options.SinceOption = None,
    until: Until = None,
    label_delay: options.LabelDelay = "30d",
    holdout: options.Holdout = 0.2,
    method: options.Method = "auto",
    presume: options.Presume = None,
    plots: options.Plots = None,
    feeds: options.Feeds = False,
    promote: options.Promote = False,
    audit: options.AuditOption = False,
    note: Note = None,
    account: AccountOption = None,
    as_json: AsJson = False,
) -> None:
    """Train a model on recorded requests, and measure it beside the one in force.

    The model is kept as a new version and not used until somebody promotes it. With --from, the
    requests of a file are replayed instead, and the model learns from what was measured.
    With --audit, ten checks tell what flatters or spoils a model, and nothing is trained.
    """
    from gatehouse.training.extra_packages import require_extra

    require_extra()
    from gatehouse.admin.accounts.use_cases.costs import terms_of
    from gatehouse.admin.models.use_cases import label_audit, training
    from gatehouse.admin.models.use_cases.versions import promote_model
    from gatehouse.training.model_fitting import FitOptions
    from gatehouse.training.model_training import TrainingOptions

    how = TrainingOptions(
        FitOptions(method=method),
        label_delay_ms=span_argument(label_delay),
        holdout=holdout,
        presume=not history if presume is None else presume,
    )
    if not history and (file_format or feeds):
        raise InvalidInput("--format and --feeds are about a file; name one with --from")
    if history and archive:
        raise InvalidInput("--archive has requests of Gatehouse, --from those of a file; name one")
    if audit and (promote or plots or note):
        raise InvalidInput("--audit makes no model, so --promote, --plots and --note say nothing")
    source = RequestFiles(history, file_format) if history else None
    if plots is not None:
        _make_folder(plots)
    session, account_id = open_account(account)
    span = read_span(account_id, since or (_ALWAYS if source else "180d"), until, session.clock())
    job = training.TrainingJob(span, how, note, archive)
    past = _Source(source, feeds=feeds)
    if audit:
        found = past.ask(
            partial(label_audit.audit_records, session, job),
            partial(label_audit.audit_history, session, job),
        )
        show({"accountId": account_id, "audit": found}, _audit_text(found), as_json)
        return
    trained = past.ask(
        partial(training.train_model, session, job),
        partial(training.train_on_history, session, job),
    )
    version, report = trained.version, trained.report
    drawn = _draw(report, version, plots)
    change = promote_model(session, account_id, str(version)) if promote else None
    data = {"accountId": account_id, "version": version, "plots": drawn, "report": report}
    data |= {"promoted": change is not None}
    costs = terms_of(session, account_id)
    show(data, _text(version, report, drawn, change, costs), as_json)


class _Source:
    """Where requests come from: the records, or a file that is replayed."""

    def __init__(self, files: RequestFiles | None, *, feeds: bool) -> None:
        self._files = files
        self._feeds = feeds

    def ask(
        self,
        of_records: "Callable[[TrainingWatcher], T]",
        of_files: "Callable[[PastRequests, TrainingWatcher], T]",
    ) -> "T":
        """Do one thing with records and another with files, and show how far it is."""
        from gatehouse.admin.models.use_cases.replays import make_judge
        from gatehouse.admin.models.use_cases.training import PastRequests

        files = self._files
        with contextlib.ExitStack() as stack:
            watcher = _TrainingWatcher(stack, files)
            if files is None:
                return of_records(watcher)
            past = PastRequests(files, make_judge(read_settings(), None, feeds=self._feeds))
            with files.naming_bad_lines():
                return of_files(past, watcher)


class _TrainingWatcher:
    """Shows how far the reading is, and that it has come to the learning or checking."""

    def __init__(self, stack: contextlib.ExitStack, source: RequestFiles | None) -> None:
        self._stack = stack
        self._source = source
        self._progress: Progress | None = None
        self._what = ""

    def reading(self, done: int, total: int) -> None:
        """So many of the records have been read."""
        self._show("reading records", total).reached(done, f"{done:,} of {total:,} records")

    def checking(self, lines: int) -> None:
        """So many lines of the file have been read, and can be used."""
        assert self._source is not None
        shown = self._show("reading lines", self._source.size)
        shown.reached(self._source.bytes_read, f"{lines:,} lines")

    def replaying(self, done: int, total: int) -> None:
        """So many of its requests have been measured."""
        self._show("replaying", total).reached(done, f"{done:,} of {total:,} requests")

    def learning(self, requests: int) -> None:
        """All has been read, and a model is fitted to so many requests."""
        self._stack.close()
        typer.echo(f"learning from {requests:,} requests ...", err=True)

    def _show(self, what: str, total: int | None) -> Progress:
        if self._progress is None or what != self._what:
            self._stack.close()
            self._progress, self._what = self._stack.enter_context(Progress(what, total)), what
        return self._progress


def _make_folder(path: str) -> None:
    """Make the folder before the training, so that a mistyped one costs no time."""
    try:
        Path(path).mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "not a path"
        raise InvalidInput(f"cannot make the folder {recordable(path)}: {reason}") from None


def _draw(report: "ModelReport", version: int, plots: str | None) -> list[str]:
    """Draw the pictures; a failure is only a warning, because the model is stored by now."""
    from gatehouse.training.report.plots import draw

    try:
        folder = Path(f"sentry-model-{version}" if plots is None else plots)
        return [str(path) for path in draw(report, folder)]
    except InvalidInput as error:
        typer.echo(f"gatehouse: warning: there are no pictures: {error}", err=True)
        return []


def _text(
    version: int,
    report: "ModelReport",
    drawn: list[str],
    change: "ModelSwitched | None",
    costs: "CostTerms | None",
) -> str:
    from gatehouse.training.report.text import summary

    if change is None:
        after = [f"kept as model {version}, not in use"]
    else:
        after = [f"kept as model {version}, which is live now", *change.remarks]
    if drawn:
        after.append(f"pictures: {', '.join(drawn)}")
    after.append(f"look at it: gatehouse sentry show {version}")
    if change is None:
        after.append(f"use it:     gatehouse sentry promote {version}")
    else:
        after.append("go back:    gatehouse sentry rollback")
    return summary(report, costs) + "\n\n" + "\n".join(after)


def _audit_text(found: "LabelAudit") -> str:
    from gatehouse.training.report.audit_text import audit_text

    return audit_text(found)

"""gatehouse sentry train: a model from recorded requests and their labels."""

import contextlib
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from gatehouse.cli.arguments import AccountAlias, AccountOption, AsJson, Note, span_argument
from gatehouse.cli.opening import open_account
from gatehouse.cli.output import show
from gatehouse.cli.progress import Progress
from gatehouse.cli.spans import Since, Until, read_span
from gatehouse.core.errors import InvalidInput
from gatehouse.core.redaction import recordable

if TYPE_CHECKING:
    from gatehouse.training.report import ModelReport


def train(  # noqa: PLR0913, PLR0917  # each option is one property of a training
    alias: AccountAlias = None,
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
        Literal["auto", "ebm", "logistic"],
        typer.Option(help="How it is fitted; auto depends on how much fraud there is."),
    ] = "auto",
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
    from gatehouse.admin.models.training import train_model
    from gatehouse.training.model_fitting import FitOptions
    from gatehouse.training.model_training import TrainingOptions

    options = TrainingOptions(
        FitOptions(method=method),
        label_delay_ms=span_argument(label_delay),
        holdout=holdout,
        presume=presume,
    )
    if plots is not None:
        _make_folder(plots)
    session, account_id = open_account(account)
    span = read_span(account_id, since, until, session.clock())
    with contextlib.ExitStack() as stack:
        trained = train_model(session, span, options, note, _TrainingWatcher(stack))
    version, report = trained.version, trained.report
    drawn = _draw(report, version, plots)
    data = {"accountId": account_id, "version": version, "plots": drawn, "report": report}
    show(data, _text(version, report, drawn), as_json=as_json)


class _TrainingWatcher:
    """Shows how far the reading is, and that it has come to the learning."""

    def __init__(self, stack: contextlib.ExitStack) -> None:
        self._stack = stack
        self._progress: Progress | None = None

    def reading(self, done: int, total: int) -> None:
        """So many of the records have been read."""
        if self._progress is None:
            self._progress = self._stack.enter_context(Progress("reading records", total))
        self._progress.reached(done, f"{done:,} of {total:,} records")

    def learning(self, requests: int) -> None:
        """All records have been read, and a model is fitted to so many requests."""
        self._stack.close()
        typer.echo(f"learning from {requests:,} requests ...", err=True)


def _make_folder(path: str) -> None:
    """Make the folder before the training, so that a mistyped one costs no time."""
    try:
        Path(path).mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "not a path"
        raise InvalidInput(f"cannot make the folder {recordable(path)}: {reason}") from None


def _draw(report: "ModelReport", version: int, plots: str | None) -> list[str]:
    """Draw the pictures; a failure is only a warning, because the model is stored by now."""
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

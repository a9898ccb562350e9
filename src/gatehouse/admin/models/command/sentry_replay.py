"""gatehouse sentry replay: what Sentry would have said to earlier requests."""

import time
from typing import TYPE_CHECKING, Annotated, Final

import msgspec
import typer

from gatehouse.admin.models.command.replay_files import (
    STANDARD,
    RequestFiles,
    check_apart,
    score_file,
)
from gatehouse.admin.opening import open_account, read_settings
from gatehouse.cli.arguments import (
    AccountOption,
    AsJson,
    RecordFormatOption,
    argument,
    option,
    span_argument,
)
from gatehouse.cli.output import show, table
from gatehouse.cli.progress import Progress
from gatehouse.core.errors import InvalidInput

if TYPE_CHECKING:
    from gatehouse.training.replay.replay import Retraining, Summary

SHIPPED: Final = "shipped"
_LONGEST_VERSION: Final = 9


def replay(  # noqa: PLR0913, PLR0917  # each option is one property of a replay
    files: Annotated[list[str], argument("FILE...", "Requests, .gz or not; - for stdin.")],
    file_format: RecordFormatOption = None,
    out: Annotated[
        str, option("Where the scores go; - for stdout.", "--out", metavar="FILE")
    ] = STANDARD,
    label_delay: Annotated[
        str, option("How long after its request a label is known.", metavar="SPAN")
    ] = "7d",
    retrain_every: Annotated[
        str | None, option("How often to fit a new scorecard. Default: never.", metavar="SPAN")
    ] = None,
    window: Annotated[str, option("How far back a new scorecard looks.", metavar="SPAN")] = "120d",
    model: Annotated[
        str, option("The scorecard to begin with.", metavar="shipped|VERSION")
    ] = SHIPPED,
    seed: Annotated[
        int,
        option(
            "Of the random choices of training. Once the memory is full, what it forgets "
            "depends on PYTHONHASHSEED as well.",
            min=0,
            max=2**32 - 1,
        ),
    ] = 7,
    feeds: Annotated[
        bool, option("Also ask the feed folder, which knows what came later.", "--feeds")
    ] = False,
    account: AccountOption = None,
    as_json: AsJson = False,
) -> None:
    """Score requests of the past as if Sentry had been there, learning from labels as they came.

    Each line holds "at" (RFC 3339), "request" as it is sent to Sentry, "label": "fraud",
    "legitimate" or null, and perhaps "labelAt", when that became known. Columns of CSV are at,
    label, labelAt, and fields such as order.amount. Lines are in order of time. Nothing is
    recorded. With an account, its policies count as well.
    """
    from gatehouse.admin.models.use_cases import replays

    every_ms = None if retrain_every is None else span_argument(retrain_every)
    delay_ms, window_ms = span_argument(label_delay), span_argument(window)
    options = replays.replay_options(delay_ms, window_ms, every_ms, seed)
    version = _version(model)
    source = RequestFiles(files, file_format)
    check_apart(files, out)
    settings = read_settings()
    if account is not None or version is not None:
        options = replays.for_account(*open_account(account), version, options)
    judge = replays.make_judge(settings, options.scorecard, feeds=feeds)
    with Progress("replaying", source.size) as progress, score_file(out) as write:
        watcher = _ReplayWatcher(progress, source)
        with source.naming_bad_lines():
            summary = replays.replay_requests(source, judge, write, options, watcher)
    data, text = msgspec.to_builtins(summary), _text(summary)
    if out == STANDARD:
        # Standard output holds the scores.
        typer.echo(msgspec.json.encode(data).decode() if as_json else text, err=True)
    else:
        show(data, text, as_json)


def _version(model: str) -> int | None:
    """The number of a model; None is the shipped scorecard, which models list as number 0."""
    if model == SHIPPED:
        return None
    if not (model.isascii() and model.isdecimal() and len(model) <= _LONGEST_VERSION):
        raise InvalidInput("--model takes shipped or a number; see: gatehouse sentry models")
    return int(model) or None


class _ReplayWatcher:
    """Shows how many requests are done, and how fast."""

    def __init__(self, progress: Progress, source: RequestFiles) -> None:
        self._progress = progress
        self._source = source
        self._began = time.monotonic()
        self.say = progress.say

    def reached(self, requests: int) -> None:
        """So many requests are done."""
        pace = requests / max(time.monotonic() - self._began, 1e-6)
        self._progress.reached(self._source.bytes_read, f"{requests:,} requests, {pace:,.0f}/s")


def _text(summary: "Summary") -> str:
    if not summary.requests:
        return "no requests"
    head = (
        f"{summary.requests:,} requests from {summary.first_at} to {summary.last_at}: "
        f"{summary.frauds:,} fraud, {summary.legitimates:,} legitimate, "
        f"{summary.unlabelled:,} without a label\n"
        f"{summary.labels_learned:,} labels became known on the way"
    )
    if summary.found:
        keys = ", ".join(f"{each.key} ({each.kind.lower()})" for each in summary.found)
        head = f"{head}\ncustom inputs found: {keys}"
    if not summary.retrainings:
        return head
    headings = ("RETRAINED", "SCORECARD", "METHOD", "FRAUDS", "LEGITIMATE")
    return f"{head}\n\n{table(headings, [_row(each) for each in summary.retrainings])}"


def _row(one: "Retraining") -> tuple[str, ...]:
    if one.skipped is not None:
        return (one.at, "as before", "-", "-", "-")
    return (one.at, f"{one.version}", f"{one.method}", f"{one.frauds:,}", f"{one.legitimates:,}")

"""gatehouse sentry replay: what Sentry would have said to requests of the past."""

import time
from typing import TYPE_CHECKING, Annotated, Final

import msgspec
import typer

from gatehouse.cli.common import AccountOption, AsJson, read_settings, show, span_argument, table
from gatehouse.cli.configured.versions import opened
from gatehouse.cli.progress import Progress
from gatehouse.cli.sentry.replay_files import STANDARD, RequestFiles, ScoreFile, check_apart
from gatehouse.core.case import ValuesByType
from gatehouse.core.errors import InvalidInput
from gatehouse.core.redaction import recordable

if TYPE_CHECKING:
    from gatehouse.sentry.memory_local import LocalMemory
    from gatehouse.sentry.scorecard import Scorecard
    from gatehouse.sentry.stage import SentryStage
    from gatehouse.settings import Settings
    from gatehouse.training.replay import ReplayOptions, Retraining, Summary

SHIPPED: Final = "shipped"
_KEY: Final = bytes(32)
"""Nothing of a replay is kept, so there is nothing for a secret key to protect."""
_LONGEST_VERSION: Final = 9


def replay(  # noqa: PLR0913, PLR0917  # each option is one property of a replay
    files: Annotated[
        list[str],
        typer.Argument(metavar="FILE...", help="Requests as JSON Lines, .gz or not; - for stdin."),
    ],
    out: Annotated[
        str, typer.Option("--out", metavar="FILE", help="Where the scores go; - for stdout.")
    ] = STANDARD,
    label_delay: Annotated[
        str, typer.Option(metavar="SPAN", help="How long after its request a label is known.")
    ] = "7d",
    retrain_every: Annotated[
        str | None,
        typer.Option(metavar="SPAN", help="How often to fit a new scorecard. Default: never."),
    ] = None,
    window: Annotated[
        str, typer.Option(metavar="SPAN", help="How far back a new scorecard looks.")
    ] = "120d",
    model: Annotated[
        str, typer.Option(metavar="shipped|VERSION", help="The scorecard to begin with.")
    ] = SHIPPED,
    seed: Annotated[
        int,
        typer.Option(
            min=0,
            max=2**32 - 1,
            help="Of the random choices of training. Once the memory is full, what it forgets "
            "depends on PYTHONHASHSEED as well.",
        ),
    ] = 7,
    feeds: Annotated[
        bool,
        typer.Option("--feeds", help="Also ask the feed folder, which knows what came later."),
    ] = False,
    account: AccountOption = None,
    as_json: AsJson = False,
) -> None:
    """Score requests of the past as if Sentry had been there, learning from labels as they came.

    Each line holds "at" (RFC 3339), "request" as it is sent to Sentry, and "label": "fraud",
    "legitimate" or null. Lines are in order of time. Nothing is recorded. With an account, its
    policies count as well.
    """
    options = _options(label_delay, retrain_every, window, seed)
    version = _version(model)
    source = RequestFiles(files)
    check_apart(files, out)
    settings = read_settings()
    scorecard, learned_until, policies = _of_account(account, version)
    parts = _parts(settings, scorecard, feeds=feeds)
    options = msgspec.structs.replace(options, policies=policies, learned_until=learned_until)
    with Progress("replaying", source.size) as progress, ScoreFile(out) as scores:
        summary = _run(parts, source, scores, options, _Watcher(progress, source))
    data, text = msgspec.to_builtins(summary), _text(summary)
    if out == STANDARD:
        # Standard output holds the scores.
        typer.echo(msgspec.json.encode(data).decode() if as_json else text, err=True)
    else:
        show(data, text, as_json=as_json)


def _options(delay: str, every: str | None, window: str, seed: int) -> "ReplayOptions":
    from gatehouse.training.replay import ReplayOptions

    delay_ms, window_ms = span_argument(delay), span_argument(window)
    if every is None:
        return ReplayOptions(delay_ms, window_ms=window_ms)
    every_ms = span_argument(every)
    if not every_ms:
        raise InvalidInput("--retrain-every must be longer than nothing, such as 7d")
    if window_ms <= delay_ms:
        raise InvalidInput("--window must be longer than --label-delay: nothing in it has a label")
    from gatehouse.training.extra_packages import require_extra

    require_extra()
    from gatehouse.training.model_fitting import FitOptions

    return ReplayOptions(delay_ms, every_ms, FitOptions(seed=seed), window_ms)


def _version(model: str) -> int | None:
    """The number of a model; None is the shipped scorecard, which models list as number 0."""
    if model == SHIPPED:
        return None
    if not (model.isascii() and model.isdecimal() and len(model) <= _LONGEST_VERSION):
        raise InvalidInput("--model takes shipped or a number; see: gatehouse sentry models")
    return int(model) or None


def _of_account(
    account: str | None, version: int | None
) -> tuple["Scorecard | None", str | None, ValuesByType]:
    """An account's model, until when it learned, and policies; without either, the data need not be
    there at all.
    """
    if account is None and version is None:
        return None, None, ValuesByType()
    from gatehouse.operations.catalogue import read_policies
    from gatehouse.sentry.features.catalogue import BY_CODE
    from gatehouse.sentry.scorecard import Scorecard, ScorecardError
    from gatehouse.store.accounts import accounts
    from gatehouse.store.configured import models
    from gatehouse.store.configured.scorecards import read_program

    place, account_id = opened(account)
    with place.reading() as connection:
        policies = read_policies(accounts.get(connection, account_id).policies)
        kept = None if version is None else models.get(connection, account_id, version)
    if kept is None:
        return None, None, policies
    try:
        scorecard = Scorecard(read_program(kept.program).sheet, BY_CODE.keys())
    except ScorecardError as error:
        reason = recordable(str(error))
        raise InvalidInput(
            f"model {version} cannot be used ({reason}); see: gatehouse sentry models"
        ) from None
    return scorecard, _learned_until(kept.document), policies


def _learned_until(document: str) -> str | None:
    """The last request that a model learned from, if its report tells."""
    from gatehouse.training.report import decode_report

    try:
        return decode_report(document).until
    except InvalidInput:
        return None


def _parts(
    settings: "Settings", scorecard: "Scorecard | None", *, feeds: bool
) -> tuple["SentryStage", "LocalMemory"]:
    """The stage that a server with these settings asks, with an empty memory.

    What an operator blocks today was blocked because of what came before today; so the folder of
    feeds is asked only by who wants that.
    """
    from gatehouse.installation import system_clock
    from gatehouse.intel.feeds import Feeds
    from gatehouse.intel.networks import load_networks
    from gatehouse.operations.connectors import load_addresses
    from gatehouse.sentry.entities import EntityHasher
    from gatehouse.sentry.memory_local import LocalMemory
    from gatehouse.sentry.scorecard import load_scorecard
    from gatehouse.sentry.stage import SentryStage

    book = Feeds(load_networks(), settings.intel_dir if feeds else None, system_clock)
    book.refresh()
    memory = LocalMemory(settings.memory_entities)
    stage = SentryStage(
        load_addresses(settings, book),
        memory,
        scorecard or load_scorecard(),
        EntityHasher(_KEY),
        time_limit_ms=settings.sentry_timeout_ms,
    )
    return stage, memory


def _run(
    parts: tuple["SentryStage", "LocalMemory"],
    source: RequestFiles,
    scores: ScoreFile,
    options: "ReplayOptions",
    watcher: "_Watcher",
) -> "Summary":
    from gatehouse import warmup
    from gatehouse.training.replay import replay as run
    from gatehouse.training.replay_lines import BadLine

    warmup.settle()
    try:
        return run(source, *parts, scores.write, options, watcher)
    except BadLine as error:
        raise InvalidInput(f"{source.place}: {error.reason}") from None


class _Watcher:
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
    if not summary.retrainings:
        return head
    headings = ("RETRAINED", "SCORECARD", "METHOD", "FRAUDS", "LEGITIMATE")
    return f"{head}\n\n{table(headings, [_row(each) for each in summary.retrainings])}"


def _row(one: "Retraining") -> tuple[str, ...]:
    if one.skipped is not None:
        return (one.at, "as before", "-", "-", "-")
    return (one.at, f"{one.version}", f"{one.method}", f"{one.frauds:,}", f"{one.legitimates:,}")

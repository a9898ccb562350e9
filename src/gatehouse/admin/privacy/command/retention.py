"""gatehouse retention: what is kept for how long, and deleting what is older."""

from typing import Annotated, Any, Final

import msgspec
import typer

from gatehouse.admin.opening import open_session, read_settings
from gatehouse.cli.arguments import AsJson, DryRun, option, span_argument
from gatehouse.cli.output import show, table
from gatehouse.cli.progress import Progress
from gatehouse.core.errors import InvalidInput

_DAY_MS: Final = 86_400_000
_ABOUT: Final = {
    "decisions": "decision records, with all that hangs on them",
    "feedback": "labels, by when they were reported",
    "reviews": "resolved reviews, with all notes",
    "imports": "notes on imports of identity records",
    "events": "what accounts were told",
    "evidence": "what stays readable of orders for disputes, with files and notes",
    "outcomes": "what became of payments",
}

app = typer.Typer(no_args_is_help=True)


def _older(what: str) -> Any:
    return option(f"Delete {what} older than this, such as 400d.", metavar="SPAN")


@app.command("show")
def show_retention(as_json: AsJson = False) -> None:
    """Show what the settings keep for how long, and how much is older now."""
    from gatehouse.admin.privacy.use_cases.retention import count_old, retention_policy

    policy = retention_policy(read_settings())
    old = msgspec.to_builtins(count_old(open_session(), policy))
    days = msgspec.to_builtins(policy)
    data = {kind: {"keptDays": days[kind], "older": old[kind]} for kind in _ABOUT}
    rows = [
        (kind, "for ever" if days[kind] is None else f"{days[kind]} days", old[kind], about)
        for kind, about in _ABOUT.items()
    ]
    text = table(("KIND", "KEPT", "OLDER", "ABOUT"), rows, right=("OLDER",))
    show(data, text, as_json)


@app.command()
def run(  # noqa: PLR0913, PLR0917  # an option for each kind
    decisions: Annotated[str | None, _older("decision records")] = None,
    feedback: Annotated[str | None, _older("labels")] = None,
    reviews: Annotated[str | None, _older("resolved reviews")] = None,
    imports: Annotated[str | None, _older("notes on imports")] = None,
    events: Annotated[str | None, _older("events")] = None,
    evidence: Annotated[str | None, _older("evidence for disputes")] = None,
    outcomes: Annotated[str | None, _older("outcomes of payments")] = None,
    no_rest: Annotated[
        bool, option("Do it at full speed, for when no server is serving.", "--no-rest")
    ] = False,
    dry_run: DryRun = False,
    as_json: AsJson = False,
) -> None:
    """Delete what is older than the settings keep, or than the options say, while servers serve.

    With options, only the kinds that they name. Open reviews, payments in doubt, the ledger and the
    audit trail are never touched. An interrupted run is continued by the next one.
    """
    from gatehouse.admin.privacy.use_cases.retention import (
        DeletedRows,
        RetentionHooks,
        RetentionPolicy,
        count_old,
        retention_policy,
        run_retention,
    )

    given = {"decisions": decisions, "feedback": feedback, "reviews": reviews, "imports": imports}
    given |= {"events": events, "evidence": evidence, "outcomes": outcomes}
    named = {kind: _days(kind, text) for kind, text in given.items() if text is not None}
    policy = RetentionPolicy(**named) if named else retention_policy(read_settings())
    session = open_session()
    total = count_old(session, policy)
    if dry_run:
        deleted = total
    else:
        with Progress("deleting", total.total) as progress:

            def reached(done: DeletedRows) -> None:
                progress.reached_record(done.total, total.total)

            deleted = run_retention(session, policy, RetentionHooks(reached, rests=not no_rest))
    data = {"dryRun": dry_run, **msgspec.to_builtins(deleted)}
    counts = [(kind, count) for kind, count in data.items() if kind != "dryRun"]
    heading = "WOULD BE DELETED" if dry_run else "DELETED"
    show(data, table(("KIND", heading), counts, right=(heading,)), as_json)


@app.command()
def partition(as_json: AsJson = False) -> None:
    """Put decision records into partitions of a month each, on PostgreSQL, while servers serve.

    Whole months are then dropped at once when they are old. What is there stays where it is; the
    first month with a partition of its own is the next one. Servers make those ahead by themselves.
    """
    from gatehouse.admin.privacy.use_cases.partitions import partition_decisions

    done = partition_decisions(open_session())
    since = f"partitions begin with {done.first_month}"
    show(done, f"already done; {since}" if done.already else since, as_json)


def _days(kind: str, text: str) -> int:
    days, rest = divmod(span_argument(text), _DAY_MS)
    if rest or not days:
        raise InvalidInput(f"--{kind} takes whole days, such as 400d")
    return days

"""gatehouse reviews: list, search, show, resolve."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

import typer

from gatehouse.admin import reviews
from gatehouse.admin.reviews import (
    AlreadyResolved,
    Reviewed,
    ReviewFinding,
    ReviewSearch,
    ReviewState,
)
from gatehouse.admin.search.filters import ReviewSearchRequest
from gatehouse.cli.arguments import AccountOption, After, AsJson, RequestIdArgument, check_after
from gatehouse.cli.decisions.search_options import (
    Filters,
    following,
    warn_of_missing,
    with_filters,
    words_option,
)
from gatehouse.cli.opening import open_account
from gatehouse.cli.output import columns, sheet, show, time_or_none
from gatehouse.core.clock import iso_time
from gatehouse.core.errors import Conflict
from gatehouse.decisions.record import RecordedStage
from gatehouse.sentry.spec import SENTRY

app = typer.Typer(no_args_is_help=True)


@app.command("list")
def list_reviews(
    status: Annotated[
        Literal["open", "approved", "declined", "all"], typer.Option(help="Which of them.")
    ] = "open",
    limit: Annotated[int, typer.Option(min=1, max=1000, help="Newest ones.")] = 50,
    after: After = None,
    account: AccountOption = None,
    as_json: AsJson = False,
) -> None:
    """List reviews, newest first, with what was to be paid and what spoke against it."""
    check_after(after)
    state = None if status == "all" else ReviewState(status.upper())
    found = reviews.list_reviews(*open_account(account), ReviewSearch(state, after, limit + 1))
    page = found[:limit]
    data = [_summary(one) for one in page]
    text = _table(data)
    if len(found) > limit:
        text += f"\nthere are more: --after {page[-1].review.request_id}"
    show(data, text, as_json=as_json)


@app.command("search")
@with_filters
def search(
    filters: Filters,
    status: Annotated[
        list[ReviewState] | None,
        words_option(ReviewState, "Whether it is open, and else the verdict."),
    ] = None,
    account: AccountOption = None,
    as_json: AsJson = False,
) -> None:
    """Search reviews by their decisions, oldest first. Every option that is given must apply."""
    # Loads what is known about phone numbers, which no other command here needs.
    from gatehouse.admin.search.decisions import search_reviews

    wanted = ReviewSearchRequest(**filters, status=status or None)
    found = search_reviews(*open_account(account), wanted)
    warn_of_missing(complete=found.complete)
    data = [_summary(one) for one in found.reviews]
    text = _table(data) + following(found.next_cursor)
    show({"reviews": data, "nextCursor": found.next_cursor}, text, as_json=as_json)


@app.command("show")
def show_review(
    request: RequestIdArgument, account: AccountOption = None, as_json: AsJson = False
) -> None:
    """Show one review: who resolved it and why, and what each stage of its decision found."""
    one = reviews.get_review(*open_account(account), request)
    data = {**_summary(one), "decision": one.record}
    show(data, _plain(one), as_json=as_json)


@app.command()
def resolve(
    request: RequestIdArgument,
    approve: Annotated[
        bool, typer.Option("--approve/--decline", help="It was legitimate, or it was fraud.")
    ],
    reason: Annotated[
        str, typer.Option(help="Why, in up to 500 characters. No personal data, please.")
    ],
    account: AccountOption = None,
    as_json: AsJson = False,
) -> None:
    """Resolve an open review, once and for all."""
    finding = ReviewFinding(approve, reason)
    try:
        found = reviews.resolve_review(*open_account(account), request, finding)
    except AlreadyResolved as late:
        raise Conflict(f"{late}; a review is resolved once") from None
    reversed_too = "" if found.payment is None else "; its payment is being reversed"
    show(_data(found), f"{request} is {found.review.state}{reversed_too}", as_json=as_json)


def _data(one: Reviewed) -> dict[str, Any]:
    review = one.review
    return {
        "requestId": review.request_id,
        "status": review.state,
        "createdAt": iso_time(review.at_ms),
        "resolvedAt": time_or_none(review.resolved_at_ms),
        "resolvedBy": review.actor,
        "reason": review.reason,
        "paymentStatus": one.payment,
    }


def _table(summaries: Sequence[Mapping[str, Any]]) -> str:
    """Reviews for people, one line each."""
    headings = ("REQUEST", "CREATED", "STATUS", "AMOUNT", "CURRENCY", "RULES", "TAGS")
    fields = ("requestId", "createdAt", "status", "amount", "currency", "matchedRules", "tags")
    return columns(headings, summaries, fields, "-") if summaries else "no reviews"


def _summary(one: Reviewed) -> dict[str, Any]:
    """A review for scripts: what was to be paid, and what spoke against it."""
    signals = (one.record.signals if one.record else None) or {}
    matched = [name for stage in _stages(one) for name in stage.result.get("matched", ())]
    return {
        **_data(one),
        "amount": signals.get("order.amount"),
        "currency": signals.get("order.currency"),
        "matchedRules": list(dict.fromkeys(matched)),
        "tags": _tags(one),
    }


def _plain(one: Reviewed) -> str:
    """A review for people: its own fields, then one line for each stage."""
    rows: list[tuple[str, Any]] = list(_summary(one).items())
    for stage in _stages(one):
        plain = str | int | float
        rows.append((stage.name, {k: v for k, v in stage.result.items() if isinstance(v, plain)}))
    return sheet(rows)


def _stages(one: Reviewed) -> list[RecordedStage]:
    return [] if one.record is None else one.record.stages


def _tags(one: Reviewed) -> list[str]:
    """The tags of the answer: of the rules that matched, and Sentry's reasons for doubt."""
    tags: list[str] = []
    for stage in _stages(one):
        tags += stage.result.get("tags", ())
        if stage.name == SENTRY.name:
            reasons = stage.result.get("reasons", {})
            tags += [code for code, effect in reasons.items() if effect < 0]
    return list(dict.fromkeys(tags))

"""gatehouse reviews: list, search, show, take, assign, note, resolve, correct."""

from typing import Annotated, Literal

import msgspec
import typer

from gatehouse.admin.accounts.use_cases import accounts
from gatehouse.admin.opening import Opened, open_account
from gatehouse.admin.reviews.command.review_output import review_list, review_sheet
from gatehouse.admin.reviews.types import LONGEST_NOTE, ME
from gatehouse.admin.reviews.use_cases import review_desk, reviews
from gatehouse.admin.reviews.use_cases.public_reviews import public_results, public_review
from gatehouse.admin.reviews.use_cases.review_desk import (
    AlreadyAssigned,
    Assignment,
    assignee_of,
    person_of,
)
from gatehouse.admin.reviews.use_cases.review_undo import reopen_review
from gatehouse.admin.reviews.use_cases.reviews import (
    AlreadyResolved,
    ReviewFinding,
    ReviewSearch,
    ReviewState,
    ReviewView,
    payment_sentence,
)
from gatehouse.admin.search.command import (
    Filters,
    following,
    warn_of_missing,
    with_filters,
    words_option,
)
from gatehouse.admin.search.use_cases.filters import ReviewSearchRequest
from gatehouse.admin.workload.use_cases import review_bulk
from gatehouse.admin.workload.use_cases.review_bulk import MOST_AT_ONCE, ResolvedItem, ReviewFilter
from gatehouse.cli.arguments import (
    AccountOption,
    After,
    AsJson,
    DryRun,
    RequestIdArgument,
    argument,
    check_after,
    option,
    read_file,
    span_argument,
)
from gatehouse.cli.output import show
from gatehouse.core.cards.redaction import recordable
from gatehouse.core.errors import Conflict, InvalidInput
from gatehouse.core.wording.sentences import plain

app = typer.Typer(no_args_is_help=True)

_LARGEST_FILE = 64 * MOST_AT_ONCE
_CORRECTED = "a review is resolved once, and then corrected: gatehouse reviews correct"

AssigneeOption = Annotated[
    str | None,
    option(
        "Only those that you have, that nobody has, or that a person has.",
        "--assignee",
        metavar="me|unassigned|NAME",
    ),
]
VerdictOption = Annotated[
    bool, option("It was legitimate, or it was fraud.", "--approve/--decline")
]
ReasonOption = Annotated[str, option("Why, in up to 500 characters. No personal data, please.")]


@app.command("list")
def list_reviews(
    status: Annotated[
        Literal["open", "approved", "declined", "all"],
        option("Which of them.", case_sensitive=False),
    ] = "open",
    assignee: AssigneeOption = None,
    newest: Annotated[bool, option("The newest first, not the oldest.", "--newest")] = False,
    limit: Annotated[int, option("At most so many.", min=1, max=1000)] = 50,
    after: After = None,
    account: AccountOption = None,
    as_json: AsJson = False,
) -> None:
    """List reviews, oldest first: who ordered what, with which card, from where, and why."""
    check_after(after)
    session, account_id = open_account(account)
    state = None if status == "all" else ReviewState(status.upper())
    person = assignee_of(session.actor, assignee)
    search = ReviewSearch(state, after, limit + 1, person, oldest_first=not newest)
    found = reviews.list_reviews(session, account_id, search)
    page = found[:limit]
    text = review_list(page, session.clock()) if page else "no reviews"
    if len(found) > limit:
        text += f"\nthere are more: --after {page[-1].review.request_id}"
    currency = accounts.get(session, account_id).account.currency
    show([public_review(one, currency) for one in page], text, as_json)


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
    from gatehouse.admin.search.use_cases.decisions import search_reviews

    wanted = ReviewSearchRequest(**filters, status=status or None)
    session, account_id = open_account(account)
    found = search_reviews(session, account_id, wanted)
    warn_of_missing(complete=found.complete)
    currency = accounts.get(session, account_id).account.currency
    data = [public_review(one, currency) for one in found.reviews]
    text = review_list(found.reviews, session.clock()) if data else "no reviews"
    text += following(found.next_cursor)
    show({"reviews": data, "nextCursor": found.next_cursor}, text, as_json)


@app.command("show")
def show_review(
    request: RequestIdArgument, account: AccountOption = None, as_json: AsJson = False
) -> None:
    """Show one review: all that is known, what each stage found, notes and history."""
    opened = open_account(account)
    _show_whole(opened, reviews.get_review(*opened, request), as_json=as_json)


@app.command()
def take(
    to: Annotated[str, option("Who is to have it.", metavar="me|NAME")] = ME,
    account: AccountOption = None,
    as_json: AsJson = False,
) -> None:
    """Take the oldest open review that nobody has, and show it."""
    opened = open_account(account)
    taken = review_desk.take_oldest(*opened, person_of(opened[0].actor, to))
    _show_whole(opened, taken, as_json=as_json)


@app.command()
def assign(
    request: RequestIdArgument,
    to: Annotated[str, option("Who is to have it.", metavar="me|NAME")],
    take_over: Annotated[bool, option("Also if somebody else has it.", "--take-over")] = False,
    account: AccountOption = None,
    as_json: AsJson = False,
) -> None:
    """Give a review to a person."""
    session, account_id = open_account(account)
    wanted = Assignment(person_of(session.actor, to), take_over)
    try:
        done = review_desk.assign_review(session, account_id, request, wanted)
    except AlreadyAssigned as taken:
        raise Conflict(f"{taken}; --take-over assigns it all the same") from None
    _show_done((session, account_id), done, f"{done.review.assignee} has {request}", as_json)


@app.command()
def unassign(
    request: RequestIdArgument, account: AccountOption = None, as_json: AsJson = False
) -> None:
    """Take a review from the person who has it, so that nobody has it."""
    session, account_id = open_account(account)
    done = review_desk.assign_review(session, account_id, request, Assignment(None))
    _show_done((session, account_id), done, f"nobody has {request}", as_json)


@app.command()
def note(
    request: RequestIdArgument,
    text: Annotated[
        str, argument("TEXT", "The note, up to 2000 characters; - reads it from standard input.")
    ],
    account: AccountOption = None,
    as_json: AsJson = False,
) -> None:
    """Add a note to a review. It stays with the review until it is erased."""
    if text == "-":
        text = read_file("-", 4 * LONGEST_NOTE).decode(errors="replace")
    session, account_id = open_account(account)
    done = review_desk.add_note(session, account_id, request, text)
    _show_done((session, account_id), done, f"note {done.notes} of {request} is kept", as_json)


@app.command()
def resolve(  # noqa: PLR0913, PLR0917  # each option is one way to say which
    approve: VerdictOption,
    reason: ReasonOption,
    requests: Annotated[list[str] | None, argument("[REQUEST]...", "Ids of the requests.")] = None,
    file: Annotated[
        str | None,
        option("Ids from a file, one in a line; - is standard input.", "--from", metavar="FILE"),
    ] = None,
    assignee: AssigneeOption = None,
    older_than: Annotated[
        str | None, option("Open ones that are older, such as 7d or 12h.", metavar="SPAN")
    ] = None,
    rule: Annotated[str | None, option("Open ones for which this rule matched.")] = None,
    tag: Annotated[str | None, option("Open ones with this tag.")] = None,
    dry_run: DryRun = False,
    yes: Annotated[
        bool, option("Resolve all that the options find, without asking.", "--yes")
    ] = False,
    account: AccountOption = None,
    as_json: AsJson = False,
) -> None:
    """Resolve open reviews: the named ones, those of a file, or those that options describe."""
    named = [*(requests or ()), *([] if file is None else _read_requests(file))]
    described = any(one is not None for one in (assignee, older_than, rule, tag))
    if bool(named) == described:
        raise InvalidInput(
            "say which: REQUEST..., --from FILE, or options that describe them: --assignee, "
            "--older-than, --rule, --tag"
        )
    session, account_id = open_account(account)
    finding = ReviewFinding(approve, reason)
    if described:
        before = None if older_than is None else session.clock() - span_argument(older_than)
        wanted = ReviewFilter(assignee_of(session.actor, assignee), before, rule, tag)
        found = review_bulk.find_open_reviews(session, account_id, wanted)
        named = [one.review.request_id for one in found]
    if dry_run:
        items = review_bulk.examine_reviews(session, account_id, named)
        _show_items(items, f"would be {finding.state}", dry_run=True, as_json=as_json)
    elif len(named) == 1 and not described:
        try:
            done = reviews.resolve_review(session, account_id, named[0], finding)
        except AlreadyResolved as late:
            raise Conflict(f"{late}; {_CORRECTED}") from None
        _show_done((session, account_id), done, _resolved(done, "is"), as_json)
    else:
        if described and named and not yes:
            question = f"Resolve {len(named)} open reviews as {finding.state}?"
            typer.confirm(question, abort=True, err=True)
        items = review_bulk.resolve_reviews(session, account_id, named, finding)
        _show_items(items, f"is {finding.state}", dry_run=False, as_json=as_json)


@app.command()
def correct(
    request: RequestIdArgument,
    approve: VerdictOption,
    reason: ReasonOption,
    account: AccountOption = None,
    as_json: AsJson = False,
) -> None:
    """Correct the resolution of a review, and say what that means for its payment."""
    finding = ReviewFinding(approve, reason)
    session, account_id = open_account(account)
    done = reviews.correct_review(session, account_id, request, finding)
    _show_done((session, account_id), done, _resolved(done, "is now"), as_json)


@app.command()
def undo(
    request: RequestIdArgument, account: AccountOption = None, as_json: AsJson = False
) -> None:
    """Undo your resolution of a review, within ten minutes: it is open again."""
    opened = open_account(account)
    done = reopen_review(*opened, request)
    _show_done(opened, done, f"{request} is open again", as_json)


def _show_whole(opened: Opened, view: ReviewView, *, as_json: bool) -> None:
    """Print a review with the explanation of its decision."""
    session, account_id = opened
    why = reviews.explain_review(session, account_id, view)
    currency = accounts.get(session, account_id).account.currency
    text = review_sheet(view, why, session.clock())
    show(public_review(view, currency, why), text, as_json)


def _show_done(opened: Opened, done: ReviewView, text: str, as_json: bool) -> None:
    """Print what a change came to: a line, or the review as it is now."""
    currency = accounts.get(*opened).account.currency
    show(public_review(done, currency), text, as_json)


def _resolved(done: ReviewView, verb: str) -> str:
    meaning = payment_sentence(done)
    text = f"{done.review.request_id} {verb} {done.review.state}"
    return text if meaning is None else f"{text}; {meaning}"


def _show_items(items: list[ResolvedItem], done: str, *, dry_run: bool, as_json: bool) -> None:
    """Print what became of each; exit code 1 when one was refused."""
    lines = [f"{one.request_id} {done}" for one in items if one.refusal is None]
    refused = [str(one.refusal) for one in items if one.refusal is not None]
    lines += [f"refused: {why}" for why in refused]
    lines.append(f"{len(items) - len(refused)} of {len(items)} reviews")
    data = {**msgspec.to_builtins(public_results(items), enc_hook=plain), "dryRun": dry_run}
    show(data, "\n".join(lines), as_json)
    if refused:
        raise typer.Exit(1)


def _read_requests(file: str) -> list[str]:
    """The ids of a file, one in a line; empty lines are left out."""
    content = read_file(file, _LARGEST_FILE)
    if len(content) > _LARGEST_FILE:
        raise InvalidInput(f"{recordable(file)} is too long: at most {MOST_AT_ONCE} ids")
    found = [line.strip() for line in content.decode(errors="replace").splitlines()]
    named = [line for line in found if line]
    if not named:
        raise InvalidInput(f"there are no ids in {recordable(file)}")
    return named

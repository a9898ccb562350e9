"""gatehouse events: list, show, tail, settings."""

import time
from typing import TYPE_CHECKING, Annotated, Any, Final

import msgspec
import typer

from gatehouse.admin.opening import open_account
from gatehouse.cli.arguments import (
    AccountAlias,
    AccountOption,
    AsJson,
    amount_argument,
    argument,
    option,
)
from gatehouse.cli.output import sheet, show, shown_amount, table
from gatehouse.core.errors import InvalidInput, WrongUsage
from gatehouse.core.money import MICROS_PER_UNIT

if TYPE_CHECKING:
    from gatehouse.admin.events.use_cases.events import EventPage, EventQuery, PublicEvent

app = typer.Typer(no_args_is_help=True)

_LOOK_S: Final = 1.0
_SUBJECTS: Final = (
    "requestId",
    "keyId",
    "ruleSet",
    "connector",
    "importId",
    "webhookId",
    "version",
)
Types = Annotated[
    list[str] | None,
    option("Only this type, such as review.opened; repeat. Default: all.", "--type"),
]


@app.command("list")
def list_events(
    account: AccountOption = None,
    after: Annotated[
        str | None, option("Begin after this id of an event.", metavar="CURSOR")
    ] = None,
    types: Types = None,
    limit: Annotated[int, option("How many at most.", min=1, max=100)] = 20,
    as_json: AsJson = False,
) -> None:
    """List events in their order: the newest ones, or those after a cursor."""
    from gatehouse.admin.events.use_cases import events

    session, account_id = open_account(account)
    query = _query(after, types, limit)
    page = (events.newest_events if after is None else events.list_events)(
        session, account_id, query
    )
    data = {"events": page.events, "cursor": page.cursor, "hasMore": page.more}
    show(data, _listed(page), as_json)


@app.command("show")
def show_event(
    event: Annotated[str, argument("EVENT", "Id of the event (evt_...).")],
    account: AccountOption = None,
    as_json: AsJson = False,
) -> None:
    """Show one event with everything that it says."""
    from gatehouse.admin.events.use_cases import events

    found = events.get_event(*open_account(account), event)
    said = msgspec.json.format(msgspec.json.encode(found.data), indent=2).decode()
    show(found, f"{_line(found)}\n{said}", as_json)


@app.command()
def tail(
    account: AccountOption = None,
    types: Types = None,
    lines: Annotated[int, option("Earlier events to begin with.", min=0, max=100)] = 10,
    as_json: AsJson = False,
) -> None:
    """Print events as they happen, until it is interrupted; with --json, one object a line."""
    from gatehouse.admin.events.use_cases import events

    session, account_id = open_account(account)
    cursor = events.newest_cursor(session, account_id)
    if lines:
        page = events.newest_events(session, account_id, _query(None, types, lines))
        cursor = page.cursor
        _print(page.events, as_json=as_json)
    while True:
        page = events.list_events(session, account_id, _query(cursor, types, 100))
        cursor = page.cursor
        _print(page.events, as_json=as_json)
        if not page.more:
            time.sleep(_LOOK_S)


@app.command()
def settings(
    alias: AccountAlias = None,
    decisions: Annotated[
        list[str] | None,
        option(
            "Tell decision.made, such as pipeline:REVIEW,DECLINE or *; repeat.",
            metavar="OPERATION[:OUTCOMES]",
        ),
    ] = None,
    no_decisions: Annotated[
        bool, option("Tell no decision.made any more.", "--no-decisions")
    ] = False,
    low_balance: Annotated[
        str | None, option("Tell balance.low below this balance; 0: never.", metavar="AMOUNT")
    ] = None,
    account: AccountOption = None,
    as_json: AsJson = False,
) -> None:
    """Show or change which decisions an account is told of, and below which balance it is."""
    from gatehouse.admin.events.types import EventSettingsBody
    from gatehouse.admin.events.use_cases import event_settings

    if decisions and no_decisions:
        raise WrongUsage("--decisions and --no-decisions do not go together")
    session, account_id = open_account(account)
    filters = decisions or ([] if no_decisions else None)
    units = None if low_balance is None else amount_argument(low_balance) / MICROS_PER_UNIT
    if filters is None and units is None:
        found = event_settings.get_event_settings(session, account_id)
    else:
        new = EventSettingsBody(filters, units)
        found = event_settings.set_event_settings(session, account_id, new)
    low = found.low_balance
    amount = low and f"below {shown_amount(low.micros, low.currency)} {low.currency}"
    told = ", ".join(found.decisions) or "never"
    rows = (("decision.made", told), ("balance.low", amount or "never"))
    show(found, sheet(rows), as_json)


def _query(after: str | None, types: list[str] | None, limit: int) -> "EventQuery":
    from gatehouse.admin.events.use_cases.events import EventQuery
    from gatehouse.core.events import EventName

    try:
        return EventQuery(after, limit, tuple(EventName(each) for each in types or ()))
    except ValueError:
        raise InvalidInput(f"a type of events is one of {', '.join(EventName)}") from None


def _print(events: "list[PublicEvent]", *, as_json: bool) -> None:
    for each in events:
        typer.echo(msgspec.json.encode(each).decode() if as_json else _line(each))


def _line(event: "PublicEvent") -> str:
    return f"{event.created_at}  {event.type}  {_subject(event.data)}  {event.actor}  {event.id}"


def _subject(data: dict[str, Any]) -> str:
    """What an event is about, in one word."""
    return str(next((data[name] for name in _SUBJECTS if name in data), "-"))


def _listed(page: "EventPage") -> str:
    rows = [
        (one.created_at, one.type, _subject(one.data), one.actor, one.id) for one in page.events
    ]
    return table(("AT", "TYPE", "ABOUT", "ACTOR", "EVENT"), rows)

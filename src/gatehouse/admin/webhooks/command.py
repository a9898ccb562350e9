"""gatehouse webhooks: create, list, show, update, delete, rotate-secret, test, attempts, replay."""

import asyncio
from typing import TYPE_CHECKING, Annotated

import typer

from gatehouse.admin.opening import open_account
from gatehouse.cli.arguments import AccountOption, AsJson, argument, option, span_argument
from gatehouse.cli.output import as_data, columns, show, show_result
from gatehouse.cli.spans import read_moment
from gatehouse.core.clock import Moment
from gatehouse.core.errors import WrongUsage
from gatehouse.core.reading.given import read_given

if TYPE_CHECKING:
    from gatehouse.core.events import DecisionFilter

app = typer.Typer(no_args_is_help=True)

WebhookId = Annotated[str, argument("WEBHOOK", "Id of the webhook (wh_...).")]
Event = Annotated[
    list[str] | None,
    option('Type of event to send, "review.*" for all of a kind, or "*"; repeat.', "--event"),
]
Decision = Annotated[
    list[str] | None,
    option(
        "Decisions that decision.made tells of, such as precheck:DECLINE or *; repeat.",
        "--decision",
        metavar="OPERATION[:OUTCOME,...]",
    ),
]
_ONCE = "Keep it in a secrets manager: it is not shown again."


@app.command()
def create(  # noqa: PLR0913, PLR0917  # each option is one property of a webhook
    url: Annotated[str, typer.Argument(help="Where messages are sent; https://...")],
    event: Event = None,
    decision: Decision = None,
    ordered: Annotated[
        bool, option("Send a message only after the one before it.", "--ordered")
    ] = False,
    ed25519: Annotated[
        bool, option("Sign with a key pair instead of a shared secret.", "--ed25519")
    ] = False,
    description: Annotated[str, option("What it is for.")] = "",
    account: AccountOption = None,
    as_json: AsJson = False,
) -> None:
    """Add a webhook. Its secret is shown once, here."""
    from gatehouse.admin.webhooks.types.webhook import NewWebhook
    from gatehouse.admin.webhooks.use_cases import endpoints
    from gatehouse.connectors.webhooks.signing_secrets import SecretKind

    given = {
        "url": url,
        "events": event,
        "decisions": _decisions(decision),
        "ordered": ordered,
        "description": description,
        "signing": SecretKind.ED25519 if ed25519 else SecretKind.HMAC,
    }
    new = read_given(NewWebhook, given)
    made = endpoints.create(*open_account(account), new).answer
    show(as_data(made), f"{made.id}\n{made.secret}\n{_ONCE}", as_json)


@app.command("list")
def list_webhooks(account: AccountOption = None, as_json: AsJson = False) -> None:
    """List the webhooks of an account."""
    from gatehouse.admin.webhooks.use_cases import endpoints

    data = [as_data(each) for each in endpoints.list_webhooks(*open_account(account)).webhooks]
    rows = [{**each, "events": ",".join(each["events"])} for each in data]
    headings = ("WEBHOOK", "STATE", "WAITING", "UNREAD", "OLDEST", "EVENTS", "URL")
    fields = ("id", "state", "waiting", "unread", "oldestAt", "events", "url")
    show(data, columns(headings, rows, fields), as_json)


@app.command("show")
def show_webhook(
    webhook: WebhookId, account: AccountOption = None, as_json: AsJson = False
) -> None:
    """Show a webhook, and how it is getting on."""
    from gatehouse.admin.webhooks.use_cases import endpoints

    show_result(endpoints.get_webhook(*open_account(account), webhook).answer, as_json)


@app.command()
def update(  # noqa: PLR0913, PLR0917  # each option is one property of a webhook
    webhook: WebhookId,
    url: Annotated[str | None, option("Where messages are sent.")] = None,
    event: Event = None,
    decision: Decision = None,
    ordered: Annotated[bool | None, option("Send a message only after the one before it.")] = None,
    description: Annotated[str | None, option("What it is for.")] = None,
    enabled: Annotated[
        bool | None, option("Send messages or not; they wait meanwhile.", "--enable/--disable")
    ] = None,
    account: AccountOption = None,
    as_json: AsJson = False,
) -> None:
    """Change a webhook; what is not named stays as it is."""
    from gatehouse.admin.webhooks.types.webhook import WebhookChange
    from gatehouse.admin.webhooks.use_cases import endpoints

    given = {
        "url": url,
        "events": event,
        "decisions": _decisions(decision),
        "ordered": ordered,
        "description": description,
        "enabled": enabled,
    }
    asked = read_given(WebhookChange, given)
    show_result(endpoints.update(*open_account(account), webhook, asked).answer, as_json)


@app.command()
def delete(webhook: WebhookId, account: AccountOption = None, as_json: AsJson = False) -> None:
    """Delete a webhook; afterwards no server sends anything to it."""
    from gatehouse.admin.webhooks.use_cases import endpoints

    done = asyncio.run(endpoints.delete(*open_account(account), webhook))
    show(as_data(done), f"{webhook} is deleted", as_json)


@app.command("rotate-secret")
def rotate_secret(
    webhook: WebhookId,
    overlap: Annotated[str, option("How long messages are signed with the old one, too.")] = "24h",
    account: AccountOption = None,
    as_json: AsJson = False,
) -> None:
    """Give a webhook a new secret, which is shown once, here."""
    from gatehouse.admin.webhooks.types.webhook import SecretRotation
    from gatehouse.admin.webhooks.use_cases import endpoints

    given = read_given(SecretRotation, {"overlap_s": span_argument(overlap) // 1000})
    made = endpoints.rotate_secret(*open_account(account), webhook, given).answer
    until = f"the old secret signs until {made.old_secret_until}"
    show(as_data(made), f"{made.secret}\n{_ONCE}\n{until}", as_json)


@app.command("test")
def send_test_message(
    webhook: WebhookId, account: AccountOption = None, as_json: AsJson = False
) -> None:
    """Send a test message at once, and say what was answered."""
    from gatehouse.admin.webhooks.use_cases.messages import send_test

    shown = asyncio.run(send_test(*open_account(account), webhook))
    said = shown.failure or f"accepted with {shown.status}"
    text = f"{shown.event_id}: {said}, after {shown.duration_ms} ms"
    show(as_data(shown), text, as_json)
    if shown.failure is not None:
        raise typer.Exit(1)


@app.command()
def attempts(
    webhook: WebhookId,
    event_id: Annotated[str | None, option("Only those of one event (evt_...).", "--event")] = None,
    before: Annotated[
        str | None, option("Begin before this attempt (att_...), for the next page.")
    ] = None,
    limit: Annotated[int, option("How many at most.")] = 50,
    account: AccountOption = None,
    as_json: AsJson = False,
) -> None:
    """List attempts to send messages, newest first."""
    from gatehouse.admin.webhooks.types.webhook import AttemptSearch
    from gatehouse.admin.webhooks.use_cases import messages

    asked = {"limit": limit, "starting_after": before, "event_id": event_id}
    wanted = read_given(AttemptSearch, asked)
    found = messages.list_attempts(*open_account(account), webhook, wanted)
    data = [as_data(each) for each in found.attempts]
    headings = ("AT", "EVENT", "TYPE", "#", "OUTCOME", "STATUS", "MS", "NEXT", "FAILURE")
    fields = (
        *("at", "eventId", "type", "number", "outcome", "status", "durationMs", "nextAt"),
        "failure",
    )
    show(data, columns(headings, data, fields), as_json)


@app.command()
def replay(
    webhook: WebhookId,
    event_id: Annotated[
        str | None, option("The one event (evt_...) to send again.", "--event")
    ] = None,
    since: Annotated[
        str | None, option("All since then: 2h ago, a day or a time.", metavar="WHEN")
    ] = None,
    until: Annotated[str | None, option("Before when. Default: now.", metavar="WHEN")] = None,
    account: AccountOption = None,
    as_json: AsJson = False,
) -> None:
    """Send messages again: one, or all of a span of time."""
    from gatehouse.admin.webhooks.types.webhook import MessageReplay
    from gatehouse.admin.webhooks.use_cases import messages

    if (event_id is None) == (since is None):
        raise WrongUsage("name either --event, or --since and perhaps --until")
    session, account_id = open_account(account)
    now_ms = session.clock()
    span = [
        None if text is None else Moment(read_moment(option, text, now_ms))
        for option, text in (("--since", since), ("--until", until))
    ]
    done = messages.replay(session, account_id, webhook, MessageReplay(event_id, *span))
    rest = "" if done.complete else "; there are more: replay the rest with a later --since"
    show(as_data(done), f"{done.messages} messages will be sent again{rest}", as_json)


def _decisions(given: list[str] | None) -> "list[DecisionFilter] | None":
    from gatehouse.admin.events.use_cases.event_settings import parse_filter

    return None if given is None else [*map(parse_filter, given)]

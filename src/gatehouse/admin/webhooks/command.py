"""gatehouse webhooks: create, list, show, update, delete, rotate-secret, test, attempts, replay."""

import asyncio
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
import typer

from gatehouse.admin.opening import open_account, read_settings
from gatehouse.cli.arguments import AccountOption, AsJson, span_argument
from gatehouse.cli.output import columns, sheet, show
from gatehouse.cli.spans import read_moment
from gatehouse.core.errors import WrongUsage
from gatehouse.core.wording.sentences import plain

if TYPE_CHECKING:
    from gatehouse.admin.webhooks.use_cases.public import PublicAttempt, PublicWebhook
    from gatehouse.core.events import DecisionFilter

app = typer.Typer(no_args_is_help=True)

WebhookId = Annotated[str, typer.Argument(metavar="WEBHOOK", help="Id of the webhook (wh_...).")]
Event = Annotated[
    list[str] | None,
    typer.Option(
        "--event", help='Type of event to send, "review.*" for all of a kind, or "*"; repeat.'
    ),
]
Decision = Annotated[
    list[str] | None,
    typer.Option(
        "--decision",
        metavar="OPERATION[:OUTCOME,...]",
        help="Decisions that decision.made tells of, such as precheck:DECLINE or *; repeat.",
    ),
]
_ONCE = "Keep it in a secrets manager: it is not shown again."


@app.command()
def create(  # noqa: PLR0913, PLR0917  # each option is one property of a webhook
    url: Annotated[str, typer.Argument(help="Where messages are sent; https://...")],
    event: Event = None,
    decision: Decision = None,
    ordered: Annotated[
        bool, typer.Option("--ordered", help="Send a message only after the one before it.")
    ] = False,
    ed25519: Annotated[
        bool, typer.Option("--ed25519", help="Sign with a key pair instead of a shared secret.")
    ] = False,
    description: Annotated[str, typer.Option(help="What it is for.")] = "",
    account: AccountOption = None,
    as_json: AsJson = False,
) -> None:
    """Add a webhook. Its secret is shown once, here."""
    from gatehouse.admin.webhooks.types.endpoint import WebhookTerms
    from gatehouse.admin.webhooks.types.signing_secrets import SecretKind
    from gatehouse.admin.webhooks.use_cases import endpoints
    from gatehouse.admin.webhooks.use_cases.public import public_with_secret
    from gatehouse.connectors.webhooks.options import webhook_options

    terms = WebhookTerms(url, tuple(event or ()), _decisions(decision), ordered, description)
    kind = SecretKind.ED25519 if ed25519 else SecretKind.HMAC
    policy = webhook_options(read_settings()).policy
    made = endpoints.create(*open_account(account), terms, policy, kind)
    shown = public_with_secret(made)
    show(_data(shown), f"{shown.id}\n{shown.secret}\n{_ONCE}", as_json=as_json)


@app.command("list")
def list_webhooks(account: AccountOption = None, as_json: AsJson = False) -> None:
    """List the webhooks of an account."""
    from gatehouse.admin.webhooks.use_cases import endpoints
    from gatehouse.admin.webhooks.use_cases.public import public_webhook

    found = [public_webhook(each) for each in endpoints.list_webhooks(*open_account(account))]
    data = [_data(each) for each in found]
    rows = [{**each, "events": ",".join(each["events"])} for each in data]
    headings = ("WEBHOOK", "STATE", "WAITING", "EVENTS", "URL")
    fields = ("id", "state", "waiting", "events", "url")
    show(data, columns(headings, rows, fields, "-"), as_json=as_json)


@app.command("show")
def show_webhook(
    webhook: WebhookId, account: AccountOption = None, as_json: AsJson = False
) -> None:
    """Show a webhook, and how it is getting on."""
    from gatehouse.admin.webhooks.use_cases import endpoints
    from gatehouse.admin.webhooks.use_cases.public import public_webhook

    _show(public_webhook(endpoints.get_webhook(*open_account(account), webhook)), as_json)


@app.command()
def update(  # noqa: PLR0913, PLR0917  # each option is one property of a webhook
    webhook: WebhookId,
    url: Annotated[str | None, typer.Option(help="Where messages are sent.")] = None,
    event: Event = None,
    decision: Decision = None,
    ordered: Annotated[
        bool | None, typer.Option(help="Send a message only after the one before it.")
    ] = None,
    description: Annotated[str | None, typer.Option(help="What it is for.")] = None,
    enabled: Annotated[
        bool | None,
        typer.Option("--enable/--disable", help="Send messages or not; they wait meanwhile."),
    ] = None,
    account: AccountOption = None,
    as_json: AsJson = False,
) -> None:
    """Change a webhook; what is not named stays as it is."""
    from gatehouse.admin.webhooks.use_cases import endpoints
    from gatehouse.admin.webhooks.use_cases.public import public_webhook
    from gatehouse.connectors.webhooks.options import webhook_options

    changes = endpoints.WebhookChanges(
        url=url,
        events=None if event is None else tuple(event),
        decisions=None if decision is None else _decisions(decision),
        is_ordered=ordered,
        description=description,
        is_enabled=enabled,
    )
    policy = webhook_options(read_settings()).policy
    made = endpoints.update(*open_account(account), webhook, changes, policy)
    _show(public_webhook(made), as_json)


@app.command()
def delete(webhook: WebhookId, account: AccountOption = None, as_json: AsJson = False) -> None:
    """Delete a webhook; afterwards no server sends anything to it."""
    from gatehouse.admin.webhooks.use_cases import endpoints

    endpoints.delete(*open_account(account), webhook)
    show({"id": webhook, "deleted": True}, f"{webhook} is deleted", as_json=as_json)


@app.command("rotate-secret")
def rotate_secret(
    webhook: WebhookId,
    overlap: Annotated[
        str, typer.Option(help="How long messages are signed with the old one, too.")
    ] = "24h",
    account: AccountOption = None,
    as_json: AsJson = False,
) -> None:
    """Give a webhook a new secret, which is shown once, here."""
    from gatehouse.admin.webhooks.use_cases import endpoints
    from gatehouse.admin.webhooks.use_cases.public import public_with_secret

    opened = open_account(account)
    made = endpoints.rotate_secret(*opened, webhook, span_argument(overlap))
    shown = public_with_secret(made)
    until = f"the old secret signs until {shown.old_secret_until}"
    show(_data(shown), f"{shown.secret}\n{_ONCE}\n{until}", as_json=as_json)


@app.command("test")
def send_test_message(
    webhook: WebhookId, account: AccountOption = None, as_json: AsJson = False
) -> None:
    """Send a test message at once, and say what was answered."""
    from gatehouse.admin.webhooks.use_cases.messages import send_test
    from gatehouse.admin.webhooks.use_cases.public import public_attempt
    from gatehouse.connectors.webhooks.options import webhook_options

    opened, sender = open_account(account), webhook_options(read_settings()).sender()
    shown = public_attempt(asyncio.run(send_test(*opened, webhook, sender)))
    said = shown.failure or f"accepted with {shown.status}"
    text = f"{shown.event_id}: {said}, after {shown.duration_ms} ms"
    show(_data(shown), text, as_json=as_json)
    if shown.failure is not None:
        raise typer.Exit(1)


@app.command()
def attempts(
    webhook: WebhookId,
    event_id: Annotated[
        str | None, typer.Option("--event", help="Only those of one event (evt_...).")
    ] = None,
    before: Annotated[
        str | None, typer.Option(help="Begin before this attempt (att_...), for the next page.")
    ] = None,
    limit: Annotated[int, typer.Option(help="How many at most.")] = 50,
    account: AccountOption = None,
    as_json: AsJson = False,
) -> None:
    """List attempts to send messages, newest first."""
    from gatehouse.admin.webhooks.use_cases import messages
    from gatehouse.admin.webhooks.use_cases.public import public_attempt

    query = messages.AttemptQuery(limit, before, event_id)
    found = messages.list_attempts(*open_account(account), webhook, query)
    data = [_data(public_attempt(each)) for each in found]
    headings = ("AT", "EVENT", "TYPE", "#", "OUTCOME", "STATUS", "MS", "NEXT", "FAILURE")
    fields = (
        *("at", "eventId", "type", "number", "outcome", "status", "durationMs", "nextAt"),
        "failure",
    )
    show(data, columns(headings, data, fields, "-"), as_json=as_json)


@app.command()
def replay(
    webhook: WebhookId,
    event_id: Annotated[
        str | None, typer.Option("--event", help="The one event (evt_...) to send again.")
    ] = None,
    since: Annotated[
        str | None, typer.Option(metavar="WHEN", help="All since then: 2h ago, a day or a time.")
    ] = None,
    until: Annotated[
        str | None, typer.Option(metavar="WHEN", help="Before when. Default: now.")
    ] = None,
    account: AccountOption = None,
    as_json: AsJson = False,
) -> None:
    """Send messages again: one, or all of a span of time."""
    from gatehouse.admin.webhooks.use_cases import messages

    if (event_id is None) == (since is None):
        raise WrongUsage("name either --event, or --since and perhaps --until")
    opened = open_account(account)
    if event_id is not None:
        done = messages.replay_message(*opened, webhook, event_id)
    else:
        now_ms = opened[0].clock()
        end_ms = now_ms + 1 if until is None else read_moment("--until", until, now_ms)
        span = messages.ReplaySpan(read_moment("--since", since or "", now_ms), end_ms)
        done = messages.replay_span(*opened, webhook, span)
    data = {"messages": done.messages, "complete": done.is_complete}
    rest = "" if done.is_complete else "; there are more: replay the rest with a later --since"
    show(data, f"{done.messages} messages will be sent again{rest}", as_json=as_json)


def _decisions(given: list[str] | None) -> "tuple[DecisionFilter, ...]":
    from gatehouse.admin.events.use_cases.event_settings import parse_filter

    return tuple(parse_filter(each) for each in given or ())


def _show(shown: "PublicWebhook", as_json: bool) -> None:
    data = _data(shown)
    rows = [
        (name, ", ".join(map(str, value)) if isinstance(value, list) else value)
        for name, value in data.items()
    ]
    show(data, sheet(rows), as_json=as_json)


def _data(shown: "PublicWebhook | PublicAttempt") -> dict[str, Any]:
    data: dict[str, Any] = msgspec.to_builtins(shown, enc_hook=plain)
    return data

"""The webhooks of an account: their attempts, tests, replays, and what each is told of."""

import asyncio
from collections.abc import Coroutine, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, Final, TypeVar

from starlette.responses import Response

from gatehouse.admin.events.use_cases.event_settings import operations
from gatehouse.admin.webhooks.types.endpoint import EVERYTHING, wanted_types
from gatehouse.admin.webhooks.types.webhook import (
    AttemptSearch,
    MessageReplay,
    NewWebhook,
    PublicWebhook,
    SecretRotation,
    WebhookChange,
)
from gatehouse.admin.webhooks.use_cases import endpoints, messages
from gatehouse.connectors.webhooks.destinations import LONGEST_URL, DestinationRefused
from gatehouse.connectors.webhooks.signing_secrets import SecretKind
from gatehouse.console.forms.forms import FormRefused
from gatehouse.console.forms.numbers import read_number
from gatehouse.console.pages import Action, Declarations, Page
from gatehouse.console.refusals import as_sentence
from gatehouse.console.serving.cookies import Notice
from gatehouse.console.visit import Visit
from gatehouse.console.words.formats import parse_local
from gatehouse.core.clock import Moment
from gatehouse.core.errors import RightMissing
from gatehouse.core.events import EventName
from gatehouse.core.stages.outcomes import Outcome
from gatehouse.core.wording.sentences import said_by
from gatehouse.store.admin.use_case import ANY_VERSION, Precondition, Tagged

T = TypeVar("T")

_ON_A_PAGE: Final = 50
_OVERLAPS: Final = (0, 1, 24, 168)
"""Hours for which messages are signed with the old secret, too."""


def show_webhooks(visit: Visit) -> Response:
    """All webhooks, and how each is getting on."""
    found = endpoints.list_webhooks(*visit.opened).webhooks
    return visit.render("webhooks/webhooks.html", webhooks=found)


def show_new(visit: Visit) -> Response:
    """The form for a new webhook."""
    return visit.render("webhooks/new.html", signings=tuple(SecretKind), **_form(visit, None))


def create(visit: Visit) -> Response:
    """Add a webhook, and show its secret this once."""
    with _refused(visit):
        made = endpoints.create(*visit.opened, _given(visit))
    return visit.render("webhooks/secret.html", made=made.answer)


def show_webhook(visit: Visit) -> Response:
    """One webhook with its latest attempts."""
    webhook = _webhook(visit).answer
    before, event_id = visit.query.get("before") or None, visit.query.get("event") or None
    wanted = AttemptSearch(_ON_A_PAGE, before, event_id)
    found = messages.list_attempts(*visit.opened, webhook.id, wanted)
    older = found.attempts[-1].id if found.has_more else None
    return visit.render(
        "webhooks/webhook.html",
        webhook=webhook,
        attempts=found.attempts,
        older=older,
        overlaps=_OVERLAPS,
    )


def show_change(visit: Visit) -> Response:
    """The form that changes a webhook."""
    found = _webhook(visit)
    shown = {"webhook": found.answer, "changes": found.version, **_form(visit, found.answer)}
    return visit.render("webhooks/change.html", **shown)


def change(visit: Visit) -> Response:
    """Change what a webhook is told of, or where."""
    seen = Precondition(read_number(visit.form["expected"]))
    new = _given(visit)
    given = WebhookChange(new.url, new.events, new.decisions, new.ordered, new.description)
    with _refused(visit):
        _update(visit, given, seen)
    return _back(visit, "webhooks.notices.changed")


def enable(visit: Visit) -> Response:
    """Send messages again, from where it stopped."""
    _update(visit, WebhookChange(enabled=True))
    return _back(visit, "webhooks.notices.enabled")


def disable(visit: Visit) -> Response:
    """Send nothing until it is enabled again."""
    _update(visit, WebhookChange(enabled=False))
    return _back(visit, "webhooks.notices.disabled")


def rotate(visit: Visit) -> Response:
    """Give it a new secret, and show that this once."""
    given = visit.given(SecretRotation)
    made = endpoints.rotate_secret(*visit.opened, visit.place("webhook"), given)
    return visit.render("webhooks/secret.html", made=made.answer)


def test(visit: Visit) -> Response:
    """Send a test message, and say what was answered."""
    sent = _waited(messages.send_test(*visit.opened, visit.place("webhook")))
    return _back(visit, f"webhooks.notices.{'test_failed' if sent.failure else 'tested'}")


def replay(visit: Visit) -> Response:
    """Send one message again, or all of a span of time."""
    event_id = visit.entered("event")
    if event_id:
        given = MessageReplay(event_id)
    else:
        until = _moment(visit, "until") if visit.form.get("until") else None
        given = MessageReplay(since=_moment(visit, "since"), until=until)
    done = messages.replay(*visit.opened, visit.place("webhook"), given)
    notice = "webhooks.notices.replayed" if done.complete else "webhooks.notices.replayed_part"
    return _back(visit, notice, count=done.messages)


def delete(visit: Visit) -> Response:
    """Delete a webhook; nothing is sent to it any more."""
    _waited(endpoints.delete(*visit.opened, visit.place("webhook")))
    return visit.redirect("webhooks", notice="webhooks.notices.deleted")


def _waited(work: Coroutine[Any, Any, T]) -> T:
    """What somebody outside is waited for, on a thread: that of this page may have a loop."""
    with ThreadPoolExecutor(1) as waiting:
        return waiting.submit(asyncio.run, work).result()


def _webhook(visit: Visit) -> Tagged[PublicWebhook]:
    return endpoints.get_webhook(*visit.opened, visit.place("webhook"))


def _update(visit: Visit, given: WebhookChange, seen: Precondition = ANY_VERSION) -> None:
    endpoints.update(*visit.opened, visit.place("webhook"), given, seen)


@contextmanager
def _refused(visit: Visit) -> Iterator[None]:
    """Say beside its field why an address cannot be used, or events cannot be told."""
    try:
        yield
    except DestinationRefused as refused:
        why = visit.said(said_by(refused)).removesuffix(".")
        raise visit.refuse("url", "webhooks.problems.url", why=why) from None
    except RightMissing as refused:
        raise FormRefused({"events": as_sentence(visit.said(said_by(refused)))}) from None


def _back(visit: Visit, notice: str, **values: int) -> Response:
    kind = "problem" if notice.endswith("_failed") else "done"
    said = Notice(notice, {**values}, kind)
    return visit.redirect("webhook", webhook=visit.place("webhook"), notice=said)


def _moment(visit: Visit, field: str) -> Moment:
    try:
        return Moment(parse_local(visit.form[field], visit.formats.zone))
    except (ValueError, OverflowError):
        raise visit.refuse(field, "webhooks.problems.moment") from None


def _given(visit: Visit) -> NewWebhook:
    """What both forms send."""
    events = [EVERYTHING] if visit.form.get("everything") else list(visit.chosen("events"))
    if not events:
        raise visit.refuse("events", "webhooks.problems.events")
    outcomes = list(visit.chosen("outcomes"))
    told = [{"operation": each, "outcomes": outcomes} for each in visit.chosen("operations")]
    every = [{"outcomes": outcomes}] if outcomes else []
    return visit.given(NewWebhook, events=events, decisions=told or every)


def _form(visit: Visit, webhook: PublicWebhook | None) -> dict[str, Any]:
    """What both forms show: what was sent, or else what the webhook has."""
    if visit.form:
        events = frozenset(visit.chosen("events"))
        everything, ordered = bool(visit.form.get("everything")), bool(visit.form.get("ordered"))
        chosen = frozenset(visit.chosen("operations")), frozenset(visit.chosen("outcomes"))
    else:
        kept = webhook or NewWebhook("", [])
        events = frozenset(map(str, wanted_types(kept.events)))
        everything, ordered = EVERYTHING in kept.events, kept.ordered
        chosen = (
            frozenset(each.operation for each in kept.decisions),
            frozenset(str(one) for each in kept.decisions for one in each.outcomes),
        )
    return {
        "families": _families(EventName).items(),
        "operations": operations(),
        "outcomes": tuple(Outcome),
        "events": events,
        "everything": everything,
        "ordered": ordered,
        "chosen_operations": chosen[0],
        "chosen_outcomes": chosen[1],
        "longest_url": LONGEST_URL,
    }


def _families(names: Iterable[str]) -> dict[str, list[str]]:
    """Types of events by what they speak of; new ones come last, also those of an old family."""
    found: dict[str, list[str]] = {}
    for name in names:
        found.setdefault(name.partition(".")[0], []).append(name)
    return found


_ALL: Final = "/a/{account}/webhooks"
_ONE: Final = f"{_ALL}/{{webhook}}"
_HERE: Final[dict[str, Any]] = {"again": show_webhook}
_OUTSIDE: Final[dict[str, Any]] = _HERE | {"asks_elsewhere": True}

PAGES: Final[Declarations] = (
    Page(_ALL, "webhooks", show_webhooks, does=endpoints.list_webhooks),
    Page(f"{_ALL}/new", "webhook-new", show_new, does=endpoints.create),
    Action(f"{_ALL}/new", "webhook-create", create, again=show_new, does=endpoints.create),
    Page(_ONE, "webhook", show_webhook, does=endpoints.get_webhook),
    Page(f"{_ONE}/change", "webhook-form", show_change, does=endpoints.update),
    Action(f"{_ONE}/change", "webhook-change", change, again=show_change, does=endpoints.update),
    Action(f"{_ONE}/enable", "webhook-enable", enable, **_HERE, does=endpoints.update),
    Action(f"{_ONE}/disable", "webhook-disable", disable, **_HERE, does=endpoints.update),
    Action(f"{_ONE}/rotate", "webhook-rotate", rotate, **_HERE, does=endpoints.rotate_secret),
    Action(f"{_ONE}/test", "webhook-test", test, **_OUTSIDE, does=messages.send_test),
    Action(f"{_ONE}/replay", "webhook-replay", replay, **_HERE, does=messages.replay),
    Action(f"{_ONE}/delete", "webhook-delete", delete, **_OUTSIDE, does=endpoints.delete),
)

"""One right guards one kind of data: keys go through every other door to the same room, in vain."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import Any, Final

import httpx
import pytest

from gatehouse.admin.events.types import EventSettingsBody
from gatehouse.admin.events.use_cases import event_settings
from gatehouse.admin.money.use_cases import money
from gatehouse.admin.webhooks.types.webhook import NewWebhook
from gatehouse.admin.webhooks.use_cases import endpoints
from gatehouse.store.accounts import keys
from gatehouse.store.admin.admin_session import AdminSession
from tests.harness import Server, pipeline
from tests.web.answers import refused
from tests.web.merchant import Merchant

BASE: Final = "/api/v1/manage"
HOOKS: Final = f"{BASE}/webhooks"
RULES: Final = (
    "rule_set: mine\nrules:\n  - {name: a, condition: order.amount > 1, outcome: REVIEW}\n"
)
RING: Final = "ring_01kabcdefghjkmnpqrstvwxyz0"
REQUEST: Final = "req_01kabcdefghjkmnpqrstvwxyz0"
SEARCH: Final = {"search": {"email": "ann@example.com"}}
LISTED: Final = {"list": "blocked", "entity": "user", "reason": "attack"}
DRY: Final = "?dryRun=true"
DOORS: Final[dict[str, list[tuple[str, str, Any]]]] = {
    "manage:lists": [
        ("POST", f"/bulk/entries{DRY}", SEARCH | LISTED),
        ("POST", "/bulk/entries", {"requestIds": [REQUEST], **LISTED}),
        ("GET", "/rings", None),
        ("GET", f"/rings/{RING}", None),
        ("POST", f"/rings/{RING}/blocking{DRY}", {"reason": "ring"}),
        ("GET", "/alerts", None),
        ("GET", "/alerts/alr_1", None),
        ("POST", f"/alerts/alr_1/blocking{DRY}", {}),
    ],
    "manage:feedback": [
        ("POST", f"/bulk/labels{DRY}", SEARCH | {"label": "FRAUD"}),
        ("POST", f"/bulk/resolutions{DRY}", SEARCH | {"resolution": "APPROVE", "reason": "x"}),
        ("POST", f"/bulk/assignments{DRY}", SEARCH | {"assignee": "amelia"}),
        ("GET", f"/decisions/{REQUEST}/evidence", None),
        ("GET", f"/decisions/{REQUEST}/evidence/paper", None),
        ("POST", "/outcomes/candidates", {"kind": "DISPUTE", "reference": "dp-1"}),
        ("POST", "/programmes/enumeration", {}),
    ],
    "manage:rules": [
        ("POST", "/explorations", {"by": "card.fingerprint"}),
        ("POST", "/rules/backtests", {"document": RULES}),
        ("POST", "/rules/trials", {"document": RULES, "requestId": REQUEST}),
        ("POST", "/programmes/what-if", {"document": RULES}),
        ("GET", "/experiments/exp_1/result", None),
    ],
    "manage:models": [
        ("POST", "/models/trainings", {}),
        ("POST", "/models/audits", {}),
        ("POST", "/models/2/trials", {}),
        ("GET", "/models/2/trial", None),
        ("GET", "/drift", None),
    ],
    "manage:account": [
        ("GET", "/reports", None),
        ("GET", "/reports/2026-10", None),
        ("POST", "/reports", {"month": "2026-10"}),
    ],
    "manage:billing": [("GET", "/usage?by=tag", None)],
    "manage:identities": [("POST", f"/privacy/erasures{DRY}", {"userId": "u-1"})],
}
"""What selects by, counts over or shows decisions, by the scope that the call comes in with."""
Opened = Callable[..., AbstractContextManager[httpx.Client]]


@pytest.fixture
def shop(session: AdminSession) -> Merchant:
    return Merchant(session)


@pytest.fixture
def opened(shared: Server, session: AdminSession, shop: Merchant) -> Opened:
    """Clients of one account, each with a key of some scopes."""

    def with_scopes(*scopes: str) -> AbstractContextManager[httpx.Client]:
        with session.change() as change:
            terms = keys.KeyTerms(scopes=scopes, rate_limit_per_second=0)
            _, text = keys.issue(change, shop.account, terms)
        return shared.client(text)

    return with_scopes


@pytest.fixture
def told(shared: Server, session: AdminSession, shop: Merchant) -> Iterator[str]:
    """The id of a review's request, with events of many kinds; nothing listens at the webhook."""
    wanted = EventSettingsBody(["*"])
    event_settings.set_event_settings(session, shop.account, wanted)
    money.top_up(session, shop.account, 1_000_000, "")
    with shared.client(shop.key) as client:
        yield pipeline(client).json()["requestId"]


def types_of(client: httpx.Client, **query: Any) -> set[str]:
    answer = client.get("/api/v1/events", params={"limit": 100, **query}).json()
    assert answer["isSuccess"], answer
    return {each["type"] for each in answer["eventsResponse"]["events"]}


def test_no_scope_of_management_alone_reads_selects_or_counts_decisions(opened: Opened) -> None:
    through: list[str] = []
    for scope, doors in DOORS.items():
        with opened(scope) as without, opened(scope, "decisions") as reader:
            for method, path, body in doors:
                given = {} if body is None else {"json": body}
                told = without.request(method, BASE + path, **given)
                if told.status_code != 403 or "the scope decisions" not in told.text:
                    through.append(f"{scope}: {method} {path}: {told.text[:300]}")
                known = reader.request(method, BASE + path, **given)
                assert known.status_code in (200, 404, 409), (path, known.text)
    assert through == []


def test_a_key_is_told_the_events_that_it_may_read(opened: Opened, told: str) -> None:
    with opened("events") as plain:
        assert types_of(plain) == {"key.created"}
        said = refused(
            plain.get("/api/v1/events", params={"types": "key.created,decision.made"}),
            *(403, "scope_not_allowed"),
        )
        assert "needs the scope decisions" in said["errors"]["globalErrors"][0]
    with opened("events", "billing") as bookkeeper:
        assert types_of(bookkeeper) == {"key.created", "balance.topped_up"}
    with opened("events", "decisions") as reader:
        [event] = reader.get("/api/v1/events", params={"types": "decision.made"}).json()[
            "eventsResponse"
        ]["events"]
        assert event["data"]["requestId"] == told
        assert "balance.topped_up" not in types_of(reader)
    path = f"/api/v1/events/{event['id']}"
    with opened("events", "reviews") as reviewer:
        refused(reviewer.get(path), 403, "scope_not_allowed")


def test_a_webhook_is_told_what_its_key_may_read(
    session: AdminSession, shop: Merchant, opened: Opened, told: str
) -> None:
    url = "https://shop.example/hooks"
    whole = endpoints.create(session, shop.account, NewWebhook(url, ["decision.made"])).answer
    with opened("manage:webhooks") as client, opened("events", "decisions") as reader:
        for events in (["decision.made"], ["*"], ["review.*"], ["balance.low"], ["alert.raised"]):
            made = client.post(HOOKS, json={"url": url, "events": events})
            refused(made, 403, "scope_not_allowed")
        own = client.post(HOOKS, json={"url": url, "events": ["key.*"]}).json()["webhookResponse"]
        wider = client.post(f"{HOOKS}/{own['id']}", json={"events": ["key.*", "decision.made"]})
        refused(wider, 403, "scope_not_allowed")
        # Another's webhook: where to, what, and what was told are not for this key.
        path = f"{HOOKS}/{whole.id}"
        changes: list[dict[str, Any]] = [
            {"url": "https://evil.example/"},
            {"decisions": []},
            {"enabled": True},
        ]
        for change in changes:
            refused(client.post(path, json=change), 403, "scope_not_allowed")
        [event] = reader.get("/api/v1/events", params={"types": "decision.made"}).json()[
            "eventsResponse"
        ]["events"]
        for again in ({"eventId": event["id"]}, {"since": "2026-01-01T00:00:00Z"}):
            refused(client.post(f"{path}/replay", json=again), 403, "scope_not_allowed")
        # Its own webhook is not for such events: nothing is sent.
        sent = client.post(f"{HOOKS}/{own['id']}/replay", json={"eventId": event["id"]}).json()
        assert sent["webhookReplayResponse"]["messages"] == 0
        assert client.get(f"{path}/attempts").json()["webhookAttemptsResponse"]["attempts"] == []
        # Nobody is kept from ending it.
        ended = client.post(path, json={"enabled": False}).json()["webhookResponse"]
        assert ended["state"] == "disabled"
    with opened("manage:webhooks", "decisions") as able:
        moved = able.post(path, json={"url": "https://shop.example/new", "enabled": True})
        assert moved.json()["webhookResponse"]["state"] == "enabled", moved.text

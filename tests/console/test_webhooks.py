"""Webhooks in the console: added, tested against a real receiver, sent again, and ended."""

import asyncio
import re
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from unittest import mock

import pytest

from gatehouse.access.roles import ComposedRole, Permission, UserRole
from gatehouse.admin.webhooks.types.webhook import AttemptSearch
from gatehouse.admin.webhooks.use_cases import endpoints, messages
from tests.console.harness import Browser, Console


class _Receiver(BaseHTTPRequestHandler):
    answers = 200

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["content-length"]))
        self.send_response(type(self).answers)
        self.send_header("content-length", "0")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture(scope="module")
def receiver() -> Iterator[str]:
    """The address of a receiver on this machine."""
    with ThreadingHTTPServer(("127.0.0.1", 0), _Receiver) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/hooks"
        server.shutdown()


@pytest.fixture
def ada(console: Console) -> Browser:
    return console.as_role(UserRole.ADMINISTRATOR)


@pytest.fixture
def webhook(console: Console, ada: Browser, receiver: str) -> Iterator[str]:
    """The path of a new webhook."""
    answer = ada.post(
        f"/a/{console.account_id}/webhooks/new",
        {"url": receiver, "events": ["review.opened", "decision.made"], "outcomes": "DECLINE"},
    )
    assert answer.status_code == 200, answer.text
    assert "whsec_" in answer.text
    [made] = endpoints.list_webhooks(console.session, console.account_id).webhooks
    yield f"/a/{console.account_id}/webhooks/{made.id}"
    asyncio.run(endpoints.delete(console.session, console.account_id, made.id))


def test_a_person_subscribes_to_what_the_person_may_read(
    console: Console, webhook: str, receiver: str
) -> None:
    may = frozenset({Permission.SEE, Permission.ACCESS})
    role = ComposedRole(role_id="rol_1", name="Access", permissions=may, version=1)
    here = console.account_id
    eve = console.as_person({here: "rol_1"}, composed={here: role})
    form = {"url": receiver, "events": ["key.created", "decision.made"]}
    refused = eve.post(f"/a/{here}/webhooks/new", form)
    assert (refused.status_code, "This needs the permission reveal" in refused.text) == (422, True)
    moved = {"url": f"{receiver}/mine", "events": ["review.opened"]}
    assert eve.post(f"{webhook}/change", moved).status_code == 422
    assert eve.get(webhook).status_code == 200
    listed = endpoints.list_webhooks(console.session, here).webhooks
    assert [each.url for each in listed] == [receiver]


def test_the_secret_is_shown_once(console: Console, ada: Browser, webhook: str) -> None:
    assert "whsec_" not in ada.get(webhook).text
    page = ada.get(f"/a/{console.account_id}/webhooks").text
    assert "decision.made, review.opened" in page


def test_an_address_inside_the_network_is_refused_beside_its_field(
    console: Console, ada: Browser
) -> None:
    answer = ada.post(
        f"/a/{console.account_id}/webhooks/new",
        {"url": "https://169.254.169.254/latest", "everything": "yes"},
    )
    assert answer.status_code == 422
    assert "url-problem" in answer.text
    assert 'value="https://169.254.169.254/latest"' in answer.text
    assert endpoints.list_webhooks(console.session, console.account_id).webhooks == []


def test_a_form_has_the_limits_of_the_api_beside_its_fields(
    console: Console, ada: Browser, receiver: str
) -> None:
    form = {"url": receiver, "events": "review.opened", "description": "x" * 201}
    answer = ada.post(f"/a/{console.account_id}/webhooks/new", form)
    assert answer.status_code == 422
    assert "description-problem" in answer.text
    wrong = form | {"description": "", "signing": "none"}
    assert ada.post(f"/a/{console.account_id}/webhooks/new", wrong).status_code == 422
    assert endpoints.list_webhooks(console.session, console.account_id).webhooks == []


def test_a_test_tells_what_the_receiver_answered(ada: Browser, webhook: str) -> None:
    assert ada.post(f"{webhook}/test").status_code == 303
    assert "The test was accepted." in ada.get(webhook).text
    _Receiver.answers = 500
    try:
        ada.post(f"{webhook}/test")
        page = ada.get(webhook).text
    finally:
        _Receiver.answers = 200
    assert "The test was not accepted." in page
    assert "answered 500" in page


def test_a_change_that_somebody_else_was_quicker_with_is_refused(
    console: Console, ada: Browser, webhook: str, receiver: str
) -> None:
    [shown] = re.findall(r'name="expected" value="(\d+)"', ada.get(f"{webhook}/change").text)
    form = {"url": receiver, "events": "review.resolved", "expected": shown, "ordered": "yes"}
    assert ada.post(f"{webhook}/change", form).status_code == 303
    [changed] = endpoints.list_webhooks(console.session, console.account_id).webhooks
    assert (changed.events, changed.ordered) == (["review.resolved"], True)
    late = ada.post(f"{webhook}/change", form)
    assert late.status_code in (409, 422)
    assert "changed meanwhile" in late.text


def test_a_change_does_not_fail_on_a_number_of_any_length(
    ada: Browser, webhook: str, receiver: str
) -> None:
    form = {"url": receiver, "events": "review.resolved", "expected": "1" * 5000}
    assert ada.post(f"{webhook}/change", form).status_code < 500


def test_messages_of_a_span_are_sent_again(console: Console, ada: Browser, webhook: str) -> None:
    done = ada.post(f"{webhook}/replay", {"since": "2020-01-01T00:00"})
    assert done.status_code == 303
    assert "Messages that are sent again: " in ada.get(webhook).text
    assert ada.post(f"{webhook}/replay", {"since": "yesterday"}).status_code == 422
    in_berlin = console.as_role(UserRole.ADMINISTRATOR, time_zone="Europe/Berlin")
    assert in_berlin.post(f"{webhook}/replay", {"since": "0001-01-01T00:00"}).status_code == 422


def test_a_webhook_is_disabled_enabled_and_its_secret_rotated(
    console: Console, ada: Browser, webhook: str
) -> None:
    ada.post(f"{webhook}/disable")
    [off] = endpoints.list_webhooks(console.session, console.account_id).webhooks
    assert off.disabled_because == "asked"
    ada.post(f"{webhook}/enable")
    [on] = endpoints.list_webhooks(console.session, console.account_id).webhooks
    assert on.disabled_because is None
    assert "whsec_" in ada.post(f"{webhook}/rotate", {"overlap_s": "86400"}).text


def test_managers_have_no_webhooks(console: Console, webhook: str) -> None:
    manager = console.as_role(UserRole.MANAGER)
    assert manager.get(webhook).status_code == 403
    assert manager.post(f"{webhook}/test").status_code == 403
    webhook_id = webhook.rpartition("/")[2]
    about = console.session, console.account_id, webhook_id
    assert messages.list_attempts(*about, AttemptSearch()).attempts == []


def test_an_event_of_a_new_family_is_shown_by_its_own_name(console: Console, ada: Browser) -> None:
    names = ["key.created", "loan.granted", "key.mislaid"]
    with mock.patch("gatehouse.admin.webhooks.pages.EventName", names):
        page = ada.get(f"/a/{console.account_id}/webhooks/new").text
    assert re.findall('choices-name">([^<]*)<', page) == ["Keys", "loan"]
    assert re.findall('name="events" value="([^"]*)"', page) == [names[0], names[2], names[1]]

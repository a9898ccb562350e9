"""Webhooks are managed over HTTP: a merchant adds one, tries it, and hears of decisions."""

import contextlib
import http.server
import json
import socket
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final

import httpx
import pytest
from standardwebhooks.webhooks import Webhook

from gatehouse.api.manage.desk import MOST_OUTSIDE_OF_ACCOUNT, MOST_WAITING
from tests.harness import Server, precheck, until
from tests.web import answers

BASE: Final = "/api/v1/manage/webhooks"


class Receiver(http.server.ThreadingHTTPServer):
    """Keeps what it is sent."""

    heard: list[tuple[dict[str, str], bytes]]

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/in"


class _Handler(http.server.BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        assert isinstance(self.server, Receiver)
        self.server.heard.append((dict(self.headers), body))
        self.send_response(204)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with Receiver(("127.0.0.1", 0), _Handler) as server:
        server.heard = []
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@pytest.fixture
def client(shared: Server) -> Iterator[httpx.Client]:
    account = shared.home.account("1000")
    scopes = ("manage:webhooks", "precheck", "decisions", "reviews", "billing")
    key = shared.home.key(account, *(f"--scope={each}" for each in scopes))
    with shared.client(key) as opened:
        yield opened


def done(answer: httpx.Response, field: str = "webhookResponse") -> Any:
    assert answer.json()["isSuccess"], answer.text
    return answer.json()[field]


def test_a_merchant_adds_a_webhook_tries_it_and_hears_of_decisions(
    client: httpx.Client, receiver: Receiver
) -> None:
    made = done(client.post(BASE, json={"url": receiver.url, "events": ["decision.made"]}))
    path, verifier = f"{BASE}/{made['id']}", Webhook(made["secret"])
    tried = done(client.post(f"{path}/test"), "webhookAttemptResponse")
    assert (tried["outcome"], tried["status"]) == ("accepted", 204)
    request_id = precheck(client).json()["requestId"]
    until(lambda: len(receiver.heard) == 2)
    for headers, body in receiver.heard:
        verifier.verify(body, headers)
    assert json.loads(receiver.heard[-1][1])["data"]["requestId"] == request_id

    attempts = until(
        lambda: done(client.get(f"{path}/attempts"), "webhookAttemptsResponse")["attempts"],
        lambda found: len(found) == 2,
    )
    event = {"eventId": attempts[0]["eventId"]}
    assert done(client.post(f"{path}/replay", json=event), "webhookReplayResponse")["messages"] == 1
    until(lambda: len(receiver.heard) == 3)

    shown = done(client.get(path))
    assert "secret" not in shown
    assert done(client.post(path, json={"enabled": False}))["state"] == "disabled"
    rotated = done(client.post(f"{path}/rotate-secret", json={}))
    assert rotated["secret"] != made["secret"]
    assert done(client.delete(path), "webhookDeletedResponse")["deleted"]
    assert done(client.get(BASE), "webhooksResponse")["webhooks"] == []
    assert client.get(path).status_code == 404


def test_tests_that_wait_for_a_receiver_hold_up_nobody(client: httpx.Client) -> None:
    with socket.create_server(("127.0.0.1", 0), backlog=64) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}/"
        made = done(client.post(BASE, json={"url": url, "events": ["key.*"]}))
        path = f"{BASE}/{made['id']}"
        with ThreadPoolExecutor(MOST_OUTSIDE_OF_ACCOUNT) as threads:
            waiting = [
                threads.submit(client.post, f"{path}/test") for _ in range(MOST_OUTSIDE_OF_ACCOUNT)
            ]
            held = [silent.accept()[0] for _ in waiting]
            for _ in range(MOST_WAITING + 1):
                assert done(client.get(path))["id"] == made["id"]
            answers.refused(client.post(f"{path}/test"), 503, "overloaded")
            for connection in held:
                connection.close()
            for each in waiting:
                tried = done(each.result(), "webhookAttemptResponse")
                assert (tried["outcome"], tried["status"]) == ("failed", None)
    assert done(client.delete(path), "webhookDeletedResponse")["deleted"]


def test_slow_bodies_of_one_account_keep_no_other_from_managing(
    client: httpx.Client, shared: Server
) -> None:
    other = shared.home.key(shared.home.account("0"), "--scope", "manage:webhooks")
    head = f"POST {BASE} HTTP/1.1\r\nhost: x\r\nx-api-key: {client.headers['x-api-key']}\r\n"
    slow = f"{head}content-type: application/json\r\ncontent-length: 9\r\n\r\n{{".encode()
    with contextlib.ExitStack() as held, shared.client(other) as others:
        address = client.base_url.host, client.base_url.port or 80

        def hold_and_ask() -> int:
            # Some may be refused because the key has asked for much just before.
            for _ in range(MOST_WAITING + 2):
                held.enter_context(socket.create_connection(address)).sendall(slow)
            return client.get(BASE).status_code

        until(hold_and_ask, lambda status: status == 503)
        assert done(others.get(BASE), "webhooksResponse")["webhooks"] == []
    until(lambda: client.get(BASE).status_code, lambda status: status == 200)


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({"url": "https://10.0.0.1/", "events": ["*"]}, "public address"),
        ({"url": "http://shop.example/", "events": ["*"]}, "https://"),
        ({"url": "https://shop.example/", "events": ["nothing"]}, "there is no event"),
        ({"url": "https://shop.example/", "events": []}, "events"),
    ],
)
def test_what_cannot_be_sent_to_is_refused(
    client: httpx.Client, body: dict[str, Any], said: str
) -> None:
    answer = client.post(BASE, json=body)
    assert not answer.json()["isSuccess"]
    assert said in answer.text

"""The playground: what is sent to the API, with a key that nobody sees, and what is shown of it."""

import ast
import json
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any, ClassVar

import msgspec
import pytest

from gatehouse.access.roles import UserRole
from gatehouse.admin.events.queries.expiring_keys import tell_expiring
from gatehouse.admin.events.use_cases.events import EventQuery, newest_events
from gatehouse.admin.figures.pages.attention import ends_soon
from gatehouse.admin.keys import use_cases as keys
from gatehouse.admin.keys.types import NewKey
from gatehouse.admin.pipelines.pages.playground import cards
from gatehouse.admin.pipelines.pages.playground_request import (
    OPERATIONS,
    Wanted,
    as_python,
    request_body,
)
from gatehouse.console.desk import Desk
from gatehouse.console.routes import DECLARED
from gatehouse.core.clock import Moment
from gatehouse.core.errors import InvalidInput
from gatehouse.settings.settings import Settings
from tests.console.harness import Browser, Console
from tests.harness import Home
from tests.harness.phrases import texts

ANSWER = {"isSuccess": True, "requestId": "req_1", "preCheckResponse": {"advice": "<b>"}}
CLIENT = Path(__file__).parents[2] / "clients" / "python" / "src" / "gatehouse_client"
FORM = {"operation": "precheck", "card": "4242424242424242", "expiry": "2035-12", "code": "123"}


class _Api(BaseHTTPRequestHandler):
    calls: ClassVar[list[tuple[str, str, Any]]] = []
    answers: ClassVar[list[int]] = []

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self.calls.append((self.path, self.headers["x-api-key"], body))
        content = json.dumps(ANSWER).encode()
        self.send_response(self.answers.pop() if self.answers else 200)
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture(scope="module")
def console(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Console]:
    """A console beside something that answers like the API."""
    home = Home(tmp_path_factory.mktemp("playground") / "home").migrated()
    with ThreadingHTTPServer(("127.0.0.1", 0), _Api) as server, home.session() as session:
        Thread(target=server.serve_forever, daemon=True).start()
        yield Console(session, Settings(api_url=f"http://127.0.0.1:{server.server_port}"))
        server.shutdown()


@pytest.fixture
def ana(console: Console) -> Browser:
    _Api.calls.clear()
    return console.as_role(UserRole.ANALYST)


def _path(console: Console) -> str:
    return f"/a/{console.account_id}/playground"


def test_a_request_its_answer_and_its_code_are_shown(console: Console, ana: Browser) -> None:
    page = ana.post(_path(console), {**FORM, "street": "1 Market Street"})
    assert page.status_code == 200, page.text
    [(path, _, body)] = _Api.calls
    assert path == "/api/v1/precheck"
    assert body["cardAddress"] == {"street": "1 Market Street"}
    for part in ("advice &lt;b&gt;", "curl http://127.0.0.1", "gatehouse_client", "new Gatehouse("):
        assert part in page.text
    assert f"/a/{console.account_id}/decisions/req_1" in page.text


def test_an_amount_is_typed_in_the_language_and_sent_as_a_number(console: Console) -> None:
    german = console.as_role(UserRole.ANALYST, locale="de")
    assert 'value="59,90"' in german.get(_path(console)).text
    _Api.calls.clear()
    form = {**FORM, "operation": "sentry", "currency": "EUR"}
    german.post(_path(console), {**form, "amount": "1.059,90"})
    [(_, _, body)] = _Api.calls
    assert body["order"] == {"amount": 1059.9, "currency": "EUR"}
    for wrong in ("59.90", "-5"):
        assert german.post(_path(console), {**form, "amount": wrong}).status_code == 422
    assert len(_Api.calls) == 1


def test_the_key_is_reused_ends_soon_and_is_never_shown(console: Console, ana: Browser) -> None:
    pages = [ana.post(_path(console), FORM).text for _ in range(2)]
    [(_, first, _), (_, second, _)] = _Api.calls
    assert first == second
    assert all(first not in page for page in pages)
    made = keys.list_keys(console.session, console.account_id).keys
    [key] = [each for each in made if each.is_of_playground]
    assert key.expires_at == key.created_at + 15 * 60_000
    assert first not in repr(console.desk.api.__dict__)
    assert not ends_soon(key, key.created_at)
    older = msgspec.structs.replace(key, created_at=Moment(key.created_at - 30 * 86_400_000))
    assert ends_soon(older, key.created_at)


def test_the_key_is_one_row_that_nobody_is_told_of(console: Console, ana: Browser) -> None:
    ana.post(_path(console), FORM)
    _Api.answers.append(401)
    ana.post(_path(console), FORM)
    made = keys.list_keys(console.session, console.account_id).keys
    [key] = [each for each in made if each.is_of_playground]
    assert key.status == "active"
    told = newest_events(console.session, console.account_id, EventQuery(limit=100))
    assert key.key_id not in str(told)
    with console.session.database.writing() as connection:
        assert tell_expiring(connection, console.session.clock()) == 0
    admin = console.as_role(UserRole.ADMINISTRATOR)
    assert "made by the console, ends by itself" in admin.get(f"/a/{console.account_id}/keys").text
    taken = NewKey(name="(playground)")
    with pytest.raises(InvalidInput, match="another name"):
        keys.issue(console.session, console.account_id, taken)


def test_a_revoked_key_is_replaced(console: Console, ana: Browser) -> None:
    ana.post(_path(console), FORM)
    _Api.answers.append(401)
    assert ana.post(_path(console), FORM).status_code == 200
    sent = [key for _, key, _ in _Api.calls]
    assert len(sent) == 3
    assert sent[1] != sent[2]


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("operation", "delete"),
        ("card", "4111111111111112"),
        ("amount", "1e9"),
        ("street", "x" * 129),
    ],
)
def test_what_cannot_be_sent_is_refused_beside_its_field(
    console: Console, ana: Browser, field: str, value: str
) -> None:
    answer = ana.post(_path(console), {**FORM, field: value})
    assert answer.status_code == 422
    assert f"{field}-problem" in answer.text
    assert _Api.calls == []


def test_a_card_that_is_none_of_the_sandboxs_is_not_shown_again(
    console: Console, ana: Browser
) -> None:
    assert (
        "4111111111111112"
        not in ana.post(_path(console), {**FORM, "card": "4111111111111112"}).text
    )


def test_a_server_that_is_not_there_is_said_clearly(
    console: Console, ana: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The port of a server that was closed: nobody listens there.
    with ThreadingHTTPServer(("127.0.0.1", 0), _Api) as closed:
        gone = f"http://127.0.0.1:{closed.server_port}"
    monkeypatch.setattr(console.desk.api, "base_url", gone)
    answer = ana.post(_path(console), FORM)
    assert answer.status_code == 502
    assert f"No server of the API answers at {gone}" in answer.text


def test_viewers_and_finance_send_nothing(console: Console, ana: Browser) -> None:
    for role in (UserRole.VIEWER, UserRole.FINANCE):
        assert console.as_role(role).post(_path(console), FORM).status_code == 403
    assert _Api.calls == []


def test_production_has_no_playground(console: Console) -> None:
    desk = Desk(console.sign_in, Settings(environment="production"), DECLARED, console)
    assert console.desk.page("playground") is not None
    assert desk.page("playground") is None
    assert "playground-send" not in {each.name for each in desk.declared}


@pytest.mark.parametrize("language", ["en", "de"])
def test_every_trigger_card_is_explained(language: str) -> None:
    known = texts(language)
    assert [card for card in cards() if f"playground.cards.{card}" not in known] == []


@pytest.mark.parametrize("operation", OPERATIONS)
def test_the_code_for_python_uses_structs_that_the_client_has(operation: str) -> None:
    stages = frozenset({"Rules", "Sentry", "PreCheck", "IdVerify", "Gateway"})
    given = dict.fromkeys(Wanted.__struct_fields__[:13], "x")
    wanted = Wanted(
        **{**given, "operation": operation, "amount": "59.90"}, pipeline=1, stages=stages
    )
    tree = ast.parse(as_python("http://127.0.0.1:8080", operation, request_body(wanted)))
    named = {
        node.attr
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and getattr(node.value, "id", "") == "models"
    }
    models = (CLIENT / "models.py").read_text()
    assert [name for name in named if f"class {name}(" not in models] == []

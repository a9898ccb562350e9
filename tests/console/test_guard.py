"""What every request must pass: its host, its origin, its form's token, its size; and headers."""

import dataclasses
import logging
from collections.abc import Iterator

import httpx
import pytest
from starlette.responses import Response

from gatehouse.access.roles import Permission, UserRole
from gatehouse.console.pages import Action, Declared, Endpoint, Page
from gatehouse.console.routes import DECLARED
from gatehouse.console.serving.cookies import read_cookies
from gatehouse.console.serving.envelope import HEADERS
from gatehouse.console.serving.server import make_desk
from gatehouse.console.visit import Visit
from gatehouse.core.errors import Conflict, InvalidInput, SettingsError, StoreUnavailable
from gatehouse.settings.settings import Settings
from tests.console.harness import Console
from tests.harness import Home


@pytest.mark.parametrize(
    "headers",
    [
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Sec-Fetch-Site": "none"},
        {"Origin": "https://evil.test"},
        {"Origin": "null"},
        {"Origin": "http://127.0.0.1:8080"},
    ],
    ids=str,
)
def test_a_form_of_another_site_is_refused_even_with_the_token(
    console: Console, headers: dict[str, str]
) -> None:
    answer = console.as_role(UserRole.VIEWER).post("/theme", {"theme": "dark"}, headers=headers)
    assert answer.status_code == 403
    assert "This form came from another site" in answer.text
    assert console.stranger().post("/sign-in", headers=headers).status_code == 403


def test_a_form_that_says_nothing_of_its_sender_is_refused(console: Console) -> None:
    assert console.stranger().client.post("/sign-in").status_code == 403


@pytest.mark.parametrize(
    "host",
    [
        *("evil.test", "evil.test:8081", "127.0.0.1.evil.test", "", "[", "[::1", "[::1]x", "]"),
        *("localhost:x", "127.0.0.1:999999", "u@127.0.0.1", "127.0.0.1/../sign-in?a#b"),
    ],
)
def test_a_name_that_is_not_ours_is_refused(console: Console, host: str) -> None:
    answer = console.stranger().get("/sign-in", headers={"Host": host})
    assert answer.status_code == 421
    assert "GATEHOUSE_CONSOLE_URL" in answer.text


def _complete(answer: httpx.Response) -> None:
    for name, value in HEADERS.items():
        assert answer.headers[name] == value
    assert answer.headers["x-request-id"].startswith("req_")
    assert "server" not in answer.headers


@pytest.mark.parametrize(
    "path", ["/sign-in", "/accounts", "/nowhere", "/static/console.css", "/me"]
)
def test_every_answer_has_its_headers(console: Console, path: str) -> None:
    for browser in (console.stranger(), console.as_role(UserRole.VIEWER)):
        answer = browser.get(path)
        _complete(answer)
        assert answer.headers["cache-control"] == "no-store"
    _complete(console.stranger().get(path, headers={"Host": "evil.test"}))


def test_the_policy_allows_nothing_but_what_the_console_itself_serves_and_no_frame() -> None:
    policy = HEADERS["content-security-policy"]
    assert policy.startswith("default-src 'none';")
    assert "frame-ancestors 'none'" in policy
    # Neither inline scripts and styles, nor pictures in addresses, nor other sites.
    sources = {source for part in policy.split("; ") for source in part.split()[1:]}
    assert sources == {"'none'", "'self'"}


def test_long_headers_are_refused(console: Console) -> None:
    answer = console.stranger().get("/sign-in", headers={"X-Long": "a" * 20_000})
    assert answer.status_code == 431
    _complete(answer)


@pytest.mark.parametrize(
    ("header", "cookies"),
    [
        ("a=b; c=d", {"a": "b", "c": "d"}),
        ('a="b=="; a=c; =; d', {"a": "c", "": "", "d": ""}),
        ('a="b=="', {"a": "b=="}),
        ('a="' + "\\" * 14_000 + '"', {"a": "\\" * 14_000}),
    ],
    ids=["plain", "odd", "quoted", "escapes"],
)
def test_cookies_are_read_without_their_escapes(header: str, cookies: dict[str, str]) -> None:
    assert read_cookies(header) == cookies


def test_a_large_form_a_long_one_and_a_strange_one_are_refused(console: Console) -> None:
    browser = console.as_role(UserRole.VIEWER)
    assert browser.post("/theme", {"theme": "x" * 70_000}).status_code == 413
    many = {f"field{number}": "" for number in range(600)}
    assert browser.post("/theme", many).status_code == 400
    strange = browser.client.post(
        "/theme", content=b"{}", headers={"Origin": "http://127.0.0.1:8081", "Content-Type": "a/b"}
    )
    assert strange.status_code == 415


@pytest.fixture(scope="module")
def trying(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Console]:
    """A console with pages that misbehave."""

    def failing(error: Exception) -> Endpoint:
        def fail(_visit: Visit) -> Response:
            raise error

        return fail

    def say(visit: Visit) -> Response:
        words = visit.query.get("q") or str(visit.problems)
        return visit.render("shell/problem.html", words=words, title="x", status_code=1)

    def take(visit: Visit) -> Response:
        return Response(str(visit.upload("sent")))

    hidden = "s3" + "cret"
    start, see = "/a/{account}", Permission.SEE
    pages: tuple[Declared, ...] = (
        Page(f"{start}/broken", "t-broken", failing(KeyError(hidden)), permission=see),
        Page(f"{start}/away", "t-away", failing(StoreUnavailable("gone")), permission=see),
        Page(f"{start}/say", "t-say", say, permission=see),
        Action(f"{start}/wrong", "t-wrong", failing(InvalidInput("less")), say, permission=see),
        Action(f"{start}/late", "t-late", failing(Conflict("too late")), permission=see),
        Action(f"{start}/file", "t-file", take, permission=see, takes_files=True),
    )
    home = Home(tmp_path_factory.mktemp("trying") / "home").migrated()
    with home.session() as session:
        yield Console(session, declared=(*DECLARED, *pages))


def test_a_defect_is_a_page_with_a_number_and_nothing_else(
    trying: Console, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.ERROR):
        answer = trying.as_role(UserRole.VIEWER).get(f"/a/{trying.account_id}/broken")
    assert answer.status_code == 500
    assert answer.headers["x-request-id"] in answer.text
    assert "s3cret" not in answer.text
    assert "s3cret" not in caplog.text
    assert "KeyError" in caplog.text
    assert trying.as_role(UserRole.VIEWER).get(f"/a/{trying.account_id}/away").status_code == 503


def test_what_a_use_case_refuses_is_said_in_the_form_again(trying: Console) -> None:
    browser = trying.as_role(UserRole.VIEWER)
    wrong = browser.post(f"/a/{trying.account_id}/wrong")
    assert wrong.status_code == 422
    assert "{&#39;&#39;: &#39;Less.&#39;}" in wrong.text
    late = browser.post(f"/a/{trying.account_id}/late")
    assert late.status_code == 409
    assert "Too late." in late.text


def test_a_file_arrives_as_it_was_sent(trying: Console) -> None:
    content = b"a,b\r\n\x00\xff1,2\n"
    answer = trying.as_role(UserRole.VIEWER).post(
        f"/a/{trying.account_id}/file", files={"sent": ("cards.csv", content)}
    )
    assert answer.text == f"Upload(name='cards.csv', content={content!r})"


@pytest.mark.parametrize(
    "text", ["<script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "{{ 7*7 }}", "';--"]
)
def test_what_comes_in_goes_out_as_text(trying: Console, text: str) -> None:
    browser = trying.as_role(UserRole.VIEWER, name=text)
    shown = browser.client.get(f"/a/{trying.account_id}/say", params={"q": text}).text
    for unsafe in ("<script>alert", "<img", ">49<"):
        assert unsafe not in shown
    searched = trying.as_role(UserRole.OPERATOR).client.get("/accounts", params={"q": text}).text
    assert "<script>alert" not in searched
    assert "<img src=x" not in searched


def test_a_log_line_names_the_route_and_nothing_personal(
    console: Console, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO, logger="gatehouse.console.request"):
        console.as_role(UserRole.VIEWER).get("/accounts?q=ada@shop.example")
        console.stranger().get("/link/a-secret-token")
    lines = [vars(record) for record in caplog.records if record.name.endswith("request")]
    assert [line["route"] for line in lines] == ["/accounts", "/link/{token}"]
    assert lines[0]["userId"].startswith("usr_")
    assert "ada@shop" not in str(lines)
    assert "a-secret-token" not in str(lines)


def test_a_theme_is_remembered_and_only_a_known_one(console: Console) -> None:
    browser = console.as_role(UserRole.VIEWER)
    assert '<html lang="en" data-theme="system" data-density="compact">' in browser.get("/me").text
    assert browser.post("/theme", {"theme": "dark", "next": "/me"}).headers["location"] == "/me"
    assert 'data-theme="dark"' in browser.get("/me").text
    assert browser.post("/theme", {"theme": "neon"}).status_code == 422
    assert browser.post("/theme", {"density": "comfortable"}).status_code == 303
    assert 'data-theme="dark" data-density="comfortable"' in browser.get("/me").text
    assert browser.post("/theme", {"density": "loose"}).status_code == 422


def test_a_part_of_a_page_leads_a_stranger_to_sign_in_as_a_whole(console: Console) -> None:
    answer = console.stranger().get("/accounts", fragment=True)
    assert answer.status_code == 401
    assert answer.headers["hx-redirect"] == "/sign-in"


def test_production_has_an_address_with_https(console: Console) -> None:
    settings = Settings(environment="production")
    with pytest.raises(SettingsError, match="GATEHOUSE_CONSOLE_URL"):
        make_desk(console.session, settings)
    secure = dataclasses.replace(settings, console_url="https://console.example")
    assert make_desk(console.session, secure).cookies.session_name == "__Host-gatehouse"


@pytest.mark.parametrize(
    "notice",
    [
        b'{"key":"people.sessions_ended","values":{}}',
        b'{"key":"people.sessions_ended","values":{"count":"<script>"}}',
        b'{"key":"nothing.at_all","values":{}}',
        b'{"key":"profile.saved","values":{},"kind":"\\" onload=alert(1)"}',
        b"not even JSON",
    ],
)
def test_a_notice_that_somebody_made_up_breaks_no_page(console: Console, notice: bytes) -> None:
    browser = console.as_role(UserRole.VIEWER)
    browser.client.cookies.set("gatehouse-notice", notice.hex())
    answer = browser.get("/accounts")
    assert answer.status_code == 200
    assert 'role="status"' not in answer.text

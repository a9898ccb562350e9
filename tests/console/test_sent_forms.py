"""What is sent with a form: it is read when it is known who sends it, and within limits."""

import asyncio
from collections.abc import Callable, Iterator
from typing import Final

import httpx
import pytest

from gatehouse.access.roles import UserRole
from gatehouse.admin.people.use_cases import users
from gatehouse.admin.sign_in.use_cases.sessions import SignedIn
from gatehouse.console.forms.parts import MOST_PARTS, BadParts, read_parts
from gatehouse.console.pages import FORM_BYTES, Action
from gatehouse.console.refusals import PageRefused
from gatehouse.console.routes import DECLARED
from gatehouse.core.limits.turns import Turns
from tests.admin.people.signing_in import HERE, PASSWORD
from tests.console.harness import ORIGIN, Browser, Console

BOUNDARY: Final = "----a-boundary-as-browsers-make"
KIND: Final = f"multipart/form-data; boundary={BOUNDARY}"
FORM: Final = "application/x-www-form-urlencoded"


def _part(name: str, content: str, more: str = "") -> str:
    head = f'Content-Disposition: form-data; name="{name}"{more}'
    return f"--{BOUNDARY}\r\n{head}\r\n\r\n{content}\r\n"


def _whole(*parts: str) -> bytes:
    return ("".join(parts) + f"--{BOUNDARY}--\r\n").encode()


class _Sent:
    """A body that notes whether anybody read it."""

    def __init__(self, content: bytes, when_read: Callable[[], object] = lambda: None) -> None:
        self._content = content
        self._when_read = when_read
        self.was_read = False

    def __iter__(self) -> Iterator[bytes]:
        self.was_read = True
        self._when_read()
        yield self._content


def _send(browser: Browser, path: str, sent: _Sent, kind: str = FORM) -> httpx.Response:
    headers = {"Origin": ORIGIN, "Content-Type": kind}
    return browser.client.post(path, content=sent, headers=headers)


def _import(account_id: str) -> str:
    return f"/a/{account_id}/lists/blocked/import"


def test_nothing_of_a_strangers_form_is_read_where_strangers_have_no_business(
    console: Console,
) -> None:
    invented = console.stranger()
    invented.client.cookies.set(console.desk.cookies.session_name, "an-invented-token")
    for browser in (console.stranger(), invented):
        for each in DECLARED:
            if isinstance(each, Action) and not each.public:
                sent = _Sent(b"a=b")
                answer = _send(browser, each.path.replace("{account}", console.account_id), sent)
                assert answer.headers["location"].startswith("/sign-in"), each.path
                assert not sent.was_read, each.path


@pytest.mark.parametrize(
    ("role", "other", "status"),
    [(UserRole.VIEWER, False, 403), (UserRole.ADMINISTRATOR, True, 404)],
)
def test_nor_is_a_form_that_its_sender_may_not_send(
    console: Console, role: UserRole, other: bool, status: int
) -> None:
    path = _import(console.other_id if other else console.account_id)
    sent = _Sent(_whole(_part("file", "a", '; filename="a.csv"')))
    assert _send(console.as_role(role), path, sent, KIND).status_code == status
    assert not sent.was_read


def test_strangers_send_small_forms_without_files(console: Console) -> None:
    stranger = console.stranger()
    file = _Sent(_whole(_part("login", "ada")))
    assert _send(stranger, "/sign-in", file, KIND).status_code == 415
    large = _Sent(b"login=" + b"a" * FORM_BYTES)
    assert _send(stranger, "/sign-in", large).status_code == 413


def test_a_right_that_ends_while_a_form_is_sent_does_not_count(console: Console) -> None:
    login = "slow@shop.example"
    invited = users.invite(console.session, console.account_id, login, UserRole.ADMINISTRATOR)
    assert invited.link is not None
    done = console.sign_in.by_link(invited.link.token, HERE, PASSWORD)
    assert isinstance(done, SignedIn)
    browser = console.with_token(done.token)
    assert browser.visitor is not None
    form = f"csrf={browser.visitor.csrf_token}&name=late&kind=text".encode()

    def demote() -> None:
        users.set_role(console.session, console.account_id, done.user_id, UserRole.VIEWER)

    path = f"/a/{console.account_id}/lists/new"
    assert _send(browser, path, _Sent(form, demote)).status_code == 403


class TestParts:
    def test_fields_and_files_are_told_apart_and_named_as_the_browser_names_them(self) -> None:
        body = _whole(
            _part("reason", "Grüße\r\n--not a boundary"),
            _part("file", "a,b\r\n", '; filename="K\u00e4rtchen \\"x\\".csv"'),
            _part("empty", "", '; filename=""'),
        )
        reason, file, empty = read_parts(KIND, body)
        assert (reason.name, reason.file_name) == ("reason", None)
        assert reason.content.decode() == "Grüße\r\n--not a boundary"
        assert (file.name, file.file_name) == ("file", 'K\u00e4rtchen "x".csv')
        assert file.content == b"a,b\r\n"
        assert (empty.file_name, bytes(empty.content)) == ("", b"")

    @pytest.mark.parametrize(
        ("kind", "body"),
        [
            ("multipart/form-data", _whole(_part("a", "b"))),
            ("multipart/form-data; boundary=x", b"--x--"),
            (f"multipart/form-data; boundary={'x' * 300}", b"--x--"),
            (KIND, b""),
            (KIND, b"not such a form"),
            (KIND, _part("a", "never ended").encode()),
            (KIND, _whole(*[_part("a", "b")] * (MOST_PARTS + 1))),
            (KIND, _whole(_part("a" * 2000, "b"))),
            (KIND, _whole(_part("a", "b", "\r\nX: y" * 5))),
        ],
    )
    def test_what_is_none_or_beyond_its_limits_is_refused(self, kind: str, body: bytes) -> None:
        with pytest.raises(BadParts):
            read_parts(kind, body)


def test_no_asker_takes_all_turns_and_nobody_waits_for_ever() -> None:
    async def run() -> list[str]:
        turns = Turns(3, 2, 0.05, lambda: PageRefused(503, "problems.busy"))
        noted: list[str] = []
        release = asyncio.Event()

        async def ask(asker: str) -> None:
            try:
                async with turns.take(asker):
                    noted.append(asker)
                    await release.wait()
            except PageRefused as refused:
                noted.append(f"{asker} {refused.status}")
                release.set()

        await asyncio.gather(*map(ask, ("greedy", "greedy", "greedy", "modest")))
        async with turns.take("greedy"):
            noted.append("again")
        few = Turns(3, 2, 0.05, lambda: PageRefused(503, "problems.busy"), most_present=0)
        with pytest.raises(PageRefused):
            await few.take("greedy").__aenter__()
        return noted

    assert asyncio.run(run()) == ["greedy", "greedy", "modest", "greedy 503", "again"]

"""gatehouse users: from the first operator to a person who is gone."""

import contextlib
import socketserver
import threading
from collections.abc import Iterator

import pytest

from gatehouse.access.actors import Actor
from gatehouse.admin.audit.use_cases import lines
from gatehouse.admin.sign_in.use_cases.sessions import SignedIn
from tests.admin.people.signing_in import HERE, PASSWORD, Entrance
from tests.harness import Home

ADA = "ada@shop.example"


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Home:
    return Home(tmp_path_factory.mktemp("users")).migrated()


def test_a_person_is_invited_changed_and_deleted(home: Home) -> None:
    account = home.account()
    made = home.ok("users", "invite", ADA, "--operator", "--name", "Ada", "--json").json
    assert (made["status"], made["isOperator"], made["sent"]) == ("invited", True, False)
    base, _, token = made["link"].rpartition("/link/")
    assert base == "http://127.0.0.1:8081"
    with home.session() as session:
        assert isinstance(Entrance(session).sign_in.by_link(token, HERE, PASSWORD), SignedIn)
    [session_shown] = home.ok("users", "sessions", ADA, "--json").json
    assert (session_shown["address"], session_shown["method"]) == (HERE.address, "invitation")
    assert home.ok("users", "end-sessions", ADA, "--json").json == {"ended": 1}

    bob = home.ok("users", "invite", "bob@shop.example", "--role", "analyst", "--account", account)
    assert "/link/" in bob.out
    listed = home.ok("users", "list", "--account", account, "--json").json
    assert [each["login"] for each in listed] == ["bob@shop.example"]
    assert (
        "manager@"
        in home.ok("users", "role", "bob@shop.example", "manager", "--account", account).out
    )
    home.ok("users", "role", "bob@shop.example", "none", "--account", account)
    assert home.ok("users", "role", ADA, "none", "--json").json["isOperator"] is False
    home.ok("users", "role", ADA, "operator")
    home.ok("users", "disable", ADA)
    assert home.ok("users", "show", ADA, "--json").json["status"] == "disabled"
    home.ok("users", "enable", ADA)
    assert home.ok("users", "reset", ADA, "--lost-device", "--json").json["link"]
    home.ok("users", "delete", ADA, "--yes")
    assert home.ok("users", "repair", "--yes", "--json").json == {"kept": 1, "removed": 0}
    with home.session() as session:
        actors = {
            line.actor for line in lines(session, None, 50) if line.action.startswith("user.")
        }
    assert f"user:{ADA}" in actors
    assert str(Actor.operator("x"))[:4] in {actor[:4] for actor in actors}


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["invite", "eve@shop.example"], 2, "--role ROLE in one account, --billing, or"),
        (["invite", "no address", "--operator"], 4, "no e-mail address"),
        (["show", "nobody@shop.example"], 3, "no person"),
        (["role", "eve@shop.example", "boss"], 2, "there is no role boss"),
        (["invite", "eve@shop.example", "--role", "operator"], 4, "in all accounts"),
    ],
)
def test_what_cannot_be_done_is_said(home: Home, words: list[str], code: int, said: str) -> None:
    home.account()
    account = ["--account", home.account()] if "--role" in words else []
    done = home.run("users", *words, *account)
    assert done.code == code
    assert said in done.err


class _MailServer(socketserver.StreamRequestHandler):
    """As much of SMTP as a client on the same machine needs."""

    def handle(self) -> None:
        self.wfile.write(b"220 test\r\n")
        while line := self.rfile.readline():
            word = line[:4].upper()
            if word == b"DATA":
                self.wfile.write(b"354 go on\r\n")
                text = b""
                while (more := self.rfile.readline()) not in (b".\r\n", b""):
                    text += more
                self.server.mails.append(text.decode())  # type: ignore[attr-defined]
            self.wfile.write(b"221 bye\r\n" if word == b"QUIT" else b"250 ok\r\n")


@contextlib.contextmanager
def mail_server() -> Iterator[tuple[str, list[str]]]:
    with socketserver.TCPServer(("127.0.0.1", 0), _MailServer) as server:
        server.mails = mails = []  # type: ignore[attr-defined,var-annotated]
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        yield f"smtp://127.0.0.1:{server.server_address[1]}", mails
        server.shutdown()


def test_a_link_is_sent_where_a_mail_server_is_set(home: Home) -> None:
    with mail_server() as (url, mails):
        said = ["users", "invite", "eve@ops.example", "--operator", "--json"]
        made = home.ok(*said, GATEHOUSE_SMTP_URL=url).json
        assert made["sent"] is True
        [mail] = mails
        assert "To: eve@ops.example" in mail
        assert made["link"] in mail.replace("=\n", "")


def test_a_link_that_could_not_be_sent_is_shown_all_the_same(home: Home) -> None:
    with mail_server() as (url, _):
        pass
    done = home.ok("users", "invite", "ron@ops.example", "--operator", GATEHOUSE_SMTP_URL=url)
    assert "/link/" in done.out
    assert "the mail was not sent: ConnectionRefusedError" in done.err

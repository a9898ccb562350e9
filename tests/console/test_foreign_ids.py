"""Ids of another account under one's own account: they are as good as ids of nothing.

Each id of a path and of a form is exchanged alone, so that everything else about the request fits.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import httpx
import pytest
import sqlalchemy as sa

from gatehouse.access.roles import UserRole
from gatehouse.admin.people.use_cases import users
from gatehouse.admin.sign_in.use_cases.sessions import SignedIn
from gatehouse.console.pages import Action, Declared, Reach
from gatehouse.console.routes import DECLARED
from gatehouse.store.tables import METADATA
from tests.admin.people.signing_in import HERE, PASSWORD
from tests.console.belongings import PIPELINE, PLACES, RULES, Belongings
from tests.console.harness import Browser, Console
from tests.harness import make_account

VERDICT = {"verdict": "approve", "why": "a known customer"}
TURN_BACK = {"to": "1", "base": "1"}
FORMS: dict[str, dict[str, str]] = {
    "decisions-forget": {"search": "{search}"},
    "decision-label": {"label": "FRAUD"},
    "decision-list": {"entry": "user/{token}/{list}"},
    "decision-review": VERDICT,
    "review-resolve": VERDICT,
    "review-correct": VERDICT,
    "review-note": {"note": "look again"},
    "review-assign": {"me": "yes"},
    "entity-list": {"list": "{list}"},
    "person-role": {"role": "viewer"},
    "role-change": {"name": "Other", "version": "1"},
    "rules-rollback": TURN_BACK,
    "rule-switch": {"state": "shadow"},
    "rules-apply": {"set": "{set}", "document": RULES, "note": "the same", "base": "1"},
    "rules-build-add": {
        "document": RULES,
        "base": "1",
        "name": "large",
        "signal0.0": "ip.tor",
        "operator0.0": "yes",
        "outcome": "REVIEW",
    },
    "pipelines-rollback": TURN_BACK,
    "pipelines-check": {"pipeline": "{pipeline}", "document": PIPELINE, "request": "{id}"},
    "pipelines-apply": {
        "pipeline": "{pipeline}",
        "document": PIPELINE,
        "note": "the same",
        "base": "1",
    },
    "ring-block": {"reason": "stolen cards"},
    "alert-block": {"kinds": "address"},
    "list-add": {"values": "u-1"},
    "list-remove": {"value": "u-1"},
    "model-roll-back": {"to": "{model}"},
    "key-rotate": {"overlap": "0"},
    "webhook-change": {"url": "http://127.0.0.1:9/other", "everything": "yes"},
    "webhook-rotate": {"overlap_s": "0"},
    "webhook-replay": {"event": "{event}"},
    "proposal-refuse": {"reason": "the fee was right"},
    "dispute-decide": {"decision": "REPRESENT", "comment": "signed for"},
    "dispute-delivery": {"carrier": "DHL"},
    "dispute-end": {"result": "WON"},
    "payment-settle": {"succeeded": "no"},
}
"""Forms that their actions can use; parts in braces are ids."""
FILES = {
    "list-import": {"file": ("more.csv", b"value,reason,expires\nu-2,,\n", "text/csv")},
    "dispute-attach": {"file": ("more.txt", b"Seen at the door.", "text/plain")},
}
UNREAD = {
    ("decision-list", "id"): "only what is put on the list is looked up",
    ("rules-build-start", "set"): "the draft is in the form",
    ("rules-build-add", "set"): "the draft is in the form",
    ("invoice-credit", "invoice"): "only operators credit, who are asked for that first",
}
"""Ids that lead back to a page and nothing else."""
SAID_ON_THE_PAGE = {
    ("decision-list", "list"): 422,
    ("entity-list", "list"): 422,
    ("pipelines-check", "id"): 200,
}
"""What is missing is said beside the form there; everywhere else there is no such page."""
_PLACE = re.compile(r"(?<!\{)\{([a-z]+)\}(?!\})")
_REQUEST = re.compile(r"req_[0-9a-z]{26}")
_TAG = re.compile(r"<[^>]+>")


class Case(NamedTuple):
    """A page or an action, and the id that is exchanged in it."""

    declared: Declared
    place: str

    def __str__(self) -> str:
        return f"{self.declared.name}-{self.place}"


def _texts(declared: Declared) -> Iterator[str]:
    # Versions of rule sets and pipelines are theirs; those of models have no other name.
    yield declared.path.replace("/models/{version}", "/models/{model}")
    yield from FORMS.get(declared.name, {}).values()


def _places(declared: Declared) -> set[str]:
    """What a request is about, by its names in paths and forms."""
    named = {place for text in _texts(declared) for place in _PLACE.findall(text)}
    return named - {"account", "kind", "version"}


def _cases() -> Iterator[Case]:
    for each in DECLARED:
        if each.reach is Reach.ACCOUNT:
            yield from (Case(each, place) for place in sorted(_places(each)))


CASES = list(_cases())


class Ids:
    """The ids of one request: those of an account, of which one may be exchanged."""

    def __init__(self, own: Belongings, account_id: str, **exchanged: str) -> None:
        self._own = own
        self._fixed = {"account": account_id, "kind": "user", "version": "1", **exchanged}

    def fill(self, text: str) -> str:
        """A text with ids in the place of their names."""
        filled = _PLACE.sub(lambda match: self._fixed.get(match[1]) or self._own[match[1]], text)
        return filled.replace("{{", "{").replace("}}", "}")

    def ask(self, browser: Browser, declared: Declared) -> httpx.Response:
        """Open the page, or send the form."""
        path = self.fill(next(_texts(declared)))
        if not isinstance(declared, Action):
            return browser.get(path)
        form = {name: self.fill(text) for name, text in FORMS.get(declared.name, {}).items()}
        return browser.post(path, form, files=FILES.get(declared.name))


@pytest.fixture(scope="module")
def foreign(console: Console) -> Mapping[str, str]:
    """What the other account has, by its names in paths."""
    has = Belongings(console.session, console.other_id, "foreign")
    return {place: has[place] for place in PLACES}


@pytest.fixture
def account_id(console: Console) -> str:
    return make_account(console.session, micros=10_000_000)


def _rows(console: Console, foreign: Mapping[str, str]) -> dict[str, list[Any]]:
    """Everything that the database knows of the other account and its user."""
    found = {}
    with console.session.reading() as connection:
        for table in METADATA.sorted_tables:
            known = {"account_id": console.other_id, "user_id": foreign["user"]}
            asked = [table.c[name] == value for name, value in known.items() if name in table.c]
            if asked:
                rows = connection.execute(sa.select(table).where(sa.or_(*asked))).all()
                found[table.name] = sorted(map(repr, rows))
    return found


def _said(answer: httpx.Response, exchanged: str) -> tuple[int, str, str]:
    """What can be read in an answer, without the id that was asked for and that of the request."""
    text = _TAG.sub(" ", answer.text.partition("<main")[2])
    asked = re.compile(rf"\b{re.escape(exchanged)}\b")
    led = answer.headers.get("location", "")
    return answer.status_code, asked.sub("…", led), _REQUEST.sub("…", asked.sub("…", text))


def _missing(known: str) -> str:
    """An id of the same form that stands for nothing."""
    return "99" if known.isdigit() else f"{known[:-4]}zzzz"


def _administrator(console: Console, account_id: str) -> Browser:
    """An administrator of the account who really signed in, and so can save searches."""
    login = f"{account_id}@shop.test"
    link = users.invite(console.session, account_id, login, UserRole.ADMINISTRATOR).link
    assert link is not None
    done = console.sign_in.by_link(link.token, HERE, PASSWORD)
    assert isinstance(done, SignedIn)
    return console.with_token(done.token)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_an_id_of_another_account_is_an_id_of_nothing(
    console: Console, foreign: Mapping[str, str], account_id: str, case: Case
) -> None:
    declared, place = case
    browser = _administrator(console, account_id)
    assert browser.visitor is not None
    own = Belongings(console.session, account_id, "own", browser.visitor.user_id)
    for each in _places(declared):
        assert own[each] != foreign[each]
    before = _rows(console, foreign)
    nothing = _missing(foreign[place])
    unknown = Ids(own, account_id, **{place: nothing}).ask(browser, declared)
    answer = Ids(own, account_id, **{place: foreign[place]}).ask(browser, declared)
    assert _said(answer, foreign[place]) == _said(unknown, nothing)
    assert _rows(console, foreign) == before
    if (declared.name, place) not in UNREAD:
        assert answer.status_code == SAID_ON_THE_PAGE.get((declared.name, place), 404)
        used = Ids(own, account_id).ask(browser, declared)
        assert used.status_code not in (404, 422), used.text
        assert _said(used, own[place]) != _said(answer, foreign[place])

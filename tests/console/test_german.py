"""No English sentence of ours is left on a German page: neither in its text nor in its labels.

An account with a past and the installation are walked through by their links, as an operator who
reads German. `code`, `pre` and `textarea` hold names of the contract, and `bdi` what people typed.
"""

import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from html.parser import HTMLParser
from typing import NamedTuple

import msgspec
import pytest

import gatehouse.training.report.phrases  # noqa: F401  # a console has them when it needs them
from gatehouse.access.roles import UserRole
from gatehouse.admin.accounts.use_cases.default_account import DEMO_ACCOUNT
from gatehouse.admin.sandbox.use_cases.fill import fill_demo
from gatehouse.admin.sandbox.use_cases.past import LEAST_DECISIONS
from gatehouse.conditions.signatures import SIGNATURES
from gatehouse.console.pages import Page, Reach
from gatehouse.console.routes import DECLARED
from gatehouse.core.cards.brands import BRAND_NAMES
from gatehouse.core.wording.sentences import PHRASES
from gatehouse.settings.settings import Settings
from tests.console.harness import Browser, Console
from tests.console.trained import full_report, keep_model
from tests.harness import Home
from tests.harness.phrases import sentences, texts

_OF_THE_CONTRACT = ("code", "pre", "textarea", "script", "style")
_SPOKEN = ("aria-label", "aria-description", "title", "placeholder", "alt", "data-message")
_GAP = re.compile(r"\{[a-z_0-9]*(?:[:!][^}]*)?\}")
_FUNCTION_WORDS = frozenset(
    [
        "the",
        "of",
        "and",
        "is",
        "are",
        "with",
        "this",
        "that",
        "from",
        "by",
        "not",
        "which",
        "has",
        "have",
        "it",
        "its",
        "to",
        "for",
        "been",
    ]
)
_RAW = re.compile(
    r'^[\[{]"'  # JSON
    r"|\b\d{4}-\d{2}-\d{2}\b"  # a day that is not written as in German
    r"|^[a-z]+\+[a-z]+$"  # how somebody signed in
    r"|^[a-z]+[A-Z]\w*$"  # the name of a field
    r"|^[A-Z]{4,}$"  # a value of the contract
)
_LEAST_TYPED_WORDS = 4
"""Of a text of ours inside what people typed, who may use two words of it by chance."""
_PAGES_OF_A_KIND = 2
"""Pages of one kind that are looked at: they differ only in what they are about."""
_EXPECTED_PAGES = 50


class Shown(NamedTuple):
    """A text that people read or hear."""

    text: str
    is_typed: bool


class _Read(HTMLParser):
    """The texts and links of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.shown: list[Shown] = []
        self.links: list[str] = []
        self._inside: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self.links += [given["href"]] if tag == "a" and "href" in given else []
        self.shown += [Shown(given[name], False) for name in _SPOKEN if name in given]
        if tag in _OF_THE_CONTRACT or tag == "bdi":
            self._inside.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if self._inside and tag == self._inside[-1]:
            self._inside.pop()

    def handle_data(self, data: str) -> None:
        if data.strip() and not set(self._inside) & set(_OF_THE_CONTRACT):
            self.shown.append(Shown(" ".join(data.split()), "bdi" in self._inside))


@pytest.fixture(scope="module")
def console(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Console]:
    """A console over an account with a past."""
    home = Home(tmp_path_factory.mktemp("german") / "home").migrated()
    with home.session() as session:
        settings = Settings(home=home.path)
        fill_demo(session, settings, LEAST_DECISIONS)
        opened = Console(session, settings)
        try:
            yield opened
        finally:
            opened.desk.close()


@pytest.fixture
def browser(console: Console) -> Browser:
    """The browser of an operator who reads German."""
    return console.as_role(UserRole.OPERATOR, locale="de", time_zone="Europe/Berlin")


class _English:
    """Our English texts, and which of them a text has; most texts are on many pages."""

    def __init__(self) -> None:
        self._parts = _longest_parts()
        self._known: dict[str, list[str]] = {}

    def within(self, text: str, least_words: int) -> list[str]:
        """The keys of our texts with so many words that are part of a text."""
        if text not in self._known:
            self._known[text] = [key for key, part in self._parts.items() if part in text]
        return [key for key in self._known[text] if len(self._parts[key].split()) >= least_words]


def _longest_parts() -> dict[str, str]:
    """For each text, its longest part without a gap, if it has words that no German text has."""
    german = [part for text in texts("de").values() for part in text]
    all_german = "\n".join([*german, *sentences("de").values()])
    ours = {key: part for key, text in texts("en").items() for part in text}
    ours |= {key: phrase.english for key, phrase in PHRASES.items()}
    longest = {
        key: max((part.strip(" .,:;") for part in _GAP.split(text)), key=len)
        for key, text in ours.items()
    }
    return {key: part for key, part in longest.items() if " " in part and part not in all_german}


@cache
def _single_words() -> frozenset[str]:
    """Texts of one word that German has another word for."""
    german = {part for text in texts("de").values() for part in text}
    english = {part for text in texts("en").values() for part in text}
    return frozenset(part for part in english - german if part.isalpha())


_PROGRAMMES = frozenset({"VAMP", "ECM", "HECM", "EFM"})
"""Names of programmes, which are the same in every language."""


def _left_in_english(page: str, english: _English) -> list[str]:
    """The texts of a page that are English and ours, or that only programs would write."""
    found = []
    for text, is_typed in _Read(page).shown:
        if text in BRAND_NAMES or text in _PROGRAMMES:
            continue
        keys = english.within(text, _LEAST_TYPED_WORDS if is_typed else 2)
        words = _FUNCTION_WORDS & set(re.findall(r"[a-z]+", text.lower()))
        parts = set(re.split(r", | · ", text))
        alone = _single_words() & parts if all(map(str.isalpha, parts)) else None
        if keys or (not is_typed and (len(words) > 1 or alone or _RAW.search(text))):
            found.append(f"{text[:200]} {keys}")
    return found


def _is_of(page: Page, path: str) -> bool:
    pattern = re.sub(r"\\\{[a-z_]+\\\}", "[^/]+", re.escape(page.path))
    return re.fullmatch(pattern, path) is not None


def _walked(browser: Browser) -> Iterator[tuple[str, str]]:
    """Pages of every kind that links lead to, with their addresses."""
    pages = [each for each in DECLARED if isinstance(each, Page) and each.reach is not Reach.PUBLIC]
    waiting = [each.path.replace("{account}", DEMO_ACCOUNT) for each in pages]
    waiting = [path for path in waiting if "{" not in path]
    seen: Counter[str] = Counter()
    known = set(waiting)
    while waiting:
        path = waiting.pop(0)
        kind = next((each for each in pages if _is_of(each, path.partition("?")[0])), None)
        if kind is None or seen[kind.name] == _PAGES_OF_A_KIND:
            continue
        seen[kind.name] += 1
        answer = browser.get(path)
        if not answer.headers.get("content-type", "").startswith("text/html"):
            continue
        yield path, answer.text
        links = {link.partition("#")[0] for link in _Read(answer.text).links}
        ours = sorted(link for link in links - known if not link.startswith("/a/acct_0"))
        waiting += ours
        known |= set(ours)


def test_no_english_sentence_is_left_on_a_german_page(browser: Browser) -> None:
    english, looked_at, wrong = _English(), 0, []
    for path, page in _walked(browser):
        looked_at += 1
        wrong += [f"{path}: {each}" for each in _left_in_english(page, english)]
    assert looked_at >= _EXPECTED_PAGES
    assert wrong == [], "\n".join(wrong)


def test_what_the_editor_of_rules_completes_is_explained_in_german(browser: Browser) -> None:
    known = browser.get(f"{_ACCOUNT}/rules/words").json()
    said = [each["about"] for kind in ("signals", "functions", "lists") for each in known[kind]]
    assert len(said) > len(SIGNATURES)
    english = {each.english for each in PHRASES.values()}
    assert [about for about in said if about in english] == []


def test_the_example_of_a_new_rule_set_is_in_german(browser: Browser) -> None:
    page = browser.get(f"{_ACCOUNT}/rules/new").text
    assert "description: Eine ungewöhnlich große Bestellung." in page


def test_an_english_page_would_be_noticed(console: Console) -> None:
    browser = console.as_role(UserRole.OPERATOR, locale="en")
    english = _English()
    for page in ("rules", "reviews", "settings"):
        assert _left_in_english(browser.get(f"/a/{DEMO_ACCOUNT}/{page}").text, english)


_BAD_RULES = """rule_set: starter
description: x
rules:
  - name: one
    condition: order.amunt > 5 AND ip.country = 7
    outcome: DENYY
    colour: red
  - name: one
    condition: ip.country IN LIST('nowhere') AND (order.amount > 5
    outcome: REVIEW
"""
_BAD_PIPELINE = """pipeline: 1
name: ""
stages:
  - stage: Sentri
  - stage: Rules
    rule_set: none-such
    stop_when: sentry.confidence <
"""
_BAD_CONNECTORS = """connectors:
  bank:
    kind: htp
routes:
  precheck:
    - use: [nobody]
"""
_PIPELINE = """pipeline: 900
name: Probe
stages:
  - stage: PreCheck
  - stage: Sentry
  - stage: Gateway
"""
_WRONG_REQUEST = """{
  "pipelineId": 900,
  "preCheckRequest": {
    "cardNumber": "378282246310005", "cardExpiryDate": "2035-12", "cardCvv2Value": "123",
    "cardAddress": {}
  },
  "sentryRequest": {
    "device": {"deviceId": "ä"}, "event": {"timestamp": "soon"}, "customInputs": {"cvv": "1"}
  },
  "gatewayRequest": {
    "threeDSecure": {"version": "1.0.2", "status": "C", "dsTransactionId": "x"}
  }
}"""
_UNREAD_FIELDS = """{
  "pipelineId": 900,
  "colour": 1,
  "preCheckRequest": {
    "cardNumber": "4242424242424242", "cardExpiryDate": "2035-12", "cvv": "123"
  },
  "sentryRequest": {"clientReferenceId": "order-1"},
  "gatewayRequest": {"amount": 5, "currency": "USD"}
}"""
_ACCOUNT = f"/a/{DEMO_ACCOUNT}"
_CHECK = f"{_ACCOUNT}/pipelines/check"


def _tried(request: str) -> dict[str, str]:
    return {"document": _PIPELINE, "mode": "written", "written": request}


@pytest.mark.parametrize(
    ("path", "form", "said"),
    [
        (f"{_ACCOUNT}/rules/preview", {"document": _BAD_RULES}, "muss ACCEPT, REVIEW oder DECLINE"),
        (f"{_ACCOUNT}/pipelines/check", {"document": _BAD_PIPELINE}, "gibt es nicht; meinten Sie"),
        (_CHECK, _tried(_WRONG_REQUEST), "1 bis 128 sichtbare ASCII-Zeichen"),
        (_CHECK, _tried('{"pipelineId": 900,\n oops}'), "kein gültiges JSON: siehe Zeile 2, Byte"),
        (_CHECK, _tried('{"pipelineId": 90'), "kein gültiges JSON: Er endet zu früh"),
        (_CHECK, _tried('{"pipelineId": 901}'), "es gibt: 900"),
        (_CHECK, _tried('{"pipelineId": 900}'), "auch sentryRequest.order.amount kann es sagen"),
        (_CHECK, _tried(_UNREAD_FIELDS), "Ist kein bekanntes Feld; meinten Sie cardCvv2Value?"),
        (f"{_ACCOUNT}/webhooks/new", {"url": "ftp://shop.test", "everything": "1"}, "Ein Webhook"),
        (f"{_ACCOUNT}/lists/blocked-countries/add", {"values": "Mars"}, "zwei Buchstaben"),
        ("/installation/connectors/edit", {"document": _BAD_CONNECTORS}, "keine Art von"),
    ],
)
def test_what_cannot_be_used_is_said_in_german(
    browser: Browser, path: str, form: dict[str, str], said: str
) -> None:
    page = browser.post(path, form).text
    assert said in page
    assert _left_in_english(page, _English()) == []


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("least=9&most=8", "Darf nicht kleiner als der Anfang (from) sein."),
        ("least=1&currency=%E2%82%AC", "Ungültig, erwartet: ein Währungscode wie USD."),
        ("from=2026-11-16&to=2026-11-01", "Muss später als der Anfang (from) sein."),
        ("from=1900-01-01", "Darf nicht vor 1970 liegen."),
    ],
)
def test_filters_that_cannot_be_used_are_explained_in_german(
    browser: Browser, query: str, said: str
) -> None:
    page = browser.get(f"{_ACCOUNT}/decisions?{query}").text
    assert said in page
    assert _left_in_english(page, _English()) == []


def test_warnings_in_the_report_of_a_model_are_in_german(
    console: Console, browser: Browser
) -> None:
    gaps = {"count": 1234, "all": 5678, "known": 9, "legitimates": 10}
    gaps |= {"least": 50, "made_at": 2026, "made_with": 1, "by": 2}
    texts = ("late", "delay", "share", "why", "trial", "method", "doubt", "rate", "usual")
    more = ("currency", "frauds", "until", "day", "number")
    values = gaps | {name: f"«{name}»" for name in (*texts, *more)}
    phrases = [each for key, each in PHRASES.items() if key.startswith("training.")]
    warnings = tuple(phrase(**values) for phrase in phrases)
    report = msgspec.structs.replace(full_report(), warnings=warnings)
    version = keep_model(console.session, DEMO_ACCOUNT, report)
    page = browser.get(f"{_ACCOUNT}/models/{version}").text
    assert page.count('class="notice warn"') == len(warnings)
    assert "Beträge in «currency» sind nicht gezählt" in page
    assert "von allen 5.678" in page
    assert _left_in_english(page, _English()) == []

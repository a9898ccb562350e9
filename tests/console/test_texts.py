"""The texts: every key that is used exists in each language, none is unused, placeholders agree."""

import pickle
import re
from collections.abc import Iterator
from pathlib import Path
from string import Formatter

import pytest

import gatehouse.operations.stages  # noqa: F401  # registers the stages, as every entry point does
from gatehouse.admin.events.use_cases.event_settings import operations
from gatehouse.admin.sign_in.use_cases.links import LinkKind
from gatehouse.conditions.catalogue import SIGNALS
from gatehouse.console.words.translation import (
    LANGUAGES,
    Text,
    placeholders,
    sentences,
    texts,
    translator,
)
from gatehouse.core.events import EventName
from gatehouse.core.stages.registry import REGISTRY
from gatehouse.core.stages.stage import StageSpec
from gatehouse.core.wording.sentences import all_of, any_of
from tests.harness.phrases import all_phrases

SOURCE = Path(__file__).parent.parent.parent / "src"
ROOM = SOURCE / "gatehouse" / "console"
_QUOTED = re.compile(r"""["']([a-z_-]+(?:\.[A-Za-z0-9_-]+)+\.?|[a-z_-]+\.)(?=["'{])""")
_KEYWORD = re.compile(r"[(,]\s*([A-Za-z_]+)=(?!=)")
ENGLISH = texts("en")


def _written() -> set[str]:
    """Everything quoted in templates and code that looks like a key, or like the start of one."""
    subjects = SOURCE / "gatehouse" / "admin"
    files = [*ROOM.rglob("*.py"), *ROOM.rglob("*.html"), *subjects.rglob("*.html")]
    files += [*subjects.glob("*/pages.py"), *subjects.glob("*/pages/**/*.py")]
    return {key for file in files for key in _QUOTED.findall(file.read_text())}


@pytest.mark.parametrize("language", LANGUAGES[1:])
def test_languages_have_the_same_texts_with_the_same_placeholders(language: str) -> None:
    theirs = texts(language)
    assert set(theirs) == set(ENGLISH)
    for key, text in ENGLISH.items():
        assert placeholders(text) == placeholders(theirs[key]), key


def test_every_text_that_is_used_exists() -> None:
    subjects = {key.partition(".")[0] for key in ENGLISH}
    ends = (".html", ".css", ".js", ".svg", ".txt", ".py", ".toml")
    for key in _written():
        if key.partition(".")[0] not in subjects or key.endswith(ends):
            continue
        assert any(each == key or each.startswith(key.rstrip(".") + ".") for each in ENGLISH), key


def test_no_text_is_unused() -> None:
    written = _written()
    starts = tuple(key for key in written if key.endswith("."))
    # Texts that all subjects share may come before the first page that uses them.
    unused = {key for key in ENGLISH if key not in written and not key.startswith(starts)}
    assert {key for key in unused if not key.startswith("common.")} == set()


@pytest.mark.parametrize(
    ("other", "ours"),
    [
        ("Experimentierfeld", "Spielwiese"),
        ("Regelsatz", "Regelwerk"),
        ("Benutzer ", "Nutzer"),
        ("Einmalanmeldung", "Single Sign-on"),
        ("billig", "genehmig"),
        ("Sicherheitscode", "Prüfnummer"),
        ("Vorgang", "Operation"),
        ("Anbindung", "Konnektor"),
        ("Personendaten", "personenbezogene Daten"),
        ("Vormerkung", "Reservierung"),
        ("Einzahlung", "Aufladung"),
        ("Domäne", "Domain"),
        ("rückgängig", "zurückgenommen"),
        ("befördert", "eingesetzt"),
    ],
)
def test_a_thing_has_one_name_in_german(other: str, ours: str) -> None:
    german = [translated for text in texts("de").values() for translated in _forms(text)]
    said = [f"{text} " for text in (*german, *sentences("de").values())]
    assert [text for text in said if other in text] == []
    assert [text for text in said if ours in text] != []


def _forms(text: Text) -> list[str]:
    return [text] if isinstance(text, str) else list(text.values())


def test_a_text_is_filled_as_its_language_writes_numbers() -> None:
    assert translator("de").text("home.more", count=1234).startswith("Nur die ersten 1.234 ")
    assert translator("fr").text("common.save") == "Save"


@pytest.mark.parametrize("language", LANGUAGES[1:])
def test_everything_that_other_rooms_say_can_be_said_in_each_language(language: str) -> None:
    theirs, ours = sentences(language), all_phrases()
    assert set(theirs) == set(ours)
    for key, phrase in ours.items():
        named = {name for _, name, _, _ in Formatter().parse(phrase.english) if name}
        assert placeholders(theirs[key]) == named, key


def test_a_sentence_of_another_room_is_said_with_all_that_is_in_it() -> None:
    phrases = all_phrases()
    had = phrases["explained.had.been"](
        signal="velocity.card.orders_1h",
        value=phrases["explained.number.at_most"](number=1.5),
        was=2.25,
    )
    stages = any_of(["Sentry", "Gateway"])
    unless = phrases["explained.unless"](conditions=all_of([had, had]), stages=stages)
    whole = phrases["explained.would_be"](
        decision=phrases["explained.outcome.ACCEPT"](), conditions=unless
    )
    assert " if velocity.card.orders_1h had been at most 1.5 (it was 2.25) and " in whole
    said = translator("de").said(whole)
    assert said.startswith("Die Entscheidung wäre „Annehmen“ gewesen, wenn velocity.card.orders_1h")
    assert " höchstens 1,5 gewesen wäre (statt 2,25) und velocity.card.orders_1h " in said
    assert said.endswith(" und Sentry oder Gateway (nicht gelaufen) nichts dagegen gefunden hätte.")
    assert translator("en").said(whole) == whole
    assert translator("de").said(pickle.loads(pickle.dumps(whole))) == said
    assert translator("de").said("What somebody typed") == "What somebody typed"


def test_everything_with_a_name_of_its_own_is_called_something() -> None:
    code = "".join(file.read_text() for file in (SOURCE / "gatehouse").rglob("*.py"))
    actions = set(re.findall(r"""\.audit\(\s*"([a-z.-]+)\"""", code))
    assert "review.assign" in actions
    functions = [name.lower().replace("_", "") for spec in REGISTRY for name in _names_of(spec)]
    details = {name for call in _calls(code, ".audit(") for name in _KEYWORD.findall(call)}
    assert "proposalId" in details
    two_steps = set(re.findall(r'"(password\+[a-z]+)"', code))
    assert "password+totp" in two_steps
    methods = {"password", "passkey", "oidc", *two_steps, *LinkKind}
    wanted = {
        *(f"names.details.{each}" for each in details),
        *(f"names.methods.{each}" for each in methods),
        *(f"names.fundings.{each}" for each in SIGNALS["card.funding"].values),
        *(f"names.actions.{each}" for each in actions),
        *(f"names.events.{each}" for each in EventName),
        *(f"names.event_families.{each.partition('.')[0]}" for each in EventName),
        *(f"names.functions.{each}" for each in (*functions, *operations())),
    }
    assert wanted - set(ENGLISH) == set()


def _calls(code: str, start: str) -> Iterator[str]:
    """What is between the brackets of each call that begins so."""
    for found in re.finditer(re.escape(start), code):
        end, depth = found.end(), 1
        while depth:
            depth += {"(": 1, ")": -1}.get(code[end], 0)
            end += 1
        yield code[found.end() - 1 : end]


def _names_of(spec: StageSpec) -> tuple[str, ...]:
    return (spec.name, spec.fee_type)

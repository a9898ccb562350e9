"""The texts: every key that is used exists in each language, none is unused, placeholders agree."""

import pickle
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from string import Formatter

import pytest
from babel.messages.plurals import get_plural
from babel.messages.pofile import read_po

import gatehouse.operations.stages  # noqa: F401  # registers the stages, as every entry point does
from gatehouse.admin.events.use_cases.event_settings import operations
from gatehouse.admin.sign_in.use_cases.links import LinkKind
from gatehouse.conditions.catalogue import SIGNALS
from gatehouse.console.words.translation import (
    LANGUAGES,
    placeholders,
    places,
    read_catalogue,
    translator,
)
from gatehouse.core.events import EventName
from gatehouse.core.stages.registry import REGISTRY
from gatehouse.core.stages.stage import StageSpec
from gatehouse.core.wording.sentences import all_of, any_of
from tests.harness.phrases import all_phrases, sentences, texts

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


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_key_is_in_one_catalogue_and_found_there(language: str) -> None:
    found = places(language)
    files = set(found.values())
    assert len(files) > 20
    assert sum(file.read_text().count("\nmsgctxt ") for file in files) == len(found)
    assert [key for key, file in found.items() if key not in read_catalogue(file)] == []
    ours = places("en")
    assert [key for key in ours if found[key].parent != ours[key].parent] == []


@pytest.mark.parametrize("language", LANGUAGES[1:])
def test_a_translation_is_whole_and_of_the_english_of_today(language: str) -> None:
    english = {**ENGLISH, **{key: (each.english,) for key, each in all_phrases().items()}}
    for file in set(places(language).values()):
        with file.open("rb") as opened:
            catalogue = read_po(opened, abort_invalid=True)
        assert (catalogue.locale_identifier, catalogue.obsolete) == (language, {}), file
        assert catalogue.plural_expr == get_plural(language).plural_expr, file
        for each in catalogue:
            if each.context:
                assert _forms(each.id) == english[each.context], each.context
                assert all(_forms(each.string)), each.context
                assert not each.fuzzy, each.context


def _forms(text: object) -> tuple[object, ...]:
    return tuple(text) if isinstance(text, tuple | list) else (text,)


@pytest.mark.parametrize("language", LANGUAGES[1:])
def test_a_subject_has_the_words_of_what_it_says(language: str) -> None:
    begun = re.compile(r'\b(?:Phrase|phrases_of)\(\s*f?"([a-z0-9_.]+)')
    found, admin = places(language), SOURCE / "gatehouse" / "admin"
    starts = {
        f"{start.rstrip('.')}.": file.relative_to(admin).parts[0]
        for file in admin.glob("*/**/*.py")
        for start in begun.findall(file.read_text())
    }
    whose = {
        key: {subject for start, subject in starts.items() if f"{key}.".startswith(start)}
        for key in sentences(language)
    }
    lie = {key: {found[key].parts[-4]} for key in whose}
    assert lie == {key: subjects or {"console"} for key, subjects in whose.items()}


def test_every_text_that_is_used_exists() -> None:
    subjects = {key.partition(".")[0] for key in ENGLISH}
    ends = (".html", ".css", ".js", ".svg", ".txt", ".py")
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
        ("Connector", "Konnektor"),
        ("Personendaten", "personenbezogene Daten"),
        ("Vormerkung", "Reservierung"),
        ("Einzahlung", "Aufladung"),
        ("Domäne", "Domain"),
        ("rückgängig", "zurückgenommen"),
        ("befördert", "eingesetzt"),
    ],
)
def test_a_thing_has_one_name_in_german(other: str, ours: str) -> None:
    german = [form for forms in texts("de").values() for form in forms]
    said = [f"{text} " for text in (*german, *sentences("de").values())]
    assert [text for text in said if other in text] == []
    assert [text for text in said if ours in text] != []


def test_a_text_is_filled_as_its_language_writes_numbers() -> None:
    assert translator("de").text("home.more", count=1234).startswith("Nur die ersten 1.234 ")
    assert translator("fr").text("common.save") == "Save"
    for language, none, one in (("en", "0 notes", "One note"), ("de", "0 Notizen", "Eine Notiz")):
        assert translator(language).text("decision.notes", count=0) == none
        assert translator(language).text("decision.notes", count=1) == one


def test_a_catalogue_is_read_when_a_page_says_something_of_it() -> None:
    read_catalogue.cache_clear()
    assert translator("de").text("keys.title")
    assert read_catalogue.cache_info().currsize == 1
    code = "import sys, gatehouse.cli.app, gatehouse.serving.serve; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)
    assert not {"babel.messages", "jinja2"} & {*loaded.stdout.decode().split()}


@pytest.mark.parametrize("language", LANGUAGES[1:])
def test_everything_that_other_rooms_say_can_be_said_in_each_language(language: str) -> None:
    theirs, ours = sentences(language), all_phrases()
    assert set(theirs) == set(ours)
    for key, phrase in ours.items():
        named = {name for _, name, _, _ in Formatter().parse(phrase.english) if name}
        assert placeholders((theirs[key],)) == named, key


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
    said = re.findall(r"""\.audit\(\s*"([a-z.-]+)"(?: if .* else "([a-z.-]+)")?""", code)
    actions = {each for either in said for each in either if each}
    assert {"review.assign", "model.import", "model.train"} <= actions
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

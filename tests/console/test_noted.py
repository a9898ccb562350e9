"""Sentences that other processes noted are said in German, without reading their English."""

from collections.abc import Callable

import pytest

from gatehouse.console.words.translation import translator
from gatehouse.core.wording.notes import noted, read_note
from gatehouse.core.wording.sentences import Phrase, Sentence
from gatehouse.training.report.phrases import percent_text
from tests.harness.phrases import all_phrases


def _said(key: str, **values: object) -> str:
    return all_phrases()[key](**values)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            lambda: _said("connector.try_later", status=503, said=""),
            "Sie hat 503 geantwortet, also später noch einmal",
        ),
        (
            lambda: _said("connector.our_mistake", status=422, said=" (unknown shop)"),
            "Sie hat 422 geantwortet, also ist unsere Anfrage falsch (unknown shop)",
        ),
        (
            lambda: _said("connector.no_connection", why="Connection refused"),
            "Keine Verbindung: Connection refused",
        ),
        (
            lambda: _said("connector.lost", host="10.0.0.1:99", why=_said("connector.closed")),
            "10.0.0.1:99: der Host hat die Verbindung geschlossen",
        ),
        (
            lambda: _said("training.few_legitimate", count=12_345, legitimates=6),
            "Von den neuesten 12.345 Anfragen sind 6 rechtmäßig",
        ),
        (
            lambda: _said(
                "training.other_rate",
                rate=percent_text(0.005, 1),
                usual=percent_text(0.04, 1),
                count=2000,
                all=8000,
            ),
            "0,5 % der neuesten 2.000 Anfragen sind Betrug, und 4 % von allen 8.000",
        ),
        (lambda: "what somebody typed: it answered", "what somebody typed: it answered"),
        (lambda: "", ""),
    ],
)
def test_what_was_noted_is_said_in_german(text: Callable[[], str], said: str) -> None:
    given = text()
    read = read_note(noted(given))
    assert read == given
    assert translator("de").said(read) == said
    assert translator("en").said(read) == given


def test_a_sentence_keeps_its_numbers_and_the_sentences_within_it() -> None:
    inner = Phrase("test.note_inner", "{count:,} of them")(count=1234)
    outer = Phrase("test.note_outer", "{share}: {inner}")(share=0.5, inner=inner)
    read = read_note(noted(outer))
    assert isinstance(read, Sentence)
    assert (read, read.key, read.values) == (outer, outer.key, outer.values)
    within = read.values["inner"]
    assert isinstance(within, Sentence)
    assert within.values == {"count": 1234}


def test_a_card_number_is_noted_nowhere() -> None:
    said = _said("connector.no_connection", why="to 4242424242424242")
    assert "4242" not in noted(said)
    assert "4242" not in noted("to 4242424242424242")


@pytest.mark.parametrize("stored", ["it answered 503: try later", '{"key":', '{"key":"x"}', "{}"])
def test_what_earlier_versions_or_others_stored_is_shown_as_it_is(stored: str) -> None:
    assert read_note(stored) == stored
    assert not isinstance(read_note(stored), Sentence)


def test_what_others_wrote_is_no_sentence_of_ours() -> None:
    forged = noted(str(noted(_said("connector.closed"))))
    assert not isinstance(read_note(forged), Sentence)


def test_a_sentence_that_lacks_a_value_is_said_in_english() -> None:
    lacking = Sentence("no connection", "connector.no_connection", {})
    assert translator("de").said(lacking) == "No connection"

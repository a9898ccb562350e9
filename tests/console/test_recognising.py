"""Sentences that other processes noted as text are recognised, and said in German."""

import subprocess
import sys

import pytest

from gatehouse.console.recognising import recognised
from gatehouse.console.translation import translator
from gatehouse.core.sentences import Sentence

_LITTLE = (
    "there is too little to learn from: 3 known frauds and 90 legitimate requests, where at least "
    "10 and 100 are needed; look back further, wait less long for labels, or report more of what "
    "became of requests"
)


@pytest.mark.parametrize(
    ("noted", "said"),
    [
        ("it answered 503: try later", "Sie hat 503 geantwortet, also später noch einmal"),
        (
            "it answered 422: our mistake (unknown shop)",
            "Sie hat 422 geantwortet, also ist unsere Anfrage falsch (unknown shop)",
        ),
        (
            "no token: the token service answered 500",
            "Kein Token: der Token-Dienst hat 500 geantwortet",
        ),
        ("no connection: Connection refused", "Keine Verbindung: Connection refused"),
        (
            "10.0.0.1:99: the host closed the connection",
            "10.0.0.1:99: der Host hat die Verbindung geschlossen",
        ),
        (
            "of the newest 12,345 requests 6 are legitimate",
            "Von den neuesten 12.345 Anfragen sind 6 rechtmäßig",
        ),
        (
            "0.5% of the newest 2,000 requests are fraud, and 4.0% of all 8,000",
            "0,5 % der neuesten 2.000 Anfragen sind Betrug, und 4 % von allen 8.000",
        ),
        ("env:BANK_KEY is empty or not set", "env:BANK_KEY ist leer oder nicht gesetzt"),
        ("what somebody typed: it answered", "what somebody typed: it answered"),
        ("", ""),
    ],
)
def test_what_was_noted_is_said_in_german(noted: str, said: str) -> None:
    assert recognised(noted) == noted
    assert translator("de").said(recognised(noted)) == said


def test_a_text_that_others_wrote_is_not_looked_into_without_end() -> None:
    hostile = "it answered 503: " + ": " * 200
    assert recognised(hostile) == hostile
    assert not isinstance(recognised("it could not be started; see the log" + " " * 1000), Sentence)


def test_a_sentence_inside_another_is_recognised_too() -> None:
    whole = (
        "the model was not measured: a trial model could not learn from the 1,500 requests that "
        f"came 30 days or more before the newest 20% ({_LITTLE}); look back further, "
        "wait less long for labels, or measure on fewer"
    )
    said = translator("de").said(recognised(whole))
    assert "aus den 1.500 Anfragen, die 30 Tage oder länger vor den neuesten 20 % kamen" in said
    assert "3 bekannte Betrugsfälle" in said


def test_a_console_that_has_just_started_knows_what_servers_and_trainings_note() -> None:
    # The tests have loaded every module; a console has not.
    program = (
        "import sys, gatehouse.console.server\n"
        "from gatehouse.console.recognising import recognised\n"
        "print(*(recognised(each).key for each in sys.argv[1:]))"
    )
    noted = {
        "it answered 503: try later": "connector.try_later",
        "the host closed the connection": "connector.closed",
        "it could not be started; see the log": "connector.not_started",
        "no answer within 15 s": "connector.webhook_late",
        "it took longer than four hours": "refused.job_long",
        "records that cannot be read were left out: 7": "training.unreadable",
        _LITTLE: "refused.training_little",
    }
    command = [sys.executable, "-c", program, *noted]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    assert done.stdout.split() == list(noted.values()), done.stderr


def test_a_number_that_was_noted_is_a_number_again() -> None:
    found = recognised("records that cannot be read were left out: 12,345")
    assert isinstance(found, Sentence)
    assert found.values == {"count": 12_345}

"""Whatever a connector raises, nothing that it was told reaches a log or an answer."""

import gc
import io
import json
import logging
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import httpx
import pytest

from gatehouse.core.wording.log_lines import JsonLines
from tests.harness import AMELIA, BODY, PURCHASE, Home
from tests.harness.service import call_service

CODE = "739"
CARDS = ("4242424242424242", "4111111111111111", "5555555555554444", "4012888888881881")
Body = dict[str, Any]


def _paid(card: str) -> Body:
    return BODY | {"cardNumber": card, "cardCvv2Value": CODE}


PLACES: dict[str, tuple[str, Callable[[str], Body]]] = {
    "GATEHOUSE_ISSUER": ("precheck", _paid),
    "GATEHOUSE_IDENTITIES": ("idverify", lambda card: AMELIA | {"cardNumber": card}),
    "GATEHOUSE_GATEWAY": ("pipeline", lambda card: PURCHASE | {"preCheckRequest": _paid(card)}),
}


@pytest.mark.parametrize("setting", PLACES)
def test_what_a_connector_raises_is_told_by_its_class_alone(
    sqlite_home: Home, setting: str
) -> None:
    operation, body_for = PLACES[setting]
    sqlite_home.settings = {setting: "tests.resilience.careless:party"}
    written = io.StringIO()
    handler = logging.StreamHandler(written)
    handler.setFormatter(JsonLines())
    answers: list[str] = []

    async def scenario(client: httpx.AsyncClient) -> None:
        for card in CARDS:
            answer = await client.post(f"/api/v1/{operation}", json=body_for(card))
            assert answer.status_code == 500
            answers.append(answer.text)
        gc.collect()  # A task whose failure was not asked for is reported when it is freed.

    logging.getLogger().addHandler(handler)
    try:
        call_service(sqlite_home, sqlite_home.key(sqlite_home.account("10")), scenario)
    finally:
        logging.getLogger().removeHandler(handler)
    log = written.getvalue()
    assert log.count('"message":"a defect"') == len(CARDS)
    assert "in a stage" in log
    assert "ValueError in a task of its own" in log
    for text in (log, *answers):
        assert f" {CODE} " not in text
        assert not any(card in text for card in CARDS)
        assert "Whitfield" not in text


def test_a_factory_that_fails_is_told_by_its_class_and_line(sqlite_home: Home) -> None:
    done = sqlite_home.run("doctor", GATEHOUSE_ISSUER="tests.resilience.careless:broken")
    assert "ValueError in careless.py, line" in done.out + done.err
    assert "password" not in done.out + done.err


_OUTSIDE_OF_REQUESTS = """
import threading, warnings
from gatehouse.core.wording.log_lines import configure_logging

configure_logging("info")
told = " ".join(["4242424242424242", "739"])

def fail():
    raise ValueError(told)

class Careless:
    def __del__(self):
        raise ValueError(told)

thread = threading.Thread(target=fail)
thread.start()
thread.join()
Careless()
warnings.warn(told.split()[0])
"""


def test_failures_of_threads_and_clean_ups_are_told_by_their_class_alone() -> None:
    run = [sys.executable, "-c", _OUTSIDE_OF_REQUESTS]
    done = subprocess.run(run, capture_output=True, text=True, check=True)
    thread, clean_up, warning = map(json.loads, done.stderr.splitlines())
    assert "ValueError in a thread of its own" in thread["trace"]
    assert "ValueError in a clean-up" in clean_up["trace"]
    assert "[card]" in warning["message"]
    # The milliseconds of a line may be any three digits.
    told = [{**line, "at": ""} for line in (thread, clean_up, warning)]
    assert "739" not in str(told)
    assert CARDS[0] not in done.stderr

"""After the warm-up no request has to wait for something to be loaded."""

import subprocess
import sys

import pytest

# In processes of their own: here everything has long been loaded.
IDENTITY = """
from gatehouse.idverify.source import Holders
from gatehouse.idverify.verdict import judge
from tests.idverify.asking import ANN, BEN, ask, name
def use():
    for phone in ("+14155550199", "020 7946 0958", "+49 30 901820", "(415) 555-0132"):
        for email in ("ann.a@example.com", "ann@bücher.example", "nobody"):
            ids = {"TAX": "987-65-4328", "NATIONALIDENTITY": "1"}
            request = ask(email=email, phone=phone, name=name("Annie", "Arcger"), ids=ids)
            judge(request, Holders((ANN, BEN)))
"""
VISIT = """
import asyncio
import json
from gatehouse.core.stages.case import Case, ValuesByType
from gatehouse.intel.feeds.feeds import Feeds
from gatehouse.sentry.entities import EntityHasher
from gatehouse.sentry.request import SentryRequest
from gatehouse.sentry.memory.local import LocalMemory
from gatehouse.sentry.scorecard import load_scorecard
from gatehouse.sentry.stage import SentryStage
from gatehouse.core.reading.request_reader import RequestReader
from tests.harness import VISIT
stage = SentryStage(Feeds(table(), None, lambda: 0), LocalMemory(1000), load_scorecard(),
                    EntityHasher(b"k" * 32), time_limit_ms=1000)
read = RequestReader(SentryRequest).read
agents = (VISIT["device"]["userAgent"], "curl/8.5.0", "Googlebot/2.1", "", "x" * 500)
people = ("amelia.whitfield", "a@mailinator.com", "xk7q2z9v1")
def use():
    for agent in agents:
        for person in people:
            device = VISIT["device"] | {"userAgent": agent, "ipAddress": "81.2.69.142"}
            body = VISIT | {"device": device, "account": {"userId": 1, "username": person}}
            request = read(json.dumps(body).encode())
            case = Case("r", "a", 1_794_700_000_000, ValuesByType.of(request))
            asyncio.run(stage.run(case))
"""
SCRIPT = """
import sys
from gatehouse.operations import warmup
table = warmup.begin()
{part}
warmup.settle()
warmup.warm()
before = set(sys.modules)
use()
print(*sorted(set(sys.modules) - before))
"""


@pytest.mark.parametrize("part", [IDENTITY, VISIT], ids=["idverify", "sentry"])
def test_a_request_loads_nothing_more(part: str) -> None:
    script = SCRIPT.format(part=part)
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=300
    )
    assert done.stdout.split() == []


MEMBERS = """
from enum import Enum, StrEnum
from gatehouse.core.stages.outcomes import Outcome
from gatehouse.operations import warmup
warmup.settle()
class Odd(Enum):
    name = 1
    value = 2
assert Outcome.ACCEPT is Outcome("ACCEPT") is Outcome["ACCEPT"], "members are found"
assert [Odd.name.value, Odd.value.value, Odd.name.name] == [1, 2, "name"], "also by such names"
assert not hasattr(Outcome, "NONE")
"""


def test_members_of_enums_are_found_as_before_once_all_is_built() -> None:
    subprocess.run([sys.executable, "-c", MEMBERS], check=True)


COLLECTED = """
import gc
from gatehouse.operations import warmup
warmup.settle()
looked_at = []
def note(phase, about):
    if phase == "start" and about["generation"] < 2:
        young = range(about["generation"] + 1)
        looked_at.append(sum(len(gc.get_objects(generation=each)) for each in young))
gc.callbacks.append(note)
kept = [[] for _ in range(600_000)]
warmup.remembered()
print(len(looked_at) > 0, max(looked_at) <= 50_000, len(gc.get_objects()) < 1_000)
"""


def test_the_collector_never_stops_a_request_for_hundreds_of_thousands_of_new_objects() -> None:
    command = [sys.executable, "-c", COLLECTED]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    assert done.stdout.split() == ["True", "True", "True"]


NAMES = """
from gatehouse.idverify.names.eastern import _given_readings
from gatehouse.idverify.names.scripts import SCRIPTS
from gatehouse.idverify.names.sounds import comparer_for
from gatehouse.operations import warmup
warmup.warm()
before = comparer_for.cache_info().misses, _given_readings.cache_info().misses
list(map(comparer_for, SCRIPTS))
_given_readings()
print(before == (comparer_for.cache_info().misses, _given_readings.cache_info().misses))
"""


def test_names_of_every_script_find_their_tables_loaded() -> None:
    done = subprocess.run([sys.executable, "-c", NAMES], capture_output=True, text=True, check=True)
    assert done.stdout == "True\n"

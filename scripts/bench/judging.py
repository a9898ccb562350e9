"""How long a rule set takes to judge one live request, and to be made ready."""

import random
import statistics
import time
from typing import Final, NamedTuple

from gatehouse.rules.authoring import read_rule_set
from gatehouse.rules.decide import CompiledRuleSet
from gatehouse.rules.lists import AccountLists
from scripts.bench.backtesting import request_signals
from scripts.bench.purchases import rule_set

BARS_US: Final = {50: 25.0, 500: 200.0}
"""By number of rules, how many microseconds judging a request may take."""
_REQUESTS: Final = 2000


class Judged(NamedTuple):
    """What was measured."""

    rules: int
    judge_us: float
    compile_ms: float


def measure(rules: int) -> Judged:
    """Judge requests that all differ, several times over; the median round counts."""
    read = read_rule_set(rule_set(rules).encode())
    started = time.perf_counter()
    compiled = CompiledRuleSet(read, 1)
    compile_ms = (time.perf_counter() - started) * 1000
    chance, lists = random.Random(7), AccountLists({})
    requests = [request_signals(chance) for _ in range(_REQUESTS)]
    rounds = []
    for _ in range(7):
        started = time.perf_counter()
        for signals in requests:
            compiled.judge(signals, lists, 1_794_000_000_000)
        rounds.append((time.perf_counter() - started) / len(requests) * 1_000_000)
    return Judged(rules, statistics.median(rounds), compile_ms)

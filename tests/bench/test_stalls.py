"""What is said of the times in which the event loop of a server was held."""

import pytest
from scripts.bench.client import Load
from scripts.bench.stalls import report

_LOAD = Load(seconds=10, requests=1000, latencies_s=[0.1] * 950 + [0.3] * 50)


def test_a_stall_is_divided_into_what_it_was_spent_on() -> None:
    told = {
        # When, in all, computed, by all threads, collecting garbage, waiting for a processor.
        "stalls": [[5.0, 9.0, 9.0, 9.0, 0.0, 0.0], [20.0, 0.1, 0.04, 0.06, 0.01, 0.03]],
        "collections": [[5.0, 2, 3.0], [20.0, 0, 0.01]],
        "seen": [["loop: api/app.py:__call__", 7]],
        "kept": [["array", 37_482]],
    }
    lines = list(report(_LOAD, told, since=10.0))
    assert lines[0] == "100 requests/s, p50 100 ms, p99 300 ms: 3.00 times"
    assert "1 stalls in 10 s, 0.1 s in all" in lines[1]
    text = "\n".join(" ".join(line.split()) for line in lines)
    for said in (
        "by the clock 100.0, 100.0, 100.0 ms",
        "without waiting for a processor 70.0, 70.0, 70.0 ms",
        "1 collections of generation 0 10.0, 10.0, 10.0 ms",
        "computed by the loop's thread 30.0%",
        "collecting garbage 10.0%",
        "no processor was free 30.0%",
        "another thread ran, or a call blocked 30.0%",
        "other threads computed 20.0% of that time",
        "7 loop: api/app.py:__call__",
        "37,482 array",
    ):
        assert said in text
    assert "generation 2" not in text


@pytest.mark.parametrize("stalls", [[], [[5.0, 9.0, 9.0, 9.0, 0.0, 0.0]]])
def test_a_loop_that_was_never_held_has_no_stalls(stalls: list[list[float]]) -> None:
    told = {"stalls": stalls, "collections": [], "seen": [], "kept": []}
    assert list(report(_LOAD, told, since=10.0))[1:] == ["no stalls"]

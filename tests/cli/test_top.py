"""gatehouse top: what running servers did between two looks at their metrics."""

from bisect import bisect_left

import httpx
from hypothesis import given
from hypothesis import strategies as st

from gatehouse.admin.installation.types import Labels, Look, figures_between, quantile_ms
from gatehouse.api.metrics.families import SECONDS
from gatehouse.cli.app import app
from tests.harness import Home, Server, sandbox_key
from tests.harness.invoking import as_data, finished

_PRECHECK = (("route", "/api/v1/precheck"), ("status", "200"))
_FAILED = (("route", "/api/v1/precheck"), ("status", "500"))


def look(at_s: float, address: str = "a", **samples: float) -> Look:
    named: dict[tuple[str, Labels], float] = {
        (f"gatehouse_{name}", ()): value for name, value in samples.items()
    }
    return Look(address, at_s, named)


def counted(at_s: float, answered: float, failed: float = 0.0, *labels: tuple[str, str]) -> Look:
    name = "gatehouse_requests_total"
    counts = {(name, (*_PRECHECK, *labels)): answered, (name, (*_FAILED, *labels)): failed}
    return Look("a", at_s, counts)


def test_rates_are_what_was_counted_between_two_looks() -> None:
    [precheck] = figures_between([counted(0, 100, 5)], [counted(10, 140, 15)]).routes
    assert (precheck.name, precheck.per_second) == ("/api/v1/precheck", 5.0)
    assert (precheck.failed_per_second, precheck.refused_per_second) == (1.0, 0.0)


def test_the_past_of_a_server_is_not_what_happened_just_now() -> None:
    down = Look("a", 0, {}, "no answer: ConnectionRefusedError")
    assert figures_between([down], [counted(10, 1_000)]).routes == []
    # It was started again meanwhile, and has answered thirty since.
    [precheck] = figures_between([counted(0, 1_000)], [counted(10, 30)]).routes
    assert precheck.per_second == 3.0


def test_servers_and_workers_add_up_and_what_all_of_them_count_does_not() -> None:
    workers = [counted(10, 10, 0, ("worker", number)) for number in ("1", "2")]
    both = Look("b", 10, {**workers[0].samples, **workers[1].samples})
    start = Look("b", 0, dict.fromkeys(both.samples, 0.0))
    figures = figures_between([counted(0, 0), start], [counted(10, 10), both])
    assert figures.routes[0].per_second == 3.0
    assert [each.requests_per_second for each in figures.servers] == [1.0, 2.0]
    before = [look(0), look(0)]
    after = [look(1, reviews_open=7, writer_waiting=2, ready=1), look(1, reviews_open=7,
             writer_waiting=3)]  # fmt: skip
    figures = figures_between(before, after)
    assert (figures.backlog["reviews_open"], figures.backlog["writer_waiting"]) == (7, 5)
    assert [each.state for each in figures.servers] == ["ready", "not ready"]


@given(st.lists(st.floats(0, 500), min_size=1, max_size=200), st.sampled_from([0.5, 0.9, 0.99]))
def test_a_share_stays_within_the_time_that_is_told_for_it(
    times: list[float], share: float
) -> None:
    buckets = {bound: float(sum(each <= bound for each in times)) for bound in SECONDS}
    told = quantile_ms(buckets | {float("inf"): float(len(times))}, share)
    assert told is not None
    # It is exact up to the bucket that it lies in; what took longest of all has no bucket.
    place = min(bisect_left(SECONDS, told / 1000 - 1e-9), len(SECONDS) - 1)
    if told / 1000 < SECONDS[-1]:
        assert buckets[SECONDS[place]] >= share * len(times)
    assert place == 0 or buckets[SECONDS[place - 1]] < share * len(times)


def test_nothing_that_was_measured_has_no_time() -> None:
    assert quantile_ms({}, 0.5) is None
    assert quantile_ms({0.1: 0.0, float("inf"): 0.0}, 0.5) is None


def test_a_running_server_is_watched_without_its_secret(shared: Server) -> None:
    answer = httpx.post(
        f"{shared.base}/api/v1/precheck",
        json={"cardNumber": "4242424242424242", "cardExpiryDate": "2035-12"},
        headers={"X-API-KEY": sandbox_key(shared.home)},
    )
    assert answer.json()["isSuccess"]
    with Home(shared.home.path / "elsewhere").current():
        found = as_data(app, "top", shared.base, "--once", "--every", "0.2")
        assert found["servers"][0]["state"] == "ready"
        assert found["routes"][0]["name"] == "/metrics"
        page = finished(
            app, "top", f"{shared.base}/readyz", "http://127.0.0.1:9", "--once", "--every", "0.2"
        )
        assert "answers no metrics" in page.out
        assert "no answer: ConnectionRefusedError" in page.out
        assert finished(app, "top", "ftp://example.com", "--once").code == 2

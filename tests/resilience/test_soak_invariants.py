"""What a run of load is judged by: each invariant fails where something is wrong."""

import asyncio
from collections.abc import Iterable
from typing import Any

import msgspec
import pytest
from scripts.soak import invariants
from scripts.soak.books import Books
from scripts.soak.faults import Ended
from scripts.soak.invariants import Invariant
from scripts.soak.load import Load, Outcome, Plan, read_answer
from scripts.soak.mixing import Mixer
from scripts.soak.report import percentile

ANSWERED = Outcome("r-1", "acct_1", "precheck", 0.0, 3.0, "key-1", 200, None, "req_1", 10)
BOOKS = Books([("acct_1", "req_1", 10)], [("r-1", "req_1")], 1, 0, 0, 0, [("evt_1", "req_1")], [])


def _broken(found: Iterable[Invariant]) -> list[str]:
    return [each.name for each in found if not each.holds]


def _changed(**fields: Any) -> Books:
    return msgspec.structs.replace(BOOKS, **fields)


def _outcome(**fields: Any) -> Outcome:
    return msgspec.structs.replace(ANSWERED, **fields)


def test_a_run_without_faults_in_it_breaks_nothing() -> None:
    found = [
        *invariants.of_answers([ANSWERED], may_retry=False),
        *invariants.of_money([ANSWERED], BOOKS),
        invariants.of_repeats([ANSWERED], BOOKS),
        *invariants.of_events(BOOKS, {"evt_1"}),
        invariants.of_strangers([("revoked", 401), ("unknown", 503), ("unknown", 0)]),
        invariants.of_recovery([Ended("a server killed", 1.0, 0.0, 4.9)]),
        invariants.of_memory({"server-1": [100, 100, 101, 102, 103]}),
    ]
    assert _broken(found) == []


@pytest.mark.parametrize(
    ("books", "name"),
    [
        (_changed(closes=[]), "each charged answer is in the ledger once, as told"),
        (_changed(closes=BOOKS.closes * 2), "each charged answer is in the ledger once, as told"),
        (
            _changed(closes=[("acct_1", "req_1", 11)]),
            "each charged answer is in the ledger once, as told",
        ),
        (
            _changed(closes=[("acct_2", "req_1", 10)]),
            "each charged answer is in the ledger once, as told",
        ),
        (
            _changed(closes=[*BOOKS.closes, ("acct_1", "req_2", 10)]),
            "nothing else was charged, but for lost answers",
        ),
        (_changed(ledger_problems=["balance"]), "balances equal the sums of the ledger"),
        (_changed(overdue_holds=1), "no authorization is open beyond its expiry"),
        (_changed(unsettled_payments=1), "no payment is left in doubt"),
    ],
)
def test_money_that_is_not_as_told_is_found(books: Books, name: str) -> None:
    assert _broken(invariants.of_money([ANSWERED], books)) == [name]


def test_a_lost_answer_may_have_been_charged_once() -> None:
    lost = _outcome(reference="r-2", key=None, status=0, request_id="", lost=1)
    more = [*BOOKS.closes, ("acct_1", "req_2", 10)]
    its_own = _changed(closes=more, references=[*BOOKS.references, ("r-2", "req_2")])
    another = _changed(closes=more, references=[*BOOKS.references, ("r-3", "req_2")])
    assert _broken(invariants.of_money([ANSWERED, lost], its_own)) == []
    assert _broken(invariants.of_money([ANSWERED, lost], another)) == [
        "nothing else was charged, but for lost answers"
    ]


@pytest.mark.parametrize("key", ["key-1", None])
def test_a_request_that_ran_twice_is_found_with_a_key_or_without(key: str | None) -> None:
    refused_first = _outcome(key=key, failed=["503 overloaded"])
    twice = _changed(references=[*BOOKS.references, ("r-1", "req_2")])
    assert invariants.of_repeats([refused_first], BOOKS).holds
    assert not invariants.of_repeats([refused_first], twice).holds


@pytest.mark.parametrize("status", [200, 402, 422, 500])
def test_a_key_that_is_not_valid_must_be_refused(status: int) -> None:
    assert not invariants.of_strangers([("revoked", 401), ("unknown", status)]).holds
    assert not invariants.of_strangers([]).holds


def test_only_faults_excuse_that_a_caller_has_to_try_again() -> None:
    busy = _outcome(key=None, status=503)
    failed = _outcome(key=None, status=500)
    later = _outcome(failed=["503 overloaded"])
    for each in (busy, later):
        assert len(_broken(invariants.of_answers([each], may_retry=False))) == 1
        assert _broken(invariants.of_answers([each], may_retry=True)) == []
    assert len(_broken(invariants.of_answers([failed], may_retry=True))) == 1


def test_a_request_with_a_key_must_be_answered_in_the_end() -> None:
    found = invariants.of_answers([_outcome(status=503)], may_retry=True)
    assert _broken(found) == ["each request with a key was answered"]


def test_an_event_that_was_not_made_or_not_delivered_is_found() -> None:
    assert _broken(invariants.of_events(BOOKS, set())) == ["each event was delivered"]
    assert _broken(invariants.of_events(_changed(events=[]), set())) == [
        "each decision is an event"
    ]


def test_a_slow_recovery_and_growing_memory_are_found() -> None:
    assert not invariants.of_recovery([Ended("cut", 1.0, 0.0, 5.1)]).holds
    assert not invariants.of_recovery([]).holds
    assert not invariants.of_memory({"server-1": [100, 100, 105, 110, 120]}).holds


def test_an_answer_is_read_to_the_millionth() -> None:
    outcome = _outcome(status=0, request_id="", closed=0)
    body = b'{"requestId":"req_9","billing":{"amountClosed":{"currency":"USD","amount":0.010001}}}'
    read_answer(200, body, outcome)
    assert (outcome.status, outcome.request_id, outcome.closed) == (200, "req_9", 10_001)


@pytest.mark.parametrize("status", [200, 500])
def test_an_answer_that_is_none_of_ours_is_an_error(status: int) -> None:
    outcome = _outcome(status=0, request_id="", closed=0)
    read_answer(status, b"oops", outcome)
    assert outcome.said == f"{status} unreadable"
    assert not outcome.is_answered
    assert _broken(invariants.of_answers([outcome], may_retry=True))


def test_every_request_has_an_outcome_whatever_the_server_answers() -> None:
    """A server that answers with something else must not be taken for one that answers."""
    outcomes = asyncio.run(_load_against(b"HTTP/1.1 500 Oops\r\ncontent-length: 4\r\n\r\noops"))
    outcomes += asyncio.run(_load_against(b"HTTP/1.1 200 OK\r\nx: " + b"x" * 100_000))
    assert {each.said for each in outcomes} == {"500 unreadable", "no answer"}
    assert all(each.lost for each in outcomes)


async def _load_against(answer: bytes) -> list[Outcome]:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(answer)
        writer.close()

    async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        plan = Plan([port], {"acct_hot": "k", "acct_1": "k"}, 100.0, 0.1, 1, patience_s=0.0)
        load = Load(plan)
        await load.run()
    assert load.outcomes
    return load.outcomes


def test_the_same_seed_mixes_the_same_requests_and_each_has_its_own_reference() -> None:
    accounts = ["acct_hot", "acct_1", "acct_2"]
    first, second = Mixer(accounts, 3), Mixer(accounts, 3)
    sent = [first.next() for _ in range(400)]
    assert sent == [second.next() for _ in range(400)]
    assert len({each.reference for each in sent}) == 400
    assert {each.operation for each in sent} == {
        "precheck",
        "idverify",
        "sentry",
        "rules",
        "pipeline",
    }
    assert 0.4 < sum(each.account_id == "acct_hot" for each in sent) / 400 < 0.6


def test_a_percentile_is_a_value_that_was_measured() -> None:
    assert percentile([3.0, 1.0, 2.0], 0.5) == 2.0
    assert percentile([1.0], 0.999) == 1.0

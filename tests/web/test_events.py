"""Events over HTTP: read in pages, waited for, and each for its own account."""

from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import httpx
import pytest

from gatehouse.admin.events.queries.watching import MOST_OF_ACCOUNT
from gatehouse.admin.events.types import EventSettingsBody
from gatehouse.admin.events.use_cases import event_settings
from gatehouse.admin.keys import use_cases as keys
from gatehouse.admin.keys.types import KeyRevocation, NewKey
from gatehouse.admin.money.use_cases import money
from gatehouse.store.admin.admin_session import AdminSession
from tests.harness import Server, precheck, until
from tests.web import answers
from tests.web.merchant import Merchant

WAITS = "gatehouse_event_readers 1"


def read(client: httpx.Client, **query: Any) -> Any:
    answer = client.get("/api/v1/events", params=query).json()
    assert answer["isSuccess"], answer["errors"]
    assert answer["billing"]["items"] == []
    return answer["eventsResponse"]


def end(client: httpx.Client) -> str:
    """The cursor after everything."""
    page = read(client, limit=100)
    while page["hasMore"]:
        page = read(client, limit=100, after=page["cursor"])
    cursor: str = page["cursor"]
    return cursor


def waiting(client: httpx.Client, **query: Any) -> "Future[Any]":
    """A reader on a thread that waits for events."""
    thread = ThreadPoolExecutor(1)
    try:
        return thread.submit(lambda: read(client, wait=30, **query))
    finally:
        thread.shutdown(wait=False)


def test_a_decision_is_told_whole_to_those_who_asked_for_it(
    shared: Server, session: AdminSession
) -> None:
    merchant = Merchant(session)
    wanted = EventSettingsBody(["precheck:DECLINE"])
    event_settings.set_event_settings(session, merchant.account, wanted)
    with shared.client(merchant.key) as client:
        cursor = end(client)
        declined = {"cardNumber": "4000000000000002", "cardExpiryDate": "2035-12"}
        until(lambda: precheck(client, declined) and read(client, after=cursor)["events"], bool)
        [event, *_] = read(client, after=cursor)["events"]
        request_id = event["data"]["requestId"]
        assert (event["type"], event["actor"]) == ("decision.made", merchant.actor)
        decision = client.get(f"/api/v1/decisions/{request_id}").json()["decisionResponse"]
        del decision["explanation"]
        assert event["data"]["decision"] == decision
        one = client.get(f"/api/v1/events/{event['id']}").json()["eventResponse"]
        assert one == event
        before = end(client)
        assert precheck(client).json()["preCheckResponse"]["advice"] == "ACCEPT"
        assert read(client, after=before)["events"] == []


def test_a_reader_waits_for_what_comes_and_passes_what_it_does_not_want(
    shared: Server, session: AdminSession
) -> None:
    merchant = Merchant(session)
    with shared.client(merchant.key) as client:
        # Nothing is lost however late the reader begins to wait: it goes on from its cursor.
        reader = waiting(client, after=end(client), types="key.revoked")
        key = keys.issue(session, merchant.account, NewKey("passing")).issued
        keys.revoke(session, merchant.account, key.key_id, KeyRevocation("over"))
        page = reader.result()
        assert [each["data"]["keyId"] for each in page["events"]] == [key.key_id]
        assert page["cursor"] == page["events"][0]["id"]


def test_a_key_that_is_revoked_hears_nothing_more(shared: Server, session: AdminSession) -> None:
    merchant = Merchant(session)
    issued = keys.issue(session, merchant.account, NewKey("reader", ["events"]))
    with shared.client(issued.key) as client:
        query: dict[str, str | int] = {"wait": 30, "after": end(client), "types": "key.revoked"}
        with ThreadPoolExecutor(1) as thread:
            reader = thread.submit(client.get, "/api/v1/events", params=query)
            with shared.client("") as watcher:
                until(lambda: watcher.get("/metrics").text, lambda page: WAITS in page)
            keys.revoke(session, merchant.account, issued.issued.key_id, KeyRevocation("leaked"))
            answers.refused(reader.result(), 401, "invalid_key")


def test_only_keys_for_events_may_read_them(shared: Server, session: AdminSession) -> None:
    merchant = Merchant(session, "precheck")
    with shared.client(merchant.key) as client:
        answers.refused(client.get("/api/v1/events"), 403, "scope_not_allowed")
        answers.refused(client.get("/api/v1/events/evt_1"), 403, "scope_not_allowed")


def test_another_accounts_event_is_not_found(
    shared: Server, client: httpx.Client, session: AdminSession
) -> None:
    other = Merchant(session)
    with shared.client(other.key) as stranger:
        [event, *_] = read(stranger)["events"]
    answers.refused(client.get(f"/api/v1/events/{event['id']}"), 404, "not_found")
    assert event not in read(client, limit=100)["events"]


@pytest.mark.parametrize(
    ("query", "wrong"),
    [
        ("after=nothing", "after"),
        ("types=key.lost", "types"),
        ("limit=0", "limit"),
        ("limit=101", "limit"),
        ("wait=31", "wait"),
        ("wait=-1", "wait"),
        ("before=x", "before"),
    ],
)
def test_a_query_that_cannot_be_meant_is_refused_by_its_parameter(
    client: httpx.Client, query: str, wrong: str
) -> None:
    answer = client.get(f"/api/v1/events?{query}").json()
    assert list(answer["errors"]["fieldErrors"]) == [wrong]


def test_running_out_of_money_is_told_once(shared: Server, session: AdminSession) -> None:
    merchant = Merchant(session, micros=60_000)
    with shared.client(merchant.key) as client:
        cursor = end(client)
        assert [precheck(client).status_code for _ in range(4)] == [200, 402, 402, 402]
        [event] = read(client, after=cursor)["events"]
    assert event["type"] == "balance.depleted"
    assert [event["data"][name]["amount"] for name in ("remaining", "needed")] == [0.01, 0.05]


def test_low_depleted_and_topped_up_are_told_once_each_at_their_thresholds(
    shared: Server, session: AdminSession
) -> None:
    merchant = Merchant(session, micros=200_000)
    wanted = EventSettingsBody(low_balance=0.1)
    event_settings.set_event_settings(session, merchant.account, wanted)
    with shared.client(merchant.key) as client:
        cursor = end(client)
        assert [precheck(client).status_code for _ in range(2)] == [200, 200]
        # The balance is at the threshold, and not below it.
        assert read(client, after=cursor)["events"] == []
        assert [precheck(client).status_code for _ in range(4)] == [200, 200, 402, 402]
        money.top_up(session, merchant.account, 150_000, "INV-1")
        until(lambda: precheck(client).status_code, lambda status: status == 200)
        told = read(client, after=cursor)["events"]
    assert [(each["type"], each["data"]["remaining"]["amount"]) for each in told] == [
        ("balance.low", 0.05),
        ("balance.depleted", 0),
        ("balance.topped_up", 0.15),
    ]


def test_an_account_cannot_hold_more_places_to_wait_by_coming_at_once(
    shared: Server, session: AdminSession
) -> None:
    merchant = Merchant(session)
    with shared.client(merchant.key) as client:
        query: dict[str, str | int] = {
            "wait": 30,
            "after": end(client),
            "types": "key.revoked",
        }

        def status(_number: int) -> int:
            return client.get("/api/v1/events", params=query).status_code

        with ThreadPoolExecutor(MOST_OF_ACCOUNT + 6) as threads:
            found = [threads.submit(status, each) for each in range(MOST_OF_ACCOUNT + 6)]
            until(lambda: sum(each.done() for each in found), lambda refused: refused == 6)
            key = keys.issue(session, merchant.account, NewKey("passing")).issued
            keys.revoke(session, merchant.account, key.key_id, KeyRevocation("over"))
            assert sorted(each.result() for each in found) == [200] * MOST_OF_ACCOUNT + [503] * 6
        assert read(client, wait=1, after=query["after"])["events"]

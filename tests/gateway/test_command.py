"""gatehouse gateway: list, show, retry."""

import functools

import pytest

from gatehouse.admin.payments.command.in_doubt import app
from gatehouse.core.errors import Conflict, InvalidInput, NotFound
from gatehouse.store.admin import audit
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.requests.intents import IntentState
from gatehouse.store.tables import GATEWAY_INTENTS
from tests.harness import Home, make_account
from tests.harness.invoking import as_data, printed

FAILED = "req_01h455vb4pex5vsknk084sn02q"
WAITING = "req_01h455vb4pex5vsknk084sn02r"
UNKNOWN = "req_01h455vb4pex5vsknk084sn02s"


@pytest.fixture
def account(
    sqlite_home: Home, sqlite_session: AdminSession, monkeypatch: pytest.MonkeyPatch
) -> str:
    """An account with a payment that could not be reversed and one that is going to be."""
    monkeypatch.setenv("GATEHOUSE_HOME", str(sqlite_home.path))
    made = make_account(sqlite_session)
    row = {"account_id": made, "amount_minor": 5990, "currency": "USD", "changed_at_ms": 1}
    rows = [
        {"request_id": FAILED, "at_ms": 1, "state": IntentState.FAILED, "attempts": 20},
        {"request_id": WAITING, "at_ms": 2, "state": IntentState.REVERSE, "attempts": 1},
    ]
    with sqlite_session.database.writing() as connection:
        for each in rows:
            connection.execute(GATEWAY_INTENTS.insert(), row | each | {"detail": "timeout"})
    return made


run = functools.partial(printed, app)
data = functools.partial(as_data, app)


def test_payments_are_listed_newest_first_and_by_state_and_account(account: str) -> None:
    assert [each["requestId"] for each in data("list")] == [WAITING, FAILED]
    (failed,) = data("list", "--state", "failed", "--account", account)
    assert failed == {
        "requestId": FAILED,
        "accountId": account,
        "at": "1970-01-01T00:00:00.001Z",
        "amount": {"currency": "USD", "amount": 59.9},
        "state": "FAILED",
        "attempts": 20,
        "nextAttemptAt": None,
        "changedAt": "1970-01-01T00:00:00.001Z",
        "detail": "timeout",
    }
    text = run("list", "--limit", "1")
    assert WAITING in text
    assert "59.90 USD" in text
    assert FAILED not in text
    assert run("list", "--state", "OPEN") == "no payment is in doubt\n"
    with pytest.raises(NotFound):
        run("list", "--account", "acct_none")


def test_a_failed_payment_is_tried_again_and_all_or_none_of_several(account: str) -> None:
    with pytest.raises(Conflict, match="is REVERSE"):
        run("retry", FAILED, WAITING)
    assert data("show", FAILED)["state"] == "FAILED"
    (again,) = data("retry", FAILED)
    assert (again["state"], again["attempts"]) == ("REVERSE", 0)
    assert again["nextAttemptAt"] is not None
    assert "state: REVERSE" in run("show", FAILED)


def test_a_retry_is_audited(account: str, sqlite_home: Home) -> None:
    run("retry", FAILED)
    with sqlite_home.session() as session, session.reading() as connection:
        lines = audit.read(connection, account, 10)
    (line,) = [each for each in lines if each.action == "gateway.retry"]
    assert line.details == {"requestId": FAILED}


@pytest.mark.parametrize("command", ["show", "retry"])
def test_an_unknown_request_and_what_is_none_are_told_apart(account: str, command: str) -> None:
    with pytest.raises(NotFound, match="in doubt"):
        run(command, UNKNOWN)
    with pytest.raises(InvalidInput):
        run(command, "4242424242424242")

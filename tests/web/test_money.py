"""What finance people ask the API: balances, statements, and what a closed account answers."""

import asyncio
from types import SimpleNamespace
from typing import Any, cast

import httpx
import pytest

from gatehouse.access.accounts import Account
from gatehouse.access.actors import Actor
from gatehouse.admin.accounts.use_cases import accounts
from gatehouse.admin.money.routes import BillingRoutes
from gatehouse.admin.money.use_cases import money
from gatehouse.api.free_operations import handler_of
from gatehouse.api.manage.desk import thread_turns
from gatehouse.api.problems import Problem
from gatehouse.store.admin.admin_session import AdminSession
from tests.harness import Server, precheck, until
from tests.web.merchant import Merchant


def test_the_keys_of_a_closed_account_stop_and_start_working(
    shared: Server, session: AdminSession
) -> None:
    merchant = Merchant(session)
    with shared.client(merchant.key) as client:
        assert precheck(client).status_code == 200
        accounts.close(session, merchant.account, "left us")
        # At once, also where the key is still remembered: nothing can be held for the account.
        refused = precheck(client)
        assert refused.status_code == 403
        body = refused.json()
        assert body["errors"]["code"] == "account_closed"
        assert body["billing"]["remainingBalance"] == {"currency": "USD", "amount": 6.95}
        accounts.reopen(session, merchant.account, "came back")
        until(lambda: precheck(client), lambda answer: answer.status_code == 200)


def test_a_program_reads_its_balance_and_its_statement(
    client: httpx.Client, merchant: Merchant, session: AdminSession
) -> None:
    money.top_up(session, merchant.account, 3_000_000, "October", "INV-7")
    precheck(client)
    answer = client.get("/api/v1/balance").json()
    balance = answer["balanceResponse"]
    assert balance["balance"] == balance["available"] == {"currency": "USD", "amount": 9.95}
    assert balance["held"] == {"currency": "USD", "amount": 0}
    assert (balance["currency"], balance["at"][-1]) == ("USD", "Z")
    assert answer["billing"]["items"] == []

    made = client.get("/api/v1/statement").json()["statementResponse"]
    sums = ("openingBalance", "topUps", "adjustments", "charged", "closingBalance")
    assert [made[name]["amount"] for name in sums] == [0, 10, 0, 0.05, 9.95]
    assert [(one["reference"], one["note"]) for one in made["movements"]] == [
        (None, None),
        ("INV-7", "October"),
    ]
    assert [(line["feeType"], line["count"]) for line in made["charges"]] == [("PRECHECK", 1)]
    days = client.get("/api/v1/statement", params={"from": made["from"], "daily": "true"}).json()
    (line,) = days["statementResponse"]["charges"]
    assert line["day"] == balance["at"][:10]
    before = client.get("/api/v1/statement?month=2020-01").json()["statementResponse"]
    assert before["closingBalance"]["amount"] == 0
    assert (before["from"], before["to"]) == ("2020-01-01", "2020-02-01")


@pytest.mark.parametrize(
    ("query", "wrong"),
    [
        ("month=2026-13", "month"),
        ("month=2026-10&from=2026-10-01", "month"),
        ("to=2026-10-01", "from"),
        ("from=2026-10-01&to=2026-09-01", "to"),
        ("daily=yes", "daily"),
        ("month=2026-10&month=2026-11", "month"),
        ("monht=2026-10", "monht"),
    ],
)
def test_a_query_that_cannot_be_meant_is_refused_by_its_parameter(
    client: httpx.Client, query: str, wrong: str
) -> None:
    answer = client.get(f"/api/v1/statement?{query}").json()
    assert (answer["isSuccess"], answer["statementResponse"]) == (False, None)
    assert [*answer["errors"]["fieldErrors"]] == [wrong]


def test_the_money_of_an_account_is_for_keys_with_the_scope(
    shared: Server, session: AdminSession
) -> None:
    for scopes, status in ((("billing",), 200), (("precheck",), 403)):
        with shared.client(Merchant(session, *scopes).key) as client:
            for path in ("/api/v1/balance", "/api/v1/statement"):
                assert client.get(path).status_code == status
    with shared.client(Merchant(session).key) as client:
        refused = client.get("/api/v1/balance?month=2026-10").json()
        assert [*refused["errors"]["fieldErrors"]] == ["month"]


@pytest.mark.parametrize("waiting", [[f"acct_{each}" for each in range(8)], ["acct_1"] * 3])
def test_statements_take_the_place_neither_of_checks_nor_of_those_of_others(
    waiting: list[str],
) -> None:
    class Busy:
        def __init__(self) -> None:
            self.waiting = waiting

    class Known:
        async def authenticate(self, *_: object, **__: object) -> object:
            account = Account("acct_1", "Shop", "USD", 0, {}, {})
            return SimpleNamespace(account=account, actor=Actor.key("key_1", "acct_1"))

    routes = BillingRoutes(cast(Any, Busy()), int)
    handle = handler_of(BillingRoutes.statement, routes, cast(Any, Known()), thread_turns(1, 1))
    context = SimpleNamespace(scope={"query_string": b"month=2026-10"})
    with pytest.raises(Problem) as refused:
        asyncio.run(cast(Any, handle(cast(Any, context), cast(Any, None))))
    assert refused.value.code == "overloaded"

"""Usage by key, pipeline and tag: what it adds up to is what the statement charges."""

import csv
import io
from collections import Counter
from typing import Any

import httpx
import pytest

from gatehouse.admin.money.types import StatementQuery
from gatehouse.admin.money.use_cases import statements
from gatehouse.admin.usage import use_cases as usage
from gatehouse.admin.usage.types import UsagePer, UsageQuery
from gatehouse.billing.statement import UsageBy
from gatehouse.core.errors import InvalidInput
from gatehouse.store.accounts.usage import usage_groups
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.tables import DECISIONS
from tests.harness import AMELIA, BODY, PURCHASE, Home, pipeline, precheck, rules

SILENT = "4000000000000127"
"""Its issuer does not answer, so the request costs nothing."""
HOSTILE = '=1+"custom.tag" {} \N{LATIN SMALL LETTER U WITH DIAERESIS}'


def _order(tag: object = None, **more: Any) -> dict[str, Any]:
    own = {"customInputs": {"plan": "gold", "tag": tag}} if tag is not None else {}
    return {**PURCHASE, **more, "rulesRequest": {**PURCHASE.get("rulesRequest", {}), **own}}


@pytest.fixture
def account(home: Home) -> str:
    """An account whose two keys have sent requests."""
    with home.server() as server:
        made = home.account()
        keys = [home.key(made, "--name", name) for name in ("till", "web shop")]
        with server.client(keys[0]) as one, server.client(keys[1]) as other:
            _send(one, other)
    return made


def _send(one: httpx.Client, other: httpx.Client) -> None:
    for client, tag in ((one, "shop"), (other, "shop"), (one, 4711), (one, True), (one, HOSTILE)):
        assert pipeline(client, _order(tag)).json()["isSuccess"]
    assert pipeline(other, _order(pipelineId=2, idVerifyRequest=AMELIA)).json()["isSuccess"]
    assert rules(other, {"amount": 5, "currency": "USD", "customInputs": {"tag": "till"}}).json()
    assert precheck(one).json()["isSuccess"]
    assert precheck(one, BODY | {"cardNumber": SILENT}).json()["isSuccess"]
    assert precheck(one, {"cardNumber": "no"}).json()["isSuccess"] is False


def _groups(session: AdminSession, account: str, **wanted: Any) -> Counter[str | None]:
    found = usage.get_usage(session, account, UsageQuery(**wanted))
    assert usage.quick_usage(session, account, UsageQuery(**wanted), usage.sender_days()) == found
    asked = StatementQuery(month=wanted.get("month"))
    charged = statements.get_statement(session, account, asked).charged
    assert sum(each.charged.micros for each in found.groups) == charged.micros
    assert sum(each.requests for each in found.groups) == 9
    counted: Counter[str | None] = Counter()
    for each in found.groups:
        counted[each.name or each.group] += each.requests
    return counted


def test_usage_by_key_pipeline_and_tag_is_the_ledger(home: Home, account: str) -> None:
    by_key = {"till": 6, "web shop": 3}
    with home.session() as session:
        for per in UsagePer:
            assert _groups(session, account, by=UsageBy.KEY, per=per) == by_key
            by_pipeline = _groups(session, account, by=UsageBy.PIPELINE, per=per)
            assert by_pipeline == {"1": 5, "2": 1, None: 3}
            by_tag = _groups(session, account, by=UsageBy.TAG, per=per)
            assert by_tag == {"shop": 2, "4711": 1, "true": 1, HOSTILE: 1, "till": 1, None: 3}
        _few_are_named_and_the_others_added_up(session, account)
        shown = home.ok("usage", account, "--by", "tag", "--format", "csv").out
        rows = list(csv.DictReader(io.StringIO(shown)))
        assert {row["group"] for row in rows} >= {"shop", f"'{HOSTILE}"}
        assert "web shop" in home.ok("usage", account).out
        with session.writing() as connection:
            connection.execute(DECISIONS.delete())
        assert _groups(session, account, by=UsageBy.TAG) == {None: 9}
        assert _groups(session, account, by=UsageBy.KEY) == by_key
        with pytest.raises(InvalidInput, match="92 days"):
            usage.get_usage(session, account, UsageQuery(first="2026-01-01", end="2026-12-01"))


def _few_are_named_and_the_others_added_up(session: AdminSession, account: str) -> None:
    period = UsageQuery().period(session.clock())
    with session.reading() as connection:
        every = usage_groups(connection, account, period, UsageBy.TAG, 1000)
        few = usage_groups(connection, account, period, UsageBy.TAG, 2)
    assert few[:2] == every[:2]
    assert few[2].is_rest
    assert few[2].requests == sum(each.requests for each in every[2:])
    assert few[2].charged == sum(each.charged for each in every[2:])

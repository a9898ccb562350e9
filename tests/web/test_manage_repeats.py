"""A management call whose end was not seen is not done again under its key, and loses no secret."""

import contextlib
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
import sqlalchemy as sa

from gatehouse.core.errors import StoreUnavailable
from gatehouse.store.accounts import keys
from gatehouse.store.admin.admin_session import Change
from gatehouse.store.database import Database
from tests.harness import VISIT, Home
from tests.harness.service import call_service
from tests.web.answers import refused
from tests.web.merchant import Merchant

PATH = "/api/v1/manage/keys"


def _fail_after_issuing(monkeypatch: pytest.MonkeyPatch, failure: Exception) -> None:
    """Let something fail after every commit that issues a key."""
    issue, writing = keys.issue, Database.writing
    issuing: list[sa.Connection] = []

    def issue_unanswered(change: Change, *given: Any) -> keys.IssuedKey:
        issuing.append(change.connection)
        return issue(change, *given)

    @contextlib.contextmanager
    def write(database: Database) -> Iterator[sa.Connection]:
        with writing(database) as connection:
            yield connection
        if connection in issuing:
            raise failure

    monkeypatch.setattr(keys, "issue", issue_unanswered)
    monkeypatch.setattr(Database, "writing", write)


@pytest.mark.parametrize(
    ("failure", "status", "code"),
    [
        (StoreUnavailable("the connection was lost"), 503, "store_unavailable"),
        (RuntimeError("a defect"), 500, "internal_error"),
    ],
)
def test_a_repeat_gets_the_secret_although_something_failed_after_the_commit(
    sqlite_home: Home,
    monkeypatch: pytest.MonkeyPatch,
    failure: Exception,
    status: int,
    code: str,
) -> None:
    with sqlite_home.session() as session:
        merchant = Merchant(session, "manage", "sentry")
    body, named = {"name": "once", "scopes": ["sentry"]}, {"Idempotency-Key": "issue-1"}

    async def scenario(client: httpx.AsyncClient) -> None:
        with monkeypatch.context() as failing:
            _fail_after_issuing(failing, failure)
            first = await client.post(PATH, json=body, headers=named)
        refused(first, status, code)
        again = await client.post(PATH, json=body, headers=named)
        assert again.headers["idempotent-replayed"] == "true"
        issued = again.json()["keyIssuedResponse"]
        listed = (await client.get(PATH)).json()["keysResponse"]["keys"]
        assert [each["keyId"] for each in listed if each["name"] == "once"] == [
            issued["issued"]["keyId"]
        ]
        as_issued = {"X-API-KEY": issued["key"]}
        answer = await client.post("/api/v1/sentry", json=VISIT, headers=as_issued)
        assert answer.json()["isSuccess"] is True

    call_service(sqlite_home, merchant.key, scenario)

"""A management call that lost the database in the middle is not done again under its key."""

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
from tests.harness import Home
from tests.harness.service import call_service
from tests.web.answers import refused
from tests.web.merchant import Merchant

PATH = "/api/v1/manage/keys"


def _lose_the_answer_of_issuing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every commit that issues a key succeed without an answer."""
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
            raise StoreUnavailable("the connection was lost")

    monkeypatch.setattr(keys, "issue", issue_unanswered)
    monkeypatch.setattr(Database, "writing", write)


def test_a_key_is_issued_once_although_the_answer_to_its_commit_was_lost(
    sqlite_home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    with sqlite_home.session() as session:
        merchant = Merchant(session, "manage", "sentry")
    body, named = {"name": "once", "scopes": ["sentry"]}, {"Idempotency-Key": "issue-1"}

    async def scenario(client: httpx.AsyncClient) -> None:
        with monkeypatch.context() as losing:
            _lose_the_answer_of_issuing(losing)
            first = await client.post(PATH, json=body, headers=named)
        refused(first, 503, "store_unavailable")
        refused(await client.post(PATH, json=body, headers=named), 409, "idempotency_in_flight")
        listed = (await client.get(PATH)).json()["keysResponse"]["keys"]
        assert [each["name"] for each in listed].count("once") == 1

    call_service(sqlite_home, merchant.key, scenario)

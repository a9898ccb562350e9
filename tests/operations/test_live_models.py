"""A running server and the models that are promoted and rolled back meanwhile."""

from collections.abc import Callable
from functools import partial
from typing import Any

import httpx
import msgspec

from gatehouse.access.actors import Actor
from gatehouse.operations.installation import open_admin_session
from gatehouse.sentry.scorecard import Prior, Term, encode_sheet, load_sheet
from gatehouse.settings.settings import load_settings
from gatehouse.store.admin.admin_session import Change
from gatehouse.store.configured import models
from tests.harness import Server, pipeline, sentry, until


def program(version: int) -> str:
    """A model that trusts nobody, and has one reason for it that everybody gives."""
    shipped = load_sheet()
    terms = tuple(
        Term(term.code, (0.5,), (0.0, -2.5), term.why)
        if term.code == "ACCOUNT_NAMED"
        else Term(term.code, (), (0.0,), term.why)
        for term in shipped.terms
    )
    prior = Prior(0.25, "for a test")
    sheet = msgspec.structs.replace(shipped, version=f"mine-{version}", prior=prior, terms=terms)
    return encode_sheet(sheet)


def reasons(answer: httpx.Response) -> dict[str, float]:
    assert answer.status_code == 200, answer.text
    body: dict[str, Any] = answer.json()
    found = body.get("sentryResponse") or body["pipelineResponse"]["sentryResponse"]
    return {each["code"]: each["effect"] for each in found["reasons"]}


def is_mine(answer: httpx.Response) -> bool:
    return reasons(answer) == {"ACCOUNT_NAMED": -2.5}


def test_a_running_server_scores_with_what_is_promoted_and_goes_back(shared: Server) -> None:
    mine, other = (shared.home.account("100") for _ in range(2))
    session = open_admin_session(load_settings(shared.home.environ()), Actor.system("test"))

    def change_models(make: Callable[[Change], object]) -> None:
        with session.change() as change:
            make(change)

    with (
        shared.client(shared.home.key(mine)) as client,
        shared.client(shared.home.key(other)) as others,
    ):
        operations = (partial(sentry, client), partial(pipeline, client))
        assert not any(is_mine(ask()) for ask in operations)
        change_models(lambda change: models.keep(change, mine, lambda _: "{}", program))
        change_models(lambda change: models.promote(change, mine, 1))
        for ask in operations:
            until(ask, is_mine)
        answer = sentry(client).json()
        assert answer["sentryResponse"]["requestConfidence"] == 0.0266
        record = client.get(f"/api/v1/decisions/{answer['requestId']}").json()
        assert "'model': 'mine-1'" in str(record)
        assert not is_mine(sentry(others))
        change_models(lambda change: models.rollback(change, mine))
        for ask in operations:
            until(ask, lambda answer: not is_mine(answer))
    session.database.dispose()

"""A programme's events tell which rules and decisions let their orders through."""

import json
from typing import Any

import pytest

from gatehouse.access.roles import UserRole
from gatehouse.admin.outcomes.types.outcome import OutcomeBatch
from gatehouse.admin.outcomes.use_cases.tell import tell
from gatehouse.admin.programmes.types.report import MeterFilter
from gatehouse.admin.programmes.use_cases.metering import get_programmes
from gatehouse.core.reading.request_reader import RequestReader
from gatehouse.core.stages.outcomes import Outcome
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.tables import REVIEWS
from tests.admin.recorded import Recorder
from tests.console.harness import open_console
from tests.harness import Home, make_account


def told(session: AdminSession, account: str, request_id: str | None, **more: Any) -> None:
    about = {"kind": "DISPUTE", "reason": "10.4", "network": "VISA", "at": "2026-10-05T00:00:00Z"}
    body = {**about, "reference": f"r-{session.randomness(4).hex()}", **more}
    items = [body if request_id is None else {**body, "requestId": request_id}]
    tell(session, account, RequestReader(OutcomeBatch).read(json.dumps({"items": items}).encode()))


@pytest.mark.parametrize(
    ("about", "review", "passed_by", "rules"),
    [
        ({}, None, "NO_RULE", []),
        ({"matched": ["big", "new"]}, None, "RULES", ["shop/big", "shop/new"]),
        ({"only": ["Sentry"]}, None, "NO_RULES_ASKED", []),
        ({"decision": Outcome.REVIEW, "matched": ["big"]}, "APPROVED", "PERSON", ["shop/big"]),
        ({"decision": Outcome.REVIEW, "matched": ["big"]}, "OPEN", "NOT_REVIEWED", ["shop/big"]),
        ({"decision": Outcome.REVIEW}, "DECLINED", "IN_SPITE", []),
        ({"decision": Outcome.DECLINE}, None, "IN_SPITE", []),
    ],
)
def test_an_event_names_what_let_its_order_through(
    session: AdminSession,
    about: dict[str, Any],
    review: str | None,
    passed_by: str,
    rules: list[str],
) -> None:
    account = make_account(session)
    request_id = Recorder(session, account).keep(**about)
    if review is not None:
        row = {"account_id": account, "request_id": request_id, "at_ms": 1, "state": review}
        with session.writing() as connection:
            connection.execute(REVIEWS.insert(), row)
    told(session, account, request_id)
    [cause] = get_programmes(session, account, MeterFilter("2026-10")).causes
    assert (cause.passed_by, cause.rules, cause.request_ids) == (passed_by, rules, [request_id])


def test_causes_count_what_programmes_count_and_a_rule_in_all_its_versions(home: Home) -> None:
    with open_console(home.migrated()) as console:
        session, account = console.session, console.account_id
        recorder = Recorder(session, account)
        first, second = (recorder.keep(matched=["big"], version=each) for each in (1, 2))
        told(session, account, first)
        told(session, account, first, kind="FRAUD_REPORT", reason=None, fraudType="6")
        told(session, account, second)
        told(session, account, None)
        told(session, account, second, result="RESOLVED_BEFORE")
        causes = get_programmes(session, account, MeterFilter("2026-10")).causes
        assert [
            (each.passed_by, each.events, each.share, each.fraud_reports, each.fraud_disputes)
            for each in causes
        ] == [("RULES", 3, "75.0", 1, 2), ("NOT_KNOWN", 1, "25.0", 0, 1)]
        place = f"/a/{account}/programmes?month=2026-10"
        page = console.as_role(UserRole.ADMINISTRATOR).get(place).text
        assert "shop/big" in page
        assert f"/decisions/{first}" in page
    shown = home.run("programmes", "show", "--month", "2026-10", "--account", account).out
    assert "shop/big" in shown

"""Metrics: everything that happens is counted, in a form that readers take, with few series."""

import asyncio
import re
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from prometheus_client.openmetrics.parser import text_string_to_metric_families

from gatehouse.admin.installation.queries import Backlog, count_backlog
from gatehouse.api.metrics.families import FAMILIES, PROCESS, SECONDS
from gatehouse.core.errors import ConnectorFailed
from gatehouse.operations.measured import MeasuredIssuer, Outside
from gatehouse.settings.settings import declarations
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.events import outbox
from gatehouse.store.payments.tables import PAYMENT_OPERATIONS
from gatehouse.store.tables import ACCOUNTS, GATEWAY_INTENTS, HOLDS, REVIEWS, WEBHOOKS
from tests.docs.pages import ROOT
from tests.harness import AMELIA, BODY, PURCHASE, Home, make_account
from tests.harness.samples import SILENT_CARD
from tests.harness.service import call_service
from tests.store.reviewing import open_review

OPENMETRICS = {"accept": "application/openmetrics-text; version=1.0.0"}
PAGE = (ROOT / "docs/metrics.md").read_text()

Samples = dict[tuple[str, frozenset[tuple[str, str]]], float]


def _samples(text: str) -> Samples:
    families = text_string_to_metric_families(text)  # type: ignore[no-untyped-call]
    return {
        (each.name, frozenset(each.labels.items())): each.value
        for family in families
        for each in family.samples
    }


async def _use(client: httpx.AsyncClient) -> None:
    """One request of each kind that is counted differently."""
    bad = await client.post("/api/v1/precheck", json={"cardNumber": "12"})
    assert bad.status_code == 200
    for path, body in (
        ("precheck", BODY),
        ("precheck", BODY | {"cardNumber": SILENT_CARD}),
        ("idverify", AMELIA),
        ("pipeline", PURCHASE),
    ):
        answer = await client.post(f"/api/v1/{path}", json=body)
        assert answer.json()["isSuccess"], answer.text
    missing = await client.get("/api/v1/decisions/req_1", headers={"x-api-key": "no"})
    assert missing.status_code == 401


@pytest.fixture(scope="module")
def counted(tmp_path_factory: pytest.TempPathFactory) -> Samples:
    """What a service has counted after some requests, and its text in both formats."""
    home = Home(
        tmp_path_factory.mktemp("metrics") / "home",
        settings={"GATEHOUSE_PRECHECK_TIMEOUT_MS": "10"},
    ).migrated()
    found: Samples = {}

    async def scenario(client: httpx.AsyncClient) -> None:
        await _use(client)
        answer = await client.get("/metrics", headers=OPENMETRICS)
        assert answer.headers["content-type"].startswith("application/openmetrics-text")
        found.update(_samples(answer.text))
        plain = await client.get("/metrics")
        assert plain.headers["content-type"].startswith("text/plain")

    call_service(home, home.key(home.account("10")), scenario)
    return found


@pytest.mark.parametrize(
    ("series", "value"),
    [
        ("requests_total route=/api/v1/precheck status=200", 3),
        ("operations_total operation=precheck status_class=2xx success=true", 2),
        ("operations_total operation=precheck status_class=2xx success=false", 1),
        ("operations_total operation=decisions status_class=4xx success=false", 1),
        ("errors_total route=/api/v1/precheck code=invalid_request", 1),
        ("request_seconds_count route=/api/v1/precheck", 3),
        ("decisions_total operation=pipeline decision=ACCEPT", 1),
        ("stage_runs_total stage=PreCheck completed=true", 2),
        ("stage_runs_total stage=PreCheck completed=false", 1),
        ("stage_verdicts_total stage=PreCheck verdict=DECLINE", 1),
        ("stage_seconds_count stage=PreCheck", 3),
        ("connector_calls_total connector=issuer call=check outcome=answered", 2),
        ("connector_calls_total connector=issuer call=check outcome=timeout", 1),
        ("connector_seconds_count connector=identities call=find", 1),
        ("writer_waiting", 0),
        ("requests_in_flight", 0),
        ("ready", 1),
        ("check check=store", 1),
        ("labels_behind", 0),
        ("holds_open", 0),
    ],
)
def test_what_happened_is_counted(counted: Samples, series: str, value: float) -> None:
    name, *labels = series.split()
    given = frozenset((label, text) for label, _, text in (each.partition("=") for each in labels))
    assert counted[f"gatehouse_{name}", given] == value


def test_the_process_and_its_commits_are_measured(counted: Samples) -> None:
    nothing: frozenset[tuple[str, str]] = frozenset()
    for family in PROCESS:
        assert counted[family.shown_name, nothing] > 0
    commits = counted["gatehouse_commit_seconds_count", nothing]
    assert 0 < commits == counted["gatehouse_settlements_per_commit_count", nothing]


def test_no_label_has_a_value_that_a_caller_chose(counted: Samples) -> None:
    families = {family.name: family for family in FAMILIES}
    for name, labels in counted:
        if name.startswith("gatehouse_"):
            base = re.sub(r"_(total|bucket|sum|count)$", "", name)
            assert {label for label, _ in labels} - {"le"} == {*families[base].labels}, name
    values = {value for _, labels in counted for label, value in labels if label != "le"}
    assert not any(value.startswith(("acct_", "key_", "req_")) for value in values)


def test_buckets_reach_as_far_as_the_longest_time_limit_that_can_be_set() -> None:
    limits = [
        int(declared.takes.rpartition(" to ")[2])
        for variable, _, declared in declarations()
        if variable.endswith("_TIMEOUT_MS")
    ]
    assert len(limits) >= 8
    assert max(limits) / 1000 <= SECONDS[-1]


def _troubled(session: AdminSession) -> None:
    """An account with little left, a closed one that had, and a webhook of each kind."""
    poor, closed = (make_account(session, name) for name in ("Poor", "Closed"))
    hook = {"account_id": poor, "terms": '{"url": "", "events": []}', "created_at_ms": 1,
            "changed_at_ms": 1, "changes": 1,
            "key_version": 1, "sealed": b"", "cursor": "", "state": "enabled",
            "failing_since_ms": None, "deleted_at_ms": None}  # fmt: skip
    hooks: dict[str, dict[str, Any]] = {
        "well": {},
        "failing": {"failing_since_ms": 1},
        "failed": {"failing_since_ms": 1, "state": "disabled"},
        "deleted": {"failing_since_ms": 1, "deleted_at_ms": 2},
    }
    with session.database.writing() as connection:
        for name, differing in hooks.items():
            connection.execute(WEBHOOKS.insert(), {"id": name} | hook | differing)
        for account, closed_at_ms in ((poor, None), (closed, 1)):
            this = ACCOUNTS.update().where(ACCOUNTS.c.id == account)
            connection.execute(this.values(balance_told=1, closed_at_ms=closed_at_ms))


def test_what_waits_in_the_database_is_counted(session: AdminSession) -> None:
    accounts = [make_account(session, name) for name in ("One", "Two")]
    requests = [open_review(session, account) for account in (*accounts, accounts[0])]
    _troubled(session)
    payment = {"amount_minor": 1, "currency": "USD", "at_ms": 1, "attempts": 1, "changed_at_ms": 1}
    with session.database.writing() as connection:
        connection.execute(
            REVIEWS.update().where(REVIEWS.c.request_id == requests[0]).values(state="ACCEPTED")
        )
        for number, state in enumerate(("REVERSE", "REVERSE", "FAILED", "REVERSED", "OPEN")):
            intent = {"request_id": f"req_{number}", "account_id": accounts[0], "state": state}
            connection.execute(GATEWAY_INTENTS.insert(), payment | intent)
        for number, (state, next_at_ms) in enumerate(
            (("IN_DOUBT", None), ("IN_DOUBT", 1), ("PENDING", None))
        ):
            operation = {"id": f"op_{number}", "state": state, "next_at_ms": next_at_ms}
            told = {"kind": "CAPTURE", "actor": "key:k", "amount_minor": 1}
            place = {"account_id": accounts[0], "request_id": "req_1", "attempts": 1}
            times = {"at_ms": 1, "changed_at_ms": 1}
            connection.execute(PAYMENT_OPERATIONS.insert(), operation | told | place | times)
        connection.execute(
            HOLDS.insert(),
            {"request_id": "req_9", "account_id": accounts[0], "amount": 1, "expires_at_ms": 1,
             "owner": "srv_1"},
        )  # fmt: skip
    with session.reading() as connection:
        written = outbox.count_written(connection)
        assert count_backlog(connection, 5001) == Backlog(
            reviews_open=2,
            reversals_waiting=2,
            reversals_failed=1,
            payment_operations_in_doubt={"CAPTURE": 1, "VOID": 0, "REFUND": 0},
            payment_operations_in_doubt_seconds={"CAPTURE": 5, "VOID": 0, "REFUND": 0},
            holds_open=1,
            events_written=written,
            webhooks_failing=1,
            balances_low=1,
        )


class _Issuer:
    """Raises what it is given, and tells how many waited for it then."""

    def __init__(self, error: Exception, outside: Outside) -> None:
        self._error = error
        self._outside = outside
        self.waited = 0

    async def check(self, enquiry: Any) -> Any:
        self.waited = self._outside.waiting
        raise self._error


@pytest.mark.parametrize(
    ("error", "outcome"), [(ConnectorFailed("x"), "failed"), (ValueError("x"), "defect")]
)
def test_a_connector_that_fails_is_told_from_one_that_is_defective(
    error: Exception, outcome: str
) -> None:
    seen: list[tuple[str, str, str]] = []
    outside = Outside()
    failing = _Issuer(error, outside)
    issuer = MeasuredIssuer(failing, lambda *said: seen.append(said[:3]), outside)
    with pytest.raises(type(error)):
        asyncio.run(issuer.check(None))  # type: ignore[arg-type]
    assert seen == [("issuer", "check", outcome)]
    assert (failing.waited, outside.waiting) == (1, 0)


def _named_metrics(text: str) -> Iterator[str]:
    for name in re.findall(r"\b(?:gatehouse|process)_[a-z_]+", text):
        yield re.sub(r"_(bucket|sum|count)$", "", name)


def test_queries_name_only_metrics_that_exist() -> None:
    known = {family.shown_name for family in (*FAMILIES, *PROCESS)}
    assert set(_named_metrics(PAGE.partition("## What to look at")[2])) <= known

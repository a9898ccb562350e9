"""The demo account's past, filled through the real engine: its parts agree with each other."""

import dataclasses
import functools
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final
from unittest import mock

import pytest
import sqlalchemy as sa

from gatehouse.access.actors import Actor
from gatehouse.admin.accounts.use_cases import accounts, default_account
from gatehouse.admin.accounts.use_cases.default_account import DEMO_ACCOUNT
from gatehouse.admin.alerts.tables import ALERTS
from gatehouse.admin.money.use_cases import money
from gatehouse.admin.outcomes.tables import OUTCOMES
from gatehouse.admin.rule_sets.use_cases import rule_sets
from gatehouse.admin.sandbox.use_cases import engine
from gatehouse.admin.sandbox.use_cases.fill import (
    AccountInUse,
    DemoPast,
    begin_demo,
    fill_demo,
    prepare_demo,
)
from gatehouse.admin.sandbox.use_cases.past import (
    DAYS,
    MOST_DECISIONS,
    WHOLE,
    DemoPlan,
    read_recorded,
)
from gatehouse.admin.sandbox.use_cases.walk import DemoCounts
from gatehouse.admin.webhooks.types.endpoint import WebhookState
from gatehouse.admin.webhooks.types.webhook import AttemptSearch
from gatehouse.admin.webhooks.use_cases.endpoints import list_webhooks
from gatehouse.admin.webhooks.use_cases.messages import list_attempts
from gatehouse.core.clock import parse_time
from gatehouse.core.errors import Conflict, InvalidInput, NotFound
from gatehouse.intel.networks import load_networks
from gatehouse.operations.installation import only_server
from gatehouse.settings.settings import load_settings
from gatehouse.store.admin import audit
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.tables import DECISIONS, FEEDBACK, HOLDS, LIST_ENTRIES, REVIEWS
from tests.harness import Home
from tests.store.deciding import keep_decision

ROOT: Final = Path(__file__).parents[3]
DAY_MS: Final = 86_400_000
END_MS: Final = 1_794_830_400_000
"""A Monday at noon."""
WANTED: Final = WHOLE
SMALL: Final = 100


class Filled:
    """A home whose demo account has a past."""

    def __init__(self, home: Home, session: AdminSession, counts: DemoCounts) -> None:
        self.home = home
        self.session = session
        self.counts = counts

    def rows(self, table: sa.Table) -> list[Any]:
        with self.session.reading() as connection:
            return list(connection.execute(sa.select(table)))

    def found(self, *filters: str) -> list[Any]:
        found = self.home.ok("decisions", "search", *filters, "--limit", "100", "--json").json
        decisions: list[Any] = found["decisions"] if isinstance(found, dict) else found
        return decisions


@pytest.fixture(scope="module", autouse=True)
def _one_table() -> Iterator[None]:
    """Unpacking the table of networks takes longer than all else, and nothing changes it."""
    with mock.patch.object(engine, "load_networks", functools.cache(load_networks)):
        yield


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Filled]:
    home = Home(tmp_path_factory.mktemp("demo") / "home").migrated()
    with home.session() as session:
        session.clock = lambda: END_MS
        counts = fill_demo(session, load_settings(home.environ()), WANTED)
        assert counts is not None
        yield Filled(home, session, counts)


def balance(session: AdminSession) -> int:
    return accounts.get(session, DEMO_ACCOUNT).state.available


def check_whole(session: AdminSession, decisions: int) -> None:
    """Everything that `ledger verify` looks at is right, and all money is back."""
    report = money.verify_ledger(session)
    assert (report.problems, report.records, report.open) == ([], decisions, 0)
    assert balance(session) == 100_000_000


def test_ledger_records_and_balance_agree(filled: Filled) -> None:
    assert filled.counts.decisions == WANTED
    check_whole(filled.session, WANTED)
    assert filled.rows(HOLDS) == []


def test_most_orders_are_accepted_and_some_reviewed_or_declined(filled: Filled) -> None:
    counts = filled.counts
    assert 0.65 < counts.accepted / counts.decisions < 0.95
    assert 0.02 < counts.reviewed / counts.decisions < 0.1
    assert 0.03 < counts.declined / counts.decisions < 0.25


def test_reviews_are_open_assigned_and_resolved(filled: Filled) -> None:
    reviews = filled.rows(REVIEWS)
    assert len(reviews) == filled.counts.reviewed
    states = [row.state for row in reviews]
    assert set(states) == {"OPEN", "APPROVED", "DECLINED"}
    assert any(row.assignee for row in reviews if row.state == "OPEN")
    resolved = [row for row in reviews if row.state != "OPEN"]
    assert all(row.at_ms < row.resolved_at_ms <= filled.session.clock() for row in resolved)


def test_chargebacks_arrive_weeks_after_their_orders(filled: Filled) -> None:
    times = {row.request_id: row.at_ms for row in filled.rows(DECISIONS)}
    labels = filled.rows(FEEDBACK)
    assert {row.label for row in labels} == {"CHARGEBACK", "LEGITIMATE", "FRAUD"}
    back = [row for row in labels if row.label == "CHARGEBACK"]
    assert all(row.recorded_at_ms - times[row.request_id] >= 9 * DAY_MS for row in back)


def test_the_attack_was_noticed_while_it_went_on(filled: Filled) -> None:
    [alert] = filled.rows(ALERTS)
    assert alert.kind == "attack"
    began_ms = DemoPlan(WANTED, END_MS).tuesday_ms + read_recorded().attack[0].moment_ms
    assert began_ms < alert.began_at_ms < began_ms + 20 * 60_000
    assert alert.ended_at_ms is not None


def test_sales_are_settled_and_a_rule_was_added_for_what_was_disputed(filled: Filled) -> None:
    outcomes = filled.rows(OUTCOMES)
    kinds = Counter(row.kind for row in outcomes)
    assert 0 < filled.counts.accepted - kinds["SETTLED"] < 60
    assert all(row.at_ms <= END_MS for row in outcomes)
    assert 3 <= kinds["DISPUTE"] < 20
    assert all(row.request_id for row in outcomes)
    assert rule_sets.get(filled.session, DEMO_ACCOUNT, "starter").version == 2


def test_a_search_finds_the_night_of_card_testing(filled: Filled) -> None:
    blocked = filled.home.ok("lists", "show", "blocked-networks", "--json").json
    entries = blocked["entries"] if isinstance(blocked, dict) else blocked
    address = next(row["value"] for row in entries if "testing" in (row["reason"] or ""))
    found = filled.found("--ip", address.partition("/")[0])
    assert len(found) == 14
    assert sum(one["decision"] == "DECLINE" for one in found) >= 9


def test_accounts_that_were_taken_over_come_to_review(filled: Filled) -> None:
    found = filled.found("--rule", "delivery-elsewhere", "--min-amount", "100", "--currency", "USD")
    assert sum(one["decision"] == "REVIEW" for one in found) >= 4


def test_what_was_listed_is_declined_later(filled: Filled) -> None:
    assert len(filled.rows(LIST_ENTRIES)) == 4
    assert len(filled.found("--rule", "blocked-network")) == 3


def test_a_webhook_has_attempts_and_is_disabled(filled: Filled) -> None:
    [webhook] = list_webhooks(filled.session, DEMO_ACCOUNT).webhooks
    assert webhook.state is WebhookState.DISABLED
    attempts = list_attempts(filled.session, DEMO_ACCOUNT, webhook.id, AttemptSearch()).attempts
    assert sorted(each.status or 0 for each in attempts) == [200, 200, 200, 503]
    assert len({each.at // DAY_MS for each in attempts}) == 4


def test_what_the_page_names_is_found(filled: Filled) -> None:
    text = (ROOT / "docs/sandbox.md").read_text().partition("| Where it shows |")[2]
    commands = re.findall(r"`gatehouse ([^`]+)`", text.partition("\n\n")[0])
    assert len(commands) == 13
    for command in commands:
        # Statements of the last 30 days are listed, and this past is of one November.
        since = ["--since", "2026-01-01"] if command.startswith("feedback") else []
        shown = filled.home.ok(*command.split(), *since).out
        assert len(shown.splitlines()) >= 2, shown


def test_it_is_not_done_twice(filled: Filled) -> None:
    settings = load_settings(filled.home.environ())
    before = filled.rows(DECISIONS)
    assert fill_demo(filled.session, settings, WANTED) is None
    assert begin_demo(filled.session, WANTED) is DemoPast.DONE
    assert filled.rows(DECISIONS) == before
    said = filled.home.ok("demo", "fill", "--json").json
    assert said == {"filled": False}


def test_the_account_is_as_old_as_its_past(filled: Filled) -> None:
    shown = filled.home.ok("accounts", "list", "--json").json
    [created] = [row["createdAt"] for row in shown if row["accountId"] == DEMO_ACCOUNT]
    oldest = min(row.at_ms for row in filled.rows(DECISIONS))
    assert parse_time(created) < oldest
    assert filled.session.clock() - oldest < DAYS * DAY_MS


def test_a_walk_that_was_ended_goes_on_where_it_was(home: Home) -> None:
    settings = load_settings(home.environ())
    closes = engine._Settlement.close
    left = iter(range(60))

    def close(settlement: Any, order: Any) -> Any:
        if next(left, None) is None:
            raise KeyboardInterrupt
        return closes(settlement, order)

    with home.session() as session:
        with (
            mock.patch.object(engine._Settlement, "close", close),
            pytest.raises(KeyboardInterrupt),
        ):
            fill_demo(session, settings, SMALL)
        with session.reading() as connection:
            assert connection.scalar(sa.select(sa.func.count()).select_from(DECISIONS)) == 60
        again = fill_demo(session, settings, MOST_DECISIONS)
        assert again is not None
        assert again.decisions == SMALL
        report = money.verify_ledger(session)
        # What the first walk held when it ended is given back by the next server.
        assert (report.problems, report.records, report.open) == ([], SMALL, 1)


def test_an_account_that_is_used_is_left_alone(sqlite_home: Home) -> None:
    settings = load_settings(sqlite_home.environ())
    with sqlite_home.session() as session:
        default_account.ensure_demo(session, settings)
        keep_decision(session, DEMO_ACCOUNT, session.clock())
        with pytest.raises(AccountInUse, match="decisions of its own"):
            fill_demo(session, settings, SMALL)
        assert begin_demo(session, SMALL) is DemoPast.NONE


def test_a_young_account_keeps_its_balance(sqlite_home: Home) -> None:
    settings = load_settings(sqlite_home.environ())
    with sqlite_home.session() as session:
        default_account.ensure_demo(session, settings)
        fill_demo(session, settings, SMALL)
        check_whole(session, SMALL)
        page = money.ledger_page(session, DEMO_ACCOUNT, money.LedgerSearch(1000))
        assert min(line.balance for line in page.lines) >= 0


def test_production_is_refused(sqlite_home: Home) -> None:
    settings = load_settings(sqlite_home.environ())
    with sqlite_home.session() as session:
        session.settings = dataclasses.replace(session.settings, environment="production")
        for refused in (
            lambda: fill_demo(session, settings, SMALL),
            lambda: begin_demo(session, SMALL),
            lambda: prepare_demo(session, settings),
        ):
            with pytest.raises(Conflict, match="for a sandbox"):
                refused()


def test_it_is_not_for_a_key(sqlite_home: Home) -> None:
    settings = load_settings(sqlite_home.environ())
    with sqlite_home.session(Actor.key("key_1", DEMO_ACCOUNT)) as session:
        with pytest.raises(NotFound, match="only for operators"):
            fill_demo(session, settings, SMALL)
        with pytest.raises(NotFound, match="only for operators"):
            begin_demo(session, SMALL)


def test_a_foreign_server_must_be_stopped_first(sqlite_home: Home) -> None:
    settings = load_settings(sqlite_home.environ())
    with (
        sqlite_home.session() as session,
        only_server(session.database),
        pytest.raises(Conflict, match="stop it first"),
    ):
        fill_demo(session, settings, SMALL)


def test_the_trail_says_that_the_past_is_made_up(filled: Filled) -> None:
    with filled.session.reading() as connection:
        lines = audit.search(connection, DEMO_ACCOUNT, audit.LineSearch(action="demo."))
    assert [line.action for line in lines] == ["demo.finish", "demo.begin"]
    assert lines[0].details["decisions"] == WANTED


def test_the_number_of_decisions_has_limits(sqlite_home: Home) -> None:
    settings = load_settings(sqlite_home.environ())
    with sqlite_home.session() as session:
        for decisions in (0, 99, MOST_DECISIONS + 1):
            with pytest.raises(InvalidInput, match=f"100 to {MOST_DECISIONS}"):
                fill_demo(session, settings, decisions)
        with session.reading() as connection:
            assert audit.search(connection, DEMO_ACCOUNT, audit.LineSearch(action="demo.")) == []

"""Decisions are listed, shown and exported, and rule sets tried on them, from the command line."""

import functools
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from gatehouse.cli.app import app
from gatehouse.cli.spans import read_span
from gatehouse.core.errors import Conflict, GatehouseError, InvalidInput, NotFound
from gatehouse.core.wording.labels import Label, LabelSource
from gatehouse.store.accounts import accounts
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.feedback import feedback
from gatehouse.store.feedback.statements import FeedbackStatement, LabelReport
from gatehouse.store.state import lock_changes
from gatehouse.store.tables import DECISIONS
from tests.backtest.material import DAY_MS, kept, record, request_id, ruled, stage
from tests.harness import Home
from tests.harness.invoking import printed

NOW_MS = 1_794_700_000_000
RULES = """
rule_set: shop
description: What we try.
rules:
  - name: dear
    condition: order.amount > 100 AND velocity.email.count_1h IS NULL
    outcome: DECLINE
"""


run = functools.partial(printed, app)


@pytest.fixture(scope="module")
def merchant(tmp_path_factory: pytest.TempPathFactory) -> Iterator[AdminSession]:
    """A merchant with five decisions, of which the last two are labelled."""
    home = Home(tmp_path_factory.mktemp("decisions") / "home").migrated()
    with home.current(), home.session() as session:
        with session.change() as change:
            account_id = accounts.create(change, "Shop", "USD").account_id
        _fill(session, account_id)
        yield session


def _fill(session: AdminSession, account_id: str) -> None:
    rows: list[tuple[Any, ...]] = []
    fraud: list[str] = []
    good: list[str] = []
    now_ms = session.clock()
    for number, amount in enumerate((10.5, 50.0, 150.25, 250.0, 300.0)):
        at_ms = now_ms - number * DAY_MS - 1
        signals = {"order.amount": amount, "order.currency": "USD", "user.id": "u\u009b2J"}
        made = record(number, signals, [ruled("ACCEPT"), stage("Sentry", {})], at_ms=at_ms)
        one = kept(made, at_ms)
        rows.append((account_id, one.request_id, at_ms, "pipeline", None, None, one.text, None))
        if number >= 3:
            (fraud if number == 3 else good).append(one.request_id)
    with session.database.writing() as connection:
        names = [column.name for column in DECISIONS.columns if column.name != "terms"]
        connection.execute(DECISIONS.insert(), [dict(zip(names, row, strict=True)) for row in rows])
        lock_changes(connection)
        tellings = [
            LabelReport(account_id, ids, FeedbackStatement(label), "test", LabelSource.IMPORT)
            for label, ids in ((Label.FRAUD, fraud), (Label.LEGITIMATE, good))
        ]
        feedback.record_all(connection, tellings, now_ms)


@pytest.fixture
def rules(tmp_path: Path) -> str:
    file = tmp_path / "shop.yaml"
    file.write_text(RULES)
    return str(file)


@pytest.mark.usefixtures("merchant")
def test_decisions_are_listed_newest_first_page_by_page() -> None:
    text = run("decisions", "list", "--limit", "2")
    assert "there are more: --after" in text
    assert " 10.50 USD " in text
    after = text.rsplit(" ", 1)[-1].strip()
    page = json.loads(run("decisions", "list", "--after", after, "--json"))
    assert [one["signals"]["order.amount"] for one in page] == [150.25, 250.0, 300.0]


@pytest.mark.usefixtures("merchant")
def test_a_decision_is_shown_with_its_signals_and_nothing_a_terminal_obeys() -> None:
    [newest] = json.loads(run("decisions", "list", "--limit", "1", "--json"))
    text = run("decisions", "show", newest["requestId"])
    assert re.search(r"^order +10\.50 USD", text, re.MULTILINE)
    assert "order.amount" in text
    assert "\u009b" not in text
    shown = json.loads(run("decisions", "show", newest["requestId"], "--json"))
    assert shown.pop("explanation")["summary"] in text.replace("\n", " ")
    assert shown == newest
    assert shown["stages"][0]["fee"] == {"currency": "USD", "amount": 0.05}
    assert not [name for name in shown if name.endswith("Micros")]
    with pytest.raises(NotFound, match="decisions list"):
        run("decisions", "show", request_id(99))


@pytest.mark.parametrize("chosen", ["parquet", "jsonl"])
def test_an_export_is_by_day_and_leaves_a_line_in_the_trail(
    merchant: AdminSession, tmp_path: Path, chosen: str
) -> None:
    out = tmp_path / "out"
    arguments = ("decisions", "export", "--format", chosen, "--since", "80h", "--out", str(out))
    assert json.loads(run(*arguments, "--json"))["records"] == 4
    assert len(list(out.iterdir())) == 4
    assert all(entry.name.startswith("day=") for entry in out.iterdir())
    [line] = json.loads(run("audit", "show", "--limit", "1", "--json"))
    assert (line["action"], line["details"]["count"]) == ("decisions.export", 4)
    with pytest.raises(Conflict, match="--overwrite"):
        run(*arguments)


@pytest.mark.usefixtures("merchant")
def test_a_rule_set_is_tried_on_what_was_recorded(rules: str) -> None:
    found = json.loads(run("rules", "backtest", rules, "--json"))
    [dear] = found["rules"]
    assert (found["records"], found["labelled"], dear["matches"]) == (5, 2, 3)
    assert (dear["precision"], dear["recall"]) == (0.5, 1.0)
    assert dear["caught"] == [{"currency": "USD", "amount": 250}]
    assert dear["lost"] == [{"currency": "USD", "amount": 300}]
    assert found["changes"][1]["amounts"] == [{"currency": "USD", "amount": 700.25}]
    assert "velocity.email.count_1h was not recorded" in found["warnings"][0]
    text = run("rules", "backtest", rules, "--since", "60h")
    assert "3 requests" in text
    assert "150.25 USD" in text


@pytest.mark.parametrize(
    ("arguments", "what", "told"),
    [
        (("--account", "acct_none"), NotFound, "no account"),
        (("--since", "2099-01-01"), InvalidInput, "in the future"),
        (("--since", "yesterday"), InvalidInput, "such as 30d"),
        (("--since", "2026-01-02", "--until", "2026-01-01"), InvalidInput, "earlier than"),
        (("--since", "2020-01-01", "--until", "2020-01-02"), NotFound, "no requests"),
    ],
)
@pytest.mark.usefixtures("merchant")
def test_what_cannot_be_tried_is_refused_with_advice(
    rules: str, arguments: tuple[str, ...], what: type[GatehouseError], told: str
) -> None:
    with pytest.raises(what, match=told):
        run("rules", "backtest", rules, *arguments)


@pytest.mark.usefixtures("merchant")
def test_all_mistakes_of_a_rule_set_are_told_at_once(tmp_path: Path) -> None:
    file = tmp_path / "wrong.yaml"
    file.write_text(RULES.replace("order.amount", "order.amuont").replace("DECLINE", "PERHAPS"))
    with pytest.raises(InvalidInput, match=r"(?s)amuont.*rules.0..outcome"):
        run("rules", "backtest", str(file))


@pytest.mark.parametrize(
    ("since", "until", "expected"),
    [
        ("2d", None, (NOW_MS - 2 * DAY_MS, NOW_MS + 1)),
        ("2026-11-10", "2026-11-11", (1_794_268_800_000, 1_794_355_200_000)),
        ("2026-11-10T01:00:00+01:00", "1d", (1_794_268_800_000, NOW_MS - DAY_MS)),
        ("999999d", None, (0, NOW_MS + 1)),
    ],
)
def test_spans_are_named_in_several_ways(since: str, until: str | None, expected: Any) -> None:
    assert read_span("acct_1", since, until, NOW_MS)[1:] == expected

"""A backtest of an archive says exactly what a backtest of the database says."""

from pathlib import Path

from gatehouse.admin.archive.use_cases.archive import archive_decisions
from gatehouse.admin.archive.use_cases.archive_backtest import ArchiveSource, backtest_archive
from gatehouse.admin.rule_sets.use_cases.rule_backtest import BacktestOptions, backtest
from gatehouse.rules.authoring import read_rule_set
from gatehouse.rules.list_entries import ListKind
from gatehouse.rules.ruleset import RuleSet
from gatehouse.store.decisions.records import RecordSpan
from tests.figures.shops import DAY_MS, NOW_MS, Shop, as_json
from tests.figures.test_preview import RULES

FIRST_MS = NOW_MS // DAY_MS * DAY_MS - 20 * DAY_MS


def five_days(shop: Shop) -> RecordSpan:
    """Days around the time when lists changed."""
    return RecordSpan(shop.account_id, FIRST_MS, FIRST_MS + 5 * DAY_MS)


def rules_named(name: str) -> RuleSet:
    """Rules of every sort, in a rule set of this name."""
    return read_rule_set(RULES.replace(b"rule_set: shop", f"rule_set: {name}".encode()))


def fill(shop: Shop, count: int) -> None:
    """Decisions of every form, some with labels, and lists with a past."""
    shop.list_add("blocked", ListKind.USERS, ["u-1", "u-2", "u-3"], NOW_MS - 30 * DAY_MS)
    shop.list_remove("blocked", ["u-2"], NOW_MS - 18 * DAY_MS)
    shop.list_add("nets", ListKind.NETWORKS, ["203.0.1.0/24"], NOW_MS - 25 * DAY_MS)
    shop.list_add("nets", ListKind.NETWORKS, ["203.0.1.4/30"], NOW_MS - 18 * DAY_MS)
    shop.list_add("mails", ListKind.DOMAINS, ["b.example"], NOW_MS - 17 * DAY_MS)
    shop.fill(count)


def test_a_backtest_of_an_archive_says_what_one_of_the_database_says(
    any_shop: Shop, tmp_path: Path
) -> None:
    shop = any_shop
    fill(shop, 3000)
    to = str(tmp_path / "archive")
    done = archive_decisions(shop.session, five_days(shop), to, lambda *_: None)
    assert (done.days, done.since, done.until) == (5, "2026-10-25", "2026-10-29")
    # The span begins and ends within a day.
    span = RecordSpan(shop.account_id, FIRST_MS + 5_000_000, FIRST_MS + 5 * DAY_MS - 5_000_000)
    for name, options in (
        ("shop", BacktestOptions()),
        ("second", BacktestOptions(lists_now=True, examples=2)),
    ):
        tried = rules_named(name)
        expected = backtest(shop.session, tried, span, options, lambda *_: None)
        found = backtest_archive(shop.session, tried, span, options, ArchiveSource(to))
        assert as_json(found) == as_json(expected)
        assert found.records > 300
        assert found.unreadable
        assert found.labelled > 10
        assert sum(rule.matches > 0 for rule in found.rules) > 8

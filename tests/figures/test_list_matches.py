"""How often the entries of a list matched, as rules looked at the time."""

from gatehouse.admin.configurations.use_cases.configurations import NewVersion
from gatehouse.admin.figures.use_cases.list_figures import EntryMatches, ListMatches, list_matches
from gatehouse.admin.lists.use_cases import lists
from gatehouse.admin.lists.use_cases.lists import EntryPage
from gatehouse.admin.rule_sets.use_cases import rule_sets
from gatehouse.rules.list_entries import ListKind
from gatehouse.store.configured import lists as stored_lists
from tests.figures.shops import DAY_MS, NOW_MS, Shop, rules_stage

RULES = b"""
rule_set: shop
description: What looks things up.
rules:
  - {name: user, outcome: DECLINE, condition: user.id IN LIST('blocked')}
  - {name: net, outcome: REVIEW, condition: ip.address IN LIST('nets')}
  - {name: card, outcome: REVIEW, condition: card.country IN LIST('lands')}
  - {name: ip, outcome: REVIEW, condition: ip.country IN LIST('lands')}
"""


def _matches(shop: Shop, name: str) -> ListMatches:
    page = EntryPage(NOW_MS, include_gone=True)
    found = lists.entries(shop.session, shop.account_id, name, page)
    return list_matches(shop.session, shop.columns(), name, found)


def test_an_entry_counts_the_requests_that_had_its_value_while_it_was_listed(
    any_shop: Shop,
) -> None:
    shop = any_shop
    shop.list_add("blocked", ListKind.USERS, ["u-1", "u-2"], NOW_MS - 50 * DAY_MS)
    shop.list_remove("blocked", ["u-2"], NOW_MS - 5 * DAY_MS)
    shop.list_add("nets", ListKind.NETWORKS, ["203.0.1.0/24"], NOW_MS - 9 * DAY_MS)
    shop.list_add("lands", ListKind.COUNTRIES, ["DE"], NOW_MS - 9 * DAY_MS)
    assert not _matches(shop, "blocked").is_used
    rule_sets.apply(shop.session, shop.account_id, NewVersion(RULES))
    sent = {"user.id": "u-1", "ip.address": "203.0.1.7", "card.country": "DE", "ip.country": "DE"}
    for days in (1, 2, 10, 40):
        shop.keep(NOW_MS - days * DAY_MS, signals=sent)
    shop.keep(NOW_MS - DAY_MS, signals={"user.id": "u-2", "ip.address": "203.0.2.7"})
    other = [rules_stage("ACCEPT", rule_set="other")]
    shop.keep(NOW_MS - DAY_MS, signals=sent, stages=other)
    found = _matches(shop, "blocked")
    assert found.is_used
    assert found.entries == [EntryMatches(3, NOW_MS - DAY_MS), EntryMatches()]
    with shop.session.account_change(shop.account_id) as change:
        stored_lists.erase(change, shop.account_id, "blocked", ["u-1"])
        change.audit("list.erase", shop.account_id)
    assert EntryMatches(3, NOW_MS - DAY_MS) in _matches(shop, "blocked").entries
    assert _matches(shop, "nets").entries == [EntryMatches(2, NOW_MS - DAY_MS)]
    assert _matches(shop, "lands").entries == [EntryMatches(2, NOW_MS - DAY_MS)]

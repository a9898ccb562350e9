"""A decision is explained with what its account had configured at that time, on both databases."""

import msgspec
import pytest

from gatehouse.access.actors import Actor
from gatehouse.admin.configurations.use_cases.configurations import NewVersion
from gatehouse.admin.decisions.use_cases.decisions import explain_decision
from gatehouse.admin.lists.use_cases import lists
from gatehouse.admin.lists.use_cases.lists import GivenEntries, NewEntries
from gatehouse.admin.rule_sets.use_cases import rule_sets
from gatehouse.core.clock import iso_time
from gatehouse.core.errors import NotFound
from gatehouse.core.stages.outcomes import Outcome
from gatehouse.decisions.record import DecisionRecord, decode
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.tables import CONFIGURATIONS
from tests.decisions.samples import SAMPLES
from tests.harness import make_account

RULES = b"""
rule_set: shop
rules:
  - name: large
    description: Orders above 100.
    condition: order.amount > 100
    outcome: REVIEW
"""


def ruled(rule_set: str, version: int, matched: str, **signals: object) -> DecisionRecord:
    """A request to Rules that a rule sent to review or declined."""
    record = decode(SAMPLES["rules_first"])
    status = Outcome.REVIEW if rule_set == "shop" else Outcome.DECLINE
    result = {"ruleSet": rule_set, "version": version, "status": status, "matched": [matched]}
    stage = msgspec.structs.replace(record.stages[0], result={**result, "matchedLate": []})
    named = {name.replace("__", "."): value for name, value in signals.items()}
    return msgspec.structs.replace(record, stages=[stage], decision=status, signals=named)


def test_the_rules_are_those_of_that_time(session: AdminSession) -> None:
    account_id = make_account(session)
    rule_sets.apply(session, account_id, NewVersion(RULES))
    rule_sets.apply(session, account_id, NewVersion(RULES.replace(b"100", b"500")))
    record = ruled("shop", 1, "large", order__amount=250.0)
    found = explain_decision(session, account_id, record)
    assert found.summary == (
        "Sent to review: the rule large of rule set shop, version 1, matched: Orders above 100."
    )
    assert [each.text for each in found.changes] == [
        "It would have been ACCEPT if order.amount had been at most 100 (it was 250)."
    ]
    gone = explain_decision(session, account_id, ruled("shop", 9, "large", order__amount=250.0))
    assert gone.summary == "Sent to review: the rule large of rule set shop, version 9, matched."
    assert gone.notes == [
        "This installation does not have version 9 of rule set shop any more. What would have "
        "changed it cannot be told."
    ]


def test_a_version_that_was_changed_in_the_database_is_not_used(session: AdminSession) -> None:
    account_id = make_account(session)
    rule_sets.apply(session, account_id, NewVersion(RULES))
    with session.database.writing() as connection:
        changed = CONFIGURATIONS.update().where(CONFIGURATIONS.c.name == "shop")
        connection.execute(changed.values(program="{}"))
    found = explain_decision(session, account_id, ruled("shop", 1, "large", order__amount=250.0))
    assert (
        "cannot use version 1 of rule set shop, which was changed in the database" in found.notes[0]
    )
    assert found.changes == []


def test_lists_are_asked_as_they_were_then(session: AdminSession) -> None:
    account_id = make_account(session)
    before = iso_time(session.clock() - 60_000)
    entries = GivenEntries(("198.51.100.0/24", "2001:db8::/32"))
    lists.add(session, account_id, "blocked-networks", entries, NewEntries())
    late = iso_time(session.clock() + 60_000)
    signals = {"ip__address": "198.51.100.1", "ip__blocked": False}
    record = ruled("starter", 1, "blocked-network", **signals)
    then = msgspec.structs.replace(record, at=late)
    assert [each.text for each in explain_decision(session, account_id, then).changes] == [
        "It would have been ACCEPT if ip.address had not been on the list blocked-networks."
    ]
    too_early = msgspec.structs.replace(record, at=before)
    assert "comes out differently" in explain_decision(session, account_id, too_early).notes[0]


def test_nobody_explains_the_decisions_of_another_account(session: AdminSession) -> None:
    mine, other = make_account(session), make_account(session, "Other")
    stranger = session.acting_as(Actor.key("key_1", other))
    with pytest.raises(NotFound):
        explain_decision(stranger, mine, decode(SAMPLES["rules_first"]))

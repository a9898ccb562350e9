"""A hold-out lets through what rules alone decline, never more than its caps, and says its cost."""

from concurrent.futures import ThreadPoolExecutor

import msgspec
import pytest

from gatehouse.access.actors import Actor
from gatehouse.admin.configurations.use_cases.configurations import NewVersion
from gatehouse.admin.experiments import use_cases as experiments
from gatehouse.admin.experiments.types.asked import ExperimentWanted
from gatehouse.admin.experiments.types.result import let_through_of
from gatehouse.admin.lists.use_cases import lists
from gatehouse.admin.lists.use_cases.lists import GivenEntries, NewEntries
from gatehouse.admin.rule_sets.use_cases import rule_sets
from gatehouse.core.errors import InvalidInput
from gatehouse.operations.installation import open_admin_session
from gatehouse.pipeline.experiment import AssignedBy, Experiment, ExperimentKind, HoldOutCaps
from gatehouse.settings.settings import load_settings
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.configured.hold_out_caps import take
from tests.admin.experiments.test_live import account_of, decided
from tests.harness import Server, rules, until

WANTED = ExperimentWanted(
    "Wrong declines",
    ExperimentKind.HOLD_OUT,
    99,
    AssignedBy.USER,
    rule_set="starter",
    orders_per_day=3,
    minor_units_per_day=10_000,
    currency="USD",
)
DECLINING = """\
rule_set: starter
rules:
  - {name: large, condition: order.amount > 10, outcome: DECLINE}
  - {name: listed, condition: "user.id IN LIST('blocked-users')", outcome: DECLINE}
"""
DAY_MS = 86_400_000


def test_as_much_as_the_caps_allow_is_let_through_and_no_listed_customer(shared: Server) -> None:
    account = shared.home.account("1000")
    session = open_admin_session(load_settings(shared.home.environ()), Actor.system("test"))
    lists.add(session, account, "blocked-users", GivenEntries(["u-bad"]), NewEntries())
    assert rule_sets.apply(session, account, NewVersion(DECLINING.encode())).changed
    body = {"amount": 30, "currency": "USD"}
    with shared.client(shared.home.key(account)) as client:

        def ask(user: str, **more: object) -> str:
            return decided(rules(client, body | {"userId": user} | more))

        until(lambda: ask("u-before"), lambda found: found == "DECLINE")
        experiments.start(session, account, WANTED)
        # Of what no cap is counted for, so that the wait uses none up.
        until(lambda: ask("u-0", currency="EUR"), lambda found: found == "DECLINE")
        let = until(
            lambda: rules(client, body | {"userId": "u-1"}), lambda a: decided(a) == "ACCEPT"
        )
        assert [ask("u-bad") for _ in range(3)] == ["DECLINE"] * 3
        assert [ask(f"v-{n}", currency="EUR") for n in range(3)] == ["DECLINE"] * 3
        # Three orders of 30.00 fit under both caps, and then no more.
        found = [ask(f"w-{number}") for number in range(12)]
        assert found.count("ACCEPT") == 2
        assert set(found[6:]) == {"DECLINE"}
        record = client.get(f"/api/v1/decisions/{let.json()['requestId']}").text
        assert '"letThrough":true' in record
        assert '"hold-out"' in record
        assert '"experiment.arm":"challenger"' in record
    session.database.dispose()


def test_no_number_of_servers_exceeds_the_caps_of_a_day(session: AdminSession) -> None:
    running = Experiment(
        id="exp_caps",
        name="x",
        kind=ExperimentKind.HOLD_OUT,
        assigned_by=AssignedBy.CARD,
        percent=50,
        started_at_ms=0,
        caps=HoldOutCaps(10, 5_000, "USD"),
    )

    def one(minor_units: int, at_ms: int = 0) -> bool:
        with session.database.writing() as connection:
            return take(connection, running, at_ms, minor_units)

    with ThreadPoolExecutor(8) as threads:
        assert sum(threads.map(one, [100] * 24)) == 10
    assert not one(1)
    # The amount is a cap of its own, on the next day.
    assert [one(4_000, DAY_MS), one(2_000, DAY_MS), one(1_000, DAY_MS)] == [True, False, True]
    assert not one(1, DAY_MS - 1), "a clock that was set back begins no day again"


def test_a_rule_set_that_declines_by_lists_alone_has_nothing_to_try(session: AdminSession) -> None:
    account = account_of(session)
    text = DECLINING.replace("order.amount > 10", "ip.blocked")
    rule_sets.apply(session, account, NewVersion(text.encode()))
    with pytest.raises(InvalidInput):
        experiments.start(session, account, WANTED)
    wrong = msgspec.structs.replace(WANTED, rule_set="strict", currency="QQQ")
    with pytest.raises(InvalidInput):
        experiments.start(session, account, wrong)


def test_the_share_of_wrong_declines_has_an_interval_and_a_cost() -> None:
    found = let_through_of(100, 40, 10, {"USD": 123_450_000})
    assert found.false_positives == 0.75
    assert found.least is not None
    assert found.most is not None
    assert 0.58 < found.least < 0.75 < found.most < 0.87
    assert [each.micros for each in found.cost] == [123_450_000]
    assert let_through_of(3, 0, 0, {}).false_positives is None

"""A running server decides by two arms: who gets which, what is recorded, and how it ends."""

from collections.abc import Callable
from typing import Any

import httpx
import msgspec
import pytest

from gatehouse.access.actors import Actor
from gatehouse.admin.approvals.use_cases import approvals, proposals
from gatehouse.admin.approvals.use_cases.proposed import StartExperiment
from gatehouse.admin.configurations.use_cases.configurations import NewVersion
from gatehouse.admin.experiments import use_cases as experiments
from gatehouse.admin.experiments.types.asked import ExperimentWanted
from gatehouse.admin.rule_sets.use_cases import rule_sets
from gatehouse.core.errors import ApprovalNeeded, Conflict, InvalidInput, NotFound
from gatehouse.operations.installation import open_admin_session
from gatehouse.pipeline.experiment import AssignedBy, ExperimentEnd, ExperimentKind
from gatehouse.settings.settings import load_settings
from gatehouse.store.accounts import accounts
from gatehouse.store.admin import audit
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.tables import CONFIGURATIONS
from tests.harness import PURCHASE, Server, pipeline, rules, until

RULES = "rule_set: {}\nrules:\n  - {{name: {}, condition: order.amount > {}, outcome: {}}}\n"
WANTED = ExperimentWanted(
    "Stricter", ExperimentKind.RULES, 50, rule_set="starter", challenger_rule_set="strict"
)
BY_USER = msgspec.structs.replace(WANTED, assigned_by=AssignedBy.USER)


def apply(session: AdminSession, account: str, name: str, amount: int = 10, **more: str) -> None:
    text = RULES.format(name, "all", amount, more.get("outcome", "DECLINE"))
    assert rule_sets.apply(session, account, NewVersion(text.encode())).changed


def account_of(session: AdminSession) -> str:
    """A new account with a challenger that declines what the starter rules accept."""
    with session.change() as change:
        account = accounts.create(change, "Shop", "USD").account_id
    apply(session, account, "strict")
    return account


def card(number: int) -> str:
    """A card number of the sandbox's issuer that passes the check of its digits."""
    begin = f"424242{number:09}"
    total = sum(int(d) if i % 2 else sum(divmod(2 * int(d), 10)) for i, d in enumerate(begin))
    return f"{begin}{-total % 10}"


def decided(answer: httpx.Response) -> str:
    assert answer.status_code == 200, answer.text
    body: dict[str, Any] = answer.json()
    ruled = body.get("rulesResponse")
    return str(ruled["status"] if ruled else body["pipelineResponse"]["decision"])


def test_the_same_card_always_gets_the_same_arm_until_the_experiment_ends(shared: Server) -> None:
    mine = shared.home.account("1000")
    session = open_admin_session(load_settings(shared.home.environ()), Actor.system("test"))
    apply(session, mine, "starter", 1_000_000)
    apply(session, mine, "strict")
    numbers = [card(number) for number in range(24)]
    body = {"customerIp": "203.0.113.1", "amount": 59.9, "currency": "USD"}
    with shared.client(shared.home.key(mine)) as client:

        def ask(number: str) -> httpx.Response:
            return rules(client, body | {"cardNumber": number})

        def all_of() -> list[str]:
            return [decided(ask(number)) for number in numbers]

        until(all_of, lambda found: set(found) == {"ACCEPT"})
        started = experiments.start(session, mine, WANTED)
        until(all_of, lambda found: "DECLINE" in found)
        first = all_of()
        assert {"ACCEPT", "DECLINE"} == set(first)
        assert all_of() == first, "a card got another arm"
        assert decided(rules(client, body)) == "ACCEPT", "without a card nothing takes part"

        declined = ask(numbers[first.index("DECLINE")]).json()["requestId"]
        accepted = ask(numbers[first.index("ACCEPT")]).json()["requestId"]
        for request, arm in ((declined, "challenger"), (accepted, "control")):
            record = client.get(f"/api/v1/decisions/{request}").text
            assert f'"experiment.arm":"{arm}"' in record
            assert f'"experiment.id":"{started.id}"' in record
        # In a pipeline, too, which names the control; and its decision is explained by the rules
        # of the arm.
        in_pipeline = {
            **PURCHASE,
            "preCheckRequest": {
                **PURCHASE["preCheckRequest"],
                "cardNumber": numbers[first.index("DECLINE")],
            },
            "rulesRequest": {"customerIp": "203.0.113.1"},
        }
        answer = pipeline(client, in_pipeline)
        assert decided(answer) == "DECLINE"
        told = client.get(f"/api/v1/decisions/{answer.json()['requestId']}").json()
        text = str(told)
        assert "'explanation'" in text
        assert "the order's amount" in text or "order.amount" in text, text

        ended = experiments.end(session, mine, started.id)
        assert ended.ended_because is ExperimentEnd.STOPPED
        until(all_of, lambda found: set(found) == {"ACCEPT"})
    session.database.dispose()


def test_a_rule_set_that_changes_decides_for_everybody_at_once(shared: Server) -> None:
    mine = shared.home.account("1000")
    session = open_admin_session(load_settings(shared.home.environ()), Actor.system("test"))
    apply(session, mine, "starter", 1_000_000)
    apply(session, mine, "strict")
    with shared.client(shared.home.key(mine)) as client:

        def all_of() -> list[str]:
            body = {"amount": 59.9, "currency": "USD"}
            return [decided(rules(client, body | {"userId": f"u-{n}"})) for n in range(12)]

        experiments.start(session, mine, BY_USER)
        until(all_of, lambda found: {"ACCEPT", "DECLINE"} == set(found))
        apply(session, mine, "starter", outcome="REVIEW")
        until(all_of, lambda found: set(found) == {"REVIEW"})
    session.database.dispose()


def test_one_runs_at_a_time_and_what_cannot_run_is_refused(session: AdminSession) -> None:
    account, stranger = account_of(session), account_of(session)
    hostile = "<script>alert(1)</script> 4242 4242 4242 4242"
    started = experiments.start(session, account, msgspec.structs.replace(WANTED, name=hostile))
    assert "4242 4242" not in started.name
    with pytest.raises(Conflict):
        experiments.start(session, account, WANTED)
    with pytest.raises(NotFound):
        experiments.get_experiment(session, stranger, started.id)
    with pytest.raises(NotFound):
        experiments.end(session, stranger, started.id)
    theirs = session.acting_as(Actor.key("key_x", stranger))
    with pytest.raises(NotFound):
        experiments.list_experiments(theirs, account)
    refused: tuple[tuple[type[Exception], dict[str, Any]], ...] = (
        (InvalidInput, {"challenger_rule_set": "starter"}),
        (NotFound, {"challenger_rule_set": "none"}),
        (NotFound, {"rule_set": "../starter"}),
    )
    for error, change in refused:
        with pytest.raises(error):
            experiments.start(session, stranger, msgspec.structs.replace(WANTED, **change))
    for percent in (0, 100):
        given = {"name": "x", "kind": "rules", "percent": percent}
        more = {"ruleSet": "starter", "challengerRuleSet": "strict"}
        with pytest.raises(msgspec.ValidationError):
            msgspec.convert(given | more, ExperimentWanted)
    model = ExperimentWanted("m", ExperimentKind.MODEL, 50, challenger_model=7)
    with pytest.raises(NotFound):
        experiments.start(session, stranger, model)
    experiments.end(session, account, started.id)
    with pytest.raises(Conflict):
        experiments.end(session, account, started.id)
    with session.reading() as connection:
        lines = audit.search(connection, account, audit.LineSearch(10, action="experiment."))
    assert [each.action for each in lines] == ["experiment.end", "experiment.start"]


def test_it_needs_another_person_where_its_rules_do(session: AdminSession) -> None:
    account = account_of(session)
    approvals.set_wanted(session, account, ["rules"])
    with pytest.raises(ApprovalNeeded):
        experiments.start(session, account, WANTED)
    proposed = proposals.propose(session, account, StartExperiment(WANTED))
    assert proposed.kind == "rules"
    wrong = msgspec.structs.replace(WANTED, challenger_rule_set="none")
    with pytest.raises(NotFound):
        proposals.propose(session, account, StartExperiment(wrong))


def test_an_experiment_that_was_changed_in_the_database_is_refused(
    session: AdminSession, refusing: Callable[[str], str | None]
) -> None:
    account = account_of(session)
    experiments.start(session, account, WANTED)
    assert refusing(account) is None
    with session.database.writing() as connection:
        c = CONFIGURATIONS.c
        these = (c.account_id == account) & (c.kind == "experiment")
        text = connection.scalar(CONFIGURATIONS.select().with_only_columns(c.program).where(these))
        changed = str(text).replace('"percent":50', '"percent":99')
        connection.execute(CONFIGURATIONS.update().where(these).values(program=changed))
    assert "changed" in (refusing(account) or "")


@pytest.fixture
def refusing(session: AdminSession) -> Callable[[str], str | None]:
    from gatehouse.store.configured.whole_check import why_refused

    def found(account: str) -> str | None:
        with session.reading() as connection:
            return why_refused(connection, session.signer, account)

    return found

"""What holds for every use case: another account's things do not exist, and changes are audited."""

import contextlib
import importlib
import inspect
import io
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

import pytest

import gatehouse.admin
from gatehouse.access.actors import Actor
from gatehouse.access.roles import Permission
from gatehouse.admin.accounts.types import (
    CostsBody,
    FoundInputChoice,
    PreCheckPolicyBody,
    SentryPolicyBody,
)
from gatehouse.admin.accounts.use_cases import accounts, costs, found_inputs, policies
from gatehouse.admin.approvals.use_cases import approvals
from gatehouse.admin.audit import use_cases as audit_log
from gatehouse.admin.audit.types import AuditQuery
from gatehouse.admin.backup.use_cases import backup
from gatehouse.admin.configurations.types import (
    DocumentChange,
    DocumentToCheck,
    VersionReturn,
    VersionsWanted,
    VersionWanted,
)
from gatehouse.admin.configurations.use_cases import configurations
from gatehouse.admin.configurations.use_cases.configurations import NewVersion
from gatehouse.admin.keys import use_cases as keys
from gatehouse.admin.keys.types import KeyRevocation, KeyRotation, NewKey
from gatehouse.admin.lists.types import (
    EntriesToAdd,
    EntriesToRemove,
    EntrySearch,
    EntryToAdd,
    NewList,
    OperationSearch,
)
from gatehouse.admin.lists.use_cases import entries, lists
from gatehouse.admin.lists.use_cases.lists import (
    EntryPage,
    GivenEntries,
    ImportOptions,
    ListFile,
    NewEntries,
)
from gatehouse.admin.models.types import LabelAuditRequest, TrainingRequest
from gatehouse.admin.models.use_cases import versions
from gatehouse.admin.money.types import StatementQuery
from gatehouse.admin.money.use_cases import money, statements
from gatehouse.admin.money.use_cases.money import LedgerSearch
from gatehouse.admin.payments.use_cases import in_doubt
from gatehouse.admin.people.types import RoleContent
from gatehouse.admin.people.use_cases import roles
from gatehouse.admin.pipelines.use_cases import pipelines
from gatehouse.admin.pipelines.use_cases.pipelines import PIPELINES
from gatehouse.admin.rule_sets.types import BacktestRequest, TrialRequest
from gatehouse.admin.rule_sets.use_cases import declared, rule_backtest, rule_sets, rule_trial
from gatehouse.admin.rule_sets.use_cases.rule_sets import RULE_SETS
from gatehouse.admin.secrets.use_cases import secrets
from gatehouse.admin.usage import use_cases as usage
from gatehouse.admin.usage.types import UsageQuery
from gatehouse.billing.statement import UsageBy, month_period
from gatehouse.core.errors import ApprovalNeeded, NotFound
from gatehouse.operations.installation import open_admin_session, root_secrets
from gatehouse.rules.authoring import read_rule_set
from gatehouse.rules.list_entries import ListKind
from gatehouse.sentry.found.found_inputs import InputFinding, InputKind
from gatehouse.settings.settings import Settings, load_settings
from gatehouse.store.admin import audit
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.admin.use_case import Precondition, use_cases_in
from gatehouse.store.configured.account_signature import sign_account
from gatehouse.store.configured.list_plans import ListKey, PlannedEntry
from gatehouse.store.decisions.records import RecordSpan
from gatehouse.store.tables import GATEWAY_INTENTS, METADATA
from tests.harness import Home

REQUEST = "req_01m7gkqt91fjwbyay6v9mvenvs"
RULES = "rule_set: mine\nrules:\n  - {name: much, condition: order.amount > 100, outcome: REVIEW}\n"
SEEN_ANY = Precondition(any_version=True)
PIPELINE = b"pipeline: 7\nname: Seven\nstages:\n  - {stage: Rules, rule_set: mine}\n"
ENTRIES = ListFile("more.txt", lambda: contextlib.nullcontext(io.BytesIO(b"new\n")))


class Merchant(NamedTuple):
    """An account with something of everything."""

    session: AdminSession
    account_id: str
    key_id: str


UseCase = Callable[[AdminSession, str, str], object]
"""Called with a session, an account and one of its keys."""


def _rules(amount: int) -> NewVersion:
    return NewVersion(RULES.replace("100", str(amount)).encode())


def _span(account_id: str) -> RecordSpan:
    return RecordSpan(account_id, 0, 1)


PLAN_FOUND = {"plan": InputFinding(InputKind.CATEGORY)}
READING: dict[str, UseCase] = {
    "accounts.get": lambda s, a, k: accounts.get(s, a),
    "accounts.describe": lambda s, a, k: accounts.describe(s, a),
    "audit.list_lines": lambda s, a, k: audit_log.list_lines(s, a, AuditQuery()),
    "audit.lines": lambda s, a, k: audit_log.lines(s, a, 10),
    "audit.search": lambda s, a, k: audit_log.search(s, a, audit_log.LineSearch()),
    "configurations.compare": lambda s, a, k: configurations.compare(
        s, a, RULE_SETS, "mine", (None, 1)
    ),
    "configurations.get": lambda s, a, k: configurations.get(s, a, RULE_SETS, "mine"),
    "configurations.history": lambda s, a, k: configurations.history(s, a, RULE_SETS, "mine"),
    "configurations.listing": lambda s, a, k: configurations.listing(s, a, PIPELINES),
    "declared.listing": lambda s, a, k: declared.list_rule_sets(s, a),
    "declared.show": lambda s, a, k: declared.show(s, a, "mine", VersionWanted()),
    "declared.history": lambda s, a, k: declared.history(s, a, "mine", VersionsWanted()),
    "declared.check": lambda s, a, k: declared.check(s, a, DocumentToCheck(RULES)),
    "declared.try_rule_set": lambda s, a, k: declared.try_rule_set(
        s, a, TrialRequest(RULES, signals={})
    ),
    "keys.list_keys": lambda s, a, k: keys.list_keys(s, a),
    "keys.issued_by": keys.issued_by,
    "lists.get": lambda s, a, k: lists.get(s, a, "words"),
    "lists.planned": lambda s, a, k: lists.planned(s, a, "words", GivenEntries(["b"])),
    "lists.check_exists": lambda s, a, k: lists.check_exists(s, a, "words"),
    "lists.entries": lambda s, a, k: lists.entries(s, a, "words", EntryPage(0)),
    "entries.search_entries": lambda s, a, k: entries.search_entries(
        s, a, "words", EntrySearch("casino")
    ),
    "entries.list_operations": lambda s, a, k: entries.list_operations(
        s, a, "words", OperationSearch()
    ),
    "lists.entry_terms": lambda s, a, k: lists.entry_terms(
        s, ListKey(a, "words"), NewEntries()
    ).__enter__(),
    "lists.overview": lambda s, a, k: lists.overview(s, a),
    "roles.list_roles": lambda s, a, k: roles.list_roles(s, a),
    "roles.names": lambda s, a, k: roles.names(s, a),
    "roles.planned": lambda s, a, k: roles.planned(s, a, RoleContent("Night", [])),
    "roles.who_may": lambda s, a, k: roles.who_may(s, a, Permission.SEE),
    "versions.get_model": lambda s, a, k: versions.get_model(s, a),
    "versions.list_models": lambda s, a, k: versions.list_models(s, a),
    "versions.show_model": lambda s, a, k: versions.show_model(s, a, "0"),
    "versions.show_models": lambda s, a, k: versions.show_models(s, a),
    "versions.live_model": lambda s, a, k: versions.live_model(s, a),
    "money.get_balance": lambda s, a, k: money.get_balance(s, a),
    "money.ledger_page": lambda s, a, k: money.ledger_page(s, a, LedgerSearch(10)),
    "money.latest_movements": lambda s, a, k: money.latest_movements(s, a, 5),
    "money.spending_pace": lambda s, a, k: money.spending_pace(s, a),
    "in_doubt.get": lambda s, a, k: in_doubt.get(s, REQUEST),
    "in_doubt.listing": lambda s, a, k: in_doubt.listing(s, None, a, 10),
    "pipelines.get": lambda s, a, k: pipelines.get(s, a, 1),
    "found_inputs.list_found_inputs": lambda s, a, k: found_inputs.list_found_inputs(s, a),
    "costs.terms_of": lambda s, a, k: costs.terms_of(s, a),
    "policies.get_policies": lambda s, a, k: policies.get_policies(s, a),
    "policies.review_target": lambda s, a, k: policies.review_target(s, a),
    "rule_backtest.backtest": lambda s, a, k: rule_backtest.backtest(
        s, read_rule_set(RULES.encode()), _span(a), rule_backtest.BacktestOptions(), lambda *_: None
    ),
    "rule_sets.get": lambda s, a, k: rule_sets.get(s, a, "mine"),
    "rule_trial.recorded_case": lambda s, a, k: rule_trial.recorded_case(
        s, a, REQUEST, read_rule_set(RULES.encode())
    ),
    "statements.get_statement": lambda s, a, k: statements.get_statement(s, a, StatementQuery()),
    "statements.account_statement": lambda s, a, k: statements.account_statement(
        s, a, month_period("2026-10")
    ),
    "statements.quick_account_statement": lambda s, a, k: statements.quick_account_statement(
        s, a, month_period("2026-10"), statements.LedgerDays()
    ),
    "usage.get_usage": lambda s, a, k: usage.get_usage(s, a, UsageQuery()),
    "usage.quick_usage": lambda s, a, k: usage.quick_usage(
        s, a, UsageQuery(by=UsageBy.KEY), usage.sender_days()
    ),
    "rule_trial.try_rules_with_lists": lambda s, a, k: rule_trial.try_rules_with_lists(
        s, a, read_rule_set(RULES.encode()), rule_trial.TrialCase({}, 0)
    ),
}
"""Each reads what belongs to an account."""

CHANGING: dict[str, tuple[UseCase, str]] = {
    "configurations.apply": (
        lambda s, a, k: configurations.apply(s, a, RULE_SETS, NewVersion(RULES.encode())),
        "rules.apply",
    ),
    "rule_sets.apply": (lambda s, a, k: rule_sets.apply(s, a, _rules(300)), "rules.apply"),
    "configurations.roll_back": (
        lambda s, a, k: configurations.roll_back(s, a, RULE_SETS, "mine", VersionReturn()),
        "rules.activate",
    ),
    "declared.apply": (
        lambda s, a, k: declared.apply(s, a, "mine", DocumentChange(RULES), False, SEEN_ANY),
        "rules.apply",
    ),
    "declared.roll_back": (
        lambda s, a, k: declared.roll_back(s, a, "mine", VersionReturn()),
        "rules.activate",
    ),
    "pipelines.apply": (
        lambda s, a, k: pipelines.apply(s, a, NewVersion(PIPELINE)),
        "pipeline.apply",
    ),
    "declared.start_backtest": (
        lambda s, a, k: declared.start_backtest(s, a, BacktestRequest(RULES)),
        "job.start",
    ),
    "versions.start_training": (
        lambda s, a, k: versions.start_training(s, a, TrainingRequest()),
        "job.start",
    ),
    "audit.export_lines": (
        lambda s, a, k: list(audit_log.export_lines(s, a, audit_log.LineSearch())),
        "audit.export",
    ),
    "versions.start_label_audit": (
        lambda s, a, k: versions.start_label_audit(s, a, LabelAuditRequest()),
        "job.start",
    ),
    "keys.issue": (lambda s, a, k: keys.issue(s, a, NewKey(expires_in_s=1)), "key.issue"),
    "keys.issue_for_playground": (
        lambda s, a, k: keys.issue_for_playground(s, a, ("precheck",), 1000),
        "key.playground",
    ),
    "keys.rotate": (lambda s, a, k: keys.rotate(s, a, k, KeyRotation(1)), "key.rotate"),
    "keys.revoke": (lambda s, a, k: keys.revoke(s, a, k, KeyRevocation("lost")), "key.revoke"),
    "roles.make_role": (
        lambda s, a, k: roles.make_role(s, a, RoleContent("Night", [])),
        "role.make",
    ),
    "lists.create": (
        lambda s, a, k: lists.create(s, a, NewList("n", ListKind.WORDS)),
        "list.create",
    ),
    "lists.add": (
        lambda s, a, k: lists.add(s, a, "words", GivenEntries(["b"]), NewEntries()),
        "list.add",
    ),
    "lists.put": (
        lambda s, a, k: lists.put(s, a, "words", [PlannedEntry("b", "b")]),
        "list.add",
    ),
    "lists.take": (
        lambda s, a, k: lists.take(s, a, "words", [PlannedEntry("a", "a")]),
        "list.remove",
    ),
    "lists.remove": (
        lambda s, a, k: lists.remove(s, a, "words", GivenEntries(["a"])),
        "list.remove",
    ),
    "lists.import_file": (
        lambda s, a, k: lists.import_file(s, a, "words", ENTRIES, ImportOptions()),
        "list.add",
    ),
    "entries.add_entries": (
        lambda s, a, k: entries.add_entries(s, a, "words", EntriesToAdd([EntryToAdd("b")])),
        "list.add",
    ),
    "entries.remove_entries": (
        lambda s, a, k: entries.remove_entries(s, a, "words", EntriesToRemove(["a"])),
        "list.remove",
    ),
    "lists.export_entries": (lambda s, a, k: lists.export_entries(s, a, "words"), "list.export"),
    "lists.drop": (lambda s, a, k: lists.drop(s, a, "words"), "list.drop"),
    "money.adjust": (lambda s, a, k: money.adjust(s, a, -1, "fix"), "balance.adjust"),
    "money.set_prices": (lambda s, a, k: money.set_prices(s, a, {"RULES": "1"}), "account.fees"),
    "money.top_up": (lambda s, a, k: money.top_up(s, a, 5, ""), "balance.top-up"),
    "in_doubt.retry": (lambda s, a, k: in_doubt.retry(s, [REQUEST]), "gateway.retry"),
    "found_inputs.set_found_input": (
        lambda s, a, k: found_inputs.set_found_input(s, a, FoundInputChoice("plan", False)),
        "account.policies",
    ),
    "found_inputs.keep_findings": (
        lambda s, a, k: found_inputs.keep_findings(
            s, a, {"plan": InputFinding(InputKind.CATEGORY)}
        ),
        "account.policies",
    ),
    "policies.set_precheck_policy": (
        lambda s, a, k: policies.set_precheck_policy(
            s, a, PreCheckPolicyBody.read({"NO_MATCH": "DECLINE"}, {})
        ),
        "account.policies",
    ),
    "policies.set_review_target": (
        lambda s, a, k: policies.set_review_target(s, a, 4),
        "account.policies",
    ),
    "costs.set_costs": (
        lambda s, a, k: costs.set_costs(s, a, CostsBody("USD", 0.25)),
        "account.policies",
    ),
    "costs.clear_costs": (lambda s, a, k: costs.clear_costs(s, a), "account.policies"),
    "policies.set_sentry_policy": (
        lambda s, a, k: policies.set_sentry_policy(s, a, SentryPolicyBody(["plan"])),
        "account.policies",
    ),
    "money.set_credit_limit": (
        lambda s, a, k: money.set_credit_limit(s, a, 5_000_000),
        "account.credit-limit",
    ),
    "accounts.rename": (lambda s, a, k: accounts.rename(s, a, "New"), "account.rename"),
    "accounts.seed_defaults": (lambda s, a, k: accounts.seed_defaults(s, a), "account.furnish"),
}
"""Each changes what belongs to an account, and the action of its audit line."""

WHOLE: dict[str, tuple[Callable[[AdminSession, Any], object], str | None]] = {
    "accounts.create": (lambda s, r: accounts.create(s, "Shop", "USD"), "account.create"),
    "audit.head": (lambda s, r: audit_log.head(s), None),
    "audit.search_all": (
        lambda s, r: audit_log.search_all(s, audit_log.LineSearch()),
        None,
    ),
    "audit.verify": (lambda s, r: audit_log.verify(s), None),
    "money.verify_ledger": (lambda s, r: money.verify_ledger(s), None),
    "statements.all_statements": (
        lambda s, r: list(statements.all_statements(s, month_period("2026-10"))),
        None,
    ),
    "secrets.convert_fingerprints": (
        lambda s, r: secrets.convert_fingerprints(s, int),
        "secrets.convert-fingerprints",
    ),
    "secrets.key_versions": (lambda s, r: secrets.key_versions(s), None),
    "secrets.refused_configurations": (lambda s, r: secrets.refused_configurations(s), None),
    "secrets.sign_configuration": (
        lambda s, r: secrets.sign_configuration(s),
        "configuration.sign",
    ),
    "secrets.sign_connectors": (lambda s, r: secrets.sign_connectors(s), "configuration.sign"),
    "secrets.renew_fingerprints": (
        secrets.renew_fingerprints,
        "secrets.renew-fingerprints",
    ),
    "secrets.renew_identities": (
        secrets.renew_identities,
        "secrets.renew-identities",
    ),
    "secrets.rotate_root": (lambda s, r: secrets.rotate_root(s, r, r[0]), "secrets.rotate-root"),
}
"""Each concerns all accounts; the action of its audit line, None where it only reads."""

TESTED_ELSEWHERE = {
    "rule_backtest.prepare_trial": "tests/backtest, and previews in tests/figures",
    "configurations.check_usable": "tests/web/test_pipeline_fees.py",
    "accounts.close": "tests/admin/test_closing.py",
    "accounts.reopen": "tests/admin/test_closing.py",
    "accounts.listing": "below: it lists only what the actor may see",
    "default_account.ensure_demo": "tests/admin/test_default_account.py",
    "default_account.resolve_account": "tests/admin/test_default_account.py",
    "roles.get_role": "tests/admin/people/test_roles.py",
    "roles.change_role": "tests/admin/people/test_roles.py",
    "roles.delete_role": "tests/admin/people/test_roles.py",
    "usage.usage_figures": "tests/figures/test_figures.py",
    "versions.promote_model": "tests/admin/test_models.py",
    "versions.roll_back_model": "tests/admin/test_models.py",
    "model_files.export_model": "tests/admin/test_model_files.py",
    "model_files.import_model": "tests/admin/test_model_files.py",
}


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    return load_settings(Home(tmp_path_factory.mktemp("use-cases") / "home").environ())


@pytest.fixture(scope="module")
def operator(settings: Settings) -> Iterator[AdminSession]:
    session = open_admin_session(settings, Actor.operator("ada"))
    yield session
    session.database.dispose()


@pytest.fixture
def merchant(operator: AdminSession) -> Merchant:
    return _merchant(operator)


@pytest.fixture(scope="module")
def unchanged(operator: AdminSession) -> Merchant:
    """One for all tests that change nothing."""
    return _merchant(operator)


@pytest.fixture(scope="module")
def other(operator: AdminSession) -> str:
    return accounts.create(operator, "Other", "USD").account.account_id


def _merchant(operator: AdminSession) -> Merchant:
    account_id = accounts.create(operator, "Shop", "USD", 100).account.account_id
    key_id = keys.issue(operator, account_id, NewKey()).issued.key_id
    rule_sets.apply(operator, account_id, _rules(100))
    rule_sets.apply(operator, account_id, _rules(200))
    lists.add(operator, account_id, "words", GivenEntries(["a"]), NewEntries(ListKind.WORDS))
    failed = {"request_id": REQUEST, "account_id": account_id, "amount_minor": 1, "currency": "USD",
              "at_ms": 1, "state": "FAILED", "attempts": 9, "changed_at_ms": 1}  # fmt: skip
    with operator.change() as change:
        change.connection.execute(GATEWAY_INTENTS.delete())
        change.connection.execute(GATEWAY_INTENTS.insert(), failed)
        change.audit("test")
    return Merchant(operator, account_id, key_id)


def everything(session: AdminSession) -> dict[str, Any]:
    """All rows of all tables, as the file has them."""
    with session.reading() as connection:
        return {
            name: connection.exec_driver_sql(f"SELECT * FROM {name}").fetchall()
            for name in METADATA.tables
        }


def trail(session: AdminSession) -> list[tuple[str, str]]:
    with session.reading() as connection:
        return [(line.action, line.actor) for line in audit.read(connection, None, 100_000)]


def changes_with_one_line(session: AdminSession, case: Callable[[], object], action: str) -> None:
    """A change whose audit line cannot be written does not happen; otherwise it leaves one line."""
    before, lines = everything(session), trail(session)
    with pytest.MonkeyPatch.context() as patch:

        def fails(*_: object) -> None:
            raise OSError("no room for the audit log")

        patch.setattr(audit, "append", fails)
        with pytest.raises(OSError, match="no room"):
            case()
    assert everything(session) == before
    case()
    assert trail(session) == [*lines, (action, str(session.actor))]
    assert everything(session) != before


@pytest.mark.parametrize("name", [*READING, *CHANGING])
def test_another_account_s_things_do_not_exist(name: str, unchanged: Merchant, other: str) -> None:
    case = READING[name] if name in READING else CHANGING[name][0]
    session, account_id, key_id = unchanged
    before = everything(session)
    with pytest.raises(NotFound, match=r"^no (account|payment of)"):
        case(session.acting_as(Actor.key("key_1", other)), account_id, key_id)
    assert everything(session) == before


@pytest.mark.parametrize("name", WHOLE)
def test_what_concerns_all_accounts_is_not_for_a_key_of_one(
    name: str, unchanged: Merchant, settings: Settings
) -> None:
    before = everything(unchanged.session)
    session = unchanged.session.acting_as(Actor.key("key_1", unchanged.account_id))
    with pytest.raises(NotFound, match="only for operators"):
        WHOLE[name][0](session, root_secrets(settings))
    assert everything(unchanged.session) == before


def test_a_key_finds_its_own_account_and_what_belongs_to_it(merchant: Merchant) -> None:
    own = merchant.session.acting_as(Actor.key(merchant.key_id, merchant.account_id))
    assert [each.account.account_id for each in accounts.listing(own)] == [merchant.account_id]
    assert [each.request_id for each in in_doubt.listing(own, None, None, 10)] == [REQUEST]
    without_records = {"rule_trial.recorded_case", "rule_backtest.backtest"}
    for name, case in READING.items():
        if name not in without_records:
            case(own, merchant.account_id, merchant.key_id)


@pytest.mark.parametrize("name", CHANGING)
def test_a_change_of_an_account_leaves_one_line_that_names_the_actor(
    name: str, merchant: Merchant
) -> None:
    case, action = CHANGING[name]
    if name == "accounts.seed_defaults":
        with merchant.session.change() as change:
            for table in ("configurations", "configuration_heads", "lists"):
                change.connection.execute(METADATA.tables[table].delete())
            sign_account(change, merchant.account_id)
            change.audit("test")
    session = merchant.session.acting_as(Actor.key(merchant.key_id, merchant.account_id))
    changes_with_one_line(
        session, lambda: case(session, merchant.account_id, merchant.key_id), action
    )


@pytest.mark.parametrize("name", [name for name, (_, action) in WHOLE.items() if action])
def test_a_change_of_the_installation_leaves_one_line_that_names_the_actor(
    name: str, operator: AdminSession, settings: Settings
) -> None:
    case, action = WHOLE[name]
    roots = root_secrets(settings)
    changes_with_one_line(operator, lambda: case(operator, roots), str(action))


ALONE: Final = {
    *("accounts.rename", "accounts.seed_defaults", "audit.export_lines", "lists.export_entries"),
    *("keys.issue", "keys.issue_for_playground", "keys.rotate", "keys.revoke", "lists.create"),
    *("policies.set_review_target", "found_inputs.keep_findings", "in_doubt.retry"),
    *("declared.start_backtest", "versions.start_training", "versions.start_label_audit"),
    "roles.make_role",
}
"""What one person changes alone although the account wants two for everything that can be chosen;
`test_approval_kinds` says why. A role needs two when it approves."""


@pytest.mark.parametrize("name", sorted({*CHANGING} - {"accounts.seed_defaults"}))
def test_what_two_must_agree_on_is_not_changed_by_one(name: str, merchant: Merchant) -> None:
    session, account_id, key_id = merchant
    approvals.set_wanted(session, account_id, approvals.CHOICES)
    before = everything(session)
    try:
        CHANGING[name][0](session, account_id, key_id)
    except ApprovalNeeded:
        assert everything(session) == before
        assert name not in ALONE
    else:
        assert name in ALONE


def test_an_opening_balance_is_a_top_up_of_its_own(operator: AdminSession) -> None:
    before = len(trail(operator))
    accounts.create(operator, "Shop", "USD", 5)
    made = [action for action, _ in trail(operator)[before:]]
    assert made == ["account.create", "balance.top-up"]


def test_a_backup_is_audited_and_not_for_a_key(
    operator: AdminSession, settings: Settings, tmp_path: Path
) -> None:
    before = trail(operator)
    with pytest.raises(NotFound, match="only for operators"):
        backup.write_backup(settings, Actor.key("key_1", "acct_1"), tmp_path / "copy")
    assert not (tmp_path / "copy").exists()
    assert backup.write_backup(settings, Actor.operator("bob"), tmp_path / "copy") > 0
    assert trail(operator) == [*before, ("backup", "cli:bob")]


def test_every_use_case_of_these_modules_is_tried_here() -> None:
    tried = {*READING, *CHANGING, *WHOLE, *TESTED_ELSEWHERE}
    modules = {name.partition(".")[0] for name in tried}
    found = set()
    for name in _use_case_modules():
        short = name.removesuffix(".use_cases").rpartition(".")[2]
        if short not in modules:
            continue
        found.add(short)
        module = importlib.import_module(name)
        assert {f"{short}.{each.__name__}" for each in use_cases_in(module)} <= tried
        for function_name, function in inspect.getmembers(module, inspect.isfunction):
            if function.__module__ != name or function_name.startswith("_"):
                continue
            first = next(iter(inspect.signature(function).parameters.values()), None)
            if first is not None and first.name == "session":
                assert f"{short}.{function_name}" in tried
    assert found == modules


def _use_case_modules() -> list[str]:
    """Every module of use cases: a subject has one of that name, or a folder of them."""
    root = Path(gatehouse.admin.__file__).parent
    files = [*root.glob("*/use_cases.py"), *root.glob("*/use_cases/[!_]*.py")]
    return [
        "gatehouse.admin." + ".".join(each.relative_to(root).with_suffix("").parts)
        for each in files
    ]

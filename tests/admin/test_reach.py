"""What merchants' programs can reach of the administration layer, and what they cannot, and why."""

import ast
from pathlib import Path
from typing import Final

import gatehouse
import gatehouse.admin

ROOT: Final = Path(gatehouse.__file__).parent
ADMIN: Final = Path(gatehouse.admin.__file__).parent
NO_USE_CASES: Final = {
    *("command", "command.py", "pages", "pages.py", "queries", "queries.py"),
    *("scopes.py", "opening.py"),
}
FACES: Final = (
    *sorted((ROOT / "api").rglob("*.py")),
    *sorted(ADMIN.glob("*/routes*")),
    *sorted(ADMIN.glob("*/routes/*.py")),
    # Declared use cases, and what these call.
    *sorted(path for path in ADMIN.rglob("*.py") if "\n@use_case(" in path.read_text()),
    *sorted(ADMIN.glob("*/use_cases/declared.py")),
    # What the web calls on threads, by classes of its own.
    *sorted(ADMIN.glob("*/worker*")),
    *sorted(ADMIN.glob("*/worker/*.py")),
    *(ADMIN / "decisions/use_cases/decisions.py", ADMIN / "money/use_cases/statements.py"),
)
NOT_OFFERED: Final = {
    "The installation and all its accounts are the operator's": {
        *("accounts.create", "accounts.listing", "accounts.rename", "accounts.close"),
        *("accounts.reopen", "audit.lines", "audit.head", "audit.verify"),
        "audit.search_all",
        *(
            "accounts.default_account.",
            "backup.data_proof.",
            "money.statements.all_statements",
            "money.verify_ledger",
        ),
        *(
            "privacy.retention.",
            "privacy.partitions.",
            "secrets.",
            "memory.rebuilding.",
            "memory.filling.",
            "payments.",
        ),
        *(
            "jobs.worker.running.run_job",
            "memory.worker.live_memory.",
            "memory.worker.memory_points.",
        ),
        "sandbox.",
    },
    "Connectors are shared by accounts, and name hosts and secrets": {
        *("connectors.", "notifications.installation."),
    },
    "Money is the operator's; merchants read balance, statement and usage": {
        *("money.set_prices", "money.top_up", "money.adjust", "usage.quick_usage"),
        *("money.spending_pace", "money.ledger_page", "money.set_credit_limit"),
        *("invoices.closing.", "invoices.all_accounts.", "invoices.entries_of_month"),
        *("invoices.parties.get_seller", "invoices.parties.set_seller"),
        "invoices.parties.set_billing_details",
    },
    "New accounts have the starter set; an account without it is the operator's doing": {
        "accounts.seed_defaults",
    },
    "Personal data in clear leaves the service only at a terminal": {
        *("identities.records.export_records", "privacy.export."),
    },
    "Keys and sealed records of all accounts": {
        *("identities.records.count_records", "identities.records.compact_records"),
        "identities.records.reencrypt_records",
    },
    "Files of a history are larger than any request": {
        *("models.training.train_on_history", "models.replays.", "models.versions.live_model"),
        *("models.label_audit.audit_history", "models.training.replay_history"),
    },
    "Part of another use case that is offered": {
        *(
            "configurations.in_force.",
            "configurations.check_usable",
            "rule_sets.rule_backtest.prepare_trial",
            "rule_sets.one_rule.changed_version",
            "model_trials.trials.newest_trial",
            "model_trials.shadows.shadow_of",
            "search.people.",
            "rule_sets.get",
            *("workload.bulk.begin", "workload.bulk.begin_with", "workload.bulk.selected"),
            "pipelines.get",
            "lists.add",
        ),
        *("models.versions.list_models", "models.versions.get_model"),
        "models.training.read_past",
        *("rule_sets.apply", "pipelines.apply", "identities.selection.check_scope"),
        *("accounts.get", "money.statements.account_statement", "programmes.alerts.alerts_now"),
        *("feedback.record.record_feedback", "feedback.record.record_fields"),
        *("evidence.delivery_of", "evidence.note_look"),
        *("evidence.dispute_files.keep_file", "evidence.dispute_files.read_file"),
        "evidence.papers.evidence_paper",
    },
    "On a copy of decisions; programs have it made by a job": {
        *("reports.check_begun", "reports.making.", "reports.settings.zone_of_account"),
        *("programmes.enumeration.estimate_now", "programmes.enumeration.estimate_enumeration"),
    },
    "For tables of a terminal; programs search and page": {
        *("feedback.record.list_feedback", "events.newest_events", "decisions.", "search."),
        *("reviews.", "workload.review_bulk."),
    },
    "Done by servers that send webhooks": {
        *("webhooks.worker.delivery.open_delivery", "webhooks.endpoints.disable"),
    },
    "For operators, who look at all accounts": {"webhooks.makers.beyond_their_makers"},
    "For people at work in a browser": {
        *("accounts.policies.review_target", "accounts.policies.set_review_target"),
        "accounts.order_page.",
        *("evidence.dispute_desk.disputes_of", "evidence.keeping.kept_of", "rings.glimpse"),
        *("audit.search", "audit.export_lines"),
        "top_ups.ask",
        "top_ups.offered",
        *("money.latest_movements", "money.statements.quick_account_statement"),
        *("workload.queue.count_queue", "workload.queue.plan_day"),
        *("entities.", "configurations.compare", "pipelines.pipeline_trial."),
        *(
            "pipelines.pipeline_rehearsal.",
            "lists.list_lookup.",
            "lists.export_entries",
            "keys.issue_for_playground",
            "jobs.get_job",
            "jobs.list_jobs",
        ),
    },
    "For proposals, which people make": {
        *("lists.planned", "lists.put", "lists.take", "alerts.entries_to_block"),
        "experiments.check_startable",
        "rings.proposed_blocking",
    },
    "For people who revoke a key; a key sees the parents of others in its list": {
        "keys.issued_by",
    },
    "People sign in to the console; a key is no person": {"people.", "sign_in.", "approvals."},
    "Events have routes of their own, `/api/v1/events`": {"events."},
    "An archive lies on a disk or in a bucket of the operator": {"archive."},
    "Counted on a copy that only the process of the console keeps": {
        *("figures.", "explore."),
        "programmes.replaying.replay_columns",
    },
}


def _short(name: str) -> str:
    """The name of a use case without what every subject has in it."""
    subject, _, rest = name.replace(".use_cases", "").partition(".")
    return f"{subject}.{rest.removeprefix(subject + '.')}"


def use_cases() -> set[str]:
    """Every public function that takes a session, by module and name."""
    return {
        _short(f"{'.'.join(path.relative_to(ADMIN).with_suffix('').parts)}.{node.name}")
        for path in ADMIN.rglob("*.py")
        if not NO_USE_CASES & {*path.relative_to(ADMIN).parts}
        for node in ast.parse(path.read_text()).body
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_")
        if any("AdminSession" in ast.unparse(arg.annotation or arg) for arg in node.args.args)
        # What is declared is offered.
        if not any("use_case" in ast.unparse(each) for each in node.decorator_list)
    }


def reached() -> set[str]:
    """What the faces of programs import or call, by module and name."""
    found: set[str] = set()
    files = [path for path in FACES if path.suffix == ".py"]
    assert len(files) > 80
    for path in files:
        tree = ast.parse(path.read_text())
        modules: dict[str, str] = {}
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(
                "gatehouse.admin"
            ):
                inside = (node.module or "").removeprefix("gatehouse.admin").lstrip(".")
                for name in node.names:
                    whole = f"{inside}.{name.name}".lstrip(".")
                    found.add(_short(whole))
                    modules[name.asname or name.name] = whole
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                found.add(_short(f"{modules.get(node.value.id, '?')}.{node.attr}"))
    return found


def test_every_use_case_is_offered_to_programs_or_left_out_for_a_reason() -> None:
    left_out = tuple(set().union(*NOT_OFFERED.values()))
    known = use_cases()
    missing = {
        each
        for each in known - reached()
        if each not in left_out
        and not any(each.startswith(name) for name in left_out if name.endswith("."))
    }
    assert sorted(missing) == []
    for name in left_out:
        assert any(each == name or (name[-1] == "." and name in each) for each in known), name

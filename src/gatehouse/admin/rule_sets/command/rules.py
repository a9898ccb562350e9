"""gatehouse rules: check, apply, list, show, history, rollback, test, signals."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from gatehouse.admin.configurations.command import (
    Base,
    To,
    Version,
    read_document,
    roll_back,
    show_applied,
    show_history,
)
from gatehouse.admin.opening import open_account
from gatehouse.admin.rule_sets.command.rules_backtest import backtest
from gatehouse.cli.arguments import AccountOption, AsJson, Note, argument, option, read_file
from gatehouse.cli.completing import rule_set_names
from gatehouse.cli.output import columns, show, table
from gatehouse.core.errors import InvalidInput, WrongUsage

if TYPE_CHECKING:
    from gatehouse.admin.rule_sets.types import TrialResponse, TriedRule
    from gatehouse.rules.ruleset import RuleSet

app = typer.Typer(no_args_is_help=True)
app.command("backtest")(backtest)

RuleSetFileArgument = Annotated[str, argument("FILE", "The rule set as YAML; - for stdin.")]
RuleSetArgument = Annotated[
    str, argument("NAME", "Name of the rule set.", autocompletion=rule_set_names)
]

_REFUSED = 4


@app.command()
def check(file: RuleSetFileArgument, as_json: AsJson = False) -> None:
    """Say everything that is wrong in a file; change nothing.

    Whether the named lists exist is looked at by apply, which knows the account.
    """
    from gatehouse.admin.rule_sets.use_cases.rule_sets import lists_of
    from gatehouse.core.documents.reading import DocumentRefused
    from gatehouse.rules.authoring import read_rule_set

    try:
        rule_set = read_rule_set(read_document(file))
    except DocumentRefused as refused:
        if not as_json:
            raise
        show({"valid": False, "flaws": refused.flaws}, "", as_json=True)
        raise typer.Exit(_REFUSED) from None
    lists = lists_of(rule_set)
    signals = {name for rule in rule_set.rules for name in rule.condition.signals}
    data = {
        **{"valid": True, "ruleSet": rule_set.name, "rules": len(rule_set.rules)},
        **{"signals": sorted(signals), "lists": lists},
    }
    text = (
        f"rule set {rule_set.name} is well-formed: {len(rule_set.rules)} rules over "
        f"{len(signals)} signals and {len(lists)} lists"
    )
    show(data, text, as_json)


@app.command()
def apply(
    file: RuleSetFileArgument,
    account: AccountOption = None,
    note: Note = None,
    base: Base = None,
    as_json: AsJson = False,
) -> None:
    """Make a file the next version of its rule set; requests use it within a second."""
    from gatehouse.admin.configurations.use_cases.configurations import NewVersion
    from gatehouse.admin.rule_sets.use_cases import rule_sets

    new = NewVersion(read_document(file), base, note)
    session, account_id = open_account(account)
    applied = rule_sets.apply(session, account_id, new)
    layout_only = " (only its layout or comments changed)"
    show_applied(rule_sets.RULE_SETS, account_id, applied, layout_only, as_json=as_json)


@app.command("list")
def list_rule_sets(account: AccountOption = None, as_json: AsJson = False) -> None:
    """List the rule sets of an account."""
    from gatehouse.admin.configurations.use_cases.configurations import listing
    from gatehouse.admin.rule_sets.use_cases.rule_sets import RULE_SETS

    session, account_id = open_account(account)
    data = [
        {
            "ruleSet": each.definition.name,
            "version": each.version,
            "rules": len(each.definition.rules),
            "description": each.definition.description,
        }
        for each in listing(session, account_id, RULE_SETS)
    ]
    headings = ("RULE SET", "VERSION", "RULES", "DESCRIPTION")
    text = columns(headings, data, ("ruleSet", "version", "rules", "description"))
    show(data, text, as_json)


@app.command("show")
def show_rule_set(
    name: Annotated[
        str | None,
        argument(
            "NAME", "Name of the rule set. Default: the only one.", autocompletion=rule_set_names
        ),
    ] = None,
    account: AccountOption = None,
    version: Version = None,
    as_json: AsJson = False,
) -> None:
    """Print a rule set as it was applied, to read it or to change it."""
    from gatehouse.admin.rule_sets.use_cases import rule_sets

    session, account_id = open_account(account)
    found = rule_sets.get(session, account_id, name, version)
    data = {
        **{"accountId": account_id, "ruleSet": found.definition.name, "version": found.version},
        **_data(found.definition),
        **{"active": found.in_force, "document": found.document},
    }
    show(data, found.document.rstrip("\n"), as_json)


@app.command()
def history(name: RuleSetArgument, account: AccountOption = None, as_json: AsJson = False) -> None:
    """List all versions of a rule set, newest first."""
    from gatehouse.admin.rule_sets.use_cases.rule_sets import RULE_SETS

    show_history(RULE_SETS, account, name, as_json=as_json)


@app.command()
def rollback(
    name: RuleSetArgument, account: AccountOption = None, to: To = None, as_json: AsJson = False
) -> None:
    """Put an earlier version of a rule set in force again; requests use it within a second."""
    from gatehouse.admin.rule_sets.use_cases.rule_sets import RULE_SETS

    roll_back(RULE_SETS, account, name, to, as_json=as_json)


@app.command("test")
def try_case(
    file: RuleSetFileArgument,
    case: Annotated[
        str | None,
        option(
            'JSON with {"signals": {name: value}}, or a decision as the API returns it.',
            "--case",
            metavar="CASE",
        ),
    ] = None,
    request: Annotated[
        str | None, option("Id of a recorded request.", "--request", metavar="REQUEST")
    ] = None,
    every: Annotated[bool, option("Also show the rules that do not match.", "--all")] = False,
    account: AccountOption = None,
    as_json: AsJson = False,
) -> None:
    """Show which rules of a file match a case, and the values that they looked at."""
    from gatehouse.admin.rule_sets.use_cases import rule_trial
    from gatehouse.admin.rule_sets.use_cases.rule_sets import lists_of
    from gatehouse.rules.authoring import read_rule_set

    if (case is None) == (request is None):
        raise WrongUsage("give one case: a file with --case, or a recorded request with --request")
    rule_set = read_rule_set(read_document(file))
    if request is not None:
        tried = rule_trial.recorded_case(*open_account(account), request, rule_set)
    else:
        content = read_file(str(case), rule_trial.LARGEST_CASE_BYTES)
        tried = rule_trial.read_case(content, rule_set)
    if lists_of(rule_set):
        result = rule_trial.try_rules_with_lists(*open_account(account), rule_set, tried)
    else:
        result = rule_trial.try_rules(rule_set, tried)
    show(result, _trial_text(result, every=every), as_json)


@app.command()
def signals(
    group: Annotated[str | None, option("Only these: card, ip, velocity, sentry, ...")] = None,
    as_json: AsJson = False,
) -> None:
    """List everything that a condition can speak of."""
    from gatehouse.conditions.catalogue import SIGNALS
    from gatehouse.core.documents.reading import suggestion

    groups = list(dict.fromkeys(info.group for info in SIGNALS.values()))
    if group is not None and group not in groups:
        raise InvalidInput(f"there is no group {group}{suggestion(group, groups)}")
    found = [info for info in SIGNALS.values() if group in (None, info.group)]
    rows = [(info.name, info.type, info.example, info.about) for info in found]
    show(found, table(("SIGNAL", "TYPE", "EXAMPLE", "ABOUT"), rows), as_json)


def _data(rule_set: "RuleSet") -> dict[str, Any]:
    return {
        "description": rule_set.description,
        "inputs": rule_set.inputs,
        "rules": [
            {
                **{"name": rule.name, "condition": rule.condition.text, "outcome": rule.outcome},
                **{"tags": rule.tags, "description": rule.description},
                **{"final": rule.final, "shadow": rule.shadow},
            }
            for rule in rule_set.rules
        ],
    }


def _trial_text(result: "TrialResponse", *, every: bool) -> str:
    """The decision and a table of the rules, for people."""
    by = f", decided by {result.final_by}" if result.final_by else ""
    head = f"{result.status}{by}"
    if not any(each.matches for each in result.rules):
        head += ", no rule matches"
    rows = [
        (each.name, "yes" if each.matches else "no", _outcome(each), _values(each))
        for each in result.rules
        if every or each.matches
    ]
    if not rows:
        return head
    return f"{head}\n\n{table(('RULE', 'MATCHES', 'OUTCOME', 'LOOKED AT'), rows)}"


def _outcome(each: "TriedRule") -> str:
    mark = " (final)" if each.final else " (shadow)" if each.shadow else ""
    return f"{each.outcome}{mark}"


def _values(each: "TriedRule") -> str:
    shown = [f"{name} = {_literal(value)}" for name, value in each.signals.items()]
    shown += [
        f"{answer.signal} {'on' if answer.listed else 'not on'} {answer.list}"
        for answer in each.lists
        if answer.listed is not None
    ]
    return ", ".join(shown)


def _literal(value: Any) -> str:
    from gatehouse.admin.rule_sets.use_cases.rule_trial import shortened

    if value is None or value != value:  # noqa: PLR0124  # NaN
        return "NULL"
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, list | tuple):
        return shortened("[" + ", ".join(map(str, value)) + "]")
    return shortened(f"'{value}'") if isinstance(value, str) else repr(value).removesuffix(".0")

"""gatehouse rules: check, apply, list, show, history, rollback, test, signals."""

from typing import TYPE_CHECKING, Annotated, Any

import sqlalchemy as sa
import typer

from gatehouse.cli.common import AccountOption, AsJson, read_file, show, table
from gatehouse.cli.configured.versions import (
    Base,
    Note,
    To,
    VersionTarget,
    go_back,
    opened,
    put_in_force,
    show_history,
)
from gatehouse.core.errors import InvalidInput
from gatehouse.store.configured import configurations
from gatehouse.store.configured.configurations import RULES, StoredVersion

if TYPE_CHECKING:
    from gatehouse.conditions.compile_python import Lists
    from gatehouse.rules.ruleset import RuleSet

app = typer.Typer(help="Rule sets: what is decided about a request.", no_args_is_help=True)

RuleSetFileArgument = Annotated[
    str, typer.Argument(metavar="FILE", help="The rule set as YAML; - for stdin.")
]
RuleSetArgument = Annotated[str, typer.Argument(metavar="NAME", help="Name of the rule set.")]

_REFUSED = 4


@app.command()
def check(file: RuleSetFileArgument, as_json: AsJson = False) -> None:
    """Say everything that is wrong in a file; change nothing.

    Whether the named lists exist is looked at by apply, which knows the account.
    """
    from gatehouse.core.documents import DocumentRefused

    try:
        rule_set = _read(_content(file))
    except DocumentRefused as refused:
        if not as_json:
            raise
        show({"valid": False, "flaws": refused.flaws}, "", as_json=True)
        raise typer.Exit(_REFUSED) from None
    lists = sorted({name for rule in rule_set.rules for _, name in rule.condition.lists})
    signals = {name for rule in rule_set.rules for name in rule.condition.signals}
    data = {
        **{"valid": True, "ruleSet": rule_set.name, "rules": len(rule_set.rules)},
        **{"signals": sorted(signals), "lists": lists},
    }
    text = (
        f"rule set {rule_set.name} is well-formed: {len(rule_set.rules)} rules over "
        f"{len(signals)} signals and {len(lists)} lists"
    )
    show(data, text, as_json=as_json)


@app.command()
def apply(
    file: RuleSetFileArgument,
    account: AccountOption = None,
    note: Note = None,
    base: Base = None,
    as_json: AsJson = False,
) -> None:
    """Make a file the next version of its rule set; requests use it within a second."""
    from gatehouse.rules.authoring import differences
    from gatehouse.rules.ruleset import decode_program, encode_program

    content = _content(file)
    rule_set = _read(content)
    place = VersionTarget(*opened(account), RULES, rule_set.name)
    current = place.in_force()
    version, changed = put_in_force(
        place,
        (content, encode_program(rule_set)),
        lambda connection: _check_lists(connection, place.account_id, rule_set),
        base=current.version if base is None and current is not None else base,
        note=note,
    )
    old = None if current is None else decode_program(current.program)
    lines = differences(old, rule_set) if changed else []
    data = {
        "accountId": place.account_id,
        "ruleSet": rule_set.name,
        "version": version,
        "changed": changed,
        "differences": lines,
    }
    told = "is now at" if changed else "is unchanged, at"
    head = f"rule set {rule_set.name} {told} version {version}"
    if changed and not lines:
        head += " (only its layout or comments changed)"
    show(data, "\n".join([head, *lines]), as_json=as_json)


@app.command("list")
def list_rule_sets(account: AccountOption = None, as_json: AsJson = False) -> None:
    """List the rule sets of an account."""
    from gatehouse.rules.ruleset import decode_program

    place, account_id = opened(account)
    with place.reading() as connection:
        found = configurations.active(connection, account_id, RULES)
    pairs = [(kept, decode_program(kept.program)) for kept in found]
    rows = [(r.name, kept.version, len(r.rules), r.description) for kept, r in pairs]
    data = [
        {
            **{"ruleSet": each.name, "version": kept.version, "rules": len(each.rules)},
            "description": each.description,
        }
        for kept, each in pairs
    ]
    show(data, table(("RULE SET", "VERSION", "RULES", "DESCRIPTION"), rows), as_json=as_json)


@app.command("show")
def show_rule_set(
    name: Annotated[
        str | None,
        typer.Argument(metavar="[NAME]", help="Name of the rule set. Default: the only one."),
    ] = None,
    account: AccountOption = None,
    version: Annotated[int | None, typer.Option(help="Default: the one in force.")] = None,
    as_json: AsJson = False,
) -> None:
    """Print a rule set as it was applied, to read it or to change it."""
    from gatehouse.rules.ruleset import decode_program

    place, account_id = opened(account)
    with place.reading() as connection:
        wanted = name or _only_name(connection, account_id)
        kept = configurations.get(connection, account_id, RULES, wanted, version)
        current = configurations.get(connection, account_id, RULES, wanted).version
    data = {
        **{"accountId": account_id, "ruleSet": kept.name, "version": kept.version},
        **_data(decode_program(kept.program)),
        **{"active": kept.version == current, "document": kept.document},
    }
    show(data, kept.document.rstrip("\n"), as_json=as_json)


@app.command()
def history(name: RuleSetArgument, account: AccountOption = None, as_json: AsJson = False) -> None:
    """List all versions of a rule set, newest first."""
    show_history(VersionTarget(*opened(account), RULES, name), as_json=as_json)


@app.command()
def rollback(
    name: RuleSetArgument, account: AccountOption = None, to: To = None, as_json: AsJson = False
) -> None:
    """Put an earlier version of a rule set in force again; requests use it within a second."""
    from gatehouse.rules.authoring import differences
    from gatehouse.rules.ruleset import decode_program

    place = VersionTarget(*opened(account), RULES, name)

    def check_lists(connection: sa.Connection, after: StoredVersion) -> None:
        _check_lists(connection, place.account_id, decode_program(after.program))

    before, after = go_back(place, to, check_lists)
    lines = differences(decode_program(before.program), decode_program(after.program))
    data = {
        "accountId": place.account_id,
        "ruleSet": name,
        "version": after.version,
        "before": before.version,
        "differences": lines,
    }
    text = "\n".join([f"rule set {name} is back at version {after.version}", *lines])
    show(data, text, as_json=as_json)


@app.command("test")
def try_case(
    file: RuleSetFileArgument,
    case: Annotated[
        str | None,
        typer.Option(
            metavar="CASE",
            help='JSON with {"signals": {name: value}}, or a decision as the API returns it.',
        ),
    ] = None,
    request: Annotated[
        str | None, typer.Option(metavar="REQUEST", help="Id of a recorded request.")
    ] = None,
    every: Annotated[
        bool, typer.Option("--all", help="Also show the rules that do not match.")
    ] = False,
    account: AccountOption = None,
    as_json: AsJson = False,
) -> None:
    """Show which rules of a file match a case, and the values that they looked at."""
    from gatehouse.cli.configured.rules_trial import RuleSetTrial, read_case, recorded_case

    if (case is None) == (request is None):
        raise InvalidInput(
            "give one case: a file with --case, or a recorded request with --request"
        )
    rule_set = _read(_content(file))
    if request is not None:
        tried = recorded_case(*opened(account), request, rule_set)
    else:
        tried = read_case(read_file(str(case), _LARGEST_CASE), rule_set)
    trial = RuleSetTrial(rule_set, tried.signals, *_lists(rule_set, account, tried.at_ms))
    show(trial.data(), trial.text(every=every), as_json=as_json)


@app.command()
def signals(
    group: Annotated[
        str | None, typer.Option(help="Only these: card, ip, velocity, sentry, ...")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """List everything that a condition can speak of."""
    from gatehouse.conditions.catalogue import SIGNALS
    from gatehouse.core.documents import suggestion

    groups = list(dict.fromkeys(info.group for info in SIGNALS.values()))
    if group is not None and group not in groups:
        raise InvalidInput(f"there is no group {group}{suggestion(group, groups)}")
    found = [info for info in SIGNALS.values() if group in (None, info.group)]
    rows = [(info.name, info.type, info.example, info.about) for info in found]
    show(found, table(("SIGNAL", "TYPE", "EXAMPLE", "ABOUT"), rows), as_json=as_json)


_LARGEST_CASE = 1024 * 1024


def _content(file: str) -> bytes:
    from gatehouse.core.documents import LARGEST_DOCUMENT

    return read_file(file, LARGEST_DOCUMENT)


def _read(content: bytes) -> "RuleSet":
    from gatehouse.rules.authoring import read_rule_set

    return read_rule_set(content)


def _check_lists(connection: sa.Connection, account_id: str, rule_set: "RuleSet") -> None:
    """Refuse rules about lists that are not there: they would silently never match."""
    from gatehouse.rules.authoring import list_problems
    from gatehouse.store.configured import lists

    problems = list_problems(rule_set, lists.kinds(connection, account_id))
    if problems:
        raise InvalidInput("\n".join(problems))


def _lists(rule_set: "RuleSet", account: str | None, at_ms: int | None) -> tuple["Lists", int]:
    """The account's lists, if any rule looks at one, and the time at which they are asked."""
    from gatehouse.cli.configured.rules_trial import PastLists
    from gatehouse.rules.lists import AccountLists
    from gatehouse.store.configured import lists

    names = sorted({name for rule in rule_set.rules for _, name in rule.condition.lists})
    if not names:
        return AccountLists({}), 0
    place, account_id = opened(account)
    with place.reading() as connection:
        history = lists.history_of(connection, account_id, names)
    return PastLists(history), place.clock() if at_ms is None else at_ms


def _only_name(connection: sa.Connection, account_id: str) -> str:
    known = configurations.names(connection, account_id, RULES)
    if len(known) != 1:
        raise InvalidInput(f"say which rule set; there are: {', '.join(known) or 'none'}")
    return known[0]


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

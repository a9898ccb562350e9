"""gatehouse pipelines: check, apply, list, show, history, rollback."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, Final

import sqlalchemy as sa
import typer

from gatehouse.billing.fees import fee_schedule
from gatehouse.cli.common import AccountOption, AsJson, exact, read_file, show, table
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
from gatehouse.conditions.catalogue import kinds_for
from gatehouse.core.errors import InvalidInput
from gatehouse.core.money import format_amount
from gatehouse.core.stage import PAYMENT
from gatehouse.core.stage_registry import REGISTRY
from gatehouse.pipeline.availability import rules_in_the_dark
from gatehouse.pipeline.definition import (
    PipelineDefinition,
    decode_program,
    encode_program,
    needs,
)
from gatehouse.pipeline.diff import differences, options, title
from gatehouse.store.accounts import accounts
from gatehouse.store.configured import configurations
from gatehouse.store.configured.configurations import PIPELINE, RULES, StoredVersion

if TYPE_CHECKING:
    from gatehouse.rules.ruleset import RuleSet

app = typer.Typer(help="Pipelines: which stages a request goes through.", no_args_is_help=True)

PipelineFileArgument = Annotated[
    str, typer.Argument(metavar="FILE", help="The pipeline as YAML; - for stdin.")
]
Number = Annotated[int, typer.Argument(metavar="NUMBER", help="Number of the pipeline.")]

_PAYMENT: Final = "an amount and a currency, in gatewayRequest or sentryRequest.order"


@app.command()
def check(file: PipelineFileArgument, as_json: AsJson = False) -> None:
    """Say everything that is wrong in a file; change nothing.

    Whether rule sets and lists exist is looked at by apply, which knows the account.
    """
    from gatehouse.core.documents import LARGEST_DOCUMENT
    from gatehouse.pipeline.authoring import read_pipeline

    definition = read_pipeline(read_file(file, LARGEST_DOCUMENT))
    warnings = _warnings(definition, {})
    data = {"valid": True, **_data(definition), "warnings": warnings}
    stages = ", ".join(map(title, definition.stages))
    text = f"pipeline {definition.number} ({definition.name}) is well-formed: {stages}"
    _warn(warnings, as_json=as_json)
    show(data, text, as_json=as_json)


@app.command()
def apply(
    file: PipelineFileArgument,
    account: AccountOption = None,
    note: Note = None,
    base: Base = None,
    as_json: AsJson = False,
) -> None:
    """Make a file the next version of its pipeline; requests use it within a second."""
    from gatehouse.core.documents import LARGEST_DOCUMENT
    from gatehouse.pipeline.authoring import read_pipeline

    content = read_file(file, LARGEST_DOCUMENT)
    home, account_id = opened(account)
    with home.reading() as connection:
        rule_sets = _rule_sets(connection, account_id, content)
        definition = read_pipeline(content, _surroundings(connection, account_id, rule_sets))
    place = VersionTarget(home, account_id, PIPELINE, str(definition.number))
    current = place.in_force()
    version, changed = put_in_force(
        place,
        (content, encode_program(definition)),
        lambda connection: _check_lists(connection, account_id, definition),
        base=current.version if base is None and current is not None else base,
        note=note,
    )
    old = None if current is None else decode_program(current.program)
    lines = differences(old, definition) if changed else []
    warnings = _warnings(definition, rule_sets)
    data = {
        "accountId": account_id,
        "pipeline": definition.number,
        "version": version,
        "changed": changed,
        "differences": lines,
        "warnings": warnings,
    }
    _warn(warnings, as_json=as_json)
    told = "is now at" if changed else "is unchanged, at"
    head = f"pipeline {place.name} {told} version {version}"
    show(data, "\n".join([head, *lines]), as_json=as_json)


@app.command("list")
def list_pipelines(account: AccountOption = None, as_json: AsJson = False) -> None:
    """List the pipelines of an account."""
    place, account_id = opened(account)
    with place.reading() as connection:
        found = configurations.active(connection, account_id, PIPELINE)
    pairs = [(kept, decode_program(kept.program)) for kept in found]
    rows = [
        (each.number, each.name, kept.version, ", ".join(map(title, each.stages)))
        for kept, each in pairs
    ]
    data = [{**_data(each), "version": kept.version} for kept, each in pairs]
    show(data, table(("PIPELINE", "NAME", "VERSION", "STAGES"), rows), as_json=as_json)


@app.command("show")
def show_pipeline(
    number: Number,
    account: AccountOption = None,
    version: Annotated[int | None, typer.Option(help="Default: the one in force.")] = None,
    document: Annotated[
        bool, typer.Option("--document", help="Print the file as it was applied, to change it.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Show a pipeline: its stages with their options, and what a caller must send."""
    place, account_id = opened(account)
    with place.reading() as connection:
        kept = configurations.get(connection, account_id, PIPELINE, str(number), version)
        current = configurations.get(connection, account_id, PIPELINE, str(number)).version
        owner = accounts.get(connection, account_id)
    if document and not as_json:
        typer.echo(kept.document, nl=not kept.document.endswith("\n"))
        return
    definition = decode_program(kept.program)
    in_force = current == kept.version
    fees = _fees(definition, fee_schedule(owner.fees))
    data = {
        "accountId": account_id,
        "version": kept.version,
        "active": in_force,
        **_data(definition),
        "fees": [exact(fee) for fee in fees],
        "document": kept.document,
    }
    state = "in force" if in_force else "not in force"
    head = f"pipeline {number}: {definition.name} (version {kept.version}, {state})"
    show(data, _sheet(head, definition, (fees, owner.currency)), as_json=as_json)


@app.command()
def history(number: Number, account: AccountOption = None, as_json: AsJson = False) -> None:
    """List all versions of a pipeline, newest first."""
    show_history(VersionTarget(*opened(account), PIPELINE, str(number)), as_json=as_json)


@app.command()
def rollback(
    number: Number, account: AccountOption = None, to: To = None, as_json: AsJson = False
) -> None:
    """Put an earlier version of a pipeline in force again; requests use it within a second."""
    place = VersionTarget(*opened(account), PIPELINE, str(number))

    def check_lists(connection: sa.Connection, after: StoredVersion) -> None:
        _check_lists(connection, place.account_id, decode_program(after.program))

    before, after = go_back(place, to, check_lists)
    lines = differences(decode_program(before.program), decode_program(after.program))
    data = {
        "accountId": place.account_id,
        "pipeline": number,
        "version": after.version,
        "before": before.version,
        "differences": lines,
    }
    text = "\n".join([f"pipeline {number} is back at version {after.version}", *lines])
    show(data, text, as_json=as_json)


def _rule_sets(
    connection: sa.Connection, account_id: str, content: bytes
) -> dict[str, "RuleSet | None"]:
    """The account's rule sets by name; those that the file cannot mean are not read."""
    from gatehouse.rules.ruleset import decode_program as decode_rules

    found = configurations.active(connection, account_id, RULES)
    return {
        kept.name: decode_rules(kept.program) if kept.name.encode() in content else None
        for kept in found
    }


def _surroundings(
    connection: sa.Connection, account_id: str, rule_sets: Mapping[str, "RuleSet | None"]
) -> Any:
    from gatehouse.pipeline.authoring import Surroundings
    from gatehouse.store.configured import lists

    inputs = {name: found.inputs if found else {} for name, found in rule_sets.items()}
    return Surroundings(inputs, lists.kinds(connection, account_id))


def _check_lists(
    connection: sa.Connection, account_id: str, definition: PipelineDefinition
) -> None:
    """Refuse conditions about lists that are not there: they would silently never hold."""
    from gatehouse.store.configured import lists

    kinds = lists.kinds(connection, account_id)
    problems = [
        f"stage {number}, {title(stage)}: there is no list {name} on which {signal} can be looked "
        f"up; see: gatehouse lists show"
        for number, stage in enumerate(definition.stages, start=1)
        for condition in (stage.skip_when, stage.stop_when)
        for signal, name in (condition.lists if condition else ())
        if kinds.get(name) not in kinds_for(signal)
    ]
    if problems:
        raise InvalidInput("\n".join(dict.fromkeys(problems)))


def _warnings(
    definition: PipelineDefinition, rule_sets: Mapping[str, "RuleSet | None"]
) -> list[str]:
    stages = [stage.stage for stage in definition.stages]
    found = []
    if not set(stages) & set(definition.deciders):
        found.append("no stage of this pipeline has a verdict, so that it always decides ACCEPT")
    for index, stage in enumerate(definition.stages):
        rule_set = rule_sets.get(stage.rule_set) if stage.rule_set else None
        rules = [(rule.name, rule.condition.signals) for rule in rule_set.rules] if rule_set else []
        if line := rules_in_the_dark(stages, index, rules):
            found.append(f"stage {index + 1}, {title(stage)}: {line}")
    return found


def _warn(warnings: list[str], *, as_json: bool) -> None:
    for warning in () if as_json else warnings:
        typer.echo(f"gatehouse: warning: {warning}", err=True)


def _fees(definition: PipelineDefinition, schedule: Mapping[str, int]) -> list[int]:
    return [
        schedule[REGISTRY[stage.stage].fee_type] if stage.fee_micros is None else stage.fee_micros
        for stage in definition.stages
    ]


def _data(definition: PipelineDefinition) -> dict[str, Any]:
    return {
        "pipeline": definition.number,
        "name": definition.name,
        "description": definition.description,
        "inputs": definition.inputs,
        "stages": [
            {
                "stage": stage.stage,
                "ruleSet": stage.rule_set,
                "fee": None if stage.fee_micros is None else exact(stage.fee_micros),
                "stopWhen": stage.stop_when and stage.stop_when.text,
                "skipWhen": stage.skip_when and stage.skip_when.text,
                "onFailure": stage.on_failure,
            }
            for stage in definition.stages
        ],
        "decidedBy": [name for name in definition.deciders if name in _names(definition)],
        "needs": needs(definition),
    }


def _names(definition: PipelineDefinition) -> set[str]:
    return {stage.stage for stage in definition.stages}


def _sheet(head: str, definition: PipelineDefinition, prices: tuple[list[int], str]) -> str:
    """A pipeline for people: a block for each stage, because conditions can be long."""
    fees, currency = prices
    lines = [head, *([definition.description] if definition.description else []), ""]
    for index, (stage, fee) in enumerate(zip(definition.stages, fees, strict=True), start=1):
        own = "" if stage.fee_micros is None else ", set here"
        told = {**options(stage), "fee": f"{format_amount(fee)} {currency}{own}"}
        lines.append(f"{index}. {stage.stage}")
        if stage.rule_set is not None:
            lines.append(f"   {'rule_set':<12}{stage.rule_set}")
        lines += [f"   {option:<12}{value}" for option, value in told.items()]
    deciding = [name for name in definition.deciders if name in _names(definition)]
    lines += ["", f"decided by: {', '.join(deciding) or 'nothing, always ACCEPT'}"]
    if definition.inputs:
        declared = ", ".join(f"{key} ({kind})" for key, kind in definition.inputs.items())
        lines.append(f"custom inputs: {declared}")
    sent = needs(definition)
    lines.append("the caller must send:" if sent else "the caller need not send anything")
    for name, stages in sent.items():
        what = _PAYMENT if name == PAYMENT else name
        lines.append(f"   {what}, for {' and '.join(stages)}")
    return "\n".join(lines)

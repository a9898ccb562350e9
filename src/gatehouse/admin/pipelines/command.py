"""gatehouse pipelines: check, apply, list, show, history, rollback."""

from typing import TYPE_CHECKING, Annotated, Any, Final

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
from gatehouse.cli.arguments import AccountOption, AsJson, Note, argument, option
from gatehouse.cli.completing import pipeline_numbers
from gatehouse.cli.output import money, show, shown_amount, table, warn
from gatehouse.core.stages.registry import REGISTRY
from gatehouse.core.stages.stage import PAYMENT
from gatehouse.pipeline.definition import PipelineDefinition, needs
from gatehouse.pipeline.diff import options, title

if TYPE_CHECKING:
    from gatehouse.admin.pipelines.use_cases.pipelines import PipelineView

app = typer.Typer(no_args_is_help=True)

PipelineFileArgument = Annotated[str, argument("FILE", "The pipeline as YAML; - for stdin.")]
Number = Annotated[
    int, argument("NUMBER", "Number of the pipeline.", autocompletion=pipeline_numbers)
]

_PAYMENT: Final = "an amount and a currency, in gatewayRequest or sentryRequest.order"


@app.command()
def check(file: PipelineFileArgument, as_json: AsJson = False) -> None:
    """Say everything that is wrong in a file; change nothing.

    Whether rule sets and lists exist is looked at by apply, which knows the account.
    """
    from gatehouse.admin.pipelines.use_cases.pipelines import warnings
    from gatehouse.pipeline.authoring import read_pipeline

    definition = read_pipeline(read_document(file))
    found = warnings(definition, {})
    data = {"valid": True, **_data(definition, None), "warnings": found}
    stages = ", ".join(map(title, definition.stages))
    text = f"pipeline {definition.number} ({definition.name}) is well-formed: {stages}"
    warn(() if as_json else found)
    show(data, text, as_json)


@app.command()
def apply(
    file: PipelineFileArgument,
    account: AccountOption = None,
    note: Note = None,
    base: Base = None,
    as_json: AsJson = False,
) -> None:
    """Make a file the next version of its pipeline; requests use it within a second."""
    from gatehouse.admin.configurations.use_cases.configurations import NewVersion
    from gatehouse.admin.pipelines.use_cases import pipelines

    new = NewVersion(read_document(file), base, note)
    session, account_id = open_account(account)
    applied = pipelines.apply(session, account_id, new)
    show_applied(pipelines.PIPELINES, account_id, applied, as_json=as_json)


@app.command("list")
def list_pipelines(account: AccountOption = None, as_json: AsJson = False) -> None:
    """List the pipelines of an account."""
    from gatehouse.admin.accounts.use_cases import accounts
    from gatehouse.admin.configurations.use_cases.configurations import listing
    from gatehouse.admin.pipelines.use_cases.pipelines import PIPELINES

    session, account_id = open_account(account)
    found = [(each.version, each.definition) for each in listing(session, account_id, PIPELINES)]
    rows = [
        (each.number, each.name, version, ", ".join(map(title, each.stages)))
        for version, each in found
    ]
    currency = accounts.get(session, account_id).account.currency
    data = [{**_data(each, currency), "version": version} for version, each in found]
    show(data, table(("PIPELINE", "NAME", "VERSION", "STAGES"), rows), as_json)


@app.command("show")
def show_pipeline(
    number: Number,
    account: AccountOption = None,
    version: Version = None,
    document: Annotated[
        bool, option("Print the file as it was applied, to change it.", "--document")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Show a pipeline: its stages with their options, and what a caller must send."""
    from gatehouse.admin.pipelines.use_cases import pipelines

    session, account_id = open_account(account)
    view = pipelines.get(session, account_id, number, version)
    stored = view.stored
    if document and not as_json:
        typer.echo(stored.document, nl=not stored.document.endswith("\n"))
        return
    data = {
        "accountId": account_id,
        "version": stored.version,
        "active": stored.in_force,
        **_data(stored.definition, view.account.currency),
        "fees": [money(fee, view.account.currency) for fee in view.fees],
        "document": stored.document,
    }
    show(data, _sheet(view), as_json)


@app.command()
def history(number: Number, account: AccountOption = None, as_json: AsJson = False) -> None:
    """List all versions of a pipeline, newest first."""
    from gatehouse.admin.pipelines.use_cases.pipelines import PIPELINES

    show_history(PIPELINES, account, str(number), as_json=as_json)


@app.command()
def rollback(
    number: Number, account: AccountOption = None, to: To = None, as_json: AsJson = False
) -> None:
    """Put an earlier version of a pipeline in force again; requests use it within a second."""
    from gatehouse.admin.pipelines.use_cases.pipelines import PIPELINES

    roll_back(PIPELINES, account, str(number), to, as_json=as_json)


def _data(definition: PipelineDefinition, currency: str | None) -> dict[str, Any]:
    """A pipeline for scripts; a file alone does not say the currency of its fees."""
    return {
        "pipeline": definition.number,
        "name": definition.name,
        "description": definition.description,
        "inputs": definition.inputs,
        "stages": [
            {
                "stage": stage.stage,
                "ruleSet": stage.rule_set,
                "fee": stage.fee_name
                if stage.fee_micros is None
                else money(stage.fee_micros, currency),
                "stopWhen": stage.stop_when and stage.stop_when.text,
                "skipWhen": stage.skip_when and stage.skip_when.text,
                "onFailure": stage.on_failure,
                "pay": stage.pay if REGISTRY[stage.stage].pays else None,
                "onDeclinedReview": stage.on_declined_review
                if REGISTRY[stage.stage].pays
                else None,
                "capture": stage.capture if REGISTRY[stage.stage].pays else None,
            }
            for stage in definition.stages
        ],
        "decidedBy": _deciding(definition),
        "needs": needs(definition),
    }


def _deciding(definition: PipelineDefinition) -> list[str]:
    present = {stage.stage for stage in definition.stages}
    return [name for name in definition.deciders if name in present]


def _sheet(view: "PipelineView") -> str:
    """A pipeline for people: a block for each stage, because conditions can be long."""
    definition, currency = view.stored.definition, view.account.currency
    state = "in force" if view.stored.in_force else "not in force"
    number, version = definition.number, view.stored.version
    lines = [f"pipeline {number}: {definition.name} (version {version}, {state})"]
    lines += [*([definition.description] if definition.description else []), ""]
    for index, (stage, fee) in enumerate(zip(definition.stages, view.fees, strict=True), start=1):
        named = stage.fee_name if stage.fee_micros is None else "set here"
        own = f", {named}" if named else ""
        shown = {**options(stage), "fee": f"{shown_amount(fee, currency)} {currency}{own}"}
        lines.append(f"{index}. {stage.stage}")
        if stage.rule_set is not None:
            lines.append(f"   {'rule_set':<12}{stage.rule_set}")
        width = max(12, *(len(option) + 2 for option in shown))
        lines += [f"   {option:<{width}}{value}" for option, value in shown.items()]
    deciding = ", ".join(_deciding(definition))
    lines += ["", f"decided by: {deciding or 'nothing, always ACCEPT'}"]
    if definition.inputs:
        declared = ", ".join(f"{key} ({kind})" for key, kind in definition.inputs.items())
        lines.append(f"custom inputs: {declared}")
    sent = needs(definition)
    lines.append("the caller must send:" if sent else "the caller need not send anything")
    for name, stages in sent.items():
        what = _PAYMENT if name == PAYMENT else name
        lines.append(f"   {what}, for {' and '.join(stages)}")
    return "\n".join(lines)

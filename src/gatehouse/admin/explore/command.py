"""gatehouse explore: decisions in groups by any signal, or by two at once."""

import os
from typing import TYPE_CHECKING, Annotated, Final

import msgspec
import typer

from gatehouse.admin.opening import open_account
from gatehouse.admin.search.command import Filters, with_filters
from gatehouse.cli.arguments import AccountOption, AsJson, option
from gatehouse.cli.output import show, table
from gatehouse.core.money import format_amount
from gatehouse.core.wording.sentences import plain
from gatehouse.settings.settings import load_settings

if TYPE_CHECKING:
    from gatehouse.admin.explore.use_cases.exploring import Exploration, GroupFigures, GroupKey
    from gatehouse.admin.search.use_cases.filters import DecisionSearchRequest
    from gatehouse.figures.buckets import FigureSpan

_USUAL_MS: Final = 30 * 86_400_000
_COUNTS = ("REQUESTS", "DECLINED", "REVIEWED", "FRAUD", "LABELLED")


@with_filters
def explore(
    filters: Filters,
    by: Annotated[str, typer.Argument(help="A signal, or decision, operation, rule, shadowRule.")],
    also: Annotated[str | None, option("Another one, for a table of pairs.")] = None,
    where: Annotated[
        list[str] | None, option("A condition as in a rule: ip.country = 'DE'. Can be repeated.")
    ] = None,
    zone: Annotated[str, option("The time zone of days.")] = "UTC",
    account: AccountOption = None,
    as_json: AsJson = False,
) -> None:
    """Count decisions in groups by any signal: outcomes, fraud, money, and how many a day.

    Takes the filters of `gatehouse decisions`; without --since, the last 30 days are counted, and
    --limit says how many groups are told apart. The console keeps a copy of the decisions for this.
    Where it does not run, or another process has its copy, the command makes one and removes it
    afterwards.
    """
    from gatehouse.admin.explore.use_cases import exploring
    from gatehouse.admin.figures.use_cases.opening import columns_for_now
    from gatehouse.admin.search.use_cases.conditions import AddressedConditions
    from gatehouse.admin.search.use_cases.filters import DecisionSearchRequest

    session, account_id = open_account(account)
    search = DecisionSearchRequest(**filters)
    span = _span(search, session.clock(), zone)
    names = [by, also or ""]
    conditions = AddressedConditions(session, account_id).filter(where or (), names=names)
    grouping = exploring.Grouping(by, also, search.limit or exploring.MOST_GROUPS)
    with columns_for_now(session, account_id, load_settings(os.environ).home) as columns:
        found = exploring.explore(session, columns, grouping, span, search, conditions)
    show(msgspec.to_builtins(found, enc_hook=plain), _text(found), as_json)


def _span(search: "DecisionSearchRequest", now_ms: int, zone: str) -> "FigureSpan":
    from gatehouse.figures.buckets import FigureSpan

    at = search.at
    since, until = (None, None) if at is None else (at.since, at.until)
    # A decision of this very millisecond belongs to the span.
    until_ms = now_ms + 1 if until is None else round(until.seconds * 1000)
    since_ms = until_ms - _USUAL_MS if since is None else round(since.seconds * 1000)
    return FigureSpan(max(0, since_ms), until_ms, zone)


def _text(found: "Exploration") -> str:
    heads = (found.by.upper(), *(() if found.also is None else (found.also.upper(),)))
    rows = [
        (*(_key(key) for key in (each.key, each.also) if key), *_figures(each.figures))
        for each in found.groups
    ]
    blank = ("",) * (len(heads) - 1)
    rows.append(("all", *blank, *_figures(found.total)))
    return table((*heads, *_COUNTS, "MONEY"), rows, _COUNTS)


def _key(key: "GroupKey") -> str:
    if key.others:
        return "others"
    if key.least is not None or key.below is not None:
        return f"{key.least or ''}..{key.below or ''}"
    return key.value or "-"


def _figures(figures: "GroupFigures") -> tuple[object, ...]:
    counts = (figures.requests, figures.declined, figures.reviewed)
    money = [f"{format_amount(each.total_micros)} {each.currency}" for each in figures.money[:3]]
    return (*counts, figures.fraud, figures.labelled, ", ".join(money))

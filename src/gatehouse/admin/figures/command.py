"""gatehouse figures: what happened in a span of time, beside the span before it."""

import os
from typing import TYPE_CHECKING, Annotated, Any

import msgspec

from gatehouse.admin.opening import open_account
from gatehouse.cli.arguments import AccountOption, AsJson, option
from gatehouse.cli.output import show, table
from gatehouse.cli.spans import Since, Until, read_span
from gatehouse.core.clock import iso_time
from gatehouse.core.errors import InvalidInput
from gatehouse.core.wording.sentences import plain
from gatehouse.settings.settings import load_settings

if TYPE_CHECKING:
    from gatehouse.admin.figures.use_cases.overview import Bucket, Overview

_COUNTS = ("REQUESTS", "ACCEPTED", "REVIEWED", "DECLINED", "LABELLED", "FRAUD")
_MS = 1000


def figures(
    since: Since = "30d",
    until: Until = None,
    account: AccountOption = None,
    zone: Annotated[str, option("The time zone of days, such as Europe/Berlin.")] = "UTC",
    by: Annotated[str | None, option("Parts of the span: hour, day, week or month.")] = None,
    as_json: AsJson = False,
) -> None:
    """Count decisions by outcome, fraud, latency and operation, as the console shows them.

    The console keeps a copy of the decisions for this. Where it does not run, or another process
    has its copy, the command makes one and removes it afterwards.
    """
    from gatehouse.admin.figures.use_cases.opening import columns_for_now
    from gatehouse.admin.figures.use_cases.overview import FigureSpan, overview

    bucket = None if by is None else _bucket(by)
    session, account_id = open_account(account)
    asked = read_span(account_id, since, until, session.clock())
    span = FigureSpan(asked.since_ms, asked.until_ms, zone)
    with columns_for_now(session, account_id, load_settings(os.environ).home) as columns:
        found = overview(session, columns, span, bucket)
    show(msgspec.to_builtins(found, enc_hook=plain), _text(found), as_json)


def _bucket(text: str) -> "Bucket":
    from gatehouse.admin.figures.use_cases.overview import Bucket

    if text not in set(Bucket):
        raise InvalidInput(f"--by takes one of {', '.join(Bucket)}")
    return Bucket(text)


def _text(found: "Overview") -> str:
    rows = [("this span", *_numbers(found.counts)), ("before", *_numbers(found.before))]
    rows += [(iso_time(each.start_ms), *_numbers(each)) for each in found.over_time]
    parts = [table(("", *_COUNTS), rows, _COUNTS)]
    if found.latency:
        columns = ("P50", "P90", "P95", "P99")
        times = [
            (each.name, *(f"{us / _MS:.1f}" for us in (each.p50, each.p90, each.p95, each.p99)))
            for each in found.latency
        ]
        parts.append(table(("LATENCY, MS", *columns), times, columns))
    return "\n\n".join(parts)


def _numbers(counts: Any) -> tuple[object, ...]:
    named = (counts.requests, counts.accepted, counts.reviewed, counts.declined)
    return (*named, counts.labelled, counts.fraud)

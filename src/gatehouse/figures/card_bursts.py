"""Counts authorizations that look like cards being tried out: an estimate of enumeration.

A burst is a BIN that many different cards of one account's traffic share within some minutes, tried
with few different amounts. All authorizations of a burst count. Minutes are those of the day.
"""

from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from gatehouse.figures.account_columns import DECISIONS, AccountColumns, Coverage
from gatehouse.figures.buckets import Bucket, FigureSpan, Part
from gatehouse.figures.kept_parts import Rows, parts_of
from gatehouse.figures.layout import TRIED_BIN, TRIED_CARD, stage_completed
from gatehouse.figures.span_parts import within_parts
from gatehouse.figures.workspace import quoted
from gatehouse.gateway.response import NAME as GATEWAY
from gatehouse.precheck.response import NAME as PRE_CHECK


class BurstTerms(NamedTuple):
    """What is taken for a burst."""

    minutes: int
    cards: int
    """Different cards with one BIN within these minutes, at least."""
    amounts: int
    """Different amounts that they are tried with, at most."""


class BurstCounts(msgspec.Struct, frozen=True):
    """Authorizations of a span, and how many of them were in bursts."""

    authorizations: int
    in_bursts: int
    bursts: int
    coverage: Coverage


def count_bursts(
    columns: AccountColumns, since_ms: int, until_ms: int, terms: BurstTerms
) -> BurstCounts:
    """Count the requests that PreCheck or Gateway answered, and those that came in bursts."""
    asked = " OR ".join(
        f"{quoted(stage_completed(stage))} IS NOT NULL" for stage in (PRE_CHECK, GATEWAY)
    )
    bin_ = f"coalesce({quoted('card.bin')}, {TRIED_BIN})"
    card = f"coalesce({quoted('card.fingerprint')}, {TRIED_CARD})"
    burst = f"bin IS NOT NULL AND cards >= {terms.cards} AND amounts <= {terms.amounts}"
    changes = columns.parts.changes
    with columns.reading() as asking:
        coverage = columns.coverage

        def count(parts: Sequence[Part]) -> Rows:
            slots = (
                f"SELECT start, (id_ms - start) // {terms.minutes * 60_000} AS slot, "  # noqa: S608
                f"{bin_} AS bin, count(*) AS requests, count(DISTINCT {card}) AS cards, "
                "count(DISTINCT amount) AS amounts "
                f"FROM {within_parts(asking, DECISIONS, parts)} AND ({asked}) "
                "GROUP BY start, slot, bin"
            )
            return asking.ask(
                "SELECT start, sum(requests), "  # noqa: S608
                f"coalesce(sum(requests) FILTER (WHERE {burst}), 0), "
                f"count(*) FILTER (WHERE {burst}) FROM ({slots}) GROUP BY start"
            )

        days = parts_of(FigureSpan(since_ms, until_ms), Bucket.DAY)
        found = columns.parts.rows(("bursts", *terms), days, changes, count)
    rows = [row for some in found.values() for row in some]
    authorizations, in_bursts, bursts = map(sum, zip((0, 0, 0), *rows, strict=True))
    return BurstCounts(int(authorizations), int(in_bursts), int(bursts), coverage)

"""Counts authorizations that look like cards being tried out: an estimate of enumeration.

A burst is a BIN that many different cards of one account's traffic share within some minutes, tried
with few different amounts. All authorizations of a burst count.
"""

from typing import NamedTuple

import msgspec

from gatehouse.figures.account_columns import DECISIONS, AccountColumns, Coverage
from gatehouse.figures.layout import TRIED_BIN, TRIED_CARD, stage_completed
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
    slots = (
        f"SELECT at_ms // {terms.minutes * 60_000} AS slot, {bin_} AS bin, count(*) AS requests, "  # noqa: S608
        f"count(DISTINCT {card}) AS cards, count(DISTINCT amount) AS amounts FROM {DECISIONS} "
        f"WHERE id_ms >= {since_ms} AND id_ms < {until_ms} AND ({asked}) GROUP BY slot, bin"
    )
    burst = f"bin IS NOT NULL AND cards >= {terms.cards} AND amounts <= {terms.amounts}"
    with columns.reading() as asking:
        coverage = columns.coverage
        [(authorizations, in_bursts, bursts)] = asking.ask(
            "SELECT coalesce(sum(requests), 0), "  # noqa: S608
            f"coalesce(sum(requests) FILTER (WHERE {burst}), 0), count(*) FILTER (WHERE {burst}) "
            f"FROM ({slots})"
        )
    return BurstCounts(int(authorizations), int(in_bursts), int(bursts), coverage)

"""Shows what is not as usual in an account's requests, scores, rules and labels."""

from typing import Any, Final

import sqlalchemy as sa

from gatehouse.access.roles import Permission
from gatehouse.admin.drift import queries
from gatehouse.admin.drift.queries import StoredDrift
from gatehouse.admin.drift.types.comparing import DriftKind
from gatehouse.admin.drift.types.label_delay import DELAY
from gatehouse.admin.drift.types.shown import DriftPage, DriftSearch, DriftShown
from gatehouse.core.clock import Moment, moment
from gatehouse.core.wording.sentences import Phrase
from gatehouse.store.admin.admin_session import Reading
from gatehouse.store.admin.use_case import OF_DECISIONS, use_case
from gatehouse.training.report.phrases import percent_text

_SIGNAL: Final = Phrase(
    "drift.signal",
    "the values of {name} are not those of the same hours in the weeks before (stability index "
    "{figure}, usual is {usual}): look whether requests are sent in another way, or other "
    "customers come",
)
_SCORE: Final = Phrase(
    "drift.score",
    "scores of {name} are not those of the same hours in the weeks before (stability index "
    "{figure}, usual is {usual}): thresholds decide other shares than before; look which signals "
    "drift, too",
)
_RULE: Final = Phrase(
    "drift.rule",
    "the rule {name} matches {figure} of the requests, where {usual} is usual at this time of the "
    "week: look at what it matches",
)
_LATER: Final = Phrase(
    "drift.later",
    "half of the frauds of the last week took {figure} days or more to be reported, where {usual} "
    "is usual: wait longer for labels in the next training",
)
_SOONER: Final = Phrase(
    "drift.sooner",
    "half of the frauds of the last week were reported within {figure} days, where {usual} is "
    "usual: look who reports, and what",
)
_FEWER: Final = Phrase(
    "drift.fewer",
    "{figure:,} frauds were reported in the last week, where {usual:,} are usual: look whether "
    "labels still arrive",
)


@use_case(
    "GET /drift",
    scope="manage:models",
    permission=Permission.SEE,
    rights=OF_DECISIONS,
    answers="driftResponse",
)
def list_drift(reading: Reading, account_id: str, wanted: DriftSearch) -> DriftPage:
    """List drift.

    What is not as usual: signals and scores, how often rules match, and how long labels take. The
    last day is compared with the same hours of the weeks before, every six hours, where an account
    has enough requests.
    """
    found = queries.listing(reading.connection, account_id, wanted.limit, ended=wanted.ended)
    return DriftPage([shown(each) for each in found])


def drifts_open() -> "sa.Select[int]":
    """Counts what goes on in all accounts."""
    return queries.count_open()


def shown(each: StoredDrift) -> DriftShown:
    """Drift with its sentence."""
    return DriftShown(
        kind=each.kind,
        name=each.name,
        began_at=Moment(each.began_at_ms),
        ended_at=moment(each.ended_at_ms),
        figure=round(each.figure, 4),
        usual=round(each.usual, 4),
        requests=each.requests,
        said=_said(each.kind, each.name, each.figure, each.usual),
    )


def _said(kind: DriftKind, name: str, figure: float, usual: float) -> str:
    if kind is DriftKind.LABELS:
        if name != DELAY:
            return _FEWER(figure=round(figure), usual=round(usual))
        phrase = _LATER if figure > usual else _SOONER
        return phrase(figure=round(figure, 1), usual=round(usual, 1))
    if kind is DriftKind.RULE:
        shares = {"figure": percent_text(figure, 2), "usual": percent_text(usual, 2)}
        return _RULE(name=name, **shares)
    values: dict[str, Any] = {"figure": round(figure, 2), "usual": round(usual, 2)}
    return (_SCORE if kind is DriftKind.SCORE else _SIGNAL)(name=name, **values)

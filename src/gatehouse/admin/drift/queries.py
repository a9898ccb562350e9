"""Kept profiles, and what drifts."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

import sqlalchemy as sa

from gatehouse.admin.drift.tables import DRIFT_PROFILES, DRIFTS
from gatehouse.admin.drift.types.comparing import DriftJudgement, DriftKind
from gatehouse.admin.drift.types.profile import TrafficProfile, decode_profile, encode_profile
from gatehouse.core.ids import first_id, id_time_ms
from gatehouse.core.wording.labels import FRAUD_LABELS, LabelSource
from gatehouse.store.tables import ACCOUNTS, DECISIONS, FEEDBACK

_P: Final = DRIFT_PROFILES.c
_D: Final = DRIFTS.c
_F: Final = FEEDBACK.c
_FRAUD: Final = tuple(label.value for label in FRAUD_LABELS)


class StoredDrift(NamedTuple):
    """What drifts, or drifted."""

    kind: DriftKind
    name: str
    began_at_ms: int
    figure: float
    usual: float
    requests: int
    seen_at_ms: int
    """When it was last looked at."""
    ended_at_ms: int | None


def busy_accounts(connection: sa.Connection, since_ms: int, least: int) -> list[str]:
    """The open accounts with so many decisions since a moment; no more of them are looked at."""
    of_account = (
        DECISIONS.c.account_id == ACCOUNTS.c.id,
        DECISIONS.c.request_id > first_id("req", since_ms),
    )
    last = sa.select(DECISIONS.c.request_id).where(*of_account).correlate(ACCOUNTS)
    last = last.order_by(DECISIONS.c.request_id).limit(1).offset(least - 1)
    query = sa.select(ACCOUNTS.c.id).where(
        ACCOUNTS.c.closed_at_ms.is_(None), last.scalar_subquery().is_not(None)
    )
    return list(connection.scalars(query.order_by(ACCOUNTS.c.id)))


def known_parts(connection: sa.Connection, account_id: str, since_ms: int) -> set[int]:
    """When the parts begin that have a profile."""
    query = sa.select(_P.start_ms).where(_P.account_id == account_id, _P.start_ms >= since_ms)
    return set(connection.scalars(query))


def profiles_of(
    connection: sa.Connection, account_id: str, starts: Iterable[int]
) -> dict[int, TrafficProfile]:
    """The profiles of some parts."""
    wanted = (_P.account_id == account_id, _P.start_ms.in_(list(starts)))
    query = sa.select(_P.start_ms, _P.profile).where(*wanted)
    return {start_ms: decode_profile(kept) for start_ms, kept in connection.execute(query)}


def keep_profile(
    connection: sa.Connection, account_id: str, start_ms: int, profile: TrafficProfile
) -> None:
    """Keep the profile of a part in place of an earlier one."""
    this = (_P.account_id == account_id, _P.start_ms == start_ms)
    connection.execute(DRIFT_PROFILES.delete().where(*this))
    row = {"account_id": account_id, "start_ms": start_ms, "requests": profile.requests}
    connection.execute(DRIFT_PROFILES.insert(), row | {"profile": encode_profile(profile)})


def delete_old(connection: sa.Connection, profiles_ms: int, drifts_ms: int) -> None:
    """Delete profiles that are not compared any more, and drifts that ended long ago."""
    connection.execute(DRIFT_PROFILES.delete().where(_P.start_ms < profiles_ms))
    connection.execute(DRIFTS.delete().where(_D.ended_at_ms < drifts_ms))


def listing(
    connection: sa.Connection, account_id: str, limit: int, *, ended: bool = True
) -> list[StoredDrift]:
    """What drifts, newest first, and what ended."""
    query = sa.select(DRIFTS).where(_D.account_id == account_id)
    if not ended:
        query = query.where(_D.ended_at_ms.is_(None))
    order = (_D.ended_at_ms.is_not(None), _D.began_at_ms.desc(), _D.kind, _D.name)
    return [
        StoredDrift(
            DriftKind(row.kind),
            row.name,
            row.began_at_ms,
            row.figure,
            row.usual,
            row.requests,
            row.seen_at_ms,
            row.ended_at_ms,
        )
        for row in connection.execute(query.order_by(*order).limit(limit))
    ]


def count_open() -> "sa.Select[int]":
    """How much drifts, of all accounts."""
    return sa.select(sa.func.count()).where(_D.ended_at_ms.is_(None))


def begin(
    connection: sa.Connection, account_id: str, found: Sequence[DriftJudgement], now_ms: int
) -> None:
    """Note what drifts from now on."""
    if found:
        rows = [
            {
                **{"account_id": account_id, "kind": each.kind.value, "name": each.name},
                **{"began_at_ms": now_ms, "seen_at_ms": now_ms, "figure": each.figure},
                **{"usual": each.usual, "requests": each.requests},
            }
            for each in found
        ]
        connection.execute(DRIFTS.insert(), rows)


def see(connection: sa.Connection, account_id: str, each: DriftJudgement, now_ms: int) -> None:
    """Note how far something drifts by now, or that it does not any more."""
    this = (_D.account_id == account_id, _D.kind == each.kind.value, _D.name == each.name)
    values = {"figure": each.figure, "usual": each.usual, "requests": each.requests}
    ended = {"ended_at_ms": now_ms} if each.is_calm and not each.drifts else {}
    still = DRIFTS.update().where(*this, _D.ended_at_ms.is_(None))
    connection.execute(still.values(**values, **ended, seen_at_ms=now_ms))


def end_unseen(connection: sa.Connection, before_ms: int, now_ms: int) -> None:
    """End what nobody can tell any more, because there are too few requests since."""
    gone = (_D.ended_at_ms.is_(None), _D.seen_at_ms < before_ms)
    connection.execute(DRIFTS.update().where(*gone).values(ended_at_ms=now_ms))


def days_until_known(
    connection: sa.Connection, account_id: str, borders_ms: Sequence[int], oldest_ms: int
) -> list[list[float]]:
    """How long frauds took to be known, by the span between two borders in which they became so.

    Only requests since the oldest moment count, and not what reviews found: these take minutes.
    """
    known = sa.func.coalesce(_F.found_at_ms, _F.recorded_at_ms)
    query = (
        sa.select(_F.request_id, sa.func.min(known).label("known_ms"))
        .where(
            _F.account_id == account_id,
            _F.label.in_(_FRAUD),
            _F.request_id > first_id("req", oldest_ms),
            _F.source != LabelSource.REVIEW.value,
        )
        .group_by(_F.request_id)
        .having(sa.func.min(known).between(borders_ms[0], borders_ms[-1] - 1))
    )
    found: dict[int, list[float]] = defaultdict(list)
    for request_id, known_ms in connection.execute(query):
        place = sum(known_ms >= border for border in borders_ms) - 1
        found[place].append(max(0, known_ms - id_time_ms(request_id)) / 86_400_000)
    return [found[place] for place in range(len(borders_ms) - 1)]

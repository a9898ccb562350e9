"""An outcome as it is kept, and what stays of it when it is told again."""

from typing import Final

import msgspec

from gatehouse.admin.outcomes.types.outcome import (
    DisputeResult,
    DisputeStage,
    JoinedBy,
    OutcomeKind,
    OutcomeNetwork,
)
from gatehouse.core.wording.labels import Label

OutcomeName = tuple[str, str]
"""Kind and reference."""
_STAGES: Final = tuple(DisputeStage)
_ROUNDS: Final = {
    DisputeStage.INQUIRY: 0,
    DisputeStage.PRE_ARBITRATION: 2,
    DisputeStage.ARBITRATION: 3,
}
"""A question, the chargeback with its answer (1), and what follows when that is not taken: each
ends by itself, so that a result of one says nothing of the next.
"""
_FOUND_OUT: Final = ("request_id", "joined_by", "candidates", "label")
_TELLER: Final = ("recorded_at_ms", "actor")
"""Who told it and when: the same told again is no news."""


class OutcomeRow(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """An outcome as it is stored."""

    account_id: str
    kind: OutcomeKind
    reference: str
    at_ms: int
    network: OutcomeNetwork
    request_id: str | None
    arn: str | None
    merchant_id: str | None
    region: str | None
    joined_by: JoinedBy | None
    candidates: int | None
    transaction_reference: str | None
    client_reference: str | None
    payment_id: str | None
    card_first: str | None
    card_last_four: str | None
    transaction_ms: int | None
    amount: int | None
    currency: str | None
    three_d_secure: int | None
    reason: str | None
    fraud_type: str | None
    stage: DisputeStage | None
    result: DisputeResult | None
    label: Label | None
    respond_by_ms: int | None
    recorded_at_ms: int
    actor: str

    @property
    def name(self) -> OutcomeName:
        """What tells it from the others of the account."""
        return self.kind, self.reference


_SAID: Final = tuple(
    name for name in OutcomeRow.__struct_fields__ if name not in (*_FOUND_OUT, *_TELLER)
)


def retold(before: OutcomeRow, given: OutcomeRow) -> OutcomeRow:
    """A known outcome after it was told again; the same object where nothing is new.

    What is not said this time stays: a file without results does not take back the one that a
    person entered. What is told of an earlier stage only adds what was not known: so files may come
    in any order, and again. A decision that was found before stays unless another one is found now.
    """
    is_earlier = _is_earlier(given.stage, before.stage)
    older, newer = (given, before) if is_earlier else (before, given)
    is_news = before.request_id is None or (given.request_id is not None and not is_earlier)
    found = given if is_news and before.joined_by is not JoinedBy.HAND else before
    unsaid = {name: getattr(older, name) for name in _SAID if getattr(newer, name) is None}
    if newer.network is OutcomeNetwork.OTHER:
        unsaid["network"] = older.network
    if older.stage and newer.stage and _round(older.stage) < _round(newer.stage):
        unsaid.pop("result", None)
    after = msgspec.structs.replace(
        newer,
        **unsaid,
        request_id=found.request_id,
        joined_by=found.joined_by,
        candidates=found.candidates,
        label=before.label,
        recorded_at_ms=before.recorded_at_ms,
        actor=before.actor,
    )
    if after == before:
        return before
    return msgspec.structs.replace(after, recorded_at_ms=given.recorded_at_ms, actor=given.actor)


def _is_earlier(given: DisputeStage | None, known: DisputeStage | None) -> bool:
    """Whether what is given is about a stage that is over.

    Without a stage it is about the one that is known, unless that goes beyond a chargeback.
    """
    if known is None:
        return False
    if given is None:
        return _round(known) > 1
    return _STAGES.index(given) < _STAGES.index(known)


def _round(stage: DisputeStage) -> int:
    return _ROUNDS.get(stage, 1)

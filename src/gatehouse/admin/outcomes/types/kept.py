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
_CONTESTED: Final = frozenset((DisputeStage.PRE_ARBITRATION, DisputeStage.ARBITRATION))
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
    person entered. A stage never goes back, and a decision that was found before stays unless
    another one is found now.
    """
    by_hand = before.joined_by is JoinedBy.HAND
    is_news = given.request_id is not None or before.request_id is None
    found = given if is_news and not by_hand else before
    unsaid = {name: getattr(before, name) for name in _SAID if getattr(given, name) is None}
    if given.network is OutcomeNetwork.OTHER:
        unsaid["network"] = before.network
    if _reopens(before.stage, given.stage):
        unsaid.pop("result", None)
    elif _is_further(before.stage, given.stage):
        unsaid["stage"] = before.stage
    after = msgspec.structs.replace(
        given,
        **unsaid,
        request_id=found.request_id,
        joined_by=found.joined_by,
        candidates=found.candidates,
        label=before.label,
    )
    same = msgspec.structs.replace(after, recorded_at_ms=before.recorded_at_ms, actor=before.actor)
    return before if same == before else after


def _is_further(one: DisputeStage | None, other: DisputeStage | None) -> bool:
    return one is not None and other is not None and _STAGES.index(one) > _STAGES.index(other)


def _reopens(before: DisputeStage | None, now: DisputeStage | None) -> bool:
    """Whether a dispute that had a result is open again: a question became a dispute, or the other
    side did not take the answer.
    """
    return _is_further(now, before) and (before is DisputeStage.INQUIRY or now in _CONTESTED)

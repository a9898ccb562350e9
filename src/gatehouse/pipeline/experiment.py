"""What a live experiment is: two arms, who gets which, and when it ends by itself.

The first arm is what is in force. The other one has another rule set, another model, or lets
through some of what the rules decline. What is kept and run is the value defined here, as JSON.
"""

from enum import StrEnum
from hashlib import blake2b
from typing import Final

import msgspec

_STEPS: Final = 2**64


class ExperimentKind(StrEnum):
    """What the arms differ in."""

    RULES = "rules"
    MODEL = "model"
    HOLD_OUT = "hold_out"


class AssignedBy(StrEnum):
    """Whose requests always get the same arm."""

    CARD = "card"
    USER = "user"


class Arm(StrEnum):
    """One of the two ways in which a request can be decided."""

    CONTROL = "control"
    CHALLENGER = "challenger"


class ExperimentEnd(StrEnum):
    """Why an experiment ended."""

    STOPPED = "stopped"
    HARM = "harm"
    CHANGED = "changed"


class HoldOutCaps(msgspec.Struct, frozen=True):
    """How much a hold-out lets through on one day, UTC."""

    orders: int
    minor_units: int
    currency: str


class Experiment(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """A live experiment of an account."""

    id: str
    name: str
    kind: ExperimentKind
    assigned_by: AssignedBy
    percent: int
    """How many of a hundred cards or users get the challenger."""
    started_at_ms: int
    rule_set: str | None = None
    """The rule set that a challenger takes the place of, and its version."""
    rule_set_version: int | None = None
    challenger_rule_set: str | None = None
    challenger_rule_set_version: int | None = None
    model: int | None = None
    """The model in force at the beginning; 0 is the one that ships."""
    challenger_model: int | None = None
    caps: HoldOutCaps | None = None
    maturity_days: int = 30
    """How old a decision is when its labels count as known."""
    most_declined_percent: int = 200
    most_fraud_percent: int = 100
    """Harm: what the challenger's rate surely exceeds, in percent of the control's."""
    ended_at_ms: int | None = None
    ended_because: ExperimentEnd | None = None

    @property
    def is_running(self) -> bool:
        """Whether requests get arms."""
        return self.ended_at_ms is None

    @property
    def share(self) -> float:
        """The challenger's share."""
        return self.percent / 100

    def arm_of(self, hashed: str) -> Arm:
        """The arm of a card or a user, told by a keyed hash of it; always the same one."""
        drawn = blake2b(hashed.encode(), key=self.id.encode(), digest_size=8).digest()
        is_other = int.from_bytes(drawn) * 100 < self.percent * _STEPS
        return Arm.CHALLENGER if is_other else Arm.CONTROL


_encode: Final = msgspec.json.Encoder().encode
_decode: Final = msgspec.json.Decoder(Experiment).decode


def encode_experiment(experiment: Experiment) -> str:
    """An experiment as it is kept."""
    return _encode(experiment).decode()


def decode_experiment(text: str) -> Experiment:
    """An experiment that was kept."""
    return _decode(text)

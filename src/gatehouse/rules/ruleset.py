"""A checked rule set, and the JSON in which it is kept for servers."""

from enum import StrEnum
from typing import Final

import msgspec

from gatehouse.conditions.nodes import Condition, Type
from gatehouse.core.stages.outcomes import Outcome

MOST_RULES: Final = 1000


class RuleState(StrEnum):
    """What a rule does: nothing, watch, or decide."""

    OFF = "off"
    SHADOW = "shadow"
    LIVE = "live"


class Rule(msgspec.Struct, frozen=True, omit_defaults=True):
    """One rule: its condition, and the outcome when the condition holds."""

    name: str
    condition: Condition
    outcome: Outcome
    tags: tuple[str, ...] = ()
    description: str = ""
    final: bool = False
    """Whether it decides alone when it matches; rules after it are only reported."""
    shadow: bool = False
    """Whether it is only watched: reported apart, never deciding."""
    off: bool = False
    """Whether it is not asked at all; it is a shadow, too, for servers that know no more."""

    @property
    def state(self) -> RuleState:
        """What it does."""
        if self.off:
            return RuleState.OFF
        return RuleState.SHADOW if self.shadow else RuleState.LIVE


class RuleSet(msgspec.Struct, frozen=True):
    """Rules in their order, and the custom inputs that they use."""

    name: str
    description: str
    inputs: dict[str, Type]
    rules: tuple[Rule, ...]


_encoder: Final = msgspec.json.Encoder(order="deterministic")
_decoder: Final = msgspec.json.Decoder(RuleSet)


def encode_program(rule_set: RuleSet) -> str:
    """The rule set as it is kept."""
    return _encoder.encode(rule_set).decode()


def decode_program(text: str) -> RuleSet:
    """A rule set that was kept."""
    return _decoder.decode(text)

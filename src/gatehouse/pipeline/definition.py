"""What a pipeline is: its stages in order, when each stops or is skipped, and which decide.

An author writes a file, `pipeline.authoring` checks it, and what is kept and run is the value
defined here, as JSON. A running server needs nothing else.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Final

import msgspec

from gatehouse.conditions.nodes import Condition, Type


class OnFailure(StrEnum):
    """What follows when a stage did not complete: its connector failed or was late."""

    CONTINUE = "CONTINUE"
    """Go on as if the stage were not there."""
    STOP = "STOP"
    """End the pipeline with the stage's verdict, or REVIEW if it has none."""
    REVIEW = "REVIEW"
    """Go on, but the decision is REVIEW at least."""


STAGES: Final = ("Rules", "Sentry", "PreCheck", "IdVerify", "Gateway")
"""Every stage that a pipeline can have."""

DECIDING: Final = ("Rules", "PreCheck", "Gateway")
"""The stages that have a verdict. Sentry and IdVerify leave signals, over which rules decide."""

FEE_TYPES: Final[Mapping[str, str]] = {
    "Rules": "RULES",
    "Sentry": "SENTRY",
    "PreCheck": "PRECHECK",
    "IdVerify": "ID_VERIFY",
    "Gateway": "GATEWAY",
}
"""Under which name of the fee schedule each stage is charged."""

_INPUTS: Final[Mapping[str, tuple[str, ...]]] = {
    "preCheckRequest": ("PreCheck", "Gateway"),
    "idVerifyRequest": ("IdVerify",),
    "payment": ("Gateway",),
}


class StageDefinition(msgspec.Struct, frozen=True, omit_defaults=True):
    """One stage at its place in a pipeline."""

    stage: str
    rule_set: str | None = None
    """The rule set that a Rules stage runs."""
    fee_micros: int | None = None
    """What it costs here; None is the fee of the account's schedule."""
    stop_when: Condition | None = None
    """Ends the pipeline when it is true after the stage; None never does."""
    skip_when: Condition | None = None
    """Leaves the stage out when it is true before it; None never does."""
    on_failure: OnFailure = OnFailure.CONTINUE


class PipelineDefinition(msgspec.Struct, frozen=True, omit_defaults=True):
    """A pipeline of an account."""

    number: int
    name: str
    description: str = ""
    inputs: dict[str, Type] = {}
    """The custom inputs that conditions of the pipeline itself use, without `custom.`."""
    stages: tuple[StageDefinition, ...] = ()
    decided_by: tuple[str, ...] = DECIDING
    """Names of the stages whose verdicts make the decision."""


_encode: Final = msgspec.json.Encoder(order="deterministic").encode
_decode: Final = msgspec.json.Decoder(PipelineDefinition).decode


def encode_program(definition: PipelineDefinition) -> str:
    """The definition as it is kept."""
    return _encode(definition).decode()


def decode_program(text: str) -> PipelineDefinition:
    """A definition that was kept."""
    return _decode(text)


def needs(definition: PipelineDefinition) -> dict[str, tuple[str, ...]]:
    """What a caller must send, and which stages of the pipeline need it.

    `payment` is an amount and a currency, whichever part of the request they come with.
    """
    present = {stage.stage for stage in definition.stages}
    found = {
        name: tuple(stage for stage in stages if stage in present)
        for name, stages in _INPUTS.items()
    }
    return {name: stages for name, stages in found.items() if stages}

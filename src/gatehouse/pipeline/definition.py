"""What a pipeline is: its stages in order, when each stops or is skipped, and how they decide.

An author writes a file, `pipeline.authoring` checks it, and what is kept and run is the value
defined here, as JSON. A running server needs nothing else.
"""

from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Final

import msgspec

from gatehouse.conditions.nodes import Condition, Type
from gatehouse.core.stages.outcomes import OnFailure, Outcome, strongest
from gatehouse.core.stages.registry import REGISTRY


class Pay(StrEnum):
    """Which requests a stage asks a payment for."""

    ACCEPTED = "accepted"
    """Those that are accepted so far: what is to be reviewed is not paid here."""
    REVIEWED = "reviewed"
    """Those that are to be reviewed, too."""


class OnDeclinedReview(StrEnum):
    """What becomes of a payment when the review of its request is declined."""

    REVERSE = "reverse"
    LEAVE = "leave"


class CaptureWhen(StrEnum):
    """When a payment is captured."""

    LATER = "later"
    """When somebody asks for it."""
    ACCEPTED = "accepted"
    """As soon as its request is accepted, by the pipeline or by a review."""


class StageDefinition(msgspec.Struct, frozen=True, omit_defaults=True):
    """One stage at its place in a pipeline."""

    stage: str
    rule_set: str | None = None
    """The rule set that the stage runs, if it is one that runs rules."""
    fee_micros: int | None = None
    """What it costs here, if an operator wrote an amount."""
    stop_when: Condition | None = None
    """Ends the pipeline when it is true after the stage; None never does."""
    skip_when: Condition | None = None
    """Leaves the stage out when it is true before it; None never does."""
    on_failure: OnFailure = OnFailure.CONTINUE
    pay: Pay = Pay.REVIEWED
    """This and what follows: only of a stage that pays."""
    on_declined_review: OnDeclinedReview = OnDeclinedReview.REVERSE
    capture: CaptureWhen = CaptureWhen.LATER
    fee_name: str | None = None
    """The special fee of the account's schedule that it costs."""

    def fee(self, fees: Mapping[str, int]) -> int:
        """What it costs by a schedule; a special fee that is gone is that of the function."""
        if self.fee_micros is not None:
            return self.fee_micros
        fee_type = REGISTRY[self.stage].fee_type
        return fees.get(f"{fee_type}/{self.fee_name}", fees[fee_type])


class PipelineDefinition(msgspec.Struct, frozen=True, omit_defaults=True):
    """A pipeline of an account."""

    number: int
    name: str
    description: str = ""
    inputs: dict[str, Type] = {}
    """The custom inputs that conditions of the pipeline itself use, without `custom.`."""
    stages: tuple[StageDefinition, ...] = ()
    decided_by: tuple[str, ...] = ()
    """Stages whose verdicts make the decision, as its author named them; see `deciders`."""

    @property
    def deciders(self) -> tuple[str, ...]:
        """Stages whose verdicts make the decision: unless named, all that have one."""
        return self.decided_by or REGISTRY.deciding

    @property
    def captures(self) -> bool:
        """Whether a payment is captured as soon as its request is accepted."""
        return any(each.capture is CaptureWhen.ACCEPTED for each in self.stages)


_encode: Final = msgspec.json.Encoder(order="deterministic").encode
_decode: Final = msgspec.json.Decoder(PipelineDefinition).decode


def encode_program(definition: PipelineDefinition) -> str:
    """The definition as it is kept."""
    return _encode(definition).decode()


def decode_program(text: str) -> PipelineDefinition:
    """A definition that was kept."""
    return _decode(text)


def without_payment(definition: PipelineDefinition) -> PipelineDefinition:
    """The pipeline where nobody takes payments: the stages that pay are left out.

    Raises `ValueError` when none is left: a decision must stand on something.
    """
    stages = tuple(each for each in definition.stages if not REGISTRY[each.stage].pays)
    if not stages:
        raise ValueError(f"without a gateway, pipeline {definition.number} has no stage")
    present = {each.stage for each in stages}
    decided_by = tuple(name for name in definition.decided_by if name in present)
    return msgspec.structs.replace(definition, stages=stages, decided_by=decided_by)


def needs(definition: PipelineDefinition) -> dict[str, tuple[str, ...]]:
    """What a caller must send, and which stages of the pipeline need it.

    `payment` is an amount and a currency, whichever part of the request they come with.
    """
    present = {stage.stage for stage in definition.stages}
    found: dict[str, tuple[str, ...]] = {}
    for spec in REGISTRY.in_pipelines:
        if spec.name in present:
            for need in spec.needs:
                found[need] = (*found.get(need, ()), spec.name)
    return found


def reads(definition: PipelineDefinition) -> tuple[str, ...]:
    """The objects of a request that the stages of the pipeline look at, in the usual order."""
    present = {stage.stage for stage in definition.stages}
    read: set[str] = set()
    for spec in REGISTRY.in_pipelines:
        if spec.name in present:
            read |= {spec.request.field, *spec.reads, *spec.needs}
    fields = [spec.request.field for spec in REGISTRY.in_pipelines]
    return tuple(field for field in fields if field in read)


def combine(
    definition: PipelineDefinition,
    ran: Iterable[tuple[StageDefinition, Outcome | None, bool]],
) -> Outcome:
    """The decision, from each stage that ran, its verdict, and whether it completed.

    Of the stages that completed, the deciders count. A stage that did not complete counts by its
    `on_failure` wherever it stands: a pipeline that ended early because a stage failed must not
    look like one in which all was well.
    """
    deciders = definition.deciders
    votes: list[Outcome] = []
    for stage, verdict, completed in ran:
        if not completed:
            if stage.on_failure is OnFailure.STOP:
                votes.append(verdict or Outcome.REVIEW)
            elif stage.on_failure is OnFailure.REVIEW:
                votes.append(Outcome.REVIEW)
        elif verdict is not None and stage.stage in deciders:
            votes.append(verdict)
    return strongest(votes)

"""What a Pipeline request and its answer hold: the objects of the registered stages, side by side.

Also what callers are told about the pipelines that their account can call.
"""

from collections.abc import Iterable
from typing import Annotated, Any, Final

import msgspec
from msgspec import UNSET, Raw, UnsetType

from gatehouse.core.api_values import CamelStruct, doc
from gatehouse.core.secrets.hidden import Personal
from gatehouse.core.stages.case import ClientReferenceField
from gatehouse.core.stages.outcomes import DecisionReason, Outcome
from gatehouse.core.stages.registry import REGISTRY
from gatehouse.decisions.reasons import REASON_ABOUT, RETRYABLE_ABOUT

PipelineNumber = Annotated[int, doc("Number of the pipeline.", 1, ge=1, le=999_999)]
PIPELINE_RESPONSE: Final = "pipelineResponse"
"""The envelope's field for the answer of a pipeline."""
_NULL = Raw(b"null")


class PipelineCall(Personal, frozen=True, rename="camel"):
    """A purchase, with an input for every stage that needs one."""

    pipeline_id: PipelineNumber
    client_reference_id: ClientReferenceField = None


class PipelineMessages(msgspec.Struct, frozen=True):
    """The types of a Pipeline operation, which depend on the stages that there are."""

    request: type[msgspec.Struct]
    """As the documentation shows it."""
    call: type[PipelineCall]
    """As it is read: which inputs are looked at depends on the pipeline."""
    response: type[msgspec.Struct]


def pipeline_messages() -> PipelineMessages:
    """The types for the stages that are registered now."""
    specs = REGISTRY.in_pipelines
    inputs: list[Any] = [
        (spec.request.field, _optional(spec.request.type, spec.request.about), None)
        for spec in specs
    ]
    raw: list[Any] = [(spec.request.field, Raw, _NULL) for spec in specs]
    found: list[Any] = [
        (spec.response.field, spec.response.type | UnsetType, UNSET) for spec in specs
    ]
    return PipelineMessages(
        _defined("PipelineRequest", inputs, PipelineCall),
        _defined("PipelineCall", raw, PipelineCall),
        _defined("PipelineResponse", found, _response_head()),
    )


def responses_by_field(
    stages: Iterable[tuple[str, msgspec.Struct]],
) -> dict[str, msgspec.Struct]:
    """The objects of the stages that ran; a stage that ran more than once has one object."""
    found: dict[str, msgspec.Struct] = {}
    for name, value in stages:
        response = REGISTRY[name].response
        if response.combine is not None and response.field in found:
            value = response.combine([found[response.field], value])  # noqa: PLW2901
        found[response.field] = value
    return found


def _optional(kind: Any, about: str) -> Any:
    return Annotated[kind | None, doc(about)]


def _response_head() -> type[msgspec.Struct]:
    """What every answer has."""
    stages = doc("Stages that ran, in order.", [*REGISTRY.names[:2]])

    class PipelineResponse(msgspec.Struct, frozen=True, rename="camel"):
        """What every stage that ran has found, and what follows from it."""

        pipeline_stages: Annotated[list[str], stages]
        decision: Annotated[Outcome, doc("The strongest of what the deciding stages want.")]
        reason: Annotated[DecisionReason | None, doc(REASON_ABOUT)]
        retryable: Annotated[bool, doc(RETRYABLE_ABOUT)]
        tags: Annotated[list[str], doc("From Sentry's reasons and from the rules that matched.")]

    return PipelineResponse


def _defined(name: str, fields: list[Any], head: Any) -> Any:
    """A struct with the fields of the head and more."""
    about = {"__doc__": head.__doc__}
    return msgspec.defstruct(name, fields, bases=(head,), namespace=about, frozen=True)


class PipelineStage(CamelStruct):
    """One stage of a pipeline, as callers may know it."""

    stage: Annotated[str, doc("Name of the stage.")]
    fee_type: Annotated[str, doc("Fee type.")]
    rule_set: Annotated[str | UnsetType, doc("Rule set of a Rules stage.")] = UNSET


class PipelineSummary(CamelStruct):
    """A pipeline that the account can call."""

    pipeline_id: Annotated[int, doc("Its number.")]
    version: Annotated[int, doc("Version in force.")]
    name: Annotated[str, doc("What it is called.")]
    description: Annotated[str, doc("What it is for.")]
    stages: Annotated[list[PipelineStage], doc("Its stages, in order.")]
    required: Annotated[list[str], doc("Paths that a request must have.", ["preCheckRequest"])]


class PipelinesResponse(CamelStruct):
    """The pipelines of the account."""

    pipelines: list[PipelineSummary]

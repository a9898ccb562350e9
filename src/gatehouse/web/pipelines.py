"""What callers are told about the pipelines that their account can call."""

from typing import Annotated

import msgspec
from msgspec import UNSET, Meta, UnsetType


class PipelineStage(msgspec.Struct, frozen=True, rename="camel"):
    """One stage of a pipeline, as callers may know it."""

    stage: Annotated[str, Meta(description="Name of the stage.")]
    fee_type: Annotated[str, Meta(description="Fee type.")]
    rule_set: Annotated[str | UnsetType, Meta(description="Rule set of a Rules stage.")] = UNSET


class PipelineSummary(msgspec.Struct, frozen=True, rename="camel"):
    """A pipeline that the account can call."""

    pipeline_id: Annotated[int, Meta(description="Its number.")]
    version: Annotated[int, Meta(description="Version in force.")]
    name: Annotated[str, Meta(description="What it is called.")]
    description: Annotated[str, Meta(description="What it is for.")]
    stages: Annotated[list[PipelineStage], Meta(description="Its stages, in order.")]
    required: Annotated[
        list[str],
        Meta(description="Paths that a request must have.", examples=[["preCheckRequest"]]),
    ]


class PipelinesResponse(msgspec.Struct, frozen=True, rename="camel"):
    """The pipelines of the account."""

    pipelines: list[PipelineSummary]

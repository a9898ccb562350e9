"""Sentry's models, as every face trains and shows them."""

from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from gatehouse.admin.configurations.types import Note, Version
from gatehouse.core.api_values import Money
from gatehouse.core.clock import Moment
from gatehouse.core.reading.spans import SinceText, UntilText
from gatehouse.sentry.costs import CostPreset

ModelNumber = Annotated[
    str,
    Meta(description="Its number; 0 is the scorecard that ships with the service.", examples=["1"]),
]

LabelDelayDays = Annotated[
    int,
    Meta(
        ge=0,
        le=3650,
        description="How long labels are waited for; newer requests are left out.",
        examples=[30],
    ),
]
HoldoutShare = Annotated[
    float, Meta(ge=0.05, le=0.5, description="Share of the newest requests to measure on.")
]
Presumed = Annotated[
    bool, Meta(description="Whether requests without a label count as legitimate.")
]


class TrainingRequest(msgspec.Struct, frozen=True, rename="camel"):
    """What to learn from, and how."""

    since: SinceText = None
    until: UntilText = None
    label_delay_days: LabelDelayDays = 30
    holdout: HoldoutShare = 0.2
    method: Annotated[
        Literal["auto", "ebm", "logistic"],
        Meta(description="How it is fitted; `auto` depends on how much fraud there is."),
    ] = "auto"
    presume: Presumed = True
    note: Note = None


class LabelAuditRequest(msgspec.Struct, frozen=True, rename="camel"):
    """Which labels to check, as a training would take them."""

    since: SinceText = None
    until: UntilText = None
    label_delay_days: LabelDelayDays = 30
    holdout: HoldoutShare = 0.2
    presume: Presumed = True


class ModelShown(msgspec.Struct, frozen=True, rename="camel"):
    """A model."""

    version: Version
    live: Annotated[bool, Meta(description="Whether Sentry scores with it.", examples=[True])]
    shadow: Annotated[
        bool,
        Meta(
            description="Whether requests are scored with it, too; it decides nothing.",
            examples=[False],
        ),
    ]
    created_at: Annotated[
        Moment | None, Meta(description="When it was trained (RFC 3339); null for the shipped.")
    ]
    by: Annotated[str | None, Meta(description="Who had it trained.", examples=["cli:ann"])]
    note: Annotated[str | None, Meta(description="Why.")]


class ThresholdCostShown(msgspec.Struct, frozen=True, rename="camel"):
    """What one threshold of a report would have cost."""

    below: Annotated[float, Meta(description="Requests with less confidence are declined.")]
    cost: Annotated[Money, Meta(description="Losses by fraud, and margins turned away.")]
    best_for: Annotated[
        list[CostPreset], Meta(description="Presets for which no other threshold is cheaper.")
    ]


class ModelReported(ModelShown, frozen=True, rename="camel"):
    """A model with what was measured when it was trained."""

    report: Annotated[
        dict[str, Any] | None,
        Meta(description="Its figures beside those of the model in force then; null if unknown."),
    ] = None
    costs: Annotated[
        list[ThresholdCostShown] | None,
        Meta(description="What its thresholds cost; null unless the account has set its costs."),
    ] = None


class ModelFileTold(msgspec.Struct, frozen=True, rename="camel"):
    """A model as a file."""

    version: Version
    file: Annotated[str, Meta(description="The text of the file (JSON).")]


class ModelImport(msgspec.Struct, frozen=True, rename="camel"):
    """A model file to keep as a new version."""

    file: Annotated[
        str, Meta(max_length=512 * 1024, description="The text of the file.", examples=["{}"])
    ]
    trust: Annotated[
        bool, Meta(description="Whether a file is taken that this account did not export.")
    ] = False
    note: Note = None


class ModelImported(msgspec.Struct, frozen=True, rename="camel"):
    """Which version a file became; nothing uses it yet."""

    version: Version
    own: Annotated[bool, Meta(description="Whether this account exported it.", examples=[False])]
    remarks: Annotated[
        list[str], Meta(description="How it fits this version of the service.", examples=[[]])
    ]


class ModelPage(msgspec.Struct, frozen=True, rename="camel"):
    """All models of an account."""

    models: Annotated[list[ModelShown], Meta(description="Newest first, the shipped one last.")]


class ThresholdKept(msgspec.Struct, frozen=True, rename="camel"):
    """A threshold in use, and which share of recent requests is below it.

    Null where the threshold was set after the model was trained.
    """

    source: Annotated[
        Literal["rule", "pipeline"], Meta(description="Whether a rule or a pipeline names it.")
    ]
    configured: Annotated[
        str, Meta(description="The rule set, or the pipeline's number.", examples=["starter"])
    ]
    name: Annotated[str, Meta(description="The rule, or the stage.", examples=["sentry-low"])]
    threshold: Annotated[float, Meta(description="What is compared with.", examples=[0.4])]
    before: Annotated[float | None, Meta(description="With the model before.", examples=[0.02])] = (
        None
    )
    unmapped: Annotated[
        float | None, Meta(description="With the scores of this model as they are.", examples=[0.3])
    ] = None
    after: Annotated[
        float | None, Meta(description="With its scores as they are told.", examples=[0.02])
    ] = None
    changed: Annotated[
        int | None,
        Meta(description="Requests on the other side than before, as told.", examples=[12]),
    ] = None
    changed_unmapped: Annotated[
        int | None, Meta(description="The same with scores as they are.", examples=[560])
    ] = None


class PromotionOptions(msgspec.Struct, frozen=True, rename="camel"):
    """How a model is put into use."""

    raw_scores: Annotated[
        bool,
        Meta(description="Tell its scores as they are, though thresholds mean another share then."),
    ] = False
    note: Note = None


class ModelSwitched(msgspec.Struct, frozen=True, rename="camel"):
    """Which model is live now."""

    version: Version
    before: Annotated[int, Meta(description="The one until now.", examples=[2])]
    remarks: Annotated[
        list[str], Meta(description="How it fits this version of the service.", examples=[[]])
    ]
    mapped: Annotated[
        bool,
        Meta(description="Whether its scores are told so that thresholds keep their meaning."),
    ] = False
    thresholds: Annotated[
        list[ThresholdKept], Meta(description="Thresholds in use.", examples=[[]])
    ] = []

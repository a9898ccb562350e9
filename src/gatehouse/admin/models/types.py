"""Sentry's models, as every face trains and shows them."""

from typing import Annotated, Any, Literal

from gatehouse.admin.configurations.types import Note, Version
from gatehouse.core.api_values import CamelStruct, Money, doc
from gatehouse.core.clock import Moment
from gatehouse.core.reading.spans import SinceText, UntilText
from gatehouse.sentry.costs import CostPreset

ModelNumber = Annotated[
    str, doc("Its number; 0 is the scorecard that ships with the service.", "1")
]

LabelDelayDays = Annotated[
    int, doc("How long labels are waited for; newer requests are left out.", 30, ge=0, le=3650)
]
HoldoutShare = Annotated[float, doc("Share of the newest requests to measure on.", ge=0.05, le=0.5)]
Presumed = Annotated[bool, doc("Whether requests without a label count as legitimate.")]


class TrainingRequest(CamelStruct):
    """What to learn from, and how."""

    since: SinceText = None
    until: UntilText = None
    label_delay_days: LabelDelayDays = 30
    holdout: HoldoutShare = 0.2
    method: Annotated[
        Literal["auto", "ebm", "logistic"],
        doc("How it is fitted; `auto` depends on how much fraud there is."),
    ] = "auto"
    presume: Presumed = True
    note: Note = None


class LabelAuditRequest(CamelStruct):
    """Which labels to check, as a training would take them."""

    since: SinceText = None
    until: UntilText = None
    label_delay_days: LabelDelayDays = 30
    holdout: HoldoutShare = 0.2
    presume: Presumed = True


class ModelShown(CamelStruct):
    """A model."""

    version: Version
    live: Annotated[bool, doc("Whether Sentry scores with it.", True)]
    shadow: Annotated[
        bool, doc("Whether requests are scored with it, too; it decides nothing.", False)
    ]
    created_at: Annotated[
        Moment | None, doc("When it was trained (RFC 3339); null for the shipped.")
    ]
    by: Annotated[str | None, doc("Who had it trained.", "cli:ann")]
    note: Annotated[str | None, doc("Why.")]


class ThresholdCostShown(CamelStruct):
    """What one threshold of a report would have cost."""

    below: Annotated[float, doc("Requests with less confidence are declined.")]
    cost: Annotated[Money, doc("Losses by fraud, and margins turned away.")]
    best_for: Annotated[list[CostPreset], doc("Presets for which no other threshold is cheaper.")]


class ModelReported(ModelShown):
    """A model with what was measured when it was trained."""

    report: Annotated[
        dict[str, Any] | None,
        doc("Its figures beside those of the model in force then; null if unknown."),
    ] = None
    costs: Annotated[
        list[ThresholdCostShown] | None,
        doc("What its thresholds cost; null unless the account has set its costs."),
    ] = None


class ModelFileTold(CamelStruct):
    """A model as a file."""

    version: Version
    file: Annotated[str, doc("The text of the file (JSON).")]


class ModelImport(CamelStruct):
    """A model file to keep as a new version."""

    file: Annotated[str, doc("The text of the file.", "{}", max_length=512 * 1024)]
    trust: Annotated[bool, doc("Whether a file is taken that this account did not export.")] = False
    note: Note = None


class ModelImported(CamelStruct):
    """Which version a file became; nothing uses it yet."""

    version: Version
    own: Annotated[bool, doc("Whether this account exported it.", False)]
    remarks: Annotated[list[str], doc("How it fits this version of the service.", [])]


class ModelPage(CamelStruct):
    """All models of an account."""

    models: Annotated[list[ModelShown], doc("Newest first, the shipped one last.")]


class ThresholdKept(CamelStruct):
    """A threshold in use, and which share of recent requests is below it.

    Null where the threshold was set after the model was trained.
    """

    source: Annotated[Literal["rule", "pipeline"], doc("Whether a rule or a pipeline names it.")]
    configured: Annotated[str, doc("The rule set, or the pipeline's number.", "starter")]
    name: Annotated[str, doc("The rule, or the stage.", "sentry-low")]
    threshold: Annotated[float, doc("What is compared with.", 0.4)]
    before: Annotated[float | None, doc("With the model before.", 0.02)] = None
    unmapped: Annotated[float | None, doc("With the scores of this model as they are.", 0.3)] = None
    after: Annotated[float | None, doc("With its scores as they are told.", 0.02)] = None
    changed: Annotated[int | None, doc("Requests on the other side than before, as told.", 12)] = (
        None
    )
    changed_unmapped: Annotated[int | None, doc("The same with scores as they are.", 560)] = None


class PromotionOptions(CamelStruct):
    """How a model is put into use."""

    raw_scores: Annotated[
        bool, doc("Tell its scores as they are, though thresholds mean another share then.")
    ] = False
    note: Note = None


class ModelSwitched(CamelStruct):
    """Which model is live now."""

    version: Version
    before: Annotated[int, doc("The one until now.", 2)]
    remarks: Annotated[list[str], doc("How it fits this version of the service.", [])]
    mapped: Annotated[
        bool, doc("Whether its scores are told so that thresholds keep their meaning.")
    ] = False
    thresholds: Annotated[list[ThresholdKept], doc("Thresholds in use.", [])] = []

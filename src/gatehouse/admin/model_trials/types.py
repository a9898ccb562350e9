"""Trials of models on live traffic, as every face asks for them and shows them."""

from typing import Annotated, Any

from gatehouse.core.api_values import CamelStruct, doc
from gatehouse.core.clock import Moment
from gatehouse.core.reading.spans import SinceText, UntilText


class TrialOfModel(CamelStruct):
    """Which requests a model is tried on."""

    since: SinceText = None
    until: UntilText = None
    recorded: Annotated[
        bool,
        doc(
            "Compare the scores that were recorded while it scored beside the one in "
            "force, and not those that it would give now."
        ),
    ] = False


class ModelShadow(CamelStruct):
    """Whether a model scores beside the one in force."""

    version: Annotated[int, doc("The model.", 2)]
    since: Annotated[Moment | None, doc("Since when it does (RFC 3339); null if it does not.")]


class ModelTrialShown(CamelStruct):
    """What the newest trial of a model found."""

    version: Annotated[int, doc("The model.", 2)]
    finished_at: Annotated[Moment | None, doc("When the trial ended (RFC 3339); null without one.")]
    is_current: Annotated[bool, doc("Whether the model in force is still the one compared with.")]
    trial: Annotated[
        dict[str, Any] | None,
        doc(
            "Agreement, decisions that would differ, both models' figures on labels, "
            "and each threshold in use with one of equal share; null without a trial."
        ),
    ]

"""Sentry's answer, in the words of the API."""

from typing import Annotated, Final

import msgspec
from msgspec import Meta

NAME: Final = "Sentry"
"""Of the stage, in answers and records."""
FEE_TYPE: Final = "SENTRY"


class Reason(msgspec.Struct, frozen=True, gc=False):
    """One thing that moved the score."""

    code: Annotated[str, Meta(description="Which signal; docs/signals.md lists them all.")]
    effect: Annotated[
        float,
        Meta(description="What it added to the log-odds that the request is legitimate."),
    ]
    text: Annotated[str, Meta(description="The same in words.")]


Reasons = Annotated[list[Reason], Meta(description="What mattered, strongest first.")]
Score = Annotated[float, Meta(ge=0, le=1)]


class SentryResponse(msgspec.Struct, frozen=True, rename="camel"):
    """How far the request can be trusted."""

    request_confidence: Annotated[
        Score, Meta(description="Confidence that the request is legitimate, 0 to 1.")
    ]
    reasons: Reasons


class SentryInPipeline(msgspec.Struct, frozen=True, rename="camel"):
    """The same as a part of a pipeline's answer."""

    ip_score: Annotated[
        Score, Meta(description="The same confidence from what is known of the address alone.")
    ]
    request_score: Annotated[
        Score, Meta(description="Confidence that the request is legitimate, 0 to 1.")
    ]
    reasons: Reasons

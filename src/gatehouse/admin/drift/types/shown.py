"""Drift as programs and people see it."""

from typing import Annotated, Final

import msgspec
from msgspec import Meta

from gatehouse.admin.drift.types.comparing import DriftKind
from gatehouse.core.api_values import PageSize
from gatehouse.core.clock import Moment

MOST_SHOWN: Final = 100


class DriftSearch(msgspec.Struct, frozen=True, rename="camel"):
    """Which drift to list."""

    limit: PageSize = MOST_SHOWN
    ended: Annotated[bool, Meta(description="Whether to list what has ended, too.")] = False


class DriftShown(msgspec.Struct, frozen=True, rename="camel"):
    """Something that is not as usual."""

    kind: Annotated[
        DriftKind,
        Meta(
            description="`signal`, `score`, `rule` (how often it matches) or `labels` (how long "
            "they take, or how many come)."
        ),
    ]
    name: Annotated[
        str,
        Meta(
            description="The signal, the rule as `ruleSet/rule`, or of labels `delay` or `number`.",
            examples=["ip.country"],
        ),
    ]
    began_at: Annotated[Moment, Meta(description="When it was noticed (RFC 3339).")]
    ended_at: Annotated[
        Moment | None, Meta(description="When it was as usual again (RFC 3339); null until then.")
    ]
    figure: Annotated[
        float,
        Meta(
            description="Of a signal or score, the population stability index of the last day "
            "against the same hours of the weeks before; of a rule, the share of requests that it "
            "matched; of labels, the median in days, or how many came in a week.",
            examples=[0.41],
        ),
    ]
    usual: Annotated[float, Meta(description="The same in the weeks before.", examples=[0.01])]
    requests: Annotated[int, Meta(description="Of how many requests or labels.", examples=[5200])]
    said: Annotated[str, Meta(description="What it means, in a sentence.")]


class DriftPage(msgspec.Struct, frozen=True, rename="camel"):
    """What is not as usual."""

    drifts: Annotated[list[DriftShown], Meta(description="What goes on first, newest first.")]

"""Drift as programs and people see it."""

from typing import Annotated, Final

from gatehouse.admin.drift.types.comparing import DriftKind
from gatehouse.core.api_values import CamelStruct, PageSize, doc
from gatehouse.core.clock import Moment

MOST_SHOWN: Final = 100


class DriftSearch(CamelStruct):
    """Which drift to list."""

    limit: PageSize = MOST_SHOWN
    ended: Annotated[bool, doc("Whether to list what has ended, too.")] = False


class DriftShown(CamelStruct):
    """Something that is not as usual."""

    kind: Annotated[
        DriftKind,
        doc(
            "`signal`, `score`, `rule` (how often it matches) or `labels` (how long "
            "they take, or how many come)."
        ),
    ]
    name: Annotated[
        str,
        doc(
            "The signal, the rule as `ruleSet/rule`, or of labels `delay` or `number`.",
            "ip.country",
        ),
    ]
    began_at: Annotated[Moment, doc("When it was noticed (RFC 3339).")]
    ended_at: Annotated[
        Moment | None, doc("When it was as usual again (RFC 3339); null until then.")
    ]
    figure: Annotated[
        float,
        doc(
            "Of a signal or score, the population stability index of the last day "
            "against the same hours of the weeks before; of a rule, the share of requests that it "
            "matched; of labels, the median in days, or how many came in a week.",
            0.41,
        ),
    ]
    usual: Annotated[float, doc("The same in the weeks before.", 0.01)]
    requests: Annotated[int, doc("Of how many requests or labels.", 5200)]
    said: Annotated[str, doc("What it means, in a sentence.")]


class DriftPage(CamelStruct):
    """What is not as usual."""

    drifts: Annotated[list[DriftShown], doc("What goes on first, newest first.")]

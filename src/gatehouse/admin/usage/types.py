"""Usage, as every program gets it."""

from datetime import date
from enum import StrEnum
from typing import Annotated

import msgspec
from msgspec import Meta

from gatehouse.admin.money.types import PeriodQuery
from gatehouse.billing.statement import UsageBy
from gatehouse.core.api_values import Money


class UsagePer(StrEnum):
    """Over which spans usage is added up."""

    DAY = "day"
    MONTH = "month"


class UsageQuery(PeriodQuery, frozen=True):
    """Which usage is wanted."""

    by: Annotated[
        UsageBy,
        Meta(
            description="What requests are told apart by. By `key`, `pipeline` or `tag` they are "
            "in `groups`, and count when they ended, as in the statement."
        ),
    ] = UsageBy.OPERATION
    per: Annotated[UsagePer, Meta(description="Spans of `groups`.")] = UsagePer.DAY


class UsageEntry(msgspec.Struct, frozen=True, rename="camel"):
    """The requests of one operation on one day."""

    day: Annotated[date, Meta(description="In UTC.", examples=["2026-11-16"])]
    operation: Annotated[str, Meta(description="Its name.", examples=["pipeline"])]
    requests: Annotated[int, Meta(description="How many were decided.", examples=[1200])]
    charged: Annotated[Money, Meta(description="What they were charged.")]


class UsageGroupEntry(msgspec.Struct, frozen=True, rename="camel"):
    """The requests of one key, pipeline or tag on one day or in one month."""

    day: Annotated[date, Meta(description="In UTC; the first of a month.", examples=["2026-11-01"])]
    group: Annotated[
        str | None,
        Meta(
            description="Id of the key, number of the pipeline, or the custom input `tag`; null "
            "where there is none, or it is not recorded any more.",
            examples=["checkout"],
        ),
    ]
    name: Annotated[str | None, Meta(description="What the key is called.")]
    requests: Annotated[int, Meta(description="How many ended.", examples=[1200])]
    charged: Annotated[Money, Meta(description="What they were charged.")]
    is_rest: Annotated[
        bool,
        Meta(
            description="Whether these are all beyond the largest 1,000 groups.", examples=[False]
        ),
    ]


class UsageResponse(msgspec.Struct, frozen=True, rename="camel"):
    """What an account used in a period."""

    first: Annotated[date, Meta(description="The first day.", examples=["2026-11-01"])] = (
        msgspec.field(name="from")
    )
    end: Annotated[date, Meta(description="The first day after.", examples=["2026-12-01"])] = (
        msgspec.field(name="to")
    )
    usage: Annotated[list[UsageEntry], Meta(description="By day and operation.")]
    groups: Annotated[
        list[UsageGroupEntry],
        Meta(description="By key, pipeline or tag; they add up to what the statement charges."),
    ] = []

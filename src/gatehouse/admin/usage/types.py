"""Usage, as every program gets it."""

from datetime import date
from enum import StrEnum
from typing import Annotated

import msgspec

from gatehouse.admin.money.types import PeriodQuery
from gatehouse.billing.statement import UsageBy
from gatehouse.core.api_values import CamelStruct, Money, doc


class UsagePer(StrEnum):
    """Over which spans usage is added up."""

    DAY = "day"
    MONTH = "month"


class UsageQuery(PeriodQuery, frozen=True):
    """Which usage is wanted."""

    by: Annotated[
        UsageBy,
        doc(
            "What requests are told apart by. By `key`, `pipeline` or `tag` they are "
            "in `groups`, and count when they ended, as in the statement."
        ),
    ] = UsageBy.OPERATION
    per: Annotated[UsagePer, doc("Spans of `groups`.")] = UsagePer.DAY


class UsageEntry(CamelStruct):
    """The requests of one operation on one day."""

    day: Annotated[date, doc("In UTC.", "2026-11-16")]
    operation: Annotated[str, doc("Its name.", "pipeline")]
    requests: Annotated[int, doc("How many were decided.", 1200)]
    charged: Annotated[Money, doc("What they were charged.")]


class UsageGroupEntry(CamelStruct):
    """The requests of one key, pipeline or tag on one day or in one month."""

    day: Annotated[date, doc("In UTC; the first of a month.", "2026-11-01")]
    group: Annotated[
        str | None,
        doc(
            "Id of the key, number of the pipeline, or the custom input `tag`; null "
            "where there is none, or it is not recorded any more.",
            "checkout",
        ),
    ]
    name: Annotated[str | None, doc("What the key is called.")]
    requests: Annotated[int, doc("How many ended.", 1200)]
    charged: Annotated[Money, doc("What they were charged.")]
    is_rest: Annotated[bool, doc("Whether these are all beyond the largest 1,000 groups.", False)]


class UsageResponse(CamelStruct):
    """What an account used in a period."""

    first: Annotated[date, doc("The first day.", "2026-11-01")] = msgspec.field(name="from")
    end: Annotated[date, doc("The first day after.", "2026-12-01")] = msgspec.field(name="to")
    usage: Annotated[list[UsageEntry], doc("By day and operation.")]
    groups: Annotated[
        list[UsageGroupEntry],
        doc("By key, pipeline or tag; they add up to what the statement charges."),
    ] = []

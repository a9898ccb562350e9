"""What a rule set would have done to the networks' programmes."""

from typing import Annotated

import msgspec
from msgspec import Meta

from gatehouse.admin.configurations.types import Document
from gatehouse.admin.programmes.types.counting import MeteredScope
from gatehouse.admin.programmes.types.formulas import Formula
from gatehouse.core.reading.spans import SinceText, UntilText


class WhatIfRequest(msgspec.Struct, frozen=True, rename="camel"):
    """A rule set to try on recorded requests; by default those of the last 90 days."""

    document: Document
    since: SinceText = None
    until: UntilText = None


class WhatIfMonth(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """A month of one programme, as it was and as it would have been."""

    month: Annotated[str, Meta(description="The month, in UTC.", examples=["2026-11"])]
    programme: Annotated[str, Meta(description="The programme.", examples=["VAMP"])]
    level: Annotated[str, Meta(description="Its level.", examples=["excessive"])]
    network: Annotated[str, Meta(description="The card network.", examples=["VISA"])]
    scope: Annotated[MeteredScope, Meta(description="The account, or one merchant id.")]
    merchant_id: Annotated[str | None, Meta(description="The merchant id; null for all.")]
    region: Annotated[str | None, Meta(description="Its region; null if none is told.")]
    events: Annotated[int, Meta(description="Events as they were.", examples=[41])]
    events_after: Annotated[int, Meta(description="Without what it declines.", examples=[12])]
    sales: Annotated[int, Meta(description="Sales as they were.", examples=[5000])]
    sales_after: Annotated[int, Meta(description="Without what it declines.", examples=[4950])]
    basis_points: Annotated[str | None, Meta(description="The ratio as it was.")]
    basis_points_after: Annotated[str | None, Meta(description="The ratio without them.")]
    formula: Formula
    met: Annotated[bool, Meta(description="Whether the level was met.")]
    met_after: Annotated[bool, Meta(description="Whether it would have been met.")]


class WhatIfReport(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """The effect of a rule set on programmes and on sales."""

    rule_set: Annotated[str, Meta(description="Its name.", examples=["checkout"])]
    since: Annotated[str, Meta(description="The first moment that was looked at.")]
    until: Annotated[str, Meta(description="The first moment after it.")]
    records: Annotated[int, Meta(description="Requests that it judged.", examples=[120000])]
    declined: Annotated[
        int, Meta(description="Requests that it declines and that were not declined.")
    ]
    accepted: Annotated[
        int,
        Meta(
            description="Requests that were declined and that it does not decline. What would have "
            "become of them is not known, so they are not counted."
        ),
    ]
    sales_lost: Annotated[int, Meta(description="Settled sales among what it declines.")]
    amounts_lost: Annotated[
        dict[str, str], Meta(description="What these sales come to, by currency.")
    ]
    disputed: Annotated[
        int, Meta(description="Reported frauds and disputes among what it declines.")
    ]
    joined: Annotated[
        int,
        Meta(
            description="Requests among those declined of which an outcome is known. Outcomes "
            "that were not joined to a decision cannot be taken away."
        ),
    ]
    months: Annotated[list[WhatIfMonth], Meta(description="Each programme in each month.")]
    warnings: Annotated[list[str], Meta(description="What makes the result unsure.")]

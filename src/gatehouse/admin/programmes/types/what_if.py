"""What a rule set would have done to the networks' programmes."""

from typing import Annotated

from gatehouse.admin.configurations.types import Document
from gatehouse.admin.programmes.types.counting import MeteredScope
from gatehouse.admin.programmes.types.formulas import Formula
from gatehouse.core.api_values import CamelStruct, doc
from gatehouse.core.reading.spans import SinceText, UntilText


class WhatIfRequest(CamelStruct):
    """A rule set to try on recorded requests; by default those of the last 90 days."""

    document: Document
    since: SinceText = None
    until: UntilText = None


class WhatIfMonth(CamelStruct, kw_only=True):
    """A month of one programme, as it was and as it would have been."""

    month: Annotated[str, doc("The month, in UTC.", "2026-11")]
    programme: Annotated[str, doc("The programme.", "VAMP")]
    level: Annotated[str, doc("Its level.", "excessive")]
    network: Annotated[str, doc("The card network.", "VISA")]
    scope: Annotated[MeteredScope, doc("The account, or one merchant id.")]
    merchant_id: Annotated[str | None, doc("The merchant id; null for all.")]
    region: Annotated[str | None, doc("Its region; null if none is told.")]
    events: Annotated[int, doc("Events as they were.", 41)]
    events_after: Annotated[int, doc("Without what it declines.", 12)]
    sales: Annotated[int, doc("Sales as they were.", 5000)]
    sales_after: Annotated[int, doc("Without what it declines.", 4950)]
    basis_points: Annotated[str | None, doc("The ratio as it was.")]
    basis_points_after: Annotated[str | None, doc("The ratio without them.")]
    formula: Formula
    met: Annotated[bool, doc("Whether the level was met.")]
    met_after: Annotated[bool, doc("Whether it would have been met.")]


class WhatIfReport(CamelStruct, kw_only=True):
    """The effect of a rule set on programmes and on sales."""

    rule_set: Annotated[str, doc("Its name.", "checkout")]
    since: Annotated[str, doc("The first moment that was looked at.")]
    until: Annotated[str, doc("The first moment after it.")]
    records: Annotated[int, doc("Requests that it judged.", 120000)]
    declined: Annotated[int, doc("Requests that it declines and that were not declined.")]
    accepted: Annotated[
        int,
        doc(
            "Requests that were declined and that it does not decline. What would have "
            "become of them is not known, so they are not counted."
        ),
    ]
    sales_lost: Annotated[int, doc("Settled sales among what it declines.")]
    amounts_lost: Annotated[dict[str, str], doc("What these sales come to, by currency.")]
    disputed: Annotated[int, doc("Reported frauds and disputes among what it declines.")]
    joined: Annotated[
        int,
        doc(
            "Requests among those declined of which an outcome is known. Outcomes "
            "that were not joined to a decision cannot be taken away."
        ),
    ]
    months: Annotated[list[WhatIfMonth], doc("Each programme in each month.")]
    warnings: Annotated[list[str], doc("What makes the result unsure.")]

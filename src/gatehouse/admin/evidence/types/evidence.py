"""What is known for and against a disputed order, as every face shows it."""

from typing import Annotated

import msgspec

from gatehouse.admin.evidence.types.compelling import DayCounting, MissingEvidence, SharedElement
from gatehouse.admin.evidence.types.packet import EvidencePacket
from gatehouse.core.api_values import CamelStruct, doc
from gatehouse.core.clock import Moment

RequestId = Annotated[str, doc("The `requestId` of the decision.")]


class EarlierOrder(CamelStruct):
    """An earlier order of the nearest pair."""

    request_id: Annotated[str, doc("Its decision.")]
    day: Annotated[str, doc("The day it was processed.", "2026-05-02")]
    days_before: Annotated[int, doc("How many days before the disputed one.")]
    amount: Annotated[str | None, doc("In units of the currency, as a decimal.")]
    matched: Annotated[list[SharedElement], doc("What it has in common with the disputed one.")]


class OrderEvidence(CamelStruct):
    """Whether two earlier orders show that an order was the cardholder's."""

    request_id: Annotated[str, doc("The decision.")]
    qualified: Annotated[bool, doc("Whether Compelling Evidence 3.0 can be used.", True)]
    summary: Annotated[str, doc("What was found, in a sentence.")]
    dispute: Annotated[
        str | None,
        doc(
            "The reference of its dispute; null when none is known, and then all this "
            "is as if it were disputed with reason 10.4."
        ),
    ]
    respond_by: Annotated[Moment | None, doc("Until when to answer (RFC 3339).")]
    matched: Annotated[list[SharedElement], doc("What all three orders have in common.")]
    missing: Annotated[MissingEvidence | None, doc("Why it cannot be used.")]
    send: Annotated[
        list[str], doc("Fields to send with every request from now on.", ["device.deviceId"])
    ]
    advice: Annotated[str | None, doc("The same in a sentence.")]
    earlier_orders: Annotated[list[EarlierOrder], doc("The nearest pair, the older one first.")]
    countings: Annotated[
        list[DayCounting],
        doc(
            "To which day the days since both earlier orders can be counted so that "
            "they are in time: sources differ."
        ),
    ] = []
    packet: Annotated[
        EvidencePacket | None,
        doc("The packet in the field names of Stripe's API, if it can be used."),
    ] = None


class EvidencePaper(msgspec.Struct, frozen=True):
    """The evidence for an order as a PDF."""

    name: Annotated[str, doc("A name for the file.", "evidence.pdf")]
    content: Annotated[str, doc("The PDF, Base64.")]

"""What is known for and against a disputed order, as every face shows it."""

from typing import Annotated

import msgspec
from msgspec import Meta

from gatehouse.admin.evidence.types.compelling import DayCounting, MissingEvidence, SharedElement
from gatehouse.admin.evidence.types.packet import EvidencePacket
from gatehouse.core.clock import Moment

RequestId = Annotated[str, Meta(description="The `requestId` of the decision.")]


class EarlierOrder(msgspec.Struct, frozen=True, rename="camel"):
    """An earlier order of the nearest pair."""

    request_id: Annotated[str, Meta(description="Its decision.")]
    day: Annotated[str, Meta(description="The day it was processed.", examples=["2026-05-02"])]
    days_before: Annotated[int, Meta(description="How many days before the disputed one.")]
    amount: Annotated[str | None, Meta(description="In units of the currency, as a decimal.")]
    matched: Annotated[
        list[SharedElement], Meta(description="What it has in common with the disputed one.")
    ]


class OrderEvidence(msgspec.Struct, frozen=True, rename="camel"):
    """Whether two earlier orders show that an order was the cardholder's."""

    request_id: Annotated[str, Meta(description="The decision.")]
    qualified: Annotated[
        bool, Meta(description="Whether Compelling Evidence 3.0 can be used.", examples=[True])
    ]
    summary: Annotated[str, Meta(description="What was found, in a sentence.")]
    dispute: Annotated[
        str | None,
        Meta(
            description="The reference of its dispute; null when none is known, and then all this "
            "is as if it were disputed with reason 10.4."
        ),
    ]
    respond_by: Annotated[Moment | None, Meta(description="Until when to answer (RFC 3339).")]
    matched: Annotated[
        list[SharedElement], Meta(description="What all three orders have in common.")
    ]
    missing: Annotated[MissingEvidence | None, Meta(description="Why it cannot be used.")]
    send: Annotated[
        list[str],
        Meta(
            description="Fields to send with every request from now on.",
            examples=[["device.deviceId"]],
        ),
    ]
    advice: Annotated[str | None, Meta(description="The same in a sentence.")]
    earlier_orders: Annotated[
        list[EarlierOrder], Meta(description="The nearest pair, the older one first.")
    ]
    countings: Annotated[
        list[DayCounting],
        Meta(
            description="To which day the days since both earlier orders can be counted so that "
            "they are in time: sources differ."
        ),
    ] = []
    packet: Annotated[
        EvidencePacket | None,
        Meta(description="The packet in the field names of Stripe's API, if it can be used."),
    ] = None


class EvidencePaper(msgspec.Struct, frozen=True):
    """The evidence for an order as a PDF."""

    name: Annotated[str, Meta(description="A name for the file.", examples=["evidence.pdf"])]
    content: Annotated[str, Meta(description="The PDF, Base64.")]

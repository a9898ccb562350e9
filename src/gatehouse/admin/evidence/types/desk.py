"""The desk for disputes: what is decided about one, and what people give and attach."""

import base64
import binascii
from collections.abc import Iterator
from enum import StrEnum
from typing import Annotated, Final

import msgspec
from msgspec import Meta

from gatehouse.admin.evidence.types.compelling import MissingEvidence
from gatehouse.admin.evidence.types.packet import Goods
from gatehouse.admin.evidence.types.papers import WantedPaper
from gatehouse.admin.outcomes.types.outcome import DisputeResult, DisputeStage, OutcomeNetwork
from gatehouse.core.api_values import CamelStruct, doc
from gatehouse.core.clock import Moment
from gatehouse.core.files.attachments import MOST_BODY_BYTES
from gatehouse.core.reading.validation import Checked
from gatehouse.core.secrets.hidden import Personal
from gatehouse.core.wording.sentences import Phrase

LONGEST_COMMENT: Final = 1000
LONGEST_FIELD: Final = 200
MOST_ON_A_PAGE: Final = 100

_NOT_A_LINE: Final = Phrase("invalid.one_line", "must be one line of printable characters")
_ENCODED: Final = "~"
_ONE_LINE: Final = {
    "carrier": "carrier",
    "tracking_number": "trackingNumber",
    "delivered_to": "deliveredTo",
    "product": "product",
}
"""Fields of a delivery that are one line, by their names in JSON."""

DisputeId = Annotated[str, doc("The `id` of the dispute.")]
FileId = Annotated[str, doc("The `fileId` of the file.")]
_Words = Annotated[str, Meta(max_length=LONGEST_FIELD)]


def dispute_id(reference: str) -> str:
    """A reference as a path holds it: one with a slash, or of dots alone, is encoded."""
    if "/" in reference or reference.startswith(_ENCODED) or not reference.strip("."):
        encoded = base64.urlsafe_b64encode(reference.encode()).decode()
        return _ENCODED + encoded.rstrip("=")
    return reference


def reference_of(name: str) -> str:
    """The reference that a path means; any other text is the reference itself."""
    if not name.startswith(_ENCODED):
        return name
    text = name.removeprefix(_ENCODED)
    try:
        return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)).decode()
    except (ValueError, binascii.Error):
        return name


class DisputeChoice(StrEnum):
    """What is done about a dispute."""

    REPRESENT = "REPRESENT"
    ACCEPT = "ACCEPT"


class DisputeFilter(CamelStruct):
    """Which disputes to list."""

    ended: Annotated[bool, doc("Those that have ended, not the open ones.")] = False
    limit: Annotated[int, doc("At most so many.", ge=1, le=MOST_ON_A_PAGE)] = 50


class DisputeDecision(CamelStruct):
    """What is done about a dispute, and why."""

    decision: Annotated[
        DisputeChoice, doc("`REPRESENT` answers it with evidence; `ACCEPT` ends it.", "REPRESENT")
    ]
    comment: Annotated[
        str,
        doc("Why, for colleagues.", "Signed for by the cardholder.", max_length=LONGEST_COMMENT),
    ] = ""
    fee_acknowledged: Annotated[
        bool,
        doc(
            "Of a case with the reason `COMPLIANCE`: that contesting it costs a fee of "
            "the network, which is given back only if it is won. It cannot be contested without.",
            False,
        ),
    ] = False


class DisputeEnd(CamelStruct):
    """How a dispute ended."""

    result: Annotated[DisputeResult, doc("How it ended.", "WON")]


class DeliveryGiven(Checked, Personal, frozen=True, rename="camel", omit_defaults=True):
    """What the merchant says about the delivery."""

    carrier: Annotated[_Words | None, doc("Who delivered.", "DHL")] = None
    tracking_number: Annotated[_Words | None, doc("The carrier's number.", "JD0140")] = None
    delivered_on: Annotated[
        Annotated[str, Meta(pattern=r"^[0-9]{4}-[0-9]{2}-[0-9]{2}\Z")] | None,
        doc("The day of the delivery.", "2026-11-03"),
    ] = None
    delivered_to: Annotated[_Words | None, doc("Where, or to whom.", "1 Main St, Springfield")] = (
        None
    )
    product: Annotated[
        Annotated[str, Meta(max_length=LONGEST_COMMENT)] | None,
        doc("What was sold.", "Running shoes, size 42"),
    ] = None
    goods: Annotated[Goods | None, doc("`merchandise` or `services`.", "merchandise")] = None

    def problems(self) -> Iterator[tuple[str, str]]:
        """What is wrong with the fields beyond their form."""
        for name, shown in _ONE_LINE.items():
            value = getattr(self, name, None)
            if isinstance(value, str) and not value.isprintable():
                yield shown, _NOT_A_LINE()


class CaseWords(Personal, frozen=True, omit_defaults=True):
    """What people wrote about a dispute, sealed."""

    comment: str = ""
    delivery: DeliveryGiven | None = None
    fee_acknowledged: bool = False


class KeptCase(msgspec.Struct, frozen=True):
    """What people decided and gave about a dispute."""

    decision: DisputeChoice | None = None
    decided_at: Moment | None = None
    decided_by: str | None = None
    words: CaseWords = CaseWords()


class NewDisputeFile(Personal, frozen=True, rename="camel"):
    """A file to attach."""

    name: Annotated[
        str, doc("Its name, for people.", "signature.png", min_length=1, max_length=LONGEST_FIELD)
    ]
    content: Annotated[
        str,
        doc(
            "A PDF, PNG, JPEG or plain text of at most 3 MiB, Base64.",
            "U2lnbmVkIGZvcg==",
            min_length=4,
            max_length=MOST_BODY_BYTES,
        ),
    ]


class KeptFile(CamelStruct):
    """A file that was attached to a dispute."""

    file_id: Annotated[str, doc("Its id.")]
    name: Annotated[str, doc("Its name.", "signature.png")]
    type: Annotated[str, doc("What its content is.", "image/png")]
    size: Annotated[int, doc("Bytes.", 20_480)]
    added_at: Annotated[Moment, doc("When it was attached (RFC 3339).")]
    added_by: Annotated[str, doc("Who attached it.", "key:key_1")]


class DisputeFile(KeptFile):
    """The same with its content."""

    content: Annotated[str, doc("Base64.")] = ""


class DisputeFileDeleted(CamelStruct):
    """A file that is gone."""

    file_id: Annotated[str, doc("Its id.")]


class DisputeSummary(CamelStruct):
    """A dispute in the queue."""

    id: Annotated[str, doc("Its name in paths.", "dp-1001")]
    reference: Annotated[str, doc("Its own name.", "dp-1001")]
    at: Annotated[Moment, doc("When it was raised (RFC 3339).")]
    network: Annotated[OutcomeNetwork, doc("The card network.")]
    reason: Annotated[str | None, doc("The reason code.", "10.4")]
    stage: Annotated[DisputeStage | None, doc("How far it has gone.")]
    result: Annotated[DisputeResult | None, doc("How it ended.")]
    amount: Annotated[str | None, doc("In units of the currency, as a decimal.")]
    currency: Annotated[str | None, doc("ISO 4217 code of the amount.")]
    request_id: Annotated[str | None, doc("The decision it is about.")]
    respond_by: Annotated[Moment | None, doc("Until when to answer (RFC 3339).")]
    days_left: Annotated[int | None, doc("Whole days until then; negative when it is over.")]
    decision: Annotated[DisputeChoice | None, doc("What was decided about it.")]
    winnable: Annotated[
        bool | None,
        doc(
            "Whether Compelling Evidence 3.0 can be used; null without a decision, or "
            "for a key without the scope `decisions`."
        ),
    ]
    missing: Annotated[MissingEvidence | None, doc("Why it cannot be used.")]
    summary: Annotated[str | None, doc("The same in a sentence.")]


class DisputeQueue(CamelStruct):
    """Disputes of an account."""

    disputes: Annotated[
        list[DisputeSummary],
        doc("Open ones by their deadline, those that have ended newest first."),
    ]


class DisputeShown(CamelStruct):
    """A dispute with all that people decided, gave and attached."""

    dispute: Annotated[DisputeSummary, doc("The dispute.")]
    comment: Annotated[str, doc("Why it was decided so.")]
    decided_at: Annotated[Moment | None, doc("When that was (RFC 3339).")]
    decided_by: Annotated[str | None, doc("Who decided it.")]
    fee_acknowledged: Annotated[
        bool | None,
        doc(
            "Whether the network's fee for contesting was acknowledged; null where "
            "contesting costs none."
        ),
    ]
    delivery: Annotated[DeliveryGiven | None, doc("What was said of the delivery.")]
    files: Annotated[list[KeptFile], doc("Files, the oldest first.")]
    papers: Annotated[
        list[WantedPaper],
        doc(
            "What answers a dispute with this reason, the strongest first; from "
            "memory, so ask your acquirer."
        ),
    ]

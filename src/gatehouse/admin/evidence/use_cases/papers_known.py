"""Which of the papers that answer a dispute are there already."""

from typing import Final

from gatehouse.admin.evidence.types.desk import CaseWords, DeliveryGiven
from gatehouse.admin.evidence.types.papers import DisputePaper, WantedPaper, papers_for
from gatehouse.admin.evidence.use_cases.finding import FoundEvidence
from gatehouse.admin.outcomes.types.outcome import OutcomeKind

_LIABLE: Final = frozenset(("Y", "A"))
"""Of 3-D Secure: authenticated, or tried while the issuer did not take part."""


def wanted_papers(
    reason: str | None, found: FoundEvidence | None, words: CaseWords, *, has_files: bool
) -> list[WantedPaper]:
    """The papers that answer a dispute, each with whether it is there."""
    known = _known_papers(found, words.delivery or DeliveryGiven())
    if has_files:
        known |= {DisputePaper.TERMS, DisputePaper.INVOICE}
    return [WantedPaper(each, each in known) for each in papers_for(reason)]


def _known_papers(found: FoundEvidence | None, delivery: DeliveryGiven) -> set[DisputePaper]:
    about: dict[DisputePaper, object] = {
        DisputePaper.DELIVERY: delivery.tracking_number or delivery.delivered_on,
        DisputePaper.DESCRIPTION: delivery.product,
    }
    if found is not None:
        record, kept = found.record, found.envelopes.get(found.record.request_id)
        kinds = {each.kind for each in found.outcomes}
        approved = any(each.result.get("approvalCode") for each in record.stages)
        about |= {
            DisputePaper.AUTHENTICATION: (record.signals or {}).get("threeDS.status") in _LIABLE,
            DisputePaper.EARLIER_ORDERS: found.evidence.qualified,
            DisputePaper.DESCRIPTION: delivery.product or (kept and kept.product),
            DisputePaper.REFUND: OutcomeKind.REFUNDED in kinds,
            DisputePaper.AUTHORIZATION: approved,
        }
    return {paper for paper, there in about.items() if there}

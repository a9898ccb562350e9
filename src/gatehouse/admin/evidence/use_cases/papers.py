"""Use case: the evidence for an order as a paper."""

import base64

from gatehouse.access.roles import Permission
from gatehouse.admin.evidence.queries import desk
from gatehouse.admin.evidence.types.evidence import EvidencePaper, RequestId
from gatehouse.admin.evidence.use_cases.evidence import note_look
from gatehouse.admin.evidence.use_cases.finding import find_evidence
from gatehouse.store.accounts import accounts
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.admin.use_case import OF_DECISIONS, use_case


@use_case(
    "GET /decisions/{requestId}/evidence/paper",
    scope="manage:feedback",
    permission=Permission.REVEAL,
    rights=OF_DECISIONS,
    operation="getEvidencePaper",
    answers="evidencePaperResponse",
)
def get_paper(session: AdminSession, account_id: str, request_id: RequestId) -> EvidencePaper:
    """Get the evidence for an order as a PDF.

    The order, its checks, the delivery as you told it, and earlier orders. It holds personal data
    in clear: each look leaves an audit line.
    """
    content = base64.b64encode(evidence_paper(session, account_id, request_id)).decode()
    return EvidencePaper(f"evidence-{request_id}.pdf", content)


def evidence_paper(session: AdminSession, account_id: str, request_id: str) -> bytes:
    """The PDF; that somebody looked at personal data is audited."""
    # Loads the writer of PDFs, which no other use case of this subject needs.
    from gatehouse.admin.evidence.use_cases.packet_pdf import packet_pdf

    found = find_evidence(session, account_id, request_id)
    with session.account_reading(account_id) as connection:
        name = accounts.get(connection, account_id).name
        delivery, files = None, []
        if found.dispute is not None:
            place = (connection, session.ring, account_id, found.dispute.reference)
            delivery = desk.case_of(*place).words.delivery
            files = desk.files_of(*place)
    note_look(session, account_id, request_id)
    return packet_pdf(found, delivery, files, name)

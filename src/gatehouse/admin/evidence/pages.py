"""The desk for disputes: a queue by deadline, one dispute, and the evidence for an order."""

from typing import Any, Final

import msgspec
from starlette.responses import Response

from gatehouse.access.roles import Permission
from gatehouse.admin.evidence.types.desk import (
    LONGEST_COMMENT,
    LONGEST_FIELD,
    DeliveryGiven,
    DisputeChoice,
    DisputeDecision,
    DisputeEnd,
    DisputeFilter,
    dispute_id,
)
from gatehouse.admin.evidence.types.keeping import EvidenceKeeping
from gatehouse.admin.evidence.use_cases import dispute_desk, dispute_files, keeping
from gatehouse.admin.evidence.use_cases.evidence import get_evidence, shown_evidence
from gatehouse.admin.evidence.use_cases.finding import find_evidence
from gatehouse.admin.evidence.use_cases.papers import evidence_paper
from gatehouse.admin.outcomes.types.outcome import DisputeResult
from gatehouse.console.pages import Action, Declarations, Page
from gatehouse.console.serving.cookies import Notice
from gatehouse.console.visit import Visit
from gatehouse.core.files.attachments import MOST_FILE_BYTES, MOST_FILES

_ON_A_PAGE: Final = 50
_STATES: Final = ("OPEN", "ENDED")
_RESULTS: Final = (DisputeResult.WON, DisputeResult.LOST, DisputeResult.WITHDRAWN)


def show_disputes(visit: Visit) -> Response:
    """The disputes: open ones by their deadline."""
    state = _STATES[visit.query.get("state") == _STATES[1]]
    wanted = DisputeFilter(state == _STATES[1], _ON_A_PAGE)
    found = dispute_desk.list_disputes(*visit.opened, wanted).disputes
    may_keep = visit.may(Permission.ACCESS)
    return visit.render(
        "evidence/disputes.html",
        disputes=found,
        states=_STATES,
        chosen=state,
        kept=keeping.get_keeping(*visit.opened) if may_keep else None,
    )


def show_dispute(visit: Visit) -> Response:
    """One dispute with all that was given, and what can be done."""
    shown = dispute_desk.get_dispute(*visit.opened, visit.place("dispute"))
    return visit.render(
        "evidence/dispute.html",
        shown=shown,
        one=shown.dispute,
        delivery=shown.delivery or DeliveryGiven(),
        results=_RESULTS,
        most_files=MOST_FILES,
        most_mib=MOST_FILE_BYTES // (1024 * 1024),
        longest=LONGEST_FIELD,
        longest_comment=LONGEST_COMMENT,
    )


def show_evidence(visit: Visit) -> Response:
    """What is known for and against an order; personal data is in the packet alone."""
    found = find_evidence(*visit.opened, visit.place("id"))
    name = None if found.dispute is None else dispute_id(found.dispute.reference)
    return visit.render("evidence/evidence.html", found=shown_evidence(found, None), dispute=name)


def decide(visit: Visit) -> Response:
    """Represent or accept."""
    choice = visit.form["decision"]
    if choice not in DisputeChoice.__members__:
        raise visit.refuse("decision", "evidence.problems.decision")
    comment = visit.entered("comment")
    if not comment:
        raise visit.refuse("comment", "evidence.problems.comment")
    acknowledged = "fee_acknowledged" in visit.form
    given = DisputeDecision(DisputeChoice(choice), comment[:LONGEST_COMMENT], acknowledged)
    dispute_desk.decide_dispute(*visit.opened, visit.place("dispute"), given)
    return _here(visit, f"evidence.notices.{choice}")


def deliver(visit: Visit) -> Response:
    """Tell of the delivery."""
    given = visit.given(DeliveryGiven)
    place = visit.place("dispute")
    dispute_desk.delivery_of_dispute(*visit.opened, place, given)
    return _here(visit, "evidence.notices.delivery")


def attach(visit: Visit) -> Response:
    """Attach a file."""
    upload = visit.upload("file")
    if upload is None or not upload.content:
        raise visit.refuse("file", "evidence.problems.file")
    place = visit.place("dispute")
    dispute_files.keep_file(*visit.opened, place, upload.name, upload.content)
    return _here(visit, "evidence.notices.attached")


def remove_file(visit: Visit) -> Response:
    """Delete a file."""
    place, file_id = visit.place("dispute"), visit.place("file")
    dispute_files.delete_file(*visit.opened, place, file_id)
    return _here(visit, "evidence.notices.deleted")


def end(visit: Visit) -> Response:
    """Say how it ended."""
    result = visit.form["result"]
    if result not in _RESULTS:
        raise visit.refuse("result", "evidence.problems.result")
    given, place = DisputeEnd(DisputeResult(result)), visit.place("dispute")
    dispute_desk.end_dispute(*visit.opened, place, given)
    return _here(visit, "evidence.notices.ended")


def keep(visit: Visit) -> Response:
    """Keep what evidence needs, or stop."""
    wanted = EvidenceKeeping(bool(visit.form.get("keep")))
    keeping.keep_evidence(*visit.opened, wanted)
    return visit.redirect("disputes", notice="evidence.notices.keeping")


def download_file(visit: Visit) -> Response:
    """A file, never shown in the browser."""
    place, file_id = visit.place("dispute"), visit.place("file")
    found, content = dispute_files.read_file(*visit.opened, place, file_id)
    return _file(found.name, content)


def download_packet(visit: Visit) -> Response:
    """The packet as JSON."""
    request_id = visit.place("id")
    found = get_evidence(*visit.opened, request_id)
    if found.packet is None:
        none = Notice("evidence.problems.packet", kind="hint")
        return visit.redirect("evidence", id=request_id, notice=none)
    text = msgspec.json.format(msgspec.json.encode(found.packet))
    return _file(f"evidence-{found.request_id}.json", text)


def download_paper(visit: Visit) -> Response:
    """The evidence as a PDF."""
    request_id = visit.place("id")
    content = evidence_paper(*visit.opened, request_id)
    return _file(f"evidence-{request_id}.pdf", content)


def _file(name: str, content: bytes) -> Response:
    """A download of a type that no browser shows or runs; every answer says `nosniff`."""
    plain = name.encode("ascii", "replace").decode().replace("?", "_").replace('"', "_")
    headers = {"content-disposition": f'attachment; filename="{plain}"'}
    return Response(content, headers=headers, media_type="application/octet-stream")


def _here(visit: Visit, notice: str) -> Response:
    return visit.redirect("dispute", dispute=visit.place("dispute"), notice=notice)


_ALL: Final = "/a/{account}/disputes"
_ONE: Final = f"{_ALL}/{{dispute}}"
_FILE: Final = f"{_ONE}/files/{{file}}"
_ORDER: Final = "/a/{account}/decisions/{id}/evidence"
_WORK: Final[dict[str, Any]] = {"permission": Permission.REVIEW, "again": show_dispute}
_KEEP: Final = keeping.keep_evidence
_FORM: Final = 64 * 1024

PAGES: Final[Declarations] = (
    Page(_ALL, "disputes", show_disputes, group="watch", does=dispute_desk.list_disputes),
    Action(f"{_ALL}/keeping", "disputes-keeping", keep, again=show_disputes, does=_KEEP),
    Page(_ONE, "dispute", show_dispute, does=dispute_desk.get_dispute),
    Action(f"{_ONE}/decide", "dispute-decide", decide, **_WORK),
    Action(f"{_ONE}/delivery", "dispute-delivery", deliver, **_WORK),
    Action(f"{_ONE}/end", "dispute-end", end, **_WORK),
    Action(
        f"{_ONE}/files",
        "dispute-attach",
        attach,
        most_bytes=MOST_FILE_BYTES + _FORM,
        takes_files=True,
        **_WORK,
    ),
    Action(f"{_FILE}/delete", "dispute-file-delete", remove_file, **_WORK),
    Action(f"{_FILE}/download", "dispute-file", download_file, permission=Permission.REVEAL),
    Page(_ORDER, "evidence", show_evidence, permission=Permission.SEE),
    Action(f"{_ORDER}/packet", "evidence-packet", download_packet, permission=Permission.REVEAL),
    Action(f"{_ORDER}/paper", "evidence-paper", download_paper, permission=Permission.REVEAL),
)

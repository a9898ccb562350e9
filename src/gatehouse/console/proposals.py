"""Two pairs of eyes: what people proposed in an account, and what others decide about it."""

from typing import Any, Final

import msgspec
from starlette.responses import Response

from gatehouse.access.roles import Permission
from gatehouse.admin import approvals
from gatehouse.admin.approvals import CHOICES, ApprovalKind
from gatehouse.admin.people import proposals
from gatehouse.admin.people.proposals import APPROVERS, Proposal, ProposedChange, SetApprovals
from gatehouse.console.pages import Action, Declarations, Page
from gatehouse.console.refusals import PageRefused
from gatehouse.console.visit import Visit
from gatehouse.core.errors import ApprovalNeeded


def show_proposals(visit: Visit) -> Response:
    """All proposals, newest first, and what needs another person."""
    found = proposals.listing(visit.session, visit.account_id)
    return visit.render(
        "proposals/proposals.html",
        proposals=[(each, _told(each), _may_decide(visit, each)) for each in found],
        wanted=approvals.wanted(visit.session, visit.account_id),
        choices=CHOICES,
        me=str(visit.session.actor),
    )


def approve(visit: Visit) -> Response:
    """Let a proposed change happen now."""
    _check_may_decide(visit)
    proposals.approve(visit.session, visit.account_id, visit.place("proposal"))
    return visit.redirect("proposals", notice="proposals.notices.approved")


def refuse(visit: Visit) -> Response:
    """Decide that a proposed change does not happen."""
    _check_may_decide(visit)
    reason = visit.form.get("reason", "").strip()
    if not reason:
        raise visit.refuse("reason", "proposals.problems.reason")
    proposals.refuse(visit.session, visit.account_id, visit.place("proposal"), reason)
    return visit.redirect("proposals", notice="proposals.notices.refused")


def withdraw(visit: Visit) -> Response:
    """Take back what one has proposed."""
    proposals.withdraw(visit.session, visit.account_id, visit.place("proposal"))
    return visit.redirect("proposals", notice="proposals.notices.withdrawn")


def choose(visit: Visit) -> Response:
    """Choose what needs two pairs of eyes; to want less is proposed."""
    kinds = visit.chosen("kinds")
    try:
        approvals.set_wanted(visit.session, visit.account_id, kinds)
    except ApprovalNeeded:
        return propose(visit, SetApprovals(kinds))
    return visit.redirect("proposals", notice="proposals.notices.chosen")


def propose(visit: Visit, change: ProposedChange) -> Response:
    """Propose a change that needs another person, and lead to where it can be approved."""
    proposals.propose(visit.session, visit.account_id, change)
    if visit.may(Permission.APPROVE):
        return visit.redirect("proposals", notice="proposals.notices.proposed")
    return visit.redirect("home", notice="proposals.notices.proposed")


def _may_decide(visit: Visit, proposal: Proposal) -> bool:
    own = proposal.proposer == str(visit.session.actor)
    return not own and visit.may(APPROVERS[ApprovalKind(proposal.kind)])


def _check_may_decide(visit: Visit) -> None:
    found = proposals.get(visit.session, visit.account_id, visit.place("proposal"))
    if not visit.may(APPROVERS[ApprovalKind(found.kind)]):
        raise PageRefused(403, "problems.not_allowed")


def _told(proposal: Proposal) -> list[tuple[str, str]]:
    """What is proposed, as names and texts."""
    told = msgspec.to_builtins(proposal.content)
    return [
        (name, value if isinstance(value, str) else msgspec.json.encode(value).decode())
        for name, value in told.items()
        if value is not None and name != "type"
    ]


_ALL: Final = "/a/{account}/proposals"
_ONE: Final = f"{_ALL}/{{proposal}}"
_MAY: Final[dict[str, Any]] = {"permission": Permission.APPROVE, "again": show_proposals}

PAGES: Final[Declarations] = (
    Page(_ALL, "proposals", show_proposals, permission=Permission.APPROVE),
    Action(f"{_ALL}/choose", "proposals-choose", choose, permission=Permission.PEOPLE),
    Action(f"{_ONE}/approve", "proposal-approve", approve, **_MAY),
    Action(f"{_ONE}/refuse", "proposal-refuse", refuse, **_MAY),
    Action(f"{_ONE}/withdraw", "proposal-withdraw", withdraw, **_MAY),
)

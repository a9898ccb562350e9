"""Changes of rules that wait for another person: what they would change, and the decision."""

from typing import Any, Final

import msgspec
from starlette.responses import Response

from gatehouse.access.roles import Permission
from gatehouse.admin import configurations, rule_sets
from gatehouse.admin.approvals import ApprovalKind
from gatehouse.admin.configurations import NewVersion, Return
from gatehouse.admin.people import proposals
from gatehouse.admin.people.proposals import ApplyRules, Proposal, RollBackRules
from gatehouse.admin.rule_sets import RULE_SETS
from gatehouse.console.pages import Action, Declarations
from gatehouse.console.refusals import PageRefused
from gatehouse.console.visit import Visit
from gatehouse.core.errors import GatehouseError

_OPEN: Final = "open"


class ShownProposal(msgspec.Struct, frozen=True):
    """A proposal with what it would change now, or why it cannot happen any more."""

    proposal: Proposal
    note: str | None
    is_own: bool
    differences: list[str] = []
    problem: str | None = None


def open_proposals(visit: Visit) -> list[ShownProposal]:
    """The changes of rules that nobody has decided about."""
    return [
        _shown(visit, each)
        for each in proposals.listing(visit.session, visit.account_id)
        if each.kind == ApprovalKind.RULES and each.state == _OPEN
    ]


def _shown(visit: Visit, proposal: Proposal) -> ShownProposal:
    content = proposal.content
    note = content.note if isinstance(content, ApplyRules) else None
    own = proposal.proposer == str(visit.session.actor)
    try:
        return ShownProposal(proposal, note, own, _differences(visit, content))
    except GatehouseError as error:
        return ShownProposal(proposal, note, own, problem=str(error))


def _differences(visit: Visit, content: Any) -> list[str]:
    session, account_id = visit.session, visit.account_id
    if isinstance(content, RollBackRules):
        wanted = Return(content.to, content.base, dry_run=True)
        name = content.name
        return configurations.rollback(session, account_id, RULE_SETS, name, wanted).differences
    new = NewVersion(content.document.encode(), content.base, dry_run=True)
    return rule_sets.apply(session, account_id, new).differences


def approve(visit: Visit) -> Response:
    """Let a proposed change happen."""
    _check_kind(visit)
    proposals.approve(visit.session, visit.account_id, visit.place("proposal"))
    return visit.redirect("rules", notice="rules.proposals.approved")


def refuse(visit: Visit) -> Response:
    """Decide that it does not happen."""
    _check_kind(visit)
    reason = visit.form.get("reason", "").strip()
    if not reason:
        raise visit.refuse("reason", "rules.proposals.reason_missing")
    proposals.refuse(visit.session, visit.account_id, visit.place("proposal"), reason)
    return visit.redirect("rules", notice="rules.proposals.refused")


def withdraw(visit: Visit) -> Response:
    """Take back what one has proposed."""
    _check_kind(visit)
    proposals.withdraw(visit.session, visit.account_id, visit.place("proposal"))
    return visit.redirect("rules", notice="rules.proposals.withdrawn")


def _check_kind(visit: Visit) -> None:
    """Only proposals about rules are decided here: others need other permissions."""
    found = proposals.get(visit.session, visit.account_id, visit.place("proposal"))
    if found.kind != ApprovalKind.RULES:
        raise PageRefused(404, "problems.no_page")
    if not visit.may(Permission.CONFIGURE):
        raise PageRefused(403, "problems.not_allowed")


_ONE: Final = "/a/{account}/rules/proposals/{proposal}"

PAGES: Final[Declarations] = (
    Action(f"{_ONE}/approve", "rules-approve", approve, permission=Permission.APPROVE),
    Action(f"{_ONE}/refuse", "rules-refuse", refuse, permission=Permission.APPROVE),
    Action(f"{_ONE}/withdraw", "rules-withdraw", withdraw, permission=Permission.CONFIGURE),
)

"""Two pairs of eyes: what people proposed in an account, and what others decide about it.

All proposals are decided here; the pages that they are about only say that something waits.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

import msgspec
from starlette.responses import Response

from gatehouse.access.roles import Permission
from gatehouse.admin.approvals.use_cases import approvals, proposals, proposed_changes
from gatehouse.admin.approvals.use_cases.approvals import CHOICES, ApprovalKind
from gatehouse.admin.approvals.use_cases.proposals import Proposal
from gatehouse.admin.approvals.use_cases.proposed import (
    APPROVERS,
    ApplyPipeline,
    ApplyRules,
    PromoteModel,
    ProposedChange,
    PutOnList,
    RollBackPipeline,
    RollBackRules,
    SetApprovals,
    SetAutoTopUp,
    SetPolicy,
    StartExperiment,
    TakeOffList,
)
from gatehouse.admin.model_trials.use_cases.trials import newest_trial
from gatehouse.admin.models.pages.model_view import figure
from gatehouse.admin.people.use_cases import roles
from gatehouse.admin.sign_in.pages.link_page import show_link
from gatehouse.admin.top_ups.use_cases.limits import minor_micros
from gatehouse.billing.fees import OF_LIST
from gatehouse.console.pages import Action, Declarations, Page
from gatehouse.console.refusals import PageRefused
from gatehouse.console.visit import Visit
from gatehouse.core.errors import ApprovalNeeded, GatehouseError
from gatehouse.core.money import parse_amount
from gatehouse.core.wording.sentences import Phrase, said_by
from gatehouse.store.admin.use_case import UseCase
from gatehouse.store.configured.list_plans import PlannedEntry
from gatehouse.training.report.trial import ModelTrial

_OPEN: Final = "open"
_ONLY_PROPOSES: Final = Phrase(
    "refused.only_proposes", "you may propose this, and another person approves it"
)
_SEEN_BY: Final[Mapping[ApprovalKind, Permission]] = MappingProxyType(
    {
        ApprovalKind.RULES: Permission.SEE,
        ApprovalKind.PIPELINES: Permission.SEE,
        ApprovalKind.LISTS: Permission.REVEAL,
        ApprovalKind.MODELS: Permission.SEE,
        ApprovalKind.PRICES: Permission.SEE_MONEY,
        ApprovalKind.TOP_UPS: Permission.SEE_MONEY,
        ApprovalKind.ADJUSTMENTS: Permission.SEE_MONEY,
        ApprovalKind.POLICIES: Permission.ACCESS,
        ApprovalKind.APPROVALS: Permission.APPROVE,
        ApprovalKind.PEOPLE: Permission.PEOPLE,
    }
)
"""Who may see what a change is about, and so its proposal."""


class ShownProposal(msgspec.Struct, frozen=True):
    """A proposal with what it would change now, or why it cannot happen any more."""

    proposal: Proposal
    facts: list[tuple[str, str]]
    is_own: bool
    may_decide: bool
    differences: list[str] | None = None
    """Of an open change of rules or of a pipeline."""
    problem: str | None = None
    trial: ModelTrial | None = None
    """What the newest trial says of a model that is to be promoted."""

    @property
    def change(self) -> str:
        """The name of the text that says what is proposed."""
        content = self.proposal.content
        if isinstance(content, SetPolicy):
            return f"policies_{content.operation}"
        tag = type(content).__struct_config__.tag
        return str(tag).replace(".", "_").replace("-", "_")


def show_proposals(visit: Visit) -> Response:
    """The proposals that concern the person, newest first, and what needs another person."""
    found = proposals.listing(*visit.opened)
    seen = [each for each in found if _may_see(visit, each)]
    return visit.render(
        "proposals/proposals.html",
        proposals=[_shown(visit, each) for each in seen],
        left_off=len(seen) < len(found),
        wanted=approvals.wanted(*visit.opened),
        choices=CHOICES,
        figure=figure,
    )


def waiting(visit: Visit, kind: ApprovalKind) -> int:
    """How many changes of a kind wait for another person."""
    return len(_open_ones(visit, kind))


def for_approval(visit: Visit) -> int:
    """How many changes this person could decide about."""
    me = str(visit.session.actor)
    return sum(each.proposer != me and _may_decide(visit, each) for each in _open_ones(visit))


def approve(visit: Visit) -> Response:
    """Let a proposed change happen now."""
    _check_may_decide(visit)
    done = proposals.approve(*visit.opened, visit.place("proposal"))
    if done.invited is not None and done.invited.link is not None:
        return show_link(visit, done.invited.user.login, done.invited.link)
    return visit.redirect("proposals", notice="proposals.notices.approved")


def refuse(visit: Visit) -> Response:
    """Decide that a proposed change does not happen."""
    _check_may_decide(visit)
    reason = visit.entered("reason")
    if not reason:
        raise visit.refuse("reason", "proposals.problems.reason")
    proposals.refuse(*visit.opened, visit.place("proposal"), reason)
    return visit.redirect("proposals", notice="proposals.notices.refused")


def withdraw(visit: Visit) -> Response:
    """Take back what one has proposed."""
    proposals.withdraw(*visit.opened, visit.place("proposal"))
    return visit.redirect("proposals", notice="proposals.notices.withdrawn")


def choose(visit: Visit) -> Response:
    """Choose what needs two pairs of eyes; to want less is proposed."""
    kinds = visit.chosen("kinds")
    try:
        approvals.set_wanted(*visit.opened, kinds)
    except ApprovalNeeded:
        return propose(visit, SetApprovals(kinds))
    return visit.redirect("proposals", notice="proposals.notices.chosen")


def propose(visit: Visit, change: ProposedChange) -> Response:
    """Propose a change that needs another person, and lead to where it can be approved."""
    notice = "proposals.notices.known"
    if all(each.content != change for each in _open_ones(visit)):
        proposals.propose(*visit.opened, change)
        notice = "proposals.notices.proposed"
    # Who looks after the money of all accounts sees no proposals.
    return visit.redirect("proposals" if visit.can_open("proposals") else "money", notice=notice)


def changed(visit: Visit, use_case: UseCase[..., Any], *given: msgspec.Struct) -> Response | None:
    """Change a policy; or propose it, and the page that follows on that."""
    try:
        use_case(*visit.opened, *given)
    except ApprovalNeeded:
        bodies = [msgspec.to_builtins(each, str_keys=True) for each in given]
        return propose(visit, SetPolicy(use_case.terms.operation, *bodies))
    return None


def check_configures(visit: Visit) -> None:
    """Refuse a change to somebody who may only propose it."""
    if not visit.may(Permission.CONFIGURE):
        raise ApprovalNeeded(_ONLY_PROPOSES())


def _open_ones(visit: Visit, kind: ApprovalKind | None = None) -> list[Proposal]:
    found = proposals.listing(*visit.opened)
    return [each for each in found if each.state == _OPEN and kind in (None, each.kind)]


def _may_see(visit: Visit, proposal: Proposal) -> bool:
    """Whether a person may know the content; one's own proposal is no secret."""
    return _is_own(visit, proposal) or visit.may(_SEEN_BY[ApprovalKind(proposal.kind)])


def _is_own(visit: Visit, proposal: Proposal) -> bool:
    return proposal.proposer == str(visit.session.actor)


def _check_may_decide(visit: Visit) -> None:
    found = proposals.get(*visit.opened, visit.place("proposal"))
    if not _may_decide(visit, found):
        raise PageRefused(403, "problems.not_allowed")


def _may_decide(visit: Visit, proposal: Proposal) -> bool:
    needed = (Permission.APPROVE, APPROVERS[ApprovalKind(proposal.kind)])
    return _may_see(visit, proposal) and all(map(visit.may, needed))


def _shown(visit: Visit, proposal: Proposal) -> ShownProposal:
    own = _is_own(visit, proposal)
    shown = ShownProposal(
        proposal,
        _facts(visit, proposal),
        own,
        not own and _may_decide(visit, proposal),
    )
    if proposal.state != _OPEN:
        return shown
    try:
        found = _differences(visit, proposal.content)
    except GatehouseError as error:
        return msgspec.structs.replace(shown, problem=visit.said(said_by(error)))
    trial = _trial(visit, proposal.content)
    return msgspec.structs.replace(shown, differences=found, trial=trial)


def _trial(visit: Visit, content: ProposedChange) -> ModelTrial | None:
    if not isinstance(content, PromoteModel):
        return None
    found = newest_trial(*visit.opened, content.version)
    return None if found is None else found.trial


def _differences(visit: Visit, content: ProposedChange) -> list[str] | None:
    """What a change of rules or of a pipeline would change by now; None for other changes."""
    session, account_id = visit.opened
    if isinstance(content, ApplyRules | ApplyPipeline):
        return proposed_changes.foresee(session, account_id, content).differences
    if isinstance(content, RollBackRules | RollBackPipeline):
        seen = proposed_changes.roll_back(session, account_id, content, dry_run=True)
        return seen.differences
    return None


def _facts(visit: Visit, proposal: Proposal) -> list[tuple[str, str]]:
    """What is proposed, as names and texts."""
    told = msgspec.to_builtins(proposal.content)
    if isinstance(proposal.content, StartExperiment):
        told = msgspec.structs.asdict(proposal.content.given)
        told["experiment"] = told.pop("name")
    if isinstance(proposal.content, SetAutoTopUp):
        told = msgspec.structs.asdict(proposal.content.given)
    if "micros" in told:
        micros = told["micros"]
        told["micros"] = visit.text("common.none") if micros is None else visit.money(micros)
    assert visit.account is not None
    for name in [each for each in told if each.endswith("_minor")]:
        told[name] = visit.money(told[name] * minor_micros(visit.account.currency))
    if "fees" in told:
        told["fees"] = ", ".join(_fee(visit, *each) for each in told["fees"].items())
    if "kinds" in told:
        kinds = (visit.text(f"proposals.kinds.{each}") for each in told["kinds"])
        told["kinds"] = ", ".join(kinds) or visit.text("proposals.no_kinds")
    if "given" in told:
        told["given"] = msgspec.json.format(msgspec.json.encode(told["given"])).decode()
    if "role" in told:
        made = roles.names(*visit.opened)
        told["role"] = made.get(told["role"]) or visit.built_in_role(told["role"])
    if "permissions" in told:
        shown = (visit.text(f"roles.names.{each}") for each in told["permissions"])
        told["permissions"] = ", ".join(shown)
    for flag in {"enabled", "forget_factors", "raw_scores", "starts"} & told.keys():
        told[flag] = visit.text(f"common.{'yes' if told[flag] else 'no'}")
    if isinstance(proposal.content, PutOnList | TakeOffList):
        told["entries"] = "\n".join(_entry(visit, each) for each in proposal.content.entries)
    return [
        (visit.text(f"proposals.facts.{name}"), str(value))
        for name, value in told.items()
        if value not in (None, "") and name not in ("type", "user_id", "role_id", "operation")
    ]


def _entry(visit: Visit, entry: PlannedEntry) -> str:
    """What is to be on a list, why, and until when."""
    ends = visit.formats.moment(entry.expires_at_ms, "date") if entry.expires_at_ms else None
    until = ends and f"{visit.text('proposals.expires')} {ends}"
    return " \N{MIDDLE DOT} ".join(each for each in (entry.shown, entry.reason, until) if each)


def _fee(visit: Visit, fee_type: str, amount: str) -> str:
    is_own = amount != OF_LIST
    fee = visit.money(parse_amount(amount)) if is_own else visit.text("money.of_list")
    return f"{visit.function(fee_type)} {fee}"


_ALL: Final = "/a/{account}/proposals"
_ONE: Final = f"{_ALL}/{{proposal}}"
_SEE: Final[dict[str, Any]] = {"permission": Permission.SEE}
_MAY: Final[dict[str, Any]] = {"permission": Permission.APPROVE, "again": show_proposals}

PAGES: Final[Declarations] = (
    Page(_ALL, "proposals", show_proposals, **_SEE),
    Action(f"{_ALL}/choose", "proposals-choose", choose, permission=Permission.PEOPLE),
    Action(f"{_ONE}/approve", "proposal-approve", approve, asks_elsewhere=True, **_MAY),
    Action(f"{_ONE}/refuse", "proposal-refuse", refuse, **_MAY),
    Action(f"{_ONE}/withdraw", "proposal-withdraw", withdraw, **{**_MAY, **_SEE}),
)

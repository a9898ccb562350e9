"""Proposals: one person proposes a change, another approves it, and the ordinary use case runs.

It runs in the transaction of the approval, so that both happen or neither, and its audit line
names both people.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, TypeAlias

import msgspec

from gatehouse.access.actors import Actor, ActorKind
from gatehouse.access.roles import Permission
from gatehouse.admin import approvals, money, rule_sets
from gatehouse.admin.approvals import ApprovalKind
from gatehouse.admin.configurations import NewVersion, Return, rollback
from gatehouse.admin.models import versions
from gatehouse.admin.scopes import account_change, account_reading
from gatehouse.core.errors import Conflict, InvalidInput, NotFound
from gatehouse.core.redaction import recordable
from gatehouse.core.sentences import Phrase, phrases_of
from gatehouse.core.text import is_blank
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.people import proposals
from gatehouse.store.people.proposals import ProposalState, StoredProposal

_PROPOSAL_STATE: Final = Phrase("refused.proposal_state", "this proposal is {state}")
_STATES: Final = phrases_of("word.proposal", {each.value: each.value for each in ProposalState})

_APPROVE_PERSON: Final = Phrase("refused.approve_person", "only a person can approve a proposal")
_APPROVE_OWN: Final = Phrase(
    "refused.approve_own", "who proposed a change cannot approve it; another person has to"
)
_WITHDRAW_OWN: Final = Phrase(
    "refused.withdraw_own", "only who proposed a change can take it back; others can refuse it"
)
_PROPOSAL_REASON: Final = Phrase(
    "refused.proposal_reason", "give a reason of 1 to {most} characters"
)
_NOTHING_CHANGES: Final = Phrase("refused.nothing_changes", "nothing would change")
_ADJUSTMENT_EMPTY: Final = Phrase(
    "refused.adjustment_empty", "an adjustment needs an amount and a reason"
)

LIFETIME_MS: Final = 7 * 86_400_000
_LONGEST_REASON: Final = 500
_MOST_LISTED: Final = 200


class ApplyRules(msgspec.Struct, frozen=True, tag="rules.apply"):
    """A file to make the next version of its rule set."""

    document: str
    base: int | None = None
    note: str | None = None


class RollBackRules(msgspec.Struct, frozen=True, tag="rules.rollback"):
    """An earlier version of a rule set to put in force again."""

    name: str
    to: int | None = None
    base: int | None = None


class PromoteModel(msgspec.Struct, frozen=True, tag="models.promote"):
    """A model to put into use."""

    version: int


class RollBackModel(msgspec.Struct, frozen=True, tag="models.rollback"):
    """A model to go back to."""

    to: int | None = None


class SetPrices(msgspec.Struct, frozen=True, tag="prices.set"):
    """Fees, as decimal amounts by fee type."""

    fees: dict[str, str]


class AdjustBalance(msgspec.Struct, frozen=True, tag="balance.adjust"):
    """A correction of the balance, in millionths."""

    micros: int
    reason: str


class SetApprovals(msgspec.Struct, frozen=True, tag="approvals.set"):
    """Another choice of what needs two pairs of eyes."""

    kinds: tuple[str, ...]


ProposedChange: TypeAlias = (
    ApplyRules
    | RollBackRules
    | PromoteModel
    | RollBackModel
    | SetPrices
    | AdjustBalance
    | SetApprovals
)
Proposal: TypeAlias = StoredProposal[ProposedChange]

_KINDS: Final[Mapping[type, ApprovalKind]] = MappingProxyType(
    {
        ApplyRules: ApprovalKind.RULES,
        RollBackRules: ApprovalKind.RULES,
        PromoteModel: ApprovalKind.MODELS,
        RollBackModel: ApprovalKind.MODELS,
        SetPrices: ApprovalKind.PRICES,
        AdjustBalance: ApprovalKind.ADJUSTMENTS,
        SetApprovals: ApprovalKind.APPROVALS,
    }
)
APPROVERS: Final[Mapping[ApprovalKind, Permission]] = MappingProxyType(
    {
        ApprovalKind.RULES: Permission.CONFIGURE,
        ApprovalKind.MODELS: Permission.CONFIGURE,
        ApprovalKind.PRICES: Permission.SEE_MONEY,
        ApprovalKind.ADJUSTMENTS: Permission.SEE_MONEY,
        ApprovalKind.APPROVALS: Permission.PEOPLE,
    }
)
"""What a person who approves must be allowed to do besides approving."""


def propose(session: AdminSession, account_id: str, content: ProposedChange) -> Proposal:
    """Propose a change; what could not be done anyway is refused at once."""
    checked = _checked(session, account_id, content)
    with account_change(session, account_id) as change:
        new = Proposal(
            proposal_id=change.new_id("prop"),
            account_id=account_id,
            kind=_KINDS[type(content)],
            state=ProposalState.OPEN,
            proposer=str(change.actor),
            created_at_ms=change.now_ms,
            expires_at_ms=change.now_ms + LIFETIME_MS,
            content=checked,
        )
        proposals.add(change, new)
        change.audit("proposal.make", account_id, proposalId=new.proposal_id, kind=new.kind)
    return new


def listing(session: AdminSession, account_id: str) -> list[Proposal]:
    """The newest proposals of an account, newest first; those that nobody decided expire."""
    with account_reading(session, account_id) as connection:
        found = proposals.listing(
            connection, session.ring, account_id, ProposedChange, _MOST_LISTED
        )
    return [_aged(each, session.clock()) for each in found]


def get(session: AdminSession, account_id: str, proposal_id: str) -> Proposal:
    """One proposal."""
    with account_reading(session, account_id) as connection:
        found = proposals.get(connection, session.ring, account_id, proposal_id, ProposedChange)
    return _aged(found, session.clock())


def approve(session: AdminSession, account_id: str, proposal_id: str) -> Proposal:
    """Let a proposed change happen now; never by the one who proposed it."""
    proposal = get(session, account_id, proposal_id)
    _check_open(proposal)
    if session.actor.kind not in (ActorKind.USER, ActorKind.OPERATOR):
        raise Conflict(_APPROVE_PERSON())
    if _is_same_person(session.actor, proposal.proposer):
        raise Conflict(_APPROVE_OWN())
    approver = session.acting_as(session.actor.approving(proposal.proposer))
    with account_change(approver, account_id) as change:
        proposals.decide(change, proposal, ProposalState.APPROVED, None)
        change.audit("proposal.approve", account_id, proposalId=proposal_id, kind=proposal.kind)
        _run(approver.joining(change), account_id, proposal.content)
    return get(session, account_id, proposal_id)


def refuse(session: AdminSession, account_id: str, proposal_id: str, reason: str) -> Proposal:
    """Decide that a proposed change does not happen."""
    return _end(session, account_id, proposal_id, ProposalState.REFUSED, reason)


def withdraw(session: AdminSession, account_id: str, proposal_id: str) -> Proposal:
    """Take back what one has proposed."""
    proposal = get(session, account_id, proposal_id)
    if not _is_same_person(session.actor, proposal.proposer):
        raise Conflict(_WITHDRAW_OWN())
    return _end(session, account_id, proposal_id, ProposalState.WITHDRAWN, "withdrawn")


def _end(
    session: AdminSession, account_id: str, proposal_id: str, state: ProposalState, reason: str
) -> Proposal:
    why = recordable(reason.strip())
    if is_blank(why) or len(why) > _LONGEST_REASON:
        raise InvalidInput(_PROPOSAL_REASON(most=_LONGEST_REASON))
    proposal = get(session, account_id, proposal_id)
    _check_open(proposal)
    with account_change(session, account_id) as change:
        proposals.decide(change, proposal, state, why)
        said = {"proposalId": proposal_id, "kind": proposal.kind, "reason": why}
        change.audit(f"proposal.{state}", account_id, **said)
    return get(session, account_id, proposal_id)


def _checked(session: AdminSession, account_id: str, content: ProposedChange) -> ProposedChange:
    """The change as it is kept: tried out as far as possible, and of the version seen now."""
    if isinstance(content, ApplyRules):
        new = NewVersion(content.document.encode(), content.base, content.note, dry_run=True)
        planned = rule_sets.apply(session, account_id, new)
        if not planned.changed:
            raise Conflict(_NOTHING_CHANGES())
        base = content.base
        if base is None:
            base = _in_force(session, account_id, planned.name)
        return msgspec.structs.replace(content, base=base)
    if isinstance(content, RollBackRules):
        wanted = Return(content.to, content.base, dry_run=True)
        seen = rollback(session, account_id, rule_sets.RULE_SETS, content.name, wanted)
        return msgspec.structs.replace(content, to=seen.version, base=seen.before)
    if isinstance(content, PromoteModel):
        versions.get_model(session, account_id, content.version)
    elif isinstance(content, SetPrices):
        money.check_prices(content.fees)
    elif isinstance(content, AdjustBalance) and (not content.micros or is_blank(content.reason)):
        raise InvalidInput(_ADJUSTMENT_EMPTY())
    elif isinstance(content, SetApprovals):
        approvals.check_kinds(content.kinds)
    return content


def _in_force(session: AdminSession, account_id: str, name: str) -> int | None:
    try:
        return rule_sets.get(session, account_id, name).version
    except NotFound:
        return None


def _run(session: AdminSession, account_id: str, content: ProposedChange) -> None:
    """The ordinary use case of a proposed change."""
    if isinstance(content, ApplyRules):
        new = NewVersion(content.document.encode(), content.base, content.note)
        new = msgspec.structs.replace(new, is_first=content.base is None)
        rule_sets.apply(session, account_id, new)
    elif isinstance(content, RollBackRules):
        wanted = Return(content.to, content.base)
        rollback(session, account_id, rule_sets.RULE_SETS, content.name, wanted)
    elif isinstance(content, PromoteModel):
        versions.promote_model(session, account_id, content.version)
    elif isinstance(content, RollBackModel):
        versions.roll_back_model(session, account_id, content.to)
    elif isinstance(content, SetPrices):
        money.set_prices(session, account_id, content.fees)
    elif isinstance(content, AdjustBalance):
        money.adjust(session, account_id, content.micros, content.reason)
    else:
        approvals.set_wanted(session, account_id, content.kinds)


def _is_same_person(actor: Actor, proposer: str) -> bool:
    """Whether an actor is who proposed something, also under another of its names."""
    named = proposer.partition(":")[2]
    return str(actor) == proposer or actor.name == named or named.endswith(f" for {actor.name}")


def _check_open(proposal: Proposal) -> None:
    if proposal.state is not ProposalState.OPEN:
        raise Conflict(_PROPOSAL_STATE(state=_STATES[proposal.state]()))


def _aged(proposal: Proposal, now_ms: int) -> Proposal:
    if proposal.state is ProposalState.OPEN and now_ms >= proposal.expires_at_ms:
        return msgspec.structs.replace(proposal, state=ProposalState.EXPIRED)
    return proposal

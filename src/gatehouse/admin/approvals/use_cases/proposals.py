"""Proposals: one person proposes a change, another approves it, and the ordinary use case runs.

It runs in the transaction of the approval, so that both happen or neither, and its audit line
names both people.
"""

from typing import Final, TypeAlias

import msgspec

from gatehouse.access.actors import Actor, ActorKind
from gatehouse.admin.approvals import queries as proposals
from gatehouse.admin.approvals.queries import ProposalState, StoredProposal
from gatehouse.admin.approvals.use_cases import proposed_changes
from gatehouse.admin.approvals.use_cases.proposed import ProposedChange, kind_of
from gatehouse.admin.approvals.use_cases.second_pair import check_independent
from gatehouse.admin.people.use_cases.users import Invited
from gatehouse.core.cards.redaction import recordable
from gatehouse.core.errors import Conflict, InvalidInput
from gatehouse.core.wording.sentences import Phrase, phrases_of
from gatehouse.core.wording.text import is_blank
from gatehouse.store.accounts.accounts import LONGEST_REASON, REASON_LENGTH
from gatehouse.store.admin.admin_session import AdminSession

_PROPOSAL_STATE: Final = Phrase("refused.proposal_state", "this proposal is {state}")
_STATES: Final = phrases_of("word.proposal", {each.value: each.value for each in ProposalState})

_APPROVE_PERSON: Final = Phrase("refused.approve_person", "only a person can approve a proposal")
_APPROVE_OWN: Final = Phrase(
    "refused.approve_own", "who proposed a change cannot approve it; another person has to"
)
_WITHDRAW_OWN: Final = Phrase(
    "refused.withdraw_own", "only who proposed a change can take it back; others can refuse it"
)

LIFETIME_MS: Final = 7 * 86_400_000
_MOST_LISTED: Final = 200


Proposal: TypeAlias = StoredProposal[ProposedChange]


class ApprovedProposal(msgspec.Struct, frozen=True):
    """A proposal that was approved, and the link that it made for a person, if it made one."""

    proposal: Proposal
    invited: Invited | None = None


def propose(session: AdminSession, account_id: str, content: ProposedChange) -> Proposal:
    """Propose a change; what could not be done anyway is refused at once."""
    checked = _masked(proposed_changes.checked(session, account_id, content))
    with session.account_change(account_id) as change:
        new = Proposal(
            proposal_id=change.new_id("prop"),
            account_id=account_id,
            kind=kind_of(content),
            state=ProposalState.OPEN,
            proposer=str(change.actor),
            created_at_ms=change.now_ms,
            expires_at_ms=change.now_ms + LIFETIME_MS,
            content=checked,
        )
        proposals.add(change, new)
        change.audit("proposal.make", account_id, proposalId=new.proposal_id, kind=new.kind)
    return new


def _masked(content: ProposedChange) -> ProposedChange:
    """A change without card numbers in what its proposer says about it."""
    said = {
        name: recordable(text)
        for name in ("note", "reason")
        if (text := getattr(content, name, None)) is not None
    }
    return msgspec.structs.replace(content, **said) if said else content


def listing(session: AdminSession, account_id: str) -> list[Proposal]:
    """The newest proposals of an account, newest first; those that nobody decided expire."""
    with session.account_reading(account_id) as connection:
        found = proposals.listing(
            connection, session.ring, account_id, ProposedChange, _MOST_LISTED
        )
    return [_aged(each, session.clock()) for each in found]


def get(session: AdminSession, account_id: str, proposal_id: str) -> Proposal:
    """One proposal."""
    with session.account_reading(account_id) as connection:
        found = proposals.get(connection, session.ring, account_id, proposal_id, ProposedChange)
    return _aged(found, session.clock())


def approve(session: AdminSession, account_id: str, proposal_id: str) -> ApprovedProposal:
    """Let a proposed change happen now; never by the one who proposed it, by no name."""
    proposal = get(session, account_id, proposal_id)
    _check_open(proposal)
    if session.actor.kind not in (ActorKind.USER, ActorKind.OPERATOR):
        raise Conflict(_APPROVE_PERSON())
    if _is_same_person(session.actor, proposal.proposer):
        raise Conflict(_APPROVE_OWN())
    approver = session.acting_as(session.actor.approving(proposal.proposer))
    with approver.account_change(account_id) as change:
        check_independent(change, proposal.proposer, proposal.created_at_ms)
        proposals.decide(change, proposal, ProposalState.APPROVED, None)
        change.audit("proposal.approve", account_id, proposalId=proposal_id, kind=proposal.kind)
        joined = approver.joining(change)
        invited = proposed_changes.run(joined, account_id, proposal.content)
    return ApprovedProposal(get(session, account_id, proposal_id), invited)


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
    if is_blank(why) or len(why) > LONGEST_REASON:
        raise InvalidInput(REASON_LENGTH(most=LONGEST_REASON))
    proposal = get(session, account_id, proposal_id)
    _check_open(proposal)
    with session.account_change(account_id) as change:
        proposals.decide(change, proposal, state, why)
        said = {"proposalId": proposal_id, "kind": proposal.kind, "reason": why}
        change.audit(f"proposal.{state}", account_id, **said)
    return get(session, account_id, proposal_id)


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

"""People where two pairs of eyes are wanted: who may bring them in, and who may then approve.

A person who could let in a second self, or take over a colleague, would be both pairs of eyes. So
nobody gives an approving role, or hands over a person who has one, without another person. At a
terminal of the installation it can be done alone: somebody has to bring in the second person.
"""

from typing import Final

from gatehouse.access.actors import ActorKind
from gatehouse.access.people import User
from gatehouse.access.roles import Permission
from gatehouse.admin.approvals.use_cases.approvals import ApprovalKind, check_approved
from gatehouse.admin.people.queries import own_roles, users
from gatehouse.core.errors import ApprovalNeeded, Conflict
from gatehouse.core.wording.sentences import Phrase
from gatehouse.store.accounts import accounts
from gatehouse.store.admin.admin_session import Change

_APPROVE_INVITED: Final = Phrase(
    "refused.approve_invited",
    "who proposed this change let you in, by an invitation or a reset; somebody else has to "
    "approve it",
)
_APPROVE_NEW: Final = Phrase(
    "refused.approve_new",
    "you were let in, reset or given a role after this change was proposed; somebody else has to "
    "approve it",
)
_AT_A_TERMINAL: Final = Phrase(
    "refused.operator_at_terminal",
    "large amounts need a second operator here, so operators are made at a terminal of the "
    "installation",
)


def check_role_given(change: Change, account_id: str, role: str) -> None:
    """Refuse to give a role that does more than the giver may, or, alone, one that approves."""
    permissions = own_roles.permissions_of(change.connection, change.signer, account_id, role)
    change.actor.check_gives(permissions)
    if Permission.APPROVE in permissions:
        check_approved(change, account_id, ApprovalKind.PEOPLE)


def check_handed_over(change: Change, user: User) -> None:
    """Refuse to hand over, alone, a person who approves anywhere: by a new link, or enabled."""
    for account_id, role in user.roles.items():
        check_role_given(change, account_id, role)
    if user.works_everywhere:
        check_operator_made(change)


def check_operator_made(change: Change) -> None:
    """Refuse to give a role over all accounts, alone, as long as an account wants two.

    Or as long as the installation wants a second operator for large amounts.
    """
    alone = change.actor.proposer is None and not change.actor.has_terminal
    if alone and change.session.settings.second_operator_above is not None:
        raise ApprovalNeeded(_AT_A_TERMINAL())
    for account, _ in accounts.listing(change.connection):
        check_approved(change, account.account_id, ApprovalKind.PEOPLE)


def check_independent(change: Change, proposer: str, proposed_at_ms: int) -> None:
    """Refuse the approval of somebody who may be the proposer under another name."""
    actor, approver = change.actor, None
    if actor.kind is ActorKind.USER:
        approver = users.find(change.connection, change.ring, actor.name)
    if approver is None:
        return
    if approver.entitled_at_ms > proposed_at_ms:
        raise Conflict(_APPROVE_NEW())
    if approver.introduced_by and names_in(approver.introduced_by) & names_in(proposer):
        raise Conflict(_APPROVE_INVITED())


def names_in(actor: str) -> set[str]:
    """The people, keys and users of the system in the text of an actor."""
    found = set()
    for part in actor.split(" approving "):
        named, _, person = part.partition(":")[2].partition(" for ")
        found |= {named, person}
    return found - {""}

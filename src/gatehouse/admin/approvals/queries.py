"""Changes that one person proposed for another to approve.

What is proposed is sealed, bound to who proposed it and where: nobody can change it, or the name
of its author, between the proposal and the approval.
"""

from enum import StrEnum
from typing import Any, Final, Generic, TypeVar

import msgspec
import sqlalchemy as sa

from gatehouse.admin.people.queries import sealed
from gatehouse.core.cards.redaction import recordable
from gatehouse.core.errors import Conflict, NotFound
from gatehouse.core.filling import filled
from gatehouse.core.secrets.keyring import KeyRing
from gatehouse.core.wording.sentences import Phrase
from gatehouse.store.admin.admin_session import Change
from gatehouse.store.counting import count_rows
from gatehouse.store.people.tables import PROPOSALS

_PROPOSALS_MANY: Final = Phrase(
    "refused.proposals_many", "there are {most} open proposals already; decide about some first"
)

_NO_PROPOSAL: Final = Phrase("refused.no_proposal", "no proposal {id}")
_PROPOSAL_CLOSED: Final = Phrase("refused.proposal_closed", "this proposal is not open any more")

MOST_OPEN: Final = 100
T = TypeVar("T")


class ProposalState(StrEnum):
    """What became of a proposal."""

    OPEN = "open"
    APPROVED = "approved"
    REFUSED = "refused"
    WITHDRAWN = "withdrawn"
    EXPIRED = "expired"


class StoredProposal(msgspec.Struct, Generic[T], frozen=True, kw_only=True):
    """A proposal, with what is proposed."""

    proposal_id: str
    account_id: str
    kind: str
    state: ProposalState
    proposer: str
    created_at_ms: int
    expires_at_ms: int
    content: T
    decided_by: str | None = None
    decided_at_ms: int | None = None
    reason: str | None = None


def add(change: Change, new: StoredProposal[Any]) -> None:
    """Keep a proposal."""
    mine = (PROPOSALS.c.account_id == new.account_id) & (PROPOSALS.c.state == ProposalState.OPEN)
    still = mine & (PROPOSALS.c.expires_at_ms > change.now_ms)
    if count_rows(change.connection, PROPOSALS, still) >= MOST_OPEN:
        raise Conflict(_PROPOSALS_MANY(most=MOST_OPEN))
    columns = {
        "id": new.proposal_id,
        "account_id": new.account_id,
        "kind": new.kind,
        "proposer": new.proposer,
        "created_at_ms": new.created_at_ms,
        "expires_at_ms": new.expires_at_ms,
    }
    cells = sealed.seal(
        change.ring, change.random_bytes, new.content, "proposals", *columns.values()
    )
    change.connection.execute(PROPOSALS.insert(), {**columns, "state": new.state, **cells})


def get(
    connection: sa.Connection,
    ring: KeyRing,
    account_id: str,
    proposal_id: str,
    content: Any,
) -> StoredProposal[Any]:
    """A proposal of the account, or `NotFound`; `content` is the type of what is proposed."""
    this = (PROPOSALS.c.account_id == account_id) & (PROPOSALS.c.id == proposal_id)
    row = connection.execute(sa.select(PROPOSALS).where(this)).first()
    if row is None:
        raise NotFound(_NO_PROPOSAL(id=recordable(proposal_id)))
    return _proposal(ring, row, content)


def listing(
    connection: sa.Connection, ring: KeyRing, account_id: str, content: Any, limit: int
) -> list[StoredProposal[Any]]:
    """The newest proposals of an account, newest first."""
    query = sa.select(PROPOSALS).where(PROPOSALS.c.account_id == account_id)
    rows = connection.execute(query.order_by(PROPOSALS.c.id.desc()).limit(limit))
    return [_proposal(ring, row, content) for row in rows]


def decide(
    change: Change, proposal: StoredProposal[Any], state: ProposalState, reason: str | None
) -> None:
    """End a proposal; `Conflict` when somebody else was first, or it is too old."""
    c = PROPOSALS.c
    this = (c.id == proposal.proposal_id) & (c.state == ProposalState.OPEN)
    values = {
        "state": state,
        "decided_by": str(change.actor),
        "decided_at_ms": change.now_ms,
        "reason": reason,
    }
    this &= c.expires_at_ms > change.now_ms
    if change.connection.execute(PROPOSALS.update().where(this).values(values)).rowcount != 1:
        raise Conflict(_PROPOSAL_CLOSED())


def _proposal(ring: KeyRing, row: Any, content: Any) -> StoredProposal[Any]:
    bound = [row.id, row.account_id, row.kind, row.proposer, row.created_at_ms, row.expires_at_ms]
    return filled(
        StoredProposal,
        row,
        proposal_id=row.id,
        state=ProposalState(row.state),
        content=sealed.open_sealed(ring, row, content, "proposals", *bound),
    )

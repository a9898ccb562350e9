"""Who asks for something: an operator at a terminal, a person in the console, a key, the service.

Every use case is handed its actor, and every line of the audit log names one.
"""

from enum import StrEnum
from typing import Final

import msgspec

from gatehouse.access.keys import covers
from gatehouse.access.rights import HOLDERS, Right
from gatehouse.access.roles import GIVEN_BY_KEYS, Permission
from gatehouse.core.errors import Conflict, NotFound, RightMissing
from gatehouse.core.wording.sentences import Phrase

_NO_ACCOUNT: Final = Phrase("refused.no_account", "no account {account_id}")
_ONLY_OPERATORS: Final = Phrase(
    "refused.only_operators", "this is only for operators of the installation"
)
_GIVES_MORE: Final = Phrase(
    "refused.gives_more",
    "this concerns permissions that you do not have yourself: {permissions}",
)
_NEEDS_SCOPE: Final = Phrase(
    "refused.needs_scope", "this needs the scope {scope}, which the key does not have"
)
_NEEDS_PERMISSION: Final = Phrase(
    "refused.needs_permission", "this needs the permission {permission}, which you do not have"
)
_NOT_BY_KEYS: Final = Phrase("refused.not_by_keys", "keys cannot do this; an operator can")


class ActorKind(StrEnum):
    """How an actor came in; the first part of its name in the audit log."""

    OPERATOR = "cli"
    USER = "user"
    KEY = "key"
    SYSTEM = "system"


class Actor(msgspec.Struct, frozen=True):
    """Who asks, and for which account the actor may speak."""

    kind: ActorKind
    name: str
    account_id: str | None = None
    """The only account that the actor may see; None may see all of them."""
    person: str | None = None
    """The person for whom a key says that it acts."""
    reveals: bool = True
    """Whether the actor may see personal data in full; of a key, its scopes decide that."""
    proposer: str | None = None
    """Who proposed the change that this actor approves; two pairs of eyes have seen it then."""
    gives: frozenset[Permission] | None = None
    """What the actor may do, and so let others do; None is everything."""
    scopes: tuple[str, ...] | None = None
    """Of a key; None is every scope."""

    @classmethod
    def operator(cls, user: str) -> "Actor":
        """A person at a terminal of the installation."""
        return cls(ActorKind.OPERATOR, user)

    @classmethod
    def user(
        cls,
        login: str,
        account_id: str | None,
        *,
        may: frozenset[Permission] = frozenset(),
    ) -> "Actor":
        """A person who is signed in to the console, at work in one account or in all of them."""
        reveals = Permission.REVEAL in may
        return cls(ActorKind.USER, login, account_id, reveals=reveals, gives=may)

    @classmethod
    def key(cls, key_id: str, account_id: str, *, scopes: tuple[str, ...] | None = None) -> "Actor":
        """A merchant's program, by its API key; without `scopes` it may whatever keys may."""
        return cls(ActorKind.KEY, key_id, account_id, gives=GIVEN_BY_KEYS, scopes=scopes)

    @classmethod
    def system(cls, part: str) -> "Actor":
        """A part of the service that acts by itself."""
        return cls(ActorKind.SYSTEM, part)

    @property
    def has_terminal(self) -> bool:
        """Whether the actor has the database and the root secret anyway."""
        return self.kind in (ActorKind.OPERATOR, ActorKind.SYSTEM)

    @property
    def operates(self) -> bool:
        """Whether the actor reaches all accounts, and can let anybody in again."""
        return self.gives is None or Permission.OPERATE in self.gives

    def may(self, *rights: Right) -> bool:
        """Whether the actor has all of some rights."""
        return all(map(self._has, rights))

    def check(self, *rights: Right) -> None:
        """Refuse an actor without a right; asked where the data is reached."""
        for right in rights:
            if self._has(right):
                continue
            scopes, permission = HOLDERS[right]
            if self.kind is not ActorKind.KEY:
                raise RightMissing(_NEEDS_PERMISSION(permission=permission))
            raise RightMissing(_NEEDS_SCOPE(scope=scopes[0]) if scopes else _NOT_BY_KEYS())

    def _has(self, right: Right) -> bool:
        scopes, permission = HOLDERS[right]
        if self.kind is ActorKind.KEY:
            mine = self.scopes
            return bool(scopes) if mine is None else any(covers(mine, one) for one in scopes)
        return self.gives is None or permission in self.gives

    def acting_for(self, person: str | None) -> "Actor":
        """The same actor, in the name of a person."""
        return msgspec.structs.replace(self, person=person)

    def approving(self, proposer: str) -> "Actor":
        """The same actor, approving what another one proposed."""
        return msgspec.structs.replace(self, proposer=proposer)

    def check_account(self, account_id: str) -> None:
        """Refuse an account that is not the actor's, as if it did not exist."""
        if self.account_id not in (None, account_id):
            raise NotFound(_NO_ACCOUNT(account_id=account_id))

    def check_reads(self, account_id: str) -> None:
        """Refuse another account's decisions, and an actor that may read none."""
        self.check_account(account_id)
        self.check(Right.DECISIONS)

    def check_gives(self, permissions: frozenset[Permission]) -> None:
        """Refuse permissions that the actor does not have, to give or to take."""
        if self.gives is not None and permissions - self.gives:
            missing = sorted(permissions - self.gives)
            raise Conflict(_GIVES_MORE(permissions=", ".join(missing)))

    def check_installation(self) -> None:
        """Refuse what concerns all accounts to an actor that speaks for one of them."""
        if self.account_id is not None:
            raise NotFound(_ONLY_OPERATORS())

    def __str__(self) -> str:
        """The actor as the audit log and every stored row name it."""
        named = self.name if self.kind is ActorKind.SYSTEM else f"{self.kind}:{self.name}"
        if self.person is not None:
            named = f"{named} for {self.person}"
        return named if self.proposer is None else f"{named} approving {self.proposer}"

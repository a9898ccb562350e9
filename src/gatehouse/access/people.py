"""A person who can sign in: roles, and the ways in which the person proves who it is."""

from collections.abc import Mapping
from enum import StrEnum

import msgspec

from gatehouse.core.filling import filled
from gatehouse.core.secrets.hidden import Personal


class UserStatus(StrEnum):
    """One word for lists."""

    INVITED = "invited"
    ACTIVE = "active"
    DISABLED = "disabled"


class Passkey(Personal, frozen=True, kw_only=True):
    """A key that a browser, phone or security key holds for the person."""

    credential_id: str
    """As the browser names it, in base64url."""
    public_key: bytes
    name: str
    created_at_ms: int
    uses: int = 0
    """The authenticator's own count; one that goes backwards is a copy. Many always say 0."""
    used_at_ms: int | None = None


class User(Personal, frozen=True, kw_only=True):
    """Everything that is kept of a person; it is stored sealed, as one value."""

    user_id: str
    login: str
    """The e-mail address that the person signs in with, in lower case."""
    name: str
    created_at_ms: int
    roles: Mapping[str, str] = msgspec.field(default_factory=dict)
    """By account: a `UserRole`, or the id of a role that the account made."""
    is_operator: bool = False
    is_billing: bool = False
    """Whether the person looks after the money of all accounts."""
    rights: int = 1
    """Grows whenever roles or ways to sign in change; sessions remember it."""
    changes: int = 0
    """How often the row was written."""
    password: str | None = None
    """The hash of Argon2id, with its parameters."""
    totp: bytes | None = None
    totp_step: int = 0
    """The last step whose code was used: no code counts twice."""
    recovery: tuple[str, ...] = ()
    """Hashes of the recovery codes that were not used yet."""
    passkeys: tuple[Passkey, ...] = ()
    subject: str | None = None
    """Issuer and subject of the single sign-on that this person signs in by, and by that alone."""
    introduced_by: str | None = None
    """Who made the link by which the person chose its password, as the audit log names actors."""
    introduced_in: str | None = None
    """The account whose administrator that was; None for an operator."""
    entitled_at_ms: int = 0
    """When the person was let in, given a role or enabled last."""
    disabled_at_ms: int | None = None
    signed_in_at_ms: int | None = None
    locale: str = "en"
    time_zone: str = "UTC"

    @property
    def has_second_factor(self) -> bool:
        """Whether a password alone does not sign the person in."""
        return self.totp is not None or bool(self.passkeys)

    @property
    def signs_in_elsewhere(self) -> bool:
        """Whether the person is linked to single sign-on."""
        return self.subject is not None

    @property
    def status(self) -> UserStatus:
        """Whether the person was invited only, can sign in, or must not."""
        if self.disabled_at_ms is not None:
            return UserStatus.DISABLED
        known = self.password or self.passkeys or self.subject or self.signed_in_at_ms
        return UserStatus.ACTIVE if known else UserStatus.INVITED

    @property
    def is_vouched_for(self) -> bool:
        """Whether an operator or a provider let the person in, and not one account alone."""
        by_operator = self.introduced_by is not None and self.introduced_in is None
        return self.signs_in_elsewhere or by_operator

    def belongs_only_to(self, account_id: str) -> bool:
        """Whether the person has no role anywhere else."""
        return not self.works_everywhere and set(self.roles) <= {account_id}

    @property
    def works_everywhere(self) -> bool:
        """Whether the person has a role over all accounts."""
        return self.is_operator or self.is_billing

    def without_proofs(self) -> "User":
        """The person with no way to sign in: ways that were set up before no longer work."""
        proofs = {"password": None, "totp": None, "totp_step": 0, "recovery": (), "passkeys": ()}
        return self.with_rights(**proofs, introduced_by=None, introduced_in=None)

    def with_rights(self, **values: object) -> "User":
        """The person with other roles or other ways to sign in: sessions get new tokens."""
        return msgspec.structs.replace(self, rights=self.rights + 1, **values)


class UserView(Personal, frozen=True, rename="camel"):
    """A person as lists and pages show it."""

    user_id: str
    login: str
    name: str
    status: UserStatus
    roles: Mapping[str, str]
    is_operator: bool
    is_billing: bool
    has_password: bool
    has_totp: bool
    recovery_codes: int
    passkeys: int
    single_sign_on: bool
    created_at_ms: int
    signed_in_at_ms: int | None
    disabled_at_ms: int | None

    @classmethod
    def of(cls, user: User, account_id: str | None = None) -> "UserView":
        """What may be shown of a person; to one account, only its own role."""
        roles = user.roles
        if account_id is not None:
            roles = {each: role for each, role in roles.items() if each == account_id}
        return filled(
            cls,
            user,
            roles=roles,
            has_password=user.password is not None,
            has_totp=user.totp is not None,
            recovery_codes=len(user.recovery),
            passkeys=len(user.passkeys),
            single_sign_on=user.signs_in_elsewhere,
        )

"""What tests of signing in share: quick passwords, a clock that can be moved, people."""

import dataclasses

from argon2 import PasswordHasher

from gatehouse.access.roles import UserRole
from gatehouse.access.visitors import Visitor
from gatehouse.admin.accounts.use_cases import accounts
from gatehouse.admin.people.use_cases import users
from gatehouse.admin.sign_in.use_cases import sessions
from gatehouse.admin.sign_in.use_cases.passwords import Passwords
from gatehouse.admin.sign_in.use_cases.sessions import SessionLimits, SessionOrigin, SignedIn
from gatehouse.admin.sign_in.use_cases.sign_in import SignIn
from gatehouse.store.admin.admin_session import AdminSession
from tests.harness import make_account

PASSWORD = "tulip ocean grain 7"
HERE = SessionOrigin(address="198.51.100.7", agent="Firefox")
ADA = "ada@shop.example"


def quick_passwords() -> Passwords:
    """Hashes that take no time."""
    return Passwords(PasswordHasher(time_cost=1, memory_cost=8, parallelism=1))


def shop_of(session: AdminSession) -> str:
    """An account of the data: the first one, which is made if there is none."""
    known = accounts.listing(session)
    return known[0].account.account_id if known else make_account(session)


class MovedClock:
    """A clock that stands still until it is moved."""

    def __init__(self, now_ms: int) -> None:
        self.now_ms = now_ms

    def __call__(self) -> int:
        return self.now_ms

    def move(self, *, seconds: float = 0, minutes: float = 0, hours: float = 0) -> None:
        self.now_ms += int((seconds + 60 * minutes + 3600 * hours) * 1000)


class Entrance:
    """The ways in, on data of their own, with a clock that the test moves."""

    def __init__(self, session: AdminSession, limits: SessionLimits | None = None) -> None:
        self.clock = MovedClock(session.clock())
        self.session = dataclasses.replace(session, clock=self.clock)
        self.limits = limits or SessionLimits()
        self.sign_in = SignIn(self.session, quick_passwords(), self.limits)

    def person(
        self, account_id: str, role: UserRole = UserRole.ANALYST, login: str = ADA
    ) -> SignedIn:
        """Somebody who was invited and took the link."""
        link = users.invite(self.session, account_id, login, role, "Ada Lovelace").link
        assert link is not None
        done = self.sign_in.by_link(link.token, HERE, PASSWORD)
        assert isinstance(done, SignedIn)
        return done

    def operator(self, login: str = "root@ops.example") -> SignedIn:
        """An operator who was invited and took the link."""
        link = users.invite_operator(self.session, login).link
        assert link is not None
        done = self.sign_in.by_link(link.token, HERE, PASSWORD)
        assert isinstance(done, SignedIn)
        return done

    def visitor(self, token: str, address: str = HERE.address) -> Visitor | None:
        """Who holds a token now."""
        return sessions.resolve(self.session, token, self.clock(), address, self.limits)

    def password(self, login: str = ADA, password: str = PASSWORD) -> SignedIn:
        """Signed in by a password alone."""
        done = self.sign_in.by_password(login, password, HERE)
        assert isinstance(done, SignedIn)
        return done

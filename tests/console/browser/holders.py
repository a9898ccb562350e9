"""People who sign in with an authenticator app."""

import base64
from typing import Final, NamedTuple

from cryptography.hazmat.primitives.hashes import SHA1
from cryptography.hazmat.primitives.twofactor.totp import TOTP

from gatehouse.access.actors import Actor
from gatehouse.access.roles import UserRole
from gatehouse.admin.people.use_cases import users
from gatehouse.admin.sign_in.use_cases import totp
from gatehouse.admin.sign_in.use_cases.sessions import SessionOrigin, SignedIn
from gatehouse.admin.sign_in.use_cases.sign_in import SignIn
from tests.admin.people.signing_in import PASSWORD, quick_passwords
from tests.console.browser.site import Site

_HERE: Final = SessionOrigin(address="127.0.0.1")


class Holder(NamedTuple):
    """Somebody with an authenticator app."""

    login: str
    user_id: str
    recovery: str
    token: str


def holder_of_an_app(
    site: Site, login: str, name: str = "", inviter: Actor | None = None
) -> Holder:
    """Invite somebody, who signs in and adds an app."""
    with site.home.session(inviter) as session:
        link = users.invite(session, site.account_id, login, UserRole.ANALYST, name).link
    assert link is not None
    with site.home.session() as session:
        done = SignIn(session, quick_passwords()).by_link(link.token, _HERE, PASSWORD)
        assert isinstance(done, SignedIn)
        enrolled = totp.enrol(session, done.user_id)
        app = TOTP(base64.b32decode(enrolled.secret), 6, SHA1(), 30)
        code = app.generate(session.clock() // 1000).decode()
        codes = totp.confirm(session, done.user_id, enrolled.ticket, code)
    return Holder(login, done.user_id, codes[0], done.token)

"""What people change about themselves: name, language, time zone, password."""

import re
import zoneinfo
from typing import Final

import msgspec

from gatehouse.access.actors import Actor
from gatehouse.admin.people.queries import users
from gatehouse.admin.sign_in.queries import sessions
from gatehouse.admin.sign_in.use_cases.elsewhere import check_signs_in_here
from gatehouse.admin.sign_in.use_cases.logins import check_name
from gatehouse.admin.sign_in.use_cases.passwords import check_new
from gatehouse.admin.sign_in.use_cases.sessions import SessionOrigin
from gatehouse.admin.sign_in.use_cases.sign_in import SignIn
from gatehouse.core.errors import InvalidInput
from gatehouse.core.wording.sentences import Phrase
from gatehouse.store.admin.admin_session import AdminSession

_LANGUAGE_CODE: Final = Phrase("refused.language_code", "a language is a code such as en or de")
_TIME_ZONE: Final = Phrase("refused.time_zone", "a time zone is a name such as Europe/Berlin")

_LOCALE: Final = re.compile(r"[a-z]{2,3}([_-][A-Za-z0-9]{2,8}){0,2}")


class Profile(msgspec.Struct, frozen=True):
    """What a person chooses."""

    name: str
    locale: str = "en"
    time_zone: str = "UTC"


def set_profile(session: AdminSession, user_id: str, profile: Profile) -> None:
    """Change how a person is called, and how times and numbers are shown to it."""
    session.actor.check_installation()
    if _LOCALE.fullmatch(profile.locale) is None:
        raise InvalidInput(_LANGUAGE_CODE())
    if profile.time_zone not in zoneinfo.available_timezones():
        raise InvalidInput(_TIME_ZONE())
    shown = msgspec.structs.replace(profile, name=check_name(profile.name))
    with session.change(unseen=True) as change:
        user = users.get(change.connection, change.ring, user_id)
        users.save(change, msgspec.structs.replace(user, **msgspec.structs.asdict(shown)))
        change.audit("user.profile", userId=user_id)


class NewPassword(msgspec.Struct, frozen=True):
    """A password, and the one that it replaces."""

    old: str
    new: str

    def __repr__(self) -> str:
        return "NewPassword(…)"


def change_password(
    sign_in: SignIn, user_id: str, session_id: str, given: NewPassword, origin: SessionOrigin
) -> None:
    """Choose another password; all other sessions of the person end."""
    sign_in.prove_again(user_id, given.old, origin)
    session = sign_in.session
    with session.reading() as connection:
        user = users.get(connection, session.ring, user_id)
    check_new(given.new, user.login)
    hashed = sign_in.passwords.hash(given.new)
    with session.acting_as(Actor.user(user.login, None)).change(unseen=True) as change:
        current = users.get(change.connection, change.ring, user_id)
        check_signs_in_here(current)
        users.save(change, current.with_rights(password=hashed))
        sessions.end_all(change.connection, user_id, but=session_id)
        change.audit("user.set-password", userId=user_id, by="person")

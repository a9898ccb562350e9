"""A person's own page: name, language, password, second steps, passkeys and sessions."""

import zoneinfo
from functools import cache
from typing import Final

import segno
from markupsafe import Markup
from starlette.responses import JSONResponse, Response

from gatehouse.access.people import UserView
from gatehouse.admin.people.use_cases import profile, users
from gatehouse.admin.people.use_cases.profile import NewPassword, Profile
from gatehouse.admin.sign_in.use_cases import passkeys, sessions, totp
from gatehouse.admin.sign_in.use_cases.passkeys import NewPasskey
from gatehouse.console.pages import Action, Declarations, Page
from gatehouse.console.visit import Visit
from gatehouse.console.words.formats import browser_name
from gatehouse.core.errors import SignInRefused, TooManyAttempts

LOCALES: Final = ("en", "en-GB", "de", "de-AT", "de-CH")
_SKIPPED: Final = ("Etc/", "SystemV/", "US/", "posix", "right")


def show_profile(visit: Visit) -> Response:
    """Everything that a person can change about itself."""
    session, user_id = visit.own_session, visit.visitor.user_id
    return visit.render(
        "profile/profile.html",
        person=_person(visit),
        locales=[(each, _locale_name(each)) for each in LOCALES],
        zones=[(each, each.replace("_", " ")) for each in time_zones()],
        keys=passkeys.listing(session, user_id),
        can_add_passkeys=visit.passkey_place is not None,
        sessions=[
            (each, browser_name(each.origin.agent))
            for each in reversed(sessions.listing(session, user_id))
        ],
    )


def save_profile(visit: Visit) -> Response:
    """Change name, language and time zone."""
    given = visit.form
    chosen = Profile(given.get("name", ""), given.get("locale", ""), given.get("time_zone", ""))
    profile.set_profile(visit.own_session, visit.visitor.user_id, chosen)
    return visit.redirect("profile", notice="profile.saved")


def change_password(visit: Visit) -> Response:
    """Choose another password."""
    given = visit.form
    if given.get("new", "") != given.get("again", ""):
        raise visit.refuse("again", "sign_in.differ")
    passwords = NewPassword(given.get("current", ""), given.get("new", ""))
    visitor = visit.visitor
    try:
        profile.change_password(
            visit.desk.sign_in, visitor.user_id, visitor.session_id, passwords, visit.origin
        )
    except TooManyAttempts as refused:
        raise visit.refuse("current", "sign_in.wait", count=refused.wait_s) from None
    except SignInRefused:
        raise visit.refuse("current", "profile.wrong_password") from None
    return visit.redirect("profile", notice="profile.password_changed")


def begin_totp(visit: Visit) -> Response:
    """Show the code that an authenticator app scans."""
    _prove(visit)
    return _show_enrolment(visit, totp.enrol(visit.own_session, visit.visitor.user_id))


def confirm_totp(visit: Visit) -> Response:
    """Turn the app on with its first code, and show the recovery codes."""
    ticket, user_id = visit.form["ticket"], visit.visitor.user_id
    try:
        codes = totp.confirm(visit.own_session, user_id, ticket, visit.form["code"])
    except SignInRefused:
        visit.problems = {"code": visit.text("profile.wrong_code")}
        secret, uri = visit.form["secret"], visit.form["uri"]
        return _show_enrolment(visit, totp.Enrolment(ticket, secret, uri))
    return visit.render("profile/recovery.html", codes=codes)


def remove_totp(visit: Visit) -> Response:
    """Sign in without an app again."""
    _prove(visit)
    totp.remove(visit.own_session, visit.visitor.user_id)
    return visit.redirect("profile", notice="profile.totp_removed")


def renew_recovery(visit: Visit) -> Response:
    """Show new recovery codes, once."""
    _prove(visit)
    codes = totp.new_recovery_codes(visit.own_session, visit.visitor.user_id)
    return visit.render("profile/recovery.html", codes=codes)


def begin_passkey(visit: Visit) -> Response:
    """What the browser is asked for a new passkey; its script wants it as JSON."""
    place = visit.passkey_place
    if place is None:
        raise visit.refuse("", "profile.passkeys_need_name")
    _prove(visit)
    asked = passkeys.begin_registration(visit.own_session, visit.visitor.user_id, place)
    return JSONResponse({"ticket": asked.ticket, "options": asked.options})


def add_passkey(visit: Visit) -> Response:
    """Keep the passkey that the browser made."""
    place = visit.passkey_place
    if place is None:
        raise visit.refuse("", "profile.passkeys_need_name")
    given = NewPasskey(visit.form["response"], visit.form["name"])
    ticket = visit.form["ticket"]
    try:
        passkeys.register(visit.own_session, visit.visitor.user_id, ticket, given, place)
    except SignInRefused:
        raise visit.refuse("", "profile.passkey_late") from None
    return visit.redirect("profile", notice="profile.passkey_added")


def remove_passkey(visit: Visit) -> Response:
    """Let a passkey sign in no more."""
    _prove(visit)
    passkeys.remove(visit.own_session, visit.visitor.user_id, visit.place("key"))
    return visit.redirect("profile", notice="profile.passkey_removed")


def end_session(visit: Visit) -> Response:
    """End one session, or all but this one."""
    visitor, named = visit.visitor, visit.form.get("session")
    if named:
        sessions.end(visit.own_session, visitor.user_id, named)
    else:
        sessions.end_all(visit.own_session, visitor.user_id, but=visitor.session_id)
    return visit.redirect("profile", notice="profile.session_ended")


@cache
def time_zones() -> tuple[str, ...]:
    """The zones that people choose from."""
    named = (each for each in zoneinfo.available_timezones() if "/" in each)
    return ("UTC", *sorted(each for each in named if not each.startswith(_SKIPPED)))


def _person(visit: Visit) -> UserView:
    return users.get(visit.own_session, None, visit.visitor.user_id)


def _prove(visit: Visit) -> None:
    """Ask for the password again: an unlocked screen must not be enough to change how one signs in.

    Somebody who has none must have signed in a short while ago, by a link or by a passkey.
    """
    person, visitor = _person(visit), visit.visitor
    if person.single_sign_on:
        raise visit.refuse("", "profile.elsewhere")
    if not person.has_password:
        if not sessions.is_fresh(visit.own_session, visitor.user_id, visitor.session_id):
            raise visit.refuse("", "profile.sign_in_again", minutes=sessions.FRESH_MS // 60_000)
        return
    given = visit.form["current"]
    try:
        visit.desk.sign_in.prove_again(visitor.user_id, given, visit.origin)
    except TooManyAttempts as refused:
        raise visit.refuse("current", "sign_in.wait", count=refused.wait_s) from None
    except SignInRefused:
        raise visit.refuse("current", "profile.wrong_password") from None


def _show_enrolment(visit: Visit, enrolment: totp.Enrolment) -> Response:
    drawn = segno.make(enrolment.uri, error="m").svg_inline(
        scale=5, border=3, dark="#000", light="#fff", svgclass="qr", lineclass=None, omitsize=True
    )
    return visit.render("profile/totp.html", enrolment=enrolment, picture=Markup(drawn))  # noqa: S704


def _locale_name(locale: str) -> str:
    from babel import Locale

    read = Locale.parse(locale, sep="-")
    name = read.get_display_name(read) or locale
    return name[:1].upper() + name[1:]


PAGES: Final[Declarations] = (
    Page("/me", "profile", show_profile),
    Action("/me", "save-profile", save_profile, show_profile),
    Action("/me/password", "change-password", change_password, show_profile),
    Action("/me/app", "begin-totp", begin_totp, show_profile),
    Action("/me/app/confirm", "confirm-totp", confirm_totp),
    Action("/me/app/remove", "remove-totp", remove_totp, show_profile),
    Action("/me/app/codes", "renew-recovery", renew_recovery, show_profile),
    Action("/me/passkeys/begin", "begin-passkey", begin_passkey),
    Action("/me/passkeys", "add-passkey", add_passkey, show_profile),
    Action("/me/passkeys/{key}/remove", "remove-passkey", remove_passkey, show_profile),
    Action("/me/sessions", "end-session", end_session, show_profile),
)

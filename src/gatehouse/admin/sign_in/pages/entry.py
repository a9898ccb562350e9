"""How people come in and leave: by password and a second step, or by a link that works once."""

from typing import Final

from starlette.responses import JSONResponse, Response

from gatehouse.admin.sign_in.use_cases import links, passkeys, second_steps
from gatehouse.admin.sign_in.use_cases.links import LinkKind
from gatehouse.admin.sign_in.use_cases.sessions import SignedIn, end
from gatehouse.admin.sign_in.use_cases.sign_in import SecondStep
from gatehouse.console.forms.forms import FormRefused
from gatehouse.console.pages import Action, Declarations, Page
from gatehouse.console.serving.cookies import Notice
from gatehouse.console.serving.guard import own_path
from gatehouse.console.visit import Visit
from gatehouse.core.errors import SignInRefused, TooManyAttempts


def show_sign_in(visit: Visit) -> Response:
    """The form to sign in with."""
    back = own_path(visit.form.get("next") or visit.query.get("next", "/"))
    if visit.signed_in is not None:
        return visit.redirect_to(back)
    return visit.render("sign_in/sign_in.html", next=back, passkeys=visit.passkey_place is not None)


def sign_in(visit: Visit) -> Response:
    """Sign in by password, or go on to the second step."""
    form = visit.form
    try:
        done = visit.desk.sign_in.by_password(
            form.get("login", ""), form.get("password", ""), visit.origin
        )
    except SignInRefused as refused:
        raise _refusal(visit, refused, "sign_in.wrong") from None
    return _proceed(visit, done, own_path(form.get("next", "/")))


def show_second_step(visit: Visit) -> Response:
    """The form for the code of the second step."""
    back = own_path(visit.form.get("next") or visit.query.get("next", "/"))
    if visit.signed_in is not None:
        return visit.redirect_to(back)
    if not visit.desk.cookies.ticket(visit.asked.cookies):
        return visit.redirect("sign-in")
    return visit.render(
        "sign_in/second_step.html", next=back, passkeys=visit.passkey_place is not None
    )


def take_second_step(visit: Visit) -> Response:
    """Finish signing in with a code of the app, or one for recovery."""
    ticket = visit.desk.cookies.ticket(visit.asked.cookies)
    code = visit.form["code"]
    try:
        done = second_steps.by_code(visit.desk.sign_in, ticket, code, visit.origin)
    except SignInRefused as refused:
        raise _refusal(visit, refused, "sign_in.wrong_code") from None
    return _proceed(visit, done, own_path(visit.form.get("next", "/")))


def ask_for_passkey(visit: Visit) -> Response:
    """What the browser is asked for a passkey; its script wants it as JSON."""
    place = visit.passkey_place
    if place is None:
        raise visit.refuse("", "profile.passkeys_need_name")
    step = visit.desk.cookies.ticket(visit.asked.cookies) if visit.form.get("step") else None
    asked = passkeys.begin_sign_in(visit.desk.session, place, step)
    return JSONResponse({"ticket": asked.ticket, "options": asked.options})


def sign_in_by_passkey(visit: Visit) -> Response:
    """Sign in by the passkey that the browser answered with."""
    place, form = visit.passkey_place, visit.form
    if place is None:
        raise visit.refuse("", "profile.passkeys_need_name")
    ticket, response = form.get("ticket", ""), form.get("response", "")
    try:
        done = passkeys.sign_in_by(visit.desk.sign_in, ticket, response, place, visit.origin)
    except SignInRefused as refused:
        raise _refusal(visit, refused, "sign_in.wrong_passkey") from None
    return _proceed(visit, done, own_path(form.get("next", "/")))


def show_link(visit: Visit) -> Response:
    """What a link is for. Looking does not use it up: programs that preview links do that."""
    link = links.look(visit.desk.session, visit.place("token"))
    if link is None:
        return visit.render("sign_in/link_over.html", 404)
    return visit.render("sign_in/link.html", link=link, chooses=link.kind is not LinkKind.DEMO)


def use_link(visit: Visit) -> Response:
    """Use a link up."""
    password = visit.form.get("password")
    if password is not None and password != visit.form.get("again"):
        raise visit.refuse("again", "sign_in.differ")
    try:
        done = visit.desk.sign_in.by_link(visit.place("token"), visit.origin, password)
    except TooManyAttempts as refused:
        raise _refusal(visit, refused, "") from None
    except SignInRefused:
        return visit.render("sign_in/link_over.html", 404)
    return _proceed(visit, done, "/")


def sign_out(visit: Visit) -> Response:
    """End the session of this browser."""
    end(visit.own_session, visit.visitor.user_id, visit.visitor.session_id)
    response = visit.redirect("sign-in", notice=Notice("sign_in.signed_out"))
    visit.desk.cookies.end(response)
    return response


def _proceed(visit: Visit, done: SignedIn | SecondStep, back: str) -> Response:
    cookies = visit.desk.cookies
    if isinstance(done, SecondStep):
        response = visit.redirect("sign-in-code", query={"next": back if back != "/" else None})
        cookies.keep_ticket(response, done.ticket)
        return response
    response = visit.redirect_to(back)
    cookies.keep_ticket(response, "")
    cookies.begin(response, done.token)
    return response


def _refusal(visit: Visit, refused: SignInRefused, key: str) -> FormRefused:
    if isinstance(refused, TooManyAttempts):
        return visit.refuse("", "sign_in.wait", count=refused.wait_s)
    return visit.refuse("", key)


PAGES: Final[Declarations] = (
    Page("/sign-in", "sign-in", show_sign_in, public=True),
    Action("/sign-in", "send-password", sign_in, show_sign_in, public=True),
    Page("/sign-in/code", "sign-in-code", show_second_step, public=True),
    Action("/sign-in/code", "send-code", take_second_step, show_second_step, public=True),
    Action("/sign-in/passkey/begin", "ask-for-passkey", ask_for_passkey, public=True),
    Action("/sign-in/passkey", "send-passkey", sign_in_by_passkey, show_sign_in, public=True),
    Page("/link/{token}", "link", show_link, public=True),
    Action("/link/{token}", "use-link", use_link, show_link, public=True),
    Action("/sign-out", "sign-out", sign_out),
)

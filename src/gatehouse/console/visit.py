"""One request of a person: who asks, in which account, with what, and how to answer."""

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any, Final, TypeVar
from urllib.parse import urlencode

import msgspec
from markupsafe import Markup
from starlette.responses import HTMLResponse, RedirectResponse, Response

from gatehouse.access.accounts import Account
from gatehouse.access.roles import Permission
from gatehouse.access.visitors import Visitor
from gatehouse.admin.accounts.use_cases import accounts
from gatehouse.admin.sign_in.use_cases.passkeys import PasskeyPlace
from gatehouse.admin.sign_in.use_cases.sessions import SessionOrigin
from gatehouse.console.desk import Desk
from gatehouse.console.forms.forms import FirstValues, FormRefused, SentForm, Upload, Values
from gatehouse.console.forms.typed_amounts import (
    EXAMPLE,
    AmountRefused,
    amount_form,
    read_amount,
    write_amount,
)
from gatehouse.console.navigation import navigation
from gatehouse.console.pages import Declared, Page, Reach
from gatehouse.console.serving.cookies import Cookies, Notice
from gatehouse.console.words.formats import Formats, currency_digits
from gatehouse.console.words.shipped import SHIPPED_WORDS
from gatehouse.console.words.translation import accepted_locale, translator
from gatehouse.core.errors import GatehouseError, InvalidFields
from gatehouse.core.reading.given import read_typed
from gatehouse.figures.account_columns import AccountColumns
from gatehouse.store.admin.admin_session import AdminSession

Given = TypeVar("Given", bound=msgspec.Struct)

NOWHERE: Final = "-"
"""The account of a person at work in none: no account has this id, so all are out of reach."""


class Incoming(msgspec.Struct, frozen=True, kw_only=True):
    """What came over the wire, bounded and decoded."""

    request_id: str
    method: str
    path: str
    headers: Mapping[str, str]
    cookies: Cookies
    places: Mapping[str, str] = {}
    """The parts of the path that a page names, such as its account."""
    query: Values = {}
    form: SentForm = SentForm()
    address: str | None = None
    """Where the person is, behind trusted proxies."""


class Visit:
    """What an endpoint is handed; the shell has already checked that it may run."""

    def __init__(
        self,
        desk: Desk,
        asked: Incoming,
        declared: Declared | None = None,
        *,
        visitor: Visitor | None = None,
        account: Account | None = None,
    ) -> None:
        self.desk = desk
        self.asked = asked
        self.declared = declared
        self.signed_in = visitor
        """Who is signed in; None on public pages for strangers."""
        self.account = account
        """The account of this page; None on pages that concern none."""
        self.renewed_token: str | None = None
        """What the session is to be recognised by from now on, if that changes."""
        self.problems: Mapping[str, str] = {}
        """What is wrong with the form that was sent, by field; the empty name is the whole form."""

    @property
    def visitor(self) -> Visitor:
        """Who is signed in; every page that is not public has somebody."""
        assert self.signed_in is not None, "a public page has no visitor"
        return self.signed_in

    @property
    def account_id(self) -> str:
        """The account of this page."""
        assert self.account is not None, "this page concerns no account"
        return self.account.account_id

    @cached_property
    def nearby(self) -> Account | None:
        """The account that the navigation leads to: this page's, or the one that was open last."""
        if self.account is not None or self.signed_in is None:
            return self.account
        only = next(iter(self.signed_in.roles)) if len(self.signed_in.roles) == 1 else None
        wanted = self.desk.cookies.account(self.asked.cookies) or only
        if wanted is None or self.signed_in.role_in(wanted) is None:
            return None
        try:
            acting = self.desk.session.acting_as(self.signed_in.actor(wanted))
            return accounts.get(acting, wanted).account
        except GatehouseError:
            # The page about a database that is away must not ask it.
            return None

    @cached_property
    def session(self) -> AdminSession:
        """The data, opened for the person: in this account, in all of them, or in none."""
        if self.account is not None:
            return self.desk.session.acting_as(self.visitor.actor(self.account_id))
        everywhere = self.declared is not None and self.declared.reach is Reach.INSTALLATION
        return self.desk.session.acting_as(self.visitor.actor(None if everywhere else NOWHERE))

    @property
    def opened(self) -> tuple[AdminSession, str]:
        """The data, and the account that this page is about, as every use case takes them."""
        return self.session, self.account_id

    @cached_property
    def own_session(self) -> AdminSession:
        """The data, opened for what the person changes about itself; for `admin/people` alone."""
        return self.desk.session.acting_as(self.visitor.actor(None))

    @property
    def columns(self) -> AccountColumns:
        """The decisions of this page's account in columns, for who may look at decisions."""
        self.session.actor.check_reads(self.account_id)
        return self.desk.columns.of(self.account_id)

    @property
    def origin(self) -> SessionOrigin:
        """Where the person is, as a new session remembers it."""
        agent = self.asked.headers.get("user-agent", "")
        return SessionOrigin(address=self.asked.address or "", agent=agent)

    @property
    def passkey_place(self) -> PasskeyPlace | None:
        """Where passkeys of this browser are valid; None at an address that is only a number."""
        scheme = "https" if self.desk.guard.is_secure else "http"
        place = PasskeyPlace.of(f"{scheme}://{self.asked.headers.get('host', '')}")
        return None if not place.host or ":" in place.host or place.host[-1].isdigit() else place

    @cached_property
    def query(self) -> Mapping[str, str]:
        """The first value of each name in the query."""
        return FirstValues(self.asked.query)

    @cached_property
    def form(self) -> Mapping[str, str]:
        """The first value of each field of the form."""
        return FirstValues(self.asked.form.values)

    def entered(self, name: str) -> str:
        """What was typed into a field, without the white space around it."""
        return self.form[name].strip()

    def chosen(self, name: str) -> tuple[str, ...]:
        """Every value of a field, such as of check boxes that share a name."""
        return self.asked.form.values.get(name, ())

    def given(self, kind: type[Given], **read: Any) -> Given:
        """What the form sent, as a use case takes it; or the form is shown again.

        `read` are fields that the form shows in a way of its own, and that its page has read.
        """
        try:
            return read_typed(kind, self.asked.form.values, **read)
        except InvalidFields as refused:
            wrong = {name: self.said(why[0]) for name, why in refused.fields.items()}
            raise FormRefused(wrong) from None

    def upload(self, name: str) -> Upload | None:
        """The file of a field, if one was sent."""
        return self.asked.form.files.get(name)

    def place(self, name: str) -> str:
        """A part of the path, such as the id of a decision."""
        return self.asked.places[name]

    @property
    def is_fragment(self) -> bool:
        """Whether htmx asks for a part of the page."""
        headers = self.asked.headers
        return headers.get("hx-request") == "true" and headers.get("hx-request-type") != "full"

    @cached_property
    def now_ms(self) -> int:
        """The moment of this request."""
        return self.desk.session.clock()

    def may(self, permission: Permission | str, account_id: str | None = None) -> bool:
        """Whether the person may do this, in the account of this page unless another is named."""
        if self.signed_in is None:
            return False
        where = account_id or (self.account.account_id if self.account else NOWHERE)
        return self.signed_in.may(Permission(permission), where)

    def role(self, account_id: str) -> str:
        """What the person's role in an account is called."""
        role, made = self.visitor.role_in(account_id), self.visitor.composed.get(account_id)
        if made is not None and made.role_id == role:
            return made.name
        return self.built_in_role(role or "")

    def built_in_role(self, role: str) -> str:
        """What a role of every account is called; of another, its id."""
        key = f"common.roles.{role}"
        return self.text(key) if key in translator(self.locale) else role

    def can_open(self, name: str) -> bool:
        """Whether this installation has such a page of the account, and the person may open it."""
        page = self.page(name)
        if page is None or page.permission is None or self.signed_in is None:
            return False
        where = self.account.account_id if self.account else NOWHERE
        return page.is_for(self.signed_in.permissions_in(where))

    def page(self, name: str) -> Page | None:
        """The page of that name, if this installation has it."""
        return self.desk.page(name)

    def pages_of_groups(self) -> Mapping[str, Sequence[str]]:
        """The names of pages that say in which group of the navigation they stand."""
        return self.desk.grouped

    @cached_property
    def locale(self) -> str:
        """The locale of the person, or what the browser of a stranger likes best."""
        if self.signed_in is not None:
            return self.signed_in.locale
        return accepted_locale(self.asked.headers.get("accept-language", ""))

    @property
    def language(self) -> str:
        """The language of the page."""
        return translator(self.locale).language

    @cached_property
    def theme(self) -> str:
        """The theme that was chosen in this browser."""
        return self.desk.cookies.preference(self.asked.cookies, "theme")

    @property
    def density(self) -> str:
        """How close the rows of tables stand, as it was chosen in this browser."""
        return self.desk.cookies.preference(self.asked.cookies, "density")

    @property
    def path(self) -> str:
        """What was asked for."""
        return self.asked.path

    @property
    def here(self) -> str:
        """The path of this page, where a choice such as the theme leads back to."""
        return self.asked.path if self.asked.method == "GET" else "/"

    @property
    def is_sandbox(self) -> bool:
        """Whether no real card and no real money is here."""
        return not self.desk.settings.is_production

    def text(self, key: str, /, **values: object) -> str:
        """A text in the person's language."""
        return translator(self.locale).text(key, **values)

    def called(self, kind: str, name: str) -> str:
        """What something is called that has a name of its own, such as an action of the log."""
        key = f"names.{kind}.{name}"
        return self.text(key) if key in translator(self.locale) else name

    def function(self, name: str) -> str:
        """What a function is called, by the name of its stage, its operation or its fee."""
        key = f"names.functions.{name.lower().replace('_', '')}"
        return self.text(key) if key in translator(self.locale) else name

    def functions(self, names: Iterable[str]) -> str:
        """What several functions are called."""
        return ", ".join(map(self.function, names))

    def said(self, text: str) -> str:
        """What another room says, in the person's language as far as it is known there."""
        return translator(self.locale).said(SHIPPED_WORDS.get(text, text))

    @cached_property
    def formats(self) -> Formats:
        """Writes times, numbers and money as the person is used to."""
        zone = "UTC" if self.signed_in is None else self.signed_in.time_zone
        return Formats(translator(self.locale).locale, zone)

    def time(self, at_ms: int | None, style: str = "medium") -> Markup:
        """A moment in the person's zone, as an element."""
        return self.formats.time(at_ms, style)

    def ago(self, at_ms: int) -> Markup:
        """How long ago a moment was, as an element."""
        return self.formats.ago(at_ms, self.now_ms)

    def number(self, value: float, digits: int = 2) -> str:
        """A number as the person's locale writes it."""
        return self.formats.number(value, digits)

    def money(self, micros: int, currency: str | None = None) -> str:
        """An amount in millionths, in the account's currency unless another is named."""
        if currency is None:
            assert self.account is not None, "name the currency"
            currency = self.account.currency
        return self.formats.money(micros, currency)

    def read_amount(self, field: str, typed: str, currency: str | None = None) -> int:
        """The millionths that were typed into a field, as the person's locale writes amounts."""
        if currency is None:
            assert self.account is not None, "name the currency"
            currency = self.account.currency
        form = amount_form(translator(self.locale).locale)
        try:
            return read_amount(typed, form, currency_digits(currency))
        except AmountRefused as refused:
            raise self.refuse(field, f"common.amounts.{refused.key}", **refused.values) from None

    def amount_to_type(self, micros: int) -> str:
        """An amount as the person would type it, for the fields of forms."""
        return write_amount(micros, amount_form(translator(self.locale).locale))

    @property
    def example_amount(self) -> str:
        """An amount that shows how the person's locale writes them."""
        return write_amount(EXAMPLE, amount_form(translator(self.locale).locale), grouped=True)

    def url(self, name: str, query: Mapping[str, object] | None = None, **places: str) -> str:
        """The address of a page; its account is this page's unless another is named."""
        if self.account is not None:
            places.setdefault("account", self.account.account_id)
        path = self.desk.path_of(name, places)
        kept = {key: value for key, value in (query or {}).items() if value not in (None, "")}
        return f"{path}?{urlencode(kept, doseq=True)}" if kept else path

    def render(self, template: str, status: int = 200, **values: Any) -> Response:
        """A template as an answer; refused forms get the status that says so."""
        shown = 422 if self.problems and status == 200 else status
        page = self.desk.renderer.render(template, self._usual() | values)
        response = HTMLResponse(page, shown)
        if self.notice is not None and not self.is_fragment:
            self.desk.cookies.leave_notice(response, None)
        if self.account is not None and not self.is_fragment:
            self.desk.cookies.note_account(response, self.asked.cookies, self.account_id)
        return response

    def _usual(self) -> dict[str, Any]:
        """What every page may use: texts, addresses, permissions and formats."""
        named = ("url", "may", "time", "ago", "number", "money", "called", "function")
        formats = {name: getattr(self.formats, name) for name in ("percent", "minor_money", "span")}
        own = {name: getattr(self, name) for name in named}
        return {"visit": self, "t": self.text, "navigation": navigation(self)} | own | formats

    @cached_property
    def notice(self) -> tuple[str, str] | None:
        """What the page before left to be said, as a kind and a text; of our own texts alone."""
        left = self.desk.cookies.notice(self.asked.cookies)
        if left is None:
            return None
        try:
            return left.kind, self.text(left.key, **left.values)
        except (KeyError, AssertionError):
            # A cookie is what a browser says; nothing of it may break a page.
            return None

    def redirect(
        self,
        name: str,
        *,
        notice: str | Notice | None = None,
        query: Mapping[str, object] | None = None,
        **places: str,
    ) -> Response:
        """Lead to another page, which says the notice once."""
        return self.redirect_to(self.url(name, query, **places), notice)

    def redirect_to(self, path: str, notice: str | Notice | None = None) -> Response:
        """Lead to a path of the console."""
        response: Response
        if self.is_fragment:
            response = Response(headers={"HX-Redirect": path})
        else:
            response = RedirectResponse(path, 303)
        if notice is not None:
            left = Notice(notice) if isinstance(notice, str) else notice
            self.desk.cookies.leave_notice(response, left)
        return response

    def sent_to(self, action: str | None) -> bool:
        """Whether the form of this address was sent; None stands for the only form of a page."""
        return action is None or action == self.asked.path

    def problem_of(self, field: str, action: str | None = None) -> str | None:
        """What is wrong with a field of the form that was sent."""
        return self.problems.get(field) if self.sent_to(action) else None

    def typed(self, field: str, value: object, action: str | None = None) -> object:
        """What was typed into a field, if its form is shown again; its value otherwise."""
        return self.form.get(field, value) if self.sent_to(action) else value

    def refuse(self, field: str, key: str, /, **values: object) -> FormRefused:
        """What to raise when a field cannot be used: its form is shown again with this text."""
        return FormRefused({field: self.text(key, **values)})

"""What all visits share: the data, the settings, the templates, the pages, and the sessions."""

import re
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Final
from urllib.parse import quote

from starlette.types import Scope

from gatehouse.access.addresses import shown_address
from gatehouse.admin.pipelines.pages.api_calls import ApiCaller
from gatehouse.admin.sign_in.use_cases.oidc import SingleSignOn
from gatehouse.admin.sign_in.use_cases.sign_in import SignIn
from gatehouse.admin.usage.use_cases import sender_days
from gatehouse.console.pages import Declared, Page
from gatehouse.console.rendering import Renderer
from gatehouse.console.serving.browser_sessions import BrowserSessions, StoredSessions
from gatehouse.console.serving.cookies import CookieJar
from gatehouse.console.serving.guard import OriginGuard
from gatehouse.figures.copies import ColumnCopies
from gatehouse.settings.settings import Settings
from gatehouse.store.accounts.ledger_days import LedgerDays

_PLACE: Final = re.compile(r"\{([a-z_]+)(?::[a-z]+)?\}")


class Desk:
    """The shared parts of the console."""

    def __init__(
        self,
        sign_in: SignIn,
        settings: Settings,
        declared: Sequence[Declared],
        sessions: BrowserSessions | None = None,
    ) -> None:
        self.sign_in: Final = sign_in
        self.session: Final = sign_in.session
        self.sessions: Final = sessions or StoredSessions(sign_in)
        self.settings: Final = settings
        self.declared: Final = tuple(
            each for each in declared if not (each.sandbox_only and settings.is_production)
        )
        self.guard: Final = OriginGuard(
            settings.effective_console_url, configured=bool(settings.console_url)
        )
        self.cookies: Final = CookieJar(secure=self.guard.is_secure)
        self.renderer: Final = Renderer()
        self.ledger_days: Final = LedgerDays()
        self.sender_days: Final = sender_days()
        self._by_name = {each.name: each for each in self.declared}
        assert len(self._by_name) == len(self.declared), "two pages have one name"
        self.grouped: Final[dict[str, list[str]]] = {}
        for each in self.declared:
            if isinstance(each, Page) and each.group is not None:
                self.grouped.setdefault(each.group, []).append(each.name)

    @cached_property
    def single_sign_on(self) -> SingleSignOn | None:
        """The way in by a provider, if one is set."""
        if not self.settings.oidc_issuer:
            return None
        return SingleSignOn(self.sign_in, self.settings)

    @cached_property
    def columns(self) -> ColumnCopies:
        """The copies of decisions that figures are counted on, followed from the first use on."""
        made = ColumnCopies(self.session, self.settings.home)
        made.start()
        return made

    @cached_property
    def api(self) -> ApiCaller:
        """Calls the API, where the settings say that it is."""
        return ApiCaller(self.settings.api_url or self.settings.base_url)

    def close(self) -> None:
        """Stop what runs beside the pages."""
        if "columns" in self.__dict__:
            self.columns.close()

    def address_of(self, scope: Scope) -> str | None:
        """Where a request came from, behind trusted proxies."""
        peer = scope["client"][0] if scope.get("client") else ""
        return shown_address(peer, scope["headers"], self.settings.trusted_proxies)

    def page(self, name: str) -> Page | None:
        """The page of that name, if there is one."""
        found = self._by_name.get(name)
        return found if isinstance(found, Page) else None

    def path_of(self, name: str, places: Mapping[str, str]) -> str:
        """The path of a page or an action, with the parts that it wants filled in."""
        path = self._by_name[name].path
        return _PLACE.sub(lambda match: quote(places[match[1]], safe=""), path)

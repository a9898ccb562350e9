"""The cookies of the console: the session, what this browser chose, and a notice to show once."""

from collections.abc import Mapping
from typing import Final

import msgspec
from starlette.responses import Response

from gatehouse.core.errors import InvalidInput
from gatehouse.core.wording.sentences import Phrase

_CHOICE_SAID: Final = Phrase("refused.preference", "{name} is one of: {known}")

PREFERENCES: Final = {
    "theme": ("system", "light", "dark"),
    "density": ("compact", "comfortable"),
}
"""What a person chooses for this browser; the first of each is what holds before."""
NOTICE_KINDS: Final = ("done", "hint", "warn", "problem")
_NOTICE: Final = "gatehouse-notice"
_ACCOUNT: Final = "gatehouse-account"
_YEAR_S: Final = 365 * 86_400
_NOTICE_S: Final = 60
_REVEALED: Final = "gatehouse-revealed"
_TICKET: Final = "gatehouse-step"
_TICKET_S: Final = 600
_STATE: Final = "gatehouse-elsewhere"
_LONGEST_STATE: Final = 2000
_LONGEST_NOTICE: Final = 1500

Cookies = Mapping[str, str]


def read_cookies(header: str) -> Cookies:
    """The cookies that a browser sent, by name.

    Escapes within quotes are left as they are: no value of ours has any, and some versions of
    Python take half a second to read a header full of them.
    """
    pairs = (part.partition("=") for part in header.split(";"))
    return {name.strip(): value.strip().strip('"') for name, _, value in pairs}


class Notice(msgspec.Struct, frozen=True):
    """What a page says once, after something was done."""

    key: str
    values: dict[str, str | int] = {}
    kind: str = "done"
    """One of `NOTICE_KINDS`."""


class CookieJar:
    """Reads and sets cookies; over HTTPS those to sign in can only come from this very host."""

    def __init__(self, *, secure: bool) -> None:
        self._secure = secure
        self.session_name: Final = "__Host-gatehouse" if secure else "gatehouse-session"
        prefix = "__Host-" if secure else ""
        self._ticket, self._state = prefix + _TICKET, prefix + _STATE

    def token(self, cookies: Cookies) -> str | None:
        """The token of the session, if the browser sent one."""
        token = cookies.get(self.session_name)
        return token if token and len(token) <= 200 else None

    def begin(self, response: Response, token: str) -> None:
        """Let the browser keep a session until it is closed; the server ends it earlier."""
        # Lax, not Strict: a person who comes from a mail or from single sign-on stays signed in.
        self._set(response, self.session_name, token, None, "lax")

    def end(self, response: Response) -> None:
        """Let the browser forget its session."""
        self._set(response, self.session_name, "", 0, "lax")

    def ticket(self, cookies: Cookies) -> str:
        """The ticket of a sign-in that waits for its second step."""
        return cookies.get(self._ticket, "")[:200]

    def keep_ticket(self, response: Response, ticket: str) -> None:
        """Remember the ticket of the second step; an empty one is forgotten."""
        self._set(response, self._ticket, ticket, _TICKET_S if ticket else 0, "strict")

    def state(self, cookies: Cookies) -> str:
        """What binds an answer of the single sign-on to this browser."""
        return cookies.get(self._state, "")[:_LONGEST_STATE]

    def keep_state(self, response: Response, state: str) -> None:
        """Remember it until the browser comes back; an empty one is forgotten."""
        # Lax: the browser comes back from another site.
        self._set(response, self._state, state, _TICKET_S if state else 0, "lax")

    def preference(self, cookies: Cookies, name: str) -> str:
        """What was chosen in this browser, such as its theme."""
        chosen = cookies.get(f"gatehouse-{name}", "")
        return chosen if chosen in PREFERENCES[name] else PREFERENCES[name][0]

    def prefer(self, response: Response, name: str, chosen: str) -> None:
        """Remember what was chosen."""
        known = PREFERENCES[name]
        if chosen not in known:
            raise InvalidInput(_CHOICE_SAID(name=name, known=", ".join(known)))
        self._set(response, f"gatehouse-{name}", chosen, _YEAR_S, "strict")

    def revealed(self, cookies: Cookies) -> str:
        """What says which cases this session has revealed; only the server can read it."""
        return cookies.get(_REVEALED, "")

    def keep_revealed(self, response: Response, token: str) -> None:
        """Remember it until the browser is closed."""
        self._set(response, _REVEALED, token, None, "lax")

    def account(self, cookies: Cookies) -> str | None:
        """The account that was open last in this browser."""
        return cookies.get(_ACCOUNT) or None

    def note_account(self, response: Response, cookies: Cookies, account_id: str) -> None:
        """Remember the account that is open."""
        if cookies.get(_ACCOUNT) != account_id:
            self._set(response, _ACCOUNT, account_id, None, "lax")

    def notice(self, cookies: Cookies) -> Notice | None:
        """The notice that waits to be shown, if it can be read."""
        given = cookies.get(_NOTICE, "")
        if not given or len(given) > _LONGEST_NOTICE:
            return None
        try:
            left = msgspec.json.decode(bytes.fromhex(given), type=Notice)
        except (ValueError, msgspec.MsgspecError):
            return None
        return left if left.kind in NOTICE_KINDS else None

    def leave_notice(self, response: Response, notice: Notice | None) -> None:
        """Let the next page show a notice; None takes away the one that was shown."""
        value = "" if notice is None else msgspec.json.encode(notice).hex()
        if len(value) <= _LONGEST_NOTICE:
            self._set(response, _NOTICE, value, _NOTICE_S if value else 0, "lax")

    def _set(
        self, response: Response, name: str, value: str, seconds: int | None, same_site: str
    ) -> None:
        response.set_cookie(
            name,
            value,
            max_age=seconds,
            path="/",
            secure=self._secure,
            httponly=True,
            samesite="strict" if same_site == "strict" else "lax",
        )

"""Calls of the API that the playground makes, with a key that nobody sees and that soon ends."""

import http.client
import threading
import urllib.error
import urllib.request
from typing import Any, Final, NamedTuple

import msgspec

from gatehouse.admin.keys.use_cases import issue_for_playground
from gatehouse.core.errors import ConnectorFailed
from gatehouse.core.wording.sentences import Phrase
from gatehouse.store.admin.admin_session import AdminSession

_API_SILENT: Final = Phrase("refused.api_silent", "no answer from {address}: {reason}")

SCOPES: Final = ("precheck", "idverify", "sentry", "pipeline")
LIFETIME_MS: Final = 15 * 60_000
_LEFT_MS: Final = 60_000
"""A key that ends sooner is not used any more."""
_TIMEOUT_S: Final = 25.0
_LARGEST: Final = 1_048_576
_REFUSED: Final = 401


class ApiAnswer(NamedTuple):
    """What the API answered."""

    status: int
    body: Any
    """As it was read from JSON; a text if it was none."""


class _Key(NamedTuple):
    text: str
    ends_ms: int

    def __repr__(self) -> str:
        return "_Key(...)"


class _NothingElse(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: Any, **__: Any) -> None:
        return None


class ApiCaller:
    """Calls the API for people in the console, each account with a key of its own."""

    def __init__(self, base_url: str) -> None:
        self.base_url: Final = base_url
        self._keys: dict[str, _Key] = {}
        self._lock = threading.Lock()
        # The address is the operator's own, so no proxy stands between.
        handlers = (_NothingElse, urllib.request.ProxyHandler({}))
        self._opener = urllib.request.build_opener(*handlers)

    def post(self, session: AdminSession, account_id: str, path: str, body: bytes) -> ApiAnswer:
        """Send a request; `ConnectorFailed` when no server answers."""
        answer = self._send(path, body, self._key(session, account_id))
        if answer.status != _REFUSED:
            return answer
        # Somebody has revoked the key.
        with self._lock:
            self._keys.pop(account_id, None)
        return self._send(path, body, self._key(session, account_id))

    def _key(self, session: AdminSession, account_id: str) -> _Key:
        """The account's key; another one is issued when it is about to end."""
        with self._lock:
            now_ms = session.clock()
            kept = self._keys.get(account_id)
            if kept is not None and kept.ends_ms - _LEFT_MS > now_ms:
                return kept
            issued = issue_for_playground(session, account_id, SCOPES, LIFETIME_MS)
            made = self._keys[account_id] = _Key(issued.text, now_ms + LIFETIME_MS)
            return made

    def _send(self, path: str, body: bytes, key: _Key) -> ApiAnswer:
        headers = {"X-API-KEY": key.text, "Content-Type": "application/json"}
        url = f"{self.base_url}{path}"
        request = urllib.request.Request(url, data=body, headers=headers)  # noqa: S310  # settings
        try:
            with self._opener.open(request, timeout=_TIMEOUT_S) as answer:
                return ApiAnswer(answer.status, _read(answer))
        except urllib.error.HTTPError as refused:
            with refused:
                return ApiAnswer(refused.code, _read(refused))
        except (OSError, http.client.HTTPException) as error:
            reason = getattr(error, "reason", error)
            raise ConnectorFailed(_API_SILENT(address=self.base_url, reason=reason)) from None


def _read(answer: Any) -> Any:
    content = answer.read(_LARGEST)
    try:
        return msgspec.json.decode(content)
    except msgspec.DecodeError:
        return content[:2000].decode("utf-8", "replace")

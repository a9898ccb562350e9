"""One call and its answer, without any input or output: both clients are made of this.

A `Call` says what is asked. An `Exchange` follows it through its attempts: it gives the request to
send, and for each answer or failure either the result, how long to wait, or an error.
"""

import random
import re
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from email.utils import parsedate_to_datetime
from enum import Enum
from typing import Any, Final, Generic, TypedDict, TypeVar
from urllib.parse import quote, urlencode

import msgspec

from gatehouse_client.errors import (
    ApiError,
    ConnectionFailed,
    Refusal,
    TimedOut,
    UnreadableAnswer,
    error_class,
)
from gatehouse_client.events import typed
from gatehouse_client.models import Billing, Errors, FieldWarning, Money

T = TypeVar("T")
LONGEST_WAIT_S: Final = 30.0
"""A server that asks for more patience than this is not asked again."""
_FIRST_WAIT_S: Final = 0.5
_LONGEST_BACKOFF_S: Final = 8.0
_WORTH_REPEATING: Final = frozenset({408, 429, 500, 502, 503, 504})
_NOTHING_DONE: Final = frozenset({408, 429})
"""The server says that it did nothing, so that anything may be sent again."""
_TRACE_ID: Final = re.compile("[!-~]{1,128}")
_HEADER_NAME: Final = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]{1,64}")
_HEADER_VALUE: Final = re.compile("[ -~]{0,4096}")
_CLIENTS_HEADERS: Final = frozenset(
    (
        *("accept", "content-length", "content-type", "cookie", "host", "idempotency-key"),
        *("if-match", "if-none-match", "prefer", "user-agent", "x-api-key", "x-request-id"),
    )
)
_ENCODER: Final = msgspec.json.Encoder(decimal_format="number")
_ENVELOPE: Final = msgspec.json.Decoder(dict[str, msgspec.Raw])


class Repeat(Enum):
    """Whether a request may be sent again when nobody knows if it was processed."""

    HARMLESS = "it changes nothing, or the same thing"
    KEYED = "an idempotency key makes it safe"
    NEVER = "it would be done twice"


class CallOptions(TypedDict, total=False):
    """How one call differs from the others of its client."""

    timeout_s: float
    """How long one attempt may take."""
    max_retries: int
    strict: bool
    """Whether fields that nothing reads are errors."""
    trace_id: str
    """Your own trace id, sent as `X-Request-Id`: 1 to 128 visible ASCII characters."""
    headers: Mapping[str, str]
    """More headers, such as `traceparent`; those that the client fills in itself are refused."""


@dataclass(frozen=True, kw_only=True)
class Call(Generic[T]):
    """What is asked of the server, and what it answers with."""

    method: str
    path: str
    answer: type[T]
    named: str
    """The field of the envelope that holds the answer."""
    repeat: Repeat
    path_values: Mapping[str, Any] = field(default_factory=dict)
    query: Mapping[str, Any] = field(default_factory=dict)
    headers: Mapping[str, str | None] = field(default_factory=dict)
    body: msgspec.Struct | None = field(default=None, repr=False)
    idempotency_key: str | None = None
    extra_wait_s: float = 0
    """How much longer than usual an answer may take."""
    options: CallOptions = field(default_factory=CallOptions)


@dataclass(frozen=True, kw_only=True)
class Answer(Generic[T]):
    """The result of a call, with what the server says about every request."""

    result: T
    request_id: str
    """The server's id of the request, which names the decision."""
    billing: Billing
    warnings: tuple[FieldWarning, ...] = ()
    """Fields that nothing reads."""
    is_replay: bool = False
    """Whether this is the answer to an earlier request with the same idempotency key."""
    etag: str | None = None
    """The version that the answer shows, for `if_match`."""
    headers: Mapping[str, str] = field(default_factory=dict, repr=False, compare=False)
    """The headers of the answer, with names in lower case, such as `ratelimit-remaining`."""

    @property
    def remaining_balance(self) -> Money:
        """What can still be spent."""
        return self.billing.remaining_balance


@dataclass(frozen=True, kw_only=True)
class Options:
    """How calls are made."""

    api_key: str = field(repr=False)
    base_url: str
    timeout_s: float
    max_retries: int
    strict: bool
    """Whether fields that nothing reads are errors."""
    user_agent: str

    def for_call(self, own: CallOptions) -> "Options":
        """The same with what one call has of its own."""
        if unknown := own.keys() - CallOptions.__annotations__.keys():
            raise TypeError(f"no such option of a call: {', '.join(sorted(unknown))}")
        return replace(
            self,
            timeout_s=positive(own.get("timeout_s", self.timeout_s)),
            max_retries=max(0, own.get("max_retries", self.max_retries)),
            strict=own.get("strict", self.strict),
        )


def positive(timeout_s: float) -> float:
    """A time limit that ends."""
    if not timeout_s > 0:
        raise ValueError("timeout_s must be more than 0")
    return timeout_s


@dataclass(frozen=True, kw_only=True)
class WireRequest:
    """What goes to the server."""

    method: str
    url: str
    headers: dict[str, str] = field(repr=False)
    content: bytes | None = field(repr=False)
    timeout_s: float


@dataclass(frozen=True)
class Wait:
    """The request is to be sent again, after this time."""

    seconds: float


class Exchange(Generic[T]):
    """One call, from its first attempt to its last."""

    def __init__(
        self, call: Call[T], options: Options, rand: Callable[[], float] = random.random
    ) -> None:
        self._call, self._options, self._random = call, options.for_call(call.options), rand
        self._attempts = 0
        self._trace_id = _trace_id(call.options.get("trace_id"))
        keyed = call.repeat is Repeat.KEYED
        self._key = (call.idempotency_key or uuid.uuid4().hex) if keyed else None
        self.request = self._build()

    def _build(self) -> WireRequest:
        call, options = self._call, self._options
        names = {name: _segment(name, value) for name, value in call.path_values.items()}
        url = options.base_url + call.path.format(**names)
        if query := {k: _as_text(v) for k, v in call.query.items() if v is not None}:
            url += "?" + urlencode(query)
        headers = {
            **_own_headers(call.options.get("headers", {})),
            "X-API-KEY": options.api_key,
            "Accept": "application/json",
            "User-Agent": options.user_agent,
            "X-Request-Id": self._trace_id,
            **{name: value for name, value in call.headers.items() if value is not None},
        }
        if self._key is not None:
            headers["Idempotency-Key"] = self._key
        content = None if call.body is None else _ENCODER.encode(call.body)
        if content is not None:
            headers["Content-Type"] = "application/json"
            if options.strict:
                headers["Prefer"] = "handling=strict"
        return WireRequest(
            method=call.method,
            url=url,
            headers=headers,
            content=content,
            timeout_s=options.timeout_s + call.extra_wait_s,
        )

    def failed(self, *, sent: bool, timed_out: bool) -> Wait:
        """No answer came. `sent` is false only if the server cannot have received the request."""
        if self._may_repeat(nothing_done=not sent):
            return self._wait(None)
        kind = TimedOut if timed_out else ConnectionFailed
        reason = "did not answer in time" if timed_out else "cannot be reached"
        if sent and not timed_out:
            reason = "closed the connection before it answered"
        raise kind(f"{self._options.base_url} {reason}", **self._about())

    def received(self, status: int, headers: Mapping[str, str], body: bytes) -> Answer[T] | Wait:
        """An answer came."""
        try:
            envelope = _ENVELOPE.decode(body)
            if msgspec.json.decode(envelope["isSuccess"], type=bool):
                return self._read(envelope, headers)
        except (msgspec.MsgspecError, KeyError, UnicodeDecodeError):
            envelope = {}
        return self._refused(status, headers, envelope)

    def _read(self, envelope: Mapping[str, msgspec.Raw], headers: Mapping[str, str]) -> Answer[T]:
        return Answer(
            result=typed(msgspec.json.decode(envelope[self._call.named], type=self._call.answer)),
            request_id=msgspec.json.decode(envelope["requestId"], type=str),
            billing=msgspec.json.decode(envelope["billing"], type=Billing),
            warnings=msgspec.json.decode(
                envelope.get("warnings", b"[]"), type=tuple[FieldWarning, ...]
            ),
            is_replay=headers.get("Idempotent-Replayed") == "true",
            etag=headers.get("ETag"),
            headers=_kept(headers),
        )

    def _refused(
        self, status: int, headers: Mapping[str, str], envelope: Mapping[str, msgspec.Raw]
    ) -> Wait:
        error = self._error(status, headers, envelope)
        retry_after_s = _retry_after(headers)
        in_flight = isinstance(error, ApiError) and error.code == "idempotency_in_flight"
        if (status in _WORTH_REPEATING or in_flight) and (
            self._may_repeat(nothing_done=status in _NOTHING_DONE)
            and (retry_after_s is None or retry_after_s <= LONGEST_WAIT_S)
        ):
            return self._wait(retry_after_s)
        raise error

    def _error(
        self, status: int, headers: Mapping[str, str], envelope: Mapping[str, msgspec.Raw]
    ) -> ApiError | UnreadableAnswer:
        try:
            errors = msgspec.json.decode(envelope["errors"], type=Errors)
            billing = msgspec.json.decode(envelope["billing"], type=Billing | None)
            request_id = msgspec.json.decode(envelope["requestId"], type=str)
        except (msgspec.MsgspecError, KeyError):
            told = f"HTTP {status} without an answer of Gatehouse from {self._options.base_url}"
            return UnreadableAnswer(told, status=status, **self._about(headers))
        refusal = Refusal(status, errors.code, _retry_after(headers))
        refusal.request_id = request_id
        refusal.field_errors = errors.field_errors
        refusal.global_errors = errors.global_errors
        refusal.remaining_balance = None if billing is None else billing.remaining_balance
        details = [f"{path}: {', '.join(told)}" for path, told in errors.field_errors.items()]
        lines = dict.fromkeys([errors.message, *errors.global_errors, *details])
        message = f"{' '.join(lines)} ({errors.code}, {request_id})"
        return error_class(status, errors.code)(message, refusal=refusal, **self._about(headers))

    def _about(self, headers: Mapping[str, str] | None = None) -> dict[str, Any]:
        about = {"trace_id": self._trace_id, "idempotency_key": self._key}
        return {**about, "headers": _kept(headers or {})}

    def _may_repeat(self, *, nothing_done: bool) -> bool:
        allowed = nothing_done or self._call.repeat is not Repeat.NEVER
        return allowed and self._attempts < self._options.max_retries

    def _wait(self, retry_after_s: float | None) -> Wait:
        backoff_s = min(_LONGEST_BACKOFF_S, _FIRST_WAIT_S * 2**self._attempts)
        self._attempts += 1
        jittered_s = backoff_s * (0.5 + self._random() / 2)
        # Clients that were sent away together must not come back together.
        return Wait(jittered_s if retry_after_s is None else retry_after_s + jittered_s / 4)


def _kept(headers: Mapping[str, str]) -> dict[str, str]:
    """Headers of an answer as they are shown to callers."""
    return {name.lower(): value for name, value in headers.items()}


def _trace_id(given: str | None) -> str:
    if given is None:
        return uuid.uuid4().hex
    if not _TRACE_ID.fullmatch(given):
        raise ValueError("trace_id must have 1 to 128 visible ASCII characters")
    return given


def _own_headers(given: Mapping[str, str]) -> Mapping[str, str]:
    for name, value in given.items():
        if not _HEADER_NAME.fullmatch(name) or not _HEADER_VALUE.fullmatch(value):
            raise ValueError(f"headers: {name!r} cannot be sent")
        if name.lower() in _CLIENTS_HEADERS:
            raise ValueError(f"headers: the client fills in {name} itself")
    return given


def _segment(name: str, value: Any) -> str:
    """A part of a path. One that is empty, or of dots alone, would make another path of it."""
    if str(value) in ("", ".", ".."):
        raise ValueError(f"{name} is missing")
    return quote(str(value), safe="")


def _as_text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, tuple)):
        return ",".join(map(_as_text, value))
    return value.isoformat() if hasattr(value, "isoformat") else str(value)


def _retry_after(headers: Mapping[str, str]) -> float | None:
    """The seconds that the server asks to wait; it may name a moment instead."""
    text = headers.get("Retry-After", "")
    if text.isascii() and text.isdigit():
        return float(text[:9])
    try:
        moment = parsedate_to_datetime(text)
        now = parsedate_to_datetime(headers.get("Date", ""))
        return max(0.0, (moment - now).total_seconds())
    except (TypeError, ValueError):
        return None

"""Every way a request can be refused: one table of codes, and the exception that carries one.

docs/errors.md is generated from this table.
"""

from collections.abc import Iterable
from typing import Final

import msgspec

from gatehouse.core.errors import RequestRefused
from gatehouse.core.reading.unread_fields import FieldWarning


class Code(msgspec.Struct, frozen=True):
    """One machine-readable error code."""

    status: int
    message: str
    remedy: str


CODES: Final[dict[str, Code]] = {
    "invalid_request": Code(
        200,
        "The request has invalid fields.",
        "Correct the fields in `fieldErrors`, which lists all errors, and send the request again.",
    ),
    "malformed_body": Code(
        400,
        "The body is not a JSON object.",
        "Send one JSON object in UTF-8. NaN and Infinity are not JSON.",
    ),
    "malformed_http": Code(
        400, "This is not an HTTP request that can be read.", "Send well-formed HTTP/1.1."
    ),
    "invalid_idempotency_key": Code(
        400,
        "The Idempotency-Key cannot be used.",
        "Send 1 to 255 visible ASCII characters, for example a UUID.",
    ),
    "missing_key": Code(401, "An API key is required.", "Send the key in the `X-API-KEY` header."),
    "invalid_key": Code(
        401,
        "The API key is not valid.",
        "Check the key. It may be unknown, expired or revoked; the answer does not tell which.",
    ),
    "invalid_signature": Code(
        401,
        "The notification is not signed as its connector wants it.",
        "Sign the body as it is sent, with a key that the connector's configuration names and a "
        "clock that is right.",
    ),
    "insufficient_balance": Code(
        402,
        "The balance does not cover the fees of this request.",
        "Top the account up and send the request again. Nothing ran, nothing was charged.",
    ),
    "wrong_environment": Code(
        403,
        "The API key belongs to the other environment.",
        "Use a `gh_sandbox_` key with the sandbox and a `gh_live_` key with production.",
    ),
    "account_closed": Code(
        403,
        "The account is closed.",
        "Nothing ran, nothing was charged. Ask the operator, who can open the account again.",
    ),
    "scope_not_allowed": Code(
        403, "The API key is not for this operation.", "Use a key whose scopes include it."
    ),
    "network_not_allowed": Code(
        403,
        "The API key may not be used from this address.",
        "Call from one of the key's networks, or have them changed.",
    ),
    "browser_call": Code(
        403,
        "Calls from browsers are refused.",
        "Call from your backend. Anyone can read a key that is used in a browser.",
    ),
    "insecure_transport": Code(
        403,
        "Card data must not travel over plain HTTP.",
        "Use HTTPS, or let a trusted proxy terminate it and say so.",
    ),
    "not_found": Code(
        404,
        "There is nothing of this account at this address, or by this name.",
        "Check the path, the id or the name; `globalErrors` says which of them.",
    ),
    "method_not_allowed": Code(
        405, "This method is not allowed here.", "Use a method of the `Allow` header."
    ),
    "body_timeout": Code(
        408, "The body did not arrive in time.", "Send the whole body without long pauses."
    ),
    "idempotency_in_flight": Code(
        409,
        "A request with this Idempotency-Key is still in flight.",
        "Wait a moment and repeat the same request.",
    ),
    "already_resolved": Code(
        409,
        "The review was resolved already.",
        "Read the review to see what was found; what was found wrongly can be corrected.",
    ),
    "not_resolved": Code(
        409,
        "The review is open, so there is nothing to correct.",
        "Resolve it.",
    ),
    "not_undone": Code(
        409,
        "The resolution cannot be undone: it is too old, somebody else's, or about a payment.",
        "Correct it.",
    ),
    "already_assigned": Code(
        409,
        "Somebody else has the review.",
        "Leave it to them, or send `takeOver`.",
    ),
    "conflict": Code(
        409,
        "The change contradicts what is there already.",
        "Read what is there; `globalErrors` says what contradicts.",
    ),
    "precondition_failed": Code(
        412,
        "Another version is in force than the one that you saw.",
        "Read it, make your change to it, and send its `ETag` in `If-Match`.",
    ),
    "body_too_large": Code(
        413,
        "The body is too large.",
        "Send at most what `globalErrors` says: usually 64 KiB, for Sentry and Pipeline 256 KiB.",
    ),
    "unsupported_media_type": Code(
        415,
        "The body must be application/json, as it is or compressed with gzip.",
        "Send `Content-Type: application/json`, and no other `Content-Encoding` than `gzip`.",
    ),
    "idempotency_key_reused": Code(
        422,
        "This Idempotency-Key was used before with another body.",
        "Use a new key for a new request.",
    ),
    "precondition_required": Code(
        428,
        "There is a version already, and the request does not say that you saw it.",
        "Read it and send its `ETag` in `If-Match`; `*` replaces whatever is in force.",
    ),
    "too_many_jobs": Code(
        429,
        "The account has too many jobs that are not finished.",
        "Wait until one ends, or cancel one.",
    ),
    "rate_limited": Code(
        429, "Too many requests.", "Wait the seconds in `Retry-After`, then go slower."
    ),
    "card_enumeration": Code(
        429,
        "Too many different card numbers with the same BIN and last four digits.",
        "Nothing was looked at or changed, nothing was charged. Numbers sent before still work, "
        "until as many others were refused; then all wait the seconds in `Retry-After`. Find out "
        "who sends them: this is how cards are guessed.",
    ),
    "headers_too_large": Code(
        431, "The request's headers are too many or too large.", "Send fewer or shorter headers."
    ),
    "internal_error": Code(
        500,
        "Something went wrong on our side.",
        "Nothing was charged. Report the `requestId`; repeating may help.",
    ),
    "configuration_refused": Code(
        503,
        "What this account has configured cannot be trusted, so nothing was decided.",
        "Nothing ran, nothing was charged. Report the `requestId` to the operator, whose log says "
        "what was changed and how to put it right.",
    ),
    "overloaded": Code(503, "The service is busy.", "Repeat after the seconds in `Retry-After`."),
    "store_unavailable": Code(
        503,
        "The service cannot reach its database.",
        "Repeat after the seconds in `Retry-After`; an `Idempotency-Key` makes that safe.",
    ),
}


# Codes that only a request can get that can be repeated by its key.
REPEAT_CODES: Final = frozenset(
    {"invalid_idempotency_key", "idempotency_in_flight", "idempotency_key_reused"}
)
# Codes that only calls with card numbers can get: operations, searches, lists, identity records.
CARD_CODES: Final = frozenset({"card_enumeration"})
# Codes that only an operation can get, with those that searches and lists share with it.
PAID_CODES: Final = REPEAT_CODES | CARD_CODES | {"insufficient_balance"}
# Codes that only changes of reviews can get.
REVIEW_CODES: Final = frozenset(
    {"already_resolved", "not_resolved", "not_undone", "already_assigned"}
)
# Codes that only endpoints of the management API can get.
PROVIDER_CODES: Final = frozenset({"invalid_signature"})
"""Only providers get these, whose notifications are no part of the described API."""
MANAGE_CODES: Final = frozenset(
    {"conflict", "precondition_failed", "precondition_required", "too_many_jobs"}
)
# Codes that only requests with a body can get.
BODY_CODES: Final = (
    PAID_CODES
    | REVIEW_CODES
    | {
        *("malformed_body", "body_timeout", "body_too_large", "unsupported_media_type"),
    }
)


class Problem(Exception):
    """A refused request, with what the caller is told."""

    def __init__(
        self,
        code: str,
        *,
        fields: dict[str, list[str]] | None = None,
        details: list[str] | None = None,
        headers: tuple[tuple[bytes, bytes], ...] = (),
        remaining: int | None = None,
    ) -> None:
        super().__init__(code)
        self.remaining = remaining
        """The balance at the time of the refusal, where the balance was the reason."""
        self.code = code
        self.fields = fields or {}
        self.details = details or []
        self.headers = headers

    @classmethod
    def of(cls, refused: RequestRefused) -> "Problem":
        """The problem with a body that cannot be used."""
        return cls(refused.code, fields=refused.fields, details=refused.details)

    @classmethod
    def of_cards(cls, retry_after_ms: int) -> "Problem":
        """The problem with card numbers that are too much alike."""
        seconds = max(1, -(-retry_after_ms // 1000))
        return cls("card_enumeration", headers=((b"retry-after", b"%d" % seconds),))

    def add_warnings(self, warnings: Iterable[FieldWarning]) -> None:
        """Make warnings errors of their fields, as a caller can prefer."""
        for warning in warnings:
            if warning.path:
                self.fields.setdefault(warning.path, []).append(warning.message)
            else:
                self.details.append(warning.message)

    @property
    def status(self) -> int:
        """The HTTP status of the refusal."""
        return CODES[self.code].status

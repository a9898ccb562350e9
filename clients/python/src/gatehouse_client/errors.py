"""Everything that a call can raise.

    GatehouseError
      ConnectionFailed          no answer came
        TimedOut
      UnreadableAnswer          something else than Gatehouse answered
      SignatureInvalid          a webhook is not what it says it is
      JobFailed                 a job failed, or was canceled
      JobUnfinished             a job took longer than somebody waited; it goes on
      ApiError                  Gatehouse refused the call
        InvalidRequest          400, 413, 415, or 200 with field errors
        AuthenticationError     401
        InsufficientBalance     402
        PermissionDenied        403
        NotFound                404, 405
        Conflict                409, 412, 428
          InFlight              the first request with this idempotency key is still running
          VersionChanged        another version is in force than the one that you saw
        IdempotencyKeyReused    422
        RateLimited             429
        ServerError             5xx
          ServiceUnavailable    503

No message, argument or representation holds a card number or a security code.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from gatehouse_client._structs import without_cards

if TYPE_CHECKING:
    from gatehouse_client.models import JobResponse


class GatehouseError(Exception):
    """The root of all errors of this client. Each can be pickled, so that workers can raise it."""

    def __reduce__(self) -> tuple[Any, ...]:
        return _made_again, (type(self), self.args, self.__dict__)


def _made_again(
    kind: type[GatehouseError], args: tuple[Any, ...], about: dict[str, Any]
) -> GatehouseError:
    error = kind.__new__(kind, *args)
    error.__dict__.update(about)
    return error


class SignatureInvalid(GatehouseError):
    """The message is not from Gatehouse, was altered, or is too old."""


class JobFailed(GatehouseError):
    """A job failed, or was canceled."""

    def __init__(self, job: "JobResponse") -> None:
        super().__init__(without_cards(f"{job.kind} {job.job_id}: {job.error or job.state}"))
        self.job = job


class JobUnfinished(GatehouseError):
    """A job was not done in time. It goes on: wait for it again, or cancel it."""

    def __init__(self, job: "JobResponse") -> None:
        super().__init__(f"{job.kind} {job.job_id} is {job.state} still")
        self.job = job


class _CallFailed(GatehouseError):
    """A call without a result."""

    def __init__(
        self,
        message: str,
        *,
        trace_id: str,
        idempotency_key: str | None,
        headers: Mapping[str, str],
    ) -> None:
        super().__init__(without_cards(message))
        self.trace_id = trace_id
        """What the client sent as `X-Request-Id`; it is in the server's log."""
        self.idempotency_key = idempotency_key
        """Send the same request with it to try again without being charged twice."""
        self.headers = headers
        """The headers of the answer, with names in lower case; empty if none came."""
        self.request_id: str | None = None
        """The server's id of the request, if it answered."""


class ConnectionFailed(_CallFailed):
    """No answer came; the request may have been processed all the same."""


class TimedOut(ConnectionFailed):
    """No answer came in time."""


class UnreadableAnswer(_CallFailed):
    """What came is no answer of Gatehouse: perhaps a proxy's, or the address is wrong."""

    def __init__(self, message: str, *, status: int, **about: Any) -> None:
        super().__init__(message, **about)
        self.status = status


class ApiError(_CallFailed):
    """Gatehouse refused the call; nothing was charged (after a 5xx it may have been)."""

    def __init__(self, message: str, *, refusal: "Refusal", **about: Any) -> None:
        super().__init__(message, **about)
        self.status = refusal.status
        self.code = refusal.code
        """A stable word; docs/errors.md explains each."""
        self.request_id = refusal.request_id
        self.field_errors = refusal.field_errors
        """Problems by the path of the field."""
        self.global_errors = refusal.global_errors
        self.remaining_balance = refusal.remaining_balance
        self.retry_after_s = refusal.retry_after_s


class InvalidRequest(ApiError):
    """The request has invalid fields, or cannot be read."""


class AuthenticationError(ApiError):
    """The key is missing, unknown, expired or revoked."""


class InsufficientBalance(ApiError):
    """The balance does not cover the fees; nothing ran, nothing was charged."""


class PermissionDenied(ApiError):
    """The key may not do this, or not from here."""


class NotFound(ApiError):
    """The account has nothing of this name or id."""


class Conflict(ApiError):
    """The change contradicts what is there."""


class InFlight(Conflict):
    """The first request with this idempotency key is still being processed."""


class VersionChanged(Conflict):
    """Another version is in force than the one that the change was made for."""


class IdempotencyKeyReused(ApiError):
    """The idempotency key was used before with another body."""


class RateLimited(ApiError):
    """Too many requests."""


class ServerError(ApiError):
    """Something went wrong on the server's side."""


class ServiceUnavailable(ServerError):
    """The server is busy, or cannot reach its database."""


class Refusal:
    """What the server said about a refused request."""

    __slots__ = (
        "code",
        "field_errors",
        "global_errors",
        "remaining_balance",
        "request_id",
        "retry_after_s",
        "status",
    )

    def __init__(self, status: int, code: str, retry_after_s: float | None) -> None:
        self.status, self.code, self.retry_after_s = status, code, retry_after_s
        self.request_id: str | None = None
        self.field_errors: Mapping[str, Sequence[str]] = {}
        self.global_errors: Sequence[str] = ()
        self.remaining_balance: Any = None


_BY_CODE: Final[Mapping[str, type[ApiError]]] = {
    "idempotency_in_flight": InFlight,
    "idempotency_key_reused": IdempotencyKeyReused,
    "precondition_failed": VersionChanged,
    "precondition_required": VersionChanged,
}
_BY_STATUS: Final[Mapping[int, type[ApiError]]] = {
    401: AuthenticationError,
    402: InsufficientBalance,
    403: PermissionDenied,
    404: NotFound,
    405: NotFound,
    409: Conflict,
    412: VersionChanged,
    428: VersionChanged,
    429: RateLimited,
    503: ServiceUnavailable,
}


def error_class(status: int, code: str) -> type[ApiError]:
    """Which error a refusal is."""
    found = _BY_CODE.get(code) or _BY_STATUS.get(status)
    return found or (ServerError if status >= 500 else InvalidRequest)

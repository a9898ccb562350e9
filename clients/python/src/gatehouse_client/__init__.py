"""The Python client of Gatehouse.

>>> client = Gatehouse.from_env()
>>> answer = client.precheck(card_number="4242424242424242", card_expiry_date="2035-12")
>>> answer.result.advice, answer.remaining_balance
"""

from gatehouse_client import errors, models, sandbox, webhooks
from gatehouse_client._calls import Answer, CallOptions
from gatehouse_client._clients import AsyncGatehouse, Gatehouse
from gatehouse_client._version import __version__
from gatehouse_client.errors import (
    ApiError,
    AuthenticationError,
    Conflict,
    ConnectionFailed,
    GatehouseError,
    IdempotencyKeyReused,
    InFlight,
    InsufficientBalance,
    InvalidRequest,
    JobFailed,
    JobUnfinished,
    NotFound,
    PermissionDenied,
    RateLimited,
    ServerError,
    ServiceUnavailable,
    SignatureInvalid,
    TimedOut,
    UnreadableAnswer,
    VersionChanged,
)

__all__ = [
    "Answer",
    "ApiError",
    "AsyncGatehouse",
    "AuthenticationError",
    "CallOptions",
    "Conflict",
    "ConnectionFailed",
    "Gatehouse",
    "GatehouseError",
    "IdempotencyKeyReused",
    "InFlight",
    "InsufficientBalance",
    "InvalidRequest",
    "JobFailed",
    "JobUnfinished",
    "NotFound",
    "PermissionDenied",
    "RateLimited",
    "ServerError",
    "ServiceUnavailable",
    "SignatureInvalid",
    "TimedOut",
    "UnreadableAnswer",
    "VersionChanged",
    "__version__",
    "errors",
    "models",
    "sandbox",
    "webhooks",
]

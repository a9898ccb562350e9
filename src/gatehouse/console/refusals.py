"""Why the console does not show what was asked for, and with which status."""

from typing import Final

from gatehouse.core.errors import (
    AuthorizationLost,
    CardsAlike,
    CardsUnseen,
    ConfigurationRefused,
    Conflict,
    ConnectorFailed,
    GatehouseError,
    InvalidInput,
    NotFound,
    RequestRefused,
    RightMissing,
    SignInRefused,
    StoreUnavailable,
    TooManyAttempts,
)


class PageRefused(Exception):
    """The shell refuses a request; a page says why, in the visitor's language."""

    def __init__(self, status: int, key: str) -> None:
        super().__init__(key)
        self.status = status
        self.key = key


class Told(InvalidInput):
    """What the console itself cannot use, said in the visitor's language already."""


_STATUS: Final[tuple[tuple[type[GatehouseError], int], ...]] = (
    (NotFound, 404),
    (Conflict, 409),
    (RightMissing, 403),
    (InvalidInput, 422),
    (RequestRefused, 422),
    (ConfigurationRefused, 409),
    (ConnectorFailed, 502),
    (AuthorizationLost, 409),
    (StoreUnavailable, 503),
    (TooManyAttempts, 429),
    (SignInRefused, 403),
    (CardsAlike, 429),
    (CardsUnseen, 403),
)


def status_of(error: GatehouseError) -> int | None:
    """The status of the page about an error; None for what is a defect of ours."""
    return next((status for kind, status in _STATUS if isinstance(error, kind)), None)


def as_sentence(words: str) -> str:
    """As a sentence on a page; commands print the same words after their name."""
    ended = words if words.endswith((".", "!", "?", ":")) else f"{words}."
    return ended[:1].upper() + ended[1:]

"""What an endpoint of the management API is: its address, its scope, its messages, its work."""

import re
from collections.abc import Callable, Mapping
from typing import Any, Final, TypeVar

import msgspec

from gatehouse.access.accounts import Caller
from gatehouse.api.context import RequestContext
from gatehouse.api.problems import Problem
from gatehouse.core.api_values import DEFAULT_PAGE, LARGEST_PAGE
from gatehouse.core.rights import Right
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.admin.use_case import Precondition

PREFIX: Final = "/api/v1/manage"
NUL: Final = "\x00"
"""PostgreSQL cannot even look for a text with this character."""
Chosen = TypeVar("Chosen")


class Parameter(msgspec.Struct, frozen=True):
    """A parameter of a query."""

    name: str
    about: str
    schema: Mapping[str, Any]
    read: Callable[[str], Any] = str
    """Raises `ValueError` that says what the parameter must be."""
    default: Any = None


def path_of(context: RequestContext) -> Mapping[str, str]:
    """The names in a path; nothing is called what no database can look for."""
    path: Mapping[str, str] = context.scope.get("path_params", {})
    if any(NUL in name for name in path.values()):
        raise Problem("not_found")
    return path


class ManageCall(msgspec.Struct, frozen=True):
    """One call of an endpoint, by an authenticated key."""

    session: AdminSession
    """Acts as the key of the caller."""
    caller: Caller
    path: Mapping[str, str] = {}
    query: Mapping[str, Any] = {}
    body: Any = None
    precondition: Precondition = Precondition()

    @property
    def account_id(self) -> str:
        """The account of the key, and so the only one that it can manage."""
        return self.caller.account.account_id

    @property
    def dry_run(self) -> bool:
        """Whether nothing must be changed."""
        return self.query.get("dryRun") is True


class ManageEndpoint(msgspec.Struct, frozen=True, kw_only=True):
    """One method of one path."""

    method: str
    path: str
    """Below the prefix."""
    scope: str
    rights: tuple[Right, ...] = ()
    """What its data need beside; the use case asks for it."""
    operation: str
    """The operation's id in OpenAPI."""
    summary: str
    about: str
    field: str
    """Where in the envelope the answer is."""
    answer: type[msgspec.Struct]
    run: Callable[[ManageCall], Any]
    """Called on a thread; returns the answer, or the answer `Tagged`."""
    waits: bool = False
    """Whether it waits for somebody outside; `run` is then a coroutine, which holds no thread."""
    one_change: bool = False
    """Whether all that it does is one change, with which its answer can be kept for repeats: an
    answer with a secret in it must not be lost between the two."""
    body: type[msgspec.Struct] | None = None
    body_example: Mapping[str, Any] = {}
    """What its example has of its own."""
    query: tuple[Parameter, ...] = ()
    path_about: Mapping[str, str] = {}
    path_examples: Mapping[str, str] = {}
    tagged: bool = False
    """Whether answers have an `ETag`."""
    guarded: bool = False
    """Whether `If-Match` is read."""
    most_bytes: int | None = None
    """Largest body; without it, that of the settings."""
    names_cards: bool = False
    """Whether card numbers in its body are compared with what the account has."""
    reads: bool = False
    """Whether it changes nothing although it is no GET, because of what is in its body."""
    codes: frozenset[str] = frozenset()
    """Codes that not every endpoint of its kind can be refused with."""
    unseen: bool = False
    """Whether it changes only what no server caches."""

    @property
    def address(self) -> str:
        """The whole path."""
        return PREFIX + self.path

    @property
    def changes(self) -> bool:
        """Whether it may change something."""
        return self.method != "GET" and not self.reads


def read_flag(text: str) -> bool:
    """A query parameter that is true or false."""
    if text not in ("true", "false"):
        raise ValueError("must be true or false")
    return text == "true"


def whole_number(least: int, most: int) -> Callable[[str], int]:
    """Reads a query parameter that is a whole number within bounds."""

    def read(text: str) -> int:
        well_formed = text.isascii() and text.isdigit() and len(text) <= len(str(most))
        if not (well_formed and least <= int(text) <= most):
            raise ValueError(f"must be a number from {least} to {most}")
        return int(text)

    return read


def short_text(most: int, pattern: str = "") -> Callable[[str], str]:
    """Reads a query parameter that is a text of at most so many characters, and of a form."""

    def read(text: str) -> str:
        if not 1 <= len(text) <= most:
            raise ValueError(f"must have 1 to {most} characters")
        if NUL in text:
            raise ValueError("must not contain the character NUL")
        if pattern and re.fullmatch(pattern, text) is None:
            raise ValueError(f"must match {pattern}")
        return text

    return read


def one_of(choices: Mapping[str, Chosen]) -> Callable[[str], Chosen]:
    """Reads a query parameter that is one of a few words."""

    def read(text: str) -> Chosen:
        if text not in choices:
            raise ValueError(f"must be one of {', '.join(choices)}")
        return choices[text]

    return read


DRY_RUN: Final = Parameter(
    "dryRun", "`true` checks everything and changes nothing.", {"type": "boolean"}, read_flag, False
)
LIMIT: Final = Parameter(
    "limit",
    "Size of a page.",
    {"type": "integer", "minimum": 1, "maximum": LARGEST_PAGE, "default": DEFAULT_PAGE},
    whole_number(1, LARGEST_PAGE),
    DEFAULT_PAGE,
)
LONGEST_CURSOR: Final = 1000

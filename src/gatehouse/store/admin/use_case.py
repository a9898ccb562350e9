"""What a use case is: something that can be done with the data of an account, declared once.

    @use_case("POST /keys/{keyId}/rotate", scope="manage:keys", operation="rotateKey", ...)
    def rotate(change: Change, account_id: str, key_id: KeyId, given: KeyRotation) -> KeyTold: ...

The first parameter tells its kind: a `Change` is one audited transaction, a `Reading` one that
changes nothing; a use case that takes the session opens what it needs. Every face calls it with a
session and an account. The API makes its route and its description of the other parameters: those
in the path, a struct that is the body, one that is the query, `dry_run`, and a `Precondition`.
"""

from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any, Concatenate, Final, Generic, NamedTuple, ParamSpec, TypeVar

import msgspec

from gatehouse.access.roles import Permission
from gatehouse.core.api_values import camel
from gatehouse.core.rights import Right
from gatehouse.store.admin.admin_session import AdminSession, Change, Reading

P = ParamSpec("P")
R = TypeVar("R")
T = TypeVar("T", bound=msgspec.Struct)

MOST_DOCUMENT_BYTES: Final = 1024 * 1024
"""Of a body with a document, which has at most a quarter of it before JSON escapes it."""


class Precondition(msgspec.Struct, frozen=True):
    """Which version the caller has seen, as `If-Match` and `If-None-Match` say it."""

    version: int | None = None
    any_version: bool = False
    """`If-Match: *`: whatever is in force may be replaced."""
    must_be_new: bool = False
    """`If-None-Match: *`: nothing may be in force."""

    @property
    def expected(self) -> int | None:
        """The version that must be in force; 0 is none, and None any."""
        return 0 if self.must_be_new else self.version


ANY_VERSION: Final = Precondition()


class Tagged(msgspec.Struct, Generic[T], frozen=True):
    """A result with the version that it shows, which becomes the `ETag` of an answer."""

    answer: T
    version: int


OF_DECISIONS: Final = (Right.DECISIONS,)
"""Rights of a use case that selects by, counts over or shows decisions."""


class Terms(NamedTuple):
    """What a use case asks for, and what else the API has to know of it."""

    scope: str
    """What a key needs."""
    answers: str
    """Where in the envelope the result is."""
    operation: str = ""
    """Its id in OpenAPI, after which clients name their methods; its own name without one."""
    permission: Permission | None = None
    """What a person needs in the console; None where it has no such page."""
    rights: tuple[Right, ...] = ()
    """What its data need beside, whichever face it is called by."""
    most_bytes: int | None = None
    """Largest body; without it, that of the settings."""
    names_cards: bool = False
    """Whether card numbers in its body are compared with what the account has."""
    reads: bool = False
    """Whether it changes nothing although it is no GET, because of what is in its body."""
    unseen: bool = False
    """Whether it changes only what no server caches."""
    codes: frozenset[str] = frozenset()
    """Codes that not every use case of its kind can be refused with."""
    example: Mapping[str, Any] = {}
    """What the example of its body has of its own."""


class UseCase(Generic[P, R]):
    """A function over the data of an account, with all that faces need to offer it."""

    def __init__(self, function: Callable[..., R], route: str, terms: Terms) -> None:
        self.function = function
        self.method, _, self.path = route.partition(" ")
        self.terms = terms._replace(operation=terms.operation or camel(function.__name__))
        self.takes: type = next(iter(function.__annotations__.values()))
        summary, _, about = (function.__doc__ or "").partition("\n")
        self.summary = summary.removesuffix(".")
        self.about = " ".join(about.split())
        self.__doc__ = function.__doc__
        self.__name__ = function.__name__
        self.__module__ = function.__module__

    def __call__(
        self, session: AdminSession, account_id: str, *args: P.args, **kwargs: P.kwargs
    ) -> R:
        """Do it as the actor of the session, if the account and what it needs are the actor's."""
        session.actor.check_account(account_id)
        session.actor.check(*self.terms.rights)
        if self.takes is Change:
            with session.account_change(account_id, unseen=self.terms.unseen) as change:
                return self.function(change, account_id, *args, **kwargs)
        if self.takes is Reading:
            with session.account_reading(account_id) as connection:
                return self.function(Reading(session, connection), account_id, *args, **kwargs)
        return self.function(session, account_id, *args, **kwargs)


def use_case(
    route: str, **terms: Any
) -> Callable[[Callable[Concatenate[Any, str, P], R]], UseCase[P, R]]:
    """Declare a use case at a path of the management API; `terms` are those of `Terms`."""
    asked = Terms(**terms)
    return lambda function: UseCase(function, route, asked)


def use_cases_in(module: ModuleType) -> list[UseCase[..., Any]]:
    """The use cases that a module declares, in its order."""
    found = (each for each in vars(module).values() if isinstance(each, UseCase))
    return [each for each in found if each.__module__ == module.__name__]

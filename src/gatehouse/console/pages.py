"""How a subject declares its pages and forms; the shell checks everything before they run.

A page under `/a/{account}` concerns one account, one under `/installation` all of them, and any
other the person who is signed in. What is `public` is shown to anybody.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from starlette.responses import Response

from gatehouse.access.roles import Permission
from gatehouse.store.admin.use_case import UseCase

Endpoint = Callable[[Any], Response]
"""What shows a page or carries out a form, given the `Visit`, which knows what is declared here."""

FORM_BYTES: Final = 64 * 1024
"""The largest form, unless an action says that it takes more."""


class Reach(StrEnum):
    """What a page concerns, and so who may ask for it at all."""

    PUBLIC = "public"
    PERSON = "person"
    ACCOUNT = "account"
    INSTALLATION = "installation"


@dataclass(frozen=True, kw_only=True)
class _Declared:
    """What pages and actions have in common."""

    does: UseCase[..., Any] | None = None
    """The use case that it shows or carries out: that says what the visitor must be allowed to."""
    permission: Permission | None = None
    """What the visitor must be allowed to do, if no one use case says it: accounts need one."""
    besides: Permission | None = None
    """What the visitor must also be allowed to, because of what is shown."""
    public: bool = False
    sandbox_only: bool = False
    """Whether there is no such page in production."""
    asks_elsewhere: bool = False
    """Whether it means waiting for somebody else's server."""

    def is_for(self, permissions: frozenset[Permission]) -> bool:
        """Whether these permissions suffice."""
        return {self.permission, self.besides} - {None} <= permissions

    def _check(self, path: str) -> None:
        if self.does is not None:
            assert self.permission is None, f"{path}: its use case names the permission"
            object.__setattr__(self, "permission", self.does.terms.permission)
        reach = _reach(path, self.public)
        needs = reach in (Reach.ACCOUNT, Reach.INSTALLATION)
        assert needs == (self.permission is not None), f"{path}: a permission belongs to accounts"
        if reach is Reach.INSTALLATION:
            everywhere = (Permission.OPERATE, Permission.BOOK)
            assert self.permission in everywhere, f"{path} is for roles over all accounts"


@dataclass(frozen=True)
class Page(_Declared):
    """Something to look at: asking for it changes nothing."""

    path: str
    name: str
    get: Endpoint
    group: str | None = None
    """The group of the navigation that ends with this page, unless it has its place there."""

    def __post_init__(self) -> None:
        self._check(self.path)

    @property
    def reach(self) -> Reach:
        """What the page concerns."""
        return _reach(self.path, self.public)


@dataclass(frozen=True)
class Action(_Declared):
    """A form that was sent: it changes something, and then leads to a page."""

    path: str
    name: str
    post: Endpoint
    again: Endpoint | None = None
    """Shows the form again, with `visit.problems`, when what was sent cannot be used."""
    most_bytes: int = FORM_BYTES
    takes_files: bool = False

    def __post_init__(self) -> None:
        self._check(self.path)
        if self.public:
            assert self.most_bytes <= FORM_BYTES, f"{self.path}: strangers send small forms"
            assert not self.takes_files, f"{self.path}: strangers send no files"

    @property
    def reach(self) -> Reach:
        """What the action concerns."""
        return _reach(self.path, self.public)


Declared = Page | Action
Declarations = Sequence[Declared]
"""The pages and actions of one subject."""


def _reach(path: str, public: bool) -> Reach:
    if public:
        return Reach.PUBLIC
    if path.startswith("/a/{account}"):
        return Reach.ACCOUNT
    return Reach.INSTALLATION if path.startswith("/installation") else Reach.PERSON

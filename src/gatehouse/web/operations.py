"""The operations of the API as the front door sees them: a path, a body, stages, an answer."""

from collections.abc import Callable
from typing import Any

import msgspec

from gatehouse.core.cards import CardOfRequest
from gatehouse.core.stage import Stage


class Operation(msgspec.Struct, frozen=True):
    """One POST operation: a pipeline of stages behind a path."""

    name: str
    """Scope of keys, last part of the path, and the word in decision records."""
    title: str
    about: str
    field: str
    """The envelope's field for the answer."""
    request_type: type[msgspec.Struct]
    response_type: type[msgspec.Struct]
    stages: tuple[Stage, ...]
    inputs: Callable[[Any], dict[str, Any]]
    """From the request to the input of each stage, by stage name."""
    card: Callable[[Any], CardOfRequest | None]
    example: msgspec.Struct
    """The answer to the request that the examples of the fields make, for the documentation."""
    mistaken: dict[str, Any]
    """A request with mistakes, for the documentation to show how it is refused."""

    @property
    def path(self) -> str:
        """Where the operation is found."""
        return f"/api/v1/{self.name}"

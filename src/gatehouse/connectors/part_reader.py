"""What a kind of connector gets to read its part of a configuration, and what it makes of it.

A running server imports this for the definitions, so nothing here imports the reader of YAML before
something is read.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, TypeVar

import msgspec
from msgspec import Meta

from gatehouse.core.reading.validation import join_path
from gatehouse.gateway.operating import VOIDS_ONLY, OperationKind

if TYPE_CHECKING:
    from gatehouse.core.documents.reading import Document, Flaw

T = TypeVar("T")

InFlight = Annotated[int, Meta(ge=1, le=100_000)]
"""How many requests of a connector may wait for answers at a time."""
TimeLimit = Annotated[int, Meta(ge=50, le=60_000)]
"""How long a connector waits for an answer, in milliseconds."""


class Definition(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind"):
    """One connector as it was applied; each kind derives its own, with `tag="<kind>"`.

    It holds everything, a dialect or a mapping included, and no secret: only where those are.
    """

    in_flight: InFlight = 200
    timeout_ms: TimeLimit = 2500

    def functions(self) -> tuple[str, ...]:
        """The functions that it can serve: of `precheck`, `idverify` and `gateway`."""
        return ("precheck", "idverify", "gateway")

    def operations(self) -> frozenset[OperationKind]:
        """What it can do with payments that stand."""
        return VOIDS_ONLY

    def takes_notifications(self) -> bool:
        """Whether its party can tell of payments by itself."""
        return False

    def shows_pages(self) -> bool:
        """Whether it makes payment pages."""
        return False

    def charges_cards(self) -> bool:
        """Whether it stores cards on its pages, and charges them."""
        return False

    def secret_sources(self) -> tuple[str, ...]:
        """Where its secrets are read from when it starts: `env:NAME` or `file:/path`."""
        return ()

    def tls_files(self) -> tuple[str, ...]:
        """The files that its connections need: authorities, a certificate and its key."""
        return ()

    def destinations(self) -> tuple[str, ...]:
        """Whom it tells its secrets."""
        return ()

    def unfit_for_production(self) -> tuple[str, ...]:
        """Why production must not use it: what is found and what to do, a sentence each."""
        return ()


class PartReader(NamedTuple):
    """One connector of a configuration file: `data` is its mapping without the key `kind`."""

    document: "Document"
    path: str
    """Where it stands in the document, such as `connectors.acquirer`."""
    data: dict[str, Any]
    read_file: Callable[[str], bytes]
    """The content of a file beside the configuration, such as ./mine.yaml; or `InvalidInput`."""
    flaws: "list[Flaw]"
    """Every mistake goes here."""

    def convert(self, kind: type[T]) -> T | None:
        """The whole part as a struct; None after its flaws were noted."""
        from gatehouse.core.documents.reading import convert_part

        value, flaws = convert_part(self.document, self.path, self.data, kind)
        self.flaws.extend(flaws)
        return value

    def refuse(self, field: str, message: str) -> None:
        """Note what is wrong with a field of the part."""
        self.flaws.append(self.document.flaw(join_path(self.path, field), message))

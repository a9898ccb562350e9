"""The kinds of connectors: how each reads its part of a configuration, and what it makes of it.

A kind is imported when a configuration names it, so that a server loads only what it uses.
"""

from collections.abc import Callable
from typing import Any, Final, NamedTuple

from gatehouse.connectors.connector import Connector
from gatehouse.connectors.part_reader import Definition, PartReader


class Kind(NamedTuple):
    """One kind of connector."""

    definition: type[Definition]
    read: Callable[[PartReader], Definition | None]
    """The part of a file as a definition; None after its mistakes were noted."""
    make: Callable[[str, Any], Connector]
    """A connector by its name and definition; it is started afterwards."""


def _sandbox() -> Kind:
    from gatehouse.connectors.sandbox import connector

    return Kind(connector.SandboxDefinition, connector.read_sandbox, connector.make_sandbox)


def _http() -> Kind:
    from gatehouse.connectors.http import options

    def make(name: str, definition: options.HttpDefinition) -> Connector:
        # Commands that only read a configuration need no client.
        from gatehouse.connectors.http.connector import make_http

        return make_http(name, definition)

    return Kind(options.HttpDefinition, options.read_http, make)


def _iso8583() -> Kind:
    from gatehouse.connectors.iso8583 import options

    return Kind(options.Iso8583Definition, options.read_iso8583, options.make_iso8583)


KINDS: Final[dict[str, Callable[[], Kind]]] = {
    "http": _http,
    "iso8583": _iso8583,
    "sandbox": _sandbox,
}
"""Every kind by the word that a configuration names it with."""

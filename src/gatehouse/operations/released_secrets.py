"""Which connectors may use the secrets that they name.

A configuration that was applied at a terminal of the server releases its secrets and files to the
parties that it names. A version that came in another way, such as from the console, may go on to
use them there, and may neither name others nor send these to another party.
"""

from collections.abc import Iterator
from typing import Final

import sqlalchemy as sa

from gatehouse.access.actors import ActorKind
from gatehouse.connectors.definition import Configuration, decode_program
from gatehouse.connectors.part_reader import Definition
from gatehouse.core.wording.sentences import Phrase
from gatehouse.store.configured import configurations
from gatehouse.store.configured.configurations import CONNECTORS_KEY
from gatehouse.store.configured.signing import Signer

NOT_RELEASED: Final = Phrase(
    "connector.not_released",
    "its secrets and files were not released to {destinations}; apply it at a terminal of the "
    "server",
)
_TERMINAL: Final = f"{ActorKind.OPERATOR}:"


def unreleased(
    connection: sa.Connection, signer: Signer, actor: str, configuration: Configuration
) -> dict[str, str]:
    """Why connectors of a configuration may not use their secrets, by name; `actor` applied it.

    `ConfigurationRefused` when what was released is not as it was stored.
    """
    if actor.startswith(_TERMINAL):
        return {}
    stored = configurations.newest_of(connection, CONNECTORS_KEY, _TERMINAL)
    released: dict[str, Definition] = {}
    if stored is not None:
        configurations.check_versions(signer, [stored])
        released = decode_program(stored.program).connectors
    return dict(_unreleased(configuration, released))


def _unreleased(
    configuration: Configuration, released: dict[str, Definition]
) -> Iterator[tuple[str, str]]:
    for name, definition in configuration.connectors.items():
        known = released.get(name, Definition())
        if not (
            _named(definition) <= _named(known)
            and (not _named(definition) or _told(definition) <= _told(known))
        ):
            yield name, NOT_RELEASED(destinations=", ".join(definition.destinations()))


def _named(definition: Definition) -> frozenset[str]:
    return frozenset((*definition.secret_sources(), *definition.tls_files()))


def _told(definition: Definition) -> frozenset[str]:
    return frozenset(definition.destinations())

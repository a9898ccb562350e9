"""Reads dialect files: YAML in, a definition out, every mistake with its line.

A running server never imports this: a connector's definition holds its dialect.
"""

from pathlib import Path
from typing import Final

import msgspec

from gatehouse.connectors.iso8583.constants import constant_problems
from gatehouse.connectors.iso8583.definition import DialectDefinition
from gatehouse.core.documents.reading import DocumentRefused, convert_part, load_document
from gatehouse.core.errors import InvalidInput
from gatehouse.core.wording.sentences import Phrase

_ISO_NO_DIALECT: Final = Phrase(
    "document.iso_no_dialect", "there is no dialect {name}; there are {known}"
)

_SHIPPED: Final = Path(__file__).parent / "dialects"


def read_dialect(content: bytes) -> DialectDefinition:
    """A dialect file as a definition, or `DocumentRefused` with all that is wrong."""
    document = load_document(content, lists_of_numbers=True)
    definition, flaws = convert_part(document, "", document.data, DialectDefinition)
    if definition is None:
        raise DocumentRefused(flaws)
    # Keys of a file are texts; a definition has the names of kinds and roles there.
    plain = msgspec.json.decode(msgspec.json.encode(definition), type=DialectDefinition)
    found = [document.flaw(path, message) for path, message in constant_problems(plain)]
    if found:
        raise DocumentRefused(found)
    return plain


def shipped_names() -> list[str]:
    """The names of the dialects that ship with the package."""
    return sorted(path.stem for path in _SHIPPED.glob("*.yaml"))


def shipped_dialect(name: str) -> DialectDefinition:
    """A dialect that ships with the package."""
    names = shipped_names()
    if name not in names:
        raise InvalidInput(_ISO_NO_DIALECT(name=name, known=", ".join(names)))
    return read_dialect((_SHIPPED / f"{name}.yaml").read_bytes())

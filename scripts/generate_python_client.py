"""Writes what the Python client has of our OpenAPI document: its structs and its methods.

`--check` writes nothing and fails when a file is stale. What is written by hand is everything else
in `clients/python`: how calls are made, errors, pages, webhooks.
"""

import argparse
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import msgspec

# isort: split
import gatehouse.operations.stages  # noqa: F401  # registers the stages, before the document is made

# isort: split
from tests.web.test_openapi import DOCUMENT

from scripts.client_methods import snake
from scripts.client_operations import event_schemas
from scripts.python_client.methods import MethodWriter, docstring

ROOT: Final = Path(__file__).resolve().parents[1]
PACKAGE: Final = ROOT / "clients/python/src/gatehouse_client"
_REF: Final = "#/components/schemas/"
_LEFT_OUT: Final = re.compile(r".*Envelope|Failure|ErrorCode")
_SCALARS: Final = {
    "string": "str",
    "integer": "int",
    "boolean": "bool",
    "object": "Mapping[str, Any]",
}
_FORMATS: Final = {"date-time": "datetime", "date": "date"}
_WORDS: Final = ("/Label", "/PaymentEffect", "/ReviewState")
"""Schemas of words."""
_EXACT: Final = re.compile(r"amount|price|fee|from|to")
"""Numbers of these names are money, which is exact."""


class Types:
    """Python's types for the schemas of a document."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        self.schemas: Mapping[str, Any] = document["components"]["schemas"]
        bodies = [
            found["content"]["application/json"]["schema"]
            for item in document["paths"].values()
            for one in item.values()
            if (found := one.get("requestBody"))
        ]
        answers = [self.schemas[name] for name in self.schemas if _LEFT_OUT.fullmatch(name)]
        self.sent = self._reached(bodies) - self._reached(answers)
        """Names of the schemas that are part of requests and of no answer."""

    def _reached(self, schemas: list[Any]) -> set[str]:
        found: set[str] = set()
        waiting = list(schemas)
        while waiting:
            for name in set(_references(waiting.pop())) - found:
                found.add(name)
                waiting.append(self.schemas[name])
        return found

    def of(self, name: str, schema: Mapping[str, Any], *, sent: bool) -> str:
        """The annotation of a field; one that is sent takes more than one that is received has."""
        if "$ref" in schema:
            target = schema["$ref"].removeprefix(_REF)
            if target == "ErrorCode":
                return "str"
            return f"{target} | str" if sent and "enum" in self.schemas[target] else target
        if alternatives := schema.get("anyOf", schema.get("oneOf")):
            found = [self.of(name, one, sent=sent) for one in alternatives]
            return " | ".join(dict.fromkeys(" | ".join(found).split(" | ")))
        kind = schema.get("type")
        if isinstance(kind, list):
            return " | ".join(self.of(name, {**schema, "type": one}, sent=sent) for one in kind)
        if kind == "array":
            inside = self.of(name, schema.get("items", {}), sent=sent)
            return f"Sequence[{inside}]" if sent else f"tuple[{inside}, ...]"
        if kind == "object" and "$ref" in (below := schema.get("additionalProperties") or {}):
            return f"Mapping[str, {self.of(name, below, sent=sent)}]"
        if kind == "object" and below.get("type"):
            return f"Mapping[str, {self.of(name, below, sent=sent)}]"
        if kind == "number":
            return self._number(name, sent=sent)
        if kind == "null":
            return "None"
        return _FORMATS.get(schema.get("format", ""), "") or _SCALARS.get(kind or "", "Any")

    @staticmethod
    def _number(name: str, *, sent: bool) -> str:
        exact = _EXACT.fullmatch(snake(name).rstrip("_").split("_")[-1])
        return "Decimal | float" if sent else "Decimal" if exact else "float"


def _references(schema: Any) -> Iterator[str]:
    if isinstance(schema, Mapping):
        if isinstance(target := schema.get("$ref"), str):
            yield target.removeprefix(_REF)
        for below in schema.values():
            yield from _references(below)
    elif isinstance(schema, list):
        for below in schema:
            yield from _references(below)


def models(types: Types, events: Mapping[str, str]) -> str:
    """The module of structs and enums; `events` are the schemas of events by their types."""
    parts = [_HEAD]
    told = {*events.values(), *(_data_of(name) for name in events.values())}
    for name in sorted(types.schemas.keys() - told):
        schema = types.schemas[name]
        if not _LEFT_OUT.fullmatch(name):
            parts.append(_enum(name, schema) if "enum" in schema else _struct(types, name, schema))
    for kind, name in events.items():
        parts.append(_dictionary(_data_of(name), types.schemas))
        parts.append(_event(kind, name, types.schemas[name]["description"]))
    pairs = (f'"{kind}": {name},' for kind, name in events.items())
    parts.append("EVENTS: Final[Mapping[str, type[PublicEvent]]] = {" + "".join(pairs) + "}")
    return "\n\n\n".join(parts)


def _data_of(event: str) -> str:
    return event.removesuffix("Event") + "Data"


def _dictionary(name: str, schemas: Mapping[str, Any]) -> str:
    """What an event says, as it is received: a dictionary with the names of the API."""
    schema = schemas[name]
    total = "" if len(schema["required"]) == len(schema["properties"]) else ", total=False"
    fields = (f"    {own}: {_plain(one)}" for own, one in schema["properties"].items())
    about = f"The `data` of a `{name.removesuffix('Data')}Event`."
    return "\n".join([f"class {name}(TypedDict{total}):", docstring(about, 4), "", *fields])


def _plain(schema: Mapping[str, Any]) -> str:
    """The type of a value that is not made a struct."""
    if alternatives := schema.get("anyOf"):
        return " | ".join(map(_plain, alternatives))
    if "$ref" in schema:
        return "str" if schema["$ref"].endswith(_WORDS) else "Mapping[str, Any]"
    kind = schema["type"]
    if isinstance(kind, list):
        return " | ".join(_plain({"type": one}) for one in kind)
    plain = {"array": "Sequence[str]", "null": "None"}
    return plain.get(kind) or _SCALARS[kind]


def _event(kind: str, name: str, about: str) -> str:
    return "\n".join(
        [
            f"class {name}(PublicEvent, frozen=True, kw_only=True):",
            docstring(about, 4),
            "",
            f'    type: Literal["{kind}"]',
            f"    data: {_data_of(name)}",
        ]
    )


_HEAD: Final = '''\
"""Requests and answers of the API, written by a script from its OpenAPI document."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from decimal import Decimal
from typing import Any, Final, Literal, TypedDict

from msgspec import field

from gatehouse_client._structs import OpenEnum, Struct'''


def _enum(name: str, schema: Mapping[str, Any]) -> str:
    lines = [f"class {name}(OpenEnum):", docstring(schema.get("description") or f"{name}.", 4), ""]
    return "\n".join([*lines, *(f'    {_member(word)} = "{word}"' for word in schema["enum"])])


def _member(word: str) -> str:
    plain = re.sub(r"\W", "_", word).upper()
    return f"V{plain}" if plain[0].isdigit() else plain


def _struct(types: Types, name: str, schema: Mapping[str, Any]) -> str:
    lines = [
        f"class {name}(Struct, frozen=True, kw_only=True):",
        docstring(schema.get("description") or f"{name}.", 4),
        "",
    ]
    required = schema.get("required", ())
    properties = schema.get("properties", {})
    for own in sorted(properties, key=lambda one: one not in required):
        lines += _field(types, own, properties[own], own in required, name in types.sent)
    return "\n".join(lines)


def _field(
    types: Types, name: str, schema: Mapping[str, Any], required: bool, sent: bool
) -> list[str]:
    python, kind = snake(name), types.of(name, schema, sent=sent)
    optional = "" if required else " = None"
    if not required and "None" not in kind.split(" | "):
        kind += " | None"
    if msgspec_name(python) != name:
        inside = f'name="{name}"' if required else f'default=None, name="{name}"'
        optional = f" = field({inside})"
    about = schema.get("description")
    lines = [f"    {python}: {kind}{optional}"]
    return [*lines, *([docstring(about, 4)] if about else [])]


def msgspec_name(python: str) -> str:
    """The name that a struct gives to a field by itself."""
    probe = msgspec.defstruct("Probe", [(python, int)], rename="camel")
    return probe.__struct_encode_fields__[0]


def written(document: Mapping[str, Any]) -> dict[Path, str]:
    """Every generated file with its text."""
    types = Types(document)
    texts = {
        PACKAGE / "models.py": models(types, event_schemas(document)),
        PACKAGE / "_methods.py": MethodWriter(document, types).module("sync"),
        PACKAGE / "_async_methods.py": MethodWriter(document, types).module("async"),
    }
    return {path: _formatted(path, text) for path, text in texts.items()}


def _formatted(path: Path, text: str) -> str:
    ruff = [str(Path(sys.executable).parent / "ruff")]
    for words in (["check", "--select", "I,F401", "--fix-only", "-q"], ["format", "-q"]):
        command = [*ruff, *words, "--stdin-filename", str(path), "-"]
        done = subprocess.run(command, input=text, capture_output=True, text=True, check=True)
        text = done.stdout
    return text


def main() -> int:
    """Write the files, or say which are stale."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing, fail when stale")
    check = parser.parse_args().check
    stale = []
    for path, text in written(DOCUMENT).items():
        if not path.exists() or path.read_text() != text:
            stale.append(path.name)
            if not check:
                path.write_text(text)
    print("stale:" if check else "written:", ", ".join(stale) or "nothing")
    return int(check and bool(stale))


if __name__ == "__main__":
    sys.exit(main())

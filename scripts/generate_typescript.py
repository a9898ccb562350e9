"""Writes what the TypeScript client has of the OpenAPI document: types, and methods of management.

Words in answers are open sets, because a later server may know more of them; words that only
requests hold are closed. `--check` writes nothing and fails when the file is stale.
"""

import argparse
import json
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from scripts.client_operations import event_schemas, operations
from scripts.typescript_methods import manage_module

SOURCES: Final = Path(__file__).resolve().parents[1] / "clients/typescript/src"
_REF: Final = "#/components/schemas/"
_PATIENCE_S: Final = 60
_HEAD: Final = """\
// Made by scripts/generate_typescript.py from the OpenAPI document; do not edit, run: make types

import type { Hidden } from "./hidden.js";

"""
_EVENT: Final = "PublicEvent"
_EVENTS: Final = f"""\
/**
 * Something that happened; `type` says what, and so what `data` holds.
 *
 * A later server may tell of other types: leave alone those that you do not know.
 */
export type {_EVENT} =
  """
HIDDEN: Final = frozenset(
    {
        "authenticationValue",
        "cardCvv2Value",
        "cardNumber",
        "paymentAccountReference",
    }
)
"""Fields of requests that a caller may wrap, so that no log shows them."""


def written(document: Mapping[str, Any]) -> dict[Path, str]:
    """Every generated file with its text."""
    texts = {"generated.ts": render(document), "manage.ts": manage_module(document)}
    return {SOURCES / name: text for name, text in texts.items()}


def render(document: Mapping[str, Any]) -> str:
    """The module of types."""
    schemas: dict[str, Any] = document["components"]["schemas"]
    calls = list(_operations(document))
    envelopes = {schema for schema in schemas if schema.endswith("Envelope")} | {"Failure"}
    asked = _reachable((call["body"] for call in calls), schemas)
    answered = _reachable((call["answers"] for call in calls), schemas)
    told = event_schemas(document).values()
    named = ("Errors", "Billing", *told)
    answered |= _reachable([{"$ref": f"{_REF}{name}"} for name in named], schemas)
    kinds = [
        _declaration(name, schema, is_open=name in answered, is_asked=name in asked)
        for name, schema in sorted(schemas.items())
        if name not in envelopes | {_EVENT}
    ]
    events = _EVENTS + " |\n  ".join(told) + ";\n"
    return _HEAD + "\n".join([*kinds, events, _types_of(calls), _table_of(calls)])


def _operations(document: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    for one in operations(document):
        yield {
            "name": one.name,
            "about": one.spec.get("summary", ""),
            "method": one.verb,
            "path": one.path,
            "parameters": one.spec.get("parameters", []),
            "body": one.body and {"$ref": _REF + one.body},
            "answer": one.field,
            "answers": {"$ref": _REF + one.answer},
            "repeat": one.repeat,
        }


def _name(schema: Mapping[str, Any]) -> str:
    return str(schema["$ref"]).removeprefix(_REF)


def _reachable(found: Iterable[Any], schemas: Mapping[str, Any]) -> set[str]:
    """The names of all schemas that these schemas lead to."""
    names: set[str] = set()
    waiting = list(found)
    while waiting:
        each = waiting.pop()
        if isinstance(each, list):
            waiting += each
        elif isinstance(each, dict):
            waiting += [value for key, value in each.items() if key != "examples"]
            if "$ref" in each and _name(each) not in names:
                names.add(_name(each))
                waiting.append(schemas[_name(each)])
    return names


def _declaration(name: str, schema: Mapping[str, Any], *, is_open: bool, is_asked: bool) -> str:
    about = _comment(schema.get("description", ""), "")
    if "enum" in schema:
        words = " | ".join(json.dumps(word) for word in schema["enum"])
        more = " | (string & {})" if is_open and schema.get("type", "string") == "string" else ""
        return f"{about}export type {name} = {words}{more};\n"
    if schema.get("type") != "object" or "properties" not in schema:
        return f"{about}export type {name} = {_type(schema)};\n"
    required = schema.get("required", ())
    lines = []
    for field, described in schema["properties"].items():
        kind = _type(described)
        if field in HIDDEN and is_asked:
            kind = kind.replace("string", "string | Hidden", 1)
        mark = "" if field in required else "?"
        kind += " | undefined" if mark and is_asked else ""
        lines.append(f"{_comment(described.get('description', ''), '  ')}")
        lines.append(f"  readonly {_key(field)}{mark}: {kind};\n")
    return f"{about}export interface {name} {{\n{''.join(lines)}}}\n"


def _type(schema: Any) -> str:
    """A schema as a type of TypeScript."""
    if not isinstance(schema, Mapping):
        return "unknown"
    if "$ref" in schema:
        return _name(schema)
    if "enum" in schema or "const" in schema:
        return " | ".join(json.dumps(word) for word in schema.get("enum", [schema.get("const")]))
    kinds = schema.get("anyOf") or schema.get("oneOf")
    if kinds:
        return " | ".join(dict.fromkeys(_type(each) for each in kinds))
    kind = schema.get("type")
    if isinstance(kind, list):
        return " | ".join(dict.fromkeys(_type({**schema, "type": each}) for each in kind))
    if kind == "array":
        inner = _type(schema.get("items"))
        return f"readonly ({inner})[]" if " " in inner else f"readonly {inner}[]"
    if kind == "object":
        return _object(schema)
    plain = {"string": "string", "integer": "number", "number": "number", "boolean": "boolean"}
    return plain.get(str(kind), "null" if kind == "null" else "unknown")


def _object(schema: Mapping[str, Any]) -> str:
    if "properties" in schema:
        required = schema.get("required", ())
        fields = (
            f"readonly {_key(name)}{'' if name in required else '?'}: {_type(each)}"
            for name, each in schema["properties"].items()
        )
        return "{ " + "; ".join(fields) + " }"
    inner = schema.get("additionalProperties")
    return f"{{ readonly [name: string]: {_type(inner if inner is not True else None)} }}"


def _key(name: str) -> str:
    return name if name.isidentifier() else json.dumps(name)


def _comment(text: str, indent: str) -> str:
    told = " ".join(text.split()).replace("*/", "* /")
    return f"{indent}/** {told} */\n" if told else ""


def _types_of(calls: list[dict[str, Any]]) -> str:
    """What each operation takes and answers with."""
    lines = ["/** What each operation takes, and what it answers with. */"]
    lines.append("export interface Operations {")
    for call in calls:
        body = "undefined" if call["body"] is None else _type(call["body"])
        told = _comment(call["about"], "  ")
        lines.append(
            f"{told}  {call['name']}: {{\n"
            f"    path: {_parameters(call, 'path')};\n"
            f"    query: {_parameters(call, 'query')};\n"
            f"    body: {body};\n"
            f"    result: {_type(call['answers'])};\n"
            "  };"
        )
    return "\n".join([*lines, "}\n"])


def _parameters(call: Mapping[str, Any], place: str) -> str:
    fields = [
        f"readonly {_key(each['name'])}{'' if each.get('required') else '?'}: "
        f"{_type(each['schema'])}{'' if each.get('required') else ' | undefined'}"
        for each in call["parameters"]
        if each["in"] == place
    ]
    return f"{{ {'; '.join(fields)} }}" if fields else "Record<string, never>"


def _table_of(calls: list[dict[str, Any]]) -> str:
    """How each operation is called."""
    lines = ["/** How each operation is called. */", "export const OPERATIONS = {"]
    for call in calls:
        values = {
            "method": call["method"].upper(),
            "path": call["path"],
            "answer": call["answer"],
            "repeat": call["repeat"],
        }
        told = ", ".join(f"{name}: {json.dumps(value)}" for name, value in values.items())
        lines.append(f"  {call['name']}: {{ {told} }},")
    return "\n".join([*lines, "} as const;\n"])


def served_document() -> Any:
    """The document as a sandbox server of this version shows it."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    with tempfile.TemporaryDirectory() as home:
        command = [sys.executable, "-m", "gatehouse", "serve", "--port", str(port)]
        server = subprocess.Popen(
            command,
            env={"GATEHOUSE_HOME": home},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            return _fetched(f"http://127.0.0.1:{port}/openapi.json", server)
        finally:
            server.terminate()
            server.wait(_PATIENCE_S)


def _fetched(url: str, server: "subprocess.Popen[bytes]") -> Any:
    ends_at = time.monotonic() + _PATIENCE_S
    while True:
        try:
            with urllib.request.urlopen(url, timeout=_PATIENCE_S) as answer:
                return json.load(answer)
        except urllib.error.URLError:
            if server.poll() is not None or time.monotonic() > ends_at:
                raise
            time.sleep(0.1)


def main() -> None:
    """Write the types, or check them."""
    parser = argparse.ArgumentParser(prog="generate_typescript", description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; 1 when stale")
    check = parser.parse_args().check
    for file, text in written(served_document()).items():
        if file.exists() and file.read_text("utf-8") == text:
            continue
        if check:
            sys.exit(f"{file.name} is stale; run: make types")
        file.write_text(text, "utf-8")
        print(f"{file.name} written")


if __name__ == "__main__":
    main()

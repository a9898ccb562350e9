"""Writes the methods of the TypeScript client for the management API, from our OpenAPI document."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from gatehouse.core.api_values import camel
from scripts.client_operations import REF, ApiOperation, grouped

_PREFIX: Final = "manage."
_BASES: Final = {"manage.jobs": "JobCalls"}
"""What groups have beside their calls, written by hand."""
_HEAD: Final = """\
// Made by scripts/generate_typescript.py from the OpenAPI document; do not edit, run: make types

import { Calls, JobCalls } from "./calls.js";
import type { Body, Query, Send } from "./caller.js";
import type { Answer } from "./exchange.js";
import type * as api from "./generated.js";
import type { CallOptions } from "./options.js";
import { Listing } from "./paging.js";

"""


def manage_module(document: Mapping[str, Any]) -> str:
    """The module with one class for each subject, and one that holds them all."""
    groups = {name: one for name, one in grouped(document).items() if name.startswith(_PREFIX)}
    parts = [_group(name, methods) for name, methods in sorted(groups.items())]
    return _HEAD + "\n".join([*parts, _holder(sorted(groups))])


def _holder(groups: list[str]) -> str:
    subjects = {_property(name): _class(name) for name in groups}
    return "\n".join(
        [
            "/** The management API; the key needs `manage`, or a scope of the subject. */",
            "export class Manage {",
            *(f"  readonly {own}: {kind};" for own, kind in subjects.items()),
            "",
            "  constructor(send: Send) {",
            *(f"    this.{own} = new {kind}(send);" for own, kind in subjects.items()),
            "  }",
            "}\n",
        ]
    )


def _group(name: str, methods: Mapping[str, ApiOperation]) -> str:
    base = _BASES.get(name, "Calls")
    lines = [f"export class {_class(name)} extends {base} {{"]
    for method, one in methods.items():
        write = _listing if one.paging else _method
        lines += [*(f"  {line}" for line in write(camel(method), one)), ""]
    return "\n".join([*lines[:-1], "}\n"])


def _property(group: str) -> str:
    return camel(group.removeprefix(_PREFIX))


def _class(group: str) -> str:
    own = _property(group)
    return f"Manage{own[0].upper()}{own[1:]}"


def _method(method: str, one: ApiOperation) -> Iterator[str]:
    yield _comment(one)
    yield f"{method}({', '.join(_parameters(one))}): Promise<Answer<api.{one.answer}>> {{"
    yield f'  return this.send("{one.name}", {_inputs(one)}, own);'
    yield "}"


def _listing(method: str, one: ApiOperation) -> Iterator[str]:
    """A method whose answer goes on over pages."""
    paging = one.paging
    assert paging is not None
    items = one.schemas[one.answer]["properties"][paging.items]["items"]
    found = f'api.{one.answer}["{paging.items}"][number]'
    item = f"api.{items['$ref'].removeprefix(REF)}" if "$ref" in items else found
    place = "body" if one.body else "query"
    yield _comment(one)
    yield f"{method}({', '.join(_parameters(one))}): Listing<api.{one.answer}, {item}> {{"
    yield "  return new Listing({"
    if paging.parameter is None:
        yield f'    ask: () => this.send("{one.name}", {_inputs(one)}, own),'
        yield "    hasMore: () => false,"
    else:
        last = f"{paging.items}.at(-1)?.{paging.key}" if paging.key else paging.cursor
        yield "    ask: (page) => {"
        yield f"      const {paging.parameter} = page?.{last} ?? {place}.{paging.parameter};"
        asked = _inputs(one, **{place: f"{{ ...{place}, {paging.parameter} }}"})
        yield f'      return this.send("{one.name}", {asked}, own);'
        yield "    },"
        some = f" && page.{paging.items}.length > 0" if paging.key else ""
        yield f"    hasMore: (page) => page.hasMore{some},"
    yield f"    items: (page) => page.{paging.items},"
    yield "  });"
    yield "}"


def _parameters(one: ApiOperation) -> Iterator[str]:
    """What the path names, the body or else the query, and how this call differs from others."""
    for name in one.path_names:
        yield f"{name}: string" + ("" if name.endswith("Id") else " | number")
    own = "CallOptions"
    if one.body:
        yield f'body: Body<"{one.name}">' + ("" if one.body_required else " = {}")
        if one.query:
            own += f' & Query<"{one.name}">'
    elif one.query:
        yield f'query: Query<"{one.name}"> = {{}}'
    yield f"own?: {own}"


def _inputs(one: ApiOperation, **given: str) -> str:
    """What is sent, as an object."""
    parts = {}
    if one.path_names:
        pairs = (
            name if name.endswith("Id") else f"{name}: `${{{name}}}`" for name in one.path_names
        )
        parts["path"] = f"{{ {', '.join(pairs)} }}"
    if one.query and one.body:
        pairs = (f"{each['name']}: own?.{each['name']}" for each in one.query)
        parts["query"] = f"{{ {', '.join(pairs)} }}"
    elif one.query:
        parts["query"] = "query"
    if one.body:
        parts["body"] = "body"
    told = {name: given.get(name, text) for name, text in parts.items()}
    pairs = (name if name == text else f"{name}: {text}" for name, text in told.items())
    return f"{{ {', '.join(pairs)} }}" if told else "{}"


def _comment(one: ApiOperation) -> str:
    about = " ".join(one.spec.get("description", one.spec["summary"]).split())
    return f"/** {about.replace('*/', '* /')} */"

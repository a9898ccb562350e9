"""Writes the methods of the Python client, one for each operation of our OpenAPI document."""

import re
import textwrap
from collections.abc import Iterator, Mapping
from typing import Any, Final, Protocol

from scripts.client_methods import each_name, snake
from scripts.client_operations import ApiOperation, Paging, grouped

_BASES: Final = {"manage.jobs": "JobWaiting"}
"""What groups have beside their calls, written by hand."""


class TypeSource(Protocol):
    """Gives annotations of Python for schemas."""

    schemas: Mapping[str, Any]
    sent: set[str]

    def of(self, name: str, schema: Mapping[str, Any], *, sent: bool) -> str:
        """The annotation of a field."""


class MethodWriter:
    """Writes the module for one kind of client."""

    def __init__(self, document: Mapping[str, Any], types: TypeSource) -> None:
        self._types = types
        self._groups = grouped(document)

    def module(self, kind: str) -> str:
        """The text of the module, `sync` or `async`."""
        is_async = kind == "async"
        sender = "AsyncSender" if is_async else "Sender"
        kind, waiting = ("asynchronous", "Async") if is_async else ("blocking", "")
        parts = [_HEAD.format(sender=sender, kind=kind, waiting=f"{waiting}JobWaiting")]
        ordered = sorted(self._groups, key=lambda one: (-one.count("."), one == "", one))
        nested = [one for one in ordered if one.startswith("manage.")]
        parts += [self._class(group, is_async, sender) for group in ordered if group]
        if nested:
            parts.append(self._holder("Manage", "The management API.", nested, sender))
        top = [one for one in ordered if one and "." not in one] + (["manage"] if nested else [])
        parts.append(self._class("", is_async, sender, top))
        return "\n\n\n".join(parts)

    def _holder(self, name: str, about: str, groups: list[str], sender: str) -> str:
        lines = [
            f"class {name}:",
            f'    """{about}"""',
            "",
            f"    def __init__(self, sender: {sender}) -> None:",
        ]
        made = (f"self.{group.rpartition('.')[2]} = {_class_name(group)}" for group in groups)
        return "\n".join([*lines, *(f"        {one}(sender)" for one in made)])

    def _class(
        self, group: str, is_async: bool, sender: str, below: list[str] | None = None
    ) -> str:
        name = _class_name(group) if group else "Methods"
        about = (
            f"Calls about {group.rpartition('.')[2].replace('_', ' ')}." if group else "All calls."
        )
        base = f"({'Async' * is_async}{_BASES[group]})" if group in _BASES else ""
        lines = [
            f"class {name}{base}:",
            f'    """{about}"""',
            "",
            f"    def __init__(self, sender: {sender}) -> None:",
        ]
        lines.append("        self._send = sender.send")
        lines += [f"        self.{one} = {_class_name(one)}(sender)" for one in below or ()]
        for method, operation in self._groups[group].items():
            lines += ["", *("    " + line for line in self._method(method, operation, is_async))]
            if paging := operation.paging:
                each = self._each(method, operation, paging, is_async)
                lines += ["", *("    " + line for line in each)]
        return "\n".join(lines)

    def _parameters(self, one: ApiOperation) -> Iterator[tuple[str, str, bool]]:
        """Name, annotation and whether it is required, for each that has a keyword."""
        own = [(key, schema, key in one.body_required) for key, schema in one.body_fields.items()]
        own += [(each["name"], each["schema"], bool(each.get("required"))) for each in one.query]
        own += [(each["name"], {"type": "string"}, False) for each in one.headers]
        for name, schema, is_required in sorted(own, key=lambda each: not each[2]):
            # A body that is an answer as well has the types of answers, but takes any sequence.
            shared = name in one.body_fields and one.body not in self._types.sent
            kind = self._types.of(name, schema, sent=not shared)
            kind = re.sub(r"^tuple\[(.*), \.\.\.\]$", r"Sequence[\1]", kind)
            if not is_required and "None" not in kind.split(" | "):
                kind += " | None"
            yield snake(name), kind, is_required
        if one.is_keyed:
            yield "idempotency_key", "str | None", False
        yield "options", "CallOptions | None", False

    def _signature(self, one: ApiOperation) -> str:
        first = ["self", *(f"{snake(name)}: {_path_kind(name)}" for name in one.path_names)]
        named = [
            f"{name}: {kind}" + ("" if required else " = None")
            for name, kind, required in self._parameters(one)
        ]
        return ", ".join([*first, *(["*", *named] if named else [])])

    def _method(self, method: str, one: ApiOperation, is_async: bool) -> list[str]:
        head = f"def {method}({self._signature(one)}) -> Answer[models.{one.answer}]:"
        about = one.spec.get("description") or one.spec["summary"]
        lines = [
            f"{_async(is_async)}{_qualified(head, self._types)}",
            *docstring(about, 8).replace("        ", "    ").split("\n"),
        ]
        lines.append(f"    return {_await(is_async)}self._send(Call(")
        lines += [f"        {line}," for line in self._call(one)]
        return [*lines, "    ))"]

    def _call(self, one: ApiOperation) -> Iterator[str]:
        yield f'method="{one.verb.upper()}"'
        path = re.sub(r"{(\w+)}", lambda found: "{" + snake(found[1]) + "}", one.path)
        yield f'path="{path}"'
        yield f"answer=models.{one.answer}"
        yield f'named="{one.field}"'
        yield f"repeat=Repeat.{one.repeat.upper()}"
        if one.path_names:
            pairs = (f'"{snake(name)}": {snake(name)}' for name in one.path_names)
            yield f"path_values={{{', '.join(pairs)}}}"
        for argument, given in (("query", one.query), ("headers", one.headers)):
            if given:
                pairs = (f'"{each["name"]}": {snake(each["name"])}' for each in given)
                yield f"{argument}={{{', '.join(pairs)}}}"
        if one.body:
            filled = (f"{snake(name)}={self._given(one, name)}" for name in one.body_fields)
            yield f"body=models.{one.body}({', '.join(filled)})"
        if one.is_keyed:
            yield "idempotency_key=idempotency_key"
        if any(each["name"] == "wait" for each in one.query):
            yield "extra_wait_s=float(wait or 0)"
        yield "options=options or {}"

    def _given(self, one: ApiOperation, name: str) -> str:
        """What a body gets for a parameter: one that is an answer as well has tuples in it."""
        schema, python = one.body_fields[name], snake(name)
        if one.body in self._types.sent or schema.get("type") != "array":
            return python
        return f"tuple({python})" if name in one.body_required else f"tuple({python} or ())"

    def _each(self, method: str, one: ApiOperation, paging: Paging, is_async: bool) -> list[str]:
        schema = self._types.schemas[one.answer]["properties"][paging.items]["items"]
        kind = self._types.of(paging.items, schema, sent=False)
        passed = [snake(name) for name in one.path_names]
        passed += [f"{each}={each}" for each, _, _ in self._parameters(one)]
        iterator = "AsyncIterator" if is_async else "Iterator"
        head = f"def {each_name(method)}({self._signature(one)}) -> {iterator}[{kind}]:"
        step, found = f"self.{method}({', '.join(passed)})", snake(paging.items)
        lines = [
            f"{_async(is_async)}{_qualified(head, self._types)}",
            f'    """Each of the {found.replace("_", " ")}, page after page."""',
            "    while True:",
            f"        page = ({_await(is_async)}{step}).result",
        ]
        if is_async:
            lines += [f"        for one in page.{found}:", "            yield one"]
        else:
            lines += [f"        yield from page.{found}"]
        if paging.parameter is None:
            return [*lines[:2], *(line.removeprefix("    ") for line in lines[3:])]
        lines += [f"        if {_ends(paging)}:", "            return"]
        source = f"{found}[-1].{snake(paging.key)}" if paging.key else snake(paging.cursor or "")
        return [*lines, f"        {snake(paging.parameter)} = page.{source}"]


def _ends(paging: Paging) -> str:
    """The condition that there are no more pages."""
    if not paging.says_more:
        return f"page.{snake(paging.cursor or '')} is None"
    empty = f" or not page.{snake(paging.items)}" if paging.key else ""
    return "not page.has_more" + (" and not wait" if paging.waits else empty)


def _path_kind(name: str) -> str:
    """Names of pipelines and models are numbers, which nobody should have to write as texts."""
    return "str" if name.endswith("Id") else "str | int"


def _async(is_async: bool) -> str:
    return "async " if is_async else ""


def _await(is_async: bool) -> str:
    return "await " if is_async else ""


def docstring(text: str, indent: int) -> str:
    """A text as a docstring of lines that are not too long."""
    plain, space = " ".join(text.replace("\\", "\\\\").split()), " " * indent
    lines = textwrap.wrap(plain, 97 - indent, break_long_words=False, break_on_hyphens=False)
    if len(lines) <= 1 and len(plain) <= 94 - indent:
        return f'{space}"""{plain}"""'
    head, *rest = textwrap.wrap(plain, 96 - indent, break_long_words=False, break_on_hyphens=False)
    return "\n".join([f'{space}"""{head}', *(space + line for line in rest), f'{space}"""'])


def _qualified(head: str, types: TypeSource) -> str:
    """Names of structs with their module before them."""
    return re.sub(
        r"(?<![\w.])([A-Z]\w+)(?![\w(])",
        lambda found: f"models.{found[1]}" if found[1] in types.schemas else found[1],
        head,
    )


def _class_name(group: str) -> str:
    words = "".join(word.capitalize() for word in re.split(r"[._]", group))
    return words if group == "manage" else f"{words}Calls"


_HEAD: Final = '''\
"""The methods of the {kind} client, written by a script from the OpenAPI document."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from gatehouse_client import models
from gatehouse_client._calls import Answer, Call, CallOptions, Repeat
from gatehouse_client._sending import {sender}
from gatehouse_client._waiting import {waiting}'''

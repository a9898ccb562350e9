"""One call of an operation as programs: for a shell, and with our clients.

Each runs as it stands. What only the caller can know is read from the environment: a text `$NAME`
stands for the variable of that name.
"""

import json
import re
from collections.abc import Callable, Mapping
from typing import Any, Final
from urllib.parse import quote

import msgspec

from gatehouse.core.api_values import camel
from scripts.client_methods import each_name, is_listing, snake
from scripts.reference.sample_values import PythonValues, TypeScriptValues

_OWN_HEADERS: Final = ("If-Match",)
"""Headers that a caller gives to a method; the clients fill in the others."""


class SampleCall(msgspec.Struct, frozen=True, kw_only=True):
    """What is sent; paths, headers and texts in the body may name variables."""

    name: str
    """The method of the clients, as Python writes it."""
    method: str
    base: str
    path: str
    path_values: Mapping[str, str] = {}
    query: Mapping[str, str] = {}
    headers: Mapping[str, str] = {}
    body: Any = msgspec.UNSET
    """With a `NamedObject` for each part that has a struct of its own."""


def as_curl(call: SampleCall) -> str:
    """For a shell."""
    verb = "" if call.method == "get" else f"-X {call.method.upper()} "
    lines = [f'curl {verb}"{_address(call)}"']
    lines += [f'-H "{name}: {value}"' for name, value in call.headers.items()]
    if call.body is not msgspec.UNSET:
        quoted = pretty(call.body).replace("'", "'\\''")
        # A variable stands outside the single quotes.
        opened = re.sub(r'"(\$[A-Z][A-Z0-9_]*)"', lambda found: f"""\"'"{found[1]}"'\"""", quoted)
        lines.append(f"-d '{opened}'")
    return " \\\n  ".join(lines)


def _address(call: SampleCall) -> str:
    path = call.path
    for name, value in call.path_values.items():
        path = path.replace(f"{{{name}}}", _quoted(value))
    query = "&".join(f"{name}={_quoted(value)}" for name, value in call.query.items())
    return f"{call.base}{path}?{query}" if query else call.base + path


def _quoted(value: str) -> str:
    """A part of an address; a variable in it stays one."""
    return quote(value, safe="$")


def as_python(call: SampleCall) -> str:
    """With the client for Python."""
    write = PythonValues()
    given = {**(call.body or {}), **call.query, **_own(call)}
    arguments = [write.value(value, 1) for value in call.path_values.values()]
    arguments += [f"{snake(name)}={write.value(value, 2)}" for name, value in given.items()]
    group, _, method = call.name.rpartition(".")
    reads_each = is_listing(call.name)
    name = ".".join(filter(None, ["gatehouse", group, each_name(method) if reads_each else method]))
    asked = _called(name, arguments, indent=1)
    shown = [f"    for each in {asked}:", "        print(each)"]
    if not reads_each:
        shown = [f"    answer = {asked}", "    print(answer.result)"]
    lines = [*(["import os", ""] if "os.environ" in asked else [])]
    lines += [f"from gatehouse_client import Gatehouse{', models' * ('models.' in asked)}", ""]
    return "\n".join([*lines, "with Gatehouse.from_env() as gatehouse:", *shown])


def as_typescript(call: SampleCall) -> str:
    """With the client for TypeScript, as a module of Node.js."""
    write = TypeScriptValues()
    arguments = [write.value(value, 0) for value in call.path_values.values()]
    if call.body:
        arguments.append(write.value(call.body, 0))
    options = {camel(snake(name)): value for name, value in _own(call).items()}
    if own := {**call.query, **options}:
        arguments.append(write.value(own, 0))
    group, _, method = call.name.rpartition(".")
    name = ".".join(filter(None, ["gatehouse", camel(group), camel(method)]))
    asked = f"{name}({', '.join(arguments)})"
    shown = [f"const {{ result }} = await {asked};", "console.log(result);"]
    if is_listing(call.name):
        shown = [f"for await (const each of {asked}) {{", "  console.log(each);", "}"]
    head = ['import { Gatehouse } from "gatehouse-client";', "", _MADE]
    return "\n".join([*head, *shown])


_MADE: Final = "const gatehouse = Gatehouse.fromEnv();"
LANGUAGES: Final[Mapping[str, Callable[[SampleCall], str]]] = {
    "curl": as_curl,
    "Python": as_python,
    "TypeScript": as_typescript,
}


def _own(call: SampleCall) -> dict[str, str]:
    return {name: call.headers[name] for name in _OWN_HEADERS if name in call.headers}


def _called(name: str, arguments: list[str], *, indent: int) -> str:
    """A call in Python, on one line if it fits."""
    space = "    " * indent
    line = f"{name}({', '.join(arguments)})"
    if "\n" not in line and len(line) + len(space) <= 80:
        return line
    inside = "".join(f"\n{space}    {each}," for each in arguments)
    return f"{name}({inside}\n{space})"


def pretty(value: Any) -> str:
    """JSON on several lines."""
    return json.dumps(value, indent=2, ensure_ascii=False)

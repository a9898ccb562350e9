"""One call of an operation as programs: for a shell, in Python and in JavaScript.

Each runs as it stands, with nothing installed beyond the language. What only the caller can know
is read from the environment: a text `$NAME` stands for the variable of that name.
"""

import json
import re
from collections.abc import Callable, Mapping
from typing import Any, Final

import msgspec

_VARIABLE: Final = re.compile(r"\$([A-Z][A-Z0-9_]*)")
_WORDS: Final = {True: "True", False: "False", None: "None"}


class SampleCall(msgspec.Struct, frozen=True):
    """What is sent; the address, the headers and texts in the body may name variables."""

    method: str
    address: str
    headers: Mapping[str, str]
    body: Any = msgspec.UNSET


def as_curl(call: SampleCall) -> str:
    """For a shell."""
    verb = "" if call.method == "get" else f"-X {call.method.upper()} "
    lines = [f'curl {verb}"{call.address}"']
    lines += [f'-H "{name}: {value}"' for name, value in call.headers.items()]
    if call.body is not msgspec.UNSET:
        quoted = pretty(call.body).replace("'", "'\\''")
        # A variable stands outside the single quotes.
        opened = re.sub(r'"(\$[A-Z][A-Z0-9_]*)"', lambda found: f"""\"'"{found[1]}"'\"""", quoted)
        lines.append(f"-d '{opened}'")
    return " \\\n  ".join(lines)


def as_python(call: SampleCall) -> str:
    """For Python, with its standard library alone."""
    inside = [f'method="{call.method.upper()}",', "headers={"]
    inside += [f'    "{name}": {_python_text(text)},' for name, text in call.headers.items()]
    inside.append("},")
    if call.body is not msgspec.UNSET:
        literal = _python(call.body).replace("\n", "\n    ")
        inside.append(f"data=json.dumps({literal}).encode(),")
    lines = [
        "import json",
        "import os",
        "from urllib.request import Request, urlopen",
        "",
        "request = Request(",
        f"    {_python_text(call.address)},",
        *("    " + line for line in inside),
        ")",
        "with urlopen(request, timeout=30) as answer:",
        "    print(json.load(answer))",
    ]
    return "\n".join(lines)


def as_javascript(call: SampleCall) -> str:
    """For JavaScript on a server: Node.js 18 or newer, as a module."""
    inside = [f'method: "{call.method.upper()}",', "headers: {"]
    inside += [f'  "{name}": {_script_text(text)},' for name, text in call.headers.items()]
    inside.append("},")
    if call.body is not msgspec.UNSET:
        body = re.sub(r'"\$([A-Z][A-Z0-9_]*)"', r"process.env.\1", pretty(call.body))
        inside.append("body: JSON.stringify(" + body.replace("\n", "\n  ") + "),")
    lines = [
        f"const answer = await fetch({_script_text(call.address)}, {{",
        *("  " + line for line in inside),
        "});",
        "console.log(await answer.json());",
    ]
    return "\n".join(lines)


LANGUAGES: Final[Mapping[str, Callable[[SampleCall], str]]] = {
    "curl": as_curl,
    "Python": as_python,
    "JavaScript": as_javascript,
}


def pretty(value: Any) -> str:
    """JSON on several lines."""
    return json.dumps(value, indent=2, ensure_ascii=False)


def _python(value: Any) -> str:
    """A value as it is written in Python, on several lines."""
    if isinstance(value, dict | list):
        items = value.items() if isinstance(value, dict) else ((None, one) for one in value)
        lines = [
            ("" if key is None else f"{json.dumps(key, ensure_ascii=False)}: ") + _python(one)
            for key, one in items
        ]
        opening, closing = "{}" if isinstance(value, dict) else "[]"
        inner = "".join(f"\n    {line.replace(chr(10), chr(10) + '    ')}," for line in lines)
        return f"{opening}{inner}\n{closing}" if lines else opening + closing
    if value is None or isinstance(value, bool):
        return _WORDS[value]
    return _python_text(value) if isinstance(value, str) else json.dumps(value)


def _python_text(text: str) -> str:
    if whole := _VARIABLE.fullmatch(text):
        return f'os.environ["{whole[1]}"]'
    literal = json.dumps(text, ensure_ascii=False)
    if not _VARIABLE.search(text):
        return literal
    doubled = literal.replace("{", "{{").replace("}", "}}")
    return "f" + _VARIABLE.sub(r"{os.environ['\1']}", doubled)


def _script_text(text: str) -> str:
    if whole := _VARIABLE.fullmatch(text):
        return f"process.env.{whole[1]}"
    if not _VARIABLE.search(text):
        return json.dumps(text, ensure_ascii=False)
    escaped = text.replace("\\", "\\\\").replace("`", "\\`").replace("${", "\\${")
    return "`" + _VARIABLE.sub(r"${process.env.\1}", escaped) + "`"

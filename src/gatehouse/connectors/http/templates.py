"""Templates: texts with named fields in braces, such as `{card.expiry.year|last:2}`.

A format follows a bar, and changes the text before it. `{{` and `}}` stand for braces.
"""

import re
import string
from collections.abc import Callable, Iterator, Mapping
from typing import Final

import msgspec
from anyascii import anyascii

from gatehouse.connectors.http.asked import Asked
from gatehouse.connectors.http.fields import FIELDS, OF_SIGNING, Value

_HOLE: Final = re.compile(r"\{\{|\}\}|\{([^{}]*)\}|[{}]")
_FIELD_NAME: Final = re.compile(r"[a-z0-9_]+(\.[a-z0-9_]+)*")
_LARGEST_COUNT: Final = 1_000
_TIME_MARKS: Final = "YymbdajHMSf%"

Render = Callable[[Asked], Value]
Change = Callable[[Value], Value]


class TemplateRefused(ValueError):
    """A template cannot be read; where in the text, counted from 1, and why."""

    def __init__(self, column: int, message: str) -> None:
        super().__init__(message)
        self.column = column


class FormatUse(msgspec.Struct, frozen=True):
    """A format as it is written in a template."""

    name: str
    argument: str | None = None


class Hole(msgspec.Struct, frozen=True):
    """A field in braces."""

    field: str
    formats: tuple[FormatUse, ...]
    column: int


Parts = tuple[str | Hole, ...]


def parse_template(text: str) -> Parts:
    """The plain texts and fields of a template, in their order; or `TemplateRefused`."""
    parts: list[str | Hole] = []
    plain, end = "", 0
    for found in _HOLE.finditer(text):
        plain += text[end : found.start()]
        end = found.end()
        written = found.group()
        column = found.start() + 1
        if written in ("{{", "}}"):
            plain += written[0]
            continue
        if found.group(1) is None:
            raise TemplateRefused(column, f"a lonely {written}; write {written * 2} for a brace")
        if plain:
            parts.append(plain)
            plain = ""
        parts.append(_parse_hole(found.group(1), column))
    plain += text[end:]
    return (*parts, plain) if plain or not parts else tuple(parts)


def _parse_hole(inside: str, column: int) -> Hole:
    name, *formats = inside.split("|")
    if _FIELD_NAME.fullmatch(name) is None:
        raise TemplateRefused(
            column, "needs the name of a field in its braces, such as {card.number}"
        )
    return Hole(name, parse_formats("|".join(formats), column) if formats else (), column)


def parse_formats(text: str, column: int = 1) -> tuple[FormatUse, ...]:
    """Formats with bars between them; or `TemplateRefused`."""
    uses = []
    for each in text.split("|"):
        name, colon, argument = each.partition(":")
        problem = _format_problem(name, argument if colon else None)
        if problem is not None:
            raise TemplateRefused(column, problem)
        uses.append(FormatUse(name, argument if colon else None))
    return tuple(uses)


def _format_problem(name: str, argument: str | None) -> str | None:
    if name in _PLAIN:
        return f"the format {name} takes nothing after a colon" if argument is not None else None
    if name in _COUNTED:
        if argument is None or not argument.isdecimal() or not 1 <= int(argument) <= _LARGEST_COUNT:
            return f"the format {name} needs a number from 1 to {_LARGEST_COUNT}, such as {name}:4"
        return None
    if name == "time":
        marks = re.findall("%(.?)", argument or "", re.DOTALL)
        if not marks or not all(mark and mark in _TIME_MARKS for mark in marks):
            return "the format time needs marks such as time:%Y-%m-%d; there are " + ", ".join(
                f"%{mark}" for mark in _TIME_MARKS
            )
        return None
    if name in _WORDED:
        return None if argument else f"the format {name} needs a text, such as {name}:word"
    return f"the format {name[:32]!r} is not known; there are {', '.join(ALL_FORMATS)}"


def holes(parts: Parts) -> Iterator[Hole]:
    """The fields of a template."""
    for part in parts:
        if isinstance(part, Hole):
            yield part


Tables = Mapping[str, Mapping[str, str]]


def compile_change(uses: tuple[FormatUse, ...], tables: Tables) -> Change:
    """One function for formats in a row; what is absent stays so, unless `else` says otherwise."""
    changes = [_change(use, tables) for use in uses]
    if len(changes) == 1:
        return changes[0]

    def change(value: Value) -> Value:
        for each in changes:
            value = each(value)
        return value

    return change


def _change(use: FormatUse, tables: Tables) -> Change:
    name, argument = use.name, use.argument or ""
    if name == "else":
        return lambda value: argument if value is None else value
    if name == "table":
        table = tables[argument]
        other = table.get("*")
        return lambda value: None if value is None else table.get(str(value), other)
    if name == "then":
        return lambda value: None if value is None else argument
    if name == "number":
        return _to_number
    if name == "time":
        return lambda value: value
    of_text = _PLAIN[name] if name in _PLAIN else _COUNTED[name](int(argument))

    def change(value: Value) -> Value:
        return None if value is None else of_text(str(value)) or None

    return change


def _to_number(value: Value) -> Value:
    text = str(value)
    return int(text) if value is not None and text.isascii() and text.isdecimal() else None


def _split_street(text: str) -> tuple[str, str]:
    """The number of a house and the rest; the number may lead or follow."""
    words = text.split()
    for place in (0, -1):
        if len(words) > 1 and words[place][0].isdigit():
            number = words.pop(place)
            return number.strip(","), " ".join(words).strip(",")
    return "", " ".join(words)


def _word(count: int) -> Callable[[str], str]:
    def of_text(text: str) -> str:
        words = text.split()
        return words[count - 1] if len(words) >= count else ""

    return of_text


_PLAIN: Final[dict[str, Callable[[str], str]]] = {
    "upper": str.upper,
    "lower": str.lower,
    "trim": str.strip,
    "ascii": anyascii,
    "digits": lambda text: "".join(char for char in text if char in string.digits),
    "letters": lambda text: "".join(char for char in text if char.isalpha() or char == " "),
    "alphanumeric": lambda text: "".join(char for char in text if char.isalnum() or char == " "),
    "compact": lambda text: "".join(text.split()),
    "house_number": lambda text: _split_street(text)[0],
    "street_name": lambda text: _split_street(text)[1],
    "text": str,
    "number": str,
}
_COUNTED: Final[dict[str, Callable[[int], Callable[[str], str]]]] = {
    "max": lambda count: lambda text: text[:count].rstrip(),
    "fits": lambda count: lambda text: text if len(text) <= count else "",
    "first": lambda count: lambda text: text[:count],
    "last": lambda count: lambda text: text[-count:],
    "pad": lambda count: lambda text: text.rjust(count, "0"),
    "word": _word,
}
_WORDED: Final = ("else", "then", "table", "time")
ALL_FORMATS: Final = (*_PLAIN, *_COUNTED, *_WORDED)


class Environment(msgspec.Struct, frozen=True):
    """What templates are compiled with: known values by their full names, and tables."""

    constants: Mapping[str, str | None]
    """Options and secrets; None where an option is not given."""
    tables: Tables

    def __repr__(self) -> str:
        return "Environment(…)"


def compile_template(parts: Parts, environment: Environment) -> Render | str | int | None:
    """A function of the request; or the value itself, when no field of the request is in it."""
    compiled = [
        part if isinstance(part, str) else _compile_hole(part, environment) for part in parts
    ]
    if len(compiled) == 1:
        return compiled[0]
    if any(part is None for part in compiled):
        return None
    if not any(callable(part) for part in compiled):
        return "".join(str(part) for part in compiled)

    def render(asked: Asked) -> Value:
        texts = []
        for part in compiled:
            value = part(asked) if callable(part) else part
            if value is None:
                return None
            texts.append(str(value))
        return "".join(texts)

    return render


def _compile_hole(hole: Hole, environment: Environment) -> Render | str | int | None:
    change = compile_change(hole.formats, environment.tables) if hole.formats else None
    if hole.field in environment.constants:
        value = environment.constants[hole.field]
        return value if change is None else change(value)
    get = _timed(hole) or (
        _of_signing(hole.field) if hole.field in OF_SIGNING else FIELDS[hole.field].get
    )
    if change is None:
        return get
    return lambda asked: change(get(asked))


def _timed(hole: Hole) -> Render | None:
    """The moment in the way that the first format asks for."""
    if hole.field != "now" or not hole.formats or hole.formats[0].name != "time":
        return None
    pattern = hole.formats[0].argument or ""
    return lambda asked: asked.now.strftime(pattern)


def _of_signing(name: str) -> Render:
    return lambda asked: asked.signing.get(name)

"""Describes the schemas of an OpenAPI document in words: fields, types and limits."""

import json
from collections.abc import Iterator
from html import escape
from typing import Any, Final, NamedTuple

Json = dict[str, Any]

_DEEPEST: Final = 10
_DEEPEST_TYPE: Final = 4
_KINDS: Final = {str: "string", bool: "boolean", int: "integer", float: "number"}
_INT64: Final = (-(2**63), 2**63 - 1)
_RANGES: Final = {"Length": " characters", "Items": " items", "Properties": " keys", "imum": ""}
_LIMITS: Final = {
    "const": "always",
    "exclusiveMinimum": "above",
    "exclusiveMaximum": "below",
    "multipleOf": "a multiple of",
    "format": "format",
    "pattern": "matches",
}


class Field(NamedTuple):
    """One field below a schema, by its path."""

    path: str
    schema: Any
    required: bool
    note: str = ""


class Schemas:
    """Reads the document's schemas: follows references, lists fields, words types and limits."""

    def __init__(self, document: Json) -> None:
        self._document = document

    def resolve(self, schema: Any, depth: int = 0) -> Json:
        """The schema with its reference followed; keys beside the reference take precedence."""
        if not isinstance(schema, dict) or "$ref" not in schema or depth > _DEEPEST:
            return schema if isinstance(schema, dict) else {}
        found: Any = self._document
        for step in schema["$ref"].removeprefix("#/").split("/"):
            found = found.get(step) if isinstance(found, dict) else None
        beside = {key: value for key, value in schema.items() if key != "$ref"}
        return {**self.resolve(found, depth + 1), **beside}

    def fields(self, schema: Any, path: str = "", trail: tuple[str, ...] = ()) -> Iterator[Field]:
        """Every field below a schema; a schema that contains itself is listed once."""
        ref = schema.get("$ref", "") if isinstance(schema, dict) else ""
        if (ref and ref in trail) or len(trail) > _DEEPEST:
            again = {"type": "object", "description": "The same fields again, nested."}
            yield Field(f"{path}.…", again, required=True)
            return
        found, trail = self.resolve(schema), (*trail, ref)
        yield from self._variants(found, path, trail)
        for key, inner in found.get("properties", {}).items():
            here = f"{path}.{key}" if path else key
            yield Field(here, inner, key in found.get("required", ()))
            yield from self.fields(inner, here, trail)
        for word, inner in _elements(found):
            mark = "[]" if word == "array" else ".*" if path else "*"
            yield from self.fields(inner, path + mark, trail)

    def _variants(self, found: Json, path: str, trail: tuple[str, ...]) -> Iterator[Field]:
        every = [(one, [*self.fields(one, path, trail)]) for one in _options(found)]
        several = sum(bool(fields) for _, fields in every) > 1
        for number, (one, fields) in enumerate(every, 1):
            name = self.resolve(one).get("title") or one.get("$ref", f"variant {number}")
            for field in fields:
                note = field.note or f"in {name.rpartition('/')[2]}"
                yield field._replace(note=note) if several else field

    def kind(self, schema: Any, depth: int = 0) -> str:
        """The type in words."""
        found = self.resolve(schema)
        kind, options = found.get("type"), _options(found)
        if isinstance(kind, list):
            options = [{**found, "type": each} for each in kind]
        if depth > _DEEPEST_TYPE:
            return "any"
        if options:
            return " or ".join(dict.fromkeys(self.kind(one, depth + 1) for one in options))
        for word, inner in () if "properties" in found else _elements(found):
            named = self.kind(inner, depth + 1)
            return f"{word} of ({named})" if " or " in named else f"{word} of {named}"
        values = [*found.get("enum", ()), *([found["const"]] if "const" in found else ())]
        guessed = " or ".join(dict.fromkeys(_KINDS.get(type(value), "any") for value in values))
        return str(kind or guessed or ("object" if "properties" in found else "any"))

    def about(self, schema: Any) -> str:
        """The description, or that of what the schema wraps."""
        found = self.resolve(schema)
        wrapped = (self.resolve(part) for part in (*_options(found), found.get("items")))
        return next((one["description"] for one in (found, *wrapped) if "description" in one), "")

    def limits(self, schema: Any, depth: int = 0) -> Iterator[str]:
        """The constraints of a value, as phrases of HTML."""
        found = self.resolve(schema)
        yield from _own_limits(found)
        options = [one for one in _options(found) if self.kind(one) != "null"]
        below = [(f"{self.kind(one)}: " if len(options) > 1 else "", one) for one in options]
        below += [("each: ", inner) for _, inner in _elements(found)]
        for prefix, part in below if depth < _DEEPEST_TYPE else ():
            if phrases := ", ".join(self.limits(part, depth + 1)):
                yield escape(prefix) + phrases


def nested(fields: list[Field]) -> Iterator[tuple[Field, list[Field]]]:
    """The topmost of some fields in a row, each with those below it."""
    at = 0
    while at < len(fields):
        path, end = fields[at].path, at + 1
        while end < len(fields) and fields[end].path.startswith((f"{path}.", f"{path}[")):
            end += 1
        yield fields[at], fields[at + 1 : end]
        at = end


def _options(found: Json) -> list[Any]:
    every = (*found.get("anyOf", ()), *found.get("oneOf", ()))
    return [one for one in every if isinstance(one, dict)]


def _elements(found: Json) -> list[tuple[str, Json]]:
    """What an array or a map holds."""
    every = (("array", found.get("items")), ("map", found.get("additionalProperties")))
    return [(word, inner) for word, inner in every if isinstance(inner, dict) and inner]


def _own_limits(found: Json) -> Iterator[str]:
    if "enum" in found:
        yield "one of " + " ".join(map(as_code, found["enum"]))
    for key, word in _LIMITS.items():
        if key in found:
            yield f"{word} {as_code(found[key])}"
    for suffix, unit in _RANGES.items():
        least, most = found.get(f"min{suffix}"), found.get(f"max{suffix}")
        words = unit.removesuffix("s") if {least, most} <= {1, None} else unit
        if (least, most) == _INT64:
            yield "64 bits"
        elif least is not None and most is not None:
            yield escape(f"{least}{words}" if least == most else f"{least} to {most}{words}")
        elif least is not None or most is not None:
            yield escape(f"at least {least}{words}" if most is None else f"at most {most}{words}")
    if found.get("default") is not None:
        yield f"default {as_code(found['default'])}"


def as_code(value: Any) -> str:
    """A value of the document as it would be typed."""
    text = value if value and isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return f"<code>{escape(text)}</code>"

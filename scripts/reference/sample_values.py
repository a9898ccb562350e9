"""Values of an example as literals of Python and of TypeScript, each on one line if it fits."""

import json
import re
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, Final

from scripts.client_methods import snake
from scripts.reference.schemas import Schemas

VARIABLE: Final = re.compile(r"\$([A-Z][A-Z0-9_]*)")
_LONGEST: Final = 64
_WORDS: Final = {True: "True", False: "False", None: "None"}
_IDENTIFIER: Final = re.compile(r"[A-Za-z_]\w*")


class NamedObject(dict[str, Any]):
    """An object that has a schema of its own, and so a struct in the client for Python."""

    def __init__(self, kind: str, values: Mapping[str, Any]) -> None:
        super().__init__(values)
        self.kind = kind


def with_names(value: Any, schema: Any, schemas: Schemas) -> Any:
    """The value with each of its parts named that has a schema of its own."""
    found = schemas.resolve(schema)
    options = [schema, *found.get("anyOf", ()), *found.get("oneOf", ())]
    if isinstance(value, list):
        items = (schemas.resolve(one).get("items") for one in options)
        inside = next((one for one in items if one is not None), None)
        return [with_names(one, inside, schemas) for one in value]
    if not isinstance(value, dict):
        return value
    for one in options:
        fields = schemas.resolve(one).get("properties")
        if isinstance(one, dict) and "$ref" in one and fields:
            named = {key: with_names(value[key], fields.get(key), schemas) for key in value}
            return NamedObject(one["$ref"].rpartition("/")[2], named)
    return value


class Values(ABC):
    """Writes values in a language."""

    tab: str

    def value(self, value: Any, indent: int) -> str:
        """The value, whose first line stands behind something at this indentation."""
        if not isinstance(value, dict | list) or not value:
            return self.plain(value)
        opening, closing = self.brackets(value)
        parts = (
            [f"{self.key(value, key)}{self.value(one, indent + 1)}" for key, one in value.items()]
            if isinstance(value, dict)
            else [self.value(one, indent + 1) for one in value]
        )
        space = " " if opening == "{" and self.tab == "  " else ""
        line = f"{opening}{space}{', '.join(parts)}{space}{closing}"
        if "\n" not in line and len(line) <= _LONGEST:
            return line
        margin = self.tab * indent
        inside = "".join(f"\n{margin}{self.tab}{part}," for part in parts)
        return f"{opening}{inside}\n{margin}{closing}"

    def plain(self, value: Any) -> str:
        """A value without parts."""
        return self.text(value) if isinstance(value, str) else json.dumps(value)

    @abstractmethod
    def text(self, text: str) -> str:
        """A text, in which a variable may stand."""

    @abstractmethod
    def key(self, holder: dict[str, Any], name: str) -> str:
        """What stands before a value of an object."""

    def brackets(self, value: dict[str, Any] | list[Any]) -> tuple[str, str]:
        """What is around the parts of a value."""
        return ("[", "]") if isinstance(value, list) else ("{", "}")


class PythonValues(Values):
    """Literals of Python; an object with a schema is a struct of the client."""

    tab = "    "

    def plain(self, value: Any) -> str:
        """A value without parts."""
        if value is None or isinstance(value, bool):
            return _WORDS[value]
        return super().plain(value)

    def text(self, text: str) -> str:
        """A text, over several lines if it has several."""
        if whole := VARIABLE.fullmatch(text):
            return f'os.environ["{whole[1]}"]'
        if text.count("\n") > 1 and not re.search(r'[\\$]|"""|"$', text):
            return f'"""\\\n{text}"""'
        literal = json.dumps(text, ensure_ascii=False)
        if not VARIABLE.search(text):
            return literal
        doubled = literal.replace("{", "{{").replace("}", "}}")
        return "f" + VARIABLE.sub(r"{os.environ['\1']}", doubled)

    def key(self, holder: dict[str, Any], name: str) -> str:
        """What stands before a value of an object."""
        if isinstance(holder, NamedObject):
            return f"{snake(name)}="
        return f"{json.dumps(name, ensure_ascii=False)}: "

    def brackets(self, value: dict[str, Any] | list[Any]) -> tuple[str, str]:
        """What is around the parts of a value."""
        if isinstance(value, NamedObject):
            return f"models.{value.kind}(", ")"
        return super().brackets(value)


class TypeScriptValues(Values):
    """Literals of TypeScript."""

    tab = "  "

    def text(self, text: str) -> str:
        """A text, over several lines if it has several."""
        if whole := VARIABLE.fullmatch(text):
            return f"process.env.{whole[1]}"
        several = text.count("\n") > 1 and "\\" not in text
        if not several and not VARIABLE.search(text):
            return json.dumps(text, ensure_ascii=False)
        escaped = text.replace("\\", "\\\\").replace("`", "\\`").replace("${", "\\${")
        if not several:
            escaped = escaped.replace("\n", "\\n")
        return "`" + VARIABLE.sub(r"${process.env.\1}", escaped) + "`"

    def key(self, holder: dict[str, Any], name: str) -> str:
        """What stands before a value of an object."""
        return f"{name}: " if _IDENTIFIER.fullmatch(name) else f"{json.dumps(name)}: "

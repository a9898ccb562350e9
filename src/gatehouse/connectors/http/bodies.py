"""Bodies of requests: nested JSON whose texts are templates.

A member is left out when a field in its text is absent. An object or a list is left out when it
has fields of the request and none of them is there, or when `$when` names what is absent.
"""

from collections.abc import Callable, Iterator
from typing import Any, Final

from gatehouse.connectors.http.asked import Asked
from gatehouse.connectors.http.fields import FIELDS
from gatehouse.connectors.http.templates import Environment, compile_template, parse_template

WHEN: Final = "$when"

Build = Callable[[Asked], Any]
_ABSENT: Final = object()


def compile_body(node: Any, environment: Environment) -> Build:
    """A function that makes the body of a request; what is left out of everything is None."""
    compiled = _compile(node, environment)
    if not callable(compiled):
        return lambda asked: None if compiled is _ABSENT else compiled

    def build(asked: Asked) -> Any:
        built = compiled(asked)
        return None if built is _ABSENT else built

    return build


def _compile(node: Any, environment: Environment) -> Build | Any:
    """A function of the request, or the value itself where it is always the same."""
    if isinstance(node, str):
        return _compile_text(node, environment)
    if isinstance(node, dict):
        return _compile_object(node, environment)
    if isinstance(node, list | tuple):
        return _compile_list(node, environment)
    return node


def _compile_text(text: str, environment: Environment) -> Build | Any:
    compiled = compile_template(parse_template(text), environment)
    if compiled is None:
        return _ABSENT
    if not callable(compiled):
        return compiled

    def build(asked: Asked) -> Any:
        value = compiled(asked)
        return _ABSENT if value is None else value

    return build


def _compile_object(node: dict[str, Any], environment: Environment) -> Build | Any:
    members = {key: _compile(value, environment) for key, value in node.items() if key != WHEN}
    fixed = {
        key: value for key, value in members.items() if value is not _ABSENT and not callable(value)
    }
    made = [(key, value) for key, value in members.items() if callable(value)]
    wanted = compile_when(node.get(WHEN, ()), environment)
    if wanted is None:
        return _ABSENT
    if not made and not wanted:
        return fixed or (_ABSENT if members else fixed)
    order = [key for key in members if members[key] is not _ABSENT]

    def build(asked: Asked) -> Any:
        for get in wanted:
            if get(asked) is None:
                return _ABSENT
        found = {}
        for key, make in made:
            value = make(asked)
            if value is not _ABSENT:
                found[key] = value
        if not found and made:
            return _ABSENT
        if not fixed:
            return found
        found |= fixed
        return {key: found[key] for key in order if key in found}

    return build


def _compile_list(node: list[Any] | tuple[Any, ...], environment: Environment) -> Build | Any:
    items = [_compile(item, environment) for item in node]
    kept = [item for item in items if item is not _ABSENT]
    if not any(callable(item) for item in kept):
        return kept or (_ABSENT if items else kept)

    def build(asked: Asked) -> Any:
        found = [
            value
            for item in kept
            if (value := item(asked) if callable(item) else item) is not _ABSENT
        ]
        return found or _ABSENT

    return build


def compile_when(written: Any, environment: Environment) -> list[Build] | None:
    """How to find the fields that must be there; None: an option or a secret was not given."""
    known = environment.constants
    names = when_fields(written)
    if any(name in known and known[name] is None for name in names):
        return None
    return [FIELDS[name].get for name in names if name not in known]


def when_fields(written: Any) -> tuple[str, ...]:
    """What `when` or `brands` names: one or several."""
    return (written,) if isinstance(written, str) else tuple(written)


def texts_of(node: Any, path: str) -> Iterator[tuple[str, str]]:
    """Every text of a body with its path, `$when` apart."""
    if isinstance(node, str):
        yield path, node
    elif isinstance(node, dict):
        for key, value in node.items():
            if key != WHEN:
                yield from texts_of(value, f"{path}.{key}")
    elif isinstance(node, list):
        for index, item in enumerate(node):
            yield from texts_of(item, f"{path}[{index}]")

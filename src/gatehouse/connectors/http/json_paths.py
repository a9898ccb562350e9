"""Paths into an answer: `a.b`, `list[0].c`, `list[type=PASSPORT].result`, `a."key.with.dots"`."""

import re
from collections.abc import Callable
from typing import Any, Final

import msgspec

_STEP: Final = re.compile(
    r"""(?P<dot>\.)?(?P<key>[A-Za-z0-9_$@-]+|"[^"]+")"""
    r"""|\[(?P<index>[0-9]{1,3})\]"""
    r"""|\[(?P<name>[A-Za-z0-9_$@-]+|"[^"]+")=(?P<word>[^\[\]]{1,100})\]"""
)
_MOST_STEPS: Final = 20


class PathRefused(ValueError):
    """A path cannot be read; where in the text, counted from 1."""

    def __init__(self, column: int, message: str) -> None:
        super().__init__(message)
        self.column = column


class PathStep(msgspec.Struct, frozen=True):
    """One step into the answer: a key, a place in a list, or the item that has a word."""

    key: str = ""
    index: int = -1
    word: str | None = None


class UnexpectedShape(ValueError):
    """The answer holds an object or a list where a single value belongs."""


def parse_path(text: str) -> tuple[PathStep, ...]:
    """The steps of a path; or `PathRefused`."""
    steps: list[PathStep] = []
    at = 0
    while at < len(text):
        found = _STEP.match(text, at)
        key = None if found is None else found["key"]
        if found is None or (key is not None and bool(found["dot"]) != bool(steps)):
            example = 'such as a.b, list[0].c, list[type=TAX].result or a."b.c"'
            raise PathRefused(at + 1, f"must be a path into the answer, {example}")
        steps.append(_step(found))
        at = found.end()
    if not 0 < len(steps) <= _MOST_STEPS:
        raise PathRefused(1, f"must have 1 to {_MOST_STEPS} steps")
    return tuple(steps)


def _step(found: re.Match[str]) -> PathStep:
    if found["key"] is not None:
        return PathStep(found["key"].strip('"'))
    if found["index"] is not None:
        return PathStep(index=int(found["index"]))
    return PathStep(found["name"].strip('"'), word=found["word"])


Find = Callable[[Any], str | None]


def compile_path(text: str) -> Find:
    """A function that finds the text in an answer, or None; numbers and truths become texts."""
    at = compile_node(text)

    def find(answer: Any) -> str | None:
        found = at(answer)
        return found if found is None or type(found) is str else _as_text(found)

    return find


def compile_node(text: str) -> Callable[[Any], Any]:
    """A function that finds whatever is at a place, or None."""
    steps = [_compile_step(step) for step in parse_path(text)]

    def find(answer: Any) -> Any:
        for step in steps:
            answer = step(answer)
            if answer is None:
                return None
        return answer

    return find


def _as_text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return str(value)
    raise UnexpectedShape


def _compile_step(step: PathStep) -> Callable[[Any], Any]:
    key, index, word = step.key, step.index, step.word
    if word is not None:
        return lambda node: _item_with(node, key, word)
    if index >= 0:
        return lambda node: node[index] if type(node) is list and len(node) > index else None
    return lambda node: node.get(key) if type(node) is dict else None


def _item_with(node: Any, key: str, word: str) -> Any:
    if type(node) is not list:
        return None
    for item in node:
        if type(item) is dict and str(item.get(key)) == word:
            return item
    return None

"""Collects the source of one compiled function: lines, constants, and the signals it reads."""

from collections.abc import Callable
from typing import Any, Final

from gatehouse.conditions.catalogue import CUSTOM, VELOCITY, place_of
from gatehouse.conditions.functions import BUILTINS, NULL_NUMBER
from gatehouse.conditions.nodes import Signal, Type

_CUSTOM: Final = {
    Type.NUMBER: "custom_number",
    Type.TEXT: "custom_text",
    Type.BOOLEAN: "custom_boolean",
}


class FunctionSource:
    """The source of one function that asks conditions.

    Everything an author wrote is bound to constants beside the source, never put into it. Every
    word of the source comes from a table of this room, also when the tree was read from a database.
    """

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.constants: dict[str, Any] = {}
        self._readings: list[str] = []
        self._locals: dict[str, str] = {}
        self._temporaries = 0

    def finish(self) -> Callable[..., None]:
        """The compiled function."""
        lines = [
            "def asked(signals, lists, at_ms, matched):",
            "get = signals.get",
            *self._readings,
            *self.lines,
        ]
        space = BUILTINS | self.constants
        # Nothing that an author wrote is in the source: only names and numbers made here.
        exec(compile("\n ".join(lines), "<conditions>", "exec"), space)  # noqa: S102
        function: Callable[..., None] = space["asked"]
        return function

    def temporary(self) -> str:
        """The name of a new local variable."""
        self._temporaries += 1
        return f"t{self._temporaries}"

    def twice(self, expression: str) -> tuple[str, str]:
        """The expression for its first use, and what to write for every later one."""
        if expression.isidentifier():
            return expression, expression
        name = self.temporary()
        return f"({name} := {expression})", name

    def constant(self, value: Any) -> str:
        """The name to which a value is bound."""
        name = f"K{len(self.constants)}"
        self.constants[name] = value
        return name

    def signal(self, signal: Signal) -> str:
        """The local variable that holds a signal, which is read once."""
        known = self._locals.get(signal.name)
        if known is None:
            known = self._locals[signal.name] = f"s{len(self._locals)}"
            self._readings += self._reading(signal, known)
        return known

    def _reading(self, signal: Signal, name: str) -> list[str]:
        place = place_of(signal.name)
        if place is not None:
            group, position = place
            measures = self._locals.get(group)
            lines: list[str] = []
            if measures is None:
                measures = self._locals[group] = f"s{len(self._locals)}"
                nulls = (NULL_NUMBER,) * len(VELOCITY[group.removeprefix("velocity.")])
                lines.append(f"{measures} = get({self.constant(group)})")
                lines.append(f"if {measures} is None: {measures} = {self.constant(nulls)}")
            return [*lines, f"{name} = {measures}[{position}]"]
        read = f"get({self.constant(signal.name)})"
        if signal.name.startswith(CUSTOM):
            return [f"{name} = {_CUSTOM[signal.type]}({read})"]
        if signal.type is Type.NUMBER:
            return [f"{name} = {read}", f"if {name} is None: {name} = null"]
        return [f"{name} = {read}"]

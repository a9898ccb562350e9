"""Commands whose modules are imported when they are called: help and completion stay quick."""

from collections.abc import Sequence
from importlib import import_module
from typing import Any

from typer import Typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command, get_group


class LateCommand(TyperCommand):
    """A command, or a group of them, of which only the name and a sentence are known at first."""

    def __init__(self, name: str, place: str, about: str) -> None:
        """`place` is where its typer app or its function is, as `package.module:name`."""
        super().__init__(name, help=about)
        self._place = place
        self._loaded: Any = None

    def load(self) -> Any:
        """The command itself."""
        if self._loaded is None:
            module, _, name = self._place.partition(":")
            found = getattr(import_module(module), name)
            if isinstance(found, Typer):
                self._loaded = get_group(found)
                self._loaded.help = self.help
            else:
                alone = Typer(add_completion=False)
                alone.command(self.name)(found)
                self._loaded = get_command(alone)
        return self._loaded

    def make_context(self, *given: Any, **more: Any) -> Any:
        """Begin to run it, or to complete its words."""
        return self.load().make_context(*given, **more)


def late_group(known: Sequence[tuple[str, str, str]]) -> type[TyperGroup]:
    """A class of groups with these commands: name, place and a sentence of each."""

    class LateGroup(TyperGroup):
        def __init__(self, **given: Any) -> None:
            super().__init__(**given)
            for name, place, about in known:
                self.add_command(LateCommand(name, place, about))

    return LateGroup

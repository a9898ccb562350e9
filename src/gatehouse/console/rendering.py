"""Fills the templates: always escaped, and never with a value that is missing."""

from pathlib import Path
from typing import Any, Final

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from gatehouse.console.assets import asset_url
from gatehouse.console.icons import ICONS
from gatehouse.console.serving.guard import CSRF_FIELD
from gatehouse.console.tables import labelled
from gatehouse.core.subject import folders

TEMPLATES: Final = (Path(__file__).parent / "templates", *folders("templates"))
"""Where templates are looked for: those of the shell, and those of subjects."""


class Renderer:
    """The templates of the console and of every subject."""

    def __init__(self) -> None:
        self._environment = Environment(
            loader=FileSystemLoader(TEMPLATES),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
            auto_reload=False,
            cache_size=-1,
        )
        self._environment.globals["static"] = asset_url
        self._environment.globals["csrf_field"] = CSRF_FIELD
        self._environment.globals["icons"] = ICONS
        self._environment.filters["labelled"] = labelled

    def render(self, template: str, values: dict[str, Any]) -> str:
        """A template with these values."""
        return self._environment.get_template(template).render(values)

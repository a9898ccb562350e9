"""Fills the templates: always escaped, and never with a value that is missing."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from gatehouse.console.assets import asset_url
from gatehouse.console.guard import CSRF_FIELD
from gatehouse.console.icons import ICONS
from gatehouse.console.navigation import navigation

if TYPE_CHECKING:
    from gatehouse.console.visit import Visit


class Renderer:
    """The templates of the console."""

    def __init__(self) -> None:
        self._environment = Environment(
            loader=FileSystemLoader(Path(__file__).parent / "templates"),
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

    def render(self, visit: "Visit", template: str, values: dict[str, Any]) -> str:
        """A template with what every page may use: texts, addresses, permissions and formats."""
        formats = visit.formats
        return self._environment.get_template(template).render(
            visit=visit,
            t=visit.text,
            url=visit.url,
            may=visit.may,
            time=visit.time,
            ago=visit.ago,
            number=visit.number,
            percent=formats.percent,
            money=visit.money,
            minor_money=formats.minor_money,
            span=formats.span,
            called=visit.called,
            function=visit.function,
            navigation=navigation(visit),
            **values,
        )

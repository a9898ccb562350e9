"""The mappings and dialects that ship with the package, as files to begin with."""

import re
from importlib import resources
from typing import Final

from gatehouse.core.cards.redaction import recordable
from gatehouse.core.errors import NotFound

MAPPINGS: Final = "mapping"
DIALECTS: Final = "dialect"
_FOLDERS: Final = {
    MAPPINGS: ("gatehouse.connectors.http", "mappings"),
    DIALECTS: ("gatehouse.connectors.iso8583", "dialects"),
}
_ENDING: Final = ".yaml"
_ABOUT: Final = re.compile(r"^(?:description|about): (.+)$", re.MULTILINE)


def shipped_names(what: str) -> dict[str, str]:
    """What each shipped file says about itself, by its name."""
    package, folder = _FOLDERS[what]
    found = {
        each.name.removesuffix(_ENDING): each.read_text()
        for each in resources.files(package).joinpath(folder).iterdir()
        if each.name.endswith(_ENDING)
    }
    return {name: _about(found[name]) for name in sorted(found)}


def shipped_file(what: str, name: str) -> str:
    """A shipped file as it is; or `NotFound`."""
    known = shipped_names(what)
    if name not in known:
        raise NotFound(f"no {what} {recordable(name)} ships; there are {', '.join(known)}")
    package, folder = _FOLDERS[what]
    return resources.files(package).joinpath(folder, name + _ENDING).read_text()


def _about(text: str) -> str:
    found = _ABOUT.search(text)
    return found[1].strip() if found else ""

"""Reads the files that configurations of connectors are written in."""

from pathlib import Path
from typing import TYPE_CHECKING, Final

from gatehouse.admin.configurations.command import read_document
from gatehouse.core.documents.reading import LARGEST_DOCUMENT
from gatehouse.core.errors import InvalidInput
from gatehouse.settings.settings import Settings

if TYPE_CHECKING:
    from gatehouse.connectors.reading import ReadConfiguration

_STDIN: Final = "-"


def read_configured(file: str, settings: Settings) -> "ReadConfiguration":
    """What a file says; `InvalidInput` with all that is wrong in it."""
    from gatehouse.admin.connectors.use_cases.connectors import check

    return check(settings, read_document(file), lambda name: read_beside(file, name))


def read_beside(file: str, name: str) -> bytes:
    """A file that the configuration names, relative to the configuration's own folder."""
    if file == _STDIN and not Path(name).is_absolute():
        raise InvalidInput(f"{name} is beside no file: give the configuration as a file, not as -")
    path = Path(file).parent / name
    try:
        with path.open("rb") as opened:
            content = opened.read(LARGEST_DOCUMENT + 1)
    except OSError as error:
        raise InvalidInput(f"{path} cannot be read: {error.strerror}") from None
    if len(content) > LARGEST_DOCUMENT:
        raise InvalidInput(f"{path} is larger than {LARGEST_DOCUMENT} bytes")
    return content

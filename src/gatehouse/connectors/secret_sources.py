"""Where a connector's secrets come from: the environment or files, never a configuration."""

import os
from pathlib import Path
from typing import Annotated, Final

from msgspec import Meta

from gatehouse.core.errors import SettingsError
from gatehouse.core.sentences import Phrase

_SECRET_FORM: Final = Phrase(
    "document.secret_form",
    "env:NAME for a variable of the environment, or file:/path for a file",
)
_CANNOT_READ: Final = Phrase("connector.secret_unread", "{source} cannot be read: {name}")
_LARGE: Final = Phrase("connector.secret_large", "{source} is larger than {most} bytes")
_NOT_SET: Final = Phrase("connector.secret_missing", "{source} is empty or not set")

SecretSource = Annotated[
    str,
    Meta(
        pattern=r"env:[A-Za-z_][A-Za-z0-9_]*|file:/.+",
        max_length=300,
        description=_SECRET_FORM.english,
    ),
]
"""Names a secret; the secret itself is read when a connector starts."""

_LARGEST: Final = 65_536


def read_secret(source: str) -> str:
    """The secret that a source names, without the line break at its end; or `SettingsError`."""
    kind, _, name = source.partition(":")
    if kind == "env":
        found = os.environ.get(name, "")
    else:
        try:
            with Path(name).open("rb") as file:
                found = file.read(_LARGEST + 1).decode()
        except (OSError, UnicodeDecodeError) as error:
            raise SettingsError(_CANNOT_READ(source=source, name=type(error).__name__)) from None
        if len(found) > _LARGEST:
            raise SettingsError(_LARGE(source=source, most=_LARGEST))
    secret = found.rstrip("\r\n")
    if not secret:
        raise SettingsError(_NOT_SET(source=source))
    return secret

"""Where a connector's secrets come from: the environment or files, never a configuration.

What Gatehouse keeps for itself is never given to a connector: its settings, which hold the root
secret, and the files that they are read from.
"""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Final, NamedTuple

from gatehouse.connectors.part_reader import Definition
from gatehouse.core.errors import SettingsError
from gatehouse.core.wording.sentences import Phrase, described
from gatehouse.settings.settings import PREFIX, Settings, env_file

_SECRET_FORM: Final = Phrase(
    "document.secret_form",
    "env:NAME for a variable of the environment, or file:/path for a file",
)
_CANNOT_READ: Final = Phrase("connector.secret_unread", "{source} cannot be read: {name}")
_LARGE: Final = Phrase("connector.secret_large", "{source} is larger than {most} bytes")
_NOT_SET: Final = Phrase("connector.secret_missing", "{source} is empty or not set")
_OWN_VARIABLE: Final = Phrase(
    "connector.own_variable",
    "{source} is a setting of Gatehouse, which no connector gets: keep the party's secret under "
    "another name",
)
_OWN_FILE: Final = Phrase(
    "connector.own_file",
    "{path} belongs to Gatehouse or to the system, and no connector gets it: keep the party's "
    "secret in a file of its own",
)
_OUTSIDE: Final = Phrase(
    "connector.outside_secrets_dir",
    "{path} is not in {folder}, where GATEHOUSE_SECRETS_DIR lets connectors read files: keep it "
    "there",
)

SecretSource = Annotated[
    str,
    described(_SECRET_FORM, pattern=r"env:[A-Za-z_][A-Za-z0-9_]*|file:/.+", max_length=300),
]
"""Names a secret; the secret itself is read when a connector starts."""

_LARGEST: Final = 65_536
_ROOT_FILE: Final = "root-secret"
_PROCESSES: Final = Path("/proc")


class ConnectorFiles(NamedTuple):
    """Which files connectors may read."""

    folder: Path | None = None
    """The only folder that they may read from; None: any."""
    own: tuple[Path, ...] = ()
    """Files of Gatehouse itself."""

    @classmethod
    def of(cls, settings: Settings) -> "ConnectorFiles":
        """What the settings allow."""
        own = [settings.home / _ROOT_FILE]
        own += [Path(settings.tls_key_file)] if settings.tls_key_file else []
        named = env_file(os.environ)
        own += [] if named is None else [named]
        return cls(settings.secrets_dir, tuple(own))

    def problem(self, path: str) -> str | None:
        """Why a connector may not read a file; links are followed first."""
        try:
            real = Path(path).resolve()
        except (OSError, ValueError, RuntimeError) as error:  # no path, or links in a circle
            return _CANNOT_READ(source=path, name=type(error).__name__)
        if real.is_relative_to(_PROCESSES) or real in [each.resolve() for each in self.own]:
            return _OWN_FILE(path=path)
        if self.folder is not None and not real.is_relative_to(self.folder.resolve()):
            return _OUTSIDE(path=path, folder=str(self.folder))
        return None

    def problems(self, definition: Definition) -> Iterator[str]:
        """Why a connector may not read what its definition names."""
        named = list(definition.tls_files())
        for source in definition.secret_sources():
            kind, _, name = source.partition(":")
            if kind == "file":
                named.append(name)
            elif name.startswith(PREFIX):
                yield _OWN_VARIABLE(source=source)
        for path in named:
            problem = self.problem(path)
            if problem is not None:
                yield problem


def read_secret(source: str) -> str:
    """The secret that a source names, without the line break at its end; or `SettingsError`."""
    kind, _, name = source.partition(":")
    if kind == "env":
        if name.startswith(PREFIX):
            raise SettingsError(_OWN_VARIABLE(source=source))
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

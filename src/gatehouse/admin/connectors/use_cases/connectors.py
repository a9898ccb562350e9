"""The connectors of the installation: checked, applied, shown and rolled back by the operator."""

import hashlib
from collections.abc import Callable, Container, Iterable, Iterator
from typing import Final

import msgspec
import sqlalchemy as sa

from gatehouse.admin.configurations.use_cases.configurations import (
    AppliedVersion,
    NewVersion,
    RolledBack,
)
from gatehouse.connectors.definition import (
    Configuration,
    Function,
    as_data,
    decode_program,
    encode_program,
)
from gatehouse.connectors.part_reader import Definition
from gatehouse.connectors.reading import ReadConfiguration, read_configuration
from gatehouse.connectors.secret_sources import ConnectorFiles
from gatehouse.core.cards.redaction import recordable
from gatehouse.core.documents.reading import changed_lines
from gatehouse.core.errors import InvalidInput, NotFound
from gatehouse.core.wording.sentences import Phrase, lines
from gatehouse.operations.released_secrets import unreleased
from gatehouse.settings.settings import Settings
from gatehouse.store.accounts import accounts
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.configured import configurations
from gatehouse.store.configured.account_signature import check_account
from gatehouse.store.configured.configurations import (
    CONNECTORS_KEY,
    StoredVersion,
    VersionContent,
    VersionLine,
)

_CONNECTOR: Final = Phrase("change.connector", "connector ")
_ROUTE: Final = Phrase("change.route", "{function} route ")

_NO_CONNECTORS: Final = Phrase("refused.no_connectors", "no connectors are configured yet")
_NO_CONNECTORS_VERSION: Final = Phrase(
    "refused.no_connectors_version", "there is no version {version}"
)
_NO_CONNECTOR: Final = Phrase("refused.no_connector", "no connector {name}; there are {known}")
_CONNECTOR_REASON: Final = Phrase("refused.connector_reason", "connectors.{name}: {reason}")
_ROUTE_ACCOUNT: Final = Phrase(
    "refused.route_account", "routes.{function}: there is no account {account_id}"
)

ReadFile = Callable[[str], bytes]
"""Gives the content of a file that a configuration names, such as ./mine.yaml."""
_LONGEST_SHOWN: Final = 80
_DIGEST: Final = 12


class ConnectorsVersion(msgspec.Struct, frozen=True):
    """One version of the configuration, as it was written and as it was read."""

    version: int
    in_force: bool
    document: str
    configuration: Configuration
    unreleased: dict[str, str] = {}
    """Why connectors may not use the secrets that they name, by their names."""


def check(settings: Settings, content: bytes, read_file: ReadFile) -> ReadConfiguration:
    """What a file says; `InvalidInput` tells all that is wrong, as `apply` would."""
    read = read_configuration(content, read_file)
    files = ConnectorFiles.of(settings)
    _refuse(
        (name, reason)
        for name, definition in read.configuration.connectors.items()
        for reason in files.problems(definition)
    )
    return read


def apply(
    session: AdminSession, settings: Settings, new: NewVersion, read_file: ReadFile
) -> AppliedVersion:
    """Make a file the next version of the configuration and put it in force.

    `DocumentRefused` tells all that is wrong with the file.
    """
    with session.installation_reading() as connection:
        current = configurations.find(connection, CONNECTORS_KEY)
        known = {account.account_id for account, _ in accounts.listing(connection)}
    read = check(settings, new.content, read_file)
    if session.environment == "production":
        _refuse(_unfit(read.configuration))
    with session.installation_reading() as connection:
        actor = str(session.actor)
        _refuse(unreleased(connection, session.signer, actor, read.configuration).items())
        releases = current is not None and bool(_unreleased(session, connection, current))
    warnings = [*read.warnings, *_strangers(read.configuration, known)]
    base = current.version if new.base is None and current is not None else new.base
    program = encode_program(read.configuration)
    content = VersionContent(new.content.decode("utf-8-sig"), program)
    name = CONNECTORS_KEY.name
    try:
        with session.installation_change() as change:
            version = configurations.apply(
                change, CONNECTORS_KEY, content, base=base, note=new.note, again=releases
            )
    except configurations.Unchanged:
        seen = get(session).version
        return AppliedVersion(name, seen, False, [], warnings)
    old = None if current is None else decode_program(current.program)
    differing = list(differences(old, read.configuration))
    return AppliedVersion(name, version, True, differing, warnings)


def find(session: AdminSession, version: int | None = None) -> ConnectorsVersion | None:
    """One version, without a number the one in force; None when nothing was ever applied."""
    with session.installation_reading() as connection:
        check_account(connection, session.signer, CONNECTORS_KEY.account_id)
        stored = configurations.find(connection, CONNECTORS_KEY, version)
        return None if stored is None else _version(session, connection, stored)


def get(session: AdminSession, version: int | None = None) -> ConnectorsVersion:
    """One version, without a number the one in force; or `NotFound`."""
    found = find(session, version)
    if found is not None:
        return found
    if version is None:
        raise NotFound(_NO_CONNECTORS())
    raise NotFound(_NO_CONNECTORS_VERSION(version=version))


def connector(session: AdminSession, name: str, version: int | None = None) -> Definition:
    """One connector of a version; or `NotFound`."""
    return connector_of(get(session, version).configuration, name)


def usable_connector(session: AdminSession, name: str) -> Definition:
    """One connector in force, if it may use the secrets that it names; or `InvalidInput`."""
    found = get(session)
    definition = connector_of(found.configuration, name)
    _refuse((each, why) for each, why in found.unreleased.items() if each == name)
    return definition


def connector_of(configuration: Configuration, name: str) -> Definition:
    """One connector of a configuration; or `NotFound`."""
    known = configuration.connectors
    if name not in known:
        raise NotFound(_NO_CONNECTOR(name=recordable(name), known=", ".join(known)))
    return known[name]


def history(session: AdminSession) -> list[VersionLine]:
    """All versions, newest first."""
    get(session)
    with session.installation_reading() as connection:
        return configurations.history(connection, CONNECTORS_KEY)


def rollback(session: AdminSession, to: int | None = None, base: int | None = None) -> RolledBack:
    """Put an earlier version in force again, by default the one in force before this one."""
    before = get(session)
    with session.installation_change() as change:
        target = configurations.previous(change.connection, CONNECTORS_KEY) if to is None else to
        stored = configurations.get(change.connection, CONNECTORS_KEY, target)
        found = _version(session, change.connection, stored)
        _refuse(found.unreleased.items())
        after = found.configuration
        seen = before.version if base is None else base
        configurations.activate(change, CONNECTORS_KEY, target, base=seen)
    return RolledBack(target, before.version, list(differences(before.configuration, after)))


def differences(old: Configuration | None, new: Configuration) -> Iterator[str]:
    """What another version changes, one line each."""
    before = old or Configuration()
    known = [_shown(before, new.connectors), _shown(new, before.connectors)]
    yield from changed_lines(_CONNECTOR(), *known)
    for function in Function:
        routes = [
            {str(number): str(each) for number, each in enumerate(found, start=1)}
            for found in (before.routes.get(function, ()), new.routes.get(function, ()))
        ]
        yield from changed_lines(_ROUTE(function=function.value), *routes)


def _shown(configuration: Configuration, others: Container[str]) -> dict[str, str]:
    """Every option of every connector; of a long one, such as a dialect, whether it is the same."""
    shown: dict[str, str] = {}
    for name, definition in configuration.connectors.items():
        data = as_data(definition)
        shown[name] = str(data.pop("kind"))
        if name not in others:
            continue  # One that is new or gone is told by its name alone.
        for key, value in data.items():
            text = value if isinstance(value, str) else msgspec.json.encode(value).decode()
            digest = hashlib.sha256(text.encode()).hexdigest()[:_DIGEST]
            shown[f"{name}.{key}"] = text if len(text) <= _LONGEST_SHOWN else f"#{digest}"
    return shown


def _unfit(configuration: Configuration) -> Iterator[tuple[str, str]]:
    """The connectors that are for play or would tell card data to anybody."""
    for name, definition in configuration.connectors.items():
        for reason in definition.unfit_for_production():
            yield name, reason


def _refuse(problems: Iterable[tuple[str, str]]) -> None:
    """Refuse connectors for the reasons that are given with their names."""
    told = [_CONNECTOR_REASON(name=name, reason=reason) for name, reason in problems]
    if told:
        raise InvalidInput(lines(told))


def _strangers(configuration: Configuration, known: set[str]) -> Iterator[str]:
    """Routes of accounts that do not exist, which is most likely a slip."""
    named = {
        account_id: function
        for function, routes in configuration.routes.items()
        for route in routes
        for account_id in route.accounts
    }
    for account_id in sorted(named.keys() - known):
        yield _ROUTE_ACCOUNT(function=named[account_id].value, account_id=account_id)


def _version(
    session: AdminSession, connection: sa.Connection, stored: StoredVersion
) -> ConnectorsVersion:
    configurations.check_versions(session.signer, [stored])
    return ConnectorsVersion(
        stored.version,
        stored.active,
        stored.document,
        decode_program(stored.program),
        _unreleased(session, connection, stored),
    )


def _unreleased(
    session: AdminSession, connection: sa.Connection, stored: StoredVersion
) -> dict[str, str]:
    configuration = decode_program(stored.program)
    return unreleased(connection, session.signer, stored.actor, configuration)

"""Keeps the connectors of a running server as the database says, and tells people how they are."""

import asyncio
import contextlib
import logging
import os
import socket
from collections.abc import Mapping
from typing import Final, NamedTuple

import msgspec
import sqlalchemy as sa

from gatehouse.connectors.definition import Configuration, decode_program
from gatehouse.connectors.routing.roster import Roster
from gatehouse.core.errors import ConfigurationRefused, SettingsError, StoreUnavailable
from gatehouse.core.wording.notes import as_note
from gatehouse.core.wording.sentences import said_by
from gatehouse.operations.released_secrets import unreleased
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.background import repeat
from gatehouse.store.configured import configurations
from gatehouse.store.configured.account_signature import check_account, put_back, refused
from gatehouse.store.configured.configurations import CONNECTORS_KEY, StoredVersion, check_versions
from gatehouse.store.configured.refusals import Refusals
from gatehouse.store.configured.signing import INSTALLATION
from gatehouse.store.connector_reports import ConnectorReport, remove_report, write_report
from gatehouse.store.events.connector_events import ConnectorsSeen, tell_changes

_log: Final = logging.getLogger("gatehouse.connectors")
_AGAIN_S: Final = 0.2
_LOOK_S: Final = 1.0
_REPORT_S: Final = 5.0
_RETRY_S: Final = 10.0
_PART: Final = "connectors"


class _InDatabase(NamedTuple):
    """What the database says: how often it was changed, and the version in force."""

    changes: int
    in_force: StoredVersion | None
    configuration: Configuration = Configuration()
    unreleased: Mapping[str, str] = {}
    """Why connectors may not use their secrets, by name."""


class LiveConnectors:
    """Reads the configuration at the start and whenever it changed; the last good one stays."""

    def __init__(
        self, session: AdminSession, roster: Roster, refusals: Refusals, server: str
    ) -> None:
        """`server` is the name of this process among others on the same data."""
        self.version: int | None = None
        """Of the configuration in use; None while there is none."""
        self.roster = roster
        self._session = session
        self._database = session.database
        self._refusals = refusals
        self._server = server
        self._changes = 0
        self._refused = False
        self._told: dict[str, bool | None] = {}
        self._changed = asyncio.Event()

    def changed(self) -> None:
        """Something in the database has changed: perhaps the connectors."""
        self._changed.set()

    async def start(self) -> None:
        """Use what is configured now; connectors open their connections afterwards."""
        await self._refresh()

    async def run(self) -> None:
        """Keep the connectors up to date until cancelled."""
        await asyncio.gather(
            repeat(self._follow, _AGAIN_S, "could not read the connectors"),
            repeat(self._look, _LOOK_S, "could not look at the connectors"),
            repeat(self._report, _REPORT_S, "could not report on the connectors"),
            repeat(self._retry, _RETRY_S, "could not start a connector"),
        )

    async def stop(self) -> None:
        """Let what is in flight end, and close every connection."""
        await self.roster.stop()
        with contextlib.suppress(StoreUnavailable):
            await self._database.write_on_thread(lambda c: remove_report(c, self._server))

    async def _follow(self) -> None:
        await self._changed.wait()
        self._changed.clear()
        before = self.version
        try:
            await self._refresh()
        except BaseException:
            self._changed.set()
            raise
        if self.version != before:
            await self._report()

    async def _look(self) -> None:
        if self.roster.log_changes():
            await self._report()
        up = self.roster.looked_at()
        if up != self._told:
            seen = ConnectorsSeen(self._server, up, self._session.clock())
            await self._database.write_on_thread(lambda c: tell_changes(c, seen))
            self._told = up

    async def _retry(self) -> None:
        await self.roster.retry()
        if self._refused:
            # What was refused may be put right without a change that is counted.
            self._changed.set()

    async def _report(self) -> None:
        report = ConnectorReport(
            server=self._server,
            host=socket.gethostname(),
            pid=os.getpid(),
            at_ms=self._session.clock(),
            version=self.version,
            connectors=msgspec.Raw(msgspec.json.encode(self.roster.states(), enc_hook=as_note)),
        )
        await self._database.write_on_thread(lambda c: write_report(c, report))

    async def _refresh(self) -> None:
        """Use what the database says, if it is genuine and another one than before."""
        try:
            stored = await self._database.read_on_thread(self._read)
        except ConfigurationRefused as error:
            self._refused = True
            self._refusals.note(INSTALLATION, _PART, said_by(error), kept=self.version is not None)
            return
        self._refused = False
        self._refusals.clear(INSTALLATION, _PART)
        self._changes = stored.changes
        version = None if stored.in_force is None else stored.in_force.version
        if version != self.version:
            await self.roster.adopt(stored.configuration, stored.unreleased)
            self.version = version
            _log.info("connectors are in use", extra={"version": version})

    def _read(self, connection: sa.Connection) -> _InDatabase:
        signer = self._session.signer
        changes = check_account(connection, signer, INSTALLATION)
        if changes < self._changes:
            raise put_back(INSTALLATION)
        stored = configurations.find(connection, CONNECTORS_KEY)
        if stored is None:
            return _InDatabase(changes, None)
        check_versions(signer, [stored])
        configuration = _decode(stored)
        withheld = unreleased(connection, signer, stored.actor, configuration)
        return _InDatabase(changes, stored, configuration, withheld)


def _decode(stored: StoredVersion) -> Configuration:
    try:
        return decode_program(stored.program)
    except (SettingsError, msgspec.DecodeError) as error:
        # A newer version of Gatehouse applied it.
        raise refused(INSTALLATION, f"version {stored.version} cannot be read: {error}") from None

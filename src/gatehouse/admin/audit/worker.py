"""Follows the audit log while a server runs, and writes its heads into the server's log.

A person who can write to the database cannot change what stands there.
"""

import asyncio
import logging
from typing import Final

import sqlalchemy as sa

from gatehouse.core.wording.sentences import said_by
from gatehouse.store.admin import audit
from gatehouse.store.admin.audit import AuditHead
from gatehouse.store.background import repeat
from gatehouse.store.database import Database

_log: Final = logging.getLogger("gatehouse.audit")

_WATCH_S: Final = 30.0
"""When nobody tells it that there are new lines."""


class AuditWatch:
    """Logs each head that it finds, and says loudly when one that it saw is gone."""

    def __init__(self, database: Database, key: bytes) -> None:
        self._database = database
        self._key = key
        self._seen: AuditHead | None = None
        self._complaint = ""
        self._wake = asyncio.Event()

    async def run(self) -> None:
        """Watch until cancelled."""
        await repeat(self.check, _WATCH_S, "could not look at the audit log", self._wake)

    def look_now(self) -> None:
        """There may be new lines."""
        self._wake.set()

    async def check(self) -> None:
        """Look once."""
        head, complaint = await self._database.read_on_thread(self._look)
        if complaint and complaint != self._complaint:
            _log.error("the audit log was tampered with", extra={"reason": complaint})
        self._complaint = complaint
        if head is not None and head != self._seen:
            _log.info("audit head %s", head)
            self._seen = head

    def _look(self, connection: sa.Connection) -> tuple[AuditHead | None, str]:
        try:
            head = audit.read_head(connection, self._key)
        except ValueError as error:
            return None, said_by(error)
        if self._seen is None or audit.contains(connection, self._seen):
            return head, ""
        return head, f"it no longer contains the head {self._seen}"

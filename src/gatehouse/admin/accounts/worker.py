"""Keeps what a server finds in custom inputs, beside requests, so that all servers use it.

Each server watches its own requests. What it finds is written once; servers read it back with the
account, as they do with what people choose.
"""

import asyncio
from typing import Final

from gatehouse.access.actors import Actor
from gatehouse.admin.accounts.use_cases.found_inputs import keep_findings
from gatehouse.core.errors import ConfigurationRefused, NotFound
from gatehouse.sentry.found.found_inputs import InputFinding
from gatehouse.sentry.found.input_watch import InputWatch, News
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.background import repeat

_LOOK_S: Final = 5.0


class InputKeeper:
    """Writes what the requests of this server have shown."""

    def __init__(self, session: AdminSession) -> None:
        self.watch: Final = InputWatch()
        self._session = session.acting_as(Actor.system("sentry"))
        self._waiting: News = {}

    async def run(self) -> None:
        """Look now and then until cancelled."""
        await repeat(self.look, _LOOK_S, "could not keep what was found in custom inputs")

    async def look(self) -> None:
        """Keep what was found since the last look; what cannot be written waits for the next."""
        for account_id, findings in self.watch.take_news().items():
            self._waiting.setdefault(account_id, {}).update(findings)
        for account_id, findings in list(self._waiting.items()):
            await asyncio.to_thread(self._keep, account_id, findings)
            del self._waiting[account_id]

    def _keep(self, account_id: str, findings: dict[str, InputFinding]) -> None:
        try:
            keep_findings(self._session, account_id, findings)
        except (ConfigurationRefused, NotFound):
            # Nothing is added to an account that was changed by others, which is told elsewhere.
            return

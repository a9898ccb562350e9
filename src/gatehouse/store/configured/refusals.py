"""Which accounts have a configuration that this server refuses to load, for people to see."""

import logging
from typing import Final

_log: Final = logging.getLogger("gatehouse.store")


class Refusals:
    """Logs every refusal once, and knows which ones stand; used by threads and the event loop."""

    def __init__(self) -> None:
        self.count = 0
        """How often something was refused that was not refused before."""
        self._standing: dict[tuple[str, str], str] = {}

    @property
    def accounts(self) -> int:
        """How many accounts have something that is refused now."""
        return len({account_id for account_id, _ in list(self._standing)})

    def note(self, account_id: str, part: str, reason: str, *, kept: bool) -> None:
        """Something was refused; `kept` says whether what was loaded before stays in use."""
        if self._standing.get((account_id, part)) == reason:
            return
        self._standing[account_id, part] = reason
        self.count += 1
        meanwhile = "the last good one stays in use" if kept else "nothing is used instead"
        about = {"account": account_id, "reason": reason, "meanwhile": meanwhile}
        _log.error("a changed configuration is refused", extra=about)

    def clear(self, account_id: str, part: str) -> None:
        """It is as it should be."""
        if self._standing.pop((account_id, part), None) is not None:
            _log.warning("a refused configuration is good again", extra={"account": account_id})

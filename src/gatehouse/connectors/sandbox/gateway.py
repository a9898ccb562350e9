"""The sandbox gateway: approves every payment, except what the trigger table says."""

import asyncio
import zlib
from typing import Final

from gatehouse.connectors.sandbox.triggers import SILENT, find
from gatehouse.gateway.port import Authorization, GatewayAnswer, Reversal

APPROVED: Final = "00"


class SandboxGateway:
    """Moves no money."""

    async def authorize(self, authorization: Authorization) -> GatewayAnswer:
        """Answer by the triggers in the card number."""
        card = find("cardNumber", authorization.number.reveal())
        behaviour = card.gateway if card else None
        if behaviour == SILENT:
            await asyncio.get_running_loop().create_future()  # never comes
        if behaviour is not None:
            return GatewayAnswer(approved=False, response_code=behaviour)
        return GatewayAnswer(True, APPROVED, _approval_code(authorization.request_id))

    async def reverse(self, reversal: Reversal) -> None:
        """Nothing was paid, so nothing stands."""


def _approval_code(request_id: str) -> str:
    """Six digits, always the same for one request."""
    return f"{zlib.crc32(request_id.encode()) % 1_000_000:06d}"

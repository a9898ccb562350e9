"""The store of a shared memory holds nothing by which anybody could be named."""

import asyncio

from gatehouse.sentry.memory.memory import EntityKind, MemoryEvent
from tests.sentry.shared.servers import Servers

VALUES = {
    EntityKind.USER: "amelia.whitfield",
    EntityKind.ADDRESS: "203.0.113.77",
    EntityKind.CARD: "inner1_9f86d081884c7d65",
    EntityKind.EMAIL: "#a9993e364706816aba3e",
    EntityKind.SESSION: "session-4711",
    EntityKind.TRANSACTION: "order-991177 amelia.whitfield",
    EntityKind.AFFILIATE: "partner-of-many",
    EntityKind.COUNTRY: "Ruritania",
}
ACCOUNT, REQUEST = "acct_01m7hgj2aqetsvcfcy06qqakqy", "req_01m7hh3r79ebfrt7k19mjs284v"


def test_no_value_account_or_request_is_in_the_store(valkey: str) -> None:
    event = MemoryEvent(
        ACCOUNT, 1.79e9, list(VALUES.items()), 59.9, "USD", "US", request_id=REQUEST
    )

    async def everything() -> list[bytes]:
        servers = Servers(valkey)
        memory = servers.start()
        tag = servers.keys().account(ACCOUNT).other[:-1]
        await memory.record_and_recall(event)
        memory.note_decline(event)
        await memory.flush()
        names = [name for name in await servers.ask("KEYS", "*") if name.startswith(tag)]
        kept: list[bytes] = []
        for name in names:
            is_text = await servers.ask("TYPE", name) == b"string"
            reply = await servers.ask("GET" if is_text else "HGETALL", name)
            kept += [reply] if is_text else [each for each in reply if isinstance(each, bytes)]
        await servers.stop()
        return names + kept

    found = b"\n".join(asyncio.run(everything()))
    assert len(found) > 500
    for value in (*VALUES.values(), ACCOUNT, REQUEST):
        assert value.encode() not in found

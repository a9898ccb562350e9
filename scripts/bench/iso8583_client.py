"""`python -m scripts.bench.iso8583_client`: the client's processor time for one check.

A host in another process answers everything with approval, over the loopback interface.
"""

import asyncio
import subprocess
import sys
import time
from typing import Final, cast

import uvloop

from gatehouse.connectors.iso8583.connector import Iso8583Connector
from gatehouse.connectors.iso8583.dialect import Dialect
from gatehouse.connectors.iso8583.link.framing import Framing
from gatehouse.connectors.iso8583.link.pool_options import Host, PoolOptions
from gatehouse.connectors.iso8583.payments import PaymentCodes
from gatehouse.connectors.iso8583.reading import shipped_dialect, shipped_names
from gatehouse.connectors.iso8583.roles import Role
from gatehouse.core.cards.numbers import CardNumber, ExpiryDate, SecurityCode
from gatehouse.precheck.issuer import CardEnquiry

BAR_US: Final = 200.0
"""How many microseconds a check may take, with packing and unpacking."""
_CHECKS: Final = 8_000
_IN_FLIGHT: Final = (1, 16, 200, 1000)
_CARD: Final = CardNumber.parse("4242424242424242")
_EXPIRY: Final = ExpiryDate(2031, 7)
_CODE: Final = SecurityCode.parse("123")


class _HostSide(asyncio.Protocol):
    def __init__(self, dialect: Dialect) -> None:
        self._dialect = dialect
        self._framing = Framing(dialect.framing)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)

    def data_received(self, data: bytes) -> None:
        answers = []
        for body in self._framing.feed(data):
            asked = self._dialect.unpack(body)
            assert asked.kind.answer is not None
            values = asked.values | {Role.RESPONSE_CODE: "00"}
            answers.append(self._framing.frame(self._dialect.pack(asked.kind.answer, values)))
        self._transport.write(b"".join(answers))


async def serve(name: str) -> None:
    """Answer until killed; the first line says on which port."""
    dialect = Dialect(shipped_dialect(name))
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: _HostSide(dialect), "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


async def measure(name: str, port: int) -> bool:
    """Print what checks cost, and say whether all stay below the bar."""
    options = PoolOptions([Host("127.0.0.1", port)], connections=4, in_flight=2000, timeout_s=60)
    dialect = Dialect(shipped_dialect(name))
    connector = Iso8583Connector(dialect, options, PaymentCodes(), lambda: 1_700_000_000_000)
    await connector.start()
    while connector.state().problem is not None:  # noqa: ASYNC110  # links set no event
        await asyncio.sleep(0.01)
    worst = 0.0
    for in_flight in _IN_FLIGHT:
        await _checks(connector, in_flight, in_flight)
        started = time.process_time()
        await _checks(connector, in_flight, _CHECKS)
        cost_us = (time.process_time() - started) / _CHECKS * 1e6
        worst = max(worst, cost_us)
        print(f"  {name:<10} {in_flight:>5} in flight  {cost_us:6.1f} us a check")
    await connector.stop()
    return worst <= BAR_US


async def _checks(connector: Iso8583Connector, in_flight: int, most: int) -> None:
    numbers = iter(range(most))
    assert connector.issuer is not None
    check = connector.issuer.check

    async def worker() -> None:
        for number in numbers:
            asked = CardEnquiry(f"req_{number}", _CARD, _EXPIRY, _CODE, "94105", "1 Main Street")
            await check(asked)

    await asyncio.gather(*[worker() for _ in range(in_flight)])


def main() -> int:
    """Measure every dialect that ships."""
    if sys.argv[1:]:
        uvloop.run(serve(sys.argv[1]))
    fits = True
    for name in shipped_names():
        command = [sys.executable, "-m", "scripts.bench.iso8583_client", name]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as host:
            assert host.stdout is not None
            try:
                fits &= uvloop.run(measure(name, int(host.stdout.readline())))
            finally:
                host.kill()
    return 0 if fits else 1


if __name__ == "__main__":
    sys.exit(main())

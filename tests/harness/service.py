"""The running service in this process, for what another process would hide: its registrations,
its connectors, its clock.
"""

import asyncio
import contextlib
import functools
import gc
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from unittest import mock

import httpx

from gatehouse.access.actors import Actor
from gatehouse.bootstrap import Service
from gatehouse.intel.networks import load_networks
from gatehouse.operations.installation import open_admin_session
from gatehouse.settings.settings import load_settings
from tests.harness.home import Home

# Unpacking the table takes longer than all else at a start, and nothing changes it.
_networks = functools.cache(load_networks)


class ManualClockLoop(asyncio.SelectorEventLoop):
    """An event loop in which time passes only when a test says so."""

    now = 0.0

    def time(self) -> float:
        return self.now


def call_service(
    home: Home,
    key: str,
    scenario: Callable[[httpx.AsyncClient], Awaitable[None]],
    loop_factory: Callable[[], asyncio.AbstractEventLoop] | None = None,
) -> None:
    """Run a scenario with a client of the service, while the service runs."""

    async def whole() -> None:
        async with serving(home) as service:
            transport = httpx.ASGITransport(service.application, client=("127.0.0.1", 1))
            async with httpx.AsyncClient(
                transport=transport, base_url="http://test", headers={"X-API-KEY": key}
            ) as client:
                await scenario(client)

    with asyncio.Runner(loop_factory=loop_factory) as runner:
        runner.run(whole())


@contextlib.asynccontextmanager
async def serving(
    home: Home, prepare: Callable[[Service], object] = lambda service: None
) -> AsyncIterator[Service]:
    """The running service, with the interpreter's own settings as they were afterwards.

    `prepare` is given the service before it starts.
    """
    settings = load_settings(home.environ())
    interval, thresholds = sys.getswitchinterval(), gc.get_threshold()
    digits = sys.get_int_max_str_digits()
    session = open_admin_session(settings, Actor.system("test"))
    service = Service(settings, session, _networks, alone=not home.database_url)
    prepare(service)
    # What this service leaves must be collected, other than in a process of its own.
    with mock.patch.object(gc, "freeze"):
        await service.start()
        try:
            yield service
        finally:
            await service.stop()
            sys.setswitchinterval(interval)
            sys.set_int_max_str_digits(digits)
            gc.set_threshold(*thresholds)

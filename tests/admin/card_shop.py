"""An account that tops up by card at a reference host, and the servers of its installation."""

import asyncio
import dataclasses
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from gatehouse.access.actors import Actor
from gatehouse.admin.accounts.use_cases import accounts
from gatehouse.admin.configurations.use_cases.configurations import NewVersion
from gatehouse.admin.connectors.use_cases import connectors
from gatehouse.admin.events.use_cases.events import EventQuery, list_events
from gatehouse.admin.top_ups.types import TopUpShown, TopUpState, TopUpWanted
from gatehouse.admin.top_ups.use_cases import top_ups
from gatehouse.admin.top_ups.worker.top_ups import TopUpWorker
from gatehouse.connectors.routing.roster import Roster
from gatehouse.operations.live_connectors import LiveConnectors
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.configured.refusals import Refusals
from tests.connectors.reference_host.hosts import CARD, HostThread
from tests.connectors.test_reading import no_file
from tests.harness import make_account

REFUSED_CARD = "4000000000000341"
UNIT = 1_000_000
HOUR_MS = 3_600_000


class Shop:
    """An account, and the servers of its installation, of which each looks when it is told to."""

    def __init__(self, session: AdminSession, host: HostThread, token: Path) -> None:
        self.now_ms = session.clock()
        settings = dataclasses.replace(session.settings, top_up_connector="cards")
        self.session = dataclasses.replace(session, clock=lambda: self.now_ms, settings=settings)
        self._host, self._token = host, token
        self.account = make_account(self.session)
        self.applies("cards")

    def applies(self, *names: str) -> None:
        """Have the host asked by connectors of these names."""
        one = f"""
    kind: http
    mapping: gatehouse
    base_url: http://127.0.0.1:{self._host.running.http_port}
    secrets: {{token: "file:{self._token}"}}
"""
        each = "".join(f"  {name}:{one}" for name in names)
        file = f"connectors:\n{each}routes: {{gateway: [{{use: [cards]}}]}}\n"
        operator = self.session.acting_as(Actor.operator("ada"))
        settings = self.session.settings
        connectors.apply(operator, settings, NewVersion(file.encode()), no_file)

    def looks(self, *, servers: int = 1) -> None:
        """Let servers look, all at the same time."""

        async def one() -> None:
            roster = Roster(lambda _: None, lambda *_: None)
            live = LiveConnectors(self.session, roster, Refusals(), "srv_1")
            await live.start()
            await TopUpWorker(self.session, roster, time_limit_ms=2000).look()
            await live.stop()

        with ThreadPoolExecutor(servers) as pool:
            for each in [pool.submit(lambda: asyncio.run(one())) for _ in range(servers)]:
                each.result()

    def ask(self, minor: int = 5000, *, store_card: bool = False) -> TopUpShown:
        """A top-up with its page."""
        made = top_ups.ask(self.session, self.account, TopUpWanted(minor, store_card))
        while made.state is TopUpState.WAITING:
            self.looks()
            made = self.now(made)
        return made

    def pay(self, made: TopUpShown, card: str = CARD, do: str = "pay") -> str:
        """What the page says after somebody used it."""
        assert made.url is not None
        headers = {"Authorization": ""}
        page = self._host.client.get(made.url, headers=headers)
        assert page.headers["content-type"].startswith("text/html")
        fields = {"cardNumber": card, "do": do}
        return self._host.client.post(made.url, data=fields, headers=headers).text

    def later(self, after_ms: int = HOUR_MS, *, servers: int = 1) -> None:
        """Let time pass, and servers look."""
        self.now_ms += after_ms
        self.looks(servers=servers)

    def now(self, made: TopUpShown) -> TopUpShown:
        return top_ups.get_top_up(self.session, self.account, made.top_up_id)

    @property
    def balance(self) -> int:
        return accounts.get(self.session, self.account).state.balance

    def told(self) -> list[str]:
        page = list_events(self.session, self.account, EventQuery())
        return [each.type for each in page.events]

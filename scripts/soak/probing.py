"""Asks servers after a fault until each of them answers a charged request again."""

import contextlib
import http.client
import time
from typing import Final

from scripts.bench.cards import precheck_body
from scripts.soak.ground import CARDS, Ground
from scripts.soak.load import Outcome, read_answer
from scripts.soak.servers import SoakServer

_PAUSE_S: Final = 0.05
_ANSWER_S: Final = 2.0
_GIVEN_UP_S: Final = 60.0


class Prober:
    """Sends requests of its own, which count as those of any caller."""

    def __init__(self, ground: Ground, servers: list[SoakServer]) -> None:
        self._account_id, self._key = ground.hot, ground.keys[ground.hot]
        self._servers = servers
        self.outcomes: list[Outcome] = []

    def recovery_s(self) -> float:
        """How long it takes until every server answers."""
        began = time.monotonic()
        for server in self._servers:
            while not self._answers(server) and time.monotonic() - began < _GIVEN_UP_S:
                time.sleep(_PAUSE_S)
        return time.monotonic() - began

    def _answers(self, server: SoakServer) -> bool:
        outcome = Outcome("", self._account_id, "precheck", 0.0, 0.0)
        headers = {"X-API-KEY": self._key, "content-type": "application/json"}
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=_ANSWER_S)
        with contextlib.suppress(OSError), contextlib.closing(connection):
            connection.connect()
            outcome.lost = 1
            with contextlib.suppress(http.client.HTTPException):
                connection.request("POST", "/api/v1/precheck", precheck_body(CARDS + 1), headers)
                answer = connection.getresponse()
                read_answer(answer.status, answer.read(), outcome)
        if outcome.lost or outcome.status:
            self.outcomes.append(outcome)
        return outcome.status == 200

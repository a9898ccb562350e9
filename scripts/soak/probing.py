"""Asks servers after a fault until each of them answers a charged request again as it should.

And asks them all the time with keys that they have to refuse.
"""

import contextlib
import http.client
import itertools
import threading
import time
from collections.abc import Iterator
from typing import Final

from scripts.bench.cards import precheck_body
from scripts.bench.client import NUMBER_MARK
from scripts.bench.visits import sentry_body
from scripts.soak.ground import CARDS, Ground
from scripts.soak.load import Outcome, read_answer
from scripts.soak.mixing import referring
from scripts.soak.servers import SoakServer

_PAUSE_S: Final = 0.05
_ANSWER_S: Final = 2.0
_GIVEN_UP_S: Final = 60.0
_KNOCK_S: Final = 0.5
_BODIES: Final = {"precheck": precheck_body, "sentry": sentry_body}
_WITHOUT_MEMORY: Final = b'"MEMORY_UNAVAILABLE"'
"""An answer with this reason is charged and right, but the shared memory had no part in it."""


class Prober:
    """Sends requests of its own, which count as those of any caller."""

    def __init__(self, ground: Ground, servers: list[SoakServer]) -> None:
        self._account_id, self._key = ground.hot, ground.keys[ground.hot]
        self._servers = servers
        self._number = 0
        self.outcomes: list[Outcome] = []

    def recovery_s(self, operation: str) -> float:
        """How long it takes until every server answers the operation, with all that it uses."""
        began = time.monotonic()
        for server in self._servers:
            while not self._answers(server, operation) and time.monotonic() - began < _GIVEN_UP_S:
                time.sleep(_PAUSE_S)
        return time.monotonic() - began

    def _answers(self, server: SoakServer, operation: str) -> bool:
        self._number += 1
        reference = f"probe-{self._number:06d}"
        outcome = Outcome(reference, self._account_id, operation, 0.0, 0.0)
        said = _ask(server, self._key, outcome)
        if outcome.lost or outcome.status:
            self.outcomes.append(outcome)
        return outcome.is_answered and _WITHOUT_MEMORY not in said


class Strangers:
    """Ask all the time with keys that must be refused, whatever happens to the servers."""

    def __init__(self, ground: Ground, servers: list[SoakServer]) -> None:
        self._turns = itertools.cycle(itertools.product(servers, ground.invalid_keys.items()))
        self.answers: list[tuple[str, int]] = []
        """What is wrong with the key, and the status; 0: no answer."""

    @contextlib.contextmanager
    def knocking(self) -> Iterator[None]:
        """While something else is done."""
        is_over = threading.Event()

        def knock() -> None:
            while not is_over.wait(_KNOCK_S):
                server, (kind, key) = next(self._turns)
                outcome = Outcome("stranger", "", "precheck", 0.0, 0.0)
                _ask(server, key, outcome)
                self.answers.append((kind, outcome.status))

        thread = threading.Thread(target=knock)
        thread.start()
        try:
            yield
        finally:
            is_over.set()
            thread.join()


def _ask(server: SoakServer, key: str, outcome: Outcome) -> bytes:
    """Send a request once, and note what came of it; the body of the answer."""
    said = b""
    made = _BODIES[outcome.operation](CARDS + 1).replace(NUMBER_MARK, b"probe")
    body = referring(made, outcome.reference)
    headers = {"X-API-KEY": key, "content-type": "application/json"}
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=_ANSWER_S)
    with contextlib.suppress(OSError), contextlib.closing(connection):
        connection.connect()
        outcome.lost = 1
        with contextlib.suppress(http.client.HTTPException):
            connection.request("POST", f"/api/v1/{outcome.operation}", body, headers)
            answer = connection.getresponse()
            said = answer.read()
            read_answer(answer.status, said, outcome)
            outcome.lost = int(outcome.is_unsure)
    return said

"""A server that is stopped in the middle of a request, and goes on when others took it for dead."""

import json
import signal
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from gatehouse.store.accounts import accounts
from tests.harness import BODY, PATIENCE_S, Home
from tests.harness.samples import SILENT_CARD
from tests.harness.waiting import until

# The issuer never answers, so that the request is in flight for this long.
SETTINGS = {"GATEHOUSE_PRECHECK_TIMEOUT_MS": "15000"}


def test_a_paused_server_finds_its_authorization_lost_and_charges_nobody(
    tmp_path: Path, new_database: Callable[[], str]
) -> None:
    home = Home(tmp_path / "home", new_database(), SETTINGS)
    account = home.account("10")
    key = home.key(account)
    paused, other = home.start(), home.start()

    try:
        with (
            home.session() as session,
            paused.client(key) as client,
            ThreadPoolExecutor(1) as threads,
        ):

            def held() -> int:
                with session.reading() as connection:
                    return accounts.state(connection, account).held

            silent = {**BODY, "cardNumber": SILENT_CARD}
            answer = threads.submit(client.post, "/api/v1/precheck", json=silent)
            until(held)
            paused.process.send_signal(signal.SIGSTOP)
            # Long before the time to live of the authorization has passed.
            until(lambda: not held())
            paused.process.send_signal(signal.SIGCONT)
            given = answer.result(PATIENCE_S)
        assert given.status_code == 503
        assert given.json()["errors"]["code"] == "store_unavailable"
        dead = [json.loads(line) for line in other.log().splitlines() if "is dead" in line]
        assert [each["released"] for each in dead] == [1]
        with paused.client(key) as client:
            assert client.post("/api/v1/precheck", json=BODY).status_code == 200
    finally:
        paused.process.send_signal(signal.SIGCONT)
        for server in (paused, other):
            server.stop()
    verified = home.ok("ledger", "verify").out
    assert "1 closed, 0 open" in verified

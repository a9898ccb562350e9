"""A short run of the trial: servers are killed while failing receivers are told of events."""

from pathlib import Path

from scripts.bench.servers import Shop
from scripts.webhook_delivery import SETTINGS, run

from tests.harness import Home
from tests.resilience.forks import Forks


def test_every_event_arrives_although_the_receiver_fails_and_the_server_is_killed(
    tmp_path: Path,
) -> None:
    usual = {"GATEHOUSE_RATE_LIMIT_PER_SECOND": "0", "GATEHOUSE_BACKGROUND": "beside"}
    home = Home(tmp_path / "home", settings=SETTINGS | usual).migrated()
    account = home.account("1000000")
    shop = Shop(home.path, home.environ(), account, home.key(account))
    found = run(shop, Forks(), events=40, kills=1, measured=False)
    assert found.events >= 40
    assert found.attempts > 2 * found.events

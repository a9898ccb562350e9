"""What a run stands on: ten accounts with rules, pipelines, people and webhooks."""

import os
import secrets
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from gatehouse.access.actors import Actor
from gatehouse.access.keys import new_key_text
from gatehouse.admin.accounts.use_cases import accounts
from gatehouse.admin.configurations.use_cases.configurations import NewVersion
from gatehouse.admin.keys import use_cases as keys
from gatehouse.admin.keys.types import KeyRevocation, NewKey
from gatehouse.admin.rule_sets.use_cases import rule_sets
from gatehouse.admin.webhooks.types.webhook import NewWebhook
from gatehouse.admin.webhooks.use_cases import endpoints
from gatehouse.operations.installation import open_admin_session
from gatehouse.settings.settings import load_settings
from scripts.bench.growth import fill_with_people
from scripts.bench.purchases import rule_set
from scripts.bench.servers import Shop

ACCOUNTS: Final = 10
CARDS: Final = 2000
_FUNDS: Final = 1_000_000_000_000
"""A million, in millionths: enough for every request of a run."""
AUTHORIZATION_TTL_S: Final = 30


@dataclass(frozen=True)
class Ground:
    """Where the requests of a run go, and by which keys."""

    environment: dict[str, str]
    home: Path
    keys: dict[str, str]
    """By account. The first account is the hot one."""
    invalid_keys: dict[str, str]
    """Keys that open nothing, by what is wrong with them."""

    @property
    def hot(self) -> str:
        """The account that gets half of all requests."""
        return next(iter(self.keys))


def prepare(home: Path, database_url: str, memory_url: str, receiver: str) -> Ground:
    """Make the accounts, each with 50 rules, the starter pipelines and a webhook."""
    environment = os.environ | {
        "GATEHOUSE_HOME": str(home),
        "GATEHOUSE_DATABASE_URL": database_url,
        "GATEHOUSE_MEMORY_URL": memory_url,
        # Full after a minute or two: what grows afterwards is a leak.
        "GATEHOUSE_MEMORY_ENTITIES": "5000",
        # Never reached, but counted in the shared memory as in production.
        "GATEHOUSE_RATE_LIMIT_PER_SECOND": "100000",
        "GATEHOUSE_AUTHORIZATION_TTL_S": str(AUTHORIZATION_TTL_S),
        # What a receiver did not take is sent again soon, so that a run can wait for the end.
        "GATEHOUSE_WEBHOOK_RETRY_S": ",".join(["1"] * 60),
    }
    session = open_admin_session(load_settings(environment), Actor.system("soak"))
    found = {}
    for number in range(ACCOUNTS):
        made = accounts.create(session, f"Shop {number}", "USD", _FUNDS).account.account_id
        found[made] = keys.issue(session, made, NewKey("soak")).key
        rule_sets.apply(session, made, NewVersion(rule_set().encode()))
        endpoints.create(session, made, NewWebhook(f"{receiver}/{made}", ["decision.made"]))
        fill_with_people(Shop(home, environment, made, found[made]), range(CARDS))
    hot = next(iter(found))
    revoked = keys.issue(session, hot, NewKey("lost"))
    keys.revoke(session, hot, revoked.issued.key_id, KeyRevocation("soak"))
    unknown = new_key_text(session.environment, secrets.token_bytes)
    session.database.dispose()
    return Ground(environment, home, found, {"revoked": revoked.key, "unknown": unknown})

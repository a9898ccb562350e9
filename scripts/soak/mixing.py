"""Which requests are sent: all operations, mixed, half of them to one hot account."""

import json
import random
from typing import Any, Final, NamedTuple

from scripts.bench.cards import precheck_body
from scripts.bench.client import NUMBER_MARK
from scripts.bench.people import idverify_body
from scripts.bench.purchases import pipeline_body, rules_body
from scripts.bench.visits import sentry_body
from scripts.soak.ground import CARDS

_BODIES: Final = {
    "precheck": precheck_body,
    "idverify": idverify_body,
    "sentry": sentry_body,
    "rules": rules_body,
    "pipeline": pipeline_body,
}
_SHARES: Final = (30, 15, 20, 5, 30)
_HOT_SHARE: Final = 0.5
_KEYED_SHARE: Final = 0.8


class Sending(NamedTuple):
    """One request as its caller sees it, however often it is sent."""

    account_id: str
    operation: str
    reference: str
    """Unique; the decision is found by it."""
    idempotency_key: str | None
    body: bytes


class Mixer:
    """Makes requests one after the other; the same seed makes the same."""

    def __init__(self, accounts: list[str], seed: int) -> None:
        self._accounts = accounts
        self._chance = random.Random(seed)  # not for secrets
        self._run = f"{self._chance.getrandbits(40):010x}"
        self._number = 0

    def next(self) -> Sending:
        """The next request."""
        chance, self._number = self._chance, self._number + 1
        is_hot = chance.random() < _HOT_SHARE
        account = self._accounts[0] if is_hot else chance.choice(self._accounts[1:])
        operation = chance.choices(tuple(_BODIES), _SHARES)[0]
        reference = f"{self._run}-{self._number:08d}"
        key = f"key-{reference}" if chance.random() < _KEYED_SHARE else None
        return Sending(account, operation, reference, key, self._body(operation, reference))

    def _body(self, operation: str, reference: str) -> bytes:
        made = _BODIES[operation](self._chance.randrange(CARDS))
        return referring(made.replace(NUMBER_MARK, b"%010d" % self._number), reference)


def referring(body: bytes, reference: str) -> bytes:
    """A body whose decision is found by the reference."""
    given: dict[str, Any] = json.loads(body) | {"clientReferenceId": reference}
    return json.dumps(given, separators=(",", ":")).encode()

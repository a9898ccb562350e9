"""Captures and refunds of the payments of a run, while hosts misbehave and processes are killed.

Each is asked for with a key of its own, and asked again with it. Afterwards what we say must be
what the hosts did: nothing twice, and nothing that nobody knows of.
"""

import contextlib
import signal
import time
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final, NamedTuple

import httpx

from gatehouse.connectors.iso8583.layout.numbers import rrn_of
from gatehouse.connectors.reference_host.journal import HostKind, HostOutcome, read_journal
from scripts.connector_faults.ground import Ground
from scripts.connector_faults.load import Answered
from scripts.connector_faults.processes import PATIENCE_S, Commands, Host, Server, wait_for
from scripts.connector_faults.proof import APPROVED

SHARES: Final = dict.fromkeys(
    ("slow", "silent", "garbage", "half", "duplicate", "reset", "error", "wrong-amount"), 0.04
) | dict.fromkeys(("notice-late", "notice-twice", "notice-unsigned"), 0.2)
_OPEN: Final = {"WAITING", "SENT", "IN_DOUBT", "PENDING"}
_WAYS: Final = ("https", "https, then iso8583", "iso8583")
_OFFERING: Final = ("https-first", "iso-first", "https-second")
"""The connectors that capture; the second host's dialect has no captures."""
_MOST: Final = 200
"""Payments; each has three operations."""
_NOTIFYING: Final = "https-first"
_KINDS: Final = {HostKind.CAPTURE: "CAPTURE", HostKind.REFUND: "REFUND"}


class Operations(NamedTuple):
    """What was asked for of a run's payments."""

    problems: list[str]
    facts: list[str]


def operate_all(
    ground: Ground, hosts: tuple[Host, Host], commands: Commands, answered: list[Answered]
) -> Operations:
    """Capture payments in two parts, over both protocols, and refund the first part.

    Meanwhile a third of the answers goes wrong, notifications come late, twice and unsigned, and
    the server is killed twice, and a host as well.
    """
    keys = {}
    for way in _WAYS:
        words = ["keys", "issue", "--account", ground.accounts[way], "--scope", "manage:payments"]
        keys[way] = commands.run(words, ground.environ)["key"]
    ways = {each.request_id: each.way for each in answered}
    operator = _Operator({request: keys.get(way, "") for request, way in ways.items()})
    folder = hosts[0].folder.parent / "operations"
    folder.mkdir()
    server = operator.server = Server(ground.environ, folder, commands)
    made = [each for each in answered if each.way in _WAYS and each.payment == APPROVED]
    chosen = [each for each in made if operator.can_capture(each.request_id)][:_MOST]
    hosts[0].misbehave(SHARES)
    addresses = commands.run(["notifications", "addresses"], ground.environ)
    [path] = [each["path"] for each in addresses if each["connector"] == _NOTIFYING]
    hosts[0].notify(server.port, path)
    payments: list[dict[str, Any]] = []
    try:
        for verbs in (("capture", 500, "capture", 1), ("refund", 500)):
            for number, each in enumerate(chosen):
                for verb, amount in zip(verbs[::2], verbs[1::2], strict=True):
                    operator.ask(each.request_id, str(verb), int(amount))
                if number == len(chosen) // 2:
                    server.stop(signal.SIGKILL)
                    hosts[0].stop(signal.SIGKILL)
                    hosts[0].start()
                    hosts[0].misbehave(SHARES)
                    server = operator.server = Server(ground.environ, folder, commands)
                    hosts[0].notify(server.port, path)
            hosts[0].misbehave({})
            wait_for(lambda: not operator.open(chosen), "the last operation")
            wait_for(lambda: not hosts[0].notices(), "the last notification")
            hosts[0].misbehave(SHARES)
        payments = [operator.shown(each.request_id) for each in chosen]
    finally:
        server.stop()
    attempts = Counter(one["attempts"] for each in payments for one in each["operations"])
    sums = Counter((each["capturedMinor"], each["refundedMinor"]) for each in payments)

    def notified(account: str) -> list[str]:
        words = ["notifications", "list", "--account", account]
        found = commands.run(words, ground.environ)["notifications"]
        return [each["state"] for each in found]

    problems = operation_problems(payments, [host.journal for host in hosts])
    if not chosen or sums != {(501, 500): len(chosen)}:
        problems.append(f"captured and refunded: {dict(sums)}, of {len(chosen)} payments")
    heard = Counter(state for way in _WAYS for state in notified(ground.accounts[way]))
    if not heard["NOTHING"] + heard["APPLIED"] or heard["WAITING"] + heard["UNMATCHED"]:
        problems.append(f"notifications, by what became of them: {dict(heard)}")
    told = f"operations on {len(chosen)} payments, by attempts: {dict(sorted(attempts.items()))}"
    return Operations(problems, [told, f"notifications: {dict(heard)}"])


class _Operator:
    """A program of a merchant that captures and refunds."""

    def __init__(self, keys: dict[str, str]) -> None:
        """With the key of its account for each request."""
        self._keys = keys
        self.server: Server | None = None

    def _call(self, method: str, path: str, **given: Any) -> dict[str, Any]:
        """An answer, asked for until one comes."""
        ends_at = time.monotonic() + PATIENCE_S
        key = self._keys[path.partition("/")[0]]
        headers = {"X-API-KEY": key, **given.pop("headers", {})}
        while time.monotonic() < ends_at:
            assert self.server is not None
            url = f"http://127.0.0.1:{self.server.port}/api/v1/manage/payments/{path}"
            with contextlib.suppress(httpx.TransportError):
                answer = httpx.request(method, url, headers=headers, timeout=30, **given)
                if answer.status_code == 200:
                    found: dict[str, Any] = answer.json()["paymentResponse"]
                    return found
                if answer.status_code != 503:
                    raise SystemExit(f"{method} {path}: {answer.text}")
            time.sleep(0.1)
        raise SystemExit(f"no answer to {method} {path}")

    def ask(self, request_id: str, verb: str, amount: int) -> None:
        """Ask for an operation, and again with the same key."""
        headers = {"Idempotency-Key": f"{request_id}-{verb}-{amount}"}
        for _ in range(2):
            given = {"json": {"amountMinor": amount}, "headers": headers}
            self._call("POST", f"{request_id}/{verb}", **given)

    def can_capture(self, request_id: str) -> bool:
        """Whether a payment was authorized where captures are offered."""
        return self.shown(request_id)["connector"] in _OFFERING

    def shown(self, request_id: str) -> dict[str, Any]:
        """A payment as it is."""
        return self._call("GET", request_id)

    def open(self, chosen: list[Answered]) -> bool:
        """Whether anything is left to be done."""
        states = {
            one["state"] for each in chosen for one in self.shown(each.request_id)["operations"]
        }
        return bool(states & _OPEN)


def operation_problems(payments: Iterable[dict[str, Any]], journals: Iterable[Path]) -> list[str]:
    """Captures and refunds about which the hosts and our records disagree."""
    done: Counter[tuple[str, str, str, int]] = Counter()
    for journal in journals:
        for line in read_journal(journal):
            is_done = line.outcome is HostOutcome.APPROVED and not line.duplicate
            if line.direction == "received" and line.kind in _KINDS and is_done:
                name = (line.reference or "", line.operation or "", _KINDS[line.kind])
                done[(*name, line.amount_minor or 0)] += 1
    problems = [f"{name}: done {times} times" for name, times in done.items() if times > 1]
    ours = {
        (*_names(each, one), one["kind"], one["amountMinor"])
        for each in payments
        for one in each["operations"]
        if one["state"] == "SUCCEEDED"
    }
    problems += [f"{name}: done, and not known to us" for name in done.keys() - ours]
    problems += [f"{name}: not done, but said to be" for name in ours - done.keys()]
    return problems


def _names(payment: dict[str, Any], operation: dict[str, Any]) -> tuple[str, str]:
    """How a host calls a payment and an operation on it."""
    names = (payment["requestId"], operation["operationId"])
    if str(payment["connector"]).startswith("iso-"):
        return rrn_of(names[0]), rrn_of(names[1])
    return names

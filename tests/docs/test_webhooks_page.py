"""The page about webhooks is run from beginning to end, and its verifiers verify."""

import json
import shutil
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest

from gatehouse.admin.webhooks.types.endpoint import MOST_ENDPOINTS
from gatehouse.connectors.webhooks.sending import TIME_LIMIT_S
from gatehouse.connectors.webhooks.signing_secrets import SecretKind, SigningSecret, signatures
from gatehouse.settings.settings import Settings
from tests.docs.pages import ROOT, blocks, steps
from tests.docs.walk import check_steps
from tests.harness import PATIENCE_S, Server
from tests.installed_programs import NPM, built, run
from tests.web.test_generated_clients import needs_npm

_PAGE: Final = (ROOT / "docs/webhooks.md").read_text()
_LOCKED: Final = ROOT / "tests/webhooks/npm"
_SECRET: Final = SigningSecret(SecretKind.HMAC, bytes(range(32)))
_OTHER: Final = SigningSecret(SecretKind.HMAC, bytes(range(1, 33)))
_PAIR: Final = SigningSecret(SecretKind.ED25519, bytes(range(32)))
_BODY: Final = '{"id":"evt_1","data":{"name":"Zoë"}}'

_RUN_ALL: Final = """
import { readFileSync } from "node:fs";
const { verify } = await import(process.argv[2]);
for (const [secret, headers, body] of JSON.parse(readFileSync(0, "utf8"))) {
  try { verify(secret, headers, body); console.log("accepted"); } catch { console.log("refused"); }
}
"""

Case = tuple[str, dict[str, str], str]


def message(*signed_with: SigningSecret, ago_s: int = 0) -> dict[str, str]:
    at_ms = int(time.time() - ago_s) * 1000
    timestamp, signature = signatures(signed_with, "evt_1", at_ms, _BODY.encode())
    return {
        "webhook-id": "evt_1",
        "webhook-timestamp": timestamp.decode(),
        "webhook-signature": signature.decode(),
    }


def cases(secret: SigningSecret, other: SigningSecret) -> dict[str, list[Case]]:
    """Messages that must be accepted, and messages that must be refused."""
    fresh, old = message(secret), message(secret, ago_s=900)
    again = {**old, "webhook-timestamp": fresh["webhook-timestamp"]}
    return {
        "accepted": [
            (secret.shown, fresh, _BODY),
            (secret.shown, message(other, secret), _BODY),
        ],
        "refused": [
            (secret.shown, fresh, _BODY.replace("Zoë", "Zoe")),
            (secret.shown, {**fresh, "webhook-id": "evt_2"}, _BODY),
            (secret.shown, old, _BODY),
            (secret.shown, again, _BODY),
            (secret.shown, message(other), _BODY),
        ],
    }


def samples(kind: str) -> list[str]:
    return [each.text for each in blocks(_PAGE) if each.kind == kind]


def test_the_page_prints_what_it_shows(checkout_at: tuple[Path, Server]) -> None:
    walk = list(steps(_PAGE))
    assert len(walk) >= 7
    check_steps(walk, *checkout_at, with_errors=True)


@pytest.mark.parametrize("sample", samples("python"))
def test_the_verifiers_in_python_accept_ours_and_refuse_the_rest(sample: str) -> None:
    names: dict[str, Any] = {}
    exec(sample, names)  # that is what the page is for
    verify: Callable[..., Any] = names.get("verify") or names["verify_pair"]
    of_pair = "verify_pair" in names
    given = (
        cases(_PAIR, SigningSecret(SecretKind.ED25519, bytes(32)))
        if of_pair
        else cases(_SECRET, _OTHER)
    )
    for secret, headers, body in given["accepted"]:
        assert verify(secret, headers, body.encode())["id"] == "evt_1"
    for secret, headers, body in given["refused"]:
        with pytest.raises(Exception, match=r".+"):
            verify(secret, headers, body.encode())


@pytest.fixture(scope="module")
def packages() -> Path:
    """The folder with the verifier from npm."""
    with built("webhooks-npm", (_LOCKED / "package-lock.json").read_bytes()) as (wanted, filled):
        if not filled:
            for name in ("package.json", "package-lock.json"):
                shutil.copy(_LOCKED / name, wanted)
            run([NPM or "npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"], wanted)
    return wanted


@needs_npm
@pytest.mark.parametrize("number", range(2))
def test_the_verifiers_in_node_accept_ours_and_refuse_the_rest(packages: Path, number: int) -> None:
    sample, runner = packages / f"sample{number}.mjs", packages / f"runner{number}.mjs"
    sample.write_text(samples("javascript")[number])
    runner.write_text(_RUN_ALL)
    wanted = [(kind, case) for kind, some in cases(_SECRET, _OTHER).items() for case in some]
    done = subprocess.run(
        ["node", str(runner), str(sample)],
        input=json.dumps([case for _, case in wanted]),
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=True,
    )
    assert done.stdout.split() == [kind for kind, _ in wanted]


@pytest.mark.parametrize(
    "told",
    [
        f"within {TIME_LIMIT_S:.0f} seconds",
        f"| one account | {MOST_ENDPOINTS} webhooks |",
        f"ports {' and '.join(map(str, Settings().webhook_ports))}",
    ],
)
def test_the_limits_are_those_of_the_code(told: str) -> None:
    assert told in _PAGE


def test_the_schedule_is_about_three_days() -> None:
    waits = Settings().webhook_retry_s
    assert waits == (5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 72_000)
    assert 71 <= sum(waits) / 3600 <= 73

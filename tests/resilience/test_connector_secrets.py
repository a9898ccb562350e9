"""Requests over both protocols to a host that misbehaves, and then a search of all that the server,
the host and the commands have left behind.
"""

import base64
import itertools
import json
import random
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import pytest

from tests.harness import PATIENCE_S, Home, free_port, until
from tests.harness.commands import fork_command
from tests.resilience.test_secrets_stay_secret import (
    AMEX_CODE,
    Person,
    Searcher,
    _mentions_code,
    _new_number,
    _new_person,
    _values_of,
)

KINDS: Final = ("iso8583", "http")
REQUESTS: Final = 90
ROUNDS_AT_MOST: Final = 10
"""The host draws what goes wrong by what it is asked, so one round may miss an outcome."""
OUTCOMES: Final = (b'"APPROVED"', b'"ERROR"', b'"RETRY"', b'"ACCEPT"')
FAULTS: Final = (
    "silent=0.02,slow=0.02,garbage=0.05,half=0.05,duplicate=0.05,wrong-stan=0.05,reset=0.05"
)
TOKEN: Final = "t0ken-Of-The-Host-Qx71"
PIPELINE: Final = """\
pipeline: 7
name: All parties
stages:
  - {stage: PreCheck, stop_when: never}
  - {stage: IdVerify}
  - {stage: Gateway}
"""
_chance = random.Random(20_261_116)


class Trial:
    """What is sent, and where all of it may have been left."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.secrets: dict[str, str] = {TOKEN: "the token"}
        self.heaps: dict[str, bytes] = {}
        self.calls = 0

    def card(self) -> dict[str, Any]:
        """A card, a code, an address and an authentication that nobody else has."""
        number = _new_number("37", 15) if self.calls % 2 else _new_number("4", 16)
        self.calls += 1
        street = "".join(_chance.choices("BCDFGHJKLMNP", k=12))
        self.secrets |= {number: "a card number", street: "a street"}
        return {
            "cardNumber": number,
            "cardExpiryDate": "2035-12",
            "cardCvv2Value": AMEX_CODE
            if len(number) == 15
            else "".join(_chance.choices("6789", k=3)),
            "cardAddress": {"street": f"7 {street}", "postalCode": "94105"},
        }

    def person(self, number: str) -> Person:
        person = _new_person(number)
        self.secrets |= dict.fromkeys(_values_of(person), "a person")
        return person

    def requests(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """A PreCheck, an ID Verify and a payment in turn."""
        for turn in range(REQUESTS):
            card = self.card()
            person = self.person(card["cardNumber"])
            proof = base64.b64encode(_chance.randbytes(20)).decode()
            self.secrets[proof] = "an authentication value"
            order = {"event": {"type": "PURCHASE"}, "order": {"amount": 12, "currency": "EUR"}}
            yield (
                ("precheck", card),
                ("idverify", person),
                (
                    "pipeline",
                    {
                        "pipelineId": 7,
                        "sentryRequest": order,
                        "preCheckRequest": card,
                        "idVerifyRequest": person,
                        "gatewayRequest": {
                            "threeDSecure": {
                                "version": "2.2.0",
                                "eci": "05",
                                "status": "Y",
                                "authenticationValue": proof,
                            }
                        },
                    },
                ),
            )[turn % 3]


@contextmanager
def _host(trial: Trial, ports: tuple[int, int]) -> Iterator[None]:
    words = ["reference-host", "--json", "--token", "env:HOST_TOKEN", "--misbehave", FAULTS]
    words += ["--iso8583-port", str(ports[0]), "--http-port", str(ports[1]), "--slow-ms", "400"]
    words += ["--journal", str(trial.folder / "journal.jsonl")]
    output = trial.folder / "host-output"
    with output.open("wb") as out:
        environ = Home(trial.folder).environ(HOST_TOKEN=TOKEN)
        process = fork_command(words, environ, out, out)
    until(output.read_bytes, lambda text: text.endswith(b"}\n"))
    try:
        yield
    finally:
        process.kill()
        process.wait(PATIENCE_S)
        trial.heaps["the host's output"] = output.read_bytes()
        trial.heaps["the host's journal"] = (trial.folder / "journal.jsonl").read_bytes()


def _configuration(ports: tuple[int, int], accounts: dict[str, str]) -> str:
    lines = ["connectors:"]
    hosts = f"hosts: ['127.0.0.1:{ports[0]}']"
    lines.append(f"  iso8583: {{kind: iso8583, dialect: reference, {hosts}, timeout_ms: 300}}")
    about = f"base_url: 'http://127.0.0.1:{ports[1]}', secrets: {{token: env:HOST_TOKEN}}"
    lines.append(f"  http: {{kind: http, mapping: gatehouse, {about}, timeout_ms: 300}}")
    lines.append("routes:")
    for function in ("precheck", "idverify", "gateway"):
        lines.append(f"  {function}:")
        lines += [f"    - {{accounts: [{accounts[kind]}], use: [{kind}]}}" for kind in KINDS]
    return "\n".join(lines)


def _try(trial: Trial, home: Home) -> None:
    """`connectors try` with cards of its own, over both protocols."""
    secret = trial.folder / "given"
    secret.mkdir()
    for turn, (kind, function) in enumerate(
        itertools.product(KINDS, ("precheck", "idverify", "gateway"))
    ):
        card = trial.card()
        person = trial.person(card["cardNumber"])
        rest = {key: person[key] for key in person if key.startswith("cardHolder")}
        files = {
            "card": card["cardNumber"],
            "code": card["cardCvv2Value"],
            "details": json.dumps(rest),
        }
        for name, text in files.items():
            (secret / name).write_text(text)
        words = ["connectors", "try", kind, "--function", function, "--expiry", "2035-12"]
        words += ["--card", f"file:{secret / 'card'}", "--code", f"file:{secret / 'code'}"]
        if function == "idverify":
            words += ["--details", str(secret / "details")]
        if function == "gateway":
            words += ["--amount", "1.00", "--currency", "EUR", "--yes"]
        done = home.run(*words, *(["--json"] if turn % 2 else []))
        assert done.code in (0, 1), done.err
        trial.heaps[f"{' '.join(words[1:5])} {turn}"] = (done.out + done.err).encode()


@pytest.fixture(scope="module")
def trial(tmp_path_factory: pytest.TempPathFactory) -> Trial:
    """Everything that was left, after the server and the host have ended."""
    trial = Trial(tmp_path_factory.mktemp("trial"))
    applied = dict.fromkeys(
        ("GATEHOUSE_ISSUER", "GATEHOUSE_IDENTITIES", "GATEHOUSE_GATEWAY"), "connectors"
    )
    settings = {"GATEHOUSE_LOG_LEVEL": "debug", "HOST_TOKEN": TOKEN, **applied}
    home = Home(trial.folder / "home", settings=settings).migrated()
    pipeline, file = trial.folder / "pipeline.yaml", trial.folder / "connectors.yaml"
    pipeline.write_text(PIPELINE)
    ports = free_port(), free_port()
    with _host(trial, ports):
        accounts = {kind: home.account() for kind in KINDS}
        for account in accounts.values():
            home.ok("pipelines", "apply", str(pipeline), "--account", account)
        keys = {kind: home.key(account) for kind, account in accounts.items()}
        file.write_text(_configuration(ports, accounts))
        home.ok("connectors", "apply", str(file))
        with home.server() as server, ThreadPoolExecutor(6) as threads:

            def ask(kind: str, path: str, body: dict[str, Any]) -> bytes:
                with server.client(keys[kind]) as client:
                    answer = client.post(f"/api/v1/{path}", json=body)
                    assert answer.status_code == 200, answer.text
                    return answer.content

            answers: list[bytes] = []
            for _ in range(ROUNDS_AT_MOST):
                asked = [
                    threads.submit(ask, kind, path, body)
                    for turn, (path, body) in enumerate(trial.requests())
                    for kind in [KINDS[turn // 3 % 2]]
                ]
                answers += [each.result() for each in asked]
                trial.heaps["answers"] = b"\n".join(answers)
                if all(outcome in trial.heaps["answers"] for outcome in OUTCOMES):
                    break
            _try(trial, home)
            for words in (("connectors", "status"), ("audit", "show"), ("gateway", "list")):
                trial.heaps[" ".join(words)] = home.run(*words).out.encode()
            with server.client() as client:
                trial.heaps["metrics"] = client.get("/metrics").content
    for path in home.path.rglob("*"):
        if path.is_file():
            trial.heaps[str(path.relative_to(home.path))] = path.read_bytes()
    return trial


def test_the_trial_is_worth_a_search(trial: Trial) -> None:
    journal = [json.loads(line) for line in trial.heaps["the host's journal"].splitlines()]
    asked = {(line["protocol"], line["kind"]) for line in journal}
    assert asked >= {(protocol, kind) for protocol in KINDS for kind in ("check", "authorize")}
    assert len({line.get("fate") for line in journal}) > 5
    answers = trial.heaps["answers"]
    assert [outcome for outcome in OUTCOMES if outcome not in answers] == []


def test_no_card_number_no_person_and_no_secret_is_left_anywhere(trial: Trial) -> None:
    searcher = Searcher(trial.secrets)
    found = {name: searcher.search(data) for name, data in trial.heaps.items()}
    assert {name: labels for name, labels in found.items() if labels} == {}


def test_no_security_code_is_left_anywhere(trial: Trial) -> None:
    for name, data in trial.heaps.items():
        if name.startswith("sandbox.db"):
            assert f'"{AMEX_CODE}"'.encode() not in data, name
            continue
        for line in data.decode("utf-8", "replace").splitlines():
            assert not _mentions_code(line), (name, line)

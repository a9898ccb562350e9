"""The shipped mappings against the providers' published descriptions, which Prism serves.

The descriptions are not ours to ship: a variable names the folder that has them. Prism is pinned in
`prism/`, and refuses what does not fit a description.
"""

import asyncio
import copy
import os
import socket
import subprocess
import threading
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any, Final

import httpx
import msgspec
import pytest
import yaml  # type: ignore[import-untyped]  # it has no types

from gatehouse.core.cards.three_d_secure import ScaExemption
from gatehouse.core.errors import ConnectorFailed
from gatehouse.gateway.port import GatewayAnswer
from gatehouse.idverify.request import CardHolderIds, CardHolderName, IdVerifyRequest
from gatehouse.idverify.source import HolderResults
from tests.connectors.http.asking import (
    EXPIRY,
    HOLDER,
    NUMBER,
    authorization,
    bare_enquiry,
    connected,
    enquiry,
    identity_enquiry,
    reversal,
)
from tests.connectors.http.certificates import Authority
from tests.connectors.http.party import Heard, Reply, serving
from tests.connectors.http.providers import (
    Provider,
    Work,
    attempted,
    checking,
    finding,
    gateway,
    proven,
    with_holder,
    words,
)
from tests.connectors.http.test_visa import ACCEPTOR
from tests.harness import PATIENCE_S
from tests.installed_programs import NPM, npm_packages

VARIABLE: Final = "PROVIDER_DESCRIPTIONS"
FOLDER: Final = os.environ.get(VARIABLE, "")
pytestmark = [
    pytest.mark.node,
    pytest.mark.skipif(
        not FOLDER, reason=f"{VARIABLE} IS NOT SET: no request was held against a description"
    ),
    pytest.mark.skipif(NPM is None, reason="NPM IS MISSING: no description can be served"),
]

WHOLE: Final = IdVerifyRequest(
    NUMBER,
    EXPIRY,
    f"{'a' * 100}@example.com",
    "+44 20 7946 0958",
    CardHolderName("F" * 64, "M" * 64, "L" * 64, "SECONDARY"),
    CardHolderIds("D" * 36, "P" * 35, "N1", "T2"),
)


class Described:
    """A description that two servers know: one refuses what does not fit, one answers anyhow."""

    def __init__(self, prism: Path, file: str) -> None:
        self.path = Path(FOLDER) / file
        command = ["node", str(prism), "mock", str(self.path)]
        started = [_start([*command, *more]) for more in (["--errors"], [])]
        self._processes = [process for process, _ in started]
        self._strict, self._plain = (url for _, url in started)

    def close(self) -> None:
        for process in self._processes:
            process.kill()
            process.wait(PATIENCE_S)

    def relay(self, prefer: str) -> Callable[[Heard], Awaitable[Reply]]:
        """Passes requests on; fails where one does not fit the description."""

        async def answer(heard: Heard) -> Reply:
            headers = {
                name: value
                for name, value in heard.headers.items()
                if name not in ("host", "content-length", "connection")
            } | ({"prefer": prefer} if prefer else {})
            async with httpx.AsyncClient(timeout=PATIENCE_S) as client:
                request = (heard.method, heard.path)
                strict, plain = [
                    await client.request(
                        request[0], f"{url}{request[1]}", headers=headers, content=heard.body
                    )
                    for url in (self._strict, self._plain)
                ]
            for violation in _violations(strict):
                place = violation["location"]
                # An example of the description that contradicts its own schema is not our fault.
                if place[0] == "response":
                    self.contradictions.add(".".join(place[2:]))
                else:
                    self.unfit.append(violation)
            self.requests += 1
            return Reply(status=plain.status_code, body=plain.content)

        self.unfit: list[Any] = []
        self.contradictions: set[str] = set()
        self.requests = 0
        return answer

    def ask(self, provider: Provider, works: list[Work], prefer: str = "") -> list[Any]:
        """What each piece of work comes to; every request of it fits the description."""

        async def run() -> list[Any]:
            async with serving(self.relay(prefer), None) as party:
                made = msgspec.structs.replace(
                    provider.definition(party.url), timeout_ms=int(PATIENCE_S * 1000)
                )
                async with connected(made) as connector:
                    return [await attempted(work, connector) for work in works]

        found = asyncio.run(run())
        assert self.unfit == []
        assert self.requests == len(works)
        return found


def _violations(answer: httpx.Response) -> list[Any]:
    """What Prism says against a request or its own answer."""
    if "problem+json" not in answer.headers["content-type"]:
        return []
    problem = answer.json()
    return problem.get("validation") or [{"location": ["request"], "problem": problem}]


def _start(command: list[str]) -> tuple[subprocess.Popen[str], str]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    process = subprocess.Popen(
        [*command, "--host", "127.0.0.1", "--port", str(port)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    listening = threading.Event()

    def read() -> None:
        # What it prints is read to its end, or it would wait for a reader.
        assert process.stdout is not None
        with process.stdout as printed:
            for line in printed:
                if "listening" in line:
                    listening.set()

    threading.Thread(target=read, daemon=True).start()
    if not listening.wait(PATIENCE_S):
        process.kill()
        raise AssertionError("Prism does not listen")
    return process, f"http://127.0.0.1:{port}"


@pytest.fixture(scope="module")
def prism() -> Path:
    packages = npm_packages("prism", Path(__file__).with_name("prism"))
    return packages / "@stoplight" / "prism-cli" / "dist" / "index.js"


@pytest.fixture(scope="module")
def visa_description(prism: Path) -> Iterator[Described]:
    described = Described(prism, "visa-payment-account-validation.yml")
    yield described
    described.close()


@pytest.fixture(scope="module")
def adyen_description(prism: Path) -> Iterator[Described]:
    described = Described(prism, "adyen-checkout-v72.yaml")
    yield described
    described.close()


@pytest.fixture(scope="module")
def visa(secret_file: Path, authority: Authority) -> Provider:
    return Provider("visa-payment-account-validation", secret_file, authority, **ACCEPTOR)


@pytest.fixture(scope="module")
def adyen(secret_file: Path, authority: Authority) -> Provider:
    return Provider("adyen", secret_file, authority, merchant_account="ExampleShop")


CHECKS: Final[list[Work]] = [
    checking(bare_enquiry()),
    checking(enquiry()),
    checking(with_holder(HOLDER)),
    checking(msgspec.structs.replace(with_holder(WHOLE), postal_code="94105-1234")),
    checking(msgspec.structs.replace(enquiry(), street=None)),
    checking(msgspec.structs.replace(enquiry(), postal_code=None)),
    finding(identity_enquiry()),
    finding(msgspec.structs.replace(identity_enquiry(), request=WHOLE)),
]


def authorize(connector: Any) -> Any:
    return gateway(connector).authorize(authorization())


def authorize_proven(connector: Any) -> Any:
    paid = msgspec.structs.replace(
        authorization(),
        three_d_secure=proven(exemption=ScaExemption.TRUSTED_BENEFICIARY),
        postal_code="SW1A 1AA",
        street="10 Downing Street",
    )
    return gateway(connector).authorize(paid)


def reverse(reference: str | None) -> Work:
    return lambda connector: gateway(connector).reverse(reversal(reference))


REVERSALS: Final = [reverse(None), reverse("993617895204576J")]


def test_a_request_that_does_not_fit_is_noticed(
    visa: Provider, visa_description: Described
) -> None:
    spoilt = copy.copy(visa)
    spoilt.options = ACCEPTOR | {"acquiring_bin": "4"}
    with pytest.raises(AssertionError, match="acquiringBin"):
        visa_description.ask(spoilt, CHECKS[:1])


def test_every_request_to_visa_fits_and_every_form_of_answer_is_taken(
    visa: Provider, visa_description: Described
) -> None:
    # The description has no example of an answer; Prism makes answers of the right form up, with
    # words that mean nothing.
    found = visa_description.ask(visa, CHECKS, "dynamic=true")
    assert visa_description.contradictions == set()
    for each in found[:6]:
        assert isinstance(each, ConnectorFailed)
        assert "actionCode holds a value that the mapping does not know" in str(each)
    assert [type(each) for each in found[6:]] == [HolderResults, HolderResults]
    assert {each.email for each in found[6:]} == {"UNKNOWN"}


CONTRADICTIONS: Final = {"additionalData.authCode"}
PLAIN = ("ACCEPT", "UNKNOWN", "UNKNOWN")
CHECKED = ("ACCEPT", "UNVERIFIABLE", "MATCH")
CHALLENGED = ("DECLINE", "UNKNOWN", "UNKNOWN")
ANSWERS: Final = {
    "card-3d-secure-2-web": CHALLENGED,
    "card-3d-secure-redirect": CHALLENGED,
    "card-direct": CHECKED,
    "card-securedfields": CHECKED,
    "enableOneClick-SF": CHECKED,
    "ideal": CHALLENGED,
    "on-demand-top-up-from-transfer-instrument": PLAIN,
    "on-demand-top-up-visa": PLAIN,
    "split-balanceplatform": CHECKED,
    "subscription-first-transaction": CHECKED,
}


def test_every_documented_answer_of_adyen_is_known_here(adyen_description: Described) -> None:
    described = yaml.load(adyen_description.path.read_text(), Loader=yaml.CSafeLoader)
    answers = described["paths"]["/payments"]["post"]["responses"]["200"]
    assert set(answers["content"]["application/json"]["examples"]) == set(ANSWERS)


@pytest.mark.parametrize("example", ANSWERS)
def test_every_request_to_adyen_fits_and_its_answers_are_read(
    adyen: Provider, adyen_description: Described, example: str
) -> None:
    works: list[Work] = [*CHECKS, authorize, authorize_proven]
    found = adyen_description.ask(adyen, works, f"example={example}")
    assert [words(each) for each in found[:6]] == [ANSWERS[example]] * 6
    assert found[6:8] == [HolderResults()] * 2
    challenged = ANSWERS[example] is CHALLENGED
    for each in found[8:]:
        assert isinstance(each, GatewayAnswer)
        assert each.approved is not challenged
        assert each.response_code == ("1A" if challenged else "00")
        assert challenged or each.reference
    assert adyen_description.contradictions <= CONTRADICTIONS


def test_reversals_at_adyen_fit_and_are_confirmed(
    adyen: Provider, adyen_description: Described
) -> None:
    assert adyen_description.ask(adyen, REVERSALS) == [None, None]


@pytest.mark.parametrize("status", [400, 401, 403, 422, 500])
def test_errors_of_adyen_are_classed(
    adyen: Provider, adyen_description: Described, status: int
) -> None:
    works = [CHECKS[0], CHECKS[6], authorize, *REVERSALS]
    found = adyen_description.ask(adyen, works, f"code={status}, example=generic")
    meaning = "try later" if status == 500 else "our mistake"
    for each in found:
        assert isinstance(each, ConnectorFailed)
        assert f"it answered {status}: {meaning}" in str(each)

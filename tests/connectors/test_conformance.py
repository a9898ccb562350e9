"""Every trigger and person of the sandbox gives the same answer of the API, whoever is asked and
however: the sandbox itself, or the reference host over ISO 8583 and over HTTPS.
"""

import contextlib
import copy
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Final, NamedTuple

import pytest

from gatehouse.connectors.reference_host.certificates import (
    HostTls,
    MadeCertificates,
    make_certificates,
)
from gatehouse.connectors.sandbox.people import all_holders
from gatehouse.connectors.sandbox.triggers import SILENT, all_triggers
from tests.connectors.reference_host.hosts import TOKEN, HostThread, dialect, host_thread
from tests.harness import BODY, Home, Server, until

AMEX: Final = "378282246310005"
DIRECT: Final = "the sandbox"
ISO8583: Final = ("reference", "base-one")
HTTPS: Final = "https"
TRY_LATER: Final = "4000000000000119"
WAYS: Final = (*ISO8583, HTTPS)
CARD_FIELDS: Final = ("cardNumber", "cardCvv2Value", "cardAddress")
PIPELINE: Final = """\
pipeline: 7
name: Everybody who is asked
stages:
  - stage: PreCheck
  - stage: IdVerify
    skip_when: precheck.advice <> 'ACCEPT'
  - stage: Gateway
"""
Body = dict[str, Any]


class Call(NamedTuple):
    """A request that is sent over every way."""

    name: str
    path: str
    body: Body


# ---- What is sent ------------------------------------------------------------------------------


def _with(field: str, value: str) -> Body:
    if field.startswith("cardAddress."):
        part = field.partition(".")[2]
        return BODY | {"cardAddress": BODY["cardAddress"] | {part: value}}
    card = {"cardNumber": AMEX} if field == "cardCvv2Value" and len(value) == 4 else {}
    return BODY | card | {field: value}


def _paying(body: Body, person: Body) -> Body:
    order = {"event": {"type": "PURCHASE"}, "order": {"amount": 12.5, "currency": "EUR"}}
    return {
        "pipelineId": 7,
        "sentryRequest": order,
        "preCheckRequest": body,
        "idVerifyRequest": person,
    }


def _people() -> Iterator[tuple[str, Body]]:
    """Every holder with all that is on record, and with the name alone."""
    for holder in all_holders():
        person = holder.person
        card = {"cardNumber": holder.card, "cardExpiryDate": "2035-12"}
        contacts = {
            "cardHolderEmailAddress": next(iter(person.emails), None),
            "cardHolderPhoneNumber": next(iter(person.phones), None),
            "cardHolderIds": {one.type.value: one.value for one in person.identifiers},
        }
        names: list[Body] = [
            {"firstName": n.first_name, "middleName": n.middle_name, "lastName": n.last_name}
            for n in person.names
        ]
        for name in names or [{"firstName": "Jie", "lastName": "Chen"}]:
            yield f"all of {holder.about}", {**card, **contacts, "cardHolderName": name}
            yield f"name of {holder.about}", {**card, "cardHolderName": name}
        stranger = {"firstName": "Amelia", "lastName": "Smith"}
        yield f"a stranger with {holder.about}", {**card, "cardHolderName": stranger}


ROWS: Final = [row for row in all_triggers() if row.field.startswith(CARD_FIELDS)]
QUIET: Final = [row for row in ROWS if row.silent or row.gateway == SILENT]
PEOPLE: Final = dict(_people())


def _calls() -> Iterator[Call]:
    name_alone = {"cardHolderName": {"firstName": "Amelia", "lastName": "Whitfield"}}
    for row in ROWS:
        body = _with(row.field, row.value)
        person = {key: body[key] for key in ("cardNumber", "cardExpiryDate")} | name_alone
        yield Call(f"precheck {row.field} {row.value}", "precheck", body)
        if row.field == "cardNumber":
            yield Call(f"idverify {row.field} {row.value}", "idverify", person)
        yield Call(f"pay {row.field} {row.value}", "pipeline", _paying(body, person))
    for about, person in PEOPLE.items():
        yield Call(f"idverify {about}", "idverify", person)
    for name, body in {
        "nothing but the card": {key: BODY[key] for key in ("cardNumber", "cardExpiryDate")},
        "a street alone": BODY | {"cardAddress": {"street": "1 Main Street"}},
        "a postal code alone": BODY | {"cardAddress": {"postalCode": "SW1A 1AA"}},
        "letters of another brand": BODY
        | {"cardNumber": "6011111111111117", "cardAddress": {"street": "200 A", "postalCode": "1"}},
        "an address that is not ASCII": BODY
        | {"cardAddress": {"street": "200 Würzburger Straße", "postalCode": "97070"}},
    }.items():
        yield Call(f"precheck {name}", "precheck", body)


CALLS: Final = {call.name: call for call in _calls()}
LATE: Final = [name for row in reversed(QUIET) for name in CALLS if name.endswith(f" {row.value}")]
"""Those that somebody never answers; all are sent at the same time, so they wait only once."""


# ---- The ways ----------------------------------------------------------------------------------


class Way(NamedTuple):
    """A server, and an account whose requests go one way."""

    server: Server
    key: str

    def ask(self, *names: str) -> dict[str, Body]:
        """What the API answers to some calls, one after the other."""
        with self.server.client(self.key) as client:
            return {
                name: _told(client.post(f"/api/v1/{call.path}", json=call.body).json())
                for name in names
                for call in [CALLS[name]]
            }

    def connectors(self) -> dict[str, Body]:
        """How the connectors of the server are."""
        with self.server.client() as client:
            found: dict[str, Body] = client.get("/readyz").json()["connectors"]["connectors"]
            return found


def _told(answer: Body) -> Body:
    """The answer without what is of one request alone."""
    assert answer["isSuccess"], answer
    del answer["requestId"], answer["billing"]["remainingBalance"]
    # Each party names itself and its payments in its own way.
    if paid := (answer.get("pipelineResponse") or {}).get("gatewayResponse"):
        del paid["paymentId"], paid["party"], paid["networkTransactionId"]
    paid = (answer.get("pipelineResponse") or {}).get("gatewayResponse")
    if paid and paid["approvalCode"]:
        paid["approvalCode"] = len(paid["approvalCode"])
    return answer


def _configuration(hosts: dict[str, HostThread], ca_file: Path, accounts: dict[str, str]) -> str:
    # The limits of the stages are shorter, and end what is never answered.
    common = f"timeout_ms: 20000, tls: {{ca_file: {ca_file}}}"
    lines = ["connectors:"]
    for name in ISO8583:
        port = hosts[name].running.iso8583_port
        about = f"kind: iso8583, dialect: {name}, hosts: ['127.0.0.1:{port}'], {common}"
        lines.append(f"  {name}: {{{about}}}")
    url = f"https://127.0.0.1:{hosts['reference'].running.http_port}"
    about = f"kind: http, mapping: gatehouse, base_url: '{url}', secrets: {{token: env:TOKEN}}"
    lines += [f"  {HTTPS}: {{{about}, {common}}}", "routes:"]
    for function in ("precheck", "idverify", "gateway"):
        lines.append(f"  {function}:")
        for way, account in accounts.items():
            # The second dialect has no place for names.
            use = "reference" if (function, way) == ("idverify", "base-one") else way
            lines.append(f"    - {{accounts: [{account}], use: [{use}]}}")
    return "\n".join(lines)


def _account(home: Home, pipeline: Path) -> tuple[str, str]:
    account = home.account()
    home.ok("pipelines", "apply", str(pipeline), "--account", account)
    return account, home.key(account)


@pytest.fixture(scope="module")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> MadeCertificates:
    folder = tmp_path_factory.mktemp("tls")
    return make_certificates(folder, "127.0.0.1", lambda: time.time_ns() // 1_000_000)


@pytest.fixture(scope="module")
def hosts(certificates: MadeCertificates) -> Iterator[dict[str, HostThread]]:
    """A reference host for each dialect."""
    tls = HostTls(certificates.certificate_file, certificates.key_file)
    with contextlib.ExitStack() as stack:
        yield {
            name: stack.enter_context(host_thread(dialect=dialect(name), tls=tls))
            for name in ISO8583
        }


@pytest.fixture(scope="module")
def ways(
    hosts: dict[str, HostThread],
    certificates: MadeCertificates,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[dict[str, Way]]:
    """A server that asks the sandbox, and one that asks the reference host in three ways."""
    folder = tmp_path_factory.mktemp("ways")
    pipeline, file = folder / "pipeline.yaml", folder / "connectors.yaml"
    pipeline.write_text(PIPELINE)
    stages, parties = ("PRECHECK", "IDVERIFY", "GATEWAY"), ("ISSUER", "IDENTITIES", "GATEWAY")
    settings = {"GATEHOUSE_RATE_LIMIT_PER_SECOND": "0"}
    # A machine that stands still for a moment must not end a call that is answered.
    settings |= {f"GATEHOUSE_{stage}_TIMEOUT_MS": "4000" for stage in stages}
    applied = {f"GATEHOUSE_{party}": "connectors" for party in parties}
    direct = Home(folder / "direct", settings=settings).migrated()
    connected = Home(folder / "connected", settings={**settings, **applied, "TOKEN": TOKEN})
    connected.migrated()
    accounts = {way: _account(connected, pipeline) for way in WAYS}
    ids = {way: account for way, (account, _) in accounts.items()}
    file.write_text(_configuration(hosts, certificates.ca_file, ids))
    connected.ok("connectors", "apply", str(file))
    _, key = _account(direct, pipeline)
    with direct.server() as sandbox, connected.server() as server:
        found = {way: Way(server, accounts[way][1]) for way in WAYS}
        until(
            lambda: found[HTTPS].connectors().values(),
            lambda states: all(state["state"] == "up" for state in states),
        )
        yield {DIRECT: Way(sandbox, key)} | found


@pytest.fixture(scope="module")
def answers(ways: dict[str, Way]) -> dict[str, dict[str, Body]]:
    """By way and call, what the API answers."""
    found: dict[str, dict[str, Body]] = {way: {} for way in ways}
    at_once = [name for name in CALLS if name not in LATE]
    with ThreadPoolExecutor(len(ways) * len(LATE)) as threads:
        for names in ([at_once], [[name] for name in LATE]):
            asked = [(way, threads.submit(ways[way].ask, *each)) for each in names for way in ways]
            for way, answer in asked:
                found[way] |= answer.result()
    return found


# ---- The tests ---------------------------------------------------------------------------------


@pytest.mark.parametrize("way", WAYS)
def test_every_trigger_gives_the_answer_that_the_sandbox_gives(
    answers: dict[str, dict[str, Body]], way: str
) -> None:
    for name, answer in answers[DIRECT].items():
        if way == HTTPS:
            assert answers[way][name] == answer, name
        # In Latin letters, as ISO 8583 has it, an Arabic name is spelt in another way.
        elif "Arabic" not in name:
            assert answers[way][name] == _over_iso8583(name, answer), name


def test_the_triggers_are_worth_a_comparison(answers: dict[str, dict[str, Body]]) -> None:
    told = answers[DIRECT].values()
    checks = [answer["preCheckResponse"] for answer in told if "preCheckResponse" in answer]
    assert len({(each["advice"], each["avsResult"], each["cvv2Result"]) for each in checks}) > 12
    paid = [(answer.get("pipelineResponse") or {}).get("gatewayResponse") for answer in told]
    assert {each["status"] for each in paid if each} == {"APPROVED", "DECLINED", "ERROR"}
    assert len(LATE) == 6, "two cards: PreCheck, ID Verify and a payment with each"


def _over_iso8583(name: str, answer: Body) -> Body:
    """The answer of the sandbox as far as a message of ISO 8583 has a place for it."""
    if not name.startswith("idverify"):
        return answer
    answer = copy.deepcopy(answer)
    if name.endswith(f" {TRY_LATER}"):
        # The message is a check of the card, which says that the issuer could not be asked.
        answer["billing"]["items"][0]["completed"] = False
        answer["billing"]["amountClosed"]["amount"] = 0
    found = answer["idVerifyResponse"]
    for contact in ("EmailAddress", "PhoneNumber"):
        field = f"cardHolder{contact}VerificationResults"
        if found[field] != "NOT_PROCESSED":
            found[field] = "NOT_SUPPORTED"
    found["idVerification"] = dict.fromkeys(found["idVerification"], "NOT_SUPPORTED")
    return answer


def test_a_slow_connector_does_not_delay_requests_that_do_not_need_it(
    answers: dict[str, dict[str, Body]], ways: dict[str, Way], hosts: dict[str, HostThread]
) -> None:
    name = "precheck nothing but the card"
    slow, others = ways["base-one"], [ways[HTTPS], ways["reference"], ways[DIRECT]]

    def waiting() -> int:
        count: int = ways[HTTPS].connectors()["base-one"]["inFlight"]
        return count

    def is_answered(*asked: Way) -> bool:
        return all(way.ask(name) == {name: answers[DIRECT][name]} for way in asked)

    # After calls that nobody answered, connectors are passed over for a while.
    until(lambda: is_answered(slow, *others))
    with hosts["base-one"].misbehaving("silent"), ThreadPoolExecutor(20) as threads:

        def are_overtaken() -> bool:
            for _ in range(20):
                threads.submit(slow.ask, name)
            until(waiting)
            # On a machine that stands still for a moment, a time limit ends a call to any host.
            return is_answered(*others) and waiting() > 0

        until(are_overtaken)

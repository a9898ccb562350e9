"""After an erasure nothing of a person is found anywhere: in no table, file, log or memory."""

import asyncio
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import httpx
import pytest
import sqlalchemy as sa

from gatehouse.admin.privacy.use_cases.erasure import ErasedPerson, ErasureOptions, erase_person
from gatehouse.admin.privacy.use_cases.export import export_person
from gatehouse.admin.privacy.use_cases.person import PersonNamed
from gatehouse.admin.reviews.use_cases.reviews import ReviewFinding, resolve_review
from gatehouse.bootstrap import Service
from gatehouse.core.cards.numbers import CardNumber
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.identities.identities import overwrite_deleted
from gatehouse.store.tables import DECISIONS, LIST_ENTRIES, METADATA, REVIEWS
from tests.databases import Postgres
from tests.harness import PATIENCE_S, Home
from tests.harness.service import serving

CARD = "5555555555554444"
USER, EMAIL, PHONE = "u-jane-4711", "jane.quimby@example.net", "+447911123456"
NAME = "Quimbleton"
ADDRESS, AGENT, SESSION = "81.2.69.142", "Mozilla/5.0 (X11; Linux) Quimbrowser/7", "sess-8899aa"
ORDER, REFERENCE, NOTE = "order-991177", "ref-quimby-12", "leave it with Quimby"
VALUES = (CARD, USER, EMAIL, PHONE, NAME, ADDRESS, AGENT, SESSION, ORDER, REFERENCE, NOTE, "Quimb")
# What many people have in common.
COARSE = {"operator", "country", "browser", "system", "bin", "issuer", "network", "category"}
PERSON = PersonNamed(USER, EMAIL, PHONE, CardNumber.parse(CARD))
PATHS = ("/api/v1/sentry", "/api/v1/rules", "/api/v1/precheck", "/api/v1/pipeline")


def _bodies() -> list[dict[str, Any]]:
    card = {"cardNumber": CARD, "cardExpiryDate": "2035-12", "cardCvv2Value": "123"}
    visit = {
        "account": {"userId": USER, "username": NAME},
        "device": {"ipAddress": ADDRESS, "userAgent": AGENT, "sessionId": SESSION},
        "event": {"transactionId": ORDER},
        "order": {"amount": 12.5, "currency": "USD"},
        "shoppingCart": {"items": [{"itemId": "quimb-a", "price": 12.5}]},
        "customInputs": {"note": NOTE},
    }
    rules = {"userId": USER, "email": EMAIL, "phone": PHONE, "cardNumber": CARD}
    address = {**card, "cardAddress": {"street": NAME, "postalCode": "94105"}}
    whole = {"pipelineId": 1, "amount": 12.5, "currency": "USD", "preCheckRequest": address}
    return [
        {**visit, "clientReferenceId": REFERENCE},
        {**rules, "customInputs": {"note": NOTE}},
        {**address, "clientReferenceId": REFERENCE},
        {**whole, "sentryRequest": visit, "rulesRequest": rules, "clientReferenceId": REFERENCE},
    ]


@dataclass
class Scene:
    """What was there before and after the erasure."""

    erased: ErasedPerson
    again: ErasedPerson
    needles: set[str] = field(default_factory=set)
    listed: set[str] = field(default_factory=set)
    """The keyed hashes by which lists go on matching."""
    found: dict[str, set[str]] = field(default_factory=dict)
    found_without_lists: dict[str, set[str]] = field(default_factory=dict)
    memory: tuple[int, int] = (0, 0)
    """How many entities were remembered before the person came, and after the erasure."""
    meanwhile: list[int] = field(default_factory=list)
    ledger: int = 0


async def _send(client: httpx.AsyncClient) -> list[str]:
    ids = []
    for path, body in zip(PATHS, _bodies(), strict=True):
        headers = {"Idempotency-Key": f"key-{path}"}
        answer = await client.post(path, json=body, headers=headers)
        assert answer.status_code == 200, answer.text
        ids.append(answer.json()["requestId"])
    labelled = await client.post(
        "/api/v1/feedback", json={"requestId": ids[0], "label": "CHARGEBACK"}
    )
    assert labelled.status_code == 200, labelled.text
    return ids


async def _strangers(client: httpx.AsyncClient, statuses: list[int], ended: asyncio.Event) -> None:
    """Others go on shopping, from the same household."""
    while not ended.is_set() or len(statuses) < 5:
        body = {"account": {"userId": "u-other"}, "order": {"amount": 50, "currency": "USD"}}
        answer = await client.post("/api/v1/sentry", json=body)
        statuses.append(answer.status_code)


def _review(session: AdminSession, account_id: str, request_id: str) -> None:
    """A review of the person's request, in which somebody wrote the name."""
    row = {"account_id": account_id, "request_id": request_id, "at_ms": 1, "state": "OPEN"}
    with session.database.writing() as connection:
        connection.execute(REVIEWS.insert(), row)
    resolve_review(session, account_id, request_id, ReviewFinding(False, f"Mrs {NAME} called"))


def _rows(session: AdminSession) -> Iterator[tuple[str, str]]:
    with session.reading() as connection:
        for table in METADATA.sorted_tables:
            for row in connection.execute(sa.select(table)):
                yield table.name, " ".join(map(repr, row))


def _found(home: Home, session: AdminSession, needles: set[str]) -> dict[str, set[str]]:
    """Where which of the needles are."""
    files = [each for each in home.path.rglob("*") if each.is_file()]
    texts = [(file.name, file.read_bytes().decode("latin-1")) for file in files]
    texts += _rows(session)
    found: dict[str, set[str]] = {}
    for place, text in texts:
        hit = {needle for needle in needles if needle in text}
        if hit:
            found.setdefault(place, set()).update(hit)
    return found


async def _play(home: Home, service: Service, session: AdminSession, account_id: str) -> Scene:
    key = home.key(account_id)
    transport = httpx.ASGITransport(service.application, client=("127.0.0.1", 1))
    async with httpx.AsyncClient(
        transport=transport, base_url="http://test", headers={"X-API-KEY": key}
    ) as client:
        await asyncio.wait_for(service._remembered.wait(), PATIENCE_S)
        await client.post("/api/v1/sentry", json={"account": {"userId": "u-other"}})
        before = service.memory.state().entities
        ids = await _send(client)
        assert service.memory.state().entities > before
        _review(session, account_id, ids[0])
        pieces: list[bytes] = []
        export_person(session, account_id, PERSON, pieces.append)
        exported = json.loads(b"".join(pieces))
        needles = _needles(exported)
        assert "decisions" in await asyncio.to_thread(_found, home, session, needles)
        statuses: list[int] = []
        ended = asyncio.Event()
        shopping = asyncio.create_task(_strangers(client, statuses, ended))
        options = ErasureOptions(lists=True)
        erased = await asyncio.to_thread(erase_person, session, account_id, PERSON, options)
        ended.set()
        await shopping
        again = await asyncio.to_thread(erase_person, session, account_id, PERSON, options)
        await service.forgetter.catch_up()
        repeated = await client.post(
            PATHS[0], json=_bodies()[0], headers={"Idempotency-Key": f"key-{PATHS[0]}"}
        )
        assert repeated.status_code == 422, repeated.text
        scene = Scene(erased, again, needles, memory=(before, service.memory.state().entities))
        scene.listed = {
            each["value"] for each in exported["listEntries"] if each["removedAt"] is None
        }
        scene.meanwhile = statuses
        scene.found = await asyncio.to_thread(_found, home, session, {*needles, *VALUES})
    return scene


def _needles(exported: dict[str, Any]) -> set[str]:
    """The person's values as the export shows them: everything that only they have."""
    found = {each["value"] for each in exported["memory"] if each["kind"] not in COARSE}
    found |= {each["card"]["fingerprint"] for each in exported["decisions"] if each["card"]}
    for record in exported["decisions"]:
        signals = record.get("signals", {})
        for name in ("email.fingerprint", "phone.fingerprint", "user.id"):
            found |= {signals[name]} if name in signals else set()
    found |= {each["value"] for each in exported["listEntries"]}
    assert any(each["names"][0]["lastName"] == NAME for each in exported["identityRecords"])
    assert exported["reviews"][0]["reason"] == f"Mrs {NAME} called"
    assert exported["labels"][0]["label"] == "CHARGEBACK"
    # Goods and their prices are of many people.
    return {each for each in found if "@" not in each and len(each) > 5}


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def scene(
    request: pytest.FixtureRequest, postgres: Postgres, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Scene]:
    """A person came, went, and was erased while others were served."""
    home = Home(tmp_path_factory.mktemp("erased") / "home").migrated()
    if request.param == "postgresql":
        home.database_url = postgres.new()
    yield _prepare_and_play(home)
    if home.database_url:
        postgres.give_back(home.database_url)


def _prepare_and_play(home: Home) -> Scene:
    account_id = home.account()
    file = home.path / "values"
    file.write_text(f"cardNumber,lastName,email\n{CARD},{NAME},{EMAIL}\n")
    of_account = ("--account", account_id)
    home.ok("identities", "import", str(file), "--format", "csv", *of_account)
    for kind, value in (("emails", EMAIL), ("users", USER), ("phones", PHONE), ("cards", CARD)):
        file.write_text(f"{value}\n")
        home.ok("lists", "create", kind, "--kind", kind, *of_account)
        home.ok("lists", "add", kind, "--file", str(file), "--reason", NOTE, *of_account)
    home.ok("lists", "remove", "users", USER, *of_account)
    file.unlink()

    async def whole() -> Scene:
        async with serving(home) as service:
            with home.session() as session:
                played = await _play(home, service, session, account_id)
                with session.reading() as connection:
                    decided = sa.select(sa.func.count()).select_from(DECISIONS)
                    played.ledger = connection.scalar(decided) or 0
        return played

    played = asyncio.run(whole())
    assert home.ok("ledger", "verify", "--json").json["problems"] == []
    assert home.ok("audit", "verify", "--json").json["problems"] == []
    with home.session() as session, session.database.writing() as connection:
        overwrite_deleted(connection)
        connection.execute(LIST_ENTRIES.delete())
    # The file of SQLite has changed when the last connection has ended.
    with home.session() as session:
        played.found_without_lists = _found(home, session, {*played.needles, *VALUES})
    return played


def test_no_value_is_found_anywhere_and_a_fingerprint_on_lists_alone(scene: Scene) -> None:
    """What lists match goes on deciding: keyed hashes of e-mail address, phone number and card."""
    assert len(scene.needles) >= 8
    assert len(scene.listed) == 3
    assert scene.found["list_entries"] == scene.listed
    assert set().union(*scene.found.values()) == scene.listed
    assert scene.found_without_lists == {}


def test_everything_was_erased_and_nothing_was_left_for_the_second_time(scene: Scene) -> None:
    first, again = scene.erased, scene.again
    assert (first.decisions, first.answers, first.identity_records) == (4, 4, 1)
    assert (first.reviews, first.list_entries, first.list_entries_kept) == (1, 4, 0)
    assert first.waiting == 0
    assert (again.decisions, again.answers, again.identity_records, again.list_entries) == (
        *(0, 0, 0, 0),
    )


def test_the_running_server_remembers_as_many_entities_as_before_the_person_came(
    scene: Scene,
) -> None:
    before, after = scene.memory
    assert after == before


def test_others_were_served_meanwhile(scene: Scene) -> None:
    assert set(scene.meanwhile) == {200}

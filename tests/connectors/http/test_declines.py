"""What a mapping's rules for errors and its own references come to, through the whole connector."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from gatehouse.connectors.http.connector import HttpConnector
from gatehouse.core.errors import ConnectorFailed
from tests.connectors.http.asking import (
    authorization,
    connected,
    definition,
    enquiry,
    reversal,
)
from tests.connectors.http.party import Answer, Heard, Party, Reply, serving

MAPPING = b"""
mapping: errors
headers: {X-Trace: "{random.hex}"}
precheck:
  request: {path: /check, body: {card: "{card.number}"}}
  answer: {response_code: code}
  errors:
    - {status: 402, then: declined, response_code: {path: why, table: {expired: "54"}}}
    - {where: {path: busy}, then: retry, say: they are busy}
authorize:
  reference: "{random.digits|first:12}"
  request: {path: /pay, body: {ref: "{reference}"}}
  answer: {approved: ok, response_code: {value: "00"}, id: id}
  errors:
    - {status: 402, then: declined, response_code: why}
reverse:
  request:
    - {when: payment.id, path: "/pay/{payment.id}", method: DELETE}
    - {path: /reverse, body: {ref: "{reference}"}}
  errors:
    - {status: 404, then: done}
"""


def run(answer: Answer, work: Callable[[HttpConnector, Party], Awaitable[Any]]) -> Any:
    async def run() -> Any:
        async with serving(answer, None) as party:
            async with connected(definition(MAPPING, party.url)) as connector:
                return await work(connector, party)

    return asyncio.run(run())


async def check(connector: HttpConnector, _party: Party) -> str:
    assert connector.issuer is not None
    return (await connector.issuer.check(enquiry())).response_code


def test_a_card_that_is_refused_by_status_has_the_code_of_its_rule() -> None:
    assert run(lambda _: Reply({"why": "expired"}, 402), check) == "54"


def test_a_refusal_that_the_mapping_does_not_know_is_a_failure_that_the_state_tells() -> None:
    async def work(connector: HttpConnector, party: Party) -> None:
        for body, message in (
            ({"why": "new"}, "the answer cannot be used: why holds a value"),
            ({"why": {}}, "the answer has another shape"),
            ({}, "the answer refuses without a code"),
        ):
            party.answer = lambda _, body=body: Reply(body, 402)  # type: ignore[misc]  # bound now
            with pytest.raises(ConnectorFailed, match=message):
                await check(connector, party)
            assert (connector.state().problem or "").startswith(message)

    run(lambda _: Reply(), work)


def test_an_answer_of_2xx_can_be_an_error_too() -> None:
    with pytest.raises(ConnectorFailed) as caught:
        run(lambda _: Reply({"busy": True, "code": "00"}), check)
    assert str(caught.value) == "party: it answered 200: try later (they are busy)"


def test_every_request_has_its_own_header() -> None:
    async def work(connector: HttpConnector, party: Party) -> set[str]:
        await check(connector, party)
        await check(connector, party)
        return {heard.headers["x-trace"] for heard in party.heard}

    assert len(run(lambda _: Reply({"code": "00"}), work)) == 2


def test_a_reference_of_our_own_is_kept_beside_the_id_of_the_party() -> None:
    def answer(heard: Heard) -> Reply:
        return Reply({"ok": True, "id": "p/9"}) if heard.path == "/pay" else Reply({}, 404)

    async def work(connector: HttpConnector, party: Party) -> list[Heard]:
        gateway = connector.gateway
        assert gateway is not None
        own = gateway.refer(authorization())
        assert own is not None
        assert len(own) == 12
        answer = await gateway.authorize(authorization(own))
        assert answer.reference == f"{own} p/9"
        await gateway.reverse(reversal(answer.reference))
        await gateway.reverse(reversal(own))
        paid, by_id, by_reference = party.heard
        assert paid.json == {"ref": own}
        assert (by_id.method, by_id.path) == ("DELETE", "/pay/p%2F9")
        assert by_reference.json == {"ref": own}
        return party.heard

    run(answer, work)


def test_a_payment_is_declined_by_status() -> None:
    async def work(connector: HttpConnector, _party: Party) -> Any:
        assert connector.gateway is not None
        return await connector.gateway.authorize(authorization())

    found = run(lambda _: Reply({"why": "no-money"}, 402), work)
    assert (found.approved, found.response_code) == (False, "no-money")

"""A later payment with a stored card names the first one, and only its own account can."""

from typing import Any

import httpx
import sqlalchemy as sa

from gatehouse.store.payments.tables import PAYMENTS
from gatehouse.store.tables import DECISIONS
from tests.harness import BODY, PURCHASE, Home, pipeline

_FIRST = {"initiator": "CUSTOMER", "use": "FIRST", "reason": "RECURRING"}
_LATER = {"initiator": "MERCHANT", "use": "LATER", "reason": "RECURRING"}
_WITHOUT_CODE = {name: value for name, value in BODY.items() if name != "cardCvv2Value"}
_PLACE = "gatewayRequest.storedCredential."
_OTHER_CARD = {**_WITHOUT_CODE, "cardNumber": "5555555555554444"}


def pay(client: httpx.Client, stored: dict[str, str], card: Any = None) -> Any:
    asked = {**PURCHASE, "gatewayRequest": {"storedCredential": stored}}
    response = pipeline(client, asked | {"preCheckRequest": card or _WITHOUT_CODE})
    assert response.status_code == 200
    return response.json()


def refused(answer: Any) -> str:
    assert not answer["isSuccess"]
    [(field, [_])] = answer["errors"]["fieldErrors"].items()
    return str(field)


def test_a_merchant_charges_a_stored_card_by_the_payment_that_stored_it(home: Home) -> None:
    ours, theirs = home.account("1000"), home.account("1000")
    manager = home.key(ours, "--scope", "manage:payments")
    with (
        home.server() as server,
        server.client(home.key(ours)) as client,
        server.client(home.key(theirs)) as stranger,
        server.client(manager) as manages,
    ):
        first = pay(client, _FIRST, BODY)
        made = first["pipelineResponse"]["gatewayResponse"]
        request, network_id = first["requestId"], made["networkTransactionId"]
        shown = manages.get(f"/api/v1/manage/payments/{request}").json()["paymentResponse"]
        assert shown["networkTransactionId"] == network_id
        assert len(network_id) == 15

        named = {**_LATER, "earlierRequestId": request}
        later = pay(client, named)
        assert later["pipelineResponse"]["gatewayResponse"]["status"] == "APPROVED"
        given = pay(client, {**_LATER, "networkTransactionId": network_id})
        assert given["pipelineResponse"]["gatewayResponse"]["status"] == "APPROVED"

        link = f"{_PLACE}earlierRequestId"
        assert refused(pay(stranger, named)) == link, "a stranger finds no payment"
        assert refused(pay(client, named, _OTHER_CARD)) == link, "it was another card's"
        nowhere = {**_LATER, "earlierRequestId": "req_01kcb5f6y3mzq8vd0e2h4x7n9t"}
        assert refused(pay(client, nowhere)) == link
        assert refused(pay(client, named, BODY)) == "preCheckRequest.cardCvv2Value"
        assert refused(pay(client, _LATER)) == f"{_PLACE}networkTransactionId"
    with home.session() as session, session.reading() as connection:
        rows = connection.execute(sa.select(PAYMENTS)).all()
        kept = connection.execute(sa.select(DECISIONS.c.record)).scalars().all()
    assert len(rows) == 3
    assert network_id not in repr(rows) + repr(kept), "it is kept sealed alone"
    assert any('"storedCredential":"MERCHANT_RECURRING"' in str(each) for each in kept)

"""A small shop: it asks Gatehouse about each order, and hears by webhook what became of reviews.

Run it beside the sandbox, as the README says.
"""

import os
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Annotated, Any

from fastapi import Depends, FastAPI, HTTPException, Request, Response
from gatehouse_client import (
    Answer,
    AsyncGatehouse,
    GatehouseError,
    IdempotencyKeyReused,
    InvalidRequest,
    SignatureInvalid,
    models,
    webhooks,
)
from pydantic import BaseModel, Field, SecretStr


class Checkout(BaseModel):
    """What the shop's own pages send."""

    order_id: Annotated[str, Field(pattern=r"^[A-Za-z0-9-]{1,64}$")]
    amount: Annotated[Decimal, Field(gt=0, decimal_places=2)]
    card_number: SecretStr
    card_expiry_date: str
    card_cvv2_value: SecretStr
    postal_code: str
    session_age_s: float | None = None


@dataclass
class Order:
    """What the shop keeps of an order, without the card."""

    order_id: str
    amount: Decimal
    currency: str = "USD"
    state: str = "asking"
    """Or paid, accepted (nothing was charged), in review, declined."""
    attempt: int = 1
    """How often the buyer tried to pay. It names the call, so it is stored before the call."""
    request: str | None = None
    """Gatehouse's id of the last attempt that was answered."""
    payment: str | None = None
    """What the payment gateway said: APPROVED, DECLINED, ERROR, or nothing if it was not asked."""
    payment_id: str | None = None
    """The payment at the provider, to capture or refund it there."""
    try_later: bool = False
    """Whether it was declined only because somebody did not answer: not the buyer's card."""
    sent_cards: Annotated[set[str], Field(exclude=True)] = field(default_factory=set)
    """Last digits of the cards that were sent in this attempt, stored before each call."""

    @property
    def attempt_name(self) -> str:
        """The idempotency key of the attempt, and its name in Gatehouse's records."""
        return f"fastapi-shop-{self.order_id}-{self.attempt}"

    def begin_attempt(self) -> None:
        """Try once more, under another name."""
        self.attempt, self.state, self.sent_cards = self.attempt + 1, "asking", set()

    def is_of(self, found: models.PublicDecision, paid: Mapping[str, Any]) -> bool:
        """Whether a record is of this attempt: the reference alone could be somebody else's."""
        card = found.card.last_four if found.card else None
        amount = (paid.get("amountMinor", self.amount * 100), paid.get("currency", self.currency))
        return (
            found.client_reference_id == self.attempt_name
            and card in self.sent_cards
            and amount == (self.amount * 100, self.currency)
        )

    def settle(
        self,
        attempt: str,
        request: str,
        decided: models.PipelineResponse | models.PublicDecision,
        payment: str | None,
        payment_id: str | None,
    ) -> None:
        """Note the answer to an attempt, unless it came late and the order has gone on."""
        if (attempt, "asking") != (self.attempt_name, self.state):
            return
        self.request, self.payment, self.payment_id = request, payment, payment_id
        self.try_later = bool(decided.retryable)
        # A word of a later version is looked at by a person, like a review.
        states = {"ACCEPT": "accepted", "DECLINE": "declined"}
        self.state = states.get(decided.decision or "", "in review")
        # The decision is about the order. Whether money was taken, the payment says.
        if self.state == "accepted" and payment == models.GatewayStatus.APPROVED:
            self.state = "paid"


ORDERS: dict[str, Order] = {}
"""A real shop has a database."""
SEEN: set[str] = set()
"""Events that came already: each can come more than once."""
REVIEWED = (models.ReviewResolvedEvent, models.ReviewCorrectedEvent)


@asynccontextmanager
async def running(shop: FastAPI) -> AsyncIterator[None]:
    """One client for the life of the shop, so that connections are used again."""
    async with AsyncGatehouse.from_env() as client:
        shop.state.gatehouse = client
        yield


app = FastAPI(lifespan=running)


def gatehouse(request: Request) -> AsyncGatehouse:
    """The client of this shop."""
    client: AsyncGatehouse = request.app.state.gatehouse
    return client


@app.post("/orders")
async def buy(
    checkout: Checkout,
    request: Request,
    client: Annotated[AsyncGatehouse, Depends(gatehouse)],
) -> Order:
    """Decide about an order, and charge the card if it is accepted."""
    order = ORDERS.setdefault(checkout.order_id, Order(checkout.order_id, checkout.amount))
    if order.amount != checkout.amount:
        raise HTTPException(409, "this order has another amount")
    if order.state == "declined":
        # The buyer tries again, with another card or a corrected one: that is another attempt.
        order.begin_attempt()
    if order.state != "asking":
        return order
    attempt = order.attempt_name
    order.sent_cards.add(checkout.card_number.get_secret_value()[-4:])
    try:
        answer = await ask(client, order, checkout, request)
    except InvalidRequest as refused:
        raise HTTPException(422, {"fields": refused.field_errors}) from None
    except IdempotencyKeyReused:
        await find_out(client, attempt, order)
    except GatehouseError:
        # The answer is lost. The order stays as it is, so that the next try repeats the same
        # attempt, and gets the answer to it if it was processed.
        raise HTTPException(503, "the payment cannot be checked right now") from None
    else:
        paid = answer.result.gateway_response
        payment, name = (paid.status, paid.payment_id) if paid else (None, None)
        order.settle(attempt, answer.request_id, answer.result, payment, name)
    return order


async def ask(
    client: AsyncGatehouse, order: Order, checkout: Checkout, request: Request
) -> Answer[models.PipelineResponse]:
    """Ask Gatehouse about an attempt to pay."""
    return await client.pipeline(
        pipeline_id=1,
        client_reference_id=order.attempt_name,
        pre_check_request=models.PreCheckRequest(
            card_number=checkout.card_number.get_secret_value(),
            card_expiry_date=checkout.card_expiry_date,
            card_cvv2_value=checkout.card_cvv2_value.get_secret_value(),
            card_address=models.CardAddress(postal_code=checkout.postal_code),
        ),
        sentry_request=models.SentryRequest(
            device=models.Device(
                # Behind a proxy, uvicorn takes it from X-Forwarded-For, if it trusts the proxy.
                ip_address=request.client.host if request.client else None,
                user_agent=request.headers.get("user-agent"),
                session_age=checkout.session_age_s,
            ),
            order=models.Order(amount=order.amount, currency=order.currency),
        ),
        idempotency_key=order.attempt_name,
        # The issuer and the payment gateway may take 3 and 10 seconds.
        options={"timeout_s": 20},
    )


async def find_out(client: AsyncGatehouse, attempt: str, order: Order) -> None:
    """Look up an attempt that was processed with another card, and whose answer was lost."""
    page = await client.decisions.list(client_reference_id=attempt)
    if not page.result.decisions:
        raise HTTPException(503, "another payment of this order is under way")
    for found in page.result.decisions:
        paid = next((one.result for one in found.stages if one.name == "Gateway"), {})
        if order.is_of(found, paid):
            name = paid.get("paymentId")
            return order.settle(attempt, found.request_id, found, paid.get("status"), name)
    # The name was used for something else, so nothing was done for this order under it.
    order.begin_attempt()
    raise HTTPException(503, "the payment was not made; try again")


@app.get("/orders/{order_id}")
async def show(order_id: str) -> Order:
    """What became of an order."""
    if order_id not in ORDERS:
        raise HTTPException(404, "no such order")
    return ORDERS[order_id]


@app.post("/webhooks/gatehouse", status_code=204)
async def hear(request: Request) -> Response:
    """Hear what became of a review."""
    secrets = os.environ["GATEHOUSE_WEBHOOK_SECRETS"].split()
    try:
        event = webhooks.verify(await request.body(), request.headers, secrets)
    except SignatureInvalid:
        raise HTTPException(400, "this is not from Gatehouse") from None
    if event.id not in SEEN and isinstance(event, REVIEWED):
        for order in ORDERS.values():
            if order.request == event.data["requestId"]:
                order.state = after_review(order, event.data["state"], event.data["payment"])
    SEEN.add(event.id)
    return Response(status_code=204)


def after_review(order: Order, state: str, payment: str | None) -> str:
    """The state of an order about which a person decided."""
    if state != models.ReviewState.APPROVED:
        return "declined"
    # A payment that was reversed before does not come back by itself.
    stands = order.payment == models.GatewayStatus.APPROVED and payment != "LOST"
    return "paid" if stands else "accepted"

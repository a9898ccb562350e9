"""A small shop: it asks Gatehouse about each order, and hears by webhook what became of reviews.

Run it beside the sandbox: `GATEHOUSE_API_KEY=... fastapi run shop.py` or with uvicorn.
"""

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from decimal import Decimal
from typing import Annotated, Any

from fastapi import Depends, FastAPI, HTTPException, Request, Response
from gatehouse_client import (
    AsyncGatehouse,
    GatehouseError,
    InvalidRequest,
    SignatureInvalid,
    models,
    webhooks,
)
from pydantic import BaseModel, Field, SecretStr


class Checkout(BaseModel):
    """What the shop's own pages send."""

    order_id: Annotated[str, Field(max_length=64)]
    amount: Annotated[Decimal, Field(gt=0, decimal_places=2)]
    card_number: SecretStr
    card_expiry_date: str
    card_cvv2_value: SecretStr
    postal_code: str
    session_age_s: float | None = None


ORDERS: dict[str, str] = {}
"""The state of each order. A real shop has a database."""
AWAITED: dict[str, str] = {}
"""Orders by the request that a reviewer looks at."""
SEEN: set[str] = set()
"""Events that came already: each can come more than once."""
STATES = {"ACCEPT": "paid", "REVIEW": "in review", "DECLINE": "declined"}


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
    order: Checkout,
    request: Request,
    client: Annotated[AsyncGatehouse, Depends(gatehouse)],
) -> dict[str, Any]:
    """Decide about an order, and charge the card if it is accepted."""
    address = request.client.host if request.client else None
    try:
        answer = await client.pipeline(
            pipeline_id=1,
            client_reference_id=order.order_id,
            pre_check_request=models.PreCheckRequest(
                card_number=order.card_number.get_secret_value(),
                card_expiry_date=order.card_expiry_date,
                card_cvv2_value=order.card_cvv2_value.get_secret_value(),
                card_address=models.CardAddress(postal_code=order.postal_code),
            ),
            sentry_request=models.SentryRequest(
                device=models.Device(
                    ip_address=address,
                    user_agent=request.headers.get("user-agent"),
                    session_age=order.session_age_s,
                ),
                order=models.Order(amount=order.amount, currency="USD"),
            ),
            # A customer who clicks twice pays once.
            idempotency_key=f"order-{order.order_id}",
        )
    except InvalidRequest as refused:
        raise HTTPException(422, {"fields": refused.field_errors}) from None
    except GatehouseError:
        # Nobody knows whether the order is good: let the customer try again in a moment.
        raise HTTPException(503, "the payment cannot be checked right now") from None
    state = STATES[answer.result.decision] if answer.result.decision.is_known else "in review"
    ORDERS[order.order_id] = state
    if state == "in review":
        AWAITED[answer.request_id] = order.order_id
    return {"order": order.order_id, "state": state, "request": answer.request_id}


@app.get("/orders/{order_id}")
async def show(order_id: str) -> dict[str, str]:
    """The state of an order."""
    if order_id not in ORDERS:
        raise HTTPException(404, "no such order")
    return {"order": order_id, "state": ORDERS[order_id]}


@app.post("/webhooks/gatehouse", status_code=204)
async def hear(request: Request) -> Response:
    """Hear what became of a review."""
    secrets = os.environ["GATEHOUSE_WEBHOOK_SECRETS"].split()
    try:
        event = webhooks.verify(await request.body(), request.headers, secrets)
    except SignatureInvalid:
        raise HTTPException(400, "this is not from Gatehouse") from None
    if event.id not in SEEN and event.type == "review.resolved":
        order_id = AWAITED.get(event.data["requestId"])
        if order_id is not None:
            approved = event.data["state"] == "APPROVED"
            ORDERS[order_id] = "paid" if approved else "declined"
    SEEN.add(event.id)
    return Response(status_code=204)

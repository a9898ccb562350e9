"""The documented tour, with both clients against a real server."""

import asyncio
import inspect
from collections.abc import AsyncIterator
from decimal import Decimal
from typing import Any

import pytest
from tests.harness import Server
from tests.web.merchant import Merchant

from gatehouse_client import (
    AsyncGatehouse,
    AuthenticationError,
    Conflict,
    Gatehouse,
    IdempotencyKeyReused,
    InsufficientBalance,
    InvalidRequest,
    NotFound,
    PermissionDenied,
    RateLimited,
    models,
    sandbox,
)


class Waiting:
    """Calls the methods of an asynchronous client as if they were blocking."""

    def __init__(self, target: Any, loop: asyncio.AbstractEventLoop) -> None:
        self._target, self._loop = target, loop

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._target, name)
        return Waiting(found, self._loop) if not callable(found) else self._calling(found)

    def _calling(self, method: Any) -> Any:
        async def all_of(items: AsyncIterator[Any]) -> list[Any]:
            return [one async for one in items]

        def call(*given: Any, **named: Any) -> Any:
            made = method(*given, **named)
            if inspect.isasyncgen(made):
                return self._loop.run_until_complete(all_of(made))
            return self._loop.run_until_complete(made) if inspect.isawaitable(made) else made

        return call


@pytest.fixture(params=["Gatehouse", "AsyncGatehouse"])
def each_client(request: pytest.FixtureRequest, shared: Server) -> Any:
    """Both clients in turn, for a merchant with 7 USD."""
    with shared.home.session() as session:
        merchant = Merchant(session)
    if request.param == "Gatehouse":
        with Gatehouse(merchant.key, shared.base) as one:
            yield one
        return
    loop = asyncio.new_event_loop()
    several = AsyncGatehouse(merchant.key, shared.base)
    yield Waiting(several, loop)
    loop.run_until_complete(several.close())
    loop.close()


def test_the_tour_from_a_card_check_to_a_statement(each_client: Any) -> None:
    client: Gatehouse = each_client

    checked = client.precheck(
        card_number=sandbox.APPROVED,
        card_expiry_date="2035-12",
        card_cvv2_value="123",
        card_address=models.CardAddress(street="1 Market Street", postal_code="94105"),
        client_reference_id="order-1001",
    )
    assert checked.result.advice is models.Advice.ACCEPT
    assert checked.result.avs_result == "FULL_MATCH"
    assert checked.request_id.startswith("req_")
    assert checked.remaining_balance == models.Money(currency="USD", amount=Decimal("6.95"))

    declined = client.precheck(card_number=sandbox.DECLINED, card_expiry_date="2035-12")
    assert declined.result.advice == "DECLINE"

    with pytest.raises(InvalidRequest) as refused:
        client.precheck(card_number="4242 4242 4242 4242", card_expiry_date="12/35")
    assert [*refused.value.field_errors] == ["cardNumber", "cardExpiryDate"]
    assert refused.value.request_id is not None
    assert "4242" not in str(refused.value)

    assert client.decisions.get(checked.request_id).result.client_reference_id == "order-1001"
    with pytest.raises(NotFound):
        client.decisions.get("req_01kabcdefghjkmnpqrstvwxyz0")

    amelia = client.id_verify(
        card_number=sandbox.APPROVED,
        card_expiry_date="2035-12",
        card_holder_email_address="amelia.whitfield@example.com",
        card_holder_ids=models.CardHolderIds(passport="543210987"),
    ).result
    assert amelia.card_holder_email_address_verification_results is models.Result.MATCH
    assert amelia.id_verification["PASSPORT"] == "MATCH"

    seen = client.sentry(device=models.Device(ip_address=sandbox.HOME_ADDRESS)).result
    assert 0 <= seen.request_confidence <= 1
    assert client.rules(amount=Decimal("10.50"), currency="USD").result.status == "ACCEPT"

    bought = client.pipeline(
        pipeline_id=1,
        pre_check_request=sandbox.card(),
        gateway_request=models.GatewayRequest(amount=Decimal("59.90"), currency="USD"),
    ).result
    assert bought.decision == "ACCEPT"
    assert bought.gateway_response is not None
    assert bought.gateway_response.status == "APPROVED"
    assert client.pipelines().result.pipelines[0].pipeline_id == 1

    given = client.feedback.give(request_id=checked.request_id, label="FRAUD")
    assert [one.request_id for one in given.result.requests] == [checked.request_id]
    assert client.feedback.get(checked.request_id).result.history[0].label == "FRAUD"

    assert client.balance().result.available == given.remaining_balance
    assert client.statement(daily=True).result.charged.amount > 0


def test_pages_are_followed_to_their_end(each_client: Any) -> None:
    client: Gatehouse = each_client
    made = [client.sentry(client_reference_id=f"order-{n}").request_id for n in range(5)]
    newest_first = made[::-1]
    assert [one.request_id for one in client.decisions.each(limit=2)] == newest_first
    found = client.decisions.each_found(operation="sentry", limit=2)
    assert [one.request_id for one in found] == newest_first


def test_reviews_are_resolved_and_told_of_as_events(each_client: Any) -> None:
    client: Gatehouse = each_client
    held = client.pipeline(
        pipeline_id=1,
        pre_check_request=sandbox.card(),
        rules_request=models.RulesRequest(card_number="4111111111111111"),
        gateway_request=models.GatewayRequest(amount=59.9, currency="USD"),
    )
    assert held.result.decision == "REVIEW"
    [waiting] = client.reviews.each()
    assert waiting.request_id == held.request_id
    client.reviews.note(held.request_id, text="Called the customer")
    resolved = client.reviews.resolve(held.request_id, resolution="APPROVE", reason="known")
    assert resolved.result.status is models.ReviewState.APPROVED
    with pytest.raises(Conflict) as second:
        client.reviews.resolve(held.request_id, resolution="DECLINE", reason="too late")
    assert second.value.code == "already_resolved"
    told = [*client.events.each(limit=1, types="review.opened,review.resolved")]
    assert [one.type for one in told] == ["review.opened", "review.resolved"]
    assert isinstance(told[0], models.ReviewOpenedEvent)
    assert told[0].data["requestId"] == held.request_id
    assert client.events.get(told[0].id).result == told[0]
    after = client.events.list(after=told[0].id, wait=5, types="review.resolved").result
    assert [one.id for one in after.events] == [told[1].id]


def test_the_same_key_gives_the_first_answer_again(each_client: Any) -> None:
    client: Gatehouse = each_client
    first = client.sentry(client_reference_id="a", idempotency_key="order-1")
    second = client.sentry(client_reference_id="a", idempotency_key="order-1")
    assert (second.is_replay, second.request_id) == (True, first.request_id)
    assert client.balance().result.balance.amount == Decimal("6.98")
    with pytest.raises(IdempotencyKeyReused) as refused:
        client.sentry(client_reference_id="b", idempotency_key="order-1")
    assert refused.value.idempotency_key == "order-1"


def test_a_poor_account_is_told_what_it_has(shared: Server) -> None:
    with shared.home.session() as session:
        poor = Merchant(session, micros=30_000)
    with Gatehouse(poor.key, shared.base) as client, pytest.raises(InsufficientBalance) as refused:
        client.precheck(card_number=sandbox.APPROVED, card_expiry_date="2035-12")
    assert refused.value.remaining_balance.amount == Decimal("0.03")
    assert refused.value.request_id is not None


def test_keys_open_only_what_they_are_for(shared: Server) -> None:
    with shared.home.session() as session:
        scoped = Merchant(session, "sentry")
    with Gatehouse(scoped.key, shared.base) as client:
        assert client.sentry().result.request_confidence
        with pytest.raises(PermissionDenied):
            client.balance()
    with Gatehouse("gh_sandbox_unknown", shared.base) as client, pytest.raises(AuthenticationError):
        client.balance()


def test_a_limited_key_is_told_when_to_come_back(shared: Server) -> None:
    key = shared.home.key(shared.home.account("10"), "--rate-limit", "1")
    with Gatehouse(key, shared.base, max_retries=0) as client, pytest.raises(RateLimited) as told:
        [client.balance() for _ in range(30)]
    assert told.value.retry_after_s is not None
    assert told.value.retry_after_s >= 1
    assert told.value.code == "rate_limited"


def test_what_nothing_reads_is_a_warning_and_with_strict_an_error(
    shared: Server, merchant: Merchant
) -> None:
    odd: Any = models.Device(ip_address=sandbox.HOME_ADDRESS)
    with Gatehouse(merchant.key, shared.base, strict=True) as client:
        assert client.sentry(device=odd).warnings == ()
        with pytest.raises(InvalidRequest):
            client.sentry(event=models.Event(), device={"ip": "x"})  # type: ignore[arg-type]  # the mistake

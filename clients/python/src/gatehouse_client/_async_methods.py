"""The methods of the asynchronous client, written by a script from the OpenAPI document."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from gatehouse_client import models
from gatehouse_client._calls import Answer, Call, Repeat
from gatehouse_client._sending import AsyncSender


class DecisionsCalls:
    """Calls about decisions."""

    def __init__(self, sender: AsyncSender) -> None:
        self._send = sender.send

    async def list(
        self,
        *,
        client_reference_id: str | None = None,
        limit: int | None = None,
        starting_after: str | None = None,
    ) -> Answer[models.DecisionPage]:
        """The account's records, newest first. Free."""
        return await self._send(
            Call(
                method="GET",
                path="/api/v1/decisions",
                answer=models.DecisionPage,
                named="decisionsResponse",
                repeat=Repeat.HARMLESS,
                query={
                    "clientReferenceId": client_reference_id,
                    "limit": limit,
                    "startingAfter": starting_after,
                },
            )
        )

    async def each(
        self,
        *,
        client_reference_id: str | None = None,
        limit: int | None = None,
        starting_after: str | None = None,
    ) -> AsyncIterator[models.PublicDecision]:
        """Each of decisions, page after page."""
        while True:
            page = (
                await self.list(
                    client_reference_id=client_reference_id,
                    limit=limit,
                    starting_after=starting_after,
                )
            ).result
            for one in page.decisions:
                yield one
            if not page.has_more or not page.decisions:
                return
            starting_after = page.decisions[-1].request_id

    async def get(self, request_id: str) -> Answer[models.PublicDecision]:
        """The record of a processed request, for the account it belongs to. Free."""
        return await self._send(
            Call(
                method="GET",
                path="/api/v1/decisions/{request_id}",
                answer=models.PublicDecision,
                named="decisionResponse",
                repeat=Repeat.HARMLESS,
                path_values={"request_id": request_id},
            )
        )

    async def search(
        self,
        *,
        user_id: str | int | None = None,
        card_number: str | None = None,
        payment_account_reference: str | None = None,
        card_fingerprint: str | None = None,
        email: str | None = None,
        phone: str | None = None,
        ip_address: str | None = None,
        device_id: str | None = None,
        transaction_id: str | int | None = None,
        client_reference_id: str | int | None = None,
        operation: str | Sequence[str] | None = None,
        decision: models.Outcome | str | Sequence[models.Outcome | str] | None = None,
        rule: str | Sequence[str] | None = None,
        tag: str | Sequence[str] | None = None,
        label: models.Label | str | Sequence[models.Label | str] | None = None,
        amount: models.AmountRange | None = None,
        at: models.TimeRange | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> Answer[models.DecisionMatches]:
        """The account's decisions, newest first, to which every filter applies. Filters are in the
        body: nothing of them is in a URL. Cards, contacts and users are compared by keyed
        fingerprints. A page can be short although there is more: `nextCursor` tells. Free.
        """
        return await self._send(
            Call(
                method="POST",
                path="/api/v1/decisions/search",
                answer=models.DecisionMatches,
                named="decisionsResponse",
                repeat=Repeat.HARMLESS,
                body=models.DecisionSearchRequest(
                    user_id=user_id,
                    card_number=card_number,
                    payment_account_reference=payment_account_reference,
                    card_fingerprint=card_fingerprint,
                    email=email,
                    phone=phone,
                    ip_address=ip_address,
                    device_id=device_id,
                    transaction_id=transaction_id,
                    client_reference_id=client_reference_id,
                    operation=operation,
                    decision=decision,
                    rule=rule,
                    tag=tag,
                    label=label,
                    amount=amount,
                    at=at,
                    limit=limit,
                    cursor=cursor,
                ),
            )
        )

    async def each_found(
        self,
        *,
        user_id: str | int | None = None,
        card_number: str | None = None,
        payment_account_reference: str | None = None,
        card_fingerprint: str | None = None,
        email: str | None = None,
        phone: str | None = None,
        ip_address: str | None = None,
        device_id: str | None = None,
        transaction_id: str | int | None = None,
        client_reference_id: str | int | None = None,
        operation: str | Sequence[str] | None = None,
        decision: models.Outcome | str | Sequence[models.Outcome | str] | None = None,
        rule: str | Sequence[str] | None = None,
        tag: str | Sequence[str] | None = None,
        label: models.Label | str | Sequence[models.Label | str] | None = None,
        amount: models.AmountRange | None = None,
        at: models.TimeRange | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> AsyncIterator[models.PublicDecision]:
        """Each of decisions, page after page."""
        while True:
            page = (
                await self.search(
                    user_id=user_id,
                    card_number=card_number,
                    payment_account_reference=payment_account_reference,
                    card_fingerprint=card_fingerprint,
                    email=email,
                    phone=phone,
                    ip_address=ip_address,
                    device_id=device_id,
                    transaction_id=transaction_id,
                    client_reference_id=client_reference_id,
                    operation=operation,
                    decision=decision,
                    rule=rule,
                    tag=tag,
                    label=label,
                    amount=amount,
                    at=at,
                    limit=limit,
                    cursor=cursor,
                )
            ).result
            for one in page.decisions:
                yield one
            if page.next_cursor is None:
                return
            cursor = page.next_cursor


class EventsCalls:
    """Calls about events."""

    def __init__(self, sender: AsyncSender) -> None:
        self._send = sender.send

    async def list(
        self,
        *,
        after: str | None = None,
        types: str | None = None,
        limit: int | None = None,
        wait: int | None = None,
    ) -> Answer[models.EventsResponse]:
        """What happened to the account, oldest first. Each event comes at least once to a reader
        that goes on from its last `cursor`. Free.
        """
        return await self._send(
            Call(
                method="GET",
                path="/api/v1/events",
                answer=models.EventsResponse,
                named="eventsResponse",
                repeat=Repeat.HARMLESS,
                query={"after": after, "types": types, "limit": limit, "wait": wait},
                extra_wait_s=float(wait or 0),
            )
        )

    async def each(
        self,
        *,
        after: str | None = None,
        types: str | None = None,
        limit: int | None = None,
        wait: int | None = None,
    ) -> AsyncIterator[models.PublicEvent]:
        """Each of events, page after page."""
        while True:
            page = (await self.list(after=after, types=types, limit=limit, wait=wait)).result
            for one in page.events:
                yield one
            if not page.has_more and not wait:
                return
            after = page.cursor

    async def get(self, event_id: str) -> Answer[models.PublicEvent]:
        """One event of the account. Free."""
        return await self._send(
            Call(
                method="GET",
                path="/api/v1/events/{event_id}",
                answer=models.PublicEvent,
                named="eventResponse",
                repeat=Repeat.HARMLESS,
                path_values={"event_id": event_id},
            )
        )


class FeedbackCalls:
    """Calls about feedback."""

    def __init__(self, sender: AsyncSender) -> None:
        self._send = sender.send

    async def give(
        self,
        *,
        label: models.Label | str,
        request_id: str | None = None,
        transaction_id: str | int | None = None,
        client_reference_id: str | int | None = None,
        when: datetime | None = None,
        amount: Decimal | float | None = None,
        currency: str | None = None,
    ) -> Answer[models.FeedbackReceipt]:
        """Says what became of a request, or of up to a hundred of one name. What is said last
        counts; everything stays in the history. Sentry takes it into account at once. The same
        said again changes nothing, so a repeat is safe. Free.
        """
        return await self._send(
            Call(
                method="POST",
                path="/api/v1/feedback",
                answer=models.FeedbackReceipt,
                named="feedbackResponse",
                repeat=Repeat.NEVER,
                body=models.FeedbackRequest(
                    request_id=request_id,
                    transaction_id=transaction_id,
                    client_reference_id=client_reference_id,
                    label=label,
                    when=when,
                    amount=amount,
                    currency=currency,
                ),
            )
        )

    async def get(self, request_id: str) -> Answer[models.FeedbackHistory]:
        """What is known about a request, and all that was said about it. Free."""
        return await self._send(
            Call(
                method="GET",
                path="/api/v1/feedback/{request_id}",
                answer=models.FeedbackHistory,
                named="feedbackResponse",
                repeat=Repeat.HARMLESS,
                path_values={"request_id": request_id},
            )
        )


class ReviewsCalls:
    """Calls about reviews."""

    def __init__(self, sender: AsyncSender) -> None:
        self._send = sender.send

    async def search(
        self,
        *,
        user_id: str | int | None = None,
        card_number: str | None = None,
        payment_account_reference: str | None = None,
        card_fingerprint: str | None = None,
        email: str | None = None,
        phone: str | None = None,
        ip_address: str | None = None,
        device_id: str | None = None,
        transaction_id: str | int | None = None,
        client_reference_id: str | int | None = None,
        operation: str | Sequence[str] | None = None,
        decision: models.Outcome | str | Sequence[models.Outcome | str] | None = None,
        rule: str | Sequence[str] | None = None,
        tag: str | Sequence[str] | None = None,
        label: models.Label | str | Sequence[models.Label | str] | None = None,
        amount: models.AmountRange | None = None,
        at: models.TimeRange | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        status: models.ReviewState | str | Sequence[models.ReviewState | str] | None = None,
    ) -> Answer[models.ReviewMatches]:
        """The account's reviews, oldest first, to which every filter applies. Filters are in the
        body: nothing of them is in a URL. Cards, contacts and users are compared by keyed
        fingerprints. A page can be short although there is more: `nextCursor` tells. Free.
        """
        return await self._send(
            Call(
                method="POST",
                path="/api/v1/reviews/search",
                answer=models.ReviewMatches,
                named="reviewsResponse",
                repeat=Repeat.HARMLESS,
                body=models.ReviewSearchRequest(
                    user_id=user_id,
                    card_number=card_number,
                    payment_account_reference=payment_account_reference,
                    card_fingerprint=card_fingerprint,
                    email=email,
                    phone=phone,
                    ip_address=ip_address,
                    device_id=device_id,
                    transaction_id=transaction_id,
                    client_reference_id=client_reference_id,
                    operation=operation,
                    decision=decision,
                    rule=rule,
                    tag=tag,
                    label=label,
                    amount=amount,
                    at=at,
                    limit=limit,
                    cursor=cursor,
                    status=status,
                ),
            )
        )

    async def each_found(
        self,
        *,
        user_id: str | int | None = None,
        card_number: str | None = None,
        payment_account_reference: str | None = None,
        card_fingerprint: str | None = None,
        email: str | None = None,
        phone: str | None = None,
        ip_address: str | None = None,
        device_id: str | None = None,
        transaction_id: str | int | None = None,
        client_reference_id: str | int | None = None,
        operation: str | Sequence[str] | None = None,
        decision: models.Outcome | str | Sequence[models.Outcome | str] | None = None,
        rule: str | Sequence[str] | None = None,
        tag: str | Sequence[str] | None = None,
        label: models.Label | str | Sequence[models.Label | str] | None = None,
        amount: models.AmountRange | None = None,
        at: models.TimeRange | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        status: models.ReviewState | str | Sequence[models.ReviewState | str] | None = None,
    ) -> AsyncIterator[models.Review]:
        """Each of reviews, page after page."""
        while True:
            page = (
                await self.search(
                    user_id=user_id,
                    card_number=card_number,
                    payment_account_reference=payment_account_reference,
                    card_fingerprint=card_fingerprint,
                    email=email,
                    phone=phone,
                    ip_address=ip_address,
                    device_id=device_id,
                    transaction_id=transaction_id,
                    client_reference_id=client_reference_id,
                    operation=operation,
                    decision=decision,
                    rule=rule,
                    tag=tag,
                    label=label,
                    amount=amount,
                    at=at,
                    limit=limit,
                    cursor=cursor,
                    status=status,
                )
            ).result
            for one in page.reviews:
                yield one
            if page.next_cursor is None:
                return
            cursor = page.next_cursor

    async def list(
        self,
        *,
        status: str | None = None,
        assignee: str | None = None,
        order: str | None = None,
        limit: int | None = None,
        starting_after: str | None = None,
    ) -> Answer[models.ReviewPage]:
        """Decisions that a person is to look at, newest first unless the oldest are asked for.
        Free.
        """
        return await self._send(
            Call(
                method="GET",
                path="/api/v1/reviews",
                answer=models.ReviewPage,
                named="reviewsResponse",
                repeat=Repeat.HARMLESS,
                query={
                    "status": status,
                    "assignee": assignee,
                    "order": order,
                    "limit": limit,
                    "startingAfter": starting_after,
                },
            )
        )

    async def each(
        self,
        *,
        status: str | None = None,
        assignee: str | None = None,
        order: str | None = None,
        limit: int | None = None,
        starting_after: str | None = None,
    ) -> AsyncIterator[models.Review]:
        """Each of reviews, page after page."""
        while True:
            page = (
                await self.list(
                    status=status,
                    assignee=assignee,
                    order=order,
                    limit=limit,
                    starting_after=starting_after,
                )
            ).result
            for one in page.reviews:
                yield one
            if not page.has_more or not page.reviews:
                return
            starting_after = page.reviews[-1].request_id

    async def resolve_many(
        self,
        *,
        resolution: models.ReviewVerdict | str,
        reason: str,
        request_ids: Sequence[str],
        reviewer: str | None = None,
    ) -> Answer[models.BulkResult]:
        """One verdict on many reviews. Each is answered on its own: one that is resolved already,
        or is not there, does not keep the others from being resolved. Free.
        """
        return await self._send(
            Call(
                method="POST",
                path="/api/v1/reviews/resolutions",
                answer=models.BulkResult,
                named="resolutionsResponse",
                repeat=Repeat.NEVER,
                body=models.BulkResolution(
                    resolution=resolution, reason=reason, reviewer=reviewer, request_ids=request_ids
                ),
            )
        )

    async def get(self, request_id: str) -> Answer[models.Review]:
        """A review with its decision, its notes and its history, for the account it belongs to.
        Free.
        """
        return await self._send(
            Call(
                method="GET",
                path="/api/v1/reviews/{request_id}",
                answer=models.Review,
                named="reviewResponse",
                repeat=Repeat.HARMLESS,
                path_values={"request_id": request_id},
            )
        )

    async def resolve(
        self,
        request_id: str,
        *,
        resolution: models.ReviewVerdict | str,
        reason: str,
        reviewer: str | None = None,
    ) -> Answer[models.Review]:
        """Says what a person found. A review is resolved once; of several who try at the same time
        one succeeds. What was found counts as feedback. Free.
        """
        return await self._send(
            Call(
                method="POST",
                path="/api/v1/reviews/{request_id}",
                answer=models.Review,
                named="reviewResponse",
                repeat=Repeat.NEVER,
                path_values={"request_id": request_id},
                body=models.ReviewResolution(
                    resolution=resolution, reason=reason, reviewer=reviewer
                ),
            )
        )

    async def assign(
        self,
        request_id: str,
        *,
        assignee: str | None,
        take_over: bool | None = None,
        reviewer: str | None = None,
    ) -> Answer[models.Review]:
        """Gives a review to a person, or to nobody. A person who has it already keeps it, unless
        it is taken over. The same again changes nothing. Free.
        """
        return await self._send(
            Call(
                method="POST",
                path="/api/v1/reviews/{request_id}/assignment",
                answer=models.Review,
                named="reviewResponse",
                repeat=Repeat.NEVER,
                path_values={"request_id": request_id},
                body=models.ReviewAssignment(
                    assignee=assignee, take_over=take_over, reviewer=reviewer
                ),
            )
        )

    async def note(
        self, request_id: str, *, text: str, reviewer: str | None = None
    ) -> Answer[models.Review]:
        """Adds what a person writes down. The newest note of the same key is not added twice, so a
        repeat is safe. Free.
        """
        return await self._send(
            Call(
                method="POST",
                path="/api/v1/reviews/{request_id}/notes",
                answer=models.Review,
                named="reviewResponse",
                repeat=Repeat.NEVER,
                path_values={"request_id": request_id},
                body=models.ReviewNote(text=text, reviewer=reviewer),
            )
        )

    async def correct(
        self,
        request_id: str,
        *,
        resolution: models.ReviewVerdict | str,
        reason: str,
        reviewer: str | None = None,
    ) -> Answer[models.Review]:
        """Changes what a person found, and the label that counts as feedback. A payment that was
        reversed does not come back; one that stands is reversed with `DECLINE`, as by a first
        resolution. The same correction again changes nothing. Free.
        """
        return await self._send(
            Call(
                method="POST",
                path="/api/v1/reviews/{request_id}/correction",
                answer=models.Review,
                named="reviewResponse",
                repeat=Repeat.NEVER,
                path_values={"request_id": request_id},
                body=models.ReviewResolution(
                    resolution=resolution, reason=reason, reviewer=reviewer
                ),
            )
        )


class Methods:
    """All calls."""

    def __init__(self, sender: AsyncSender) -> None:
        self._send = sender.send
        self.decisions = DecisionsCalls(sender)
        self.events = EventsCalls(sender)
        self.feedback = FeedbackCalls(sender)
        self.reviews = ReviewsCalls(sender)

    async def precheck(
        self,
        *,
        card_number: str,
        card_expiry_date: str,
        card_cvv2_value: str | None = None,
        card_address: models.CardAddress | None = None,
        client_reference_id: str | int | None = None,
        payment_account_reference: str | None = None,
        credential_type: models.CredentialType | str | None = None,
        idempotency_key: str | None = None,
    ) -> Answer[models.PreCheckResponse]:
        """Validates card details with the issuer: returns the address (AVS) and security code
        (CVV2) results and a recommended action. `advice` can be any of its values while
        `isSuccess` is true.
        """
        return await self._send(
            Call(
                method="POST",
                path="/api/v1/precheck",
                answer=models.PreCheckResponse,
                named="preCheckResponse",
                repeat=Repeat.KEYED,
                body=models.PreCheckRequest(
                    card_number=card_number,
                    card_expiry_date=card_expiry_date,
                    card_cvv2_value=card_cvv2_value,
                    card_address=card_address,
                    client_reference_id=client_reference_id,
                    payment_account_reference=payment_account_reference,
                    credential_type=credential_type,
                ),
                idempotency_key=idempotency_key,
            )
        )

    async def id_verify(
        self,
        *,
        card_number: str,
        card_expiry_date: str,
        card_holder_email_address: str | None = None,
        card_holder_phone_number: str | None = None,
        card_holder_name: models.CardHolderName | None = None,
        card_holder_ids: models.CardHolderIds | None = None,
        client_reference_id: str | int | None = None,
        payment_account_reference: str | None = None,
        credential_type: models.CredentialType | str | None = None,
        idempotency_key: str | None = None,
    ) -> Answer[models.IdVerifyResponse]:
        """Compares a cardholder's name, e-mail address, phone number and government identifiers
        with what is on record for the card: one result per attribute, all of the same person.
        Results such as `NO_MATCH` come while `isSuccess` is true.
        """
        return await self._send(
            Call(
                method="POST",
                path="/api/v1/idverify",
                answer=models.IdVerifyResponse,
                named="idVerifyResponse",
                repeat=Repeat.KEYED,
                body=models.IdVerifyRequest(
                    card_number=card_number,
                    card_expiry_date=card_expiry_date,
                    card_holder_email_address=card_holder_email_address,
                    card_holder_phone_number=card_holder_phone_number,
                    card_holder_name=card_holder_name,
                    card_holder_ids=card_holder_ids,
                    client_reference_id=client_reference_id,
                    payment_account_reference=payment_account_reference,
                    credential_type=credential_type,
                ),
                idempotency_key=idempotency_key,
            )
        )

    async def sentry(
        self,
        *,
        device: models.Device | None = None,
        event: models.Event | None = None,
        order: models.Order | None = None,
        account: models.BuyerAccount | None = None,
        shopping_cart: models.ShoppingCart | None = None,
        custom_inputs: Mapping[str, Any] | None = None,
        client_reference_id: str | int | None = None,
        idempotency_key: str | None = None,
    ) -> Answer[models.SentryResponse]:
        """Turns what is known about device, visit, account, order and cart into a confidence that
        the request is legitimate, with the reasons. Every group is optional; what is missing or
        hard to believe is scored, not refused.
        """
        return await self._send(
            Call(
                method="POST",
                path="/api/v1/sentry",
                answer=models.SentryResponse,
                named="sentryResponse",
                repeat=Repeat.KEYED,
                body=models.SentryRequest(
                    device=device,
                    event=event,
                    order=order,
                    account=account,
                    shopping_cart=shopping_cart,
                    custom_inputs=custom_inputs,
                    client_reference_id=client_reference_id,
                ),
                idempotency_key=idempotency_key,
            )
        )

    async def rules(
        self,
        *,
        customer_ip: str | None = None,
        card_number: str | None = None,
        amount: Decimal | float | None = None,
        currency: str | None = None,
        email: str | None = None,
        phone: str | None = None,
        user_id: str | int | None = None,
        billing_country: str | None = None,
        shipping_country: str | None = None,
        custom_inputs: Mapping[str, Any] | None = None,
        payment_account_reference: str | None = None,
        credential_type: models.CredentialType | str | None = None,
        three_d_secure: models.ThreeDSecure | None = None,
        rule_set: str | None = None,
        client_reference_id: str | int | None = None,
        idempotency_key: str | None = None,
    ) -> Answer[models.RulesResponse]:
        """Decides with one of the account's rule sets and names every rule that matched. Every
        field is optional: a rule that speaks of something that was not sent does not match.
        Outcomes such as `DECLINE` come while `isSuccess` is true.
        """
        return await self._send(
            Call(
                method="POST",
                path="/api/v1/rules",
                answer=models.RulesResponse,
                named="rulesResponse",
                repeat=Repeat.KEYED,
                body=models.RulesCall(
                    customer_ip=customer_ip,
                    card_number=card_number,
                    amount=amount,
                    currency=currency,
                    email=email,
                    phone=phone,
                    user_id=user_id,
                    billing_country=billing_country,
                    shipping_country=shipping_country,
                    custom_inputs=custom_inputs,
                    payment_account_reference=payment_account_reference,
                    credential_type=credential_type,
                    three_d_secure=three_d_secure,
                    rule_set=rule_set,
                    client_reference_id=client_reference_id,
                ),
                idempotency_key=idempotency_key,
            )
        )

    async def pipeline(
        self,
        *,
        pipeline_id: int,
        client_reference_id: str | int | None = None,
        rules_request: models.RulesRequest | None = None,
        sentry_request: models.SentryRequest | None = None,
        pre_check_request: models.PreCheckRequest | None = None,
        id_verify_request: models.IdVerifyRequest | None = None,
        gateway_request: models.GatewayRequest | None = None,
        idempotency_key: str | None = None,
    ) -> Answer[models.PipelineResponse]:
        """Runs the stages of a pipeline that the account has configured, in order, in one request,
        and returns what each of them found and one decision. Only the inputs that its stages
        need are looked at. A stage that was not reached has no object and costs nothing.
        """
        return await self._send(
            Call(
                method="POST",
                path="/api/v1/pipeline",
                answer=models.PipelineResponse,
                named="pipelineResponse",
                repeat=Repeat.KEYED,
                body=models.PipelineRequest(
                    pipeline_id=pipeline_id,
                    client_reference_id=client_reference_id,
                    rules_request=rules_request,
                    sentry_request=sentry_request,
                    pre_check_request=pre_check_request,
                    id_verify_request=id_verify_request,
                    gateway_request=gateway_request,
                ),
                idempotency_key=idempotency_key,
            )
        )

    async def pipelines(self) -> Answer[models.PipelinesResponse]:
        """The pipelines that the account can call, and what each needs. Free."""
        return await self._send(
            Call(
                method="GET",
                path="/api/v1/pipelines",
                answer=models.PipelinesResponse,
                named="pipelinesResponse",
                repeat=Repeat.HARMLESS,
            )
        )

    async def balance(self) -> Answer[models.BalanceResponse]:
        """What the account has, and how much of it is held. Free."""
        return await self._send(
            Call(
                method="GET",
                path="/api/v1/balance",
                answer=models.BalanceResponse,
                named="balanceResponse",
                repeat=Repeat.HARMLESS,
            )
        )

    async def statement(
        self,
        *,
        month: str | None = None,
        from_: date | None = None,
        to: date | None = None,
        daily: bool | None = None,
    ) -> Answer[models.StatementResponse]:
        """What moved the balance in a month (by default this), or in days. Free."""
        return await self._send(
            Call(
                method="GET",
                path="/api/v1/statement",
                answer=models.StatementResponse,
                named="statementResponse",
                repeat=Repeat.HARMLESS,
                query={"month": month, "from": from_, "to": to, "daily": daily},
            )
        )

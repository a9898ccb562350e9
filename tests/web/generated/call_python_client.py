"""Calls every operation with the client that openapi-python-client makes."""

import sys
from typing import Any, Protocol

from gatehouse_client import AuthenticatedClient
from gatehouse_client.api.billing import get_balance, get_statement
from gatehouse_client.api.checks import idverify, pipeline, precheck, rules, sentry
from gatehouse_client.api.decisions import get_decision, list_decisions, search_decisions
from gatehouse_client.api.events import get_event, list_events
from gatehouse_client.api.feedback import get_feedback, give_feedback
from gatehouse_client.api.pipelines import list_pipelines
from gatehouse_client.api.reviews import (
    assign_review,
    correct_review,
    get_review,
    list_reviews,
    note_review,
    reopen_review,
    resolve_review,
    resolve_reviews,
    search_reviews,
)
from gatehouse_client.models import (
    Advice,
    BulkResolution,
    DecisionSearchRequest,
    ErrorCode,
    EventsEnvelope,
    EventsResponse,
    Failure,
    FeedbackRequest,
    GatewayRequest,
    IdVerifyRequest,
    Label,
    PipelineEnvelope,
    PipelineRequest,
    PreCheckEnvelope,
    PreCheckRequest,
    PreCheckResponse,
    ReviewAssignment,
    ReviewChange,
    ReviewNote,
    ReviewResolution,
    ReviewSearchRequest,
    ReviewState,
    ReviewVerdict,
    RulesCall,
    RulesRequest,
    SentryRequest,
)

CARD = PreCheckRequest("4242424242424242", "2035-12", card_cvv_2_value="123")


class Envelope(Protocol):
    """What every answer has."""

    is_success: bool
    errors: Any


def checked(name: str, answer: Envelope | None) -> None:
    """Say that an operation was called, unless it was refused."""
    if answer is None or not answer.is_success:
        raise SystemExit(f"{name}: {answer}")
    print(name)


def main() -> None:
    """Call the server that the arguments name, with the key that they name."""
    base_url, key = sys.argv[1:]
    client = AuthenticatedClient(base_url, key, prefix="", auth_header_name="X-API-KEY")
    accepted = precheck.sync(client=client, body=CARD)
    checked("precheck", accepted)
    assert isinstance(accepted, PreCheckEnvelope)
    assert isinstance(accepted.pre_check_response, PreCheckResponse)
    assert accepted.pre_check_response.advice is Advice.ACCEPT
    holder = IdVerifyRequest("4242424242424242", "2035-12")
    checked("idverify", idverify.sync(client=client, body=holder))
    visit = SentryRequest.from_dict({"customInputs": {"plan": "gold", "visits": 3}})
    checked("sentry", sentry.sync(client=client, body=visit))
    call = RulesCall(customer_ip="203.0.113.1", amount=5.0)
    checked("rules", rules.sync(client=client, body=call))
    payment = PipelineRequest(
        pipeline_id=1,
        pre_check_request=CARD,
        # Another card than the one that is charged: this opens a review.
        rules_request=RulesRequest(card_number="4111111111111111"),
        gateway_request=GatewayRequest(amount=59.9, currency="USD"),
    )
    paid = pipeline.sync(client=client, body=payment)
    checked("pipeline", paid)
    assert isinstance(paid, PipelineEnvelope)
    request_id = paid.request_id
    checked("listPipelines", list_pipelines.sync(client=client))
    checked("listDecisions", list_decisions.sync(client=client, limit=5))
    checked("getDecision", get_decision.sync(request_id, client=client))
    checked("listReviews", list_reviews.sync(client=client))
    checked("getReview", get_review.sync(request_id, client=client))
    resolution = ReviewResolution(ReviewVerdict.APPROVE, "known customer")
    taken = ReviewAssignment("amelia")
    checked("assignReview", assign_review.sync(request_id, client=client, body=taken))
    note = ReviewNote("called the customer")
    checked("noteReview", note_review.sync(request_id, client=client, body=note))
    checked("resolveReview", resolve_review.sync(request_id, client=client, body=resolution))
    correction = ReviewResolution(ReviewVerdict.DECLINE, "charged back")
    checked("correctReview", correct_review.sync(request_id, client=client, body=correction))
    # A payment waited for it, so that it cannot be undone.
    again = reopen_review.sync(request_id, client=client, body=ReviewChange())
    assert isinstance(again, Failure)
    print("reopenReview")
    many = BulkResolution(
        request_ids=[request_id], resolution=ReviewVerdict.DECLINE, reason="charged back"
    )
    checked("resolveReviews", resolve_reviews.sync(client=client, body=many))
    label = FeedbackRequest(label=Label.LEGITIMATE, request_id=request_id)
    checked("giveFeedback", give_feedback.sync(client=client, body=label))
    checked("getFeedback", get_feedback.sync(request_id, client=client))
    wanted = DecisionSearchRequest(operation="pipeline", limit=5)
    checked("searchDecisions", search_decisions.sync(client=client, body=wanted))
    declined = ReviewSearchRequest(status=ReviewState.DECLINED)
    checked("searchReviews", search_reviews.sync(client=client, body=declined))
    checked("getBalance", get_balance.sync(client=client))
    checked("getStatement", get_statement.sync(client=client, daily=True))
    told = list_events.sync(client=client, limit=1)
    checked("listEvents", told)
    assert isinstance(told, EventsEnvelope)
    assert isinstance(told.events_response, EventsResponse)
    [event] = told.events_response.events
    checked("getEvent", get_event.sync(event.id, client=client))
    refused = get_decision.sync("req_unknown", client=client)
    assert isinstance(refused, Failure)
    assert refused.errors.code is ErrorCode.NOT_FOUND


if __name__ == "__main__":
    main()

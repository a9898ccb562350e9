"""OpenAPI 3.1, generated from the very types that validate requests and render answers."""

from collections import defaultdict
from collections.abc import Set
from typing import Any, Final

import msgspec

import gatehouse
from gatehouse.admin.search.filters import DecisionSearchRequest, ReviewSearchRequest
from gatehouse.core.unread_fields import FieldWarning
from gatehouse.operations.operation import Operation
from gatehouse.operations.pipeline_messages import PipelinesResponse
from gatehouse.web.envelope import Billing, Errors
from gatehouse.web.feedback import FeedbackHistory, FeedbackReceipt, FeedbackRequest
from gatehouse.web.openapi_examples import example_answer, example_refusal, example_request
from gatehouse.web.openapi_schemas import TAGS, for_generators, with_error_codes, with_tags
from gatehouse.web.problems import BODY_CODES, CODES, PAID_CODES
from gatehouse.web.query import DEFAULT_PAGE, LARGEST_PAGE
from gatehouse.web.records import PublicDecision
from gatehouse.web.reviews import DEFAULT_STATUS, STATUSES, Review, ReviewPage, ReviewResolution
from gatehouse.web.search import DecisionMatches, ReviewMatches

_REF: Final = "#/components/schemas/{name}"
_ABOUT: Final = """\
Fraud prevention and verification for card payments.

Every call carries an API key in `X-API-KEY` and comes from a backend, never from a browser. Every
answer is the same envelope: check `isSuccess` first, then the operation's own object. `billing`
says what the request cost and what is left; decisions, reviews and feedback are free."""

_HEADERS: Final[dict[str, tuple[str, str]]] = {
    "X-Request-Id": ("string", "The caller's trace id when it is usable, otherwise `requestId`."),
    "RateLimit-Limit": ("integer", "Requests the key may make in a burst."),
    "RateLimit-Remaining": ("integer", "Requests left of it now."),
    "RateLimit-Reset": ("integer", "Seconds until the whole burst is available again."),
    "Retry-After": ("integer", "Seconds to wait before trying again."),
    "Allow": ("string", "The methods allowed here."),
    "WWW-Authenticate": ("string", "How to authenticate."),
    "Idempotent-Replayed": ("string", "`true` when this is the answer given to the first request."),
    "Preference-Applied": ("string", "`handling=strict` when the request was read strictly."),
}
_ALWAYS: Final = ("X-Request-Id", "RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset")
_ALSO: Final = {
    "missing_key": "WWW-Authenticate",
    "invalid_key": "WWW-Authenticate",
    "method_not_allowed": "Allow",
    "idempotency_in_flight": "Retry-After",
    "rate_limited": "Retry-After",
    "overloaded": "Retry-After",
    "store_unavailable": "Retry-After",
}


_SEARCHES: Final[dict[str, tuple[type, type, str]]] = {
    "decisions": (DecisionSearchRequest, DecisionMatches, "newest"),
    "reviews": (ReviewSearchRequest, ReviewMatches, "oldest"),
}
"""By subject: what is sent, the page that is found, and what comes first on it."""


def path_of(operation: Operation) -> str:
    """Where an operation is found."""
    return f"/api/v1/{operation.name}"


def openapi_document(operations: list[Operation]) -> dict[str, Any]:
    """The whole document."""
    kinds: list[Any] = [
        Errors,
        Billing,
        FieldWarning,
        PublicDecision,
        ReviewPage,
        ReviewResolution,
        PipelinesResponse,
    ]
    kinds += [FeedbackRequest, FeedbackReceipt, FeedbackHistory]
    kinds += [DecisionSearchRequest, DecisionMatches, ReviewSearchRequest, ReviewMatches]
    for operation in operations:
        kinds += [operation.request_type, operation.response_type]
    _, schemas = msgspec.json.schema_components(kinds, schema_hook=_own_type, ref_template=_REF)
    paths: dict[str, Any] = {path_of(one): {"post": _post(one, schemas)} for one in operations}
    paths["/api/v1/pipelines"] = {"get": _list_pipelines(schemas)}
    paths["/api/v1/decisions"] = {"get": _list_decisions(schemas)}
    paths["/api/v1/decisions/{requestId}"] = {"get": _get_decision(schemas)}
    for subject in _SEARCHES:
        paths[f"/api/v1/{subject}/search"] = {"post": _search(schemas, subject)}
    paths["/api/v1/reviews"] = {"get": _list_reviews(schemas)}
    paths["/api/v1/reviews/{requestId}"] = {
        "get": _get_review(schemas),
        "post": _resolve_review(schemas),
    }
    paths["/api/v1/feedback"] = {"post": _tell(schemas)}
    paths["/api/v1/feedback/{requestId}"] = {"get": _get_feedback(schemas)}
    schemas["Failure"] = _failure_schema()
    schemas = with_error_codes(for_generators(schemas), CODES)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Gatehouse",
            "version": gatehouse.__version__,
            "description": _ABOUT,
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "servers": [{"url": "/", "description": "This server"}],
        "security": [{"ApiKey": []}],
        "tags": [{"name": name, "description": about} for name, about in TAGS.items()],
        "paths": with_tags(paths),
        "components": {
            "schemas": schemas,
            "securitySchemes": {
                "ApiKey": {
                    "type": "apiKey",
                    "in": "header",
                    "name": "X-API-KEY",
                    "description": "`gh_sandbox_` keys are for the sandbox, `gh_live_` keys for "
                    "production. Keys belong in backends only.",
                }
            },
            "headers": {
                name: {"description": about, "schema": {"type": kind}}
                for name, (kind, about) in _HEADERS.items()
            },
        },
    }


def _own_type(kind: type) -> dict[str, Any]:
    schema: dict[str, Any] = dict(kind.schema)  # type: ignore[attr-defined]  # our own types have it
    return schema


def _post(operation: Operation, schemas: dict[str, Any]) -> dict[str, Any]:
    response = operation.response_type.__name__
    envelope = response.removesuffix("Response") + "Envelope"
    schemas[envelope] = _envelope(operation.field, response)
    return {
        "operationId": operation.name,
        "summary": operation.title,
        "description": operation.about,
        "parameters": [_IDEMPOTENCY_KEY, _PREFER, _TRACE_ID],
        "requestBody": _body(operation.request_type, schemas, operation.left_out),
        "responses": {
            "200": _response(
                "Processed, or refused with the fields at fault: `isSuccess` tells.",
                _ref(envelope),
                {"processed": example_answer(operation), "refused": example_refusal(operation)},
                ("Idempotent-Replayed", "Preference-Applied"),
            ),
            **_failures(without={"not_found", "already_resolved"}),
        },
    }


def _list_pipelines(schemas: dict[str, Any]) -> dict[str, Any]:
    schemas["PipelinesEnvelope"] = _envelope("pipelinesResponse", "PipelinesResponse")
    return {
        "operationId": "listPipelines",
        "summary": "Pipelines",
        "description": "The pipelines that the account can call, and what each needs. Free.",
        "parameters": [_TRACE_ID],
        **_free("The pipelines.", "PipelinesEnvelope", without=BODY_CODES | {"not_found"}),
    }


def _get_decision(schemas: dict[str, Any]) -> dict[str, Any]:
    schemas["DecisionEnvelope"] = _envelope("decisionResponse", "PublicDecision")
    return {
        "operationId": "getDecision",
        "summary": "One decision",
        "description": "The record of a processed request, for the account it belongs to. Free.",
        "parameters": [_REQUEST_ID, _TRACE_ID],
        **_free("The record.", "DecisionEnvelope", without=BODY_CODES),
    }


def _list_decisions(schemas: dict[str, Any]) -> dict[str, Any]:
    page = {
        "type": "object",
        "properties": {
            "decisions": {"type": "array", "items": _ref("PublicDecision")},
            "hasMore": {"type": "boolean"},
        },
        "required": ["decisions", "hasMore"],
    }
    schemas["DecisionPage"] = page
    schemas["DecisionsEnvelope"] = _envelope("decisionsResponse", "DecisionPage")
    return {
        "operationId": "listDecisions",
        "summary": "Decisions",
        "description": "The account's records, newest first. Free.",
        "parameters": [
            _parameter(
                "clientReferenceId",
                "query",
                "Only requests with this reference.",
                {"type": "string", "maxLength": 128},
            ),
            *_page_parameters(),
            _TRACE_ID,
        ],
        **_free("A page of records.", "DecisionsEnvelope", without=BODY_CODES | {"not_found"}),
    }


def _search(schemas: dict[str, Any], subject: str) -> dict[str, Any]:
    request, page, order = _SEARCHES[subject]
    envelope = f"{page.__name__}Envelope"
    schemas[envelope] = _envelope(f"{subject}Response", page.__name__)
    return {
        "operationId": f"search{subject.capitalize()}",
        "summary": f"Search {subject}",
        "description": f"The account's {subject}, {order} first, to which every filter applies. "
        "Filters are in the body: nothing of them is in a URL. Cards, contacts and users are "
        "compared by keyed fingerprints. A page can be short although there is more: "
        "`nextCursor` tells. Free.",
        "parameters": [_PREFER, _TRACE_ID],
        "requestBody": _body(request, schemas),
        **_free(
            "What was found, or a refusal with the fields at fault: `isSuccess` tells.",
            envelope,
            without=PAID_CODES | {"not_found", "already_resolved"},
            headers=("Preference-Applied",),
        ),
    }


def _list_reviews(schemas: dict[str, Any]) -> dict[str, Any]:
    schemas["ReviewsEnvelope"] = _envelope("reviewsResponse", ReviewPage.__name__)
    words = {"type": "string", "enum": [*STATUSES], "default": DEFAULT_STATUS}
    return {
        "operationId": "listReviews",
        "summary": "Reviews",
        "description": "Decisions that a person is to look at, newest first. Free.",
        "parameters": [
            _parameter("status", "query", "Which of them.", words),
            *_page_parameters(),
            _TRACE_ID,
        ],
        **_free("A page of reviews.", "ReviewsEnvelope", without=BODY_CODES | {"not_found"}),
    }


def _get_review(schemas: dict[str, Any]) -> dict[str, Any]:
    schemas["ReviewEnvelope"] = _envelope("reviewResponse", Review.__name__)
    return {
        "operationId": "getReview",
        "summary": "One review",
        "description": "A review and its decision, for the account it belongs to. Free.",
        "parameters": [_REQUEST_ID, _TRACE_ID],
        **_free("The review.", "ReviewEnvelope", without=BODY_CODES),
    }


def _resolve_review(schemas: dict[str, Any]) -> dict[str, Any]:
    return {
        "operationId": "resolveReview",
        "summary": "Resolve a review",
        "description": "Says what a person found. A review is resolved once; of several who try "
        "at the same time one succeeds. What was found counts as feedback. Free.",
        "parameters": [_REQUEST_ID, _PREFER, _TRACE_ID],
        "requestBody": _body(ReviewResolution, schemas),
        **_free(
            "The resolved review, or a refusal with the fields at fault: `isSuccess` tells.",
            "ReviewEnvelope",
            without=PAID_CODES,
            headers=("Preference-Applied",),
        ),
    }


def _tell(schemas: dict[str, Any]) -> dict[str, Any]:
    schemas["FeedbackEnvelope"] = _envelope("feedbackResponse", FeedbackReceipt.__name__)
    return {
        "operationId": "giveFeedback",
        "summary": "Give feedback",
        "description": "Says what became of a request, or of up to a hundred of one name. What is "
        "said last counts; everything stays in the history. Sentry takes it into account at once. "
        "The same said again changes nothing, so a repeat is safe. Free.",
        "parameters": [_PREFER, _TRACE_ID],
        "requestBody": _body(FeedbackRequest, schemas),
        **_free(
            "What was kept, or a refusal with the fields at fault: `isSuccess` tells.",
            "FeedbackEnvelope",
            without=PAID_CODES | {"already_resolved"},
            headers=("Preference-Applied",),
        ),
    }


def _get_feedback(schemas: dict[str, Any]) -> dict[str, Any]:
    schemas["FeedbackHistoryEnvelope"] = _envelope("feedbackResponse", FeedbackHistory.__name__)
    return {
        "operationId": "getFeedback",
        "summary": "Feedback on a request",
        "description": "What is known about a request, and all that was said about it. Free.",
        "parameters": [_REQUEST_ID, _TRACE_ID],
        **_free("What was said.", "FeedbackHistoryEnvelope", without=BODY_CODES),
    }


def _body(kind: type, schemas: dict[str, Any], left_out: tuple[str, ...] = ()) -> dict[str, Any]:
    name = kind.__name__
    example = example_request(schemas[name], schemas)
    for field in left_out:
        del example[field]
    content = {"application/json": {"schema": _ref(name), "example": example}}
    return {"required": True, "content": content}


def _free(
    about: str, envelope: str, *, without: Set[str], headers: tuple[str, ...] = ()
) -> dict[str, Any]:
    """The answers of an operation that costs nothing."""
    answer = _response(about, _ref(envelope), None, headers)
    return {"responses": {"200": answer, **_failures(without=without)}}


def _envelope(field: str, response: str) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {
            "isSuccess": {"type": "boolean", "description": "Whether the request was processed."},
            "errors": {"anyOf": [_ref("Errors"), {"type": "null"}]},
            "billing": {"anyOf": [_ref("Billing"), {"type": "null"}]},
            field: {"anyOf": [_ref(response), {"type": "null"}]},
            "requestId": {"type": "string", "description": "Names the decision record."},
            "warnings": _WARNINGS,
        },
        "required": ["isSuccess", "errors", "billing", field, "requestId"],
    }


def _failure_schema() -> dict[str, Any]:
    return {
        "type": "object",
        "description": "A refused request. The operation's own object, if any, is null.",
        "properties": {
            "isSuccess": {"type": "boolean", "const": False},
            "errors": _ref("Errors"),
            "billing": {"anyOf": [_ref("Billing"), {"type": "null"}]},
            "requestId": {"type": "string"},
            "warnings": _WARNINGS,
        },
        "required": ["isSuccess", "errors", "billing", "requestId"],
    }


def _failures(*, without: Set[str]) -> dict[str, Any]:
    """One response per HTTP status, naming the codes it can carry and what to do about each."""
    by_status: dict[int, list[str]] = defaultdict(list)
    headers: dict[int, dict[str, None]] = defaultdict(dict)
    for word, code in CODES.items():
        if code.status != 200 and word not in without:
            by_status[code.status].append(f"`{word}`: {code.message} {code.remedy}")
            if word in _ALSO:
                headers[code.status][_ALSO[word]] = None
    return {
        str(status): _response(" ".join(lines), _ref("Failure"), None, tuple(headers[status]))
        for status, lines in sorted(by_status.items())
    }


def _response(
    description: str,
    schema: dict[str, Any],
    examples: dict[str, Any] | None = None,
    more_headers: tuple[str, ...] = (),
) -> dict[str, Any]:
    content: dict[str, Any] = {"schema": schema}
    if examples is not None:
        content["examples"] = {name: {"value": value} for name, value in examples.items()}
    names = (*_ALWAYS, *more_headers)
    return {
        "description": description,
        "headers": {name: {"$ref": f"#/components/headers/{name}"} for name in names},
        "content": {"application/json": content},
    }


def _parameter(
    name: str, place: str, about: str, schema: dict[str, Any] | None = None
) -> dict[str, Any]:
    return {
        "name": name,
        "in": place,
        "required": place == "path",
        "description": about,
        "schema": schema or {"type": "string"},
    }


def _page_parameters() -> list[dict[str, Any]]:
    size = {"type": "integer", "minimum": 1, "maximum": LARGEST_PAGE, "default": DEFAULT_PAGE}
    named = {"type": "string", "pattern": "^req_[0-7][0-9a-hjkmnp-tv-z]{25}$"}
    return [
        _parameter("limit", "query", "Size of a page.", size),
        _parameter("startingAfter", "query", "The last `requestId` of the page before.", named),
    ]


_REQUEST_ID: Final = _parameter("requestId", "path", "The `requestId` of an answer.")
_IDEMPOTENCY_KEY: Final = _parameter(
    "Idempotency-Key",
    "header",
    "Makes a repeat safe: the same key and body give the first answer again, free.",
    {"type": "string", "pattern": "^[!-~]{1,255}$"},
)
_PREFER: Final = _parameter(
    "Prefer",
    "header",
    "`handling=strict` makes fields that nothing reads errors instead of warnings (RFC 7240).",
)
_TRACE_ID: Final = _parameter(
    "X-Request-Id",
    "header",
    "The caller's own trace id, echoed when it is 1 to 128 visible ASCII characters.",
)


def _ref(name: str) -> dict[str, str]:
    return {"$ref": _REF.format(name=name)}


_WARNINGS: Final = {
    "type": "array",
    "description": "Fields of the request that nothing reads; only there when there are any.",
    "items": _ref(FieldWarning.__name__),
}

"""The yardstick: a bare Starlette endpoint that decodes and encodes bodies of the same sizes."""

import sys
from typing import Any

import msgspec
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

_PRECHECK: dict[str, Any] = {
    "advice": "ACCEPT",
    "avsResult": "FULL_MATCH",
    "cvv2Result": "MATCH",
    "card": {
        "brand": "VISA",
        "country": "GB",
        "funding": "CREDIT",
        "prepaid": False,
        "bin": "42424242",
        "lastFour": "4242",
    },
    "reasons": ["approved"],
}
_ID_VERIFY: dict[str, Any] = {
    "cardHolderEmailAddressVerificationResults": "MATCH",
    "cardHolderPhoneNumberVerificationResults": "MATCH",
    "cardHolderNameVerificationResult": {
        "firstNameAccountMatchDecision": "MATCH",
        "middleNameAccountMatchDecision": "MATCH",
        "lastNameAccountMatchDecision": "MATCH",
        "nameMatchDecision": "MATCH",
        "nameResult": "PERFORMED",
    },
    "idVerification": {"PASSPORT": "MATCH", "TAX": "MATCH"},
    "verificationLevel": "FULL",
}

_SENTRY: dict[str, Any] = {
    "requestConfidence": 0.8914,
    "reasons": [
        {"code": "IP_CONSUMER", "effect": 0.35, "text": "The address is an ordinary one."},
        {
            "code": "UA_CURRENT",
            "effect": 0.35,
            "text": "The browser is an ordinary one and up to date.",
        },
        {
            "code": "LANG_COUNTRY_FIT",
            "effect": 0.25,
            "text": "The browser's languages fit the address's country.",
        },
        {
            "code": "SESSION_ORDINARY",
            "effect": 0.2,
            "text": "The visit has lasted an ordinary time.",
        },
        {
            "code": "ACCOUNT_NAMED",
            "effect": 0.15,
            "text": "The order was placed from an account.",
        },
        {
            "code": "CART_ADDS_UP",
            "effect": 0.15,
            "text": "The cart adds up to the order's amount.",
        },
        {"code": "ORDER_PLAUSIBLE", "effect": 0.1, "text": "Amount and currency are plausible."},
    ],
}

_RULES: dict[str, Any] = {"status": "ACCEPT", "matchedRules": []}

_PIPELINE: dict[str, Any] = {
    "pipelineStages": ["Rules", "Sentry", "PreCheck", "Gateway"],
    "decision": "ACCEPT",
    "tags": [],
    "rulesResponse": _RULES,
    "sentryResponse": {
        "ipScore": 0.68,
        "requestScore": 0.8914,
        "reasons": _SENTRY["reasons"],
    },
    "preCheckResponse": _PRECHECK,
    "gatewayResponse": {"status": "APPROVED", "responseCode": "00", "approvalCode": "410263"},
}


def answer(fee_types: tuple[str, ...], field: str, response: dict[str, Any]) -> dict[str, Any]:
    """A whole answer around a response."""
    fee = {"currency": "USD", "amount": 0.05}
    return {
        "isSuccess": True,
        "errors": None,
        "billing": {
            "items": [
                {"feeType": fee_type, "fee": fee, "completed": True} for fee_type in fee_types
            ],
            "remainingBalance": {"currency": "USD", "amount": 99999.95},
            "amountAuthorized": fee,
            "amountClosed": fee,
        },
        field: response,
        "requestId": "req_01kabcdefghjkmnpqrstvwxyz0",
    }


def route(operation: str, content: dict[str, Any]) -> Route:
    """An endpoint that decodes, encodes, and does nothing else."""

    async def endpoint(request: Request) -> Response:
        msgspec.json.decode(await request.body())
        return Response(msgspec.json.encode(content), media_type="application/json")

    return Route(f"/{operation}", endpoint, methods=["POST"])


ROUTES = [
    route("precheck", answer(("PRECHECK",), "preCheckResponse", _PRECHECK)),
    route("idverify", answer(("ID_VERIFY",), "idVerifyResponse", _ID_VERIFY)),
    route("sentry", answer(("SENTRY",), "sentryResponse", _SENTRY)),
    route("rules", answer(("RULES",), "rulesResponse", _RULES)),
    route(
        "pipeline",
        answer(("RULES", "SENTRY", "PRECHECK", "GATEWAY"), "pipelineResponse", _PIPELINE),
    ),
]


if __name__ == "__main__":
    uvicorn.run(
        Starlette(routes=ROUTES),
        port=int(sys.argv[1]),
        loop="uvloop",
        http="httptools",
        log_level="warning",
        access_log=False,
    )

"""The yardstick: a bare Starlette endpoint that decodes and encodes bodies of the same sizes."""

import sys
from typing import Any

import msgspec
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

_ANSWER: dict[str, Any] = {
    "isSuccess": True,
    "errors": None,
    "billing": {
        "items": [
            {"feeType": "PRECHECK", "fee": {"currency": "USD", "amount": 0.05}, "completed": True}
        ],
        "remainingBalance": {"currency": "USD", "amount": 99999.95},
        "amountAuthorized": {"currency": "USD", "amount": 0.05},
        "amountClosed": {"currency": "USD", "amount": 0.05},
    },
    "preCheckResponse": {
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
    },
    "requestId": "req_01kabcdefghjkmnpqrstvwxyz0",
}


async def endpoint(request: Request) -> Response:
    """Decode, encode, nothing else."""
    msgspec.json.decode(await request.body())
    return Response(msgspec.json.encode(_ANSWER), media_type="application/json")


if __name__ == "__main__":
    uvicorn.run(
        Starlette(routes=[Route("/", endpoint, methods=["POST"])]),
        port=int(sys.argv[1]),
        loop="uvloop",
        http="httptools",
        log_level="warning",
        access_log=False,
    )

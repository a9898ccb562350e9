"""What the playground sends: bodies made of a form, and the same call as programs."""

import json
import re
from collections.abc import Mapping
from typing import Any, Final

import msgspec

from gatehouse.gateway.spec import GATEWAY
from gatehouse.idverify.spec import ID_VERIFY
from gatehouse.precheck.spec import PRE_CHECK
from gatehouse.rules.spec import RULES
from gatehouse.sentry.spec import SENTRY

_LONGEST_LINE: Final = 56
OPERATIONS: Final = ("precheck", "idverify", "sentry", "pipeline")
ACCEPTED: Final = ("4242424242424242", "5555555555554444", "378282246310005")
"""Cards that the sandbox accepts; all others that can be chosen are triggers."""
SAMPLE: Final[Mapping[str, str]] = {
    "operation": "precheck",
    "card": ACCEPTED[0],
    "expiry": "2035-12",
    "code": "123",
    "street": "1 Market Street",
    "postal_code": "94105",
    "first_name": "Amelia",
    "last_name": "Whitfield",
    "email": "amelia.whitfield@example.com",
    "ip_address": "203.0.113.1",
    "user_id": "u-1001",
    "amount": "59.90",
    "currency": "USD",
}
"""A request that the sandbox accepts."""
_METHODS: Final = {"idverify": ("id_verify", "idVerify")}
"""What our clients call an operation, where that is not its name."""
_STRUCTS: Final = {
    "cardAddress": "CardAddress",
    "cardHolderName": "CardHolderName",
    "preCheckRequest": "PreCheckRequest",
    "idVerifyRequest": "IdVerifyRequest",
    "sentryRequest": "SentryRequest",
    "rulesRequest": "RulesRequest",
    "gatewayRequest": "GatewayRequest",
    "device": "Device",
    "event": "Event",
    "order": "Order",
    "account": "BuyerAccount",
}


class Wanted(msgspec.Struct, frozen=True, kw_only=True):
    """What a person filled in."""

    operation: str
    card: str
    expiry: str
    code: str
    street: str
    postal_code: str
    first_name: str
    last_name: str
    email: str
    ip_address: str
    user_id: str
    amount: str
    currency: str
    pipeline: int | None = None
    stages: frozenset[str] = frozenset()
    """Of the pipeline: each needs a part of its own."""


def request_body(wanted: Wanted) -> dict[str, Any]:
    """The body of the call."""
    makers = {"precheck": _precheck, "idverify": _idverify, "sentry": _sentry}
    if wanted.operation in makers:
        return makers[wanted.operation](wanted)
    stages, body = wanted.stages, {"pipelineId": wanted.pipeline}
    parts: dict[str, Any] = {}
    if stages & {PRE_CHECK.name, GATEWAY.name}:
        parts["preCheckRequest"] = _precheck(wanted)
    if ID_VERIFY.name in stages:
        parts["idVerifyRequest"] = _idverify(wanted)
    if SENTRY.name in stages:
        parts["sentryRequest"] = _sentry(wanted)
    if RULES.name in stages:
        parts["rulesRequest"] = _filled({"customerIp": wanted.ip_address})
    if GATEWAY.name in stages:
        parts["gatewayRequest"] = _order(wanted)
    return _filled({**body, **parts})


def as_curl(base: str, operation: str, body: Mapping[str, Any]) -> str:
    """The call for a shell."""
    quoted = _pretty(body).replace("'", "'\\''")
    return " \\\n  ".join(
        [
            f"curl {base}/api/v1/{operation}",
            '-H "X-API-KEY: $GATEHOUSE_API_KEY"',
            "-H 'Content-Type: application/json'",
            f"-d '{quoted}'",
        ]
    )


def as_python(base: str, operation: str, body: Mapping[str, Any]) -> str:
    """The call with the client for Python."""
    method = _METHODS.get(operation, (operation, operation))[0]
    arguments = "".join(
        f"        {_snake(name)}={_python(name, value, 2)},\n" for name, value in body.items()
    )
    imported = "Gatehouse, models" if "models." in arguments else "Gatehouse"
    return (
        f"import os\n\nfrom gatehouse_client import {imported}\n\n"
        f'with Gatehouse(os.environ["GATEHOUSE_API_KEY"], "{base}") as gatehouse:\n'
        f"    answer = gatehouse.{method}(\n{arguments}    )\n    print(answer.result)"
    )


def as_typescript(base: str, operation: str, body: Mapping[str, Any]) -> str:
    """The call with the client for TypeScript."""
    method = _METHODS.get(operation, (operation, operation))[1]
    literal = re.sub(r'"([A-Za-z]\w*)":', r"\1:", _pretty(body))
    return (
        'import { Gatehouse } from "gatehouse-client";\n\n'
        "const gatehouse = new Gatehouse({\n"
        f'  apiKey: process.env.GATEHOUSE_API_KEY!,\n  baseUrl: "{base}",\n}});\n'
        f"const {{ result }} = await gatehouse.{method}({literal});\n"
        "console.log(result);"
    )


def _precheck(wanted: Wanted) -> dict[str, Any]:
    address = _filled({"street": wanted.street, "postalCode": wanted.postal_code})
    return _filled({**_card(wanted), "cardCvv2Value": wanted.code, "cardAddress": address})


def _idverify(wanted: Wanted) -> dict[str, Any]:
    name = _filled({"firstName": wanted.first_name, "lastName": wanted.last_name})
    more = {"cardHolderName": name, "cardHolderEmailAddress": wanted.email}
    return _filled({**_card(wanted), **more})


def _sentry(wanted: Wanted) -> dict[str, Any]:
    return _filled(
        {
            "device": _filled({"ipAddress": wanted.ip_address}),
            "event": {"type": "PURCHASE"},
            "order": _order(wanted),
            "account": _filled({"userId": wanted.user_id}),
        }
    )


def _order(wanted: Wanted) -> dict[str, Any]:
    amount = float(wanted.amount) if wanted.amount else None
    return _filled({"amount": amount, "currency": wanted.currency if amount else None})


def _card(wanted: Wanted) -> dict[str, Any]:
    return {"cardNumber": wanted.card, "cardExpiryDate": wanted.expiry}


def _filled(fields: Mapping[str, Any]) -> dict[str, Any]:
    """The fields without the empty ones."""
    return {name: value for name, value in fields.items() if value not in (None, "", {})}


def _pretty(value: Any) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False)


def _snake(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])([A-Z])", r"_\1", name).lower()


def _python(name: str, value: Any, depth: int) -> str:
    """A value as the client takes it: objects are structs."""
    if not isinstance(value, dict):
        return json.dumps(value, ensure_ascii=False)
    inside = ", ".join(
        f"{_snake(key)}={_python(key, one, depth + 1)}" for key, one in value.items()
    )
    line = f"models.{_STRUCTS[name]}({inside})"
    if "\n" not in line and len(line) <= _LONGEST_LINE:
        return line
    margin = "    " * (depth + 1)
    rows = "".join(
        f"{margin}{_snake(key)}={_python(key, one, depth + 1)},\n" for key, one in value.items()
    )
    return f"models.{_STRUCTS[name]}(\n{rows}{'    ' * depth})"

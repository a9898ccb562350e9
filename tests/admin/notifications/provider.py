"""A provider that sends what docs/http-mappings.md shows, signed as that page says."""

import base64
import hashlib
import hmac
import json
from typing import Any, Final

import httpx

from tests.docs.pages import ROOT, blocks

_PAGE: Final = (ROOT / "docs" / "http-mappings.md").read_text().partition("## Notifications")[2]
MAPPINGS: Final = {
    block.text.split()[1].partition("-")[0]: block.text
    for block in blocks(_PAGE)
    if block.kind == "yaml" and block.text.startswith("mapping:")
}
_SHOWN: Final = [json.loads(block.text) for block in blocks(_PAGE) if block.kind == "json"]
DISPUTE, REFUND_FAILED = _SHOWN
STRIPE_KEY: Final = "whsec_of-the-tests-and-long-enough"
NEXT_KEY: Final = "whsec_the-next-one-long-enough-too"
ADYEN_KEY: Final = "44782DEF547AAA06C910C43932B1EB0C71FC68D9D0C057550C48EC2ACF6BA056"
_SIGNED: Final = ("pspReference", "originalReference", "merchantAccountCode", "merchantReference")


def stripe(
    client: httpx.Client, path: str, told: Any, at_s: float, key: str = STRIPE_KEY
) -> httpx.Response:
    """Send it as Stripe signs."""
    body = json.dumps(told).encode()
    at = str(int(at_s))
    signature = hmac.new(key.encode(), f"{at}.".encode() + body, hashlib.sha256).hexdigest()
    headers = {"Stripe-Signature": f"t={at},v1={signature}", "Content-Type": "application/json"}
    return client.post(path, content=body, headers=headers)


def adyen(client: httpx.Client, path: str, told: Any) -> httpx.Response:
    """Send it as Adyen signs: some values of each notification."""
    for each in told["notificationItems"]:
        item = each["NotificationRequestItem"]
        values = [item.get(name, "") for name in _SIGNED]
        values += [str(item["amount"]["value"]), item["amount"]["currency"]]
        content = ":".join([*values, item["eventCode"], item["success"]])
        made = hmac.new(bytes.fromhex(ADYEN_KEY), content.encode(), hashlib.sha256)
        item["additionalData"]["hmacSignature"] = base64.b64encode(made.digest()).decode()
    return client.post(path, json=told)


def event(name: str, kind: str, at_s: int, **about: Any) -> Any:
    """A message of the shape that Stripe has."""
    return {"id": name, "type": kind, "created": at_s, "data": {"object": about}}

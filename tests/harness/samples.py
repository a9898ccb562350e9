"""Bodies of requests as an ordinary merchant sends them in the sandbox."""

from typing import Any

from gatehouse.core.cards.fingerprints import Fingerprints
from gatehouse.core.secrets.keyring import CARD_FINGERPRINTS, KeyRing

CARD = "4242424242424242"
SILENT_CARD = "4000000000000127"
"""The sandbox's issuer never answers for it."""
BODY: dict[str, Any] = {
    "cardNumber": CARD,
    "cardExpiryDate": "2035-12",
    "cardCvv2Value": "123",
    "cardAddress": {"street": "1 Market Street", "postalCode": "94105"},
}

AMELIA: dict[str, Any] = {
    "cardNumber": CARD,
    "cardExpiryDate": "2035-12",
    "cardHolderEmailAddress": "amelia.whitfield@example.com",
    "cardHolderPhoneNumber": "+14155550132",
    "cardHolderName": {"firstName": "Amelia", "middleName": "Jane", "lastName": "Whitfield"},
    "cardHolderIds": {"PASSPORT": "543210987", "DRIVERLICENSE": "D1234562", "TAX": "987-65-4329"},
}

BROWSER = (
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) "
    "Chrome/157.0.0.0 Safari/537.36"
)
VISIT: dict[str, Any] = {
    "device": {
        "ipAddress": "203.0.113.1",
        "userAgent": BROWSER,
        "acceptLanguage": "en-US,en;q=0.9",
        "sessionId": "s-1",
        "sessionAge": 340,
    },
    "event": {"type": "PURCHASE", "transactionId": "t-1"},
    "order": {
        "amount": 59.9,
        "currency": "USD",
        "affiliateId": "a-1",
        "referralId": 17,
        "discountCodes": ["WELCOME"],
        "referrerUrl": "https://www.example.com/shoes",
    },
    "account": {"userId": "u-1", "username": "amelia.whitfield"},
    "shoppingCart": {
        "items": [{"itemId": "sku-7", "category": "shoes", "price": 59.9, "quantity": 1}]
    },
    "customInputs": {"timezone": "America/New_York", "returning": True, "visits": 3, "score": 0.5},
    "clientReferenceId": "order-1",
}

PURCHASE: dict[str, Any] = {
    "pipelineId": 1,
    "clientReferenceId": "order-1",
    "rulesRequest": {"customerIp": "203.0.113.1", "cardNumber": CARD, "userId": "u-1"},
    "sentryRequest": VISIT,
    "preCheckRequest": BODY,
}
"""An ordinary purchase through the sandbox's first pipeline."""

RING = KeyRing({(CARD_FINGERPRINTS, 1): b"f" * 32})
FINGERPRINTS = Fingerprints(RING)
"""Of an installation that is not there."""

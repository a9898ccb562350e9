"""What one request to a party is about, whichever port it came through."""

import secrets
from datetime import UTC, datetime
from typing import Any

from gatehouse.connectors.http.wire import PartyRequest
from gatehouse.core.cards.numbers import CardNumber, ExpiryDate, SecurityCode
from gatehouse.core.money import Payment
from gatehouse.idverify.request import IdVerifyRequest


class Asked:
    """What one request is about. It holds secrets: it is never printed."""

    __slots__ = (
        "_now",
        "_random",
        "account_id",
        "authorized_minor",
        "code",
        "expiry",
        "holder",
        "number",
        "page_id",
        "payment",
        "payment_id",
        "payment_link",
        "postal_code",
        "proof",
        "reference",
        "request",
        "request_id",
        "signing",
        "source",
        "street",
    )

    def __init__(self, request_id: str = "", account_id: str = "", source: Any = None) -> None:
        self.request_id = request_id
        self.account_id = account_id
        self.source = source
        """What the port was given."""
        self.number: CardNumber | None = None
        self.expiry: ExpiryDate | None = None
        self.code: SecurityCode | None = None
        self.postal_code: str | None = None
        self.street: str | None = None
        self.holder: IdVerifyRequest | None = None
        self.payment: Payment | None = None
        self.authorized_minor: int | None = None
        """Of a payment of which `payment` is a part."""
        self.reference = request_id
        self.payment_id: str | None = None
        self.payment_link: str | None = None
        self.page_id: str | None = None
        self.signing: dict[str, str] = {}
        """What only the signature knows; see `OF_SIGNING`."""
        self.request: PartyRequest | None = None
        """What was made of it last."""
        self.proof: object = None
        """The token that it was sent with last."""
        self._now: datetime | None = None
        self._random: bytes | None = None

    def __repr__(self) -> str:
        return "Asked(…)"

    @property
    def now(self) -> datetime:
        """The moment of the request; the same wherever it is named."""
        if self._now is None:
            self._now = datetime.now(UTC)
        return self._now

    @property
    def random(self) -> bytes:
        """Sixteen random bytes; the same wherever they are named."""
        if self._random is None:
            self._random = secrets.token_bytes(16)
        return self._random

    @property
    def brand(self) -> str | None:
        """The brand of the card, if it is one we know."""
        brand = None if self.number is None else self.number.brand
        return None if brand is None else brand.name

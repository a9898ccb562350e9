"""Says which field the sender of an unknown one may have meant: "did you mean"."""

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Final, TypeVar

from gatehouse.core.reading.spelling import letters, nearest
from gatehouse.core.wording.sentences import Phrase, any_either

V = TypeVar("V")
_MEANT_SAID: Final = Phrase("invalid.meant", "; did you mean {names}?")

_MOST_PLACES: Final = 3
_MOST_REMEMBERED: Final = 256

_SYNONYMS: Final[dict[str, str]] = {
    "cardCvv2Value": "cvv cvv2 cvc cvc2 cid csc cvn cardCvv cardCvc cardCvv2 cardCvc2 cvvCode "
    "cvcCode cardCode cardSecurityCode securityCode verificationValue verificationCode",
    "cardNumber": "pan number cardNo ccNumber creditCardNumber cardPan card accountNumber",
    "cardExpiryDate": "expiry expiryDate exp expDate expiration expirationDate cardExpiry "
    "cardExpiration cardExpirationDate validThru validUntil expMonth expYear expiryMonth "
    "expiryYear",
    "postalCode": "zip zipCode postCode postal plz billingZip cardZip addressZip",
    "street": "addressLine addressLine1 address1 line1 streetAddress",
    "cardAddress": "address billingAddress avsAddress cardHolderAddress",
    "cardHolderEmailAddress": "email emailAddress mail cardHolderEmail customerEmail",
    "cardHolderPhoneNumber": "phone phoneNumber mobile mobileNumber tel telephone cardHolderPhone "
    "customerPhone",
    "cardHolderName": "name holderName fullName cardName nameOnCard cardHolder",
    "cardHolderIds": "ids identifiers documents passport driverLicense nationalIdentity taxId",
    "firstName": "givenName forename first",
    "lastName": "surname familyName last",
    "email": "emailAddress mail customerEmail cardHolderEmail cardHolderEmailAddress",
    "phone": "phoneNumber mobile mobileNumber tel telephone customerPhone cardHolderPhoneNumber",
    "ipAddress": "ip ipAddr clientIp customerIp remoteIp remoteAddress userIp customerIpAddress",
    "customerIp": "ip ipAddr ipAddress clientIp remoteIp remoteAddress userIp customerIpAddress",
    "userAgent": "ua browser browserUserAgent",
    "acceptLanguage": "language languages locale",
    "sessionId": "session visitId",
    "deviceId": "deviceIdentifier deviceFingerprint deviceToken visitorId",
    "userId": "user customerId uid buyerId accountId",
    "username": "login loginName nickname",
    "amount": "total totalAmount orderAmount value sum price",
    "currency": "ccy currencyCode",
    "transactionId": "transaction txId transactionReference",
    "timestamp": "time date eventTime createdAt",
    "clientReferenceId": "reference referenceId clientReference merchantReference orderId "
    "merchantOrderId externalId",
    "shoppingCart": "cart basket lineItems",
    "items": "lines lineItems products articles",
    "itemId": "sku productId articleId productCode",
    "quantity": "qty count",
    "discountCodes": "coupon coupons couponCode discountCode promoCode voucher",
    "referrerUrl": "referrer referer refererUrl",
    "customInputs": "custom customFields customData metadata extra",
    "billingCountry": "country cardCountry",
    "shippingCountry": "deliveryCountry",
    "pipelineId": "pipeline pipelineNumber",
    "label": "outcome verdict fraud chargeback",
    "when": "date time timestamp foundAt reportedAt",
    "resolution": "verdict decision outcome status",
    "reason": "comment note text why",
    "limit": "size pageSize perPage count max top",
    "startingAfter": "after cursor offset page before from next",
    "status": "state transStatus",
    "paymentAccountReference": "par accountReference panReference cardAccountReference",
    "credentialType": "tokenType cardSource numberType",
    "threeDSecure": "3ds threeDs 3dSecure mpiData threeDsData authentication",
    "authenticationValue": "cavv aav cryptogram caav",
    "dsTransactionId": "dsTransId directoryServerTransactionId",
}
"""What people who know other APIs call our fields."""

_MEANT: Final[dict[str, list[str]]] = {}
for _field, _words in _SYNONYMS.items():
    for _word in _words.split():
        _MEANT.setdefault(letters(_word), []).append(_field)


class FieldHints:
    """The fields that one kind of request can have, and where."""

    def __init__(self, fields: Iterable[tuple[str, str]]) -> None:
        """Takes each field as the path of its object and its name."""
        self._here: dict[str, dict[str, str]] = {}
        self._everywhere: dict[str, list[str]] = {}
        for place, name in fields:
            self._here.setdefault(place, {})[letters(name)] = name
            path = f"{place}.{name}" if place else name
            self._everywhere.setdefault(letters(name), []).append(path)
        # A program repeats its mistake with every request; to find the nearest name takes 100 µs.
        self.hint = lru_cache(_MOST_REMEMBERED)(self._hint)

    def _hint(self, place: str, key: str) -> str:
        """The end of a sentence that names what may have been meant; empty without a guess."""
        meant = self._meant(place, key)
        return _MEANT_SAID(names=any_either(meant[:_MOST_PLACES])) if meant else ""

    def _meant(self, place: str, key: str) -> list[str]:
        plain = letters(key)
        words = (plain, *(letters(name) for name in _MEANT.get(plain, ())))
        here = self._here.get(place, {})
        near = _first(words, here)
        if near is not None:
            return [near]
        elsewhere = _first(words, self._everywhere)
        if elsewhere is not None:
            return elsewhere
        guess = nearest(key, here.values())
        return [] if guess is None else [guess]


def _first(words: Iterable[str], table: Mapping[str, V]) -> V | None:
    return next((table[word] for word in words if word in table), None)

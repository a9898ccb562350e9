"""The named fields that a mapping's templates can use, such as `{card.number}`.

A field is None where the request does not have it. Fields of cards and people never go into a URL
or a header, because those end up in logs.
"""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Final

import msgspec

from gatehouse.connectors.http.asked import Asked
from gatehouse.connectors.http.mapping import MappedFunction
from gatehouse.core.cards.numbers import ExpiryDate
from gatehouse.core.money import Payment
from gatehouse.core.secrets.hidden import Secret
from gatehouse.intel.phones import Phone, parse_phone
from gatehouse.intel.places import minor_digits

Value = str | int | None
"""Of a field, or of what a template makes."""


class TemplateField(msgspec.Struct, frozen=True):
    """One field: how it is found, and where it may be used."""

    get: Callable[[Asked], Value]
    functions: frozenset[MappedFunction]
    description: str
    is_private: bool = False
    """Whether it may not go into a URL or a header."""
    is_sure: bool = False
    """Whether every request has it."""


_ALL: Final = frozenset(MappedFunction)
_ASKING: Final = _ALL - {MappedFunction.HEALTH}
_AUTHORIZE: Final = frozenset((MappedFunction.AUTHORIZE,))
_REVERSE: Final = frozenset((MappedFunction.REVERSE,))
_OPERATE: Final = frozenset((MappedFunction.CAPTURE, MappedFunction.REFUND))
_MADE: Final = _REVERSE | _OPERATE
_PAGE: Final = frozenset((MappedFunction.PAGE,))
_PAGES: Final = _PAGE | {MappedFunction.PAGE_STATUS}
_CHARGE: Final = frozenset((MappedFunction.CHARGE,))
_MONEY: Final = _AUTHORIZE | _MADE | _PAGES | _CHARGE
_HOLDER: Final = frozenset((MappedFunction.PRECHECK, MappedFunction.IDVERIFY))
_CARD: Final = _HOLDER | _AUTHORIZE
_CODE: Final = _CARD - {MappedFunction.IDVERIFY}


def _expiry(asked: Asked) -> ExpiryDate:
    assert asked.expiry is not None
    return asked.expiry


def _payment(asked: Asked) -> Payment:
    assert asked.payment is not None
    return asked.payment


def _number(asked: Asked) -> str | None:
    return None if asked.number is None else asked.number.reveal()


def _major(asked: Asked) -> str:
    payment = _payment(asked)
    digits = minor_digits(payment.currency)
    decimals = 2 if digits is None else digits
    whole, part = divmod(payment.amount_minor, 10**decimals)
    return f"{whole}.{part:0{decimals}d}" if decimals else str(whole)


def _name_part(part: str) -> Callable[[Asked], Value]:
    def get(asked: Asked) -> Value:
        name = None if asked.holder is None else asked.holder.card_holder_name
        return None if name is None else getattr(name, part)

    return get


def _whole_name(asked: Asked) -> Value:
    name = None if asked.holder is None else asked.holder.card_holder_name
    if name is None or not name.is_given:
        return None
    return " ".join(part for part in (name.first_name, name.middle_name, name.last_name) if part)


def _owner_type(asked: Asked) -> Value:
    name = None if asked.holder is None else asked.holder.card_holder_name
    wanted = None if name is None else name.wanted_holder
    return None if wanted is None else wanted.value


def _identifier(kind: str) -> Callable[[Asked], Value]:
    def get(asked: Asked) -> Value:
        given = None if asked.holder is None else asked.holder.card_holder_ids
        return None if given is None else getattr(given, kind)

    return get


def _phone(asked: Asked) -> Value:
    return None if asked.holder is None else asked.holder.card_holder_phone_number


def _parsed_phone(asked: Asked) -> Phone | None:
    text = _phone(asked)
    return parse_phone(text) if isinstance(text, str) else None


def _calling_code(asked: Asked) -> Value:
    phone = _parsed_phone(asked)
    return None if phone is None else phone.calling_code


def _national(asked: Asked) -> Value:
    phone = _parsed_phone(asked)
    return None if phone is None else phone.national


def _of_source(*names: str) -> Callable[[Asked], Value]:
    """An optional field of what the port was given."""

    def get(asked: Asked) -> Value:
        found = asked.source
        for name in names:
            found = getattr(found, name, None)
        if isinstance(found, Secret):
            return found.reveal()
        return None if found is None else str(found)

    return get


def _of_3ds(name: str) -> Callable[[Asked], Value]:
    return _of_source("three_d_secure", name)


def _of_credential(name: str) -> Callable[[Asked], Value]:
    return _of_source("stored_credential", name)


def _page_end(asked: Asked) -> datetime:
    return datetime.fromtimestamp(asked.source.expires_at_ms / 1000, UTC)


def _email(asked: Asked) -> Value:
    return None if asked.holder is None else asked.holder.card_holder_email_address


def _now(asked: Asked) -> Value:
    return asked.now.strftime("%Y-%m-%dT%H:%M:%SZ")


def _random_digits(asked: Asked) -> Value:
    return f"{int.from_bytes(asked.random, 'big') % 10**18:018d}"


def _group(
    functions: frozenset[MappedFunction],
    fields: dict[str, tuple[Callable[[Asked], Value], str]],
    *,
    is_private: bool = False,
    is_sure: bool = False,
) -> dict[str, TemplateField]:
    return {
        name: TemplateField(get, functions, description, is_private, is_sure)
        for name, (get, description) in fields.items()
    }


FIELDS: Final = (
    _group(
        _ALL,
        {
            "now": (
                _now,
                "The moment in UTC, 2026-01-31T12:00:00Z; the format `time` changes it.",
            ),
            "now.unix": (lambda asked: int(asked.now.timestamp()), "A number: seconds since 1970."),
            "random.hex": (
                lambda asked: asked.random.hex(),
                "32 hexadecimal digits.",
            ),
            "random.digits": (_random_digits, "18 random digits."),
        },
        is_sure=True,
    )
    | _group(
        _ASKING,
        {
            "request.id": (lambda asked: asked.request_id, "The id of the request."),
            "account.id": (lambda asked: asked.account_id, "The id of the account that asks."),
        },
        is_sure=True,
    )
    | _group(
        _CARD,
        {
            "card.number": (_number, "The card number."),
            "card.expiry": (lambda asked: str(_expiry(asked)), "Its last month, YYYY-MM."),
            "card.expiry.month": (lambda asked: f"{_expiry(asked).month:02d}", "Two digits."),
            "card.expiry.year": (lambda asked: f"{_expiry(asked).year:04d}", "Four digits."),
        },
        is_private=True,
        is_sure=True,
    )
    | _group(_CARD, {"card.brand": (lambda asked: asked.brand, "Such as VISA, if we know it.")})
    | _group(
        _CODE,
        {
            "card.security_code": (
                lambda asked: None if asked.code is None else asked.code.reveal(),
                "The security code.",
            ),
            "card.account_reference": (
                _of_source("account_reference"),
                "The reference of the account behind the number (PAR).",
            ),
            "address.postal_code": (lambda asked: asked.postal_code, "Of the billing address."),
            "address.street": (lambda asked: asked.street, "Street with house number."),
            "address.city": (_of_source("city"), "City of the billing address."),
            "address.country": (_of_source("country"), "Its country, two letters."),
        },
        is_private=True,
    )
    | _group(
        _CODE,
        {"card.credential_type": (_of_source("credential_type"), "PAN, NETWORK_TOKEN and so on.")},
    )
    | _group(
        _HOLDER,
        {
            "holder.name": (_whole_name, "First, middle and last name."),
            "holder.name.first": (_name_part("first_name"), "First name."),
            "holder.name.middle": (_name_part("middle_name"), "Middle name."),
            "holder.name.last": (_name_part("last_name"), "Last name."),
            "holder.name.owner_type": (_owner_type, "PRIMARY or SECONDARY."),
            "holder.email": (_email, "E-mail address."),
            "holder.phone": (_phone, "Phone number as it was sent."),
            "holder.phone.calling_code": (_calling_code, "The country's part of the number."),
            "holder.phone.national": (_national, "The number within its country."),
            "holder.identifiers.driverlicense": (
                _identifier("driverlicense"),
                "Number of a driver's licence.",
            ),
            "holder.identifiers.passport": (_identifier("passport"), "Number of a passport."),
            "holder.identifiers.nationalidentity": (
                _identifier("nationalidentity"),
                "Number of a national identity document.",
            ),
            "holder.identifiers.tax": (_identifier("tax"), "Number at the tax office."),
        },
        is_private=True,
    )
    | _group(
        _MONEY,
        {
            "amount.minor": (
                lambda asked: _payment(asked).amount_minor,
                "A number: the amount in the smallest unit of its currency.",
            ),
            "amount.major": (_major, "Such as 10.50, with the decimals of its currency."),
            "currency": (lambda asked: _payment(asked).currency, "ISO 4217, such as USD."),
            "reference": (
                lambda asked: asked.reference,
                "Our name for the payment; the same in all requests about it.",
            ),
        },
        is_sure=True,
    )
    | _group(
        _OPERATE,
        {
            "operation.id": (
                _of_source("operation_id"),
                "Our name for the capture or refund; the same whenever it is sent.",
            ),
            "authorized.minor": (
                lambda asked: asked.authorized_minor,
                "A number: the amount that was authorized, in the smallest unit.",
            ),
        },
        is_sure=True,
    )
    | _group(
        frozenset((MappedFunction.REFUND,)),
        {"capture.id": (_of_source("capture_reference"), "The party's name for the capture.")},
    )
    | _group(
        _MADE,
        {
            "payment.id": (lambda asked: asked.payment_id, "The party's name for the payment."),
            "payment.link": (
                lambda asked: asked.payment_link,
                "Where the party wants it reversed; it is the whole path.",
            ),
        },
    )
    | _group(
        _PAGE,
        {
            "page.expires_at": (
                lambda asked: _page_end(asked).strftime("%Y-%m-%dT%H:%M:%SZ"),
                "When the page ends, in UTC.",
            ),
            "page.expires_at.unix": (
                lambda asked: int(_page_end(asked).timestamp()),
                "The same as a number: seconds since 1970.",
            ),
        },
        is_sure=True,
    )
    | _group(
        _PAGE,
        {
            "page.return_url": (
                _of_source("return_url"),
                "Where the party leads the person afterwards.",
            ),
        },
    )
    | _group(
        frozenset((MappedFunction.PAGE_STATUS,)),
        {"page.id": (lambda asked: asked.page_id, "The party's name for the page.")},
    )
    | _group(
        _CHARGE,
        {"stored_card.id": (_of_source("card"), "The party's name for the stored card.")},
        is_private=True,
        is_sure=True,
    )
    | _group(
        _AUTHORIZE,
        {
            "three_d_secure.version": (_of_3ds("version"), "Version of 3-D Secure."),
            "three_d_secure.eci": (_of_3ds("eci"), "Electronic commerce indicator."),
            "three_d_secure.status": (_of_3ds("status"), "Y, A, N, U, R or I."),
            "three_d_secure.exemption": (_of_3ds("exemption"), "Why none was needed."),
        },
    )
    | _group(
        _AUTHORIZE | _PAGE | _CHARGE,
        {
            "stored_credential.kind": (
                _of_credential("kind"),
                "FIRST, LATER, MERCHANT_RECURRING and so on: who initiates a payment with a stored "
                "card, and why, in one word for tables.",
            ),
            "stored_credential.initiator": (_of_credential("initiator"), "CUSTOMER or MERCHANT."),
            "stored_credential.use": (_of_credential("use"), "FIRST or LATER."),
            "stored_credential.reason": (_of_credential("reason"), "RECURRING and so on."),
        },
    )
    | _group(
        _AUTHORIZE,
        {
            "three_d_secure.authentication_value": (
                _of_3ds("authentication_value"),
                "CAVV or AAV in Base64.",
            ),
            "three_d_secure.ds_transaction_id": (
                _of_3ds("ds_transaction_id"),
                "Its id at the directory server.",
            ),
            "stored_credential.network_transaction_id": (
                _of_credential("network_transaction_id"),
                "The network's id of the earlier payment.",
            ),
        },
        is_private=True,
    )
)
"""All fields of requests by their names."""

OF_SIGNING: Final = {
    "method": "The method of HTTP.",
    "host": "The host, with its port where it is not the usual one.",
    "path": "The path with its query.",
    "body": "The body as it is sent.",
    "digest": "The digest of the body.",
    "signature": "The signature; in `headers` only.",
}
"""Fields that only the signature has."""

"""Requests and people for the tests of ID Verify."""

import json
from typing import Any

from gatehouse.core.reading.request_reader import RequestReader
from gatehouse.idverify.people import Identifier, IdentifierType, OwnerType, Person, PersonName
from gatehouse.idverify.request import IdVerifyRequest

READER = RequestReader(IdVerifyRequest)
CARD = {"cardNumber": "4242424242424242", "cardExpiryDate": "2035-12"}


def ask(**fields: Any) -> IdVerifyRequest:
    """A request as it comes through the door; `email` and the like are short for long names."""
    long_names = {
        "email": "cardHolderEmailAddress",
        "phone": "cardHolderPhoneNumber",
        "name": "cardHolderName",
        "ids": "cardHolderIds",
    }
    body = CARD | {long_names.get(key, key): value for key, value in fields.items()}
    return READER.read(json.dumps(body).encode())


def name(first: str | None, last: str | None, owner: str | None = None) -> dict[str, Any]:
    return {"firstName": first, "lastName": last, "ownerType": owner}


ANN = Person(
    OwnerType.PRIMARY,
    names=(PersonName("Archer", "Ann"),),
    emails=("ann@example.com", "archer@example.org"),
    phones=("+14155550132",),
    identifiers=(
        Identifier(IdentifierType.PASSPORT, "543210987", "US"),
        Identifier(IdentifierType.TAX, "987-65-4329", "US"),
    ),
)
BEN = Person(
    OwnerType.SECONDARY,
    names=(PersonName("Archer", "Ben"), PersonName("Baker", "Ben")),
    emails=("ben@example.com",),
    phones=("+442079460958",),
    identifiers=(Identifier(IdentifierType.DRIVERLICENSE, "D1234562", "US"),),
)

"""What can be said of a payment with a stored card, and what contradicts itself."""

from typing import Any

import msgspec
import pytest

from gatehouse.core.errors import RequestRefused
from gatehouse.core.reading.request_reader import RequestReader
from gatehouse.gateway.stored_credential import CredentialKind, StoredCredential

READER = RequestReader(StoredCredential)
ID, REQUEST = "483921048392104", "req_01kcb5f6y3mzq8vd0e2h4x7n9t"


def read(initiator: str, use: str, **more: Any) -> StoredCredential:
    return READER.read(msgspec.json.encode({"initiator": initiator, "use": use, **more}))


@pytest.mark.parametrize(
    ("said", "more", "field"),
    [
        (("MERCHANT", "FIRST"), {"reason": "RECURRING", "networkTransactionId": ID}, "use"),
        (("MERCHANT", "LATER"), {"networkTransactionId": ID}, "reason"),
        (("MERCHANT", "LATER"), {"reason": "NO_SHOW"}, "networkTransactionId"),
        (
            ("MERCHANT", "LATER"),
            {"reason": "NO_SHOW", "networkTransactionId": ID, "earlierRequestId": REQUEST},
            "earlierRequestId",
        ),
        (
            ("MERCHANT", "LATER"),
            {"reason": "NO_SHOW", "networkTransactionId": "with a blank"},
            "networkTransactionId",
        ),
        (
            ("MERCHANT", "LATER"),
            {"reason": "NO_SHOW", "earlierRequestId": "req_1' OR 1"},
            "earlierRequestId",
        ),
        (("CUSTOMER", "FIRST"), {"reason": "RESUBMISSION"}, "reason"),
        (("CUSTOMER", "FIRST"), {"earlierRequestId": REQUEST}, "earlierRequestId"),
        (("CUSTOMER", "LATER"), {"networkTransactionId": ID}, "networkTransactionId"),
        (("CUSTOMER", "LATER"), {"reason": "RECURRING"}, "reason"),
        (("ISSUER", "LATER"), {}, "initiator"),
    ],
)
def test_what_contradicts_itself_is_refused_at_its_field(
    said: tuple[str, str], more: dict[str, str], field: str
) -> None:
    with pytest.raises(RequestRefused) as refused:
        read(*said, **more)
    assert list(refused.value.fields) == [field]


def test_every_kind_can_be_said_and_none_shows_the_id() -> None:
    said = [read("CUSTOMER", "FIRST"), read("CUSTOMER", "LATER")]
    agreed = ("RECURRING", "INSTALMENT", "UNSCHEDULED")
    said += [read("CUSTOMER", "FIRST", reason=each) for each in agreed]
    others = ("RESUBMISSION", "DELAYED_CHARGE", "NO_SHOW", "REAUTHORIZATION", "INCREMENTAL")
    for reason in (*agreed, *others):
        said.append(read("MERCHANT", "LATER", reason=reason, networkTransactionId=ID))
    assert {each.kind for each in said} == set(CredentialKind)
    assert ID not in repr(said) + repr(said[-1].network_transaction_id)

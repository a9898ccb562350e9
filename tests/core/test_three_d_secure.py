"""What 3-D Secure found is read as networks write it, and refused where it contradicts itself."""

from typing import Any

import msgspec
import pytest

from gatehouse.core.cards.three_d_secure import ThreeDSecure
from gatehouse.core.errors import RequestRefused
from gatehouse.core.reading.request_reader import RequestReader

VALUE = "AAABBEg0VhI0VniQEjRWAAAAAAA="
DS_ID = "f38e6948-5388-41a6-bca4-b49723c19437"
_READER = RequestReader(ThreeDSecure)


def read(**fields: Any) -> ThreeDSecure:
    value = _READER.read(msgspec.json.encode(fields))
    assert isinstance(value, ThreeDSecure)
    return value


def wrong(**fields: Any) -> dict[str, list[str]]:
    with pytest.raises(RequestRefused) as refused:
        read(**fields)
    return dict(refused.value.fields)


@pytest.mark.parametrize(
    "fields",
    [
        {"version": "2.2.0", "eci": "05", "status": "Y", "authenticationValue": VALUE},
        {"version": "2.1.0", "eci": "02", "status": "Y", "dsTransactionId": DS_ID},
        {"version": "2.2.0", "eci": "06", "status": "A"},
        {"version": "1.0.2", "eci": "01", "status": "A"},
        {"version": "2.3.1", "eci": "07", "status": "N"},
        {"version": "2.2.0", "eci": "04", "status": "U", "authenticationValue": VALUE},
        # Mastercard answers an acquirer's exemption with 06, as N in 2.1.0 and as I afterwards.
        {"version": "2.1.0", "eci": "06", "status": "N", "exemption": "LOW_VALUE"},
        {"version": "2.2.0", "eci": "06", "status": "I"},
        # Mastercard's 07 is a payment in a row of which the first was authenticated.
        {"version": "2.2.0", "eci": "07", "status": "Y", "exemption": "RECURRING"},
        {"exemption": "TRANSACTION_RISK_ANALYSIS"},
        {"status": "C"},
    ],
    ids=lambda fields: " ".join(map(str, fields.values()))[:40],
)
def test_what_networks_give_is_read(fields: dict[str, Any]) -> None:
    read(**fields)


@pytest.mark.parametrize(
    ("fields", "field", "says"),
    [
        ({}, "", "must have at least one of version, eci, status and exemption"),
        ({"dsTransactionId": DS_ID}, "", "must have at least one of"),
        ({"version": "2"}, "version", "must be one of 1.0.2, 2.1.0, 2.2.0, 2.3.1"),
        ({"eci": "5"}, "eci", "must be one of 00, 01, 02"),
        ({"status": "S"}, "status", "must be one of Y, A, N, U, R, C, I"),
        ({"exemption": "tra"}, "exemption", "must be one of LOW_VALUE, TRANSACTION_RISK"),
        ({"version": "1.0.2", "status": "R"}, "status", "needs 3-D Secure 2"),
        ({"version": "1.0.2", "exemption": "RECURRING"}, "exemption", "needs 3-D Secure 2"),
        ({"version": "1.0.2", "dsTransactionId": DS_ID}, "dsTransactionId", "needs 3-D Secure 2"),
        ({"version": "2.1.0", "status": "I"}, "status", "needs version 2.2.0 or later"),
        ({"status": "N", "eci": "05"}, "eci", "05 says that the cardholder was authenticated"),
        ({"status": "A", "eci": "02"}, "eci", "02 says that the cardholder was authenticated"),
        ({"status": "Y", "eci": "01"}, "eci", "only attempted"),
        ({"status": "Y", "eci": "00"}, "eci", "was not authenticated"),
        ({"status": "R", "authenticationValue": VALUE}, "authenticationValue", "status is R"),
        ({"eci": "05", "authenticationValue": "x"}, "authenticationValue", "20 bytes in Base64"),
        ({"eci": "05", "dsTransactionId": "x"}, "dsTransactionId", "must be a UUID such as"),
    ],
    ids=lambda part: str(part)[:40],
)
def test_what_contradicts_itself_is_a_field_error(
    fields: dict[str, Any], field: str, says: str
) -> None:
    [message] = wrong(**fields)[field]
    assert says in message


def test_a_wrong_field_does_not_hide_what_is_wrong_with_the_others() -> None:
    found = wrong(version="1.0.2", eci="9", status="R", exemption="none")
    assert set(found) == {"eci", "status", "exemption"}


@pytest.mark.parametrize(
    ("fields", "authenticated"),
    [
        ({"status": "Y"}, True),
        ({"status": "Y", "eci": "07"}, True),
        ({"eci": "05"}, True),
        ({"eci": "02"}, True),
        ({"status": "A", "eci": "06"}, False),
        ({"exemption": "LOW_VALUE"}, False),
    ],
    ids=str,
)
def test_the_status_says_whether_a_cardholder_was_authenticated(
    fields: dict[str, Any], authenticated: bool
) -> None:
    assert read(**fields).is_authenticated is authenticated


def test_the_authentication_value_is_never_printed() -> None:
    found = read(eci="05", authenticationValue=VALUE)
    assert VALUE not in repr(found)
    assert found.authentication_value is not None
    assert found.authentication_value.reveal() == VALUE
    with pytest.raises(TypeError):
        msgspec.json.encode(found)

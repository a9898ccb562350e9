"""What may be asked: rules by field, all problems at once, and no value that could be printed."""

import json
import traceback
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gatehouse.core.errors import RequestRefused
from gatehouse.core.wording.text import is_blank
from gatehouse.idverify.people import IdentifierType, OwnerType
from tests.idverify.asking import CARD, READER, ask

ALLOWED = "is none of DRIVERLICENSE, PASSPORT, NATIONALIDENTITY, TAX"
BLANKS = ["", " ", "\t\r\n", "\u00a0\u2003", "\u200b\u200d\ufeff", "\u202e\u2066", "\u3164",
          "\u2800", "\x00", "\ufe0f", "\u115f \u00ad"]  # fmt: skip


def problems(body: dict[str, Any]) -> dict[str, list[str]]:
    with pytest.raises(RequestRefused) as caught:
        READER.read(json.dumps(body).encode())
    assert caught.value.code == "invalid_request"
    return caught.value.fields


def test_a_whole_request_is_understood() -> None:
    request = ask(
        email="a@example.com",
        phone="+1 415 555 0132",
        name={"firstName": "A", "middleName": "B", "lastName": "C", "ownerType": "SECONDARY"},
        ids={"TAX": "1", "PASSPORT": "2", "NATIONALIDENTITY": "3", "DRIVERLICENSE": "4"},
        clientReferenceId="order-1",
        somethingNew=[1, 2],
    )
    assert request.card_holder_email_address == "a@example.com"
    assert request.card_holder_phone_number == "+1 415 555 0132"
    assert request.card_holder_name is not None
    assert request.card_holder_name.wanted_holder is OwnerType.SECONDARY
    name = request.card_holder_name.person_name()
    assert (name.first_name, name.middle_name, name.last_name) == ("A", "B", "C")
    assert request.identifiers() == {
        IdentifierType.DRIVERLICENSE: "4",
        IdentifierType.PASSPORT: "2",
        IdentifierType.NATIONALIDENTITY: "3",
        IdentifierType.TAX: "1",
    }
    assert request.card().guessable


def test_null_counts_as_not_sent() -> None:
    nothing = {"firstName": None, "middleName": None, "lastName": None, "ownerType": None}
    ids = {kind.value: None for kind in IdentifierType}
    request = ask(email=None, phone=None, name=nothing, ids=ids, clientReferenceId=None)
    assert request.card_holder_email_address is None
    assert request.identifiers() == {}
    assert not request.card().guessable
    assert ask(name=None, ids=None).card_holder_name is None


def test_all_problems_come_at_once_by_the_callers_paths() -> None:
    assert problems(
        {
            "cardNumber": "4242 4242 4242 4242",
            "cardHolderEmailAddress": "x" * 255,
            "cardHolderPhoneNumber": "1" * 33,
            "cardHolderName": {
                "firstName": "x" * 65,
                "middleName": " ",
                "lastName": 7,
                "ownerType": "x" * 65,
            },
            "cardHolderIds": {"SSN": "1", "TAX": "1" * 65, "PASSPORT": "", "iban": {}},
            "clientReferenceId": 1.5,
        }
    ) == {
        "cardNumber": ["must be 12 to 19 digits without spaces or dashes"],
        "cardExpiryDate": ["is required"],
        "cardHolderEmailAddress": ["must have at most 254 characters"],
        "cardHolderPhoneNumber": ["must have at most 32 characters"],
        "cardHolderName.firstName": ["must have at most 64 characters"],
        "cardHolderName.middleName": ["must not be blank"],
        "cardHolderName.lastName": ["must be a string"],
        "cardHolderName.ownerType": ["must have at most 64 characters"],
        "cardHolderIds.SSN": [ALLOWED],
        "cardHolderIds.TAX": ["must have at most 64 characters"],
        "cardHolderIds.PASSPORT": ["must not be empty"],
        "cardHolderIds.iban": [ALLOWED],
        "clientReferenceId": ["must be a string or an integer"],
    }


@pytest.mark.parametrize("blank", BLANKS)
@pytest.mark.parametrize(
    "field",
    [
        "cardHolderEmailAddress",
        "cardHolderPhoneNumber",
        "cardHolderName.firstName",
        "cardHolderName.middleName",
        "cardHolderName.lastName",
        *(f"cardHolderIds.{kind.value}" for kind in IdentifierType),
    ],
)
def test_a_value_that_nobody_can_see_is_an_error_of_its_field(field: str, blank: str) -> None:
    outer, _, inner = field.partition(".")
    found = problems({**CARD, outer: {inner: blank} if inner else blank})
    assert found == {field: ["must not be blank" if blank else "must not be empty"]}


@pytest.mark.parametrize(
    "visible", ["x", " x ", "\u200bx", "é", "小明", "محمد", "0", "-", "\u0301"]
)
def test_a_value_with_anything_to_see_is_taken(visible: str) -> None:
    assert not is_blank(visible)
    ask(email=visible, phone=visible, name={"lastName": visible}, ids={"TAX": visible})


def test_an_owner_type_is_any_text() -> None:
    for text in ("", " ", "PRIMARY", "primary", "JOINT", "x" * 64):
        name = ask(name={"ownerType": text}).card_holder_name
        assert name is not None
        assert (name.wanted_holder is None) is (text != "PRIMARY")


@pytest.mark.parametrize(
    ("key", "shown"),
    [
        ("ssn", "ssn"),
        ("ID2", "ID2"),
        ("", '""'),
        ("987-65-4329", "###-##-####"),
        ("4242424242424242", "#" * 16),
        ("٤٢٤٢ tax", "#### tax"),
        ("k" * 5000, "k" * 64 + "…"),
    ],
)
def test_a_value_in_the_place_of_a_key_is_not_repeated(key: str, shown: str) -> None:
    assert problems({**CARD, "cardHolderIds": {key: "TAX"}}) == {
        f"cardHolderIds.{shown}": [ALLOWED]
    }


def test_a_repeated_key_is_taken_once() -> None:
    body = json.dumps(CARD)[:-1] + ', "cardHolderIds": {"TAX": "1", "TAX": "2"}}'
    assert READER.read(body.encode()).identifiers() == {IdentifierType.TAX: "2"}


SECRETS = ["Whitfield", "whitfield@example.com", "+14155550132", "987-65-4329"]


def test_nothing_personal_can_be_printed() -> None:
    request = ask(
        email=SECRETS[1],
        phone=SECRETS[2],
        name={"firstName": SECRETS[0], "middleName": SECRETS[0], "lastName": SECRETS[0]},
        ids={"TAX": SECRETS[3]},
    )
    for thing in (request, request.card_holder_name, request.card_holder_ids,
                  request.card_holder_name and request.card_holder_name.person_name()):  # fmt: skip
        for text in (repr(thing), str(thing), f"{thing}", repr([thing])):
            assert not [secret for secret in SECRETS if secret in text], text
    assert request.__rich_repr__() == []


def test_a_refusal_repeats_no_value_not_even_in_its_trace() -> None:
    body = {
        "cardNumber": "4242424242424241",
        "cardHolderEmailAddress": SECRETS[1] * 20,
        "cardHolderPhoneNumber": SECRETS[2] * 3,
        "cardHolderName": {"lastName": SECRETS[0] * 9, "firstName": [SECRETS[0]]},
        "cardHolderIds": {"TAX": SECRETS[3] * 9, SECRETS[3]: SECRETS[3]},
    }
    with pytest.raises(RequestRefused) as caught:
        READER.read(json.dumps(body).encode())
    told = "".join(traceback.format_exception(caught.value)) + str(caught.value.fields)
    assert len(caught.value.fields) == 8
    assert not [secret for secret in (*SECRETS, "4242424242424241") if secret in told]


values = st.none() | st.text(max_size=70) | st.integers() | st.lists(st.text(), max_size=2)
names = st.dictionaries(
    st.sampled_from(["firstName", "middleName", "lastName", "ownerType"]), values
)
kinds = st.sampled_from([*(kind.value for kind in IdentifierType), "SSN"])
bodies = st.fixed_dictionaries(
    {},
    optional={
        "cardHolderEmailAddress": values,
        "cardHolderPhoneNumber": values,
        "cardHolderName": names | values,
        "cardHolderIds": st.dictionaries(kinds, values) | values,
    },
)


@given(bodies)
def test_a_request_is_taken_or_told_which_fields_are_wrong(body: dict[str, Any]) -> None:
    """And mending the named fields, by leaving them out, leaves nothing to complain about."""
    try:
        READER.read(json.dumps(CARD | body).encode())
    except RequestRefused as problem:
        if problem.code == "malformed_body":  # a lone surrogate, which is not JSON for us
            return
        assert problem.fields
        rest = _without(CARD | body, set(problem.fields))
        READER.read(json.dumps(rest).encode())


def _without(value: Any, paths: set[str], path: str = "") -> Any:
    if not isinstance(value, dict):
        return value
    below = {key: f"{path}.{key}" if path else key for key in value}
    return {k: _without(v, paths, below[k]) for k, v in value.items() if below[k] not in paths}

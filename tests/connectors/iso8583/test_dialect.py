"""Packing and unpacking with the dialects that ship."""

import pytest

from gatehouse.connectors.iso8583.dialect import Dialect
from gatehouse.connectors.iso8583.layout.malformed import MalformedMessage
from gatehouse.connectors.iso8583.reading import shipped_dialect
from gatehouse.connectors.iso8583.roles import MessageKind, Role
from gatehouse.core.errors import SettingsError
from tests.connectors.iso8583.samples import CARD, DIALECTS, SAMPLES, values_for

KINDS = [(name, kind) for name, dialect in DIALECTS.items() for kind in sorted(dialect.kinds)]


@pytest.mark.parametrize(("name", "kind"), KINDS)
def test_every_kind_comes_back_with_every_value_it_has_a_place_for(
    name: str, kind: MessageKind
) -> None:
    dialect = DIALECTS[name]
    values = values_for(dialect, kind)
    unpacked = dialect.unpack(dialect.pack(kind, values))
    assert unpacked.kind is kind
    assert unpacked.mti == dialect.mti(kind)
    assert unpacked.values == values


@pytest.mark.parametrize(("name", "kind"), KINDS)
def test_every_kind_has_an_answer_or_is_one(name: str, kind: MessageKind) -> None:
    kinds = DIALECTS[name].kinds
    assert kind.answer in kinds or kind in {other.answer for other in kinds}


@pytest.mark.parametrize("name", DIALECTS)
def test_what_is_required_cannot_be_left_out(name: str) -> None:
    dialect = DIALECTS[name]
    values = values_for(dialect, MessageKind.CHECK)
    del values[Role.NUMBER]
    with pytest.raises(MalformedMessage, match="check needs number"):
        dialect.pack(MessageKind.CHECK, values)


@pytest.mark.parametrize("name", DIALECTS)
def test_a_value_that_does_not_fit_is_refused_without_being_shown(name: str) -> None:
    dialect = DIALECTS[name]
    values = values_for(dialect, MessageKind.AUTHORIZE)
    for wrong in ("4242x", "４２４２４２４２４２４２４２４２", CARD * 2, "4242\n"):
        with pytest.raises(MalformedMessage, match=r"^field 2 ") as caught:
            dialect.pack(MessageKind.AUTHORIZE, values | {Role.NUMBER: wrong})
        assert wrong not in str(caught.value)
        assert caught.value.__context__ is None


@pytest.mark.parametrize("name", DIALECTS)
def test_a_message_shows_nothing_of_what_it_holds(name: str) -> None:
    dialect = DIALECTS[name]
    packed = dialect.pack(MessageKind.CHECK, values_for(dialect, MessageKind.CHECK))
    assert repr(dialect.unpack(packed)) == "Unpacked(…)"


def test_a_parameter_is_written_where_no_value_is_given() -> None:
    dialect = Dialect(shipped_dialect("reference"), {"merchant_id": "SHOP 7"})
    values = values_for(dialect, MessageKind.CHECK)
    assert dialect.unpack(dialect.pack(MessageKind.CHECK, values)).values == values
    del values[Role.MERCHANT_ID]
    found = dialect.unpack(dialect.pack(MessageKind.CHECK, values)).values
    assert found[Role.MERCHANT_ID] == "SHOP 7"


@pytest.mark.parametrize(
    ("parameters", "said"),
    [
        ({"merchant": "1"}, "the parameter merchant of the dialect is not known"),
        ({"merchant_ids": "1"}, "did you mean merchant_id"),
        ({"merchant_category": "12345"}, "merchant_category .* does not fit: field 18 is longer"),
        ({"currency": "EUR"}, "does not fit: field 49 must be of digits"),
    ],
)
def test_a_parameter_that_cannot_be_used_is_refused(parameters: dict[str, str], said: str) -> None:
    with pytest.raises(SettingsError, match=said):
        Dialect(shipped_dialect("reference"), parameters)


@pytest.mark.parametrize("name", DIALECTS)
def test_names_and_streets_are_fitted_to_what_can_be_sent(name: str) -> None:
    dialect = DIALECTS[name]
    values = values_for(dialect, MessageKind.CHECK)
    values |= {Role.STREET: "Große Straße 7\t" + "x" * 200}
    found = dialect.unpack(dialect.pack(MessageKind.CHECK, values)).values
    assert found[Role.STREET].startswith("Grosse Strasse 7 xx")


def test_a_check_is_told_from_an_authorization_by_its_own_values() -> None:
    dialect = DIALECTS["reference"]
    values = {role: SAMPLES[role] for role in (Role.STAN, Role.RRN, Role.RESPONSE_CODE)}
    answer = dialect.pack(MessageKind.AUTHORIZE_ANSWER, values | {Role.AMOUNT: "1"})
    assert dialect.unpack(answer).kind is MessageKind.AUTHORIZE_ANSWER
    answer = dialect.pack(MessageKind.CHECK_ANSWER, values)
    assert dialect.unpack(answer).kind is MessageKind.CHECK_ANSWER


def test_an_answer_with_a_processing_code_of_the_host_s_own_is_still_an_answer() -> None:
    dialect = DIALECTS["reference"]
    values = {role: SAMPLES[role] for role in (Role.STAN, Role.RRN, Role.RESPONSE_CODE)}
    answer = dialect.pack(MessageKind.AUTHORIZE_ANSWER, values | {Role.AMOUNT: "1"})
    changed = answer.replace(b"000000000000000001", b"003000000000000001")
    assert changed != answer
    assert dialect.unpack(changed).kind is MessageKind.AUTHORIZE_ANSWER
    request = dialect.pack(MessageKind.ECHO, values)
    with pytest.raises(MalformedMessage, match="of a kind that the dialect does not have"):
        dialect.unpack(request[:-3] + b"999")


@pytest.mark.parametrize("name", DIALECTS)
def test_a_message_that_is_cut_anywhere_is_malformed(name: str) -> None:
    dialect = DIALECTS[name]
    packed = dialect.pack(MessageKind.CHECK, values_for(dialect, MessageKind.CHECK))
    for end in range(len(packed)):
        with pytest.raises(MalformedMessage):
            dialect.unpack(packed[:end])
    with pytest.raises(MalformedMessage, match="longer"):
        dialect.unpack(packed + b"0")


def test_a_type_or_field_that_the_dialect_does_not_have_is_malformed() -> None:
    dialect = DIALECTS["reference"]
    with pytest.raises(MalformedMessage, match="type that the dialect does not have"):
        dialect.unpack(b"0300" + bytes(8))
    with pytest.raises(MalformedMessage, match="no field 65"):
        dialect.unpack(b"0800" + b"\x80" + bytes(7) + b"\x80" + bytes(7))

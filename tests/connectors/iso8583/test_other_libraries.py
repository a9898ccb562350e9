"""Our messages are read by two libraries that others wrote, and theirs by us."""

import pytest

from gatehouse.connectors.iso8583.dialect import Dialect
from gatehouse.connectors.iso8583.roles import MessageKind, Role
from tests.connectors.iso8583.other_libraries import (
    OtherSpec,
    decode,
    encode,
    other_decode,
    other_encode,
    spec_for,
    with_packed_lengths,
)
from tests.connectors.iso8583.samples import CARD, DIALECTS, SAMPLES, values_for

KINDS = [(name, kind) for name, dialect in DIALECTS.items() for kind in sorted(dialect.kinds)]
SPECS = {name: spec_for(dialect.definition) for name, dialect in DIALECTS.items()}
PLAINER = {
    name: Dialect(with_packed_lengths(dialect.definition)) for name, dialect in DIALECTS.items()
}
OTHER_SPECS = {name: OtherSpec(dialect.definition) for name, dialect in PLAINER.items()}


def _ebcdic(text: str) -> str:
    return text.encode("cp037").hex().upper()


@pytest.mark.parametrize(("name", "kind"), KINDS)
def test_pyiso8583_reads_every_kind_and_writes_the_same_bytes(name: str, kind: MessageKind) -> None:
    dialect, spec = DIALECTS[name], SPECS[name]
    values = values_for(dialect, kind)
    packed = dialect.pack(kind, values)
    fields = decode(spec, packed)
    assert fields["t"] == dialect.mti(kind)
    for number in dialect.definition.messages[kind].fields:
        role = dialect.definition.fields[number].role
        if role is not None:
            assert fields[number].rstrip() == values[role]
    assert dialect.unpack(encode(spec, fields)).values == values
    assert encode(spec, fields) == packed


@pytest.mark.parametrize(("name", "kind"), KINDS)
def test_py8583_reads_every_kind_and_writes_the_same_bytes(name: str, kind: MessageKind) -> None:
    dialect, spec = PLAINER[name], OTHER_SPECS[name]
    values = values_for(dialect, kind)
    packed = dialect.pack(kind, values)
    fields = other_decode(spec, packed)
    assert fields["t"] == dialect.mti(kind)
    assert set(fields) == set(decode(SPECS[name], DIALECTS[name].pack(kind, values)))
    assert dialect.unpack(other_encode(spec, fields)).values == values
    assert other_encode(spec, fields) == packed


def test_fields_are_written_as_a_host_of_the_reference_dialect_expects_them() -> None:
    dialect = DIALECTS["reference"]
    values = values_for(dialect, MessageKind.CHECK)
    for role in set(values) - {Role.NUMBER, Role.STAN, Role.RRN, Role.TRANSMITTED_AT}:
        del values[role]
    values |= {Role.POSTAL_CODE: "SW1A 1AA", Role.SECURITY_CODE: "123", Role.EXPIRY: "2812"}
    packed = dialect.pack(MessageKind.CHECK, values)
    expected = {
        "2": CARD,
        "3": "000000",
        "4": "000000000000",
        "7": "1116092000",
        "11": "000123",
        "14": "2812",
        "18": "5999",
        "19": "840",
        "22": "010",
        "25": "59",
        "32": "000001",
        "37": "AB12CD34EF56",
        "41": "GATE0001",
        "42": "GATEHOUSE      ",
        "43": "GATEHOUSE".ljust(40),
        "48": "0108SW1A 1AA9203123",
        "49": "840",
    }
    assert decode(SPECS["reference"], packed) == {"t": "0100", **expected}
    assert other_decode(OTHER_SPECS["reference"], packed) == {"t": "0100", **expected}


def test_fields_are_written_as_a_host_of_base_one_expects_them() -> None:
    dialect = DIALECTS["base-one"]
    values = values_for(dialect, MessageKind.CHECK) | {Role.SECURITY_CODE: "123"}
    fields = decode(SPECS["base-one"], dialect.pack(MessageKind.CHECK, values))
    assert fields["2"] == CARD
    assert fields["19"] == "826"
    assert fields["25"] == "51"
    assert fields["43"] == "A SHOP, LONDON".ljust(25) + "NEW YORK     US"
    assert fields["60"] == "0000000005"
    assert fields["123"] == "SW1A 1AA 10 Downing Street"
    proof = SAMPLES[Role.AUTHENTICATION_VALUE_HEX]
    assert fields["126"] == f"00C8000000000000{proof}" + _ebcdic("11 123R")


def test_an_answer_that_pyiso8583_made_is_read() -> None:
    for name, extra in {
        "reference": {"44": "YM00500199", "4": "000000000000"},
        "base-one": {
            "4": "000000000000",
            "25": "51",
            "44": "5Y        M",
            "62": "C000000000000000" + _ebcdic("N") + "0123456789012345",
            "63": "F00000" + "0002" + "0000" + "2501" + "0000",
        },
    }.items():
        made = {"t": "0110", "3": "000000", "7": "1116092001", "11": "000123", "39": "00"}
        raw = encode(SPECS[name], {**made, "37": "AB12CD34EF56", "41": "TERM 1  ", **extra})
        answer = DIALECTS[name].unpack(raw)
        assert answer.kind is MessageKind.CHECK_ANSWER
        assert answer.values[Role.RESPONSE_CODE] == "00"
        assert answer.values[Role.STAN] == "000123"
        assert answer.values[Role.TERMINAL_ID] == "TERM 1"
        assert answer.values[Role.AVS_RESULT] == "Y"
        assert answer.values[Role.CVV2_RESULT] == "M"


def test_fields_that_nobody_asks_for_are_passed_over() -> None:
    made = {"t": "0810", "7": "1116092001", "11": "000123", "39": "00", "70": "301"}
    others = {
        "reference": {"35": "4242=2812", "52": "0123456789ABCDEF", "55": "9F2608", "102": "x"},
        "base-one": {"35": "4242D28121", "52": "0123456789ABCDEF", "55": "0100", "102": "x"},
    }
    for name, fields in others.items():
        answer = DIALECTS[name].unpack(encode(SPECS[name], {**made, **fields}))
        assert answer.kind is MessageKind.ECHO_ANSWER
        assert set(answer.values) == {
            Role.TRANSMITTED_AT,
            Role.STAN,
            Role.RESPONSE_CODE,
            Role.NETWORK_CODE,
        }

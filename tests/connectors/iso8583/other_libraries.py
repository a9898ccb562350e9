"""Two libraries that others wrote, told about a dialect: pyiso8583 and py8583.

py8583 knows neither EBCDIC nor binary lengths. It is given EBCDIC as bytes, and reads a dialect
whose lengths are packed digits instead.
"""

from typing import Any

import iso8583
import msgspec
from py8583.py8583 import DT, LT, Iso8583
from py8583.py8583spec import IsoSpec

from gatehouse.connectors.iso8583.definition import DialectDefinition
from gatehouse.connectors.iso8583.layout.field_layout import FieldLayout
from gatehouse.connectors.iso8583.layout.formats import CountedIn, Encoding, parse_format

Spec = dict[str, dict[str, Any]]


def decode(spec: Spec, message: bytes) -> dict[str, str]:
    """What pyiso8583 reads, by number of field; the type is `t`."""
    decoded, _ = iso8583.decode(message, spec)
    return {key: text for key, text in decoded.items() if key not in ("h", "p", "1")}


def encode(spec: Spec, fields: dict[str, str]) -> bytes:
    """What pyiso8583 writes."""
    raw, _ = iso8583.encode(dict(fields), spec)
    return bytes(raw)


def spec_for(definition: DialectDefinition) -> Spec:
    """The specification of a dialect as pyiso8583 wants it."""
    packed = definition.encoding.mti is Encoding.BCD
    fixed = {"len_enc": "ascii", "len_type": 0, "desc": ""}
    spec: Spec = {
        "h": {**fixed, "data_enc": "b", "max_len": 0},
        "t": {**fixed, "data_enc": "b" if packed else "ascii", "max_len": 2 if packed else 4},
        "p": {**fixed, "data_enc": "b", "max_len": 8},
        "1": {**fixed, "data_enc": "b", "max_len": 8},
    }
    for number, layout in definition.fields.items():
        spec[number] = _field_spec(definition, layout)
    return spec


def _field_spec(definition: DialectDefinition, layout: FieldLayout) -> dict[str, Any]:
    kind, dots, size = parse_format(layout.format)
    encoding = definition.encoding
    field: dict[str, Any] = {"desc": "", "max_len": size, "data_enc": "ascii"}
    if kind == "b":
        field["data_enc"] = "b"
    elif kind in ("n", "z") and encoding.numbers is Encoding.BCD:
        field["data_enc"] = "b"
        if layout.counted_in is CountedIn.BYTES:
            field["max_len"] = (size + 1) // 2
        else:
            field |= {"len_count": "nibbles", "left_pad": "0"}
    elif kind not in ("n", "z") and encoding.text is Encoding.EBCDIC:
        field["data_enc"] = str(encoding.code_page)
    binary = encoding.length is Encoding.BINARY
    field["len_enc"] = "b" if binary else "ascii"
    field["len_type"] = 0 if not dots else (1 if binary else dots)
    return field


def with_packed_lengths(definition: DialectDefinition) -> DialectDefinition:
    """The dialect as py8583 can read it."""
    if definition.encoding.length is not Encoding.BINARY:
        return definition
    encoding = msgspec.structs.replace(definition.encoding, length=Encoding.BCD)
    return msgspec.structs.replace(definition, encoding=encoding)


class OtherSpec(IsoSpec):  # type: ignore[misc]  # the library has no types
    """The specification of a dialect as py8583 wants it."""

    def __init__(self, definition: DialectDefinition) -> None:
        encoding = definition.encoding
        packed = encoding.mti is Encoding.BCD
        self.Descriptions: dict[Any, str] = {}
        self.ContentTypes: dict[Any, dict[str, Any]] = {}
        self.DataTypes: dict[Any, dict[str, Any]] = {
            "MTI": {"Data": DT.BCD if packed else DT.ASCII},
            1: {"Data": DT.BIN},
        }
        for number, layout in definition.fields.items():
            kind, dots, size = parse_format(layout.format)
            data = DT.ASCII
            if kind in ("n", "z") and encoding.numbers is Encoding.BCD:
                # Its `n` is an int, which loses zeros; its `z` keeps the digits, and a filler.
                kind, data = "n" if dots else "z", DT.BCD
                if layout.counted_in is CountedIn.BYTES:
                    kind, data, size = "b", DT.BIN, (size + 1) // 2
            elif kind == "b" or encoding.text is Encoding.EBCDIC:
                kind, data = "b", DT.BIN
            self.ContentTypes[int(number)] = {
                "ContentType": "ans" if kind == "n" and data is DT.ASCII else kind,
                "MaxLen": size,
                "LenType": (LT.FIXED, LT.LVAR, LT.LLVAR, LT.LLLVAR)[dots],
            }
            length = DT.BCD if encoding.length is Encoding.BCD else DT.ASCII
            self.DataTypes[int(number)] = {"Data": data, "Length": length}


def other_decode(spec: OtherSpec, message: bytes) -> dict[str, str]:
    """What py8583 reads, by number of field; the type is `t`."""
    read = Iso8583(message, spec)
    fields = {str(n): read.FieldData(n) for n, there in read.Bitmap().items() if there and n > 1}
    return {"t": read.MTI(), **fields}


def other_encode(spec: OtherSpec, fields: dict[str, str]) -> bytes:
    """What py8583 writes."""
    made = Iso8583(IsoSpec=spec)
    made.MTI(fields["t"])
    for number, text in fields.items():
        if number.isdecimal():
            made.Field(int(number), 1)
            # Its own check counts the digits of bytes as characters.
            made._Iso8583__FieldData[int(number)] = text
    raw: bytes = made.BuildIso()
    return raw

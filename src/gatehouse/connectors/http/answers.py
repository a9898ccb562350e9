"""Reads answers: finds the values, and turns the other side's words into ours."""

import re
from collections.abc import Callable, Mapping
from enum import Enum
from typing import Any, Final

from gatehouse.connectors.http.json_paths import Find, compile_path
from gatehouse.connectors.http.mapping import HolderMapping
from gatehouse.connectors.http.reader import Reader, Reading
from gatehouse.connectors.http.templates import Change, Tables, compile_change, parse_formats
from gatehouse.core.cards.network_ids import NETWORK_ID
from gatehouse.core.wording.sentences import Phrase
from gatehouse.gateway.notifying import NETWORKS, RESULTS, STAGES, NotifiedEvent
from gatehouse.idverify.people import IdentifierType
from gatehouse.idverify.response import NameResult, Result
from gatehouse.idverify.source import HolderResults

_UNKNOWN_VALUE: Final = Phrase(
    "connector.unknown_value", "{where} holds a value that the mapping does not know"
)

KEEP: Final = "keep"
SKIP: Final = "skip"
FAIL: Final = "fail"
OTHER: Final = "*"

_FLAGS: Final = {"true": True, "false": False}


class AnswerUnusable(ValueError):
    """The answer is not as the mapping says; says where, never what it held."""


class WordKind(Enum):
    """What a value that is read must be: the words, their pattern, and what unknown ones become."""

    RESPONSE_CODE = ("an ISO 8583 response code such as 00 or N7", r"[0-9A-Z]{2}", FAIL)
    GATEWAY_CODE = ("a code of 1 to 32 visible characters", r"[!-~]{1,32}", FAIL)
    LETTER = ("one of the networks' letters, such as Y", r"[0-9A-Z]", SKIP)
    TEXT = ("1 to 128 visible characters without blanks", r"[!-~]{1,128}", SKIP)
    ID = ("1 to 512 visible characters without blanks", r"[!-~]{1,512}", SKIP)
    NETWORK_ID = ("1 to 64 visible characters without blanks", NETWORK_ID.pattern, SKIP)
    LINK = (
        "a path, or an address that begins with https://, of at most 2,000 characters",
        r"(https://[A-Za-z0-9.:\[\]-]{1,255})?/(?!/)[!\"$-~]{0,1700}",
        SKIP,
    )
    OPERATION = (
        "succeeded, refused or pending",
        "succeeded|refused|pending",
        FAIL,
    )
    EVENT = (
        f"one of {', '.join(NotifiedEvent)}",
        "|".join(NotifiedEvent),
        SKIP,
    )
    MOMENT = (
        "seconds or milliseconds since 1970, or a moment such as 2026-01-31T12:00:00Z",
        r"[0-9]{1,13}(\.[0-9]{1,9})?|[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.,+Z-]{5,30}",
        SKIP,
    )
    CURRENCY = ("three letters, such as EUR or eur", r"[A-Za-z]{3}", FAIL)
    CASE = ("letters, digits and the signs . : / ~ - _", r"[A-Za-z0-9_.:/~-]{1,64}", FAIL)
    REASON = ("a code of letters, digits, blanks and . : / - _", r"[A-Za-z0-9_ .:/-]{1,64}", SKIP)
    NETWORK = (f"one of {', '.join(NETWORKS)}", "|".join(NETWORKS), SKIP)
    STAGE = (f"one of {', '.join(STAGES)}", "|".join(STAGES), SKIP)
    ENDING = (f"one of {', '.join(RESULTS)}", "|".join(RESULTS), SKIP)
    MINOR = ("a whole number of the smallest unit", r"[0-9]{1,13}", FAIL)
    PAGE = ("open, paid, refused or expired", "open|paid|refused|expired", FAIL)
    PAGE_URL = (
        "an address that begins with https://, of at most 2,000 characters",
        r"(https://|http://(127\.0\.0\.1|localhost|\[::1\])[:/])[!\"#$-~]{1,1980}",
        FAIL,
    )
    FLAG = ("true or false", "true|false", FAIL)
    RESULT = (
        f"one of {', '.join(Result)}",
        "|".join(Result),
        Result.UNKNOWN.value,
    )
    NAME_RESULT = (
        f"one of {', '.join(NameResult)}",
        "|".join(NameResult),
        NameResult.NOT_PERFORMED.value,
    )

    def __init__(self, description: str, pattern: str, unknown: str) -> None:
        self.description = description
        self.pattern = re.compile(pattern)
        self.unknown = unknown

    def accepts(self, word: str) -> bool:
        """Whether a word is of this kind."""
        return self.pattern.fullmatch(word) is not None


Read = Callable[[Any, str | None], str | None]
"""Takes an answer and the card's brand; gives a word of ours, or None when there is none."""


def compile_reading(reading: Reading, kind: WordKind, tables: Tables) -> Read:
    """A function that reads one value of an answer."""
    if not isinstance(reading, tuple):
        return _compile_reader(reading, kind, tables)
    reads = [_compile_reader(each, kind, tables) for each in reading]

    def read_first(answer: Any, brand: str | None) -> str | None:
        for read in reads:
            word = read(answer, brand)
            if word is not None:
                return word
        return None

    return read_first


def _compile_reader(written: str | Reader, kind: WordKind, tables: Tables) -> Read:
    reader = Reader(path=written) if isinstance(written, str) else written
    if reader.value is not None:
        constant = reader.value
        return lambda _answer, _brand: constant
    paths = (reader.path,) if isinstance(reader.path, str) else reader.path
    finds = [compile_path(path) for path in paths]
    find = _find_all(finds) if reader.join else _find_first(finds)
    change = None if reader.format is None else compile_change(parse_formats(reader.format), tables)
    understand = _compile_table(reader, kind, tables)
    missing = reader.missing

    def read(answer: Any, brand: str | None) -> str | None:
        word = find(answer)
        if word is not None and change is not None:
            word = _changed(change, word)
        return missing if word is None or word == "" else understand(word, brand)

    return read


def _changed(change: Change, word: str) -> str | None:
    value = change(word)
    return None if value is None else str(value)


def _find_all(finds: list[Find]) -> Find:
    """All words with blanks between them; None where no place holds anything."""

    def find(answer: Any) -> str | None:
        words = [each(answer) for each in finds]
        return " ".join(word or "-" for word in words) if any(words) else None

    return find


def _find_first(finds: list[Find]) -> Find:
    if len(finds) == 1:
        return finds[0]

    def find(answer: Any) -> str | None:
        for each in finds:
            word = each(answer)
            if word is not None:
                return word
        return None

    return find


def _compile_table(
    reader: Reader, kind: WordKind, tables: Tables
) -> Callable[[str, str | None], str | None]:
    common = None if reader.table is None else _table(reader.table, tables)
    brands = {brand: _table(each, tables) for brand, each in reader.brands.items()}
    unknown = reader.unknown or kind.unknown
    where = reader.path if isinstance(reader.path, str) else reader.path[0]

    def understand(word: str, brand: str | None) -> str | None:
        table = brands.get(brand, common) if brand is not None else common
        if table is None:
            if kind.accepts(word):
                return word
        else:
            found = table.get(word) or table.get(OTHER)
            if found is not None:
                return found
        if unknown == KEEP and kind.accepts(word):
            return word
        if unknown in (SKIP, KEEP):
            return None
        if unknown == FAIL:
            raise AnswerUnusable(_UNKNOWN_VALUE(where=where))
        return unknown

    return understand


def _table(written: str | Mapping[str, str], tables: Tables) -> Mapping[str, str]:
    return tables[written] if isinstance(written, str) else written


def compile_flag(reading: Reading, tables: Tables) -> Callable[[Any, str | None], bool | None]:
    """A function that reads a truth of an answer."""
    read = compile_reading(reading, WordKind.FLAG, tables)
    return lambda answer, brand: _FLAGS.get(read(answer, brand) or "")


ReadHolder = Callable[[Any, str | None], HolderResults | None]


def compile_holder(mapping: HolderMapping, tables: Tables) -> ReadHolder:
    """A function that reads what an answer says about the holder; None when it says nothing."""
    name, identifiers = mapping.name, mapping.identifiers
    plain: dict[str, Reading | None] = {"email": mapping.email, "phone": mapping.phone}
    if name is not None:
        plain |= {
            "first_name": name.first,
            "middle_name": name.middle,
            "last_name": name.last,
            "name": name.whole,
        }
    attributes = [
        (field, compile_reading(reading, WordKind.RESULT, tables))
        for field, reading in plain.items()
        if reading is not None
    ]
    of_types = [
        (kind, compile_reading(reading, WordKind.RESULT, tables))
        for kind in IdentifierType
        if identifiers is not None
        and (reading := getattr(identifiers, kind.value.lower())) is not None
    ]
    performed = None if name is None else name.result
    read_performed = (
        None if performed is None else compile_reading(performed, WordKind.NAME_RESULT, tables)
    )

    def read(answer: Any, brand: str | None) -> HolderResults | None:
        found: dict[str, Any] = {}
        for field, read_one in attributes:
            word = read_one(answer, brand)
            if word is not None:
                found[field] = _RESULTS[word]
        results = {
            kind: _RESULTS[word]
            for kind, read_one in of_types
            if (word := read_one(answer, brand)) is not None
        }
        word = None if read_performed is None else read_performed(answer, brand)
        if word is not None:
            found["name_result"] = _NAME_RESULTS[word]
        return HolderResults(**found, identifiers=results) if found or results else None

    return read


_RESULTS: Final = {result.value: result for result in Result}
_NAME_RESULTS: Final = {result.value: result for result in NameResult}

"""Reads feedback as people and files write it: which requests it is about, and its statement.

A problem with a value never repeats it: an id may be a card number.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, BinaryIO, Final, NamedTuple

import msgspec

from gatehouse.core.cards.redaction import recordable
from gatehouse.core.clock import parse_time
from gatehouse.core.files.records import Columns, RecordFile, RecordFormat
from gatehouse.core.ids import is_id
from gatehouse.core.money import parse_amount
from gatehouse.core.secrets.keyring import ENTITIES, KeyRing
from gatehouse.core.wording.labels import LONGEST_ID, Label
from gatehouse.intel.places import minor_digits
from gatehouse.sentry.entities import EntityHasher
from gatehouse.sentry.placeholders import drop_placeholder
from gatehouse.store.feedback.statements import FeedbackStatement, FeedbackSubject

_NAMES: Final = ("requestId", "transactionId", "clientReferenceId")
FIELDS: Final = (*_NAMES, "label", "when", "amount", "currency")
"""The columns of a CSV file, and the fields of an object in a JSON Lines file."""
_COLUMNS: Final = Columns(FIELDS, (_NAMES, ("label",)))
_LABELS: Final = {label.value: label for label in Label}
CLOCKS_DIFFER_MS: Final = 5 * 60_000
"""How far ahead of ours a reporter's clock may be."""


class _Fraction(msgspec.Struct, frozen=True):
    """A number with decimals as it is written; a float would not be exact."""

    text: str


class FeedbackRow(NamedTuple):
    """A row of a file that can be used, if there is such a request."""

    subject: FeedbackSubject
    statement: FeedbackStatement


def open_feedback_file(path: Path | None, form: RecordFormat) -> RecordFile:
    """Open a file of feedback; None is standard input."""
    return RecordFile(path, form, _COLUMNS, msgspec.json.Decoder(float_hook=_Fraction))


def feedback_file(stream: BinaryIO, form: RecordFormat) -> RecordFile:
    """The same with the content of a file that is nowhere kept."""
    decoder = msgspec.json.Decoder(float_hook=_Fraction)
    return RecordFile(None, form, _COLUMNS, decoder, stream)


def row_parser(
    form: RecordFormat, ring: KeyRing, now_ms: int
) -> Callable[[Mapping[str, Any]], FeedbackRow]:
    """Reads one record of a file; `ValueError` says what is wrong."""
    hasher = EntityHasher(ring.current(ENTITIES)[1])

    def parse(fields: Mapping[str, Any]) -> FeedbackRow:
        if not fields.keys() <= set(FIELDS):
            raise ValueError(f"has an unknown field; there are {', '.join(FIELDS)}")
        if form == "csv":
            fields = {column: cell.strip() for column, cell in fields.items()}
        return FeedbackRow(_read_subject(fields, hasher), _read_statement(fields, now_ms))

    return parse


def _read_subject(names: Mapping[str, Any], hasher: EntityHasher) -> FeedbackSubject:
    """The requests meant, named by exactly one field; `ValueError` says what is wrong."""
    given = {field: names[field] for field in _NAMES if _is_given(names.get(field))}
    if len(given) != 1:
        raise ValueError(f"needs exactly one of {', '.join(_NAMES)}")
    [(field, value)] = given.items()
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise ValueError(f"{field} must be text or a whole number")
    text = str(value)
    if len(text) > LONGEST_ID:
        raise ValueError(f"{field} is longer than {LONGEST_ID} characters")
    if field == "clientReferenceId":
        if recordable(text) != text:
            # Several references are recorded as the same text, so it may find other requests.
            raise ValueError(
                "clientReferenceId is not kept as it is, because it looks like a card number or "
                "has control characters; use requestId or transactionId instead"
            )
        return FeedbackSubject(client_reference=text)
    if field == "requestId":
        if not is_id(text, "req"):
            raise ValueError("requestId must be the id of an answered request (req_...)")
        return FeedbackSubject(request_id=text)
    if drop_placeholder(text) is None:
        raise ValueError("transactionId is a placeholder that names no transaction")
    return FeedbackSubject(transaction=hasher.kept(text))


def _read_statement(given: Mapping[str, Any], now_ms: int) -> FeedbackStatement:
    """The label with its time and amount; `ValueError` says what is wrong."""
    word = given.get("label")
    label = _LABELS.get(word.strip().upper()) if isinstance(word, str) else None
    if label is None:
        raise ValueError(f"label must be one of {', '.join(_LABELS)}")
    when, amount, currency = (given.get(field) for field in ("when", "amount", "currency"))
    return FeedbackStatement(
        label,
        _found_at_ms(when, now_ms) if _is_given(when) else None,
        _amount(amount) if _is_given(amount) else None,
        _currency(currency) if _is_given(currency) else None,
    )


def _is_given(value: Any) -> bool:
    """An empty cell counts as missing."""
    return value is not None and value != ""


def _found_at_ms(value: Any, now_ms: int) -> int:
    try:
        at_ms = parse_time(value) if isinstance(value, str) else -1
    except ValueError:
        at_ms = -1
    if at_ms < 0:
        raise ValueError(
            "when must be a day since 1970 such as 2026-11-15, or a time such as "
            "2026-11-15T08:30:00Z"
        )
    if at_ms > now_ms + CLOCKS_DIFFER_MS:
        raise ValueError("when is in the future")
    return at_ms


def _amount(value: Any) -> int:
    written = value.text if isinstance(value, _Fraction) else value
    if isinstance(written, bool) or not isinstance(written, str | int):
        raise ValueError("amount must be a number")
    micros = parse_amount(str(written))
    if micros < 0:
        raise ValueError("amount must not be negative")
    return micros


def _currency(value: Any) -> str:
    code = value.upper() if isinstance(value, str) else ""
    if minor_digits(code) is None:
        raise ValueError("currency must be a code of ISO 4217, such as USD")
    return code

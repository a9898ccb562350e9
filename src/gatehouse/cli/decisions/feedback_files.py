"""Reads files of feedback: which request is meant, what it turned out to be, and since when.

What is said about a row that cannot be used never repeats it: an id may be a card number.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

import msgspec

from gatehouse.cli.flaws import BadLine
from gatehouse.cli.record_files import Columns, RecordFile, RecordFormat
from gatehouse.core.clock import parse_time
from gatehouse.core.ids import is_id
from gatehouse.core.labels import Label
from gatehouse.core.money import parse_amount
from gatehouse.core.redaction import recordable
from gatehouse.intel.places import minor_digits
from gatehouse.sentry.entities import EntityHasher
from gatehouse.sentry.placeholders import drop_placeholder
from gatehouse.store.feedback.feedback import LONGEST_ID, FeedbackStatement, Subject

_NAMES: Final = ("requestId", "transactionId", "clientReferenceId")
FIELDS: Final = (*_NAMES, "label", "when", "amount", "currency")
"""The columns of a CSV file, and the fields of an object in a JSON Lines file."""
_COLUMNS: Final = Columns(FIELDS, (_NAMES, ("label",)))
_LABELS: Final = {label.value: label for label in Label}
# Clocks differ a little.
_AHEAD_MS: Final = 5 * 60_000


class _Fraction(msgspec.Struct, frozen=True):
    """A number with decimals as it is written; as a float it would not be exact any more."""

    text: str


class FeedbackRow(NamedTuple):
    """A row that can be used, if there is such a request."""

    line: int
    subject: Subject
    statement: FeedbackStatement


class FeedbackFile(RecordFile):
    """A file of feedback."""

    def __init__(self, path: Path | None, form: RecordFormat) -> None:
        super().__init__(path, form, _COLUMNS, msgspec.json.Decoder(float_hook=_Fraction))
        self._of_cells = form == "csv"

    def rows(self, keeper: EntityHasher, now_ms: int) -> Iterator[FeedbackRow | BadLine]:
        """All rows from here on."""
        while (found := self.take()) is not None:
            try:
                if found.fields is None:
                    raise ValueError(found.reason)
                # Blanks around a cell are the file's, not part of what it says.
                fields = _stripped(found.fields) if self._of_cells else found.fields
                row = FeedbackRow(found.line, *_read(fields, keeper, now_ms))
            except ValueError as error:
                self.waste(found)
                yield BadLine(found.line, str(error))
            else:
                yield row


def subject_of(names: Mapping[str, Any], keeper: EntityHasher) -> Subject:
    """Whom a row is about, named by exactly one of its fields; `ValueError` says what is wrong."""
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
            # Many names become the same one; whose requests it finds is chance.
            raise ValueError(
                "clientReferenceId is not kept as it is, because it looks like a card number or "
                "has control characters; use requestId or transactionId instead"
            )
        return Subject(client_reference=text)
    if field == "requestId":
        if not is_id(text, "req"):
            raise ValueError("requestId must be the id of an answered request (req_...)")
        return Subject(request_id=text)
    if drop_placeholder(text) is None:
        raise ValueError("transactionId is a placeholder that names no transaction")
    return Subject(transaction=keeper.kept(text))


def statement_of(said: Mapping[str, Any], now_ms: int) -> FeedbackStatement:
    """What a row says; `ValueError` says what is wrong."""
    label = said.get("label")
    known = _LABELS.get(label.strip().upper()) if isinstance(label, str) else None
    if known is None:
        raise ValueError(f"label must be one of {', '.join(_LABELS)}")
    when, amount, currency = (said.get(field) for field in ("when", "amount", "currency"))
    return FeedbackStatement(
        known,
        _moment(when, now_ms) if _is_given(when) else None,
        _amount(amount) if _is_given(amount) else None,
        _currency(currency) if _is_given(currency) else None,
    )


def _read(
    fields: Mapping[str, Any], keeper: EntityHasher, now_ms: int
) -> tuple[Subject, FeedbackStatement]:
    if not fields.keys() <= set(FIELDS):
        raise ValueError(f"has an unknown field; there are {', '.join(FIELDS)}")
    return subject_of(fields, keeper), statement_of(fields, now_ms)


def _stripped(cells: Mapping[str, str]) -> dict[str, str]:
    return {column: cell.strip() for column, cell in cells.items()}


def _is_given(value: Any) -> bool:
    """An empty cell is as good as none."""
    return value is not None and value != ""


def _moment(value: Any, now_ms: int) -> int:
    try:
        at_ms = parse_time(value) if isinstance(value, str) else -1
    except ValueError:
        at_ms = -1
    if at_ms < 0:
        raise ValueError(
            "when must be a day since 1970 such as 2026-11-15, or a time such as "
            "2026-11-15T08:30:00Z"
        )
    if at_ms > now_ms + _AHEAD_MS:
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

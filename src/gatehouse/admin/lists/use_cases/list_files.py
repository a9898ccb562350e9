"""Reads entries for a list, typed or from a file: CSV, or one entry in each line.

Every line is read before anything is changed, so that all bad lines are reported at once. A message
about a line never repeats it.
"""

import csv
import re
from collections.abc import Sequence
from typing import BinaryIO, Final, Literal

import msgspec

from gatehouse.core.cards.redaction import holds_card_number
from gatehouse.core.clock import parse_span, parse_time
from gatehouse.core.errors import InvalidInput
from gatehouse.core.files.csv_output import meant_cell
from gatehouse.core.files.lines import FileLimits, LineFlaws, LineReader, TextLine
from gatehouse.core.wording.sentences import Phrase, row, said_by
from gatehouse.rules.list_entries import EntryHasher, ListEntry, ListKind, canonical, is_hash
from gatehouse.store.configured.list_plans import MOST_ENTRIES, PlannedEntry, reason_text

_LIST_VALUE: Final = Phrase("refused.list_value", "value {number} {why}")
_LIST_ARGUMENT: Final = Phrase(
    "refused.list_argument",
    "looks like a card number, which must not be an argument",
)
_LIST_TOO_LONG: Final = Phrase(
    "refused.list_too_long",
    "there are more than {most} different entries, which no list can hold; nothing was added",
)
_LIST_EXPIRY: Final = Phrase(
    "refused.list_expiry",
    "must expire after a span such as 30d, or at a time such as 2030-12-31 or 2030-12-31T18:00:00Z",
)
_LIST_EXPIRED: Final = Phrase("refused.list_expired", "has expired already")
_LIST_CELLS: Final = Phrase("refused.list_cells", "has {cells} cells; there are {order}")
_LIST_COLUMNS: Final = Phrase(
    "refused.list_columns", "the columns of the header must be among {columns}"
)
_LIST_LINE_LONG: Final = Phrase("refused.list_line_long", "is longer than {most} bytes")
_LIST_UTF8: Final = Phrase("refused.list_utf8", "is not written in UTF-8")
_LIST_CSV: Final = Phrase("refused.list_csv", "is not a row of CSV: look at its quotation marks")

LONGEST_LINE: Final = 4096
_MANY_DIGITS: Final = re.compile(r"(?:\d\D{0,2}){9}")
_COLUMNS: Final[tuple[str, ...]] = ("value", "reason", "expires")

ListFormat = Literal["csv", "lines"]


class EntryTerms(msgspec.Struct, frozen=True):
    """What the entries are, and reason and expiry of those that have none of their own."""

    kind: ListKind
    hasher: EntryHasher
    now_ms: int
    reason: str | None = None
    expires_at_ms: int | None = None


class ListFileContent(LineFlaws, kw_only=True):
    """The entries of a file by value, and the first of its bad lines."""

    entries: dict[str, PlannedEntry]
    read: int = 0
    """Lines with an entry, good or bad."""


def read_typed(values: Sequence[str], terms: EntryTerms) -> list[PlannedEntry]:
    """Entries that were typed as arguments; `InvalidInput` about all that cannot be used."""
    found, flaws = [], []
    for number, value in enumerate(values, 1):
        try:
            entry = _typed(value, terms)
        except ValueError as error:
            flaws.append(_LIST_VALUE(number=number, why=said_by(error)))
            continue
        found.append(PlannedEntry(entry.value, entry.shown, terms.reason, terms.expires_at_ms))
    if flaws:
        raise InvalidInput(row(flaws, ";"))
    return found


def _typed(value: str, terms: EntryTerms) -> ListEntry:
    """One typed entry; a card number is refused, whatever the list holds."""
    kind = terms.kind
    if kind is ListKind.CARDS:
        # A card number with a mistake in it still gives most of a card away.
        is_number = not value.startswith(("card", "fp")) and _MANY_DIGITS.search(value) is not None
    else:
        is_number = not is_hash(value) and holds_card_number(value)
    try:
        entry = canonical(kind, value, terms.hasher)
        # A network or a phone can look like a card number; no card number is one of these.
        if not is_number or kind in (ListKind.NETWORKS, ListKind.PHONES):
            return entry
    except ValueError:
        if not is_number:
            raise
    # Other users of the machine see a command's arguments, and the shell keeps them.
    raise ValueError(_LIST_ARGUMENT())


def usual_format(name: str, kind: ListKind) -> ListFormat:
    """The format of a file by its name; commas can be part of words and of users' names."""
    named = (ListKind.WORDS, ListKind.USERS, ListKind.DEVICES)
    plain = kind in named and not name.lower().endswith(".csv")
    return "lines" if plain else "csv"


def read_entries(
    stream: BinaryIO, form: ListFormat, terms: EntryTerms, limits: FileLimits | None = None
) -> ListFileContent:
    """All entries of a file; of one that occurs twice, the last counts."""
    found = ListFileContent(entries={})
    order = _COLUMNS
    # Two bytes more than a line may have, for its end.
    for line in LineReader(stream, LONGEST_LINE + 2, limits=limits):
        try:
            cells = _cells(line, form)
            if not cells:
                continue
            if found.read == 0 and form == "csv" and cells[0].lower() in _COLUMNS:
                order = _header(cells)
                continue
            found.read += 1
            entry = _entry(cells, order, terms)
        except ValueError as error:
            found.add(line.number, said_by(error))
            continue
        found.entries[entry.value] = entry
        if len(found.entries) > MOST_ENTRIES:
            raise InvalidInput(_LIST_TOO_LONG(most=MOST_ENTRIES))
    return found


def expiry(text: str, now_ms: int) -> int:
    """When an entry expires: after a span such as 30d, or at a moment in ISO 8601."""
    try:
        at_ms = now_ms + parse_span(text)
    except ValueError:
        try:
            at_ms = parse_time(text)
        except ValueError:
            raise ValueError(_LIST_EXPIRY()) from None
    if at_ms <= now_ms:
        raise ValueError(_LIST_EXPIRED())
    return at_ms


def _entry(cells: list[str], order: tuple[str, ...], terms: EntryTerms) -> PlannedEntry:
    if len(cells) > len(order):
        raise ValueError(_LIST_CELLS(cells=len(cells), order=", ".join(order)))
    given = dict(zip(order, cells, strict=False))
    entry = canonical(terms.kind, given.get("value", ""), terms.hasher)
    expires = given.get("expires")
    expires_at_ms = expiry(expires, terms.now_ms) if expires else terms.expires_at_ms
    try:
        reason = reason_text(given.get("reason")) or terms.reason
    except InvalidInput as error:
        raise ValueError(said_by(error)) from None
    return PlannedEntry(entry.value, entry.shown, reason, expires_at_ms)


def _header(cells: list[str]) -> tuple[str, ...]:
    order = tuple(cell.lower() for cell in cells)
    if len(set(order)) != len(order) or not {"value"} <= set(order) <= set(_COLUMNS):
        raise InvalidInput(_LIST_COLUMNS(columns=", ".join(_COLUMNS)))
    return order


def _cells(line: TextLine, form: ListFormat) -> list[str]:
    """The cells of a line; none for an empty line or a comment."""
    data = line.data.removesuffix(b"\n").removesuffix(b"\r")
    if not line.complete or len(data) > LONGEST_LINE:
        raise ValueError(_LIST_LINE_LONG(most=LONGEST_LINE))
    try:
        text = data.decode().strip()
    except UnicodeDecodeError:
        raise ValueError(_LIST_UTF8()) from None
    if not text:
        return []
    # Records show some mailboxes, phones and users as # and a hash, which is no comment.
    if text[0] == "#" and not is_hash(text.partition(",")[0].rstrip()):
        return []
    if form == "lines":
        return [text]
    try:
        cells = text.split(",") if '"' not in text else next(csv.reader([text], strict=True))
    except csv.Error:
        raise ValueError(_LIST_CSV()) from None
    return [meant_cell(cell.strip()) for cell in cells]

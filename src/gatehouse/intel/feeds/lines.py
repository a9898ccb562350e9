"""Reads the text files of an operator line by line: lists of addresses and lists of countries."""

import io
from collections.abc import Iterator
from typing import Final

from gatehouse.intel.agents.claims import Refused, read_country, read_text
from gatehouse.intel.ranges import RangeRow, Segments, Spans, is_everything, read_span

MAX_ROWS: Final = 2_000_000
_BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"
_REMARKS: Final = {"source": "source", "licence": "licence", "license": "licence", "date": "date"}
_SHOWN: Final = 40


class Lines:
    """The lines of a file without comments, and the remarks in the comments above them."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self.number = 0
        """The number of the line that was read last, counted from 1."""
        self.remarks: dict[str, str] = {}
        """What comments such as `# source: ...` above the first line say."""

    def __iter__(self) -> Iterator[str]:
        rows = 0
        file = io.BytesIO(self._data)
        # Skipping the mark avoids a copy of a large text.
        file.seek(len(_BYTE_ORDER_MARK) if self._data.startswith(_BYTE_ORDER_MARK) else 0)
        for raw in file:
            self.number += 1
            try:
                text = raw.decode().strip()
            except UnicodeDecodeError:
                raise self.refusal("is not UTF-8 text") from None
            if text and text[0] not in "#;":
                rows += 1
                if rows > MAX_ROWS:
                    raise self.refusal(f"there are more than {MAX_ROWS:,} rows")
                yield text
            elif text and not rows:
                self._remember(text)

    def refusal(self, reason: str) -> Refused:
        """The refusal of the file because of the line that was read last."""
        return Refused(f"line {self.number}: {reason}")

    def _remember(self, comment: str) -> None:
        word, colon, said = comment.lstrip("#; \t").partition(":")
        name, text = _REMARKS.get(word.strip().lower()), read_text(said)
        if colon and name and text:
            self.remarks.setdefault(name, text)


def read_list(lines: Lines) -> tuple[Segments, int]:
    """A list with one address, network or range on each line, and how many it has."""
    spans = Spans()
    for text in lines:
        entry = text.partition("#")[0].partition(";")[0].rstrip()
        spans.add(sensible(lines, read_span(entry), entry))
    return spans.segments(), len(spans)


def sensible(lines: Lines, span: RangeRow | None, text: str) -> RangeRow:
    """The range that was read from a text; refuses no range, and the range of all addresses."""
    if span is None:
        raise lines.refusal(f"{quoted(text)} is no address, network or range of addresses")
    if is_everything(span):
        raise lines.refusal(f"{quoted(text)} would be every address there is")
    return span


def read_countries(lines: Lines) -> frozenset[str]:
    """A list of countries by their two letters."""
    found = set()
    for text in lines:
        for word in text.partition("#")[0].partition(";")[0].replace(",", " ").split():
            code = read_country(word)
            if code is None:
                raise lines.refusal(f"{quoted(word)} is no country's code of two letters")
            found.add(code)
    return frozenset(found)


def quoted(text: str) -> str:
    """A piece of a file for messages: quoted, shortened, control characters escaped."""
    return ascii(text if len(text) <= _SHOWN else f"{text[:_SHOWN]}...")

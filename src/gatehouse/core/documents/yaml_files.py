"""Reads YAML that people write into plain data with positions.

Files may be hostile. What makes YAML surprising is left out: there are no anchors, tags or merge
keys, and every scalar is text, so that the country `NO` stays a country. `core.documents` makes
structs of the data.
"""

import re
from typing import Any, Final

import yaml  # type: ignore[import-untyped]  # its stubs are a package of their own

from gatehouse.core.cards.redaction import holds_card_number, recordable
from gatehouse.core.documents.yaml_document import (
    Document,
    DocumentRefused,
    Flaw,
    Scalar,
    shown_key,
)
from gatehouse.core.reading.validation import join_path
from gatehouse.core.wording.sentences import Phrase

_CHARACTER: Final = Phrase(
    "document.character", "the character {code} cannot stand in a file; remove it"
)
_BEGINS: Final = Phrase("document.begins", "a value cannot begin with {sign}; put it in quotes")
_NOT_YAML: Final = Phrase("document.not_yaml", "not YAML: {problem}")

_CARD_NUMBER_SAID: Final = Phrase(
    "document.card_number", "holds what looks like a card number; cards go onto a list, from a file"
)
_SEVERAL: Final = Phrase(
    "document.several", "holds several documents; put each into a file of its own"
)
_VALUES_MANY: Final = Phrase("document.values_many", "has more than {most:,} values; split it")
_ANCHORS: Final = Phrase(
    "document.anchors", "anchors and aliases (& and *) cannot be used; repeat the text"
)
_TAGS: Final = Phrase("document.tags", "tags (!) cannot be used; write the plain value")
_DEEP: Final = Phrase("document.deep", "is nested more than {most} deep")
_CARD_IN_TEXT: Final = Phrase("document.card_in_text", "the text {why}")
_MERGE: Final = Phrase("document.merge", "merge keys (<<) cannot be used; repeat the text")
_KEY_LONG: Final = Phrase("document.key_long", "a key has at most {most} characters")
_TWICE: Final = Phrase("document.twice", "is given twice, first on line {line}")
MAPPING: Final = Phrase("document.mapping", "must be a mapping: lines of the form `key: value`")
_KEY_TEXT: Final = Phrase("document.key_text", "a key must be a text")
_LARGE: Final = Phrase("document.large", "the file is larger than {most} KiB; split it")
_EMPTY: Final = Phrase("document.empty", "the file is empty")
_UTF8: Final = Phrase("document.utf8", "the file is not UTF-8 text; save it as UTF-8")
_LINE_ENDS: Final = Phrase(
    "document.line_ends", "only LF or CR LF may end a line; save the file with LF line ends"
)
_CARD_IN_LINE: Final = Phrase("document.card_in_line", "the line {why}")
_UNREADABLE: Final = Phrase("document.unreadable", "cannot be read as YAML")
_TAB: Final = Phrase("document.tab", "a tab cannot be used here; indent with spaces")
_SECOND_COLON: Final = Phrase(
    "document.second_colon",
    "a second `: ` on one line, or wrong indentation; put a text with `: ` in quotes",
)
_NO_COLON: Final = Phrase(
    "document.no_colon", "this line has no `: ` after its key, or is not indented far enough"
)
_MISSING: Final = Phrase(
    "document.missing", "something is missing here, or a quote or bracket is not closed"
)
_INDENTED: Final = Phrase(
    "document.indented",
    "this line is not indented like its neighbours, or a quote or bracket is open",
)

LARGEST_DOCUMENT: Final = 256 * 1024
DEEPEST_DOCUMENT: Final = 20
MOST_NODES: Final = 20_000
LONGEST_KEY: Final = 128

_Parser: Final = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_UNFIT: Final = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ufffe\uffff]"
    # These end a line to YAML, but not to most editors, so places would be wrong.
    "|(?P<line_end>\r(?!\n)|[\x85\u2028\u2029])"
)
_CARD_NUMBER: Final = _CARD_NUMBER_SAID()


class _Builder:
    """Puts a document together from the parser's events, without recursion."""

    def __init__(self, document: Document, *, refuses_cards: bool) -> None:
        self.document = document
        self._refuses_cards = refuses_cards
        self.flaws: list[Flaw] = []
        self._open: list[tuple[str, Any]] = []
        self._key: list[str | None] = []
        self._nodes = 0

    def take(self, event: Any) -> None:
        """One event of the parser."""
        start = event.start_mark.index
        if isinstance(event, yaml.DocumentStartEvent) and self.document.data is not None:
            raise self._stop(start, _SEVERAL())
        if not isinstance(event, yaml.NodeEvent):
            if isinstance(event, yaml.CollectionEndEvent):
                self._open.pop()
                self._key.pop()
            return
        self._nodes += 1
        if self._nodes > MOST_NODES:
            raise self._stop(start, _VALUES_MANY(most=MOST_NODES))
        if event.anchor is not None:
            raise self._stop(start, _ANCHORS())
        if event.tag is not None:
            raise self._stop(start, _TAGS())
        if isinstance(event, yaml.ScalarEvent):
            self._scalar(event, start)
            return
        if len(self._open) >= DEEPEST_DOCUMENT:
            raise self._stop(start, _DEEP(most=DEEPEST_DOCUMENT))
        new: Any = {} if isinstance(event, yaml.MappingStartEvent) else []
        path = self._place(new, start)
        self._open.append((path, new))
        self._key.append(None)

    def _scalar(self, event: Any, start: int) -> None:
        # Escapes and line breaks can hide a card number from the check of single lines.
        if self._refuses_cards and holds_card_number(event.value):
            self.flaws.append(Flaw("", *self.document.at(start), _CARD_IN_TEXT(why=_CARD_NUMBER)))
        if self._open and isinstance(self._open[-1][1], dict) and self._key[-1] is None:
            self._take_key(event, start)
            return
        path = self._place(event.value, start)
        style = "" if event.style is None else event.style
        self.document.scalars[path] = Scalar(event.value, start, event.end_mark.index, style)

    def _take_key(self, event: Any, start: int) -> None:
        path, into = self._open[-1]
        key = event.value
        if key == "<<" and not event.style:
            raise self._stop(start, _MERGE())
        if len(key) > LONGEST_KEY:
            raise self._stop(start, _KEY_LONG(most=LONGEST_KEY))
        here = join_path(path, key)
        if key in into:
            first = self.document.key_place(here)
            at = self.document.at(start)
            message = _TWICE(line=first.line)
            self.flaws.append(Flaw(join_path(path, shown_key(key)), *at, message))
        else:
            self.document.keys[here] = start
        self._key[-1] = key

    def _place(self, value: Any, start: int) -> str:
        """Put a value where it belongs; the path of that place."""
        if not self._open:
            if not isinstance(value, dict):
                raise self._stop(start, MAPPING())
            self.document.data = value
            self.document.starts[""] = start
            return ""
        path, into = self._open[-1]
        if isinstance(into, list):
            path = f"{path}[{len(into)}]"
            into.append(value)
        else:
            key = self._key[-1]
            if key is None:
                raise self._stop(start, _KEY_TEXT())
            path = join_path(path, key)
            into[key] = value
            self._key[-1] = None
        self.document.starts[path] = start
        return path

    def _stop(self, index: int, message: str) -> DocumentRefused:
        return DocumentRefused([Flaw("", *self.document.at(index), message)])


def load_document(content: bytes, *, lists_of_numbers: bool = False) -> Document:
    """Read a file, or `DocumentRefused`.

    Lists of numbers can look like card numbers, so files that consist of them are not searched.
    """
    if len(content) > LARGEST_DOCUMENT:
        raise DocumentRefused([Flaw("", 1, 1, _LARGE(most=LARGEST_DOCUMENT // 1024))])
    text = _text(content)
    if not lists_of_numbers:
        _refuse_cards(text)
    document = Document(text)
    builder = _Builder(document, refuses_cards=not lists_of_numbers)
    parser = _Parser(document.source)
    try:
        while parser.check_event():
            builder.take(parser.get_event())
    except yaml.YAMLError as error:
        raise DocumentRefused([_syntax(error, document)]) from None
    finally:
        parser.dispose()
    if document.data is None:
        raise DocumentRefused([Flaw("", 1, 1, _EMPTY())])
    if builder.flaws:
        raise DocumentRefused(builder.flaws)
    return document


def _text(content: bytes) -> str:
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        column = error.start - content.rfind(b"\n", 0, error.start)
        raise DocumentRefused([Flaw("", line, column, _UTF8())]) from None
    unfit = _UNFIT.search(text)
    if unfit is not None:
        line = text.count("\n", 0, unfit.start()) + 1
        column = unfit.start() - text.rfind("\n", 0, unfit.start())
        message = _CHARACTER(code=f"U+{ord(unfit.group()[0]):04X}")
        if unfit["line_end"] is not None:
            message = _LINE_ENDS()
        raise DocumentRefused([Flaw("", line, column, message)])
    return text


def _refuse_cards(text: str) -> None:
    # Files are kept as they were written, comments and all.
    cards = [n for n, line in enumerate(text.splitlines(), 1) if holds_card_number(line)]
    if cards:
        raise DocumentRefused(
            [Flaw("", line, 1, _CARD_IN_LINE(why=_CARD_NUMBER)) for line in cards]
        )


def _syntax(error: Any, document: Document) -> Flaw:
    """What the parser said, in words that say what to do."""
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    index = 0 if mark is None else mark.index
    problem = recordable(str(getattr(error, "problem", None) or "")) or _UNREADABLE()
    here = document.source[index : index + 1]
    if here == "\t" or "\\t" in problem:
        problem = _TAB()
    elif "cannot start any token" in problem:
        problem = _BEGINS(sign=repr(here))
    elif "mapping values are not allowed" in problem:
        problem = _SECOND_COLON()
    elif "could not find expected ':'" in problem:
        problem = _NO_COLON()
    elif "node content" in problem or "end of stream" in problem:
        problem = _MISSING()
    elif "did not find expected" in problem or "expected <block end>" in problem:
        problem = _INDENTED()
    return Flaw("", *document.at(index), _NOT_YAML(problem=problem))

"""Reads YAML that people write into plain data with positions.

Files may be hostile. What makes YAML surprising is left out: there are no anchors, tags or merge
keys, and every scalar is text, so that the country `NO` stays a country. `core.documents` makes
structs of the data.
"""

import re
from typing import Any, Final

import yaml  # type: ignore[import-untyped]  # its stubs are a package of their own

from gatehouse.core.redaction import MASK, recordable
from gatehouse.core.validation import join_path
from gatehouse.core.yaml_document import Document, DocumentRefused, Flaw, Scalar, shown_key

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
_CARD_NUMBER: Final = "holds what looks like a card number; cards go onto a list, from a file"


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
            raise self._stop(start, "holds several documents; put each into a file of its own")
        if not isinstance(event, yaml.NodeEvent):
            if isinstance(event, yaml.CollectionEndEvent):
                self._open.pop()
                self._key.pop()
            return
        self._nodes += 1
        if self._nodes > MOST_NODES:
            raise self._stop(start, f"has more than {MOST_NODES:,} values; split it")
        if event.anchor is not None:
            raise self._stop(start, "anchors and aliases (& and *) cannot be used; repeat the text")
        if event.tag is not None:
            raise self._stop(start, "tags (!) cannot be used; write the plain value")
        if isinstance(event, yaml.ScalarEvent):
            self._scalar(event, start)
            return
        if len(self._open) >= DEEPEST_DOCUMENT:
            raise self._stop(start, f"is nested more than {DEEPEST_DOCUMENT} deep")
        new: Any = {} if isinstance(event, yaml.MappingStartEvent) else []
        path = self._place(new, start)
        self._open.append((path, new))
        self._key.append(None)

    def _scalar(self, event: Any, start: int) -> None:
        # Escapes and line breaks can hide a card number from the check of single lines.
        if self._refuses_cards and MASK in recordable(event.value):
            self.flaws.append(Flaw("", *self.document.at(start), f"the text {_CARD_NUMBER}"))
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
            raise self._stop(start, "merge keys (<<) cannot be used; repeat the text")
        if len(key) > LONGEST_KEY:
            raise self._stop(start, f"a key has at most {LONGEST_KEY} characters")
        here = join_path(path, key)
        if key in into:
            first = self.document.key_place(here)
            at = self.document.at(start)
            message = f"is given twice, first on line {first.line}"
            self.flaws.append(Flaw(join_path(path, shown_key(key)), *at, message))
        else:
            self.document.keys[here] = start
        self._key[-1] = key

    def _place(self, value: Any, start: int) -> str:
        """Put a value where it belongs; the path of that place."""
        if not self._open:
            if not isinstance(value, dict):
                raise self._stop(start, "must be a mapping: lines of the form `key: value`")
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
                raise self._stop(start, "a key must be a text")
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
        raise DocumentRefused(
            [Flaw("", 1, 1, f"the file is larger than {LARGEST_DOCUMENT // 1024} KiB; split it")]
        )
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
        raise DocumentRefused([Flaw("", 1, 1, "the file is empty")])
    if builder.flaws:
        raise DocumentRefused(builder.flaws)
    return document


def _text(content: bytes) -> str:
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        column = error.start - content.rfind(b"\n", 0, error.start)
        raise DocumentRefused(
            [Flaw("", line, column, "the file is not UTF-8 text; save it as UTF-8")]
        ) from None
    unfit = _UNFIT.search(text)
    if unfit is not None:
        line = text.count("\n", 0, unfit.start()) + 1
        column = unfit.start() - text.rfind("\n", 0, unfit.start())
        message = f"the character U+{ord(unfit.group()[0]):04X} cannot stand in a file; remove it"
        if unfit["line_end"] is not None:
            message = "only LF or CR LF may end a line; save the file with LF line ends"
        raise DocumentRefused([Flaw("", line, column, message)])
    return text


def _refuse_cards(text: str) -> None:
    # Files are kept as they were written, comments and all.
    cards = [n for n, line in enumerate(text.splitlines(), 1) if MASK in recordable(line)]
    if cards:
        raise DocumentRefused([Flaw("", line, 1, f"the line {_CARD_NUMBER}") for line in cards])


def _syntax(error: Any, document: Document) -> Flaw:
    """What the parser said, in words that say what to do."""
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    index = 0 if mark is None else mark.index
    problem = str(getattr(error, "problem", None) or "cannot be read as YAML")
    here = document.source[index : index + 1]
    if here == "\t" or "\\t" in problem:
        problem = "a tab cannot be used here; indent with spaces"
    elif "cannot start any token" in problem:
        problem = f"a value cannot begin with {here!r}; put it in quotes"
    elif "mapping values are not allowed" in problem:
        problem = "a second `: ` on one line, or wrong indentation; put a text with `: ` in quotes"
    elif "could not find expected ':'" in problem:
        problem = "this line has no `: ` after its key, or is not indented far enough"
    elif "node content" in problem or "end of stream" in problem:
        problem = "something is missing here, or a quote or bracket is not closed"
    elif "did not find expected" in problem or "expected <block end>" in problem:
        problem = "this line is not indented like its neighbours, or a quote or bracket is open"
    return Flaw("", *document.at(index), f"not YAML: {recordable(problem)}")

"""Splits the text of a condition into tokens, and refuses SQL that has no place in a condition.

sqlglot's tokenizer for DuckDB says what a word, a number or a quoted text is. A running server
never imports this module.
"""

import re
import unicodedata
from enum import StrEnum
from typing import Final

import msgspec
from sqlglot import Dialect
from sqlglot.errors import SqlglotError
from sqlglot.tokenizer_core import Token, TokenType

from gatehouse.conditions.mistakes import Notes, did_you_mean
from gatehouse.conditions.signatures import SIGNATURES
from gatehouse.core.wording.sentences import Phrase

_COMMENT: Final = Phrase(
    "condition.comment",
    "{opening} would begin a comment: comments go into the file with #, not in here",
)
_COMMENT_MINUS: Final = Phrase(
    "condition.comment_minus",
    "{opening} would begin a comment: comments go into the file with #, not in here; "
    "two minus signs need a blank between them",
)
_TEXT_OPEN: Final = Phrase("condition.text_open", "this text is not closed")
_NAME_OPEN: Final = Phrase("condition.name_open", "this name is not closed")
_FUNCTIONS: Final = Phrase("condition.functions", ", the functions are {names}")

_KEEP_TYPES: Final = Phrase(
    "condition.keep_types", "values keep their types; declare custom inputs with the type you need"
)
_NO_QUERY: Final = Phrase("condition.no_query", "a condition cannot hold a query")
_NO_PARAMETERS: Final = Phrase("condition.no_parameters", "a condition has no parameters")
_MULTIPLY: Final = Phrase("condition.multiply", "multiply instead")
_ONLY_ONE: Final = Phrase("condition.only_one", "write one condition only")
_NO_JOINING: Final = Phrase(
    "condition.no_joining", "texts cannot be joined; use STARTS_WITH, ENDS_WITH, CONTAINS or LIKE"
)
_USE_LOWER: Final = Phrase("condition.use_lower", "use LOWER(...) LIKE '...'")
_ONE_REQUEST: Final = Phrase(
    "condition.one_request",
    "a condition sees one request only; use velocity signals to count over time",
)
_USE_CASE: Final = Phrase("condition.use_case", "use CASE WHEN ... THEN ... ELSE ... END")
_USE_IN: Final = Phrase("condition.use_in", "use IN (...) or HAS(...)")
_USE_AND: Final = Phrase("condition.use_and", "use AND")
_USE_NOT: Final = Phrase("condition.use_not", "use NOT")
_NO_FUNCTIONS: Final = Phrase("condition.no_functions", "a condition has no functions of its own")
_USE_FLOOR: Final = Phrase("condition.use_floor", "use FLOOR(... / ...)")
_COMMENTS_ABOVE: Final = Phrase(
    "condition.comments_above", "comments stand above a condition, not in it"
)
_EMPTY: Final = Phrase(
    "condition.empty", "the condition is empty; write true if it is always to hold"
)
_CHARACTERS: Final = Phrase(
    "condition.characters",
    "a condition has at most {most} characters, this one has {count}; split it into "
    "several rules, or keep values in a list",
)
_INVISIBLE: Final = Phrase(
    "condition.invisible", "the invisible character {code} cannot stand here"
)
_UNREADABLE: Final = Phrase(
    "condition.unreadable", "this cannot be read; a text is written in single quotes, 'like this'"
)
_CANNOT_USE: Final = Phrase("condition.cannot_use", "{written} cannot be used: {hint}")
_NO_PLACE: Final = Phrase("condition.no_place", "{written} cannot be used in a condition")
_AFTER_DOT: Final = Phrase("condition.after_dot", "a word must follow this dot")
_NO_NUMBER: Final = Phrase("condition.no_number", "{written} is not a number that can be used")
_NO_FUNCTION: Final = Phrase("condition.no_function", "there is no function {written}{hint}")

LONGEST_CONDITION: Final = 4000
LONGEST_NAME: Final = 200

LIST: Final = "LIST"


class TokenKind(StrEnum):
    """What a token is."""

    NAME = "name"
    NUMBER = "number"
    TEXT = "text"
    CONSTANT = "constant"
    """TRUE, FALSE or NULL."""
    FUNCTION = "function"
    SYMBOL = "symbol"
    """An operator, a bracket, a comma or a keyword."""
    END = "end"
    """What follows the last token."""


class ConditionToken(msgspec.Struct, frozen=True):
    """One token, with a symbol in its canonical spelling, and where it is (end exclusive)."""

    kind: TokenKind
    text: str
    start: int
    end: int


_OPERATORS: Final = {
    TokenType.L_PAREN: "(",
    TokenType.R_PAREN: ")",
    TokenType.COMMA: ",",
    TokenType.EQ: "=",
    TokenType.NEQ: "<>",
    TokenType.LT: "<",
    TokenType.LTE: "<=",
    TokenType.GT: ">",
    TokenType.GTE: ">=",
    TokenType.PLUS: "+",
    TokenType.DASH: "-",
    TokenType.STAR: "*",
    TokenType.SLASH: "/",
    TokenType.MOD: "%",
}
_KEYWORDS: Final = (
    *("AND", "OR", "NOT", "IN", "BETWEEN", "LIKE", "ESCAPE", "IS"),
    *("CASE", "WHEN", "THEN", "ELSE", "END"),
)
_SYMBOLS: Final = _OPERATORS | {TokenType[word]: word for word in _KEYWORDS}
_CONSTANTS: Final = {TokenType[word]: word for word in ("TRUE", "FALSE", "NULL")}

_DECLARE_TYPES: Final = _KEEP_TYPES()
_HINTS: Final = {
    **dict.fromkeys(("SELECT", "EXISTS", "WITH"), _NO_QUERY()),
    **dict.fromkeys(("CAST", "TRY_CAST", "::"), _DECLARE_TYPES),
    **dict.fromkeys("?$:{", _NO_PARAMETERS()),
    **dict.fromkeys(("**", "^"), _MULTIPLY()),
    ";": _ONLY_ONE(),
    "||": _NO_JOINING(),
    "ILIKE": _USE_LOWER(),
    "OVER": _ONE_REQUEST(),
    "IF": _USE_CASE(),
    "ANY": _USE_IN(),
    "&&": _USE_AND(),
    "!": _USE_NOT(),
    "->": _NO_FUNCTIONS(),
    "//": _USE_FLOOR(),
    "#": _COMMENTS_ABOVE(),
}

_IDENTIFIER = re.compile(r"[^\W\d]\w*")
_NUMBER = re.compile(r"(\d+(\.\d*)?|\.\d+)([eE][+-]?\d{1,4})?", re.ASCII)
_CLOSED = re.compile(r"'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"")
_QUOTED_OR_COMMENT = re.compile(r"'[^']*(?:'|\Z)|\"[^\"]*(?:\"|\Z)|(?P<comment>--|/\*|\{#)")
_REVERSING: Final = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def tokenize(text: str, notes: Notes) -> list[ConditionToken]:
    """The tokens of a condition; raises ConditionRefused for text that cannot be one."""
    _check_characters(text, notes)
    notes.refuse_if_any()
    _check_comments(text, notes)
    notes.refuse_if_any()
    try:
        tokens = Dialect.get_or_raise("duckdb").tokenize(text)
    except SqlglotError:
        _note_unclosed(text, notes)
        notes.refuse_if_any()
        raise
    if not tokens:
        notes.add(0, 1, _EMPTY())
    found = _TokenFilter(text, tokens, notes).filter()
    notes.refuse_if_any()
    return found


def _check_characters(text: str, notes: Notes) -> None:
    if len(text) > LONGEST_CONDITION:
        notes.add(
            LONGEST_CONDITION,
            len(text),
            _CHARACTERS(most=LONGEST_CONDITION, count=len(text)),
        )
        return
    for place, character in enumerate(text):
        if character in "\n\t\r":
            continue
        if unicodedata.category(character) in ("Cc", "Cs") or character in _REVERSING:
            code = f"U+{ord(character):04X}"
            notes.add(place, place + 1, _INVISIBLE(code=code))


def _check_comments(text: str, notes: Notes) -> None:
    """Refuse comments: files join lines with blanks, and then one would take all that follows."""
    for found in _QUOTED_OR_COMMENT.finditer(text):
        opening = found["comment"]
        if opening is not None:
            phrase = _COMMENT_MINUS if opening == "--" else _COMMENT
            notes.add(found.start(), found.end(), phrase(opening=opening))
            # What follows may be part of it.
            return


def _note_unclosed(text: str, notes: Notes) -> None:
    outside = _CLOSED.sub(lambda found: " " * len(found[0]), text)
    for opening, what in (("'", _TEXT_OPEN), ('"', _NAME_OPEN)):
        place = outside.find(opening)
        if place >= 0:
            notes.add(place, place + len(opening), what())
            return
    place = max(outside.find("$"), 0)
    message = _UNREADABLE()
    notes.add(place, place + 1, message)


class _TokenFilter:
    """Turns sqlglot's tokens into those that conditions know, and notes all the others."""

    def __init__(self, text: str, tokens: list[Token], notes: Notes) -> None:
        self._text = text
        self._tokens = tokens
        self._notes = notes
        self._place = 0

    def filter(self) -> list[ConditionToken]:
        """The known tokens in their order."""
        found = []
        while self._place < len(self._tokens):
            token = self._next()
            if token is not None:
                found.append(token)
        return found

    def _next(self) -> ConditionToken | None:
        """The token at the current place, which moves past it; None after noting a mistake."""
        token = self._tokens[self._place]
        kind, start, end = token.token_type, token.start, token.end + 1
        written = self._text[start:end]
        named = self._is_word(self._place)
        following = self._type(self._place + 1)
        if named and following is TokenType.DOT:
            return self._dotted_name()
        self._place += 1
        if kind in _CONSTANTS:
            return ConditionToken(TokenKind.CONSTANT, _CONSTANTS[kind], start, end)
        if kind in _SYMBOLS:
            return ConditionToken(TokenKind.SYMBOL, _SYMBOLS[kind], start, end)
        if kind is TokenType.STRING and written[0] == "'":
            return ConditionToken(TokenKind.TEXT, token.text, start, end)
        if kind is TokenType.DOT and following is TokenType.NUMBER:
            self._place += 1
            return self._number(start, self._tokens[self._place - 1].end + 1)
        if kind is TokenType.NUMBER:
            return self._number(start, end)
        hint = _HINTS.get(token.text.upper()) or _HINTS.get(written[:1])
        if hint is not None and kind is not TokenType.IDENTIFIER:
            self._notes.add(start, end, _CANNOT_USE(written=shown(written), hint=hint))
            return None
        if named and following is TokenType.L_PAREN:
            return self._function(token.text, start, end)
        if named:
            return ConditionToken(TokenKind.NAME, token.text, start, end)
        self._notes.add(start, end, _NO_PLACE(written=shown(written)))
        return None

    def _type(self, place: int) -> TokenType | None:
        return self._tokens[place].token_type if place < len(self._tokens) else None

    def _is_word(self, place: int) -> bool:
        if self._type(place) in (None, TokenType.IDENTIFIER):
            return place < len(self._tokens)
        token = self._tokens[place]
        return _IDENTIFIER.fullmatch(self._text[token.start : token.end + 1]) is not None

    def _dotted_name(self) -> ConditionToken | None:
        """A name of several words with dots between them; after a dot, keywords are plain words."""
        first = last = self._place
        while self._type(last + 1) is TokenType.DOT:
            if not self._is_word(last + 2):
                dot = self._tokens[last + 1]
                self._notes.add(dot.start, dot.end + 1, _AFTER_DOT())
                self._place = last + 2
                return None
            last += 2
        self._place = last + 1
        name = ".".join(each.text for each in self._tokens[first : last + 1 : 2])
        start, end = self._tokens[first].start, self._tokens[last].end + 1
        return ConditionToken(TokenKind.NAME, name[:LONGEST_NAME], start, end)

    def _number(self, start: int, end: int) -> ConditionToken:
        written = self._text[start:end]
        plain = written.replace("_", "")
        if _NUMBER.fullmatch(plain) is None or float(plain) == float("inf"):
            self._notes.add(start, end, _NO_NUMBER(written=shown(written)))
        return ConditionToken(TokenKind.NUMBER, plain, start, end)

    def _function(self, written: str, start: int, end: int) -> ConditionToken:
        name = written.upper()
        if name not in SIGNATURES and name != LIST:
            meant = did_you_mean(name, [*SIGNATURES, LIST])
            meant = meant or _FUNCTIONS(names=", ".join(sorted(SIGNATURES)))
            self._notes.add(start, end, _NO_FUNCTION(written=shown(written), hint=meant))
        return ConditionToken(TokenKind.FUNCTION, name, start, end)


def shown(written: str) -> str:
    """What an author wrote, short enough for a message."""
    return written if len(written) <= 40 else written[:40] + "…"

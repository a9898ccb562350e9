"""Takes the text of a condition apart, and refuses whatever cannot become a condition.

What passes is short, not nested deeply, made of known words only, and has values and operators in
turn; so the parser that comes after can neither recurse far nor meet parts of SQL that have no
place in a condition. Imports sqlglot, as `conditions.parse` does: a running server needs neither.
"""

import re
import unicodedata
from collections.abc import Iterator
from enum import StrEnum
from typing import Final

import msgspec
from sqlglot import Dialect
from sqlglot.errors import SqlglotError
from sqlglot.tokenizer_core import Token, TokenType

from gatehouse.conditions.mistakes import Notes, did_you_mean
from gatehouse.conditions.signatures import SIGNATURES

LONGEST_CONDITION: Final = 4000
DEEPEST_CONDITION: Final = 24
LONGEST_NAME: Final = 200

LIST: Final = "LIST"


class TokenKind(StrEnum):
    """What a piece of the text is."""

    NAME = "name"
    NUMBER = "number"
    TEXT = "text"
    WORD = "word"
    """TRUE, FALSE or NULL."""
    FUNCTION = "function"
    SIGN = "sign"
    """An operator, a bracket, a comma or a keyword."""


class Piece(msgspec.Struct, frozen=True):
    """One piece of the text and where it is (end exclusive)."""

    kind: TokenKind
    text: str
    start: int
    end: int
    token: Token


_VALUES: Final = frozenset({TokenKind.NAME, TokenKind.NUMBER, TokenKind.TEXT, TokenKind.WORD})

_SIGNS: Final = {
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
    TokenType.AND: "AND",
    TokenType.OR: "OR",
    TokenType.NOT: "NOT",
    TokenType.IN: "IN",
    TokenType.BETWEEN: "BETWEEN",
    TokenType.LIKE: "LIKE",
    TokenType.ESCAPE: "ESCAPE",
    TokenType.IS: "IS",
    TokenType.CASE: "CASE",
    TokenType.WHEN: "WHEN",
    TokenType.THEN: "THEN",
    TokenType.ELSE: "ELSE",
    TokenType.END: "END",
}
_WORDS: Final = {
    TokenType.TRUE: "TRUE",
    TokenType.FALSE: "FALSE",
    TokenType.NULL: "NULL",
}

_HINTS: Final = {
    "SELECT": "a condition cannot hold a query",
    "EXISTS": "a condition cannot hold a query",
    "WITH": "a condition cannot hold a query",
    "CAST": "values keep their types; declare custom inputs with the type you need",
    "TRY_CAST": "values keep their types; declare custom inputs with the type you need",
    "::": "values keep their types; declare custom inputs with the type you need",
    ";": "write one condition only",
    "||": "texts cannot be joined; use STARTS_WITH, ENDS_WITH, CONTAINS or LIKE",
    "ILIKE": "use LOWER(...) LIKE '...'",
    "OVER": "a condition sees one request only; use velocity signals to count over time",
    "IF": "use CASE WHEN ... THEN ... ELSE ... END",
    "ANY": "use IN (...) or HAS(...)",
    "?": "a condition has no parameters",
    "$": "a condition has no parameters",
    ":": "a condition has no parameters",
    "{": "a condition has no parameters",
    "&&": "use AND",
    "!": "use NOT",
    "->": "a condition has no functions of its own",
    "//": "use FLOOR(... / ...)",
    "**": "multiply instead",
    "^": "multiply instead",
    "#": "comments stand above a condition, not in it",
}

_IDENTIFIER = re.compile(r"[^\W\d]\w*")
_NUMBER = re.compile(r"(\d+(\.\d*)?|\.\d+)([eE][+-]?\d{1,4})?", re.ASCII)
_CLOSED = re.compile(r"'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"")
_QUOTED_OR_COMMENT = re.compile(r"'[^']*(?:'|\Z)|\"[^\"]*(?:\"|\Z)|(?P<comment>--|/\*|\{#)")
_REVERSING: Final = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def scan(text: str, notes: Notes) -> list[Piece]:
    """The pieces of a condition; raises ConditionRefused for what cannot be one."""
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
        notes.add(0, 1, "the condition is empty; write true if it is always to hold")
    pieces = list(_pieces(text, tokens, notes))
    notes.refuse_if_any()
    _TokenOrder(text, notes).check(pieces)
    notes.refuse_if_any()
    return pieces


def _check_characters(text: str, notes: Notes) -> None:
    if len(text) > LONGEST_CONDITION:
        notes.add(
            LONGEST_CONDITION,
            len(text),
            f"a condition has at most {LONGEST_CONDITION} characters, this one has {len(text)};"
            " split it into several rules, or keep values in a list",
        )
        return
    for place, character in enumerate(text):
        if character in "\n\t\r":
            continue
        if unicodedata.category(character) in ("Cc", "Cs") or character in _REVERSING:
            code = f"U+{ord(character):04X}"
            notes.add(place, place + 1, f"the invisible character {code} cannot stand here")


def _check_comments(text: str, notes: Notes) -> None:
    """Refuse comments: files join lines with blanks, and then one would take all that follows."""
    for found in _QUOTED_OR_COMMENT.finditer(text):
        opening = found["comment"]
        if opening is not None:
            told = f"{opening} would begin a comment: comments go into the file with #, not in here"
            if opening == "--":
                told += "; two minus signs need a blank between them"
            notes.add(found.start(), found.end(), told)
            # What follows may be part of it.
            return


def _note_unclosed(text: str, notes: Notes) -> None:
    outside = _CLOSED.sub(lambda found: " " * len(found[0]), text)
    for opening, what in (("'", "text"), ('"', "name")):
        place = outside.find(opening)
        if place >= 0:
            notes.add(place, place + len(opening), f"this {what} is not closed")
            return
    place = max(outside.find("$"), 0)
    message = "this cannot be read; a text is written in single quotes, 'like this'"
    notes.add(place, place + 1, message)


def _pieces(text: str, tokens: list[Token], notes: Notes) -> Iterator[Piece]:
    place = 0
    while place < len(tokens):
        size, piece = _piece(text, tokens, place, notes)
        place += size
        if piece is not None:
            yield piece


def _piece(text: str, tokens: list[Token], place: int, notes: Notes) -> tuple[int, Piece | None]:
    """The piece that begins with this token, and how many tokens it takes."""
    token = tokens[place]
    start, end = token.start, token.end + 1
    following = tokens[place + 1].token_type if place + 1 < len(tokens) else None
    written = text[start:end]
    named = token.token_type is TokenType.IDENTIFIER or _IDENTIFIER.fullmatch(written)
    if named and following is TokenType.DOT:
        return _dotted(text, tokens, place, notes)
    if token.token_type in _WORDS:
        return 1, Piece(TokenKind.WORD, _WORDS[token.token_type], start, end, token)
    if token.token_type in _SIGNS:
        return 1, Piece(TokenKind.SIGN, _SIGNS[token.token_type], start, end, token)
    if token.token_type is TokenType.STRING and written[0] == "'":
        return 1, Piece(TokenKind.TEXT, token.text, start, end, token)
    if token.token_type is TokenType.DOT and following is TokenType.NUMBER:
        end = tokens[place + 1].end + 1
        return 2, _number(text[start:end], start, end, token, notes)
    if token.token_type is TokenType.NUMBER:
        return 1, _number(written, start, end, token, notes)
    hint = _HINTS.get(token.text.upper()) or _HINTS.get(written[:1])
    if hint is not None and token.token_type is not TokenType.IDENTIFIER:
        notes.add(start, end, f"{_shown(written)} cannot be used: {hint}")
        return 1, None
    if named and following is TokenType.L_PAREN:
        return 1, _function(token.text, start, end, token, notes)
    if named:
        return 1, Piece(TokenKind.NAME, token.text, start, end, token)
    notes.add(start, end, f"{_shown(written)} cannot be used in a condition")
    return 1, None


def _dotted(text: str, tokens: list[Token], place: int, notes: Notes) -> tuple[int, Piece | None]:
    """A name of several words with dots between them; after a dot, keywords are plain words."""
    first = last = place
    while last + 1 < len(tokens) and tokens[last + 1].token_type is TokenType.DOT:
        dot = tokens[last + 1]
        following = tokens[last + 2] if last + 2 < len(tokens) else None
        if following is None or not (
            following.token_type is TokenType.IDENTIFIER
            or _IDENTIFIER.fullmatch(text[following.start : following.end + 1])
        ):
            notes.add(dot.start, dot.end + 1, "a word must follow this dot")
            return last + 2 - first, None
        last += 2
    name = ".".join(each.text for each in tokens[first : last + 1 : 2])
    start, end = tokens[first].start, tokens[last].end + 1
    return last + 1 - first, Piece(TokenKind.NAME, name[:LONGEST_NAME], start, end, tokens[first])


def _number(written: str, start: int, end: int, token: Token, notes: Notes) -> Piece:
    plain = written.replace("_", "")
    if _NUMBER.fullmatch(plain) is None or float(plain) in (float("inf"),):
        notes.add(start, end, f"{_shown(written)} is not a number that can be used")
    return Piece(TokenKind.NUMBER, plain, start, end, token)


def _function(written: str, start: int, end: int, token: Token, notes: Notes) -> Piece:
    name = written.upper()
    if name not in SIGNATURES and name != LIST:
        meant = did_you_mean(name, [*SIGNATURES, LIST])
        meant = meant or ", the functions are " + ", ".join(sorted(SIGNATURES))
        notes.add(start, end, f"there is no function {_shown(written)}{meant}")
    return Piece(TokenKind.FUNCTION, name, start, end, token)


def _shown(written: str) -> str:
    return written if len(written) <= 40 else written[:40] + "…"


class _TokenOrder:
    """Checks that values and operators take turns and that whatever is opened is closed."""

    def __init__(self, text: str, notes: Notes) -> None:
        self._text = text
        self._notes = notes
        self._open: list[Piece] = []
        self._called: list[bool] = []

    def check(self, pieces: list[Piece]) -> None:
        """Note the first thing that is out of order; whatever follows would only confuse."""
        wants_value = True
        run = 0
        for place, piece in enumerate(pieces):
            before = pieces[place - 1] if place else None
            run = run + 1 if piece.text in ("NOT", "-", "+") and wants_value else 0
            if run + len(self._open) > DEEPEST_CONDITION:
                self._notes.add(piece.start, piece.end, too_deep())
                return
            problem, wants_value = self._step(piece, before, wants_value)
            if problem:
                found = _shown(self._text[piece.start : piece.end])
                self._notes.add(piece.start, piece.end, problem.format(found=found))
                return
        end = len(self._text)
        if self._open:
            opened = self._open[-1]
            closing = "END" if opened.text == "CASE" else ")"
            message = f"this {opened.text} is never closed, {closing} is missing"
            self._notes.add(opened.start, opened.end, message)
        elif wants_value:
            message = "the condition ends too early: a signal, a value or a function is missing"
            self._notes.add(max(end - 1, 0), end, message)

    def _step(self, piece: Piece, before: Piece | None, wants_value: bool) -> tuple[str, bool]:
        """What is wrong with this piece at this place, and whether a value must come next."""
        if wants_value:
            return self._value(piece, before)
        return self._operator(piece, before)

    def _value(self, piece: Piece, before: Piece | None) -> tuple[str, bool]:
        after = before.text if before is not None and before.kind is TokenKind.SIGN else ""
        if after == "IN" and piece.text not in ("(", LIST):
            return "after IN come values in parentheses or LIST('name'), not {found}", True
        if after == "IS" and piece.text != "NOT" and piece.kind is not TokenKind.WORD:
            return "after IS comes NULL, TRUE or FALSE, not {found}", True
        if piece.kind in _VALUES:
            return "", False
        if piece.kind is TokenKind.FUNCTION or piece.text in ("NOT", "-", "+"):
            return "", True
        if piece.text in ("(", "CASE"):
            self._open.append(piece)
            self._called.append(before is not None and before.kind is TokenKind.FUNCTION)
            self._called[-1] |= after == "IN"
            return "", True
        if piece.text == "WHEN" and after == "CASE":
            return "", True
        if piece.text == ")" and after == "(" and self._open and self._called[-1]:
            self._close()
            return "", False
        return "a signal, a value or a function is missing before {found}", True

    def _operator(self, piece: Piece, before: Piece | None) -> tuple[str, bool]:
        negated = before is not None and before.kind is TokenKind.SIGN and before.text == "NOT"
        if negated and piece.text not in ("IN", "LIKE", "BETWEEN"):
            return "after NOT comes IN, LIKE or BETWEEN here, not {found}", True
        if piece.kind is not TokenKind.SIGN or piece.text in ("(", "CASE"):
            return "an operator, such as = or AND, is missing before {found}", True
        inside = self._open[-1].text if self._open else ""
        if piece.text in (")", "END"):
            if inside != ("(" if piece.text == ")" else "CASE"):
                return "{found} closes nothing that is open here", True
            self._close()
            return "", False
        if piece.text == "," and (inside != "(" or not self._called[-1]):
            return "a comma can only stand between the values of IN or of a function", True
        if piece.text in ("WHEN", "THEN", "ELSE") and inside != "CASE":
            return "{found} can only stand inside CASE ... END", True
        return "", piece.text != "NOT"

    def _close(self) -> None:
        self._open.pop()
        self._called.pop()


def too_deep() -> str:
    """What to say about a condition that nests too deeply."""
    return (
        f"a condition can be nested {DEEPEST_CONDITION} levels deep at most;"
        " split it into several rules"
    )

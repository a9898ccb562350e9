"""The tokens of a condition one after another, and what to say about one that is out of place."""

from typing import Final, NoReturn

from gatehouse.conditions.mistakes import Notes
from gatehouse.conditions.tokens import ConditionToken, TokenKind, shown
from gatehouse.core.wording.sentences import Phrase

_NO_OPERATOR: Final = Phrase(
    "condition.no_operator", "an operator, such as = or AND, is missing before {found}"
)
_CLOSES_NOTHING: Final = Phrase(
    "condition.closes_nothing", "{found} closes nothing that is open here"
)
_COMMA: Final = Phrase(
    "condition.comma", "a comma can only stand between the values of IN or of a function"
)
_INSIDE_CASE: Final = Phrase("condition.inside_case", "{found} can only stand inside CASE ... END")
_CASE_FORM: Final = Phrase(
    "condition.case_form", "CASE is written CASE WHEN condition THEN value ELSE value END"
)
_DOES_NOT_FIT: Final = Phrase(
    "condition.does_not_fit",
    "this does not fit here; look for a missing operator, value or parenthesis",
)
_ENDS_EARLY: Final = Phrase(
    "condition.ends_early",
    "the condition ends too early: a signal, a value or a function is missing",
)
_NEVER_CLOSED: Final = Phrase(
    "condition.never_closed", "this {opened} is never closed, {closing} is missing"
)

_OPENS: Final = {")": "(", "END": "CASE"}


class TokenStream:
    """Knows the current token and which brackets and CASEs are open around it."""

    def __init__(self, text: str, tokens: list[ConditionToken]) -> None:
        self._text = text
        self._rest = iter(tokens)
        self._end = ConditionToken(TokenKind.END, "", len(text), len(text))
        self._open: list[tuple[ConditionToken, bool]] = []
        """Each bracket or CASE that is not closed yet, with whether commas can stand in it."""
        self.current = next(self._rest, self._end)

    @property
    def nesting(self) -> int:
        """How many brackets and CASEs are open."""
        return len(self._open)

    def advance(self) -> ConditionToken:
        """Move to the next token; returns the one before it."""
        passed = self.current
        self.current = next(self._rest, self._end)
        return passed

    def at(self, *symbols: str) -> bool:
        """Whether the current token is one of these symbols."""
        return self.current.kind is TokenKind.SYMBOL and self.current.text in symbols

    def take(self, symbol: str) -> bool:
        """Move past a symbol if the current token is it."""
        found = self.at(symbol)
        if found:
            self.advance()
        return found

    def enter(self, *, with_commas: bool) -> None:
        """Move past what opens a bracket or CASE."""
        self._open.append((self.advance(), with_commas))

    def leave(self, closing: str) -> None:
        """Move past what closes the innermost bracket or CASE."""
        if not self.take(closing):
            self.refuse_operator()
        self._open.pop()

    def refuse_operator(self) -> NoReturn:
        """Say why the current token cannot follow a value."""
        token, (opened, with_commas) = self.current, self._open[-1] if self._open else (None, False)
        inside = "" if opened is None else opened.text
        if token.kind is not TokenKind.SYMBOL or token.text in ("(", "CASE"):
            phrase = _NO_OPERATOR
        elif token.text in (")", "END") and inside != _OPENS[token.text]:
            phrase = _CLOSES_NOTHING
        elif token.text == "," and not with_commas:
            phrase = _COMMA
        elif token.text in ("WHEN", "THEN", "ELSE") and inside != "CASE":
            phrase = _INSIDE_CASE
        elif inside == "CASE":
            phrase = _CASE_FORM
        else:
            phrase = _DOES_NOT_FIT
        self.refuse(token, phrase)

    def refuse_here(self, phrase: Phrase) -> NoReturn:
        """Refuse the current token where a value or keyword was needed to go on."""
        if self.current is self._end:
            phrase = _ENDS_EARLY
        self.refuse(self.current, phrase)

    def refuse(self, token: ConditionToken, phrase: Phrase, **values: object) -> NoReturn:
        """Report one mistake in the form of the text, and no others: they might follow from it."""
        message = phrase(found=shown(self._text[token.start : token.end]), **values)
        start, end = token.start, token.end
        if token is self._end:
            start = max(start - 1, 0)
            if self._open:
                opened, _ = self._open[-1]
                start, end = opened.start, opened.end
                closing = "END" if opened.text == "CASE" else ")"
                message = _NEVER_CLOSED(opened=opened.text, closing=closing)
        notes = Notes(self._text)
        notes.add(start, end, message)
        notes.refuse_if_any()
        raise AssertionError("a mistake was noted")

"""How a value gets from a message's values into the text of a field, and back."""

from collections.abc import Callable, Mapping
from typing import Final

from gatehouse.connectors.iso8583.content import ALLOWED
from gatehouse.connectors.iso8583.layout.field_layout import FieldLayout
from gatehouse.connectors.iso8583.layout.formats import Side, parse_format
from gatehouse.connectors.iso8583.layout.malformed import MalformedMessage
from gatehouse.connectors.iso8583.roles import Role
from gatehouse.core.wording.sentences import Phrase

Values = Mapping[Role, str]
Take = Callable[[Values], str | None]
"""The text of a place, as long as it has to be; None when nothing is to be written there."""
Give = Callable[[str, dict[Role, str]], None]
"""Notes what the text of a place says."""
Fit = Callable[[str], str | None]
"""A value as long as its place wants it; None when nothing is left of it."""

_TOO_LONG: Final = Phrase("document.iso_long", "{name} is longer than {size}")
_TOO_SHORT: Final = Phrase("document.iso_short", "{name} is shorter than {size}")

_FILLED_WITH: Final = {"n": "0"}


class ValueCompiler:
    """Knows the parameters and the codes of a dialect."""

    def __init__(
        self, parameters: Mapping[str, str], codes: Mapping[Role, Mapping[str, str]]
    ) -> None:
        self._parameters = parameters
        self._codes = codes

    def take(self, name: str, layout: FieldLayout) -> Take:
        """What to write into a place."""
        if layout.parts:
            return _joined([self._part(name, part) for part in layout.parts], layout)
        fit, role = self.fit(name, layout), layout.role
        constant = layout.value or self._parameters.get(layout.parameter or "")
        default = None if constant is None else fit(constant)
        if role is None:
            return lambda _values: default

        def take(values: Values) -> str | None:
            text = values.get(role)
            return default if text is None else fit(text)

        return take

    def give(self, name: str, layout: FieldLayout) -> Give | None:
        """What to note of a place; None when it says nothing that anyone asks for."""
        if layout.parts:
            return self._split(name, layout)
        if layout.role is None:
            return None
        role, meant = layout.role, self._codes.get(layout.role, {})
        parsed = parse_format(layout.format)
        # What a short text was filled up with is taken off; digits keep their zeros.
        filled = not parsed.dots and parsed.content in ("a", "an", "ans")
        from_left = layout.pad is Side.LEFT

        def give(text: str, values: dict[Role, str]) -> None:
            if filled:
                text = text.lstrip(" ") if from_left else text.rstrip(" ")
            if text:
                values[role] = meant.get(text, text) if meant else text

        return give

    def is_plain(self, layout: FieldLayout) -> bool:
        """Whether a value of the right length is written as it is."""
        plain = layout.role is not None and not layout.cut and layout.format[0] != "b"
        return plain and layout.role not in self._codes

    def fit(self, name: str, layout: FieldLayout) -> Fit:
        """Makes a value as long as the format wants it, in the host's own codes."""
        parsed = parse_format(layout.format)
        size = parsed.size * 2 if parsed.content == "b" else parsed.size
        too_long = _TOO_LONG(name=name, size=parsed.size)
        too_short = _TOO_SHORT(name=name, size=parsed.size)
        fill = _FILLED_WITH.get(parsed.content, " ")
        to_left = (layout.pad or (Side.LEFT if parsed.content == "n" else Side.RIGHT)) is Side.LEFT
        fixed, can_fill = not parsed.dots, parsed.content not in ("b", "z")
        cut = _cutting(parsed.content, size) if layout.cut else None
        sent: dict[str, str] = {}
        for code, meant in self._codes.get(layout.role, {}).items() if layout.role else ():
            sent.setdefault(meant, code)

        def fit(text: str) -> str | None:
            text = sent.get(text, text)
            if cut is not None:
                text = cut(text)
            if not text:
                return None
            length = len(text)
            if length > size:
                raise MalformedMessage(too_long)
            if length == size or not fixed:
                return text
            if not can_fill:
                raise MalformedMessage(too_short)
            return text.rjust(size, fill) if to_left else text.ljust(size, fill)

        return fit

    def _part(self, name: str, layout: FieldLayout) -> tuple[Take, str, bool]:
        """What a part is, how it looks when it is absent, and whether it alone is worth sending."""
        parsed = parse_format(layout.format)
        blank = "" if parsed.dots else _FILLED_WITH.get(parsed.content, " ") * parsed.size
        return self.take(name, layout), blank, layout.value is None

    def _split(self, name: str, layout: FieldLayout) -> Give | None:
        whole = frozenset(ALLOWED[parse_format(layout.format).content])
        slices: list[tuple[int, int, Give, bytes | None]] = []
        start = 0
        for part in layout.parts:
            parsed = parse_format(part.format)
            give, allowed = self.give(name, part), ALLOWED[parsed.content]
            if give is not None:
                narrower = None if whole <= frozenset(allowed) else allowed
                slices.append((start, start + parsed.size, give, narrower))
            start += parsed.size
        if not slices:
            return None
        wrong = f"{name} has a part with characters of another kind"

        def split(text: str, values: dict[Role, str]) -> None:
            for start, end, give, allowed in slices:
                piece = text[start:end]
                if piece and not piece.isspace():
                    if allowed is not None and piece.encode("ascii").translate(None, allowed):
                        raise MalformedMessage(wrong)
                    give(piece, values)

        return split


def _joined(parts: list[tuple[Take, str, bool]], layout: FieldLayout) -> Take:
    variable = parse_format(layout.format).dots > 0
    only_constants = not any(matters for _, _, matters in parts)

    def join(values: Values) -> str | None:
        pieces: list[str] = []
        last = 0
        for take, blank, matters in parts:
            piece = take(values)
            pieces.append(blank if piece is None else piece)
            if piece is not None and (matters or only_constants):
                last = len(pieces)
        if not last:
            return None
        return "".join(pieces[:last] if variable else pieces)

    return join


def _cutting(content: str, size: int) -> Callable[[str], str]:
    """Cuts what is too long; other letters become Latin ones, other signs blanks."""
    others = bytes(code for code in range(256) if code not in ALLOWED[content])
    blanks = bytes.maketrans(others, b" " * len(others))

    def cut(text: str) -> str:
        if not text.isascii():
            from anyascii import anyascii  # most values do not need its tables

            text = anyascii(text)
        raw = text.encode("ascii", "replace")
        raw = raw.translate(None, others) if content == "n" else raw.translate(blanks)
        return raw[:size].decode("ascii").strip()

    return cut

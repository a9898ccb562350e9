"""How a value gets from a message's values into the text of a field, and back."""

from collections.abc import Callable, Mapping
from typing import Final

from gatehouse.connectors.iso8583.content import ALLOWED
from gatehouse.connectors.iso8583.field_layout import FieldLayout, Side, parse_format
from gatehouse.connectors.iso8583.malformed import MalformedMessage
from gatehouse.connectors.iso8583.roles import Role

Values = Mapping[Role, str]
Take = Callable[[Values], str | None]
"""The text of a place, as long as it has to be; None when nothing is to be written there."""
Give = Callable[[str, dict[Role, str]], None]
"""Notes what the text of a place says."""

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
        return _fitted(name, layout, self._source(layout))

    def give(self, name: str, layout: FieldLayout) -> Give | None:
        """What to note of a place; None when it says nothing that anyone asks for."""
        if layout.parts:
            return self._split(name, layout)
        if layout.role is None:
            return None
        role, stripped = layout.role, _stripping(layout)
        meant = self._codes.get(role, {})

        def give(text: str, values: dict[Role, str]) -> None:
            if stripped is not None:
                text = stripped(text)
            if text:
                values[role] = meant.get(text, text) if meant else text

        return give

    def _source(self, layout: FieldLayout) -> Take:
        if layout.role is None:
            constant = layout.value or self._parameters.get(layout.parameter or "")
            return lambda _values: constant
        role = layout.role
        default = self._parameters.get(layout.parameter or "")
        wire: dict[str, str] = {}
        for sent, meant in self._codes.get(role, {}).items():
            wire.setdefault(meant, sent)
        if wire:
            return lambda values: wire.get(values.get(role, ""), values.get(role, default))
        if default is None:
            return lambda values: values.get(role)
        return lambda values: values.get(role, default)

    def _part(self, name: str, layout: FieldLayout) -> tuple[Take, str, bool]:
        """What a part is, how it looks when it is absent, and whether it alone is worth sending."""
        parsed = parse_format(layout.format)
        blank = "" if parsed.dots else _FILLED_WITH.get(parsed.content, " ") * parsed.size
        return self.take(name, layout), blank, layout.value is None

    def _split(self, name: str, layout: FieldLayout) -> Give | None:
        slices: list[tuple[int, int, Give, bytes]] = []
        start = 0
        for part in layout.parts:
            parsed = parse_format(part.format)
            give = self.give(name, part)
            if give is not None:
                slices.append((start, start + parsed.size, give, ALLOWED[parsed.content]))
            start += parsed.size
        if not slices:
            return None

        def split(text: str, values: dict[Role, str]) -> None:
            for start, end, give, allowed in slices:
                piece = text[start:end]
                if piece and not piece.isspace():
                    if piece.encode("ascii").translate(None, allowed):
                        raise MalformedMessage(f"{name} has a part with characters of other kinds")
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


def _fitted(name: str, layout: FieldLayout, source: Take) -> Take:
    """The value as long as the format wants it."""
    parsed = parse_format(layout.format)
    size = parsed.size * 2 if parsed.content == "b" else parsed.size
    too_long = f"{name} is longer than {parsed.size}"
    too_short = f"{name} is shorter than {parsed.size}"
    fill = _FILLED_WITH.get(parsed.content, " ")
    side = layout.pad or (Side.LEFT if parsed.content == "n" else Side.RIGHT)
    fixed, can_fill = not parsed.dots, parsed.content not in ("b", "z")
    if layout.cut:
        source = _cut(source, parsed.content, size)

    def fit(values: Values) -> str | None:
        text = source(values)
        if not text:
            return None
        length = len(text)
        if length == size:
            return text
        if length > size:
            raise MalformedMessage(too_long)
        if fixed:
            if not can_fill:
                raise MalformedMessage(too_short)
            return text.rjust(size, fill) if side is Side.LEFT else text.ljust(size, fill)
        return text

    return fit


def _cut(source: Take, content: str, size: int) -> Take:
    """Cuts what is too long; other letters become Latin ones, other signs blanks."""
    others = bytes(code for code in range(256) if code not in ALLOWED[content])
    blanks = bytes.maketrans(others, b" " * len(others))

    def cut(values: Values) -> str | None:
        text = source(values)
        if not text:
            return None
        if not text.isascii():
            from anyascii import anyascii  # most values do not need its tables

            text = anyascii(text)
        raw = text.encode("ascii", "replace")
        raw = raw.translate(None, others) if content == "n" else raw.translate(blanks)
        return raw[:size].decode("ascii").strip() or None

    return cut


def _stripping(layout: FieldLayout) -> Callable[[str], str] | None:
    """Takes off what a short text was filled up with; digits keep their zeros."""
    parsed = parse_format(layout.format)
    if parsed.dots or parsed.content in ("n", "b", "z"):
        return None
    if layout.pad is Side.LEFT:
        return lambda text: text.lstrip(" ")
    return lambda text: text.rstrip(" ")

"""The scalars of a pipeline's file: what an author can write, and what is said about mistakes.

Each type has `parse`, which the validation of files calls, and says in `expected` what must stand
where a list or a mapping was given.
"""

import re
from collections.abc import Sequence
from typing import Any, ClassVar, Final, Self

from gatehouse.conditions.catalogue import Catalogue
from gatehouse.conditions.nodes import Type
from gatehouse.core.documents import suggestion
from gatehouse.core.errors import InvalidInput
from gatehouse.core.money import parse_amount
from gatehouse.core.redaction import recordable

LONGEST_NAME: Final = 80
LONGEST_DESCRIPTION: Final = 500
NEVER: Final = "never"

_INPUT_TYPES: Final = (Type.NUMBER, Type.TEXT, Type.BOOLEAN)
_NUMBER: Final = re.compile(r"[1-9][0-9]{0,5}", re.ASCII)
_RULE_SET: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}", re.ASCII)


class PlainText(str):
    """A text on one line that is fit to be shown."""

    expected: ClassVar = "must be a text"
    longest: ClassVar = LONGEST_NAME

    @classmethod
    def parse(cls, text: str) -> Self:
        """Accept a text of limited length, with its white space made single blanks."""
        value = " ".join(text.split())
        if not value:
            raise ValueError("is empty: write something, or leave the line out")
        if len(value) > cls.longest:
            raise ValueError(f"is too long: use {cls.longest} characters at most")
        if recordable(value) != value:
            raise ValueError("must hold no card number and no control characters")
        return cls(value)


class LongText(PlainText):
    """A text of several sentences."""

    longest: ClassVar = LONGEST_DESCRIPTION


class RuleSetName(PlainText):
    """The name of a rule set."""

    @classmethod
    def parse(cls, text: str) -> Self:
        """Accept what a rule set can be called."""
        name = super().parse(text)
        if _RULE_SET.fullmatch(name) is None:
            raise ValueError(f"{quoted(name)} cannot be the name of a rule set")
        return name


class PipelineNumber(int):
    """The number by which callers name a pipeline."""

    expected: ClassVar = "must be a number from 1 to 999999"

    @classmethod
    def parse(cls, text: str) -> Self:
        """Accept a number without signs or leading zeros."""
        if _NUMBER.fullmatch(text) is None:
            raise ValueError(cls.expected)
        return cls(text)


class StageFee(int):
    """The fee of a stage in micros."""

    expected: ClassVar = PlainText.expected

    @classmethod
    def parse(cls, text: str) -> Self:
        """Accept an amount that is not negative."""
        micros = parse_amount(PlainText.parse(text))
        if micros < 0:
            raise ValueError("a fee cannot be negative")
        return cls(micros)


class ConditionText(str):
    """A condition that is not read yet."""

    expected: ClassVar = f"must be a condition, or {NEVER}"

    @classmethod
    def parse(cls, text: str) -> Self:
        """Accept any text that is not blank."""
        if not text.strip():
            raise ValueError(cls.expected)
        return cls(text)


def input_problem(key: str, value: Any) -> str | None:
    """What is wrong with the declaration of a custom input."""
    try:
        Catalogue({key: Type.TEXT})
    except InvalidInput:
        return (
            "cannot name an input: use up to 64 letters, digits and underscores, not a digit first"
        )
    if not isinstance(value, str) or value not in _INPUT_TYPES:
        return must_be_one_of(value if isinstance(value, str) else "", _INPUT_TYPES, "type")
    return None


def must_be_one_of(word: str, known: Sequence[str], what: str) -> str:
    """What to say about a word that is none of the known ones."""
    return f"no {what} {quoted(word)}{suggestion(word, known)}"


def quoted(text: str) -> str:
    """What an author wrote, short and without anything that a terminal or a log must not see."""
    plain = (char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in text)
    shown = recordable("".join(plain))
    return f"'{shown[:40]}...'" if len(shown) > 40 else f"'{shown}'"

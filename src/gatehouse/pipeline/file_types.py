"""The scalars of a pipeline's file: what an author can write, and what is said about mistakes.

Each function takes what stands in the file, and raises `ValueError` about what cannot be used.
"""

import re
from collections.abc import Sequence
from enum import StrEnum
from typing import Any, Final, TypeVar

from gatehouse.billing.fees import FEE_NAME
from gatehouse.conditions.catalogue import Catalogue
from gatehouse.conditions.nodes import Type
from gatehouse.core.cards.redaction import recordable
from gatehouse.core.documents.reading import suggestion
from gatehouse.core.errors import InvalidInput
from gatehouse.core.money import parse_amount
from gatehouse.core.stages.outcomes import OnFailure
from gatehouse.core.wording.sentences import Phrase
from gatehouse.pipeline.definition import CaptureWhen, OnDeclinedReview, Pay

_WHAT_TYPE: Final = Phrase("document.what_type", "type")

_TEXT: Final = Phrase("document.text", "must be a text")
_EMPTY_TEXT: Final = Phrase(
    "document.empty_text", "is empty: write something, or leave the line out"
)
_LONG_TEXT: Final = Phrase("document.long_text", "is too long: use {most} characters at most")
_UNFIT_TEXT: Final = Phrase(
    "document.unfit_text", "must hold no card number and no control characters"
)
_RULE_SET_NAME: Final = Phrase("document.rule_set_name", "{name} cannot be the name of a rule set")
_PIPELINE_NUMBER: Final = Phrase("document.pipeline_number", "must be a number from 1 to 999999")
_FEE_NEGATIVE: Final = Phrase("document.fee_negative", "a fee cannot be negative")
_WAY_TO_FAIL: Final = Phrase("document.way_to_fail", "way to fail")
_CHOICE_OF_PAY: Final = Phrase("document.choice_of_pay", "choice of what is paid")
_WAY_TO_END: Final = Phrase("document.way_to_end", "way to end a payment")
_TIME_TO_CAPTURE: Final = Phrase("document.time_to_capture", "time to capture a payment")
_CONDITION: Final = Phrase("document.condition", "must be a condition, or {word}")
_INPUT_NAME: Final = Phrase(
    "document.input_name",
    "cannot name an input: use up to 64 letters, digits and underscores, not a digit first",
)
_NONE_SUCH: Final = Phrase("document.none_such", "no {what} {word}{hint}")

LONGEST_NAME: Final = 80
LONGEST_DESCRIPTION: Final = 500
NEVER: Final = "never"

W = TypeVar("W", bound=StrEnum)

_INPUT_TYPES: Final = (Type.NUMBER, Type.TEXT, Type.BOOLEAN)
_NUMBER: Final = re.compile(r"[1-9][0-9]{0,5}", re.ASCII)
_RULE_SET: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}", re.ASCII)


def plain_text(value: Any, longest: int = LONGEST_NAME) -> str:
    """A text on one line that is fit to be shown, with its white space made single blanks."""
    if not isinstance(value, str):
        raise ValueError(_TEXT())
    text = " ".join(value.split())
    if not text:
        raise ValueError(_EMPTY_TEXT())
    if len(text) > longest:
        raise ValueError(_LONG_TEXT(most=longest))
    if recordable(text) != text:
        raise ValueError(_UNFIT_TEXT())
    return text


def description_text(value: Any) -> str:
    """A text of several sentences."""
    return plain_text(value, LONGEST_DESCRIPTION)


def rule_set_name(value: Any) -> str:
    """The name of a rule set."""
    name = plain_text(value)
    if _RULE_SET.fullmatch(name) is None:
        raise ValueError(_RULE_SET_NAME(name=quoted(name)))
    return name


def pipeline_number(value: Any) -> int:
    """The number by which callers name a pipeline, without signs or leading zeros."""
    if not isinstance(value, str) or _NUMBER.fullmatch(value) is None:
        raise ValueError(_PIPELINE_NUMBER())
    return int(value)


def stage_fee(value: Any) -> int | str:
    """The fee of a stage in micros, or the name of one."""
    text = plain_text(value)
    if FEE_NAME.fullmatch(text) is not None:
        return text
    micros = parse_amount(text)
    if micros < 0:
        raise ValueError(_FEE_NEGATIVE())
    return micros


def failure_action(value: Any) -> OnFailure:
    """What follows when a stage fails."""
    return _word_of(OnFailure, value, _WAY_TO_FAIL())


def pay_choice(value: Any) -> Pay:
    """Which requests a payment is asked for."""
    return _word_of(Pay, value, _CHOICE_OF_PAY())


def declined_review_action(value: Any) -> OnDeclinedReview:
    """What follows for the payment when a review is declined."""
    return _word_of(OnDeclinedReview, value, _WAY_TO_END())


def capture_time(value: Any) -> CaptureWhen:
    """When a payment is captured."""
    return _word_of(CaptureWhen, value, _TIME_TO_CAPTURE())


def _word_of(words: type[W], value: Any, what: str) -> W:
    word, choices = plain_text(value), [each.value for each in words]
    if word not in choices:
        raise ValueError(must_be_one_of(word, choices, what))
    return words(word)


def condition_text(value: Any) -> str:
    """A condition that is not read yet."""
    if not isinstance(value, str) or not value.strip():
        raise ValueError(_CONDITION(word=NEVER))
    return value


def input_problem(key: str, value: Any) -> str | None:
    """What is wrong with the declaration of a custom input."""
    try:
        Catalogue({key: Type.TEXT})
    except InvalidInput:
        return _INPUT_NAME()
    if not isinstance(value, str) or value not in _INPUT_TYPES:
        return must_be_one_of(value if isinstance(value, str) else "", _INPUT_TYPES, _WHAT_TYPE())
    return None


def must_be_one_of(word: str, known: Sequence[str], what: str) -> str:
    """What to say about a word that is none of the known ones."""
    return _NONE_SUCH(what=what, word=quoted(word), hint=suggestion(word, known))


def quoted(text: str) -> str:
    """What an author wrote, short and without anything that a terminal or a log must not see."""
    plain = (char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in text)
    shown = recordable("".join(plain))
    return f"'{shown[:40]}...'" if len(shown) > 40 else f"'{shown}'"

"""Says a condition as a sentence for people who do not read the language of rules.

The words are made of the tree. What a signal is about comes from the catalogue; what has no plain
words, such as a sum, is written as in the language itself.
"""

import re
from collections.abc import Callable
from typing import Final

from gatehouse.conditions import nodes
from gatehouse.conditions.catalogue import CUSTOM, SIGNALS
from gatehouse.conditions.nodes import Condition, Node
from gatehouse.core.wording.sentences import (
    Phrase,
    Sentence,
    all_of,
    any_either,
    any_of,
    phrases_of,
    row,
)

Say = Callable[[Sentence], str]
"""Says a sentence in the language of a person."""

SIGNAL_ABOUT: Final = phrases_of("signal", {name: each.about for name, each in SIGNALS.items()})
"""What each signal is about."""
_BRACKETS: Final = re.compile(r"\s*\([^)]*\)")
_REST: Final = re.compile(r"[,;:] .*", re.DOTALL)
_SMALL_WORDS: Final = frozenset({"die", "der", "das", "ein", "eine", "es", "was", "wer", "wie"})
"""Words that begin a German description and are no nouns."""
_SHORT: Final = phrases_of(
    "plain.signal",
    {
        "order.amount": "the amount",
        "order.currency": "the currency",
        "order.items": "the number of lines in the cart",
        "card.fingerprint": "the card",
        "card.accountFingerprint": "the account behind the card",
        "card.bin": "the BIN of the card",
        "card.brand": "the brand of the card",
        "card.funding": "the funding of the card",
        "email.fingerprint": "the e-mail address",
        "phone.fingerprint": "the phone number",
        "user.id": "the customer",
        "device.id": "the device",
        "sentry.requestConfidence": "Sentry's confidence in the request",
        "sentry.userConfidence": "Sentry's confidence in the customer",
    },
)
"""Signals whose description is no name."""

_COMPARED: Final = phrases_of(
    "plain.compared",
    {
        "=": "{left} is {right}",
        "<>": "{left} is not {right}",
        "<": "{left} is less than {right}",
        "<=": "{left} is at most {right}",
        ">": "{left} is more than {right}",
        ">=": "{left} is at least {right}",
    },
)
_OPPOSITE: Final = {"=": "<>", "<>": "=", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}
_SUM: Final = Phrase("plain.sum", "({left} {operator} {right})")
_FUNCTION: Final = Phrase("plain.function", "{name}({given})")
_NUMBER_OF: Final = Phrase("plain.number_of", "the number of {what}")
_NOT: Final = Phrase("plain.not", "it is not so that {what}")
_GROUP: Final = Phrase("plain.group", "({what})")
_LISTED: Final = Phrase("plain.listed", "{what} is on the list {list}")
_NOT_LISTED: Final = Phrase("plain.not_listed", "{what} is not on the list {list}")
_NOT_ONE: Final = Phrase("plain.not_one", "{what} is none of {options}")
_LIKE: Final = Phrase("plain.like", "{what} looks like {pattern}")
_MISSING: Final = Phrase("plain.missing", "{what} is not known")
_KNOWN: Final = Phrase("plain.known", "{what} is known")
_CALLS: Final = phrases_of(
    "plain.call",
    {
        "STARTS_WITH": "{one} begins with {other}",
        "ENDS_WITH": "{one} ends with {other}",
        "CONTAINS": "{one} contains {other}",
        "HAS": "{one} has {other}",
    },
)
_OUTCOMES: Final = phrases_of(
    "plain.rule",
    {
        "ACCEPT": "Accept if {condition}.",
        "REVIEW": "Review if {condition}.",
        "DECLINE": "Decline if {condition}.",
    },
)


def rule_in_words(outcome: str, condition: Condition, say: Say = str) -> str:
    """A rule as one sentence, in the language that `say` speaks."""
    said = _Speaker(say).words(condition.root) or " ".join(condition.text.split())
    return say(_OUTCOMES[outcome](condition=said))


class _Speaker:
    """Puts sentences together in one language."""

    def __init__(self, say: Say) -> None:
        self._say = say

    def words(self, node: Node) -> str:  # one branch for each kind of node
        """What a condition asks; empty where there are no plain words for it."""
        match node:
            case nodes.Both(parts):
                return self._joined(parts, nodes.Either, all_of)
            case nodes.Either(parts):
                return self._joined(parts, nodes.Both, any_either)
            case nodes.Compare(operator, left, right):
                return self._filled(
                    _COMPARED[operator], left=self.name(left), right=self.name(right)
                )
            case nodes.OneOf(value, options):
                named = [self.name(each) for each in options]
                either = any_of(named) if all(named) else ""
                return self._filled(_COMPARED["="], left=self.name(value), right=either)
            case nodes.Listed(signal, name):
                return self._filled(_LISTED, what=self.name(signal), list=name)
            case nodes.Like(value, pattern, _):
                return self._filled(_LIKE, what=self.name(value), pattern=f"“{pattern}”")
            case nodes.IsNull(value):
                return self._filled(_MISSING, what=self.name(value))
            case nodes.Call(function, (one, other), _) if function in _CALLS:
                return self._filled(_CALLS[function], one=self.name(one), other=self.name(other))
            case nodes.Not(inner):
                return self._opposite(inner)
        return self.name(node)

    def _opposite(self, node: Node) -> str:
        match node:
            case nodes.Compare(operator, left, right):
                return self.words(nodes.Compare(_OPPOSITE[operator], left, right))
            case nodes.OneOf(value, options):
                named = [self.name(each) for each in options]
                none = row(named) if all(named) else ""
                return self._filled(_NOT_ONE, what=self.name(value), options=none)
            case nodes.Listed(signal, name):
                return self._filled(_NOT_LISTED, what=self.name(signal), list=name)
            case nodes.IsNull(value):
                return self._filled(_KNOWN, what=self.name(value))
        said = self.words(node)
        is_group = isinstance(node, nodes.Both | nodes.Either)
        return self._filled(_NOT, what=self._filled(_GROUP, what=said) if is_group else said)

    def _joined(
        self, parts: tuple[Node, ...], other: type, join: Callable[[list[str]], str]
    ) -> str:
        """Conditions in a row, with brackets around those that are joined the other way."""
        said = [
            self._filled(_GROUP, what=self.words(each))
            if isinstance(each, other)
            else self.words(each)
            for each in parts
        ]
        return join(said) if all(said) else ""

    def name(self, node: Node) -> str:
        """What a value is called."""
        match node:
            case nodes.Literal(value):
                return _literal(value)
            case nodes.Signal(name, _):
                return self._signal(name)
            case nodes.Arithmetic(operator, left, right):
                pair = {"left": self.name(left), "right": self.name(right)}
                return self._filled(_SUM, **pair, operator=operator)
            case nodes.Call(function, arguments, _):
                given = [self.name(each) for each in arguments]
                said = row(given) if all(given) else ""
                return self._filled(_FUNCTION, name=function, given=said)
        return ""

    def _signal(self, name: str) -> str:
        short = _SHORT.get(name)
        if short is not None:
            return short()
        about = SIGNAL_ABOUT.get(name)
        if about is None:
            return f"“{name.removeprefix(CUSTOM)}”"
        english = about()
        said = self._say(english)
        label = _REST.sub("", _BRACKETS.sub("", said).rstrip("."))
        # A German text that begins with a noun keeps its capital.
        first = label.partition(" ")[0]
        is_small = first.lower() in _SMALL_WORDS or (said == english and not first[1:].isupper())
        label = label[:1].lower() + label[1:] if is_small else label
        counts = name.startswith("velocity.") and ".amount" not in name
        return _NUMBER_OF(what=label) if counts else label

    def _filled(self, phrase: Phrase, **values: str) -> str:
        return phrase(**values) if all(values.values()) else ""


def _literal(value: bool | float | str | None) -> str:
    match value:
        case None:
            return "NULL"
        case bool():
            return str(value).lower()
        case str():
            return f"“{value}”"
    return f"{value:.15g}"

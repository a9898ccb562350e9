"""The merchant's own key/value pairs in a request: how many there may be, and which are dropped.

A security code or a PIN must not be kept in any form, and what is sent here is recorded and
compared. A value that may be one, under a key that is named like one, is therefore taken out. A
customer's number under `cid`, or a postal code under `pinCode`, is no code and stays.
"""

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from typing import Annotated, Any, Final

from msgspec import Meta

from gatehouse.core.reading.validation import join_path, shown_key
from gatehouse.core.wording.sentences import Phrase

MOST_KEYS: Final = 500
_CONTAINERS: Final = frozenset((dict, list))
_DEEPEST: Final = 32
_LONGEST_CODE: Final = 4
_SHORTEST_CODE: Final = 3
_LONGEST_NAME: Final = 64
_CODE_NAME: Final = re.compile(
    r"(?:(?:card|cc|credit|debit|payment|customers?|users?|buyers?|holders?|billing|my|the)*)"
    r"(?:cvv|cvc|ccv|cvn|cvd|cvx|cav|cid|csc|cvvc|pin|securitycode"
    r"|cardsecurity|cardverification)"
    r"[123]?(?:values?|codes?|numbers?|num|no|nr|digits?|data|block|plain|raw)*[123]?"
)
_IS_CODE: Final = Phrase(
    "invalid.code_name",
    "may be a security code or a PIN, which must never be kept, and is ignored: send the code "
    "as cardCvv2Value and nowhere else, or give the key another name",
)
_TOO_DEEP: Final = Phrase("invalid.custom_deep", "must not be nested more than {most} levels deep")

_Path = tuple[str | int, ...]
CustomValue = str | int | float | bool | list[Any] | dict[str, Any]
CustomInputs = Annotated[dict[str, CustomValue], Meta(max_length=MOST_KEYS)]


def custom_problems(inputs: object) -> Iterator[tuple[str, str]]:
    """What may not be there, also deeper inside, and what to say about each."""
    if not inputs or not isinstance(inputs, dict) or _is_plain(inputs):
        return iter(())
    return _problems_inside(inputs)


def take_codes(inputs: dict[str, Any]) -> dict[str, str]:
    """Remove what may be a code, also deeper inside; returns what to say, by path."""
    taken: dict[str, str] = {}
    for path, value in list(_containers(inputs)):
        for key in _code_keys(value):
            del value[key]
            taken[_shown((*path, key))] = _IS_CODE()
    return taken


def _is_plain(inputs: dict[str, Any]) -> bool:
    """Whether there is nothing to look into and no key to look at, as in nearly all requests.

    This takes about half the time of the walk below.
    """
    return (
        _CONTAINERS.isdisjoint(map(type, inputs.values()))
        and max(map(len, inputs)) <= _LONGEST_NAME
        and True not in map(_names_code, inputs)
    )


def _problems_inside(inputs: dict[str, Any]) -> Iterator[tuple[str, str]]:
    for path, value in _containers(inputs):
        if len(path) >= _DEEPEST:
            yield _shown(path), _TOO_DEEP(most=_DEEPEST)
        for key in _code_keys(value):
            yield _shown((*path, key)), _IS_CODE()


def _containers(inputs: Any) -> Iterator[tuple[_Path, Any]]:
    """All objects and arrays of the inputs, down to those that are too deep."""
    waiting: list[tuple[_Path, Any]] = [((), inputs)]
    while waiting:
        path, value = waiting.pop()
        yield path, value
        if len(path) < _DEEPEST:
            pairs = value.items() if isinstance(value, dict) else enumerate(value)
            waiting += [((*path, key), inner) for key, inner in pairs if type(inner) in _CONTAINERS]


def _code_keys(value: Any) -> list[str]:
    """The keys of an object that are named like a code and may hold one."""
    if not isinstance(value, dict):
        return []
    return [
        key
        for key, inner in value.items()
        if len(key) <= _LONGEST_NAME and _names_code(key) and _may_be_code(inner)
    ]


def _may_be_code(value: Any) -> bool:
    if type(value) not in _CONTAINERS:
        # A number has lost the zeros that a code may begin with.
        return _digits(value) >= (_SHORTEST_CODE if isinstance(value, str) else 1)
    inside = (each for _, one in _containers(value) for each in _scalars(one))
    return any(_digits(each) for each in inside)


def _scalars(value: Any) -> Iterator[Any]:
    each = value.values() if isinstance(value, dict) else value
    return (one for one in each if type(one) not in _CONTAINERS)


def _digits(value: Any) -> int:
    """How many digits a value has that holds nothing else; 0 when they are more than a code's."""
    if isinstance(value, bool):
        return 0
    text = unicodedata.normalize("NFKC", str(value)[:_LONGEST_NAME])
    plain = "".join(filter(str.isalnum, text.removesuffix(".0")))
    return len(plain) if plain.isdecimal() and len(plain) <= _LONGEST_CODE else 0


def _shown(path: _Path) -> str:
    """A path as callers read it; it is made only for what is reported."""
    shown = "customInputs"
    for key in path:
        shown = f"{shown}[{key}]" if isinstance(key, int) else join_path(shown, shown_key(key))
    return shown


@lru_cache(maxsize=4096)
def _names_code(key: str) -> bool:
    plain = unicodedata.normalize("NFKC", key).casefold()
    return _CODE_NAME.fullmatch("".join(filter(str.isalnum, plain))) is not None

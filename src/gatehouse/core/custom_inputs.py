"""The merchant's own key/value pairs in a request: how many there may be, and which keys may not.

A security code or a PIN must not be kept in any form, and what is sent here is recorded and
compared. A key that is named like one is therefore refused.
"""

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from typing import Annotated, Any, Final

from msgspec import Meta

from gatehouse.core.sentences import Phrase
from gatehouse.core.validation import join_path, shown_key

MOST_KEYS: Final = 500
_CONTAINERS: Final = frozenset((dict, list))
_DEEPEST: Final = 32
_LONGEST_NAME: Final = 64
_CODE_NAME: Final = re.compile(
    r"(?:(?:card|cc|credit|debit|payment|customers?|users?|buyers?|holders?|billing|my|the)*)"
    r"(?:cvv|cvc|ccv|cvn|cvd|cvx|cav|cid|csc|cvvc|pin|securitycode"
    r"|cardsecurity|cardverification)"
    r"[123]?(?:values?|codes?|numbers?|num|no|nr|digits?|data|block|plain|raw)*[123]?"
)
_IS_CODE: Final = Phrase(
    "invalid.code_name",
    "is named like a security code or a PIN, which must never be kept: send the code as "
    "cardCvv2Value and nowhere else, or give the key another name",
)
_TOO_DEEP: Final = Phrase("invalid.custom_deep", "must not be nested more than {most} levels deep")

_Path = tuple[str | int, ...]
CustomValue = str | int | float | bool | list[Any] | dict[str, Any]
CustomInputs = Annotated[dict[str, CustomValue], Meta(max_length=MOST_KEYS)]


def custom_problems(inputs: object) -> Iterator[tuple[str, str]]:
    """The keys that may not be there, also those deeper inside, and what to say about each."""
    if not inputs or not isinstance(inputs, dict) or _is_plain(inputs):
        return iter(())
    return _problems_inside(inputs)


def _is_plain(inputs: dict[str, Any]) -> bool:
    """Whether there is nothing to look into and no key to complain of, as in nearly all requests.

    This takes about half the time of the walk below.
    """
    return (
        _CONTAINERS.isdisjoint(map(type, inputs.values()))
        and max(map(len, inputs)) <= _LONGEST_NAME
        and True not in map(_names_code, inputs)
    )


def _problems_inside(inputs: dict[str, Any]) -> Iterator[tuple[str, str]]:
    waiting: list[tuple[_Path, Any]] = [((), inputs)]
    while waiting:
        path, value = waiting.pop()
        if len(path) >= _DEEPEST:
            yield _shown(path), _TOO_DEEP(most=_DEEPEST)
            continue
        if isinstance(value, dict):
            for key in value:
                if len(key) <= _LONGEST_NAME and _names_code(key):
                    yield _shown((*path, key)), _IS_CODE()
        pairs = value.items() if isinstance(value, dict) else enumerate(value)
        waiting += [((*path, key), inner) for key, inner in pairs if type(inner) in _CONTAINERS]


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

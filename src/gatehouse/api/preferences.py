"""Reads what a caller prefers: the `Prefer` header of RFC 7240."""

import re
from collections.abc import Iterator
from typing import Final

from gatehouse.access.addresses import Header
from gatehouse.api.context import RequestContext

STRICT_APPLIED: Final[Header] = (b"preference-applied", b"handling=strict")
_MOST_PREFERENCES: Final = 100
_WORD: Final = r'[^\s,;="]+|"(?:[^"\\]|\\.)*"'
_PREFERENCE: Final = re.compile(
    rf'\s*(?P<name>[^\s,;="]+)(?:\s*=\s*(?P<value>{_WORD}))?(?:[^,"]|"(?:[^"\\]|\\.)*")*'
)


def wants_strict_handling(context: RequestContext) -> bool:
    """Whether fields that nothing reads are to be errors: `Prefer: handling=strict`."""
    if b"prefer" not in context.headers:
        return False
    lines = [
        value.decode("latin-1") for name, value in context.scope["headers"] if name == b"prefer"
    ]
    # Several lines are one list, and of a preference that is given twice the first counts.
    handling = next(
        (value for name, value in _preferences(", ".join(lines)) if name == "handling"), ""
    )
    return handling == "strict"


def _preferences(text: str) -> Iterator[tuple[str, str]]:
    """Each preference with its value, both in lower case, without its parameters."""
    start = 0
    for _ in range(_MOST_PREFERENCES):
        found = _PREFERENCE.match(text, start)
        if found is not None:
            value = found["value"] or ""
            yield found["name"].lower(), re.sub(r"\\(.)", r"\1", value.strip('"')).lower()
        comma = text.find(",", start if found is None else found.end())
        if comma < 0:
            return
        start = comma + 1

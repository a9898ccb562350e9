"""Words that stand where a name should be, and name nobody."""

from typing import Final

_NOBODY: Final = frozenset(
    {
        *("", "0", "-1", "-", "?", "null", "none", "nil", "undefined", "unknown", "nan", "n/a"),
        *("na", "empty", "guest", "anonymous", "anon", "test", "false", "[object object]"),
        "00000000-0000-0000-0000-000000000000",
    }
)
_LONGEST: Final = max(map(len, _NOBODY))


def drop_placeholder(value: str | int | None) -> str | int | None:
    """The value, or None when it names nobody: what everyone sends is nobody's own."""
    if value is None:
        return None
    text = str(value)
    return None if len(text) <= _LONGEST and text.strip().lower() in _NOBODY else value

"""Placeholders that programs send where an id or a name should be."""

from typing import Final

_PLACEHOLDERS: Final = frozenset(
    {
        *("", "0", "-1", "-", "?", "null", "none", "nil", "undefined", "unknown", "nan", "n/a"),
        *("na", "empty", "guest", "anonymous", "anon", "test", "false", "[object object]"),
        "00000000-0000-0000-0000-000000000000",
    }
)
_LONGEST: Final = max(map(len, _PLACEHOLDERS))


def drop_placeholder(value: str | int | None) -> str | int | None:
    """The value, or None for a placeholder such as "unknown"."""
    if value is None:
        return None
    text = str(value)
    return None if len(text) <= _LONGEST and text.strip().lower() in _PLACEHOLDERS else value

"""Types for values that must not leave the process by accident: they do not show their value."""

import hmac
from typing import Any, NoReturn, Self

import msgspec


class Personal(msgspec.Struct, frozen=True):
    """A struct that holds personal data: it is used as any other, but never printed."""

    def __repr__(self) -> str:
        return f"{type(self).__name__}(…)"

    def __rich_repr__(self) -> list[tuple[str, Any]]:
        return []


class Secret:
    """A value whose every printed, logged, copied or serialised form is masked or refused."""

    __slots__ = ("_value",)
    _value: str

    @classmethod
    def _wrap(cls, value: str) -> Self:
        secret = object.__new__(cls)
        object.__setattr__(secret, "_value", value)
        return secret

    def reveal(self) -> str:
        """The bare value, for the one party that must have it."""
        return self._value

    def masked(self) -> str:
        """What may be shown instead of the value."""
        return "***"

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.masked()})"

    def __str__(self) -> str:
        return self.masked()

    def __format__(self, spec: str) -> str:
        return format(self.masked(), spec)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Secret):
            return NotImplemented
        return hmac.compare_digest(self._value.encode(), other._value.encode())

    def __hash__(self) -> int:
        return hash((type(self), self._value))

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"{type(self).__name__} cannot be changed")

    def __reduce__(self) -> NoReturn:
        raise TypeError(f"{type(self).__name__} cannot be pickled or copied")

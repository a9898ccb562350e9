"""What all requests and answers have in common: they cannot be changed, and hide what is secret."""

import re
from enum import Enum
from typing import Any, Final

import msgspec

HIDDEN: Final = frozenset(
    {
        "api_key",
        "authentication_value",
        "card_cvv2_value",
        "card_holder_email_address",
        "card_holder_ids",
        "card_holder_name",
        "card_holder_phone_number",
        "card_number",
        "driverlicense",
        "email",
        "first_name",
        "key",
        "last_name",
        "middle_name",
        "nationalidentity",
        "passport",
        "payment_account_reference",
        "phone",
        "secret",
        "tax",
    }
)
"""Fields that are never shown."""
_DIGITS: Final = re.compile(r"(?<!\d)\d(?:[ -]?\d){11,18}(?!\d)")


def without_cards(text: str) -> str:
    """A text in which anything that may be a card number is replaced."""
    return _DIGITS.sub("[hidden]", text)


def shown(name: str, value: Any) -> str:
    """The value of a field as it may be shown."""
    if name in HIDDEN and value is not None:
        return "'[hidden]'"
    return without_cards(repr(value))


class Struct(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """A part of a request or of an answer; fields that it does not know are passed over."""

    def __repr__(self) -> str:
        pairs = ((name, getattr(self, name)) for name in self.__struct_fields__)
        inside = ", ".join(f"{name}={shown(name, value)}" for name, value in pairs)
        return f"{type(self).__name__}({inside})"


class OpenEnum(str, Enum):
    """Words of the API. A word that this version does not know becomes a member of its own."""

    @classmethod
    def _missing_(cls, value: object) -> "OpenEnum | None":
        if not isinstance(value, str):
            return None
        member = str.__new__(cls, value)
        member._name_ = value
        member._value_ = value
        return member

    @property
    def is_known(self) -> bool:
        """Whether this version of the client knows the word."""
        return self._name_ in type(self).__members__

    def __eq__(self, other: object) -> bool:
        return str.__eq__(self, other) if isinstance(other, str) else NotImplemented

    def __hash__(self) -> int:
        return str.__hash__(self)

    def __str__(self) -> str:
        return str(self._value_)

"""What a value of a custom input looks like, and what the name of its key says.

An amount comes back by chance and a date all day long. Neither is an identifier, however often its
values repeat.
"""

import re
from enum import IntEnum
from typing import Any, Final

_MOST_TEXTS: Final = 5
_MOST_OF_LIST: Final = 20
_LONGEST_WORD: Final = 96
_MANY_WORDS: Final = 7
_DIGITS: Final = re.compile(r"-?[0-9]{1,18}")
_AMOUNT: Final = r"[-+]?(?:[0-9]{1,3}(?:[,.'][0-9]{3})+|[0-9]+)"
_DECIMAL: Final = re.compile(
    # "12.50", "-3,5", "1,234.00", "$ 12", "12 EUR", "40%"
    rf"{_AMOUNT}[.,][0-9]+(?:\s?(?:[^\w\s]|[A-Za-z]{{3}}))?"
    rf"|[^\w\s]\s?{_AMOUNT}|{_AMOUNT}(?:\s?[^\w\s]|\s[A-Za-z]{{3}})"
)
_DATE: Final = r"\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.](?:\d{4}|\d{2})"
_MOMENT: Final = re.compile(
    # "2026-11-18T09:30:00Z", "18.11.2026", "11/18/26 9:30", "09:30:00"
    rf"(?:{_DATE})(?:[T ,].*)?|\d{{1,2}}:\d{{2}}(?::\d{{2}}.*)?"
)
_SECONDS: Final = range(1_420_000_000, 2_200_000_000)
"""Since 1970, from 2015 to 2039."""
_MILLISECONDS: Final = range(_SECONDS.start * 1000, _SECONDS.stop * 1000)
_FLAGS: Final = frozenset(("true", "false", "yes", "no", "y", "n", "t", "f", "on", "off", "0", "1"))
_LONGEST_FLAG: Final = max(map(len, _FLAGS))
_PARTS_OF_NAME: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[^\W\d_A-Za-z]+")
_MEASURES: Final = frozenset(
    (
        *("age", "amount", "amt", "average", "avg", "balance", "cents", "cost", "count"),
        *("counts", "date", "day", "days", "debt", "delay", "depth", "discount", "distance"),
        *("dob", "duration", "epoch", "fee", "height", "hour", "hours", "income", "lat"),
        *("latitude", "length", "limit", "lng", "lon", "longitude", "max", "mean", "measure"),
        *("millis", "min", "minute", "minutes", "month", "months", "ms", "orders", "pct"),
        *("percent", "percentage", "points", "price", "qty", "quantity", "rate", "ratio", "risk"),
        *("salary", "score", "seconds", "size", "speed", "spend", "spent", "sum", "tax", "time"),
        *("timestamp", "total", "ts", "turnover", "value", "visits", "volume", "weight", "width"),
        *("year", "years"),
    )
)
_NAMES: Final = frozenset(
    (
        *("account", "acquirer", "affiliate", "agent", "bank", "bin", "branch", "brand"),
        *("campaign", "card", "cashier", "client", "code", "cookie", "courier", "customer"),
        *("device", "driver", "email", "employee", "fingerprint", "guid", "hash", "host", "iban"),
        *("id", "ident", "identifier", "ids", "imei", "item", "key", "mac", "mail", "make"),
        *("maker", "mcc", "member", "merchant", "mobile", "model", "partner", "payee", "phone"),
        *("pos", "postcode", "product", "ref", "reference", "reseller", "seller", "serial"),
        *("shop", "sku", "store", "supplier", "tenant", "terminal", "token", "uid", "user"),
        *("uuid", "vendor", "visitor", "wallet", "zip"),
    )
)

_PERSONAL: Final = frozenset(
    (
        *("account", "client", "cookie", "customer", "device", "email", "fingerprint", "iban"),
        *(
            "imei",
            "loyalty",
            "mac",
            "mail",
            "member",
            "mobile",
            "phone",
            "user",
            "visitor",
            "wallet",
        ),
    )
)


class Shape(IntEnum):
    """What a value looks like."""

    WORD = 0
    """A name, a code, a hash: what identifiers and categories are made of."""
    NUMBER = 1
    """A whole number: an identifier, or a measure."""
    MEASURE = 2
    """A number with a fraction, perhaps with a currency."""
    MOMENT = 3
    FLAG = 4
    TEXT = 5
    """Several words: what somebody wrote, or the name of an article."""


class NameHint(IntEnum):
    """What the name of a key says about whole numbers under it."""

    NOTHING = 0
    IDENTIFIER = 1
    MEASURE = 2


def texts_in(value: list[Any]) -> list[str]:
    """The first few different texts of a list, such as the makers of all goods in a cart."""
    texts = [each for each in value[:_MOST_OF_LIST] if isinstance(each, str)]
    return list(dict.fromkeys(texts))[:_MOST_TEXTS]


def shape_of(value: Any) -> Shape | None:
    """The shape of a scalar; None for anything else."""
    if isinstance(value, bool):
        return Shape.FLAG
    if isinstance(value, int):
        return _shape_of_number(value)
    if isinstance(value, float):
        whole = value.is_integer() and abs(value) < 1e15
        return _shape_of_number(int(value)) if whole else Shape.MEASURE
    return _shape_of_text(value) if isinstance(value, str) else None


def _shape_of_number(value: int) -> Shape:
    is_moment = value in _SECONDS or value in _MILLISECONDS
    return Shape.MOMENT if is_moment else Shape.NUMBER


def _shape_of_text(value: str) -> Shape:
    if len(value) > _LONGEST_WORD or len(text := value.strip()) > _LONGEST_WORD:
        return Shape.TEXT
    if len(text) <= _LONGEST_FLAG and text.lower() in _FLAGS:
        return Shape.FLAG
    # Most values begin with a letter, as no number, moment or amount does.
    if not text[:1].isalpha():
        shape = _shape_of_figures(text)
        if shape is not None:
            return shape
    return Shape.TEXT if len(text.split(None, _MANY_WORDS)) >= _MANY_WORDS else Shape.WORD


def _shape_of_figures(text: str) -> Shape | None:
    if _DIGITS.fullmatch(text) is not None:
        # No measure begins with a zero; codes do.
        return Shape.WORD if text.startswith("0") else _shape_of_number(int(text))
    if _MOMENT.fullmatch(text) is not None:
        return Shape.MOMENT
    return None if _DECIMAL.fullmatch(text) is None else Shape.MEASURE


def hint_of(key: str) -> NameHint:
    """What a name such as `merchantId` or `order_total` says; the last word that says something."""
    for part in reversed(_PARTS_OF_NAME.findall(key)):
        word = part.lower()
        if word in _NAMES:
            return NameHint.IDENTIFIER
        if word in _MEASURES:
            return NameHint.MEASURE
    return NameHint.NOTHING


def is_personal(key: str) -> bool:
    """Whether a name such as `deviceId` says that each value should be one person's."""
    return any(part.lower() in _PERSONAL for part in _PARTS_OF_NAME.findall(key))

"""What somebody may have meant by what they typed into the one box: pure, without a look-up.

A card number is only ever itself: it becomes no user, no order and nothing that stands in an
address.
"""

import ipaddress
import re
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Final

import msgspec

from gatehouse.conditions.catalogue import SIGNALS
from gatehouse.core.cards.redaction import holds_card_number
from gatehouse.core.ids import is_id
from gatehouse.rules.list_entries import is_hash

LONGEST_TYPED: Final = 254
MOST_MEANT: Final = 8
_SPACES: Final = re.compile(r"[ \-]")
_CARD: Final = re.compile(r"[0-9]{12,19}", re.ASCII)
_EMAIL: Final = re.compile(r"[^@\s]+@([^@\s]+\.[^@\s.]{2,})")
_DOMAIN: Final = re.compile(r"@?((?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z]{2,})", re.I | re.ASCII)
_NETWORK: Final = re.compile(r"AS ?([0-9]{1,10})", re.I | re.ASCII)
_PHONE: Final = re.compile(r"\+[0-9][0-9 ().-]{5,24}", re.ASCII)
_NUMBER: Final = r"[0-9]{1,12}(?:[.,][0-9]{1,6}){0,4}"
_RANGE: Final = rf"({_NUMBER})(?: ?(?:\.\.|–|-) ?({_NUMBER}))?"
_AMOUNT: Final = re.compile(rf"{_RANGE} ?([A-Z]{{3}})|([A-Z]{{3}}) ?{_RANGE}", re.I | re.ASCII)
_SCORE: Final = re.compile(
    r"(score)? ?([<>]=?)? ?([01]?\.[0-9]{1,4}|[01])(?: ?\.\. ?([01]?\.[0-9]{1,4}|[01]))?",
    re.I | re.ASCII,
)
_FINGERPRINT: Final = re.compile(r"card[0-9]+_[A-Za-z0-9_-]{48}", re.ASCII)
_SCORE_SIGNAL: Final = "sentry.requestConfidence"
_MOST_RULES: Final = 3


class Meant(msgspec.Struct, frozen=True):
    """One thing that can be opened or looked for."""

    kind: str
    """What it is, by which it is named on the page."""
    who: str | None = None
    """The filter that looks for what was typed, which no address holds in clear."""
    filters: Mapping[str, str] = {}
    """Filters of the address."""
    page: str = "decisions"
    shown: str = ""
    """What it is about, where that can be shown."""


def meant_by(typed: str, rules: Sequence[str] = ()) -> list[Meant]:
    """What a text can mean, the most likely first; `rules` are the names that an account has."""
    text = " ".join(typed.split())[:LONGEST_TYPED]
    if not text:
        return []
    if names_card(text):
        is_alone = _CARD.fullmatch(grouped_digits(text)) is not None
        return [Meant("cardNumber", "cardNumber")] if is_alone else []
    return list({(each.kind, each.shown): each for each in _all(text, rules)}.values())[:MOST_MEANT]


def names_card(text: str) -> bool:
    """Whether a card number stands in a text, however it is grouped."""
    return holds_card_number(text) or holds_card_number(grouped_digits(text))


def grouped_digits(text: str) -> str:
    """A number as it is without the spaces and dashes between its groups."""
    return _SPACES.sub("", text.strip())


def _all(text: str, rules: Sequence[str]) -> Iterator[Meant]:
    if is_id(text, "req"):
        yield Meant("request", page="decision", shown=text)
        return
    if text in SIGNALS:
        yield Meant("signal", filters={"by": text}, page="explore", shown=text)
        return
    if text.isascii() and text.isdigit():
        yield from _digits(text)
    yield from _named(text)
    yield from _amount(text)
    yield from _score(text)
    yield from _rules(text, rules)
    if " " not in text and not _EMAIL.fullmatch(text):
        for who in ("clientReferenceId", "userId", "transactionId", "deviceId"):
            yield Meant(who, who)


def _digits(text: str) -> Iterator[Meant]:
    if len(text) == 4:
        yield Meant("lastFour", filters={"lastFour": text}, shown=text)
    if len(text) == 8:
        yield Meant("bin", filters={"where": f"card.bin = '{text}'"}, shown=text)
    if len(text) in (6, 7):
        yield Meant("bin", filters={"where": f"STARTS_WITH(card.bin, '{text}')"}, shown=text)


def _named(text: str) -> Iterator[Meant]:
    """What can be told by its form."""
    if found := _EMAIL.fullmatch(text):
        yield Meant("email", "email")
        if _DOMAIN.fullmatch(found[1]):
            yield _of_domain(found[1])
    elif _is_address(text):
        yield Meant("ipAddress", "ipAddress")
    elif found := _DOMAIN.fullmatch(text):
        yield _of_domain(found[1])
    if found := _NETWORK.fullmatch(text):
        asn = str(int(found[1]))
        yield Meant("network", filters={"where": f"ip.asn = {asn}"}, shown=f"AS{asn}")
    if _PHONE.fullmatch(text):
        yield Meant("phone", "phone")
    if _FINGERPRINT.fullmatch(text):
        yield Meant("cardFingerprint", "cardFingerprint")
    if is_hash(text):
        yield Meant("deviceId", "deviceId")


def _of_domain(domain: str) -> Meant:
    name = domain.lower()
    return Meant("domain", filters={"where": f"email.domain = '{name}'"}, shown=name)


def _is_address(text: str) -> bool:
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return True


def _amount(text: str) -> Iterator[Meant]:
    found = _AMOUNT.fullmatch(text)
    if found is None:
        return
    least, most, code = (found[1], found[2], found[3]) if found[3] else found.group(5, 6, 4)
    ends = [_decimal(each) for each in (least, most or least)]
    if None not in ends:
        currency = code.upper()
        shown = f"{ends[0]} {currency}" if most is None else f"{ends[0]} – {ends[1]} {currency}"
        filters = {"least": str(ends[0]), "most": str(ends[1]), "currency": currency}
        yield Meant("amount", filters=filters, shown=shown)


def _decimal(text: str) -> Decimal | None:
    """A number however it is written: its last sign separates decimals unless three follow."""
    last = max(text.rfind("."), text.rfind(","))
    units, decimals = (text, "") if last < 0 else (text[:last], text[last + 1 :])
    if len(decimals) == 3:
        units, decimals = units + decimals, ""
    whole = re.sub("[.,]", "", units)
    return Decimal(f"{whole}.{decimals or '0'}".removesuffix(".0")) if whole else None


def _score(text: str) -> Iterator[Meant]:
    found = _SCORE.fullmatch(text)
    if found is None or not (found[1] or found[2] or found[4]):
        return
    sign, least, most = found[2], found[3], found[4]
    first, second = (f"{_SCORE_SIGNAL} {sign or '>='} {Decimal(least)}", None)
    if most is not None and sign is None:
        second = f"{_SCORE_SIGNAL} <= {Decimal(most)}"
    elif sign is None:
        first = f"{_SCORE_SIGNAL} = {Decimal(least)}"
    condition = first if second is None else f"{first} AND {second}"
    shown = f"{sign or ''} {least}{'' if most is None else f' – {most}'}".strip()
    yield Meant("score", filters={"where": condition}, shown=shown)


def _rules(text: str, rules: Sequence[str]) -> Iterator[Meant]:
    wanted = text.casefold()
    fitting = [each for each in rules if wanted in each.casefold()]
    fitting.sort(key=lambda each: (each.casefold() != wanted, len(each), each))
    for name in fitting[:_MOST_RULES]:
        yield Meant("rule", filters={"rule": name}, shown=name)
        yield Meant("shadowRule", filters={"shadowRule": name}, shown=name)

"""What a decision is found by: keyed terms of values in the form that records keep.

A term is a hash of an account, a field and a value under a key of the ring. Who reads the database
learns nothing from it, and no account has a term of another. Its lowest bits name the field, so
that what is about a person can be told from the rest. The other 59 bits collide by chance once in
five billion searches of a hundred million values.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from hashlib import blake2b
from typing import Any, Final

import msgspec

from gatehouse.decisions.record import DecisionRecord, RecordedEvent
from gatehouse.intel.addresses import read_address

# These numbers are stored in terms and can never change.
USER: Final = 1
CARD: Final = 2
EMAIL: Final = 3
PHONE: Final = 4
ADDRESS: Final = 5
DEVICE: Final = 6
OPERATION: Final = 7
DECISION: Final = 8
RULE: Final = 9
TAG: Final = 10
AMOUNT: Final = 11
OF_A_PERSON: Final = frozenset((USER, CARD, EMAIL, PHONE, ADDRESS, DEVICE))
_FIELD_BITS: Final = 31

MOST_ENTRIES: Final = 100
"""How many terms one decision is found by; what its rules added last is left out first."""
_MOST_COMMON: Final = 20_000

_OF_ENTITIES: Final = {
    "user": USER,
    "card": CARD,
    "email": EMAIL,
    "phone": PHONE,
    "address": ADDRESS,
    "device": DEVICE,
}
_OF_SIGNALS: Final = (
    ("user.id", USER),
    ("email.fingerprint", EMAIL),
    ("phone.fingerprint", PHONE),
)

FoundBy = tuple[int, str]
"""A field, and a value of it in the form that records keep."""

_MICROS: Final = 1_000_000
_MOST_MICROS: Final = 2**63 - 1
_MOST_UNITS: Final = _MOST_MICROS // _MICROS


class SearchEntry(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """One row of the index: a request that has a term, with its amount for a term of amounts."""

    term: int
    request_id: str
    amount: int | None = None
    """In millionths of the currency."""


class TermMaker:
    """Makes terms with a key of this installation."""

    def __init__(self, key: bytes) -> None:
        self._key = key
        # The same few operations, verdicts, rules, tags and currencies come again and again.
        self._common = lru_cache(_MOST_COMMON)(self.term)

    def term(self, account_id: str, field: int, value: str) -> int:
        """The term of a value, as a signed number of 64 bits."""
        content = f"{field} {account_id} {value}".encode("utf-8", "surrogatepass")
        digest = blake2b(content, key=self._key, digest_size=8).digest()
        return int.from_bytes(digest, "big", signed=True) & ~_FIELD_BITS | field

    def entries(
        self, account_id: str, record: DecisionRecord, more: Iterable[FoundBy] = ()
    ) -> list[SearchEntry]:
        """The rows of a decision; `more` is what it is found by although its record is silent."""
        event, request_id = _event(record), record.request_id
        term, common = self.term, self._common
        about = dict.fromkeys(_about_somebody(record, event))
        about.update(dict.fromkeys(more))
        terms = [term(account_id, field, value) for field, value in about]
        terms.append(common(account_id, OPERATION, record.operation))
        if record.decision is not None:
            terms.append(common(account_id, DECISION, record.decision.value))
        found = dict.fromkeys(_findings(record))
        terms += [common(account_id, field, value) for field, value in found]
        entries = [SearchEntry(each, request_id) for each in terms[: MOST_ENTRIES - 1]]
        amount, currency = _order(record, event)
        if amount is not None and currency is not None:
            micros = micros_of(amount)
            bucket = common(account_id, AMOUNT, amount_bucket(currency, micros))
            entries.append(SearchEntry(bucket, request_id, micros))
        return entries


def pack_terms(terms: Sequence[int]) -> str | None:
    """The terms of a decision in one text, as its row names them; None when there are none."""
    return msgspec.json.encode(terms).decode() if terms else None


def unpack_terms(text: str) -> list[int]:
    """The terms in such a text."""
    return msgspec.json.decode(text, type=list[int])


def is_of_a_person(term: int) -> bool:
    """Whether a term is of something about a person: user, card, contact, address or device."""
    return term & _FIELD_BITS in OF_A_PERSON


def micros_of(amount: float) -> int:
    """An amount in millionths; one that no column holds is as large as the largest."""
    return max(-_MOST_MICROS, min(_MOST_MICROS, round(amount * _MICROS)))


def amount_bucket(currency: str, micros: int) -> str:
    """The currency and the power of two that an amount is in."""
    return f"{currency} {_octave(micros)}"


def amount_buckets(currency: str, least: int | None, most: int | None) -> list[str]:
    """The buckets of all amounts from one to another, each None where there is no end."""
    first = 0 if least is None else _octave(least)
    last = _MOST_UNITS.bit_length() if most is None else _octave(most)
    return [f"{currency} {octave}" for octave in range(first, last + 1)]


def _octave(micros: int) -> int:
    """How many binary digits the whole units have; 0 for less than one."""
    return max(0, micros // _MICROS).bit_length()


def _about_somebody(record: DecisionRecord, event: RecordedEvent | None) -> Iterator[FoundBy]:
    if record.card is not None:
        yield CARD, record.card.fingerprint
    if event is not None:
        for kind, value in event.entities:
            field = _OF_ENTITIES.get(kind)
            if field is not None:
                yield field, value
    signals = record.signals
    if signals is not None:
        for name, field in _OF_SIGNALS:
            known = signals.get(name)
            if known is not None:
                yield field, known
        text = signals.get("ip.address")
        if text is not None:
            yield ADDRESS, _household(text)


def _household(text: str) -> str:
    address = read_address(text) if ":" in text else None
    return text if address is None else address.household


def _findings(record: DecisionRecord) -> Iterator[FoundBy]:
    """The rules that matched, and the tags of the answer."""
    for stage in record.stages:
        result = stage.result
        for name in result.get("matched", ()):
            yield RULE, name
        for tag in result.get("tags", ()):
            yield TAG, tag
        reasons = result.get("reasons")
        if isinstance(reasons, dict):
            for code, effect in reasons.items():
                if effect < 0:
                    yield TAG, code


def _order(record: DecisionRecord, event: RecordedEvent | None) -> tuple[float | None, str | None]:
    signals = record.signals
    if signals is not None:
        return signals.get("order.amount"), signals.get("order.currency")
    return (None, None) if event is None else (event.amount, event.currency)


def _event(record: DecisionRecord) -> RecordedEvent | None:
    """The event of the record, or of the stage that it was sent to alone."""
    if record.event is not None:
        return record.event
    for stage in record.stages:
        found: Any = stage.result.get("event")
        if isinstance(found, RecordedEvent):
            return found
        if isinstance(found, dict):
            return msgspec.convert(found, RecordedEvent)
    return None

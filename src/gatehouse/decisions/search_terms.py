"""What a decision is found by: keyed terms of values in the form that records keep.

A term is a hash of an account, a field and a value under a key of the ring. Who reads the database
learns nothing from it, and no account has a term of another. Its lowest bits name the field, so
that what is about a person can be told from the rest. The other 59 bits collide by chance once in
five billion searches of a hundred million values.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from hashlib import blake2b
from struct import Struct
from typing import Any, Final

import msgspec

from gatehouse.core.cards.numbers import KeptCard
from gatehouse.decisions.packed_values import Place
from gatehouse.decisions.reasons import reason_of
from gatehouse.decisions.record import DecisionRecord, RecordedStage, event_of
from gatehouse.decisions.recorded_event import KIND_NUMBERS, RecordedEvent
from gatehouse.intel.addresses import read_address

# These numbers are stored in terms and can never change.
USER: Final = 1
CARD: Final = 2
EMAIL: Final = 3
PHONE: Final = 4
ADDRESS: Final = 5
DEVICE: Final = 6
DECISION: Final = 7
RULE: Final = 8
TAG: Final = 9
AMOUNT: Final = 10
SHADOW_RULE: Final = 11
REASON: Final = 12
RING: Final = 13
PAYMENT: Final = 14
OF_A_PERSON: Final = frozenset((USER, CARD, EMAIL, PHONE, ADDRESS, DEVICE, RING, PAYMENT))
FIELD_BITS: Final = 31
"""The bits of a term that name its field."""
_VALUE_BITS: Final = ~FIELD_BITS
_as_number: Final = Struct(">q").unpack

MOST_ENTRIES: Final = 100
"""How many terms one decision is found by; what its rules added last is left out first."""
_MOST_COMMON: Final = 20_000
_SHAPES_AT_ONCE: Final = 1024

_OF_ENTITIES: Final[dict[Place, int]] = {
    KIND_NUMBERS["user"]: USER,
    KIND_NUMBERS["card"]: CARD,
    KIND_NUMBERS["email"]: EMAIL,
    KIND_NUMBERS["phone"]: PHONE,
    KIND_NUMBERS["address"]: ADDRESS,
    KIND_NUMBERS["device"]: DEVICE,
    KIND_NUMBERS["device_id"]: DEVICE,
    KIND_NUMBERS["ring"]: RING,
}
_RING_KIND: Final = KIND_NUMBERS["ring"]
ANY_RING: Final = ""
"""The value by which every decision with a ring is found."""
_OF_SIGNALS: Final = (
    ("user.id", USER),
    ("device.id", DEVICE),
    ("email.fingerprint", EMAIL),
    ("phone.fingerprint", PHONE),
)

FoundBy = tuple[int, str]
"""A field, and a value of it in the form that records keep."""

_MICROS: Final = 1_000_000
MOST_MICROS: Final = 2**63 - 1
_MOST_UNITS: Final = MOST_MICROS // _MICROS


class SearchEntry(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """One row of the index: a request that has a term, with its amount for a term of amounts."""

    term: int
    request_id: str
    amount: int | None = None
    """In millionths of the currency."""


class WaitingTerms(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """The terms of a decision that the follower of decisions would not come by any more."""

    request_id: str
    terms: str
    """With a comma before and after each."""
    amount: int | None = None


class TermMaker:
    """Makes terms with a key of this installation."""

    def __init__(self, key: bytes) -> None:
        # A copy of what has begun with the key takes half the time of beginning again.
        self._begun = blake2b(key=key, digest_size=8)
        # The same few verdicts, rules, tags and currencies come again and again.
        self._common = lru_cache(_MOST_COMMON)(self.term)

    def term(self, account_id: str, field: int, value: str) -> int:
        """The term of a value, as a signed number of 64 bits."""
        content = f"{field} {account_id} {value}".encode("utf-8", "surrogatepass")
        hashed = self._begun.copy()
        hashed.update(content)
        number: int = _as_number(hashed.digest())[0]
        return number & _VALUE_BITS | field

    def entries(
        self, account_id: str, record: DecisionRecord, more: Iterable[FoundBy] = ()
    ) -> list[SearchEntry]:
        """The rows of a decision; `more` is what it is found by although its record is silent."""
        terms, amount = self._found(account_id, record, more)
        rows = [SearchEntry(each, record.request_id) for each in terms]
        if amount is not None:
            rows[-1] = SearchEntry(terms[-1], record.request_id, amount)
        return rows

    def packed(
        self, account_id: str, record: DecisionRecord, more: Iterable[FoundBy] = ()
    ) -> str | None:
        """The same in one text, as `pack_terms` writes it; None when there are none."""
        return pack_terms(*self._found(account_id, record, more))

    def _found(
        self, account_id: str, record: DecisionRecord, more: Iterable[FoundBy]
    ) -> tuple[list[int], int | None]:
        """The terms of a decision, and its amount, if the last term is that of its amount."""
        term, common = self.term, self._common
        event = event_of(record)
        about = dict.fromkeys((*more, *_of_card(record.card)))
        if event is None and record.signals is None:
            # Neither Sentry nor rules looked at it.
            return [term(account_id, *each) for each in about], None
        about.update(_described(event, record.signals))
        terms = [term(account_id, field, value) for field, value in about]
        if record.decision is not None:
            terms.append(common(account_id, DECISION, record.decision.value))
            reason = reason_of(record)
            if reason is not None:
                terms.append(common(account_id, REASON, reason.value))
        found = dict.fromkeys(_findings(record.stages))
        # No payment comes again.
        terms += [(term if each[0] == PAYMENT else common)(account_id, *each) for each in found]
        del terms[MOST_ENTRIES - 1 :]
        amount, currency = _order(event, record.signals)
        if amount is None or currency is None:
            return terms, None
        micros = micros_of(amount)
        terms.append(common(account_id, AMOUNT, amount_bucket(currency, micros)))
        return terms, micros


def entities_in(record: DecisionRecord) -> list[FoundBy]:
    """User, card, contacts, address and device of a request, as far as its record tells them."""
    described = _described(event_of(record), record.signals)
    about = dict.fromkeys((*_of_card(record.card), *described))
    return [each for each in about if each[0] != RING]


def order_in(record: DecisionRecord) -> tuple[float | None, str | None]:
    """The amount of an order and its currency, as far as its record tells them."""
    return _order(event_of(record), record.signals)


def ring_in(record: DecisionRecord) -> str | None:
    """The ring of a request, if it has one."""
    event = event_of(record)
    if event is None or _RING_KIND not in event.kinds:
        return None
    return event.values[list(event.kinds).index(_RING_KIND)]


def pack_terms(terms: Sequence[int], amount: int | None = None) -> str | None:
    """The terms of a decision in one text, as its row names them; None when there are none.

    It is a JSON array, and after it the amount, if one of the terms is that of an amount. Earlier
    versions did not write the amount.
    """
    if not terms:
        return None
    return f"[{','.join(map(str, terms))}]{'' if amount is None else amount}"


def unpack_terms(text: str) -> list[int]:
    """The terms in such a text."""
    return list(map(int, text[1 : text.index("]")].split(",")))


def unpack_amount(text: str) -> int | None:
    """The amount in such a text, if it has one."""
    amount = text.partition("]")[2]
    return int(amount) if amount else None


def waiting_terms(request_id: str, text: str) -> WaitingTerms:
    """The terms in such a text as they wait to be indexed."""
    terms, _, amount = text.partition("]")
    return WaitingTerms(request_id, f",{terms[1:]},", int(amount) if amount else None)


def entries_of(waiting: WaitingTerms) -> list[SearchEntry]:
    """The rows of a decision that waited."""
    request_id, terms, amount = waiting.request_id, waiting.terms[1:-1].split(","), waiting.amount
    return [
        SearchEntry(term, request_id, amount if term & FIELD_BITS == AMOUNT else None)
        for term in map(int, terms)
    ]


def is_of_a_person(term: int) -> bool:
    """Whether a term is about a person: of a user, card, contact, address, device or payment."""
    return term & FIELD_BITS in OF_A_PERSON


def micros_of(amount: float) -> int:
    """An amount in millionths; one that no column holds is as large as the largest."""
    if not -_MOST_UNITS < amount < _MOST_UNITS:
        return MOST_MICROS if amount > 0 else -MOST_MICROS
    return round(amount * _MICROS)


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
    return (micros // _MICROS).bit_length() if micros > 0 else 0


def _of_card(card: KeptCard | None) -> tuple[FoundBy, ...]:
    if card is None:
        return ()
    number = (CARD, card.fingerprint)
    account = card.account_fingerprint
    return (number,) if account is None else (number, (CARD, account))


def _described(
    event: RecordedEvent | None, signals: Mapping[str, Any] | None
) -> dict[FoundBy, None]:
    """What a request is found by that was described for Sentry or for rules."""
    found: dict[FoundBy, None] = {}
    if event is not None:
        values = event.values
        for place, field in _fields_of(tuple(event.kinds[: len(values)])):
            found[field, values[place]] = None
            if field == RING:
                found[RING, ANY_RING] = None
    if signals is not None:
        for name, field in _OF_SIGNALS:
            known = signals.get(name)
            if known is not None:
                found[field, known] = None
        text = signals.get("ip.address")
        if text is not None:
            found[ADDRESS, _household(text)] = None
    return found


# Requests of a caller name the same kinds of things again and again.
@lru_cache(_SHAPES_AT_ONCE)
def _fields_of(kinds: tuple[Place, ...]) -> list[tuple[int, int]]:
    """Which entities of an event of these kinds it is found by: their places and fields."""
    fields = enumerate(map(_OF_ENTITIES.get, kinds))
    return [(place, field) for place, field in fields if field is not None]


def _household(text: str) -> str:
    address = read_address(text) if ":" in text else None
    return text if address is None else address.household


def _findings(stages: Sequence[RecordedStage]) -> list[FoundBy]:
    """The rules that matched, also in shadow, the tags of the answer, and the payment."""
    found: list[FoundBy] = []
    for stage in stages:
        result = stage.result
        if "matched" in result:
            found += [(RULE, name) for name in result["matched"]]
            found += [(TAG, tag) for tag in result.get("tags", ())]
            found += [(SHADOW_RULE, name) for name in result.get("shadow", ())]
        payment = result.get("paymentId")
        if payment is not None:
            found.append((PAYMENT, payment))
        reasons = result.get("reasons")
        if isinstance(reasons, dict):
            found += [(TAG, code) for code, effect in reasons.items() if effect < 0]
    return found


def _order(
    event: RecordedEvent | None, signals: Mapping[str, Any] | None
) -> tuple[float | None, str | None]:
    if signals is not None:
        return signals.get("order.amount"), signals.get("order.currency")
    return (None, None) if event is None else (event.amount, event.currency)

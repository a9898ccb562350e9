"""The entries of lists: what an author can write on each kind of list, and what is kept of it.

An entry is kept in the form that signals have: a keyed hash where the value itself must not be
kept. So a look-up never needs a key, and a list says nothing about a person.
"""

import re
from collections.abc import Callable
from enum import StrEnum
from socket import AF_INET, AF_INET6, inet_ntop, inet_pton
from typing import Final, Protocol

import msgspec

from gatehouse.core.cards.numbers import CardNumber
from gatehouse.core.cards.redaction import recordable
from gatehouse.core.reading.validation import LONGER
from gatehouse.core.secrets.credentials import AccountReference
from gatehouse.core.wording.sentences import Phrase, phrases_of
from gatehouse.core.wording.text import is_blank
from gatehouse.intel.emails import parse_email
from gatehouse.intel.places import country_code, load_places
from gatehouse.intel.ranges import read_span

_EMPTY: Final = Phrase("entry.empty", "is empty")
_LONG: Final = Phrase("entry.long", "is longer than {most} characters")
_CARD: Final = Phrase(
    "entry.card",
    "must be a whole card number, a payment account reference, or a fingerprint as "
    "decisions show it (card1_...)",
)
_BIN_SAID: Final = Phrase(
    "entry.bin",
    "must be the first 4 to 8 digits of card numbers; whole numbers belong on a list of kind cards",
)
_NETWORK: Final = Phrase(
    "entry.network",
    "must be an address or a network, such as 203.0.113.7, 203.0.113.0/24 or 2001:db8::/32",
)
_PREFIX_SAID: Final = Phrase("entry.prefix", "must have a number from 1 to {bits} after the slash")
_EVERY_ADDRESS_SAID: Final = Phrase(
    "entry.every_address", "would be every address; write a rule without a list for that"
)
_INSIDE: Final = Phrase(
    "entry.inside",
    "is an address inside a network: write {network} for the network, or leave "
    "/{length} out for the single address",
)
_EMAIL: Final = Phrase("entry.email", "must be an e-mail address, such as name@example.com")
_DOMAIN_STAR: Final = Phrase(
    "entry.domain_star", "must not begin with *. : every domain below an entry counts anyway"
)
_DOMAIN: Final = Phrase(
    "entry.domain",
    "must be a domain, such as example.com; a whole top-level domain is written .example",
)
_PHONE: Final = Phrase(
    "entry.phone", "must be a phone number with its country, such as +44 20 7946 0958"
)
_COUNTRY: Final = Phrase("entry.country", "must be the two letters of a country, such as GB")
_UNFIT: Final = Phrase(
    "entry.unfit", "must not hold control characters or what looks like a card number"
)

LONGEST_WORD: Final = 128
"""Signals are cut off here, so nothing longer could ever be found."""

_LONGEST_ENTRY: Final = 512
_HASH: Final = re.compile(r"#[0-9a-f]{20}")
_BIN: Final = re.compile(r"[0-9]{4,8}")
_PREFIX: Final = re.compile(r"[0-9]{1,3}")
_GROUPING: Final = re.compile(r"[ -]")
_EVERY_ADDRESS: Final = _EVERY_ADDRESS_SAID()
_LONG_NUMBER: Final = re.compile(r"\d(?:\D?\d){6}")


class ListKind(StrEnum):
    """What the entries of a list are."""

    CARDS = "cards"
    BINS = "bins"
    NETWORKS = "networks"
    EMAILS = "emails"
    DOMAINS = "domains"
    PHONES = "phones"
    USERS = "users"
    DEVICES = "devices"
    COUNTRIES = "countries"
    WORDS = "words"


KIND_WORDS: Final = phrases_of("word.list", {each.value: each.value for each in ListKind})
"""What each kind is called in sentences."""


class EntryHasher(Protocol):
    """Makes a value that may be kept and compared out of one that may not, as signals do."""

    def card(self, card: CardNumber | AccountReference, /) -> str:
        """The account's fingerprint of a card."""

    def known_card(self, text: str, /) -> str | None:
        """The fingerprint that a text is; None when it is none."""

    def hashed_email(self, mailbox: str, /) -> str:
        """A keyed hash of a mailbox in its canonical spelling."""

    def hashed_phone(self, number: str, /) -> str:
        """A keyed hash of a phone number, E.164."""

    def hashed(self, text: str, /) -> str:
        """A keyed hash of any text."""

    def kept(self, value: str, /) -> str:
        """A name of a user or device, or its hash if the name must not be kept."""


class ListEntry(msgspec.Struct, frozen=True, gc=False):
    """One entry: the value that is compared, and what people see of it."""

    value: str
    shown: str


def is_hash(text: str) -> bool:
    """Whether a text is a keyed hash, as records show mailboxes, phones and some users."""
    return _HASH.fullmatch(text) is not None


def is_about_somebody(text: str) -> bool:
    """Whether a text that the caller chose could be a person's address or number."""
    return "@" in text or _LONG_NUMBER.search(text) is not None


def canonical(kind: ListKind, text: str, hasher: EntryHasher) -> ListEntry:
    """The entry that an author wrote, or `ValueError` with what is expected.

    The error never repeats the text: it may be personal, or a card number on the wrong list.
    """
    text = text.strip()
    if is_blank(text):
        raise ValueError(_EMPTY())
    if len(text) > _LONGEST_ENTRY:
        raise ValueError(_LONG(most=_LONGEST_ENTRY))
    return _READERS[kind](text, hasher)


def _card(text: str, hasher: EntryHasher) -> ListEntry:
    known = hasher.known_card(text)
    if known is not None:
        return ListEntry(known, known)
    if AccountReference.fits(text):
        fingerprint = hasher.card(AccountReference.parse(text))
        return ListEntry(fingerprint, fingerprint)
    try:
        number = CardNumber.parse(_GROUPING.sub("", text))
    except ValueError:
        raise ValueError(_CARD()) from None
    return ListEntry(hasher.card(number), number.masked())


def _bin(text: str, _hasher: EntryHasher) -> ListEntry:
    if _BIN.fullmatch(text) is None:
        raise ValueError(_BIN_SAID())
    return ListEntry(text, text)


def _network(text: str, _hasher: EntryHasher) -> ListEntry:
    address, slash, prefix = text.partition("/")
    family, bits = (AF_INET6, 128) if ":" in address else (AF_INET, 32)
    try:
        packed = inet_pton(family, address)
    # A NUL or half a surrogate pair is a ValueError, everything else that is wrong an OSError.
    except (OSError, ValueError):
        raise ValueError(_NETWORK()) from None
    length = bits
    if slash:
        if _PREFIX.fullmatch(prefix) is None or int(prefix) > bits:
            raise ValueError(_PREFIX_SAID(bits=bits))
        length = int(prefix)
    if length == 0:
        raise ValueError(_EVERY_ADDRESS)
    first = int.from_bytes(packed, "big") >> (bits - length) << (bits - length)
    around = f"{inet_ntop(family, first.to_bytes(bits // 8, 'big'))}/{length}"
    if first != int.from_bytes(packed, "big"):
        raise ValueError(_INSIDE(network=around, length=length))
    if family == AF_INET6:
        # An IPv4 address that is wrapped in an IPv6 address is seen as IPv4.
        version, first, last = read_span(around) or (6, 0, 0)
        if version == 4:
            length = 32 - (last - first).bit_length()
            if length == 0:
                raise ValueError(_EVERY_ADDRESS)
            around = f"{inet_ntop(AF_INET, first.to_bytes(4, 'big'))}/{length}"
            bits = 32
    return ListEntry(around, around.partition("/")[0] if length == bits else around)


def _email(text: str, hasher: EntryHasher) -> ListEntry:
    if is_hash(text):
        return ListEntry(text, text)
    email = parse_email(text)
    if email is None:
        raise ValueError(_EMAIL())
    first = email.local[0]
    begins = first if first.isascii() and first.isalnum() else ""
    return ListEntry(hasher.hashed_email(email.canonical), f"{begins}***@{email.domain}")


def _domain(text: str, _hasher: EntryHasher) -> ListEntry:
    if text.startswith("*."):
        raise ValueError(_DOMAIN_STAR())
    name = text.removeprefix("@").removeprefix(".")
    # Read as part of an address, it is spelt as the domains of addresses are.
    whole = text.startswith(".") and "." not in name
    email = parse_email(f"a@a.{name}" if whole else f"a@{name}")
    if email is None or "@" in name:
        raise ValueError(_DOMAIN())
    value = email.domain.removeprefix("a.") if whole else email.domain
    return ListEntry(value, f".{value}" if whole else value)


def _phone(text: str, hasher: EntryHasher) -> ListEntry:
    if is_hash(text):
        return ListEntry(text, text)
    # Every command imports this module, and the tables of phone numbers take their time to load.
    from gatehouse.intel.phones import parse_phone

    phone = parse_phone(text)
    if phone is None:
        raise ValueError(_PHONE())
    shown = f"+{phone.calling_code}•••{phone.e164[-2:]}"
    return ListEntry(hasher.hashed_phone(phone.e164), shown)


def _name(text: str, hasher: EntryHasher) -> ListEntry:
    value = text if is_hash(text) else hasher.kept(text)
    return ListEntry(value, value)


def _country(text: str, _hasher: EntryHasher) -> ListEntry:
    code = country_code(text)
    if len(text) != 2 or code not in load_places().order:
        raise ValueError(_COUNTRY())
    return ListEntry(code, code)


def _word(text: str, hasher: EntryHasher) -> ListEntry:
    if len(text) > LONGEST_WORD:
        raise ValueError(LONGER(most=LONGEST_WORD))
    if is_hash(text) or is_about_somebody(text):
        value = text if is_hash(text) else hasher.hashed(text)
        return ListEntry(value, value)
    if recordable(text) != text:
        raise ValueError(_UNFIT())
    return ListEntry(text, text)


_READERS: Final[dict[ListKind, Callable[[str, EntryHasher], ListEntry]]] = {
    ListKind.CARDS: _card,
    ListKind.BINS: _bin,
    ListKind.NETWORKS: _network,
    ListKind.EMAILS: _email,
    ListKind.DOMAINS: _domain,
    ListKind.PHONES: _phone,
    ListKind.USERS: _name,
    ListKind.DEVICES: _name,
    ListKind.COUNTRIES: _country,
    ListKind.WORDS: _word,
}

"""Lists of cards, networks, mailboxes and the like: what may be an entry, and what is listed.

An entry is kept in the form that signals have: a keyed hash where the thing itself must not be
kept. So a look-up never needs a key, and a list tells nothing about a person.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from socket import AF_INET, AF_INET6, inet_ntop, inet_pton
from typing import Final, Generic, Protocol, TypeVar

import msgspec

from gatehouse.core.cards import CardNumber
from gatehouse.core.redaction import recordable
from gatehouse.core.text import is_blank
from gatehouse.intel.emails import parse_email
from gatehouse.intel.phones import parse_phone
from gatehouse.intel.places import country_code, load_places
from gatehouse.intel.ranges import read_span

LONGEST_WORD: Final = 128
"""Signals are cut off here, so nothing longer could ever be found."""

_LONGEST_ENTRY: Final = 512
_MOST_BLOCKS: Final = 65_536
_FINGERPRINT: Final = re.compile(r"fp[1-9][0-9]{0,8}_[0-9a-f]{40}")
_HASH: Final = re.compile(r"#[0-9a-f]{20}")
_BIN: Final = re.compile(r"[0-9]{4,8}")
_PREFIX: Final = re.compile(r"[0-9]{1,3}")
_GROUPING: Final = re.compile(r"[ -]")
_EVERY_ADDRESS: Final = "would be every address; write a rule without a list for that"
_LONG_NUMBER: Final = re.compile(r"\d(?:\D?\d){6}")

T = TypeVar("T")


class ListKind(StrEnum):
    """What the entries of a list are."""

    CARDS = "cards"
    BINS = "bins"
    NETWORKS = "networks"
    EMAILS = "emails"
    DOMAINS = "domains"
    PHONES = "phones"
    USERS = "users"
    COUNTRIES = "countries"
    WORDS = "words"


class EntryKeeper(Protocol):
    """Turns what must not be kept into what may be compared, as signals do."""

    def fingerprint(self, number: CardNumber, /) -> str:
        """The fingerprint of a card."""

    def hashed_email(self, mailbox: str, /) -> str:
        """A keyed hash of a mailbox in its canonical spelling."""

    def hashed_phone(self, number: str, /) -> str:
        """A keyed hash of a phone number, E.164."""

    def hashed(self, text: str, /) -> str:
        """A keyed hash of any text."""

    def kept(self, value: str, /) -> str:
        """A user's name as it stands when nothing speaks against that, otherwise its hash."""


class ListEntry(msgspec.Struct, frozen=True, gc=False):
    """One entry: the value that is compared, and what people see of it."""

    value: str
    shown: str


def is_hash(text: str) -> bool:
    """Whether a text is a keyed hash, as records show mailboxes, phones and some users."""
    return _HASH.fullmatch(text) is not None


def is_about_somebody(text: str) -> bool:
    """Whether a text of the caller's own could be somebody's address or number."""
    return "@" in text or _LONG_NUMBER.search(text) is not None


def canonical(kind: ListKind, text: str, keeper: EntryKeeper) -> ListEntry:
    """The entry that somebody wrote, or `ValueError` with what is expected.

    The error never repeats the text: it may be somebody's, or a card number in the wrong list.
    """
    text = text.strip()
    if is_blank(text):
        raise ValueError("is empty")
    if len(text) > _LONGEST_ENTRY:
        raise ValueError(f"is longer than {_LONGEST_ENTRY} characters")
    return _READERS[kind](text, keeper)


def _card(text: str, keeper: EntryKeeper) -> ListEntry:
    if _FINGERPRINT.fullmatch(text) is not None:
        return ListEntry(text, text)
    try:
        number = CardNumber.parse(_GROUPING.sub("", text))
    except ValueError:
        raise ValueError(
            "must be a whole card number, or a fingerprint as decisions show it (fp1_...)"
        ) from None
    return ListEntry(keeper.fingerprint(number), number.masked())


def _bin(text: str, _keeper: EntryKeeper) -> ListEntry:
    if _BIN.fullmatch(text) is None:
        raise ValueError(
            "must be the first 4 to 8 digits of card numbers; whole numbers belong on a list of "
            "kind cards"
        )
    return ListEntry(text, text)


def _network(text: str, _keeper: EntryKeeper) -> ListEntry:
    address, slash, prefix = text.partition("/")
    family, bits = (AF_INET6, 128) if ":" in address else (AF_INET, 32)
    try:
        packed = inet_pton(family, address)
    # A NUL or half a surrogate pair is a ValueError, everything else that is wrong an OSError.
    except (OSError, ValueError):
        raise ValueError(
            "must be an address or a network, such as 203.0.113.7, 203.0.113.0/24 or 2001:db8::/32"
        ) from None
    length = bits
    if slash:
        if _PREFIX.fullmatch(prefix) is None or int(prefix) > bits:
            raise ValueError(f"must have a number from 1 to {bits} after the slash")
        length = int(prefix)
    if length == 0:
        raise ValueError(_EVERY_ADDRESS)
    first = int.from_bytes(packed, "big") >> (bits - length) << (bits - length)
    around = f"{inet_ntop(family, first.to_bytes(bits // 8, 'big'))}/{length}"
    if first != int.from_bytes(packed, "big"):
        raise ValueError(
            f"is an address inside a network: write {around} for the network, or leave /{length} "
            "out for the single address"
        )
    if family == AF_INET6:
        # Requests through such wraps are seen by their IPv4 address.
        version, first, last = read_span(around) or (6, 0, 0)
        if version == 4:
            length = 32 - (last - first).bit_length()
            if length == 0:
                raise ValueError(_EVERY_ADDRESS)
            around = f"{inet_ntop(AF_INET, first.to_bytes(4, 'big'))}/{length}"
            bits = 32
    return ListEntry(around, around.partition("/")[0] if length == bits else around)


def _email(text: str, keeper: EntryKeeper) -> ListEntry:
    if is_hash(text):
        return ListEntry(text, text)
    email = parse_email(text)
    if email is None:
        raise ValueError("must be an e-mail address, such as name@example.com")
    first = email.local[0]
    begins = first if first.isascii() and first.isalnum() else ""
    return ListEntry(keeper.hashed_email(email.canonical), f"{begins}***@{email.domain}")


def _domain(text: str, _keeper: EntryKeeper) -> ListEntry:
    if text.startswith("*."):
        raise ValueError("must not begin with *. : every domain below an entry counts anyway")
    name = text.removeprefix("@").removeprefix(".")
    # Read as part of an address, it is spelt as the domains of addresses are.
    whole = text.startswith(".") and "." not in name
    email = parse_email(f"a@a.{name}" if whole else f"a@{name}")
    if email is None or "@" in name:
        raise ValueError(
            "must be a domain, such as example.com; a whole top-level domain is written .example"
        )
    value = email.domain.removeprefix("a.") if whole else email.domain
    return ListEntry(value, f".{value}" if whole else value)


def _phone(text: str, keeper: EntryKeeper) -> ListEntry:
    if is_hash(text):
        return ListEntry(text, text)
    phone = parse_phone(text)
    if phone is None:
        raise ValueError("must be a phone number with its country, such as +44 20 7946 0958")
    shown = f"+{phone.calling_code}•••{phone.e164[-2:]}"
    return ListEntry(keeper.hashed_phone(phone.e164), shown)


def _user(text: str, keeper: EntryKeeper) -> ListEntry:
    value = text if is_hash(text) else keeper.kept(text)
    return ListEntry(value, value)


def _country(text: str, _keeper: EntryKeeper) -> ListEntry:
    code = country_code(text)
    if len(text) != 2 or code not in load_places().order:
        raise ValueError("must be the two letters of a country, such as GB")
    return ListEntry(code, code)


def _word(text: str, keeper: EntryKeeper) -> ListEntry:
    if len(text) > LONGEST_WORD:
        raise ValueError(f"must have at most {LONGEST_WORD} characters")
    if is_hash(text) or is_about_somebody(text):
        value = text if is_hash(text) else keeper.hashed(text)
        return ListEntry(value, value)
    if recordable(text) != text:
        raise ValueError("must not hold control characters or what looks like a card number")
    return ListEntry(text, text)


_READERS: Final[dict[ListKind, Callable[[str, EntryKeeper], ListEntry]]] = {
    ListKind.CARDS: _card,
    ListKind.BINS: _bin,
    ListKind.NETWORKS: _network,
    ListKind.EMAILS: _email,
    ListKind.DOMAINS: _domain,
    ListKind.PHONES: _phone,
    ListKind.USERS: _user,
    ListKind.COUNTRIES: _country,
    ListKind.WORDS: _word,
}


class ListIndex(Generic[T]):
    """Finds what was put under the entries that cover a value: itself, or what it is part of.

    The cost does not grow with the number of entries: a network is found by its prefixes, a
    domain by its labels.
    """

    def __init__(self, kind: ListKind, entries: Mapping[str, T]) -> None:
        self.find: Callable[[str], Sequence[T]] = self._same
        """Everything that was put under what covers a value."""
        if kind is ListKind.NETWORKS:
            self._four, self._six = _read_networks(entries)
            self.find = self._network
            return
        self._entries = entries
        if kind is ListKind.BINS:
            self._lengths = sorted({len(entry) for entry in entries})
            self.find = self._prefixes
        elif kind is ListKind.DOMAINS:
            self.find = self._domain

    def _same(self, value: str) -> Sequence[T]:
        return (self._entries[value],) if value in self._entries else ()

    def _prefixes(self, value: str) -> Sequence[T]:
        entries = self._entries
        prefixes = [value[:length] for length in self._lengths if length <= len(value)]
        return [entries[prefix] for prefix in prefixes if prefix in entries]

    def _domain(self, value: str) -> Sequence[T]:
        entries = self._entries
        found = []
        while value:
            if value in entries:
                found.append(entries[value])
            value = value.partition(".")[2]
        return found

    def _network(self, value: str) -> Sequence[T]:
        try:
            if ":" in value:
                return self._six.find(int.from_bytes(inet_pton(AF_INET6, value), "big"))
            return self._four.find(int.from_bytes(inet_pton(AF_INET, value), "big"))
        except (OSError, ValueError):
            return ()


_Level = tuple[int, dict[int, T]]
"""Networks of one length: how many bits they leave open, and what is under which prefix."""


class _Networks(Generic[T]):
    """The networks of one version of addresses, in one table for each length of prefix.

    Which lengths there are is noted for each block of addresses, and which networks hold a whole
    block is remembered, so that a list with all lengths costs little more than one with a few.
    """

    def __init__(self, bits: int, block: int) -> None:
        self._bits = bits
        self._outside = bits - block
        self._levels: dict[int, dict[int, T]] = {}
        self._marks: dict[int, int] = {}
        self._short: Sequence[_Level[T]] = ()
        self._blocks: dict[int, Sequence[_Level[T]]] = {}
        self._around: dict[int, list[T]] = {}

    def put(self, number: int, length: int, under: T) -> None:
        """Put something under a network."""
        shift = self._bits - length
        self._levels.setdefault(shift, {})[number >> shift] = under
        if shift <= self._outside:
            block = number >> self._outside
            self._marks[block] = self._marks.get(block, 0) | 1 << shift

    def close(self) -> None:
        """Make ready for finding, after the last network."""
        levels = tuple(self._levels.items())
        self._short = [level for level in levels if level[0] > self._outside]
        alike = {
            mark: [level for level in levels if mark >> level[0] & 1]
            for mark in set(self._marks.values())
        }
        self._blocks = {block: alike[mark] for block, mark in self._marks.items()}
        self._marks = {}

    def find(self, number: int) -> Sequence[T]:
        """What is under the networks that an address is in."""
        block = number >> self._outside
        found = self._around.get(block)
        if found is None:
            found = self._note(block)
        levels = self._blocks.get(block)
        if levels is None:
            return found
        return found + [
            under[part] for shift, under in levels if (part := number >> shift) in under
        ]

    def _note(self, block: int) -> list[T]:
        if len(self._around) >= _MOST_BLOCKS:
            self._around.clear()
        number = block << self._outside
        found = [under[part] for shift, under in self._short if (part := number >> shift) in under]
        self._around[block] = found
        return found


def _read_networks(entries: Mapping[str, T]) -> tuple[_Networks[T], _Networks[T]]:
    four, six = _Networks[T](32, 16), _Networks[T](128, 32)
    for network, under in entries.items():
        address, _, length = network.partition("/")
        if ":" in address:
            six.put(int.from_bytes(inet_pton(AF_INET6, address), "big"), int(length), under)
        else:
            four.put(int.from_bytes(inet_pton(AF_INET, address), "big"), int(length), under)
    four.close()
    six.close()
    return four, six


class Membership:
    """What is on one list. An entry ends at the moment of its expiry, whoever looks."""

    def __init__(self, kind: ListKind, entries: Mapping[str, int | None]) -> None:
        self.kind = kind
        self.has: Callable[[str, int], bool] = self._has_same
        """Whether a value is on the list at a moment."""
        if kind in (ListKind.NETWORKS, ListKind.BINS, ListKind.DOMAINS):
            self._find = ListIndex(kind, entries).find
            self.has = self._has_covering
        else:
            self._get = entries.get

    def _has_same(self, value: str, at_ms: int) -> bool:
        expires_at_ms = self._get(value, 0)
        return expires_at_ms is None or expires_at_ms > at_ms

    def _has_covering(self, value: str, at_ms: int) -> bool:
        for expires_at_ms in self._find(value):
            if expires_at_ms is None or expires_at_ms > at_ms:
                return True
        return False


class AccountLists:
    """All lists of an account, by name."""

    def __init__(self, lists: Mapping[str, Membership]) -> None:
        self._has = {name: membership.has for name, membership in lists.items()}

    def has(self, name: str, value: str, at_ms: int) -> bool:
        """Whether a value is on a list; on a list that there is not, nothing is."""
        has = self._has.get(name)
        return has is not None and has(value, at_ms)

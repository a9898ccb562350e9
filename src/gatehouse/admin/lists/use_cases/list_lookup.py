"""Which lists hold a value."""

from collections.abc import Mapping, Sequence

from gatehouse.core.cards.numbers import CardNumber
from gatehouse.intel.emails import parse_email
from gatehouse.rules.list_entries import ListKind, canonical
from gatehouse.rules.lists import covering_entries
from gatehouse.signals.fingerprinter import EntryFingerprinter
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.admin.named_cards import NamedCards
from gatehouse.store.configured import list_reading
from gatehouse.store.configured.account_signature import check_account
from gatehouse.store.configured.list_reading import ListedEntry


def holding(session: AdminSession, account_id: str, value: str) -> list[tuple[str, ListedEntry]]:
    """The entries in force that cover a value, each with its list, whatever these lists hold."""
    with NamedCards(session, account_id, "lists") as cards:
        values = _covering(value, EntryFingerprinter(session.ring, cards))
    now_ms = session.clock()
    with session.account_reading(account_id) as connection:
        check_account(connection, session.signer, account_id)
        found = list_reading.holding(connection, account_id, values, session.signer)
    return [(name, entry) for name, entry in found if entry.status(now_ms) == "listed"]


def _covering(value: str, hasher: EntryFingerprinter) -> Mapping[ListKind, Sequence[str]]:
    """By kind of list, the entries that cover a value as somebody writes it."""
    found: dict[ListKind, Sequence[str]] = {}
    for kind in ListKind:
        written = _part_for(kind, value)
        try:
            found[kind] = covering_entries(kind, canonical(kind, written, hasher).value)
        except ValueError:
            # Such a list cannot hold it.
            continue
    return found


def _part_for(kind: ListKind, value: str) -> str:
    """What lists of a kind know of a value: the BIN of a card, the domain of a mailbox."""
    if kind is ListKind.DOMAINS:
        email = parse_email(value)
        return value if email is None else email.domain
    if kind is ListKind.BINS:
        try:
            return CardNumber.parse("".join(value.split()).replace("-", "")).bin
        except ValueError:
            return value
    return value

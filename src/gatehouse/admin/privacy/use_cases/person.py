"""Who a request of a person is about, and where in an account's data that person is found."""

from collections.abc import Iterator
from typing import Final

import msgspec
import sqlalchemy as sa

from gatehouse.admin.search.use_cases.people import PersonNamed, person_terms
from gatehouse.admin.search.use_cases.values import SearchValues, WrongValue
from gatehouse.core.errors import InvalidInput
from gatehouse.core.secrets import keyring
from gatehouse.intel.emails import parse_email
from gatehouse.intel.phones import parse_phone
from gatehouse.rules.list_entries import ListKind, is_about_somebody
from gatehouse.sentry.entities import EntityHasher
from gatehouse.signals.fingerprinter import Fingerprinter
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.admin.named_cards import NamedCards
from gatehouse.store.configured import list_reading
from gatehouse.store.configured.list_reading import ListedEntry
from gatehouse.store.database import struct_from
from gatehouse.store.identities import identities
from gatehouse.store.identities.identities import Selector
from gatehouse.store.identities.identity_sealer import IdentitySealer, StoredHolder
from gatehouse.store.tables import LIST_ENTRIES

# What people are named by, for faces.
__all__ = ["PersonNamed"]

LONGEST_VALUE: Final = 512


class FoundEntry(msgspec.Struct, frozen=True):
    """An entry of a list that names the person, as it is or was there."""

    list: str
    entry: ListedEntry
    names: bool
    """Whether anything of it can be read."""


class DataSubject:
    """A person of one account, by everything that names them."""

    def __init__(self, session: AdminSession, account_id: str, person: PersonNamed) -> None:
        """Raises `InvalidInput` when nothing is named, or something that cannot name anybody."""
        session.actor.check_account(account_id)
        self._session = session
        self.account_id = account_id
        self.person = person
        given = {
            "user": person.user_id,
            "username": person.username,
            "email": person.email,
            "phone": person.phone,
            "card": person.card,
            "device": person.device_id,
        }
        self.named_by = [name for name, value in given.items() if value is not None]
        """What the person is named by, without the values."""
        if not self.named_by:
            raise InvalidInput(
                "name the person: --user, --username, --email, --phone, --card or --device"
            )
        with NamedCards(session, account_id, "privacy") as cards:
            values = SearchValues(session, cards)
            self._check_values(values)
            self.terms = person_terms(values, person)
            """What decisions about the person are found by."""
            card = person.card
            self._cards = [] if card is None else cards.of_every_key(card)

    @property
    def named_values(self) -> list[str]:
        """The texts that the person is named by; a card is never kept as one."""
        person = self.person
        given = (person.user_id, person.username, person.email, person.phone, person.device_id)
        return [value for value in given if value]

    def _check_values(self, values: SearchValues) -> None:
        person = self.person
        for name, read, given in (
            ("--user", values.user, person.user_id),
            ("--username", values.username, person.username),
            ("--email", values.email, person.email),
            ("--phone", values.phone, person.phone),
            ("--device", values.device_id, person.device_id),
        ):
            if given is None:
                continue
            if len(given) > LONGEST_VALUE:
                raise InvalidInput(f"{name} is longer than {LONGEST_VALUE} characters")
            try:
                read(given)
            except WrongValue as error:
                raise InvalidInput(f"{name} {error}") from None

    def listed_values(self) -> dict[ListKind, list[str]]:
        """The person's values as the lists of each kind have them."""
        session, person = self._session, self.person
        kept = Fingerprinter(EntityHasher(session.ring.current(keyring.ENTITIES)[1]))
        named = self.named_values
        words = [kept.hashed(each) if is_about_somebody(each) else each for each in named]
        found = {ListKind.WORDS: words}
        if person.user_id is not None:
            found[ListKind.USERS] = [kept.kept(person.user_id)]
        if person.email is not None and (email := kept.email(person.email)) is not None:
            found[ListKind.EMAILS] = [email]
        if person.phone is not None and (phone := kept.phone(person.phone)) is not None:
            found[ListKind.PHONES] = [phone]
        if person.device_id is not None:
            found[ListKind.DEVICES] = [kept.kept(person.device_id)]
        if self._cards:
            shown = [session.fingerprints.of_account(self.account_id, each) for each in self._cards]
            found[ListKind.CARDS] = [*self._cards, *shown]
        return found

    def list_entries(self, connection: sa.Connection) -> list[FoundEntry]:
        """The entries of the account's lists that name the person, also those that are gone."""
        wanted, rows = self.listed_values(), LIST_ENTRIES.c
        signer = self._session.signer
        found: list[FoundEntry] = []
        for name, kind in list_reading.kinds_ever(connection, self.account_id).items():
            query = sa.select(LIST_ENTRIES).where(
                rows.account_id == self.account_id,
                rows.list == name,
                rows.value.in_([*wanted.get(kind, ()), *map(signer.mark, wanted.get(kind, ()))]),
            )
            ordered = connection.execute(query.order_by(rows.value, rows.added_at_ms))
            for entry in (struct_from(row, ListedEntry) for row in ordered):
                bare = (list_reading.anonymous(kind, entry.value, signer), None, None)
                left = (entry.shown, entry.reason, entry.removed_at_ms) == bare
                found.append(FoundEntry(name, entry, not left))
        return found

    def identity_selectors(self, connection: sa.Connection) -> list[Selector]:
        """The account's own identity records of the person, each selector for some of them.

        By card and by reference an index finds them. Contacts are sealed: with an e-mail address
        or a phone number every record of the account is opened.
        """
        person, sealer = self.person, IdentitySealer(self._session.ring)
        found = []
        if self._cards:
            found.append(Selector(cards=self._cards))
        if person.user_id is not None:
            marks = sealer.reference_marks(self.account_id, person.user_id)
            found.append(Selector(references=marks))
        if person.email is not None or person.phone is not None:
            mine = identities.everyone(self.account_id, connection, sealer)
            people = {
                each.person_id
                for each in mine
                if isinstance(each, StoredHolder) and self._has_contact(each)
            }
            found += [Selector(person_id=each) for each in sorted(people)]
        return [each for each in found if identities.any_of(self.account_id, each, connection)]

    def identity_records(self, connection: sa.Connection) -> Iterator[StoredHolder]:
        """The same records, each once."""
        sealer, seen = IdentitySealer(self._session.ring), set()
        for selector in self.identity_selectors(connection):
            for each in identities.find(self.account_id, selector, connection, sealer):
                key = (each.entry.card, each.person_id)
                if key not in seen:
                    seen.add(key)
                    yield each

    def _has_contact(self, stored: StoredHolder) -> bool:
        on_record = stored.entry.person
        mailboxes = {_mailbox(each) for each in on_record.emails}
        numbers = {each.partition(";")[0] for each in on_record.phones}
        email, phone = self.person.email, self.person.phone
        return (email is not None and _mailbox(email) in mailboxes) or (
            phone is not None and _number(phone) in numbers
        )


def _mailbox(text: str) -> str | None:
    email = parse_email(text)
    return None if email is None else email.canonical


def _number(text: str) -> str | None:
    phone = parse_phone(text)
    return None if phone is None else phone.e164

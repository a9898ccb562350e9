"""Use cases: find an entity by what a person types, and put one on a list."""

from collections.abc import Collection
from typing import Final

from gatehouse.admin.entities.types import Entity, EntityType
from gatehouse.admin.entities.use_cases.standing import LIST_KINDS
from gatehouse.admin.lists.use_cases import lists
from gatehouse.admin.lists.use_cases.lists import Added, GivenEntries, NewEntries
from gatehouse.core.errors import InvalidInput
from gatehouse.core.wording.sentences import Phrase, said_by
from gatehouse.intel.addresses import read_address
from gatehouse.rules.list_entries import KIND_WORDS, canonical
from gatehouse.sentry.placeholders import drop_placeholder
from gatehouse.signals.fingerprinter import EntryFingerprinter
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.admin.named_cards import NamedCards
from gatehouse.store.configured import list_reading

_LIST_HOLDING: Final = Phrase(
    "refused.list_holding", "choose a list that holds {held}; make one under Lists first"
)

_TYPE_SOMETHING: Final = Phrase("refused.type_something", "type what the entity is known by")
_INTERNET_ADDRESS: Final = Phrase(
    "refused.internet_address", "must be an internet address, such as 203.0.113.7"
)

_LONGEST: Final = 512


def find_entity(session: AdminSession, account_id: str, kind: EntityType, text: str) -> Entity:
    """The entity that a text names, as records keep it; `InvalidInput` says what is expected."""
    session.actor.check_account(account_id)
    text = text.strip()
    if not text or len(text) > _LONGEST or drop_placeholder(text) is None:
        raise InvalidInput(_TYPE_SOMETHING())
    if kind is EntityType.ADDRESS:
        address = read_address(text.removesuffix("/64"))
        if address is None:
            raise InvalidInput(_INTERNET_ADDRESS())
        return Entity(kind, address.household)
    with NamedCards(session, account_id, "entities") as cards:
        hasher = EntryFingerprinter(session.ring, cards)
        try:
            return Entity(kind, canonical(LIST_KINDS[kind], text, hasher).value)
        except ValueError as error:
            raise InvalidInput(said_by(error)) from None


def lists_for(
    session: AdminSession, account_id: str, kinds: Collection[EntityType]
) -> dict[str, str]:
    """The account's lists on which entities of some kinds can be put, and what each holds."""
    wanted = {LIST_KINDS[kind] for kind in kinds}
    with session.account_reading(account_id) as connection:
        found = list_reading.kinds(connection, account_id)
    return {name: held.value for name, held in found.items() if held in wanted}


def lists_by_kind(
    session: AdminSession, account_id: str, kinds: Collection[EntityType]
) -> dict[EntityType, list[str]]:
    """The names of the account's lists that can hold an entity of each kind."""
    found = lists_for(session, account_id, kinds)
    return {
        kind: [name for name, held in found.items() if held == LIST_KINDS[kind]] for kind in kinds
    }


def put_on_list(
    session: AdminSession, account_id: str, entity: Entity, name: str, about: NewEntries
) -> Added:
    """Put an entity on one of the account's lists, with a reason and perhaps an end."""
    if name not in lists_for(session, account_id, [entity.kind]):
        held = KIND_WORDS[LIST_KINDS[entity.kind]]()
        raise InvalidInput(_LIST_HOLDING(held=held))
    return lists.add(session, account_id, name, GivenEntries((entity.value,)), about)

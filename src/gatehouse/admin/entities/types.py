"""What an entity is called: its value as records keep it, a token for URLs, and a masked form.

A token is the value encrypted for its account and kind: the same entity always has the same token.
"""

from enum import StrEnum
from typing import Final

from gatehouse.admin.secrets.use_cases.sealed_texts import TextSealer
from gatehouse.core.errors import NotFound
from gatehouse.core.secrets.hidden import Personal
from gatehouse.core.wording.sentences import Phrase
from gatehouse.decisions.record import DecisionRecord
from gatehouse.decisions.search_terms import ADDRESS, CARD, DEVICE, EMAIL, PHONE, USER, entities_in
from gatehouse.rules.list_entries import is_hash
from gatehouse.store.admin.admin_session import AdminSession

_NO_ENTITY: Final = Phrase(
    "refused.no_entity", "this account has no such entity; open it from a decision"
)

_USE: Final = b"tokens of entities"
_HIDDEN: Final = "…"
_TINY: Final = 4
_SHORT: Final = 6
_HASH_SHOWN: Final = 7
_DOT: Final = "•"


class EntityType(StrEnum):
    """What kinds of entities have a page."""

    USER = "user"
    CARD = "card"
    EMAIL = "email"
    PHONE = "phone"
    ADDRESS = "address"
    DEVICE = "device"


FIELDS: Final = {
    EntityType.USER: USER,
    EntityType.CARD: CARD,
    EntityType.EMAIL: EMAIL,
    EntityType.PHONE: PHONE,
    EntityType.ADDRESS: ADDRESS,
    EntityType.DEVICE: DEVICE,
}
"""The field of the search index that each kind is found by."""
_KINDS: Final = {field: kind for kind, field in FIELDS.items()}
_ORDER: Final = {kind: place for place, kind in enumerate(EntityType)}


class Entity(Personal, frozen=True):
    """Somebody or something that acts, by the value that records keep of it."""

    kind: EntityType
    value: str


class EntityTokens:
    """Makes and reads the tokens of one account's entities."""

    def __init__(self, session: AdminSession, account_id: str) -> None:
        self._sealer = TextSealer(session, account_id, _USE)

    def token(self, entity: Entity) -> str:
        """The entity as URLs name it."""
        return self._sealer.token(entity.value, entity.kind)

    def opened(self, kind: str, token: str) -> Entity:
        """The entity that a token names; `NotFound` for any other text."""
        value = self._sealer.opened(token, kind) if kind in tuple(EntityType) else None
        if value is None:
            raise NotFound(_NO_ENTITY())
        return Entity(EntityType(kind), value)


def entities_of(record: DecisionRecord) -> list[Entity]:
    """Who acted in a request, each once, in the order of their kinds."""
    found = [Entity(_KINDS[field], value) for field, value in entities_in(record)]
    return sorted(found, key=lambda each: _ORDER[each.kind])


def masked(entity: Entity) -> str:
    """The entity as everybody may see it: enough to tell two apart, too little to know one."""
    value = entity.value
    if entity.kind is EntityType.ADDRESS:
        return masked_address(value)
    if entity.kind is EntityType.CARD or is_hash(value):
        return f"{value[:_HASH_SHOWN]}{_HIDDEN}"
    return masked_name(value)


def masked_name(text: str) -> str:
    """A name that a caller chose, by its beginning and its end."""
    if len(text) <= _TINY:
        return f"{text[:-1][:1]}{_HIDDEN}"
    if len(text) <= _SHORT:
        return f"{text[:1]}{_HIDDEN}{text[-2:]}"
    return f"{text[:2]}{_HIDDEN}{text[-2:]}"


def masked_address(text: str) -> str:
    """An internet address or a network by its first half."""
    if ":" in text:
        first = [part for part in text.split(":")[:2] if part]
        return f"{':'.join(first)}:{_HIDDEN}"
    parts = text.partition("/")[0].split(".")
    if len(parts) != 4:
        return masked_name(text)
    return ".".join([*parts[:2], _DOT, _DOT])

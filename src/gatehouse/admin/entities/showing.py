"""How entities are shown beside a decision: by what the record knows of them, masked or not."""

from collections.abc import Mapping
from typing import Any, Final

from gatehouse.admin.entities.naming import Entity, EntityTokens, EntityType, entities_of, masked
from gatehouse.core.cards import KeptCard
from gatehouse.core.secrets import Personal
from gatehouse.decisions.record import DecisionRecord
from gatehouse.rules.list_entries import is_hash

_HASH_SHOWN: Final = 5

Labels = Mapping[Entity, tuple[str, str]]
"""What entities are called, masked and in full."""


class ShownEntity(Personal, frozen=True):
    """An entity as a page shows it."""

    entity: Entity
    token: str
    masked: str
    """What everybody may see."""
    plain: str
    """What only those may see who reveal it; the same as masked where no more is kept."""

    @property
    def kind(self) -> EntityType:
        """What kind of entity it is."""
        return self.entity.kind

    @property
    def called(self) -> str:
        """Its kind in a word; a device that is known by its browser alone is called that."""
        hashed = self.kind is EntityType.DEVICE and is_hash(self.entity.value)
        return "browser" if hashed else self.kind.value


def labels_in(record: DecisionRecord) -> dict[Entity, tuple[str, str]]:
    """The masked and the plain label of every entity of a record."""
    signals = record.signals or {}
    return {each: _label(each, record.card, signals) for each in entities_of(record)}


def shown(entity: Entity, tokens: EntityTokens, labels: Labels) -> ShownEntity:
    """An entity with its token and its labels."""
    hidden, plain = labels.get(entity) or _label_alone(entity)
    return ShownEntity(entity, tokens.token(entity), hidden, plain)


def _label_alone(entity: Entity) -> tuple[str, str]:
    """The labels of an entity of which no record is at hand."""
    hidden = masked(entity)
    return hidden, hidden if entity.kind is EntityType.CARD else entity.value


def _label(entity: Entity, card: KeptCard | None, signals: Mapping[str, Any]) -> tuple[str, str]:
    kind, value = entity.kind, entity.value
    said: str | None = None
    if kind is EntityType.CARD and card is not None:
        said = _card(card, value)
    elif kind is EntityType.EMAIL and value == signals.get("email.fingerprint"):
        domain = signals.get("email.domain")
        said = None if domain is None else f"{value[:_HASH_SHOWN]}…@{domain}"
    elif kind is EntityType.PHONE and value == signals.get("phone.fingerprint"):
        country = signals.get("phone.country")
        said = None if country is None else f"{value[:_HASH_SHOWN]}… {country}"
    return _label_alone(entity) if said is None else (said, said)


def _card(card: KeptCard, value: str) -> str | None:
    if value not in (card.fingerprint, card.account_fingerprint):
        return None
    end = "" if card.last_four is None else f"•••• {card.last_four}"
    named = " ".join(part for part in (card.brand, end or card.bin) if part)
    return f"{named} ({value[:9]}…)" if value == card.account_fingerprint else named

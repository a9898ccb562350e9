"""How entities are shown beside a decision: by what the record knows of them, masked or not."""

from collections.abc import Mapping
from typing import Any, Final

from gatehouse.admin.entities.types import Entity, EntityTokens, EntityType, entities_of, masked
from gatehouse.core.cards.numbers import KeptCard
from gatehouse.core.secrets.hidden import Personal
from gatehouse.decisions.record import DecisionRecord, event_of

_HASH_SHOWN: Final = 5

BROWSER: Final = "browser"
"""What a device is called that is known by its browser alone; many devices share one."""
_AGENT: Final = "device"


class EntityLabel(Personal, frozen=True):
    """What an entity is called."""

    masked: str
    """What everybody may see."""
    plain: str
    """What only those may see who reveal it; the same as masked where no more is kept."""
    called: str
    """Its kind in a word."""


Labels = Mapping[Entity, EntityLabel]


class ShownEntity(Personal, frozen=True):
    """An entity as a page shows it."""

    entity: Entity
    token: str
    label: EntityLabel

    @property
    def kind(self) -> EntityType:
        """What kind of entity it is."""
        return self.entity.kind

    @property
    def called(self) -> str:
        """Its kind in a word."""
        return self.label.called

    @property
    def masked(self) -> str:
        """What everybody may see."""
        return self.label.masked

    @property
    def plain(self) -> str:
        """What only those may see who reveal it."""
        return self.label.plain


def labels_in(record: DecisionRecord) -> dict[Entity, EntityLabel]:
    """What every entity of a record is called."""
    browsers = _browsers_in(record)
    found = {}
    for entity in entities_of(record):
        label = _label_alone(entity, BROWSER if entity in browsers else entity.kind.value)
        said = _said(entity, record.card, record.signals or {})
        found[entity] = label if said is None else EntityLabel(said, said, label.called)
    return found


def without_browsers(record: DecisionRecord) -> list[Entity]:
    """Who acted in a request, without browsers that strangers have as well."""
    browsers = _browsers_in(record)
    return [each for each in entities_of(record) if each not in browsers]


def _browsers_in(record: DecisionRecord) -> set[Entity]:
    event = event_of(record)
    told = event.entities if event else ()
    return {Entity(EntityType.DEVICE, value) for kind, value in told if kind == _AGENT}


def shown(entity: Entity, tokens: EntityTokens, labels: Labels) -> ShownEntity:
    """An entity with its token and its label."""
    label = labels.get(entity) or _label_alone(entity, entity.kind.value)
    return ShownEntity(entity, tokens.token(entity), label)


def _label_alone(entity: Entity, called: str) -> EntityLabel:
    """The label by what the entity itself tells."""
    hidden = masked(entity)
    plain = hidden if entity.kind is EntityType.CARD else entity.value
    return EntityLabel(hidden, plain, called)


def _said(entity: Entity, card: KeptCard | None, signals: Mapping[str, Any]) -> str | None:
    """What else the record tells of a card, a mailbox or a phone; nothing of it is personal."""
    kind, value = entity.kind, entity.value
    if kind is EntityType.CARD and card is not None:
        return _card(card, value)
    if kind is EntityType.EMAIL and value == signals.get("email.fingerprint"):
        domain = signals.get("email.domain")
        return None if domain is None else f"{value[:_HASH_SHOWN]}…@{domain}"
    if kind is EntityType.PHONE and value == signals.get("phone.fingerprint"):
        country = signals.get("phone.country")
        return None if country is None else f"{value[:_HASH_SHOWN]}… {country}"
    return None


def _card(card: KeptCard, value: str) -> str | None:
    if value not in (card.fingerprint, card.account_fingerprint):
        return None
    end = "" if card.last_four is None else f"•••• {card.last_four}"
    named = " ".join(part for part in (card.brand, end or card.bin) if part)
    return f"{named} ({value[:9]}…)" if value == card.account_fingerprint else named

"""Hides what a record says about a person, in everything that is shown of the record.

The values are taken from the record, and each is replaced wherever it stands: in sentences of an
explanation and in the raw record as well.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from gatehouse.admin.decisions.use_cases.request_subject import ReviewedCustomer
from gatehouse.admin.entities.types import Entity, EntityType, masked, masked_address, masked_name
from gatehouse.decisions.record import DecisionRecord, event_of
from gatehouse.rules.list_entries import ListKind, is_about_somebody, is_hash

PERSONAL_SIGNALS: Final[dict[str, Callable[[str], str]]] = {
    "user.id": masked_name,
    "device.id": masked_name,
    "ip.address": masked_address,
    "ip.network": masked_address,
}
"""Signals that tell of a person, with what hides them. Custom inputs can, too."""
_KINDS: Final[dict[str, Callable[[str], str]]] = {
    "user": masked_name,
    "session": masked_name,
    "device_id": masked_name,
    "address": masked_address,
    "network": masked_address,
}
_CUSTOM: Final = "custom."
_PAIRED: Final = frozenset(("transaction", "custom"))
"""What is remembered as several parts; each part can be about the person."""
_LISTED: Final = {ListKind.USERS: EntityType.USER, ListKind.DEVICES: EntityType.DEVICE}
_CARD: Final = re.compile(r"card\d+_[A-Za-z0-9_-]{48}")


class RecordMask:
    """Replaces what a record says about a person."""

    def __init__(self, record: DecisionRecord) -> None:
        found = dict(_personal(record))
        # A longer value first: it may hold a shorter one. A single letter would be everywhere.
        values = [each for each in sorted(found, key=len, reverse=True) if len(each) > 1]
        self._masks = found
        self._pattern = (
            re.compile("|".join(rf"(?<!\w){re.escape(each)}(?!\w)" for each in values))
            if values
            else None
        )

    def text(self, text: str) -> str:
        """A text without what is about the person."""
        if text in self._masks:
            return self._masks[text]
        if self._pattern is None:
            return text
        return self._pattern.sub(lambda found: self._masks[found[0]], text)

    def value(self, value: Any) -> Any:
        """Any value of JSON without it."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, Mapping):
            return {key: self.value(each) for key, each in value.items()}
        if isinstance(value, list | tuple):
            return [self.value(each) for each in value]
        # A reference can be a number, and that of a phone.
        if isinstance(value, int) and is_about_somebody(str(value)):
            return self._masks.get(str(value), value)
        return value


def masked_reference(reference: str | int | None) -> str | None:
    """A caller's reference; hidden when it could be somebody's address or number."""
    if reference is None:
        return None
    text = str(reference)
    return masked_name(text) if is_about_somebody(text) else text


def masked_customer(customer: ReviewedCustomer) -> str | None:
    """Who ordered, in a line of a table; the e-mail address is masked already."""
    if customer.user_id is None or not _can_hide(customer.user_id):
        return customer.user_id or customer.email
    return masked_name(customer.user_id)


def masked_signal(name: str, value: str) -> str:
    """The value of a signal as a table shows it."""
    mask = PERSONAL_SIGNALS.get(name) or (masked_name if name.startswith(_CUSTOM) else None)
    return mask(value) if mask is not None and _can_hide(value) else value


def masked_entry(kind: ListKind, shown: str) -> str:
    """An entry of a list as decisions show the same; of networks, only a single address is hidden.

    Cards, mailboxes and phones are kept as hashes or masked numbers anyway.
    """
    if kind is ListKind.NETWORKS:
        return shown if "/" in shown else masked_address(shown)
    entity = _LISTED.get(kind)
    return shown if entity is None else masked(Entity(entity, shown))


def _personal(record: DecisionRecord) -> Iterator[tuple[str, str]]:
    """Everything that is about the person, each with its mask."""
    for name, value in (record.signals or {}).items():
        if isinstance(value, str) and (shown := masked_signal(name, value)) != value:
            yield value, shown
    event = event_of(record)
    for kind, value in [] if event is None else event.entities:
        mask = _KINDS.get(kind)
        if mask is not None and _can_hide(value):
            yield value, mask(value)
        elif kind in _PAIRED:
            part = value.partition("=")[2] if kind == "custom" else value.partition(" ")[0]
            if _can_hide(part):
                yield part, masked_name(part)
    reference = record.client_reference_id
    if reference is not None and is_about_somebody(str(reference)):
        yield str(reference), masked_name(str(reference))


def _can_hide(value: str) -> bool:
    """Whether a value says anything: hashes and fingerprints do not."""
    return bool(value) and not is_hash(value) and _CARD.fullmatch(value) is None

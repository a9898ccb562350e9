"""What speaks for or against an entity: labels of its decisions, and the lists that hold it.

Servers keep reputations in their memory. Here one is worked out from the labels of the newest
decisions in the same way, without what other accounts know.
"""

from collections.abc import Mapping, Sequence
from typing import Final

import msgspec

from gatehouse.admin.entities.types import Entity, EntityType
from gatehouse.admin.entities.use_cases.index import EntityIndex, Tally
from gatehouse.core.ids import id_time_ms
from gatehouse.decisions.record import DecisionRecord
from gatehouse.rules.list_entries import ListKind
from gatehouse.rules.lists import covering_entries
from gatehouse.sentry import kinds
from gatehouse.sentry.memory.reputation import HALF_LIFE_DAYS, LabelCounts
from gatehouse.sentry.memory.reputation_store import SMOOTHING, USUAL_RATE
from gatehouse.store.configured import list_reading
from gatehouse.store.configured.list_reading import ListedEntry

_DAY_MS: Final = 86_400_000
_KINDS: Final = {
    EntityType.USER: kinds.USER,
    EntityType.CARD: kinds.CARD,
    EntityType.EMAIL: kinds.EMAIL,
    EntityType.PHONE: kinds.PHONE,
    EntityType.ADDRESS: kinds.ADDRESS,
    EntityType.DEVICE: kinds.DEVICE_ID,
}
LIST_KINDS: Final = {
    EntityType.USER: ListKind.USERS,
    EntityType.CARD: ListKind.CARDS,
    EntityType.EMAIL: ListKind.EMAILS,
    EntityType.PHONE: ListKind.PHONES,
    EntityType.ADDRESS: ListKind.NETWORKS,
    EntityType.DEVICE: ListKind.DEVICES,
}
"""The lists on which an entity of each kind can be put."""


class Reputation(msgspec.Struct, frozen=True):
    """What the labels of an entity's decisions say about its next one."""

    frauds: float
    """Known frauds, each worth half as much every 30 days."""
    legitimate: float
    times_usual: float
    """How many times as likely fraud is as usual; 1 when nothing is known."""
    days_since_fraud: int | None


class HeldBy(msgspec.Struct, frozen=True):
    """A list that holds an entity, or held it."""

    list: str
    entry: ListedEntry
    status: str
    """`listed`, `expired` or `removed`."""
    is_itself: bool
    """Whether the entry is the entity itself, and not a network or the like around it."""


def reputation(entity: Entity, request_ids: Sequence[str], tally: Tally, now_ms: int) -> Reputation:
    """The reputation of an entity by its newest requests."""
    today, counts, silent = now_ms // _DAY_MS, LabelCounts(), 0.0
    for request_id in request_ids:
        day = id_time_ms(request_id) // _DAY_MS
        if request_id in tally.frauds or request_id in tally.legitimate:
            counts.add(day, fraud=request_id in tally.frauds, times=1)
        else:
            silent += 0.5 ** (max(today - day, 0) / HALF_LIFE_DAYS)
    frauds, known = counts.recent(today)
    weight = SMOOTHING[_KINDS[entity.kind]]
    fraudulent = frauds + weight * USUAL_RATE
    rate = fraudulent / (known + weight)
    if rate > USUAL_RATE:
        # Most merchants only report frauds: decisions without a complaint speak for an entity.
        rate = max(fraudulent / (known + silent + weight), USUAL_RATE)
    since = counts.trend(today).days_since_fraud
    return Reputation(
        frauds=frauds,
        legitimate=known - frauds,
        times_usual=rate / USUAL_RATE,
        days_since_fraud=None if since is None else int(since),
    )


def lists_of(index: EntityIndex, entity: Entity, record: DecisionRecord | None) -> list[HeldBy]:
    """The lists that hold an entity; `record` is its newest decision, which may know more of it."""
    values = _listed_values(entity, record)
    own = values[LIST_KINDS[entity.kind]][:1]
    session, now_ms = index.session, index.session.clock()
    found = list_reading.holding(index.connection, index.account_id, values, session.signer)
    return [HeldBy(name, entry, entry.status(now_ms), entry.value in own) for name, entry in found]


def _listed_values(
    entity: Entity, record: DecisionRecord | None
) -> Mapping[ListKind, Sequence[str]]:
    """The entries that cover an entity, by the kind of their list; its own comes first."""
    kind, value = LIST_KINDS[entity.kind], entity.value
    if entity.kind is EntityType.ADDRESS:
        return {kind: covering_entries(kind, value)}
    found: dict[ListKind, Sequence[str]] = {kind: [value]}
    signals = {} if record is None else record.signals or {}
    card = None if record is None else record.card
    if entity.kind is EntityType.CARD and card is not None and card.fingerprint == value:
        found[ListKind.BINS] = covering_entries(ListKind.BINS, card.bin)
    if entity.kind is EntityType.EMAIL and signals.get("email.fingerprint") == value:
        domain = signals.get("email.domain")
        if domain is not None:
            found[ListKind.DOMAINS] = covering_entries(ListKind.DOMAINS, domain)
    return found

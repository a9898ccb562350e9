"""What can be done with rings: list them, look at one, and block all of its members.

Servers keep rings in their memory, and every decision names its ring. So the search index finds the
decisions of a ring, and these tell its members, its money and what it turned out to be.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from decimal import Decimal
from itertools import islice
from typing import Final

import msgspec
import sqlalchemy as sa

from gatehouse.access.roles import Permission
from gatehouse.admin.approvals.use_cases.approvals import ApprovalKind, check_approved
from gatehouse.admin.approvals.use_cases.proposed import PutOnList
from gatehouse.admin.decisions.use_cases.request_subject import subject_of
from gatehouse.admin.entities.types import Entity, EntityType
from gatehouse.admin.entities.use_cases.index import EntityIndex
from gatehouse.admin.entities.use_cases.showing import without_browsers
from gatehouse.admin.entities.use_cases.standing import LIST_KINDS
from gatehouse.admin.lists.use_cases.lists import GivenEntries, NewEntries, planned
from gatehouse.admin.rings.types import (
    BLOCKED,
    LAST_DECISIONS,
    MOST_GLIMPSED,
    MOST_READ,
    MembersListed,
    RingBlocked,
    RingBlocking,
    RingDecision,
    RingDetails,
    RingId,
    RingMember,
    RingMoney,
    RingOrder,
    RingPage,
    RingSearch,
    RingShown,
)
from gatehouse.admin.search.use_cases.decisions import DecisionFinder
from gatehouse.admin.search.use_cases.filters import DecisionSearchRequest
from gatehouse.core.clock import Moment
from gatehouse.core.errors import InvalidInput, NotFound
from gatehouse.core.ids import id_time_ms, is_id
from gatehouse.core.wording.labels import FRAUD_LABELS, Label
from gatehouse.core.wording.sentences import Phrase
from gatehouse.decisions.record import DecisionRecord
from gatehouse.decisions.search_terms import ANY_RING, ring_in
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.admin.use_case import OF_DECISIONS, use_case
from gatehouse.store.configured import lists
from gatehouse.store.configured.list_plans import ListKey, PlannedEntry, plan_adding
from gatehouse.store.feedback import feedback_history

_NO_RING: Final = Phrase("refused.no_ring", "account {account} has no ring {ring}")
_NOBODY: Final = Phrase("refused.ring_nobody", "nothing in ring {ring} can be put on a list")

_SCOPE: Final = "manage:lists"
_DAY_MS: Final = 86_400_000
_PEOPLE: Final = (EntityType.USER, EntityType.EMAIL)
_MOST_FOLLOWED: Final = 60
_MOST_EARLIER: Final = 30
_MOST_OTHERS: Final = 4
"""One person has a user and a mailbox, and sometimes two."""


class _FoundRing(msgspec.Struct, frozen=True):
    """The newest decisions of a ring, and the labels that they have."""

    ring_id: str
    records: list[DecisionRecord]
    labels: dict[str, Label]


@use_case(
    "GET /rings",
    scope=_SCOPE,
    permission=Permission.SEE,
    rights=OF_DECISIONS,
    answers="ringsResponse",
)
def list_rings(session: AdminSession, account_id: str, wanted: RingSearch) -> RingPage:
    """List rings.

    Rings of the account: people who share cards, contacts, devices or addresses, directly or over
    others. They are listed by the newest decisions that name one.
    """
    records, complete = _records(session, account_id, ANY_RING)
    with session.account_reading(account_id) as connection:
        labels = _labels(connection, account_id, records)
    by_ring: dict[str, list[DecisionRecord]] = defaultdict(list)
    for record in records:
        by_ring[ring_in(record) or ""].append(record)
    found = [_shown(_FoundRing(ring, some, labels)) for ring, some in by_ring.items() if ring]
    found.sort(key=_RANKS[RingOrder(wanted.order)])
    return RingPage(found[: wanted.limit], complete)


@use_case(
    "GET /rings/{ringId}",
    scope=_SCOPE,
    permission=Permission.SEE,
    rights=OF_DECISIONS,
    operation="getRing",
    answers="ringResponse",
)
def get(session: AdminSession, account_id: str, ring_id: RingId) -> RingDetails:
    """Show a ring.

    Its members as decisions keep them, its money, its newest decisions, and what they turned out to
    be.
    """
    found, complete = _found(session, account_id, ring_id)
    newest = found.records[:LAST_DECISIONS]
    return RingDetails(
        _shown(found),
        _members(found),
        [_decision(record, found.labels.get(record.request_id)) for record in newest],
        dict(Counter(label.value for label in found.labels.values())),
        complete,
    )


def glimpse(session: AdminSession, account_id: str, ring_id: str) -> RingShown | None:
    """What a ring comes to by a few of its newest decisions; None when none names it any more."""
    found, _ = _records(session, account_id, ring_id, MOST_GLIMPSED)
    # By chance, a decision of another ring has the same term.
    records = [record for record in found if ring_in(record) == ring_id]
    if not records:
        return None
    with session.account_reading(account_id) as connection:
        labels = _labels(connection, account_id, records)
    return _shown(_FoundRing(ring_id, records, labels))


@use_case(
    "POST /rings/{ringId}/blocking",
    scope=_SCOPE,
    permission=Permission.CONFIGURE,
    rights=OF_DECISIONS,
    operation="blockRing",
    answers="ringBlockedResponse",
)
def block(
    session: AdminSession,
    account_id: str,
    ring_id: RingId,
    given: RingBlocking,
    dry_run: bool = False,
) -> RingBlocked:
    """Block a ring.

    Puts all users, cards, mailboxes, phones and devices of a ring on lists, with a reason and an
    expiry. What a list does is up to the rules that name it. Addresses are left out: others have
    them, too.
    """
    found, _ = _found(session, account_id, ring_id)
    entries = _entries(session, account_id, found, given)
    if not entries:
        raise InvalidInput(_NOBODY(ring=ring_id))
    if dry_run:
        with session.account_reading(account_id) as connection:
            plans = {
                kind: plan_adding(
                    connection, ListKey(account_id, _list(given, kind)), some, session.clock()
                ).tally
                for kind, some in entries.items()
            }
    else:
        with session.account_change(account_id) as change:
            check_approved(change, account_id, ApprovalKind.LISTS)
            plans = {
                kind: lists.add(change, account_id, _list(given, kind), LIST_KINDS[kind], some)
                for kind, some in entries.items()
            }
            total = sum(each.added for each in plans.values())
            change.audit("ring.block", account_id, ringId=ring_id, added=total, days=given.days)
    told = [
        MembersListed(_list(given, kind), each.added, each.changed, each.unchanged)
        for kind, each in plans.items()
    ]
    return RingBlocked(ring_id, told, dry_run)


def proposed_blocking(
    session: AdminSession, account_id: str, ring_id: str, given: RingBlocking
) -> list[PutOnList]:
    """The same as changes that another person can approve, one for each list."""
    found, _ = _found(session, account_id, ring_id)
    return [
        PutOnList(_list(given, kind), some, LIST_KINDS[kind])
        for kind, some in _entries(session, account_id, found, given).items()
    ]


def _entries(
    session: AdminSession, account_id: str, found: _FoundRing, given: RingBlocking
) -> dict[EntityType, tuple[PlannedEntry, ...]]:
    """The members of a ring as lists keep them, by kind."""
    values: dict[EntityType, list[str]] = defaultdict(list)
    for member in _members(found):
        if member.kind in BLOCKED:
            values[member.kind].append(member.value)
    return {
        kind: planned(
            session,
            account_id,
            _list(given, kind),
            GivenEntries(some),
            NewEntries(LIST_KINDS[kind], given.reason, given.days * _DAY_MS),
        )
        for kind, some in values.items()
    }


def _list(given: RingBlocking, kind: EntityType) -> str:
    return f"{given.prefix}-{LIST_KINDS[kind].value}"


def _records(
    session: AdminSession, account_id: str, ring: str, most: int = MOST_READ
) -> tuple[list[DecisionRecord], bool]:
    """The newest decisions of a ring, or of any, and whether these are all."""
    finder = DecisionFinder(session, account_id, DecisionSearchRequest(ring=ring))
    page = finder.decisions(None, most)
    return page.records, page.next_cursor is None


def _labels(
    connection: sa.Connection, account_id: str, records: Iterable[DecisionRecord]
) -> dict[str, Label]:
    """What requests turned out to be, as of now."""
    ids = [record.request_id for record in records]
    said = feedback_history.entries_of(connection, account_id, ids)
    newest = {request_id: history[-1].label for request_id, history in said.items()}
    return {each: label for each, label in newest.items() if label is not Label.WITHDRAWN}


def _found(session: AdminSession, account_id: str, ring_id: str) -> tuple[_FoundRing, bool]:
    records: list[DecisionRecord] = []
    complete = True
    if is_id(ring_id, "ring"):
        records, complete = _records(session, account_id, ring_id)
    # By chance, a decision of another ring has the same term.
    records = [record for record in records if ring_in(record) == ring_id]
    if not records:
        raise NotFound(_NO_RING(account=account_id, ring=ring_id[:40]))
    with session.account_reading(account_id) as connection:
        index = EntityIndex(session, connection, account_id)
        records = sorted([*records, *_earlier(index, records)], key=_newest_first)
        return _FoundRing(ring_id, records, _labels(connection, account_id, records)), complete


def _earlier(index: EntityIndex, records: Sequence[DecisionRecord]) -> list[DecisionRecord]:
    """Decisions about the same members from before anybody else was linked with them.

    The first member of a ring was alone at first, so that decision names no ring. What several
    others have used without a ring is shared by strangers, and leads to nobody.
    """
    used = dict.fromkeys(
        one for record in records for one in without_browsers(record) if one.kind in BLOCKED
    )
    found = {one: index.newest(one, _MOST_EARLIER) for one in islice(used, _MOST_FOLLOWED)}
    known = {record.request_id for record in records}
    wanted = {each for ids in found.values() for each in ids} - known
    read = {each.request_id: each for each in index.records(sorted(wanted))}
    kept: dict[str, DecisionRecord] = {}
    for ids in found.values():
        alone = [read[each] for each in ids if each in read and ring_in(read[each]) is None]
        people = {
            one for record in alone for one in without_browsers(record) if one.kind in _PEOPLE
        }
        if len(people) <= _MOST_OTHERS:
            kept |= {record.request_id: record for record in alone}
    return list(kept.values())


def _members(found: _FoundRing) -> list[RingMember]:
    by_entity: dict[Entity, list[str]] = defaultdict(list)
    for record in found.records:
        for entity in without_browsers(record):
            by_entity[entity].append(record.request_id)
    members = [
        RingMember(
            entity.kind,
            entity.value,
            len(ids),
            _frauds(ids, found.labels),
            Moment(id_time_ms(ids[-1])),
            Moment(id_time_ms(ids[0])),
        )
        for entity, ids in by_entity.items()
    ]
    kinds = list(EntityType)
    return sorted(members, key=lambda each: (kinds.index(each.kind), -each.decisions, each.value))


def _shown(found: _FoundRing) -> RingShown:
    ids = [record.request_id for record in found.records]
    people: Counter[EntityType] = Counter()
    people.update(
        each.kind for each in {one for record in found.records for one in without_browsers(record)}
    )
    return RingShown(
        found.ring_id,
        max(people[kind] for kind in _PEOPLE) or people[EntityType.CARD],
        len(ids),
        _frauds(ids, found.labels),
        _amounts(found.records),
        Moment(id_time_ms(found.ring_id)),
        Moment(id_time_ms(ids[0])),
    )


def _frauds(request_ids: Iterable[str], labels: dict[str, Label]) -> int:
    return sum(labels.get(each) in FRAUD_LABELS for each in request_ids)


def _amounts(records: Sequence[DecisionRecord]) -> list[RingMoney]:
    """The sums of all orders, by currency."""
    sums: dict[str | None, Decimal] = defaultdict(Decimal)
    for record in records:
        amount = subject_of(record).order.amount
        if amount is not None:
            sums[amount.currency] += Decimal(bytes(amount.amount).decode())
    ordered = sorted(sums.items(), key=lambda each: each[0] or "")
    return [RingMoney(currency, float(total)) for currency, total in ordered]


def _decision(record: DecisionRecord, label: Label | None) -> RingDecision:
    return RingDecision(
        record.request_id,
        Moment(id_time_ms(record.request_id)),
        record.operation,
        record.decision,
        next(iter(_amounts([record])), None),
        label,
    )


def _newest_first(record: DecisionRecord) -> int:
    return -id_time_ms(record.request_id)


_RANKS: Final = {
    RingOrder.PEOPLE: lambda ring: (-ring.people, -ring.decisions, ring.id),
    RingOrder.FRAUDS: lambda ring: (-ring.frauds, -ring.people, ring.id),
    RingOrder.NEWEST: lambda ring: (-ring.last_seen_at, ring.id),
}

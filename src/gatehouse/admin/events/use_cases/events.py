"""Use cases about events: reading them, and what an account wants to be told."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Final

import msgspec
import sqlalchemy as sa

from gatehouse.access.actors import Actor
from gatehouse.admin.decisions.use_cases.public_decisions import public_decision
from gatehouse.admin.pipelines.use_cases.recorded_answers import load_programs, recorded_answer
from gatehouse.core.api_values import CamelStruct, Timestamp, doc, money
from gatehouse.core.cards.redaction import recordable
from gatehouse.core.clock import iso_time
from gatehouse.core.errors import InvalidInput, NotFound
from gatehouse.core.events import ABOUT_REQUESTS, EventName, NewEvent, rights_of
from gatehouse.core.ids import is_id
from gatehouse.core.wording.sentences import Phrase
from gatehouse.decisions.record import DecisionRecord
from gatehouse.store.accounts import accounts
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.decisions import decisions
from gatehouse.store.events import outbox
from gatehouse.store.events.outbox import START, EventPlace

EVENT_UNKNOWN: Final = Phrase("refused.event_unknown", "no event {event}")
MOST_AT_ONCE: Final = 100
_OF_STATEMENTS: Final = ("openingBalance", "topUps", "adjustments", "charged", "closingBalance")
_AMOUNTS: Final = frozenset(("remaining", "needed", "threshold", "amount", *_OF_STATEMENTS))
"""What events about the balance and about statements say in millionths."""
_DELETED: Final[dict[str, Any]] = {"decision": None, "response": None}
"""What is told of a decision that was deleted before its events."""
_UNKNOWN_PAYMENT: Final[dict[str, Any]] = {"paymentId": None, "party": None}


class PublicEvent(CamelStruct):
    """Something that happened, as readers of events and webhooks get it."""

    id: Annotated[str, doc("The same each time this event is told.")]
    type: Annotated[str, doc("What happened.", "review.opened")]
    created_at: Annotated[Timestamp, doc("When it happened (RFC 3339).")]
    actor: Annotated[
        str, doc("Who did it: `key:` and an API key, `cli:` and a user, or a part of us.")
    ]
    data: Annotated[
        dict[str, Any],
        doc("What it is about; of a request, `requestId`, `decision` and `response`."),
    ]


class EventQuery(msgspec.Struct, frozen=True):
    """Which events are wanted."""

    after: str | None = None
    """A cursor; None begins with the oldest that is kept."""
    limit: int = MOST_AT_ONCE
    types: tuple[EventName, ...] = ()
    """None named: all that the actor may read."""

    def __post_init__(self) -> None:
        if not 1 <= self.limit <= MOST_AT_ONCE:
            raise InvalidInput(f"a page has 1 to {MOST_AT_ONCE} events")
        if self.after not in (None, START) and not is_id(self.after or "", "evt"):
            raise InvalidInput("this is no cursor of events; take the one of an earlier answer")


class EventPage(msgspec.Struct, frozen=True):
    """Some events in their order, and how to go on."""

    events: list[PublicEvent]
    cursor: str
    more: bool


def list_events(session: AdminSession, account_id: str, query: EventQuery) -> EventPage:
    """The next events of an account and of the installation, oldest first."""
    return read_events(session, account_id, query)[0]


def read_events(
    session: AdminSession, account_id: str, query: EventQuery
) -> tuple[EventPage, EventPlace]:
    """The same, and where its cursor stands, for those who wait there."""
    with session.account_reading(account_id) as connection:
        types = _readable(session.actor, query.types)
        found = outbox.read_after(connection, account_id, query.after, query.limit, types)
        events = [each.event for each in found.events]
        shown = render(session, connection, account_id, events)
    return EventPage(shown, found.cursor, found.more), found.place


def newest_events(session: AdminSession, account_id: str, query: EventQuery) -> EventPage:
    """The newest events in their order; the cursor goes on after all that there are by now."""
    with session.account_reading(account_id) as connection:
        types = _readable(session.actor, query.types)
        found = outbox.newest(connection, account_id, query.limit, types)
        shown = render(session, connection, account_id, found)
        cursor = outbox.newest_cursor(connection, account_id)
    return EventPage(shown, cursor, more=False)


def get_event(session: AdminSession, account_id: str, event_id: str) -> PublicEvent:
    """One event; `NotFound` also about another account's."""
    with session.account_reading(account_id) as connection:
        found = outbox.find(connection, account_id, event_id)
        if found is None:
            raise NotFound(EVENT_UNKNOWN(event=recordable(event_id)))
        return render(session, connection, account_id, [found.event])[0]


def _readable(actor: Actor, types: tuple[EventName, ...]) -> tuple[EventName, ...]:
    """The types to look for; none are all of them, and one that is asked for may be refused."""
    if types or actor.may(*rights_of(EventName)):
        actor.check(*rights_of(types))
        return types
    return tuple(each for each in EventName if actor.may(*rights_of([each])))


def newest_cursor(session: AdminSession, account_id: str) -> str:
    """The cursor after all events that there are by now."""
    with session.account_reading(account_id) as connection:
        return outbox.newest_cursor(connection, account_id)


def render(
    session: AdminSession,
    connection: sa.Connection,
    account_id: str,
    events: Sequence[NewEvent],
) -> list[PublicEvent]:
    """Events as they are told, with the decisions they speak of as these are kept by now."""
    session.actor.check_account(account_id)
    session.actor.check(*rights_of(each.type for each in events))
    requests = dict.fromkeys(each.about for each in events if each.type in ABOUT_REQUESTS)
    records = decisions.get_many(connection, account_id, list(requests), session.fingerprints)
    currency = accounts.currency_of(connection, account_id)
    programs = load_programs(session.signer, connection, account_id, records)
    found = {
        record.request_id: {
            "decision": public_decision(record, currency),
            "response": recorded_answer(record, currency, programs),
        }
        for record in records
    }
    payments = {record.request_id: _payment(record) for record in records}
    return [
        PublicEvent(
            id=each.id,
            type=each.type,
            created_at=iso_time(each.at_ms),
            actor=each.actor,
            data=_data(each, found, payments, currency),
        )
        for each in events
    ]


def _payment(record: DecisionRecord) -> dict[str, Any]:
    """What a merchant needs to find the payment of a request at its party."""
    paid = next((each.result for each in record.stages if "amountMinor" in each.result), {})
    return {"paymentId": paid.get("paymentId"), "party": paid.get("party")}


def _data(
    event: NewEvent,
    found: Mapping[str, dict[str, Any]],
    payments: Mapping[str, dict[str, Any]],
    currency: str,
) -> dict[str, Any]:
    said: dict[str, Any] = {} if event.data is None else msgspec.json.decode(event.data)
    if event.type.startswith("payment."):
        said |= payments.get(event.about, _UNKNOWN_PAYMENT)
    if event.type in ABOUT_REQUESTS:
        return {"requestId": event.about, **said, **found.get(event.about, _DELETED)}
    if event.type.startswith(("balance.", "statement.")):
        return {
            name: money(currency, value) if name in _AMOUNTS else value
            for name, value in said.items()
        }
    return said

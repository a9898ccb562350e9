"""A shop of an account with decisions of any age, as requests leave them."""

from typing import Any

import sqlalchemy as sa

from gatehouse.admin.privacy.use_cases.retention import (
    DeletedRows,
    RetentionHooks,
    RetentionPolicy,
    run_retention,
)
from gatehouse.core.cards.numbers import CardNumber, KeptCard
from gatehouse.core.clock import iso_time
from gatehouse.core.wording.labels import Label
from gatehouse.decisions.record import DecisionRecord, encode
from gatehouse.decisions.recorded_event import KIND_NUMBERS, RecordedEvent
from gatehouse.decisions.search_terms import pack_terms
from gatehouse.store.admin import audit
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.feedback.statements import FeedbackStatement
from gatehouse.store.tables import DECISIONS, GATEWAY_INTENTS, IDEMPOTENCY, REVIEWS, SEARCH_ENTRIES
from tests.harness import make_account
from tests.store.deciding import keep_decision, label

DAY_MS = 86_400_000
FRAUD = FeedbackStatement(Label.FRAUD)


class Shop:
    """An account with decisions of any age."""

    def __init__(self, session: AdminSession) -> None:
        self.session = session
        self.account_id = make_account(session)
        self.now_ms = session.clock()

    def decide(self, days_ago: float, user: str = "u-1", **about: Any) -> str:
        """Keep a decision as the close of a request does."""
        at_ms = int(self.now_ms - days_ago * DAY_MS)
        request_id = keep_decision(self.session, self.account_id, at_ms)
        kinds = [KIND_NUMBERS["user"], KIND_NUMBERS["address"]]
        values = [user, about.get("address", "192.0.2.7")]
        event = RecordedEvent(at_ms / 1000, True, 5, "USD", None, False, kinds, values)
        card = self.card(about["card"]) if "card" in about else None
        record = DecisionRecord(
            request_id,
            "sentry",
            iso_time(at_ms),
            about.get("reference"),
            card,
            [],
            0,
            0,
            event=event,
            signals=about.get("signals"),
        )
        entries = self.session.terms.entries(self.account_id, record)
        rows = [
            {"term": each.term, "request_id": request_id, "amount": each.amount} for each in entries
        ]
        terms = pack_terms([each.term for each in entries])
        with self.session.database.writing() as connection:
            connection.execute(SEARCH_ENTRIES.insert(), rows)
            this = DECISIONS.c.request_id == request_id
            new: dict[str, Any] = {"record": encode(record), "terms": terms}
            new["card"] = None if card is None else card.fingerprint
            new["client_reference"] = record.client_reference_id
            connection.execute(DECISIONS.update().where(this).values(new))
        return request_id

    def card(self, number: str) -> KeptCard:
        """What a record keeps of a card."""
        prints = self.session.fingerprints
        shown = prints.of_account(self.account_id, prints.inner(CardNumber.parse(number)))
        return KeptCard("Visa", number[:8], number[-4:], None, None, None, None, shown)

    def review(self, request_id: str, state: str) -> None:
        """Keep a review in a state."""
        row = {"account_id": self.account_id, "request_id": request_id, "at_ms": 1, "state": state}
        self.insert(REVIEWS, row)

    def doubt(self, request_id: str, state: str) -> None:
        """Keep a payment in a state."""
        row = {"request_id": request_id, "account_id": self.account_id, "amount_minor": 1}
        row |= {"currency": "USD", "at_ms": 1, "state": state, "attempts": 1, "changed_at_ms": 1}
        self.insert(GATEWAY_INTENTS, row)

    def answer(self, request_id: str, expires_in_ms: int) -> None:
        """Keep an answer for repeated requests."""
        row = {"claim_id": request_id, "request_id": request_id, "body": "b", "answer": "{}"}
        self.insert(IDEMPOTENCY, row | {"expires_at_ms": self.now_ms + expires_in_ms})

    def insert(self, table: sa.Table, row: dict[str, Any]) -> None:
        """Add a row."""
        with self.session.database.writing() as connection:
            connection.execute(table.insert(), row)

    def label(self, request_id: str, days_ago: float) -> None:
        """Report fraud."""
        at_ms = int(self.now_ms - days_ago * DAY_MS)
        label(self.session, self.account_id, [request_id], FRAUD, at_ms)

    def ids(self, table: sa.Table) -> set[str]:
        """The requests that rows of a table name."""
        with self.session.reading() as connection:
            return set(connection.scalars(sa.select(table.c.request_id)))

    def record(self, request_id: str) -> str:
        """The text of a record."""
        with self.session.reading() as connection:
            query = sa.select(DECISIONS.c.record).where(DECISIONS.c.request_id == request_id)
            text: str = connection.scalars(query).one()
            return text

    def trail(self) -> list[audit.AuditLine]:
        """The audit trail."""
        with self.session.reading() as connection:
            return audit.read(connection, None, 100)

    def run(self, **days: int) -> DeletedRows:
        """Delete what is older, without a rest."""
        hooks = RetentionHooks(rests=False)
        return run_retention(self.session, RetentionPolicy(**days), hooks)

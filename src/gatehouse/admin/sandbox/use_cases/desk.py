"""Does what people at the demo shop did about decisions, and what came back from banks, by the use
cases that people and programs call.
"""

from typing import Final

import msgspec

from gatehouse.access.actors import Actor
from gatehouse.admin.configurations.use_cases.configurations import NewVersion
from gatehouse.admin.feedback.use_cases.record import record_many
from gatehouse.admin.lists.use_cases.lists import GivenEntries, NewEntries, add
from gatehouse.admin.outcomes.types.outcome import MOST_ITEMS, OutcomeBatch
from gatehouse.admin.outcomes.use_cases.tell import tell
from gatehouse.admin.reviews.use_cases.review_desk import Assignment, add_note, assign_review
from gatehouse.admin.reviews.use_cases.reviews import ReviewFinding, resolve_review
from gatehouse.admin.rule_sets.use_cases import rule_sets
from gatehouse.admin.sandbox.use_cases.past import (
    DAY_MS,
    DemoOrder,
    FollowUp,
    FollowUpKind,
    RecordedEntry,
    RecordedRule,
)
from gatehouse.admin.sandbox.use_cases.sales import DemoSale, sale_of
from gatehouse.core.errors import Conflict, GatehouseError
from gatehouse.core.reading.request_reader import RequestReader
from gatehouse.core.wording.labels import Label
from gatehouse.rules.starter import starter_document
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.feedback.statements import FeedbackStatement, FeedbackSubject

_LISTS_ARE_KEPT_BY: Final = "dana"
_TOLD_AFTER_MS: Final = 2 * 3_600_000
_STARTER: Final = "starter"


class DemoDesk:
    """Does what follows, in the names of the shop's people and of its program."""

    def __init__(self, session: AdminSession, account_id: str, key_id: str) -> None:
        """`session` has the moved clock."""
        self._session = session
        self._account_id = account_id
        self._key_id = key_id
        self._sold: dict[str, DemoSale] = {}
        self._settled: set[str] = set()

    def do(self, request_id: str, follow_up: FollowUp) -> None:
        """Do one thing; what was done before is left as it is."""
        try:
            self._do(request_id, follow_up)
        except Conflict:
            # An earlier run, which was ended, came this far.
            return

    def enter(self, entry: RecordedEntry) -> None:
        """Put something on a list."""
        days = entry.lifetime_days
        new = NewEntries(reason=entry.reason, lifetime_ms=None if days is None else days * DAY_MS)
        session = self._as(_LISTS_ARE_KEPT_BY)
        add(session, self._account_id, entry.list_name, GivenEntries([entry.value]), new)

    def change_rules(self, rule: RecordedRule) -> None:
        """Add a rule to the starter rule set, unless that was done."""
        session = self._as(_LISTS_ARE_KEPT_BY)
        if rule_sets.get(session, self._account_id, _STARTER).version > 1:
            return
        text = f"{starter_document()}\n{rule.written}"
        rule_sets.apply(session, self._account_id, NewVersion(text.encode(), note=rule.why))

    def sold(self, request_id: str, order: DemoOrder) -> None:
        """Note an order that is settled with the next ones."""
        sale = sale_of(order)
        if sale is not None:
            self._sold[request_id] = sale

    def settle(self) -> None:
        """Tell of the settlement of what was sold since the last time."""
        now_ms = self._session.clock()
        known = [
            each
            for each, sale in self._sold.items()
            if each not in self._settled and sale.settled_ms <= now_ms
        ]
        for start in range(0, len(known), MOST_ITEMS):
            some = known[start : start + MOST_ITEMS]
            self._tell([self._sold[each].settled(each) for each in some])
        self._settled.update(known)

    def _dispute(self, request_id: str, what: FollowUp) -> None:
        sale = self._sold.get(request_id)
        if sale is not None:
            self._tell([sale.disputed(request_id, what.words, self._session.clock())])

    def _tell(self, items: list[dict[str, object]]) -> None:
        actor = Actor.key(self._key_id, self._account_id)
        batch = RequestReader(OutcomeBatch).read(msgspec.json.encode({"items": items}))
        tell(self._session.acting_as(actor), self._account_id, batch)

    def _do(self, request_id: str, what: FollowUp) -> None:
        place = self._account_id, request_id
        match what.kind:
            case FollowUpKind.ASSIGN:
                assign_review(self._as(what.who), *place, Assignment(what.who))
            case FollowUpKind.NOTE:
                add_note(self._as(what.who), *place, what.words)
            case FollowUpKind.LABEL:
                self._label(request_id, what)
            case FollowUpKind.DISPUTE:
                self._dispute(request_id, what)
            case kind:
                finding = ReviewFinding(kind is FollowUpKind.APPROVE, what.words)
                resolve_review(self._as(what.who), *place, finding)

    def _label(self, request_id: str, what: FollowUp) -> None:
        actor = Actor.key(self._key_id, self._account_id)
        amount = what.amount_micros
        currency = None if amount is None else "USD"
        observed_ms = self._session.clock() - _TOLD_AFTER_MS
        statement = FeedbackStatement(Label(what.words), observed_ms, amount, currency)
        given = [(FeedbackSubject(request_id=request_id), statement)]
        [answer] = record_many(self._session.acting_as(actor), self._account_id, given)
        if isinstance(answer, GatehouseError):
            raise answer

    def _as(self, person: str) -> AdminSession:
        return self._session.acting_as(Actor.user(person, self._account_id))

"""What the cards around a decision show: the order, who placed it, and what else is known."""

from functools import cached_property

from gatehouse.admin.decisions.pages.decision_view import DecisionSheet
from gatehouse.admin.decisions.pages.order_amounts import shown_order
from gatehouse.admin.decisions.use_cases.case_context import CaseContext, CaseEvent, case_context
from gatehouse.admin.evidence.use_cases.keeping import kept_of
from gatehouse.admin.rings.types import RingShown
from gatehouse.console.visit import Visit
from gatehouse.decisions.order_envelope import OrderEnvelope


class CaseView:
    """The values of `decision/case.html`."""

    def __init__(self, visit: Visit, sheet: DecisionSheet) -> None:
        self._visit = visit
        self._sheet = sheet

    @cached_property
    def around(self) -> CaseContext:
        """What lies around the decision."""
        return case_context(self._visit.session, self._visit.account_id, self._sheet.found.record)

    @cached_property
    def kept(self) -> OrderEnvelope:
        """What is readable of the order; nothing unless it is revealed."""
        if not self._sheet.revealed:
            return OrderEnvelope()
        request_id = self._sheet.found.record.request_id
        kept = kept_of(self._visit.session, self._visit.account_id, request_id)
        return kept or OrderEnvelope()

    @property
    def categories(self) -> str:
        """The kinds of articles."""
        return ", ".join(map(self._sheet.said, self._sheet.subject.order.categories))

    @property
    def email(self) -> str | None:
        """The e-mail address, masked but for its domain unless it is kept and revealed."""
        return self.kept.email or self._sheet.subject.customer.email

    @property
    def user(self) -> str | None:
        """The shop's name for the customer."""
        user = self._sheet.subject.customer.user_id
        return None if user is None else self._sheet.said(user)

    def paid(self, event: CaseEvent) -> str:
        """The amount of something that happened; empty when nobody said it."""
        return "" if event.amount is None else shown_order(self._visit, event.amount)

    def fraud_share(self, ring: RingShown) -> str:
        """What share of the ring's decisions turned out to be fraud."""
        return self._visit.formats.percent(ring.frauds / ring.decisions)

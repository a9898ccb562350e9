"""Decisions of a pipeline, kept and indexed as requests leave them, for tests that look at them."""

from collections.abc import Sequence
from typing import Any, Final

from msgspec.structs import asdict

from gatehouse.core.cards.numbers import CardNumber, KeptCard
from gatehouse.core.clock import iso_time
from gatehouse.core.ids import new_id
from gatehouse.core.stages.outcomes import Outcome
from gatehouse.decisions.record import DecisionRecord, PipelineVersion, RecordedStage, encode
from gatehouse.decisions.recorded_event import KIND_NUMBERS, RecordedEvent
from gatehouse.decisions.search_terms import pack_terms
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.tables import DECISIONS, SEARCH_ENTRIES

CARD: Final = "4242424242424242"
OTHER_CARD: Final = "5555555555554444"
DAY_MS: Final = 86_400_000


class Recorder:
    """Keeps decisions of one account, the next one always newer than the one before."""

    def __init__(self, session: AdminSession, account_id: str, days_ago: float = 40) -> None:
        self.session = session
        self.account_id = account_id
        self.at_ms = int(session.clock() - days_ago * DAY_MS)

    def keep(self, user: str = "u-4711", **about: Any) -> str:
        """Keep a decision; what is not said about it is ordinary."""
        self.at_ms += about.pop("later_ms", 60_000)
        request_id = new_id("req", self.at_ms, self.session.randomness)
        self.insert(self.record(request_id, user, **about))
        return request_id

    def insert(self, record: DecisionRecord) -> None:
        """Keep a record."""
        entries = self.session.terms.entries(self.account_id, record)
        row = {
            "account_id": self.account_id,
            "request_id": record.request_id,
            "at_ms": self.at_ms,
            "operation": record.operation,
            "record": encode(record),
            "terms": pack_terms([each.term for each in entries]),
        }
        with self.session.database.writing() as connection:
            connection.execute(DECISIONS.insert(), row)
            connection.execute(SEARCH_ENTRIES.insert(), [asdict(each) for each in entries])

    def record(self, request_id: str, user: str, **about: Any) -> DecisionRecord:
        """What a request leaves."""
        address, device = about.get("address", "203.0.113.7"), about.get("device", "dev-1")
        amount, card = about.get("amount", 50.0), self.card(about.get("card", CARD))
        decision = about.get("decision", Outcome.ACCEPT)
        signals = {
            "order.amount": amount,
            "order.currency": "USD",
            "user.id": user,
            "ip.address": address,
            "ip.country": "US",
            "device.id": device,
            "email.domain": "example.com",
            "email.fingerprint": about.get("email", "#" + "ab" * 10),
            **about.get("signals", {}),
        }
        named = {"user": user, "address": address, "device_id": device, "card": card.fingerprint}
        named["transaction"] = f"t-900{request_id[-3:]} {user}"
        if "browser" in about:
            named["device"] = about["browser"]
        if "ring" in about:
            named["ring"] = about["ring"]
        kinds = [KIND_NUMBERS[each] for each in named]
        event = RecordedEvent(
            *(self.at_ms / 1000, True, amount, "USD", None, False),
            *(kinds, list(named.values())),
        )
        return DecisionRecord(
            request_id=request_id,
            operation="pipeline",
            at=iso_time(self.at_ms),
            client_reference_id=about.get("reference", "order-1001"),
            card=card,
            stages=self.stages(decision, about),
            authorized_micros=110_000,
            closed_micros=30_000,
            decision=decision,
            pipeline=about.get("pipeline", PipelineVersion(1, 1)),
            signals=signals,
            event=event,
        )

    def stages(self, decision: Outcome, about: dict[str, Any]) -> list[RecordedStage]:
        """Rules and Sentry."""
        matched: Sequence[str] = about.get("matched", ())
        rules = {
            "ruleSet": about.get("rule_set", "shop"),
            "version": about.get("version", 1),
            "status": decision.value,
            "matched": list(matched),
            "matchedLate": [],
            "shadow": list(about.get("shadow", ())),
            "tags": [],
        }
        sentry = {
            "requestConfidence": 0.6,
            "ipScore": 0.5,
            "model": "prior-3",
            "reasons": about.get("reasons", {"ORDER_PLAUSIBLE": 0.1}),
            "signals": about.get("measured", {"ORDER_PLAUSIBLE": 1.0}),
            **about.get("scored", {}),
        }
        ran = [
            RecordedStage("Rules", "RULES", 10_000, True, 91, rules),
            RecordedStage("Sentry", "SENTRY", 20_000, True, 327, sentry),
        ]
        return [each for each in ran if each.name in about.get("only", ("Rules", "Sentry"))]

    def card(self, number: str) -> KeptCard:
        """What a record keeps of a card."""
        prints = self.session.fingerprints
        shown = prints.of_account(self.account_id, prints.inner(CardNumber.parse(number)))
        brand = "VISA" if number.startswith("4") else "MASTERCARD"
        return KeptCard(brand, number[:8], number[-4:], "2035-12", "US", "CREDIT", False, shown)

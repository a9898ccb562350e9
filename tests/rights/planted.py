"""An account in which every kind of data is planted with marks that nothing else has."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Any, Final

import msgspec

from gatehouse.access.actors import Actor
from gatehouse.access.roles import UserRole
from gatehouse.admin.accounts.types import CostsBody
from gatehouse.admin.accounts.use_cases import costs
from gatehouse.admin.alerts.queries import begin
from gatehouse.admin.alerts.types.hours import Measure
from gatehouse.admin.alerts.types.judging import AlertKind
from gatehouse.admin.alerts.types.observing import ValueKind
from gatehouse.admin.alerts.types.shown import AlertFound, MeasureDeparting
from gatehouse.admin.alerts.types.standing_out import AtStake, ProposedRule, StandingOut
from gatehouse.admin.approvals.use_cases import proposals
from gatehouse.admin.approvals.use_cases.proposed import AdjustBalance
from gatehouse.admin.configurations.use_cases.configurations import NewVersion
from gatehouse.admin.connectors.use_cases import connectors
from gatehouse.admin.explore.types import ExplorationRequest
from gatehouse.admin.invoices.use_cases import closing, parties
from gatehouse.admin.jobs import use_cases as queue
from gatehouse.admin.jobs.types import BacktestOrder, ExploreOrder, ImportOrder, JobKind
from gatehouse.admin.jobs.worker.running import run_job
from gatehouse.admin.keys import use_cases as keys
from gatehouse.admin.keys.types import NewKey
from gatehouse.admin.lists.types import NewList
from gatehouse.admin.lists.use_cases import lists
from gatehouse.admin.lists.use_cases.lists import GivenEntries, NewEntries
from gatehouse.admin.models.use_cases import versions
from gatehouse.admin.money.use_cases import money
from gatehouse.admin.people.types import RoleContent
from gatehouse.admin.people.use_cases import roles, users
from gatehouse.admin.pipelines.use_cases import pipelines
from gatehouse.admin.reviews.use_cases.review_desk import add_note
from gatehouse.admin.rule_sets.use_cases import rule_sets
from gatehouse.admin.top_ups.queries import top_ups as kept_top_ups
from gatehouse.admin.top_ups.queries.top_ups import KeptTopUp
from gatehouse.admin.top_ups.types import TopUpLimit, TopUpState
from gatehouse.admin.top_ups.use_cases import limits
from gatehouse.admin.webhooks.tables import WEBHOOK_ATTEMPTS
from gatehouse.admin.webhooks.types.webhook import NewWebhook
from gatehouse.admin.webhooks.use_cases import endpoints
from gatehouse.api.openapi.event_schemas import DATA
from gatehouse.api.openapi.parts import ref
from gatehouse.conditions.clicked import Clicked, Operator
from gatehouse.core.api_values import Money
from gatehouse.core.events import EventName, NewEvent, encode_data
from gatehouse.core.ids import derived_id, new_id
from gatehouse.core.stages.outcomes import Outcome
from gatehouse.core.stages.registry import REGISTRY
from gatehouse.core.wording.labels import Label, LabelSource
from gatehouse.decisions.order_envelope import EnvelopeSealer, OrderEnvelope
from gatehouse.rules.list_entries import ListKind
from gatehouse.store import jobs
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.decisions.evidence_table import ORDER_EVIDENCE
from gatehouse.store.events import outbox
from gatehouse.store.feedback import feedback
from gatehouse.store.feedback.statements import FeedbackStatement, LabelReport
from gatehouse.store.payments.tables import PAYMENTS
from gatehouse.store.state import lock_changes
from gatehouse.store.tables import REVIEWS
from tests.admin.invoices.test_closing import SELLER, STANDARD
from tests.admin.recorded import Recorder
from tests.connectors.test_reading import no_file
from tests.console.belongings import PIPELINE, RULES, Belongings
from tests.console.disputed import keep_dispute
from tests.console.paid import CAPTURED, DOUBTFUL, keep_payment, store_card
from tests.console.trained import full_report, keep_model

CARD: Final = "5555555555554444"
"""Of the planted decisions."""
PEOPLE: Final = tuple(f"mark-user-{each}" for each in ("a", "p", "l", "d", "ring", "alert"))
CONNECTORS: Final = b"""\
connectors:
  cards:
    {kind: http, mapping: gatehouse, base_url: "http://127.0.0.1:9", secrets: {token: "env:T"}}
routes: {gateway: [{use: [cards]}]}
"""
MONEY: Final = ref(Money.__name__)
HOOK: Final = "http://127.0.0.1:9/mark-hook"


class Data(StrEnum):
    """A kind of data that an account has, as the table in SECURITY.md names it."""

    DECISIONS = "decisions: what was asked for, and what was decided"
    PERSONAL = "their personal values in full"
    REVIEWED = "decisions under review"
    REVIEWED_PERSONS = "the personal values of these"
    NOTES = "notes of reviews"
    LABELS = "what orders turned out to be"
    MONEY = "ledger, statements, invoices"
    PRICES = "prices"
    TOP_UPS = "top-ups"
    PAYMENTS = "payments"
    LISTS = "entries of lists"
    RULES = "rule sets and experiments"
    MODELS = "models"
    ALERTS = "alerts"
    RINGS = "rings"
    OUTCOMES = "disputes and other outcomes"
    EVIDENCE = "kept evidence and its files"
    IDENTITIES = "identity records, masked"
    PEOPLE = "people and their roles"
    KEYS = "keys"
    WEBHOOKS = "webhooks"
    SECRETS = "new keys and secrets, once"
    COSTS = "what orders earn and cost"
    PROPOSALS = "proposals about money"


class Planted(Belongings):
    """What the account has, by its names in paths, with marks; made once, at the beginning."""

    def __init__(self, session: AdminSession, account_id: str) -> None:
        super().__init__(session, account_id, "own")
        self.marks: dict[Data, list[str]] = {each: [] for each in Data}
        self._person = self["user"]
        self.decided = self._decisions()
        self._made["decided"] = self.decided[0]
        for place in ("set", "pipeline", "list", "model", "id", "ring", "alert", "key", "webhook"):
            _ = self[place]
        for place in ("role", "search", "payment", "notification", "dispute", "file", "month"):
            _ = self[place]
        for place in (
            "experiment",
            "invoice",
            "proposal",
            "event",
            "bulk",
            "token",
            "operation",
            "topup",
            "labelled",
            "whole",
        ):
            _ = self[place]
        self.plant_money()
        self.plant_identities()
        self.plant_jobs()
        _ = self["job"]
        self.events = self._events()

    def __getitem__(self, place: str) -> str:
        if place not in self._made:
            self._made[place] = getattr(self, f"_{place}")()
        return self._made[place]

    def mark(self, kind: Data, *marks: str) -> None:
        """What tells that data of a kind came back."""
        self.marks[kind] += marks

    def found(self, text: str, sent: str = "") -> frozenset[Data]:
        """The kinds of which there are marks in an answer, other than those that were sent."""
        return frozenset(
            kind
            for kind, marks in self.marks.items()
            if any(each in text and each not in sent for each in marks)
        )

    def _decisions(self) -> list[str]:
        """A dozen of the same person: groups of so many may be counted."""
        shop = Recorder(self._session, self._account_id, days_ago=3)
        about = {
            "address": "198.51.100.77",
            "device": "mark-device-a",
            "card": CARD,
            "amount": 7391.37,
            "email": "#" + "cd" * 10,
            "reference": "mark-order-a",
            "signals": {"custom.plan": "mark-plan-a", "email.domain": "mark-a.example"},
        }
        made = [shop.keep("mark-user-a", **about) for _ in range(12)]
        self.mark(
            Data.DECISIONS,
            *made,
            "mark-order-a",
            "7391.37",
            "7,391.37",
            "mark-plan-a",
            "mark-a.example",
        )
        self.mark(Data.PERSONAL, "198.51.100.77", "mark-device-a", "cd" * 10)
        self.mark(Data.PERSONAL, shop.card(CARD).fingerprint, *PEOPLE)
        return made

    def _id(self) -> str:
        shop = Recorder(self._session, self._account_id, days_ago=2)
        request_id = shop.keep("mark-user-r", decision=Outcome.REVIEW, amount=611.59)
        row = {"account_id": self._account_id, "request_id": request_id}
        with self._session.database.writing() as connection:
            connection.execute(REVIEWS.insert(), {**row, "at_ms": shop.at_ms, "state": "OPEN"})
        add_note(self._session, self._account_id, request_id, "mark-note-r")
        self.mark(Data.NOTES, "mark-note-r")
        self.mark(Data.REVIEWED, "611.59")
        self.mark(Data.REVIEWED_PERSONS, "mark-user-r")
        return request_id

    def _ring(self) -> str:
        name = derived_id("ring", 1_790_000_000_000, self._word)
        shop = Recorder(self._session, self._account_id, days_ago=2)
        made = [shop.keep(f"mark-user-ring-{each}", ring=name) for each in range(3)]
        self.mark(Data.RINGS, name)
        self.mark(Data.DECISIONS, *made)
        return name

    def _alert(self) -> str:
        alert_id = derived_id("alr", 1_790_000_000_000, self._word)
        shop = Recorder(self._session, self._account_id, days_ago=1)
        example = shop.keep("mark-user-alert", address="198.51.100.99")
        found = AlertFound(
            10,
            36,
            [MeasureDeparting(Measure.REFUSED, 34, 1.6, 52)],
            [
                StandingOut(ValueKind.ADDRESS, "198.51.100.99", 36, 1.0, 0.0001, 9999.0),
                StandingOut(ValueKind.DOMAIN, "mail.example", 36, 1.0, 0.1, 10.0),
            ],
            [AtStake("USD", "36", "2")],
            ProposedRule(
                "attack-2026-11-16-address-in-198-51-100",
                "ip.address = '198.51.100.99'",
                [Clicked("ip.address", Operator.EQUAL.value, "198.51.100.99")],
            ),
            [example],
        )
        with self._session.writing() as connection:
            begin(
                *(connection, self._account_id, alert_id, AlertKind.ATTACK, found),
                self._session.clock(),
            )
        self.mark(Data.ALERTS, alert_id)
        self.mark(Data.DECISIONS, example)
        self.mark(Data.PERSONAL, "198.51.100.99")
        return alert_id

    def _set(self) -> str:
        name = super()._set()
        later = RULES.format(set=name).replace("30", "40")
        rule_sets.apply(self._session, self._account_id, NewVersion(later.encode()))
        self.mark(Data.RULES, name)
        return name

    def _pipeline(self) -> str:
        name = super()._pipeline()
        later = PIPELINE.format(pipeline=name).replace("Quick", "Prompt")
        pipelines.apply(self._session, self._account_id, NewVersion(later.encode()))
        return name

    def _list(self) -> str:
        name = "own-users"
        lists.create(self._session, self._account_id, NewList(name, ListKind.USERS, ""))
        given = GivenEntries(["mark-entry"])
        lists.add(self._session, self._account_id, name, given, NewEntries(reason="mark-reason"))
        self.mark(Data.LISTS, "mark-entry")
        return name

    def _model(self) -> str:
        for _ in range(2):
            keep_model(self._session, self._account_id, full_report(), note="mark-model-note")
        for each in ("1", "2"):
            versions.promote_model(self._session, self._account_id, each)
        self.mark(Data.MODELS, "mark-model-note")
        return "1"

    def _key(self) -> str:
        made = keys.issue(self._session, self._account_id, NewKey(name="mark-key"))
        self.mark(Data.KEYS, "mark-key")
        return made.issued.key_id

    def _webhook(self) -> str:
        new = NewWebhook(HOOK, ["*"], description="mark-hook")
        made = endpoints.create(self._session, self._account_id, new).answer.id
        row: dict[str, Any] = {
            "webhook_id": made,
            "id": "att_1",
            "event_id": "evt_mark",
            "type": "balance.low",
        }
        row |= {"at_ms": self._session.clock(), "number": 1, "duration_ms": 1, "status": 500}
        with self._session.writing() as connection:
            connection.execute(WEBHOOK_ATTEMPTS.insert(), row)
        self.mark(Data.WEBHOOKS, "mark-hook", "evt_mark")
        self.mark(Data.SECRETS, "whsec_", "gh_sandbox_")
        return made

    def _user(self) -> str:
        made = users.invite(
            *(self._session, self._account_id, "mark-login@shop.test", UserRole.ANALYST),
            "Mark Person",
        )
        self.mark(Data.PEOPLE, "mark-login@shop.test")
        return made.user.user_id

    def _role(self) -> str:
        given = RoleContent("Mark role", [])
        self.mark(Data.PEOPLE, "Mark role")
        return roles.make_role(self._session, self._account_id, given).answer.role_id

    def _dispute(self) -> str:
        shop = Recorder(self._session, self._account_id, days_ago=2)
        disputed = self._made["disputed"] = shop.keep("mark-user-d", amount=7391.37)
        self.mark(Data.OUTCOMES, "own-dispute")
        sent = OrderEnvelope(email="markolf@mark-d.example", shipping={"line1": "7 Markway"})
        sealer = EnvelopeSealer(self._session.ring)
        version, sealed = sealer.seal(self._account_id, disputed, sent)
        row = {"account_id": self._account_id, "request_id": disputed}
        with self._session.writing() as connection:
            connection.execute(
                ORDER_EVIDENCE.insert(), {**row, "key_version": version, "sealed": sealed}
            )
        self.mark(Data.EVIDENCE, "7 Markway", "markolf@mark-d.example")
        return keep_dispute(self._session, self._account_id, "own-dispute", disputed)

    def _file(self) -> str:
        self.mark(Data.EVIDENCE, "proof.txt", "Signed for.", "U2lnbmVkIGZvci4=")
        return super()._file()

    def _experiment(self) -> str:
        name = super()._experiment()
        self.mark(Data.RULES, name)
        return name

    def _invoice(self) -> str:
        parties.set_seller(self._session, SELLER)
        buyer = msgspec.structs.replace(STANDARD.buyer, name="Mark Buyer Ltd")
        terms = msgspec.structs.replace(STANDARD, commitment="5", buyer=buyer)
        parties.set_billing_details(self._session, self._account_id, terms)
        money.set_credit_limit(self._session, self._account_id, 10_000_000)
        made = closing.close_month(self._session, self._account_id, "2020-01")
        assert made is not None
        self.mark(Data.MONEY, made.invoice_id, "Mark Buyer Ltd")
        self.mark(Data.MONEY, made.number)
        return made.invoice_id

    def _payment(self) -> str:
        shop = Recorder(self._session, self._account_id, days_ago=2)
        made = shop.keep("mark-user-p", amount=100.0)
        keep_payment(self._session, self._account_id, made, CAPTURED, DOUBTFUL)
        with self._session.writing() as connection:
            this = PAYMENTS.c.request_id == made
            connection.execute(PAYMENTS.update().where(this).values(payment_id="mark-psp"))
        self.mark(Data.PAYMENTS, "mark-psp")
        return made

    def _proposal(self) -> str:
        change = AdjustBalance(1_000_000, "mark-proposal")
        made = proposals.propose(self._session, self._account_id, change).proposal_id
        self.mark(Data.PROPOSALS, "mark-proposal")
        return made

    def _topup(self) -> str:
        """One that was paid by card."""
        at_ms = self._session.clock()
        made = new_id("top", at_ms, self._session.randomness)
        row = KeptTopUp(
            account_id=self._account_id,
            id=made,
            state=TopUpState.PAID,
            connector="mark-cards",
            currency="USD",
            actor="test",
            amount_minor=91_713,
            tax_minor=0,
            at_ms=at_ms,
            changed_at_ms=at_ms,
            expires_at_ms=at_ms,
        )
        with self._session.writing() as connection:
            kept_top_ups.add(connection, row)
        self.mark(Data.TOP_UPS, made, "91713", "917.13")
        return made

    def _events(self) -> dict[str, NewEvent]:
        """One of each type, whose data speak of what is planted."""
        made = {}
        for kind, fields in DATA.items():
            if kind not in list(EventName):
                continue
            about = self["id"] if kind.startswith("review.") else self.decided[0]
            said = {name: self._said(name, about, of) for name, of in fields.items()}
            at_ms = self._session.clock()
            event_id = new_id("evt", at_ms, self._session.randomness)
            place = (event_id, self._account_id, at_ms, kind, "test", about)
            made[kind] = NewEvent(*place, encode_data(said))
        with self._session.writing() as connection:
            outbox.add(connection, [*made.values()])
        return made

    def _said(self, name: str, about: str, described: Mapping[str, Any]) -> Any:
        """What an event says in a field: what is planted of it."""
        if described == MONEY:
            return 83_317_290_000
        standing = StandingOut(ValueKind.ADDRESS, "198.51.100.99", 36, 1.0, 0.0001, 9999.0)
        known = {
            "requestId": about,
            "values": [msgspec.to_builtins(standing)],
            "name": "mark-key",
            "ruleSet": "own-rules",
            "reference": "mark-top-up-note",
            "topUpId": self["topup"],
            "alertId": self["alert"],
            "keyId": self["key"],
            "webhookId": self["webhook"],
            "experiment": self["experiment"],
        }
        return known.get(name, f"some {name}" if described.get("type") == "string" else None)

    def _job(self) -> str:
        """One that has ended."""
        made = super()._job()
        run_jobs(self._session)
        return made

    def _whole(self) -> str:
        """A payment of which nothing was captured."""
        made = Recorder(self._session, self._account_id, days_ago=2).keep("mark-user-p")
        return keep_payment(self._session, self._account_id, made)

    def plant_money(self) -> None:
        """A balance, prices, a stored card."""
        session, account_id = self._session, self._account_id
        money.set_prices(session, account_id, dict.fromkeys(REGISTRY.default_fees, "0.073131"))
        money.top_up(session, account_id, 83_317_290_000, "mark-top-up-note")
        self._offer_top_ups()
        store_card(session, account_id)
        limits.set_top_up_limit(session, account_id, TopUpLimit(200_000))
        self.mark(Data.PRICES, "0.073131", "73131")
        self.mark(Data.MONEY, "mark-top-up-note", "83317.29", "83,317.29", "83417.29", "83,417.29")
        costs.set_costs(session, account_id, CostsBody("USD", 0.2731, chargeback_fee=27.31))
        self.mark(Data.COSTS, "27.31", "0.2731")

    def _offer_top_ups(self) -> None:
        """A provider that can charge cards; nobody answers there."""
        session = self._session
        operator = session.acting_as(Actor.operator("ada"))
        connectors.apply(operator, session.settings, NewVersion(CONNECTORS), no_file)

    def _labelled(self) -> str:
        """What a decision turned out to be, as a program said it."""
        made, source = self["disputed"], LabelSource.API
        statement = FeedbackStatement(Label.CHARGEBACK, None, 4_711_130_000, "USD")
        report = LabelReport(self._account_id, [made], statement, "key:mark-reporter", source)
        with self._session.writing() as connection:
            lock_changes(connection)
            feedback.record(connection, report, self._session.clock())
        self.mark(Data.LABELS, "4711.13", "mark-reporter")
        return made

    def plant_jobs(self) -> None:
        """Jobs that are done, whose results speak of decisions."""
        now_ms = self._session.clock()
        span = (now_ms - 10 * 86_400_000, now_ms + 1)
        document = RULES.format(set="own-rules")
        asked = ExplorationRequest(by="email.domain")
        for kind, order in (
            (JobKind.EXPLORATION, ExploreOrder(asked, *span)),
            (JobKind.BACKTEST, BacktestOrder(document, *span)),
        ):
            queue.start_job(self._session, self._account_id, kind, order)
        run_jobs(self._session)

    def plant_identities(self) -> None:
        """A record of a person."""
        content = (
            b"cardNumber,reference,firstName,email\n4242424242424242,idn-a,Ann,ann@mark-i.example\n"
        )
        order = ImportOrder("csv")
        queue.start_job(self._session, self._account_id, JobKind.IDENTITY_IMPORT, order, content)
        run_jobs(self._session)
        self.mark(Data.IDENTITIES, "mark-i.example")


def run_jobs(session: AdminSession) -> None:
    """Run the jobs that wait."""
    while True:
        with session.writing() as connection:
            job = jobs.claim(connection, "walk", session.clock())
        if job is None:
            return
        run_job(session, job.id, "walk")

"""A shop with decisions of every form that records have had, and figures over them."""

import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace

from gatehouse.core.clock import iso_time
from gatehouse.core.ids import new_id
from gatehouse.core.stages.outcomes import Outcome
from gatehouse.core.wording.labels import Label
from gatehouse.core.wording.sentences import plain
from gatehouse.decisions.record import DecisionRecord, PipelineVersion, RecordedStage, encode
from gatehouse.decisions.recorded_event import KIND_NUMBERS, RecordedEvent
from gatehouse.decisions.search_terms import pack_terms
from gatehouse.figures.account_columns import AccountColumns
from gatehouse.figures.copies import ColumnCopies
from gatehouse.figures.follower import Pauses
from gatehouse.rules.list_entries import ListEntry, ListKind
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.configured import lists
from gatehouse.store.configured.list_plans import PlannedEntry
from gatehouse.store.feedback.statements import FeedbackStatement
from gatehouse.store.tables import DECISIONS, REVIEWS, SEARCH_ENTRIES
from tests.decisions.samples import SAMPLES
from tests.harness import make_account
from tests.store.deciding import label

NOW_MS = 1_794_700_000_000
HOUR_MS = 3_600_000
DAY_MS = 24 * HOUR_MS
AT_ONCE = Pauses(compare_s=0, compact_s=0)
"""Compare and compact with every step."""


class Shop:
    """An account whose decisions are copied; the test holds the clock."""

    def __init__(self, session: AdminSession, folder: Path) -> None:
        self.session = session
        self.now_ms = NOW_MS
        session.clock = lambda: self.now_ms
        self.account_id = make_account(session)
        self.folder = folder
        self.copies = ColumnCopies(session, folder, AT_ONCE)
        self.chance = random.Random(7)

    def columns(self) -> AccountColumns:
        """The copy with all that there is by now."""
        return self.copies.catch_up(self.account_id)

    def reopen(self) -> AccountColumns:
        """The copy as another process finds it."""
        self.copies.close()
        self.copies = ColumnCopies(self.session, self.folder, AT_ONCE)
        return self.columns()

    def ids(self) -> list[str]:
        """The requests in the copy."""
        with self.columns().reading() as asking:
            return [row[0] for row in asking.ask("SELECT request_id FROM decisions ORDER BY 1")]

    def value(self, request_id: str, column: str) -> Any:
        """What the copy has of one request."""
        with self.columns().reading() as asking:
            [(found,)] = asking.ask(
                f"SELECT \"{column}\" FROM decisions WHERE request_id = '{request_id}'"
            )
        return found

    def keep(self, at_ms: int, text: str = "", operation: str = "pipeline", **about: Any) -> str:
        """Keep a decision; without a text, one of a pipeline."""
        row = self._row(at_ms, text, operation, **about)
        with self.session.database.writing() as connection:
            connection.execute(DECISIONS.insert(), row)
        request_id: str = row["request_id"]
        return request_id

    def _row(self, at_ms: int, text: str, operation: str, **about: Any) -> dict[str, Any]:
        request_id = new_id("req", at_ms, self.chance.randbytes)
        text = text or encode(self.pipeline_record(request_id, at_ms, **about))
        row = {"account_id": self.account_id, "request_id": request_id, "at_ms": at_ms}
        return row | {"operation": operation, "record": text}

    def keep_of_user(self, at_ms: int, user: str) -> str:
        """Keep a decision about a person, which searches find."""
        signals = {"order.amount": 5.0, "order.currency": "USD", "user.id": user}
        signals["custom.note"] = f"note about {user}"
        request_id = self.keep(at_ms, signals=signals)
        kinds = [KIND_NUMBERS["user"]]
        event = RecordedEvent(at_ms / 1000, True, 5, "USD", None, False, kinds, [user])
        record = self.pipeline_record(request_id, at_ms, signals=signals)
        found = replace(record, event=event)
        terms = [each.term for each in self.session.terms.entries(self.account_id, found)]
        entries = [{"term": each, "request_id": request_id, "amount": None} for each in terms]
        with self.session.database.writing() as connection:
            connection.execute(SEARCH_ENTRIES.insert(), entries)
            this = DECISIONS.update().where(DECISIONS.c.request_id == request_id)
            values = {"record": encode(found), "terms": pack_terms(terms)}
            connection.execute(this.values(values))
        return request_id

    def pipeline_record(self, request_id: str, at_ms: int, **about: Any) -> DecisionRecord:
        """As this version writes it."""
        decision = Outcome(about.get("decision", "ACCEPT"))
        return DecisionRecord(
            request_id,
            "pipeline",
            iso_time(at_ms),
            None,
            None,
            about.get("stages", [rules_stage(decision), sentry_stage(self.chance)]),
            100_000,
            50_000,
            decision=decision,
            pipeline=PipelineVersion(1, 1),
            signals=about.get("signals", {"order.amount": 5.0, "order.currency": "USD"}),
        )

    def fill(self, count: int) -> list[str]:
        """Keep decisions of all forms, and label some of them."""
        step = 39 * DAY_MS // count
        rows = [self._some(number, NOW_MS - 40 * DAY_MS + number * step) for number in range(count)]
        with self.session.database.writing() as connection:
            connection.execute(DECISIONS.insert(), rows)
        ids = [row["request_id"] for row in rows]
        for first, found in enumerate((Label.FRAUD, Label.LEGITIMATE, Label.WITHDRAWN)):
            self.label(*ids[first::15], found=found)
        return ids

    def _some(self, number: int, at_ms: int) -> dict[str, Any]:
        chance = self.chance
        decision = chance.choice(("ACCEPT", "ACCEPT", "REVIEW", "DECLINE"))
        if number % 50 == 7:
            return self._row(at_ms, chance.choice(list(SAMPLES.values())), "pipeline")
        if number % 50 == 8:
            return self._row(at_ms, '{"stages":5}', chance.choice(("pipeline", "sentry")))
        if number % 50 == 9:
            return self._row(at_ms, SAMPLES["precheck_first"], "precheck")
        stages = [
            rules_stage(decision, chance.choice((["dear"], ["new"], []))),
            sentry_stage(chance),
        ]
        if number % 10 == 3:
            stages.append(rules_stage(chance.choice(("ACCEPT", "DECLINE")), ["b"], "second"))
        if number % 50 == 4:
            # In the first edition, rules did not wait for later stages.
            stages = [rules_stage(decision, waited=False), sentry_stage(chance)]
        about = {"signals": self._signals(), "stages": stages, "decision": decision}
        return self._row(at_ms, "", "pipeline", **about)

    def _signals(self) -> dict[str, Any]:
        chance = self.chance
        signals: dict[str, Any] = {
            "order.amount": round(chance.lognormvariate(3, 1), 2),
            "order.currency": chance.choice(("USD", "EUR", "nonsense")),
            "card.country": chance.choice(("US", "DE", None)),
            "ip.address": f"203.0.{chance.randrange(3)}.{chance.randrange(9)}",
            "email.domain": chance.choice(("a.example", "mail.b.example", "c.example")),
            "user.id": f"u-{chance.randrange(40)}",
            "velocity.user": [chance.randrange(9) for _ in range(chance.randrange(3, 12))],
            "custom.plan": chance.choice(("gold", "tin", 5, None)),
            "custom.score": chance.choice((1, 2.5, True, "3", 2**60, None)),
            "custom.known": chance.choice((True, False, "yes")),
            "custom.tags": chance.choice((["a", "b"], [], ["a", 1], "a", None)),
        }
        dropped = chance.sample(sorted(signals), chance.randrange(3))
        return {name: value for name, value in signals.items() if name not in dropped}

    def label(self, *request_ids: str, found: Label = Label.FRAUD) -> None:
        """Say what requests turned out to be."""
        label(self.session, self.account_id, request_ids, FeedbackStatement(found), self.now_ms)

    def review(self, request_id: str) -> None:
        """Open the review of a request."""
        row = {"account_id": self.account_id, "request_id": request_id}
        with self.session.database.writing() as connection:
            connection.execute(REVIEWS.insert(), row | {"at_ms": self.now_ms, "state": "OPEN"})

    def list_add(self, name: str, kind: ListKind, values: Sequence[str], at_ms: int) -> None:
        """Put values on a list at a moment."""
        before, self.now_ms = self.now_ms, at_ms
        with self.session.change() as change:
            entries = [PlannedEntry(value, value) for value in values]
            lists.add(change, self.account_id, name, kind, entries)
        self.now_ms = before

    def list_remove(self, name: str, values: Sequence[str], at_ms: int) -> None:
        """Take values off a list at a moment."""
        before, self.now_ms = self.now_ms, at_ms
        with self.session.change() as change:
            entries = [ListEntry(value, value) for value in values]
            lists.remove(change, self.account_id, name, entries)
        self.now_ms = before


def rules_stage(
    status: str, matched: Sequence[str] = (), rule_set: str = "shop", *, waited: bool = True
) -> RecordedStage:
    """What a stage with rules leaves."""
    result: dict[str, Any] = {"ruleSet": rule_set, "version": 1, "status": str(status)}
    result |= {"matched": list(matched), "shadow": ["watched"] if matched else []}
    if waited:
        result["matchedLate"] = []
    return RecordedStage("Rules", "RULES", 50_000, True, 120, result)


def sentry_stage(chance: random.Random) -> RecordedStage:
    """What Sentry leaves."""
    result = {"requestConfidence": round(chance.random(), 3), "reasons": {"IP_HOSTING": -0.4}}
    return RecordedStage("Sentry", "SENTRY", 50_000, True, chance.randrange(100, 900), result)


def as_json(value: Any) -> Any:
    """A struct as it is shown."""
    return msgspec.to_builtins(value, enc_hook=plain)

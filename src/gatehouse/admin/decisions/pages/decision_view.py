"""What the page of one decision shows, masked unless it is revealed."""

from functools import cached_property
from typing import Any, Final

import msgspec

from gatehouse.access.roles import Permission
from gatehouse.admin.accounts.use_cases.order_page import order_address, order_page
from gatehouse.admin.decisions.pages.case_map import CaseMap, map_of
from gatehouse.admin.decisions.pages.order_amounts import shown_amount, shown_order
from gatehouse.admin.decisions.use_cases.inspecting import InspectedDecision
from gatehouse.admin.decisions.use_cases.masking import RecordMask, masked_reference
from gatehouse.admin.decisions.use_cases.matched import MatchedRule
from gatehouse.admin.decisions.use_cases.public_decisions import public_decision
from gatehouse.admin.decisions.use_cases.request_subject import subject_of
from gatehouse.admin.entities.use_cases.showing import ShownEntity
from gatehouse.admin.outcomes.types.outcome import PaymentOutcome
from gatehouse.admin.payments.use_cases.operating import has_payment
from gatehouse.admin.reviews.use_cases.review_undo import can_undo
from gatehouse.console.charts.signed_bars import SignedBar, signed_bars
from gatehouse.console.visit import Visit
from gatehouse.console.words.stages import ShownFinding, StageWords
from gatehouse.core.ids import id_time_ms
from gatehouse.core.money import parse_amount
from gatehouse.core.stages.outcomes import DecisionReason
from gatehouse.decisions.reasons import is_retryable, reason_of
from gatehouse.explanations.reasons import INCOMPLETE_CODE
from gatehouse.gateway.spec import GATEWAY
from gatehouse.idverify.spec import ID_VERIFY
from gatehouse.sentry.outcomes import ScoredOutcome

_HEADLINES: Final = 3


class StageRow(msgspec.Struct, frozen=True):
    """One stage in the timeline; places are shares of the whole, in percent."""

    name: str
    completed: bool
    microseconds: int
    start: float
    width: float
    fee_micros: int
    findings: list[ShownFinding]


class ReasonRow(msgspec.Struct, frozen=True):
    """One of Sentry's reasons beside what is normal for the user."""

    code: str
    sentence: str
    effect: float
    value: float | None
    usual_value: float | None
    usual_effect: float | None
    seen: int
    bar: SignedBar

    @property
    def tells_value(self) -> bool:
        """Whether what was measured says more than that it was found."""
        return self.value is not None and not (self.value == 1 and self.usual_value in (None, 1))


class DecisionSheet:
    """The values of the template."""

    def __init__(self, visit: Visit, found: InspectedDecision, *, revealed: bool) -> None:
        self._visit = visit
        self.found = found
        self.revealed = revealed
        self._mask = RecordMask(found.record)
        self._words = StageWords(visit, self.said)
        self.subject = subject_of(found.record)

    def said(self, text: str) -> str:
        """A text about the request, without what is about the person unless it is revealed."""
        told = self._visit.said(text)
        return told if self.revealed else self._mask.text(told)

    def label(self, shown: ShownEntity) -> str:
        """What an entity is called here."""
        return shown.plain if self.revealed else shown.masked

    @property
    def reference(self) -> str | None:
        """The caller's reference."""
        reference = self.found.record.client_reference_id
        if self.revealed:
            return None if reference is None else str(reference)
        return masked_reference(reference)

    @cached_property
    def shop_page(self) -> str | None:
        """The order in the shop's own administration; not while its name must stay masked."""
        record, reference = self.found.record, self.reference
        kept = record.client_reference_id
        shown = None if kept is None or reference != str(kept) else reference
        address = order_page(self._visit.session, self._visit.account_id)
        return order_address(address, shown, record.request_id)

    @cached_property
    def map(self) -> CaseMap:
        """Where the request comes from, and where it goes."""
        return map_of(self.subject)

    @property
    def at_ms(self) -> int:
        """When the request came in."""
        return id_time_ms(self.found.record.request_id)

    @property
    def amount(self) -> str:
        """What was to be paid; empty when nobody said it."""
        amount = self.subject.order.amount
        return "" if amount is None else shown_order(self._visit, amount)

    def paid(self, amount: float, currency: str | None) -> str:
        """An amount that the user paid."""
        return shown_amount(self._visit, amount, currency)

    def told_amount(self, outcome: PaymentOutcome) -> str:
        """The amount of an outcome."""
        return self._visit.money(parse_amount(outcome.amount or "0"), outcome.currency)

    def signed(self, effect: float) -> str:
        """An effect with its sign."""
        return self._visit.formats.signed(effect)

    @cached_property
    def verdict(self) -> str:
        """What was decided and by what, in a sentence."""
        visit, record, explained = self._visit, self.found.record, self.found.explanation
        if record.decision is None:
            return "" if explained is None else self.said(explained.summary)
        outcome = visit.text(f"decision.verdict.{record.decision}")
        decisive = [each for each in (explained.reasons if explained else ()) if each.decisive]
        rules = [each.name for each in self.found.rules if each.decisive]
        stages = [each for each in decisive if each.code not in rules]
        if rules:
            count, named = len(rules), _named(rules)
            return visit.text("decision.verdict.rules", outcome=outcome, count=count, rules=named)
        if stages:
            named = _named(list(dict.fromkeys(visit.function(each.stage) for each in stages)))
            failed = all(each.code == INCOMPLETE_CODE for each in stages)
            key = "decision.verdict.failed" if failed else "decision.verdict.stages"
            return visit.text(key, outcome=outcome, stages=named)
        key = "nothing" if record.decision == "ACCEPT" else "unknown"
        return visit.text(f"decision.verdict.{key}", outcome=outcome)

    @cached_property
    def reason(self) -> DecisionReason | None:
        """What decided, in one word."""
        return reason_of(self.found.record)

    @property
    def retryable(self) -> bool:
        """Whether the same order can end differently later."""
        return is_retryable(self.found.record.decision, self.reason)

    @cached_property
    def because(self) -> str:
        """What the author of the deciding rule says about it."""
        said = [each.description for each in self.found.rules if each.decisive]
        return self.said(said[0]) if said else ""

    @cached_property
    def stage_said(self) -> str:
        """What the deciding stage says, where no rule decided."""
        explained = self.found.explanation
        decisive = [each for each in (explained.reasons if explained else ()) if each.decisive]
        by_rule = any(each.decisive for each in self.found.rules)
        return "" if by_rule or not decisive else self.said(decisive[0].text)

    @cached_property
    def stages(self) -> list[StageRow]:
        """The stages that ran, one after the other."""
        ran = self.found.record.stages
        total = max(sum(each.duration_microseconds for each in ran), 1)
        rows, reached = [], 0
        for stage in ran:
            took = stage.duration_microseconds
            rows.append(
                StageRow(
                    name=stage.name,
                    completed=stage.completed,
                    microseconds=took,
                    start=100 * reached / total,
                    width=max(100 * took / total, 1.0),
                    fee_micros=stage.fee_micros,
                    findings=self._words.of(stage.name, stage.result),
                )
            )
            reached += took
        return rows

    @property
    def total_microseconds(self) -> int:
        """How long all stages took."""
        return sum(each.duration_microseconds for each in self.found.record.stages)

    @cached_property
    def reasons(self) -> list[ReasonRow]:
        """Sentry's reasons with their bars."""
        effects = self.found.habits.effects
        bars = signed_bars([(each.effect, each.usual_effect) for each in effects])
        return [
            ReasonRow(
                code=each.code,
                sentence=self.said(each.sentence),
                effect=each.effect,
                value=each.value,
                usual_value=each.usual_value,
                usual_effect=each.usual_effect,
                seen=each.seen,
                bar=bar,
            )
            for each, bar in zip(effects, bars, strict=True)
        ]

    @property
    def seen(self) -> list[tuple[ShownEntity, int]]:
        """The entities of the request, and how often the user had each before."""
        known = {each.shown.entity: each.shown for each in self.found.entities}
        return [(known[each.entity], each.times) for each in self.found.habits.seen]

    @cached_property
    def confidence(self) -> float | None:
        """Sentry's confidence that the request is legitimate."""
        return next(
            (
                float(stage.result["requestConfidence"])
                for stage in self.found.record.stages
                if isinstance(stage.result.get("requestConfidence"), int | float)
            ),
            None,
        )

    @cached_property
    def outcome_scores(self) -> list[tuple[str, float]]:
        """How probable each outcome is, where the model had such scores."""
        kept: list[Any] = [
            each.result.get("outcomeScores") or {} for each in self.found.record.stages
        ]
        known = {name: score for scores in kept for name, score in scores.items()}
        return [(each, float(known[each])) for each in ScoredOutcome if each in known]

    @cached_property
    def changes(self) -> list[str]:
        """What would have changed the decision."""
        explained = self.found.explanation
        return [] if explained is None else [self.said(each.text) for each in explained.changes]

    @cached_property
    def notes(self) -> list[str]:
        """What could not be told."""
        explained = self.found.explanation
        return [] if explained is None else [self.said(each) for each in explained.notes]

    def looked_at(self, rule: MatchedRule) -> list[tuple[str, str]]:
        """The signals that a rule asked for, as they were."""
        return [(name, self._words.shown(value)) for name, value in rule.looked_at.items()]

    def condition(self, rule: MatchedRule) -> str | None:
        """What a rule asked then."""
        return None if rule.condition is None else self.said(rule.condition)

    @cached_property
    def identity(self) -> list[ShownFinding]:
        """What ID Verify found, one line for each thing that was compared."""
        found = self._result_of(ID_VERIFY.name)
        return [] if found is None else self._words.identity(found)

    @cached_property
    def gateway(self) -> list[ShownFinding]:
        """What the payment's gateway answered."""
        found = self._result_of(GATEWAY.name)
        return [] if found is None else self._words.of(GATEWAY.name, found)

    def _result_of(self, stage: str) -> dict[str, Any] | None:
        found = [each.result for each in self.found.record.stages if each.name == stage]
        return found[0] if found else None

    @cached_property
    def payment(self) -> tuple[int, str] | None:
        """What Gateway was asked for, in minor units."""
        for stage in self.found.record.stages:
            amount, currency = stage.result.get("amountMinor"), stage.result.get("currency")
            if isinstance(amount, int) and isinstance(currency, str):
                return amount, currency
        return None

    @property
    def has_payment(self) -> bool:
        """Whether a payment of it is kept, which has a page of its own."""
        return has_payment(
            self._visit.session, self._visit.account_id, self.found.record.request_id
        )

    @property
    def can_undo(self) -> bool:
        """Whether the person may undo the resolution of its review now."""
        review = self.found.review
        may = self._visit.may(Permission.REVIEW)
        return (
            review is not None
            and may
            and can_undo(self._visit.session, self._visit.account_id, review)
        )

    @property
    def raw(self) -> str:
        """The record as the API shows it."""
        text = msgspec.json.encode(public_decision(self.found.record, self.found.currency))
        if not self.revealed:
            text = msgspec.json.encode(self._mask.value(msgspec.json.decode(text)))
        return msgspec.json.format(text, indent=2).decode()


def _named(names: list[str]) -> str:
    shown = names[:_HEADLINES]
    return ", ".join([*shown, "…"] if len(names) > _HEADLINES else shown)

"""What an explanation promises happens: the engine decides so when the change is made."""

from collections.abc import Mapping
from typing import Any, Final

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from gatehouse.core.stages.outcomes import Outcome
from gatehouse.core.stages.registry import REGISTRY
from gatehouse.decisions.record import DecisionRecord
from gatehouse.explanations.explain import explain
from gatehouse.explanations.explanation import ExplainedChange, Explanation
from gatehouse.explanations.in_force import InForce
from gatehouse.pipeline.definition import PipelineDefinition
from gatehouse.rules.decide import CompiledRuleSet
from tests.operations.playing import FAILS, build, play
from tests.rules.written import NO_LISTS, rules, velocity

NUMBERS: Final = (0, 1, 3, 10, 50, 100)
COUNTS: Final = ("velocity.card.count_1h", "velocity.card.distinct_users_24h")
FACTS: Final = {
    "sentry.requestConfidence": ("Sentry", "requestConfidence"),
    "sentry.ipScore": ("Sentry", "ipScore"),
    "sentry.reasons": ("Sentry", "reasons"),
    "precheck.advice": ("PreCheck", "advice"),
    "precheck.cvv2Result": ("PreCheck", "cvv2Result"),
    "precheck.avsResult": ("PreCheck", "avsResult"),
    "precheck.reasons": ("PreCheck", "reasons"),
    "idverify.email": ("IdVerify", "cardHolderEmailAddressVerificationResults"),
    "gateway.status": ("Gateway", "status"),
    "gateway.responseCode": ("Gateway", "responseCode"),
}
PIPELINES: Final = (
    "  - {stage: Rules, rule_set: mine}\n  - stage: Sentry\n  - stage: PreCheck\n"
    "  - stage: IdVerify\n  - stage: Gateway\n",
    "  - stage: Sentry\n  - {stage: Rules, rule_set: mine, stop_when: never}\n"
    "  - {stage: PreCheck, skip_when: order.amount < 3}\n  - {stage: Gateway, pay: accepted}\n",
    "  - {stage: Sentry, on_failure: REVIEW, stop_when: sentry.requestConfidence < 0.2}\n"
    "  - {stage: IdVerify, on_failure: STOP}\n  - {stage: Rules, rule_set: mine}\n",
    "  - {stage: Rules, rule_set: mine}\n  - stage: Sentry\n  - {stage: Rules, rule_set: other}\n"
    "  - stage: PreCheck\n",
)
OTHER: Final = (
    "again DECLINE: rules.status = ''REVIEW'' AND order.amount > 50",
    "named REVIEW: HAS(rules.matched, ''r1'') AND sentry.requestConfidence < 0.5",
)

_numbers = st.sampled_from(NUMBERS).map(str)
_names = st.sampled_from(("order.amount", "COALESCE(order.amount, 0)", *COUNTS))
_operators = st.sampled_from((">", ">=", "<", "<=", "=", "<>"))
_countries = st.sampled_from(("GB", "NG", "US"))
_atoms = st.one_of(
    st.builds("{} {} {}".format, _names, _operators, _numbers),
    st.builds("sentry.requestConfidence < {}".format, st.sampled_from(("0.15", "0.4", "0.8"))),
    st.builds("ip.country = ''{}''".format, _countries),
    st.builds("ip.country IN (''{}'', ''{}'')".format, _countries, _countries),
    st.sampled_from(
        (
            "ip.tor",
            "ip.country <> card.country",
            "ip.tor IS NOT TRUE",
            "card.country IS NULL",
            "order.amount * 2 > velocity.card.amount_24h",
            "ip.country LIKE ''G%''",
            "idverify.email = ''NO_MATCH''",
            "precheck.cvv2Result = ''NO_MATCH''",
            "NOT HAS(sentry.reasons, ''IP_TOR_EXIT'')",
            "gateway.status = ''DECLINED''",
        )
    ),
)
_conditions = st.recursive(
    _atoms,
    lambda inner: st.one_of(
        st.builds("({} AND {})".format, inner, inner),
        st.builds("({} OR {})".format, inner, inner),
        st.builds("NOT ({})".format, inner),
    ),
    max_leaves=4,
)
_heads = st.sampled_from(("REVIEW", "DECLINE", "ACCEPT final", "DECLINE final", "DECLINE shadow"))
_rule_sets = st.lists(st.tuples(_heads, _conditions), min_size=1, max_size=4).map(
    lambda found: tuple(f"r{place} {head}: {text}" for place, (head, text) in enumerate(found))
)
_requests = st.fixed_dictionaries(
    {
        "order.amount": st.sampled_from((0.5, 3, 20.0, 75.5, 100)),
        "velocity.card": st.builds(
            lambda count, users, amount: velocity(
                "card", count_1h=count, distinct_users_24h=users, amount_24h=amount
            )["velocity.card"],
            st.integers(0, 12),
            st.integers(0, 12),
            st.sampled_from((0.0, 10.0, 200.0)),
        ),
    },
    optional={"ip.tor": st.booleans(), "ip.country": _countries, "card.country": _countries},
)
_results = st.fixed_dictionaries(
    {
        "Sentry": st.one_of(
            st.just(FAILS),
            st.builds(
                lambda score, reasons: {"requestConfidence": score, "reasons": reasons},
                st.sampled_from((0.1, 0.3, 0.4, 0.9)),
                st.sampled_from(({}, {"IP_TOR_EXIT": -2.3})),
            ),
        ),
        "PreCheck": st.sampled_from(
            (
                {"advice": "ACCEPT", "cvv2Result": "MATCH", "reasons": ["approved"]},
                {"advice": "DECLINE", "cvv2Result": "NO_MATCH", "reasons": ["cvv2_no_match"]},
                {"advice": "DECLINE", "cvv2Result": "NO_MATCH", "reasons": ["stolen_card"]},
            )
        ),
        "IdVerify": st.one_of(
            st.just(FAILS),
            st.sampled_from(("MATCH", "NO_MATCH")).map(
                lambda found: {"cardHolderEmailAddressVerificationResults": found}
            ),
        ),
        "Gateway": st.sampled_from(({"status": "APPROVED"}, {"status": "DECLINED"})),
    }
)


class World(msgspec.Struct, frozen=True):
    """A pipeline with its rules, a request, and what the stages would find about it."""

    pipeline: str
    lines: tuple[str, ...]
    signals: dict[str, Any]
    found: dict[str, Mapping[str, Any]]

    def decided(self) -> DecisionRecord:
        """What the engine makes of it."""
        named = {name.replace(".", "__"): value for name, value in self.signals.items()}
        sets = {"mine": self.lines, "other": OTHER}
        return play(self.pipeline, sets, self.found, **named).record

    def definition(self) -> PipelineDefinition:
        return build(self.pipeline, {"mine": self.lines, "other": OTHER}, {}).definition

    def explained(self, record: DecisionRecord) -> Explanation:
        sets = {
            name: CompiledRuleSet(msgspec.structs.replace(rules(*lines), name=name), 1)
            for name, lines in (("mine", self.lines), ("other", OTHER))
        }
        return explain(record, InForce(self.definition(), sets, NO_LISTS))

    def changed(self, change: ExplainedChange, **more: Any) -> "World":
        """The world in which the promised change is made, and unknown stages find nothing."""
        signals, found = dict(self.signals), dict(self.found)
        for name in change.unless:
            found[name] = {}
        for name, value in {**change.signals, **more}.items():
            spec = REGISTRY.leaving(name)
            if spec is None:
                _put(signals, name, value)
            elif name.endswith(".completed"):
                found[spec.name] = {}
            else:
                stage, key = FACTS[name]
                found[stage] = {**found[stage], key: value}
        return msgspec.structs.replace(self, signals=signals, found=found)


def _put(signals: dict[str, Any], name: str, value: Any) -> None:
    if name in COUNTS:
        place = 0 if name == COUNTS[0] else 1
        layout = ("count_1h", "distinct_users_24h")
        position = velocity("card", **{layout[place]: 1})["velocity.card"].index(1)
        signals["velocity.card"] = list(signals["velocity.card"])
        signals["velocity.card"][position] = value
    else:
        signals[name] = value


_worlds = st.builds(World, st.sampled_from(PIPELINES), _rule_sets, _requests, _results)


@settings(max_examples=40, deadline=None)
@given(_worlds)
def test_every_change_that_is_promised_leads_where_it_is_said(world: World) -> None:
    record = world.decided()
    explanation = world.explained(record)
    assert not any("cannot be told" in note for note in explanation.notes), explanation.notes
    for change in explanation.changes:
        assert world.changed(change).decided().decision is change.decision, change.text


@settings(max_examples=25, deadline=None)
@given(_worlds)
def test_what_is_said_of_a_whole_range_is_true_of_all_of_it(world: World) -> None:
    for change in world.explained(world.decided()).changes:
        if len(change.signals) != 1:
            continue
        [(name, bound)] = change.signals.items()
        upwards = "at least" in change.text or "more than" in change.text
        downwards = "at most" in change.text or "less than" in change.text
        for number in (*NUMBERS, *(each + 0.5 for each in NUMBERS), 0.15, 0.4, 0.8, 1000):
            inside = (upwards and number > bound) or (downwards and number < bound)
            possible = not name.startswith(("velocity.", "sentry.")) or (
                number <= 1 if name.startswith("sentry.") else float(number).is_integer()
            )
            if inside and possible:
                decided = world.changed(change, **{name: number}).decided().decision
                assert decided is change.decision, (change.text, number)


def test_nothing_is_promised_where_no_single_and_no_double_change_helps() -> None:
    lines = tuple(f"r{n} DECLINE: order.amount > {n}" for n in range(2)) + tuple(
        f"{name} DECLINE: ip.{name}" for name in ("tor", "vpn", "proxy")
    )
    flags = {f"ip.{name}": True for name in ("tor", "vpn", "proxy")}
    world = World(PIPELINES[0], lines, {"order.amount": 10, **flags}, {})
    explanation = world.explained(world.decided())
    assert explanation.changes == []
    assert explanation.notes == [
        "None of the 7 single changes that the conditions suggest, and no pair of them, would "
        "have changed the decision."
    ]
    assert Outcome.DECLINE in [reason.outcome for reason in explanation.reasons]

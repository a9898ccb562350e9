"""Live experiments as every face takes and shows them."""

from collections.abc import Iterator
from typing import Annotated, Final

from msgspec import Meta

from gatehouse.core.api_values import CamelStruct, doc
from gatehouse.core.clock import Moment
from gatehouse.core.reading.validation import Checked
from gatehouse.pipeline.experiment import AssignedBy, ExperimentEnd, ExperimentKind

LONGEST_NAME: Final = 80
ExperimentId = Annotated[str, doc("The `id` of the experiment.")]
_Name = Annotated[
    str, doc("What people call it.", "Stricter on new cards", min_length=1, max_length=LONGEST_NAME)
]
_Percent = Annotated[
    int, doc("How many of a hundred cards or users get the challenger.", 50, ge=1, le=99)
]
_Kind = Annotated[ExperimentKind, doc("What the arms differ in.", "rules")]
_AssignedBy = Annotated[AssignedBy, doc("Whose requests always get the same arm.", "card")]
_SetName = Annotated[str, Meta(max_length=64)]
_RuleSet = Annotated[
    _SetName | None, doc("The rule set in whose place the challenger decides.", "checkout")
]
_OtherRuleSet = Annotated[
    _SetName | None,
    doc("The rule set that challenges it; it must be in force, too.", "checkout-strict"),
]
_Maturity = Annotated[
    int, doc("After how many days the labels of a decision count as known.", 30, ge=1, le=180)
]
_MostDeclined = Annotated[
    int,
    doc(
        "Ends by itself when more cards or users of the challenger are surely declined "
        "than so many percent of the control's.",
        200,
        ge=100,
        le=1000,
    ),
]
_MostFraud = Annotated[int, doc("The same for accepted fraud.", 100, ge=100, le=1000)]


class ExperimentWanted(Checked, CamelStruct):
    """A live experiment to start."""

    name: _Name
    kind: _Kind
    percent: _Percent
    assigned_by: _AssignedBy = AssignedBy.CARD
    rule_set: _RuleSet = None
    challenger_rule_set: _OtherRuleSet = None
    challenger_model: Annotated[
        Annotated[int, Meta(ge=0, lt=2**31)] | None,
        doc("The model that challenges the one in force; 0 is the one that ships."),
    ] = None
    orders_per_day: Annotated[
        Annotated[int, Meta(ge=1, le=10_000)] | None,
        doc("How many orders a hold-out lets through on one day at most."),
    ] = None
    minor_units_per_day: Annotated[
        Annotated[int, Meta(ge=1, le=10**12)] | None,
        doc("What they come to at most, in minor units such as cents."),
    ] = None
    currency: Annotated[
        Annotated[str, Meta(min_length=3, max_length=3, pattern=r"^[A-Z]{3}\Z")] | None,
        doc("Of these units; orders in others are not let through."),
    ] = None
    maturity_days: _Maturity = 30
    most_declined_percent: _MostDeclined = 200
    most_fraud_percent: _MostFraud = 100

    def problems(self) -> Iterator[tuple[str, str]]:
        """Errors that the types of the fields do not express."""
        rules, model = self.kind == ExperimentKind.RULES, self.kind == ExperimentKind.MODEL
        holds_out = self.kind == ExperimentKind.HOLD_OUT
        for path, value, wanted in (
            ("ruleSet", self.rule_set, not model),
            ("challengerRuleSet", self.challenger_rule_set, rules),
            ("challengerModel", self.challenger_model, model),
            ("ordersPerDay", self.orders_per_day, holds_out),
            ("minorUnitsPerDay", self.minor_units_per_day, holds_out),
            ("currency", self.currency, holds_out),
        ):
            if (value is not None) is not wanted:
                yield path, "is needed" if wanted else "belongs to another kind"
            elif isinstance(value, str) and not value.isprintable():
                yield path, "has characters that no name has"


class ExperimentShown(CamelStruct):
    """A live experiment."""

    id: Annotated[str, doc("Its id.", "exp_01kabcdefghjkmnpqrstvwxyz0")]
    name: Annotated[str, doc("What people call it.")]
    kind: _Kind
    assigned_by: _AssignedBy
    percent: Annotated[int, doc("The challenger's share in percent.", 50)]
    control: Annotated[str, doc("What the control decides by.", "checkout v3")]
    challenger: Annotated[str, doc("What the challenger decides by.", "checkout-strict v1")]
    maturity_days: Annotated[int, doc("When labels count as known.", 30)]
    most_declined_percent: Annotated[int, doc("Where declines are harm.", 200)]
    most_fraud_percent: Annotated[int, doc("Where fraud is harm.", 100)]
    started_at: Annotated[Moment, doc("When it began (RFC 3339).")]
    ended_at: Annotated[Moment | None, doc("When it ended; null until then.")]
    ended_because: Annotated[
        ExperimentEnd | None,
        doc(
            "`stopped`: somebody ended it. `harm`: the challenger did harm. `changed`: "
            "a rule set or the model of an arm was changed."
        ),
    ]


class ExperimentPage(CamelStruct):
    """The experiments of an account, newest first."""

    experiments: list[ExperimentShown]

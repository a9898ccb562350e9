"""Live experiments as every face takes and shows them."""

from collections.abc import Iterator
from typing import Annotated, Final

import msgspec
from msgspec import Meta

from gatehouse.core.clock import Moment
from gatehouse.core.reading.validation import Checked
from gatehouse.pipeline.experiment import AssignedBy, ExperimentEnd, ExperimentKind

LONGEST_NAME: Final = 80
ExperimentId = Annotated[str, Meta(description="The `id` of the experiment.")]
_Name = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=LONGEST_NAME,
        description="What people call it.",
        examples=["Stricter on new cards"],
    ),
]
_Percent = Annotated[
    int,
    Meta(
        ge=1,
        le=99,
        description="How many of a hundred cards or users get the challenger.",
        examples=[50],
    ),
]
_Kind = Annotated[ExperimentKind, Meta(description="What the arms differ in.", examples=["rules"])]
_AssignedBy = Annotated[
    AssignedBy, Meta(description="Whose requests always get the same arm.", examples=["card"])
]
_SetName = Annotated[str, Meta(max_length=64)]
_RuleSet = Annotated[
    _SetName | None,
    Meta(
        description="The rule set in whose place the challenger decides.",
        examples=["checkout"],
    ),
]
_OtherRuleSet = Annotated[
    _SetName | None,
    Meta(
        description="The rule set that challenges it; it must be in force, too.",
        examples=["checkout-strict"],
    ),
]
_Maturity = Annotated[
    int,
    Meta(
        ge=1,
        le=180,
        description="After how many days the labels of a decision count as known.",
        examples=[30],
    ),
]
_MostDeclined = Annotated[
    int,
    Meta(
        ge=100,
        le=1000,
        description="Ends by itself when more cards or users of the challenger are surely declined "
        "than so many percent of the control's.",
        examples=[200],
    ),
]
_MostFraud = Annotated[
    int,
    Meta(ge=100, le=1000, description="The same for accepted fraud.", examples=[100]),
]


class ExperimentWanted(Checked, msgspec.Struct, frozen=True, rename="camel"):
    """A live experiment to start."""

    name: _Name
    kind: _Kind
    percent: _Percent
    assigned_by: _AssignedBy = AssignedBy.CARD
    rule_set: _RuleSet = None
    challenger_rule_set: _OtherRuleSet = None
    challenger_model: Annotated[
        Annotated[int, Meta(ge=0, lt=2**31)] | None,
        Meta(
            description="The model that challenges the one in force; 0 is the one that ships.",
        ),
    ] = None
    orders_per_day: Annotated[
        Annotated[int, Meta(ge=1, le=10_000)] | None,
        Meta(description="How many orders a hold-out lets through on one day at most."),
    ] = None
    minor_units_per_day: Annotated[
        Annotated[int, Meta(ge=1, le=10**12)] | None,
        Meta(description="What they come to at most, in minor units such as cents."),
    ] = None
    currency: Annotated[
        Annotated[str, Meta(min_length=3, max_length=3, pattern=r"^[A-Z]{3}\Z")] | None,
        Meta(description="Of these units; orders in others are not let through."),
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


class ExperimentShown(msgspec.Struct, frozen=True, rename="camel"):
    """A live experiment."""

    id: Annotated[str, Meta(description="Its id.", examples=["exp_01kabcdefghjkmnpqrstvwxyz0"])]
    name: Annotated[str, Meta(description="What people call it.")]
    kind: _Kind
    assigned_by: _AssignedBy
    percent: Annotated[int, Meta(description="The challenger's share in percent.", examples=[50])]
    control: Annotated[
        str, Meta(description="What the control decides by.", examples=["checkout v3"])
    ]
    challenger: Annotated[
        str, Meta(description="What the challenger decides by.", examples=["checkout-strict v1"])
    ]
    maturity_days: Annotated[int, Meta(description="When labels count as known.", examples=[30])]
    most_declined_percent: Annotated[
        int, Meta(description="Where declines are harm.", examples=[200])
    ]
    most_fraud_percent: Annotated[int, Meta(description="Where fraud is harm.", examples=[100])]
    started_at: Annotated[Moment, Meta(description="When it began (RFC 3339).")]
    ended_at: Annotated[Moment | None, Meta(description="When it ended; null until then.")]
    ended_because: Annotated[
        ExperimentEnd | None,
        Meta(
            description="`stopped`: somebody ended it. `harm`: the challenger did harm. `changed`: "
            "a rule set or the model of an arm was changed."
        ),
    ]


class ExperimentPage(msgspec.Struct, frozen=True, rename="camel"):
    """The experiments of an account, newest first."""

    experiments: list[ExperimentShown]

"""What an experiment has shown so far, as it is kept and as every face shows it."""

from collections.abc import Mapping
from typing import Annotated

import msgspec

from gatehouse.admin.experiments.types.sequential import ALPHA, MARGIN, MeasureVerdict, compare
from gatehouse.core.api_values import CamelStruct, Money, doc, money
from gatehouse.core.clock import Moment
from gatehouse.pipeline.experiment import Arm, Experiment, ExperimentKind
from gatehouse.training.intervals import share_interval


class ArmMoney(CamelStruct):
    """What the orders of an arm come to in one currency."""

    accepted: Annotated[Money, doc("Orders that were accepted.")]
    declined: Annotated[Money, doc("Orders that were declined.")]
    fraud: Annotated[Money, doc("Accepted orders that are fraud, as known by now.")]


class ArmResult(CamelStruct):
    """What became of the decisions of one arm."""

    arm: Annotated[Arm, doc("Which arm.", "control")]
    units: Annotated[int, doc("Cards or users that were given to it.", 812)]
    decisions: Annotated[int, doc("Their decisions.", 940)]
    accepted: Annotated[int, doc("Accepted at once.", 880)]
    reviewed: Annotated[int, doc("Given to review.", 20)]
    declined: Annotated[int, doc("Declined.", 40)]
    mature: Annotated[int, doc("Accepted ones whose labels count as known.", 500)]
    mature_fraud: Annotated[int, doc("Of these, fraud.", 4)]
    declined_units: Annotated[int, doc("Cards or users that were ever declined.", 36)]
    fraud_units: Annotated[int, doc("Cards or users with accepted fraud, as known by now.", 5)]
    money: Annotated[list[ArmMoney], doc("In each currency.")]

    @property
    def acceptance(self) -> float | None:
        """The share that was accepted at once."""
        return self.accepted / self.decisions if self.decisions else None

    @property
    def fraud_share(self) -> float | None:
        """The share of fraud among accepted decisions whose labels count as known."""
        return self.mature_fraud / self.mature if self.mature else None


class MeasureResult(CamelStruct):
    """The arms compared by one measure."""

    verdict: Annotated[
        MeasureVerdict,
        doc(
            "Of the challenger's rate: `higher` or `lower` than the control's, `same` "
            f"where both surely differ by less than a factor of {MARGIN}, or `open`."
        ),
    ]
    ratio: Annotated[float | None, doc("The challenger's rate by the control's.", 0.8)]
    least: Annotated[float, doc("The ratio is surely not below.", 0.5)]
    most: Annotated[float | None, doc("Nor above; null where nothing is known.", 1.2)]
    p_value: Annotated[
        float, doc(f"Valid at every look; a difference counts from {ALPHA} on.", 0.4)
    ]
    needed: Annotated[
        int | None,
        doc(
            "So many more cards or users to whom it happens are needed if it goes on "
            "like this; 0 when enough was seen, null for far too many."
        ),
    ]


class LetThroughResult(CamelStruct):
    """What became of the orders that a hold-out let through."""

    orders: Annotated[int, doc("Accepted although rules decline them.", 80)]
    mature: Annotated[int, doc("Those whose labels count as known.", 50)]
    mature_fraud: Annotated[int, doc("Of these, fraud.", 12)]
    false_positives: Annotated[
        float | None, doc("The share of the declines that are wrong; null without a mature order.")
    ]
    least: Annotated[float | None, doc("It is hardly below (95 %, Wilson).")]
    most: Annotated[float | None, doc("Nor above.")]
    cost: Annotated[list[Money], doc("Fraud among them, as known by now.")]


class ExperimentResult(CamelStruct):
    """What an experiment has shown so far."""

    counted_until: Annotated[Moment, doc("Decisions up to here are counted.")]
    complete: Annotated[
        bool, doc("Whether all of them are; false while older ones are being read.")
    ]
    control: Annotated[ArmResult, doc("What is in force.")]
    challenger: Annotated[ArmResult, doc("What challenges it.")]
    declines: Annotated[MeasureResult, doc("By the cards or users that were ever declined.")]
    fraud: Annotated[MeasureResult, doc("By the cards or users with accepted fraud.")]

    let_through: Annotated[LetThroughResult | None, doc("Of a hold-out; null for all others.")] = (
        None
    )

    @property
    def enough(self) -> bool:
        """Whether enough was seen of both measures."""
        return MeasureVerdict.OPEN not in (self.declines.verdict, self.fraud.verdict)

    def harms(self, experiment: Experiment) -> bool:
        """Whether the challenger surely does more harm than the experiment allows.

        What a hold-out costs is limited by its caps.
        """
        return experiment.kind is not ExperimentKind.HOLD_OUT and (
            self.declines.least * 100 > experiment.most_declined_percent
            or self.fraud.least * 100 > experiment.most_fraud_percent
        )


class ArmTally(msgspec.Struct):
    """What is counted of one arm."""

    units: set[int] = msgspec.field(default_factory=set)
    declined_units: set[int] = msgspec.field(default_factory=set)
    fraud_units: set[int] = msgspec.field(default_factory=set)
    outcomes: dict[str, int] = msgspec.field(default_factory=dict)
    mature: int = 0
    mature_fraud: int = 0
    micros: dict[tuple[str, str], int] = msgspec.field(default_factory=dict)
    """By currency, and `ACCEPT`, `DECLINE` or `fraud`."""

    def shown(self, arm: Arm) -> ArmResult:
        """As it is shown."""
        return ArmResult(
            arm=arm,
            units=len(self.units),
            decisions=sum(self.outcomes.values()),
            accepted=self.outcomes.get("ACCEPT", 0),
            reviewed=self.outcomes.get("REVIEW", 0),
            declined=self.outcomes.get("DECLINE", 0),
            mature=self.mature,
            mature_fraud=self.mature_fraud,
            declined_units=len(self.declined_units),
            fraud_units=len(self.fraud_units),
            money=[
                ArmMoney(
                    *(
                        money(currency, self.micros.get((currency, what), 0))
                        for what in ("ACCEPT", "DECLINE", "fraud")
                    )
                )
                for currency in sorted({currency for currency, _ in self.micros})
            ],
        )


def result_of(
    experiment: Experiment, tallies: dict[Arm, ArmTally], until_ms: int, *, complete: bool
) -> ExperimentResult:
    """The result that follows from what was counted."""
    control, challenger = (tallies[arm].shown(arm) for arm in Arm)
    share = experiment.share
    return ExperimentResult(
        Moment(until_ms),
        complete,
        control,
        challenger,
        _measured(control.declined_units, challenger.declined_units, share),
        _measured(control.fraud_units, challenger.fraud_units, share),
    )


def _measured(control: int, challenger: int, share: float) -> MeasureResult:
    found = compare(control, challenger, share)
    return MeasureResult(
        verdict=found.verdict,
        ratio=None if found.ratio is None else round(found.ratio, 4),
        least=round(found.least, 4),
        most=None if found.most > 1e9 else round(found.most, 4),
        p_value=round(found.p_value, 6),
        needed=found.needed,
    )


def let_through_of(
    orders: int, mature: int, mature_fraud: int, cost: Mapping[str, int]
) -> LetThroughResult:
    """The share of declines that are wrong, by what was let through."""
    share = 1 - mature_fraud / mature if mature else None
    least, most = (None if share is None else share_interval(share, mature)) or (None, None)
    return LetThroughResult(
        orders=orders,
        mature=mature,
        mature_fraud=mature_fraud,
        false_positives=None if share is None else round(share, 4),
        least=None if least is None else round(least, 4),
        most=None if most is None else round(most, 4),
        cost=[money(currency, micros) for currency, micros in sorted(cost.items())],
    )

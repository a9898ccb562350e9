"""The formulas of the meter in words; every figure is told with its own."""

from typing import Annotated, Final

from gatehouse.admin.programmes.types.thresholds import CountedEvents, Programme
from gatehouse.core.api_values import doc
from gatehouse.core.months import CalendarMonth
from gatehouse.core.wording.sentences import Phrase, phrases_of

Formula = Annotated[str, doc("How it is worked out, in words.")]

_COUNTED: Final = phrases_of(
    "programmes.counted",
    {
        "FRAUD_AND_DISPUTES": "reported frauds + all disputes",
        "FRAUD_AND_OTHER_DISPUTES": "reported frauds + disputes that are not about fraud",
        "CHARGEBACKS": "disputes",
        "FRAUD_CHARGEBACKS": "disputes about fraud",
    },
)
_RATIO: Final = Phrase(
    "programmes.formula", "10,000 × ({events} of {month}) / settled sales of {sales_month}"
)
FORECAST: Final = Phrase(
    "programmes.forecast_formula",
    "what has arrived + what is still to come, by the share that had arrived of earlier months at "
    "the same point ({count} months); the bounds hold in four cases of five",
)


def sales_month(programme: Programme, month: CalendarMonth) -> CalendarMonth:
    """The month whose sales a programme divides by."""
    return month if programme.sales_of == "same month" else month.before


def ratio_formula(programme: Programme, month: CalendarMonth) -> str:
    """How the ratio of a month is worked out."""
    events = _COUNTED[CountedEvents(programme.counts).value]()
    return _RATIO(events=events, month=str(month), sales_month=str(sales_month(programme, month)))

"""Gatehouse in a notebook: exported decisions, examples to learn from, and models as files.

It reads what `gatehouse decisions export --format jsonl` wrote, and needs the extra `learning`, but
no server and no database. What is measured in an example is what was known when it came in.
"""

from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from gatehouse import __version__
from gatehouse.core.api_values import CamelStruct
from gatehouse.core.wording.labels import Label
from gatehouse.decisions.record import read_outline
from gatehouse.sentry.records.event import measured_in
from gatehouse.sentry.scorecard import Prior, Sheet, Term, load_sheet
from gatehouse.store.feedback.feedback_history import KnownLabel
from gatehouse.training.audit.audit import labels_told
from gatehouse.training.evaluation import doubts_about, evaluate, part_of, risk_of, term_shapes
from gatehouse.training.examples import FRAUD, Examples, Rows, Values
from gatehouse.training.model_file import ExportedModel, model_file_text, read_model_file
from gatehouse.training.model_fitting import totals
from gatehouse.training.model_training import MeasuredRequest, add_example, in_order
from gatehouse.training.presuming import presume
from gatehouse.training.report.report import Figures, ModelComparison, ModelReport

__all__ = [  # noqa: RUF022
    "read_decisions",
    "read_examples",
    "shipped_scorecard",
    "confidence",
    "figures",
    "make_model",
    "read_model",
    "write_model",
    "Decision",
    "ExampleTable",
    "ExportedModel",
]

_WHY: Final = "Learned in a notebook."


class Decision(CamelStruct):
    """A decision as it was exported."""

    request_id: str
    at: datetime
    operation: str
    decision: str | None = None
    transaction_id: str | None = None
    label: Label | None = None
    """What became of it; None where nothing was reported."""
    label_at: datetime | None = None
    """Since when that is known."""
    event_at: datetime | None = None
    amount: float | None = None
    currency: str | None = None
    model: str | None = None
    features: dict[str, float] | None = None
    """What Sentry measured, by signal; None where it did not run."""


class ExampleTable(NamedTuple):
    """Examples with a label, in order of time."""

    examples: Examples
    rows: Rows
    told: NDArray[np.bool_]
    """Which of all examples have a label of their own; others are presumed to be legitimate."""

    @property
    def codes(self) -> tuple[str, ...]:
        """The signals, one for each column of the matrix."""
        return self.examples.codes

    @property
    def matrix(self) -> Values:
        """What was measured, a row for each example; NaN where there was nothing to measure."""
        return self.examples.matrix(self.rows)

    @property
    def fraud(self) -> NDArray[np.bool_]:
        """Whether each turned out to be fraud."""
        found: NDArray[np.bool_] = self.examples.outcomes(self.rows) == FRAUD
        return found

    def split(self, newest: float = 0.2) -> tuple["ExampleTable", "ExampleTable"]:
        """The older part, and the newest share of the examples to measure on."""
        first = int(len(self.rows) * (1 - newest))
        return self._replace(rows=self.rows[:first]), self._replace(rows=self.rows[first:])


def read_decisions(folder: str | Path) -> Iterator[Decision]:
    """Every decision of an exported folder, day by day."""
    for line in _lines(folder):
        yield msgspec.json.decode(line, type=Decision)


def read_examples(
    folder: str | Path, *, label_delay: timedelta = timedelta(days=30), presumed: bool = True
) -> ExampleTable:
    """What Sentry measured in exported decisions, with what became of them.

    Those of the last days, whose labels are still to come, are left out. Without a label one
    counts as legitimate if `presumed`, unless it was refused or waits for a review.
    """
    examples = Examples(tuple(term.code for term in load_sheet().terms))
    for line in _lines(folder):
        one, outline = msgspec.json.decode(line, type=Decision), read_outline(line)
        measured = measured_in(outline)
        if measured is None:
            continue
        label = None
        if one.label is not None and one.label_at is not None:
            label = KnownLabel(one.label, _ms(one.label_at))
        found = MeasuredRequest(
            _ms(one.at), outline.decision, measured.values, measured.event, label
        )
        add_example(examples, found)
    told = labels_told(examples)
    if presumed:
        presume(examples, None)
    rows = in_order(examples)
    newest = max(examples.at_s, default=0.0) - label_delay.total_seconds()
    return ExampleTable(examples, rows[examples.times(rows) <= newest], told)


def shipped_scorecard() -> Sheet:
    """The scorecard that ships with gatehouse."""
    return load_sheet()


def confidence(scorecard: Sheet, table: ExampleTable) -> Values:
    """What a scorecard itself says of each example: 1 is trusted, 0 is fraud."""
    found: Values = 1 - risk_of(totals(scorecard, table.examples, table.rows))
    return found


def figures(scorecard: Sheet, table: ExampleTable) -> Figures:
    """How well a scorecard tells fraud from honest requests among these."""
    return evaluate(scorecard, table.examples, table.rows)[0]


def make_model(
    effects: Mapping[str, tuple[tuple[float, ...], tuple[float, ...]]],
    begins: float,
    *,
    learned: ExampleTable,
    measured: ExampleTable,
    method: str,
    note: str | None = None,
) -> ExportedModel:
    """A model of effects by signal, with a card that says what it learned from and how it does.

    Of each signal there are ascending cuts and one more effect than cuts, which is added to the
    log-odds of being legitimate; a signal that is not named counts for nothing. `begins` is the
    confidence in a request of which nothing is known.
    """
    shipped = load_sheet()
    terms = tuple(
        Term(term.code, *effects.get(term.code, ((), (0.0,))), _WHY, None, term.about_address)
        for term in shipped.terms
    )
    unknown = effects.keys() - {term.code for term in terms}
    if unknown:
        raise ValueError(f"these are no signals: {', '.join(sorted(unknown))}")
    sheet = Sheet("notebook", Prior(begins, _WHY), shipped.report_from, terms)
    examples, rows, told = learned
    whole, held = part_of(examples, rows), part_of(measured.examples, measured.rows)
    own, curves = evaluate(sheet, measured.examples, measured.rows)
    card = ModelReport(
        method=method,
        since=whole.since,
        until=whole.until,
        label_delay_ms=0,
        records=whole.records,
        frauds=whole.frauds,
        presumed=int((~told[rows]).sum()),
        training=whole,
        holdout=held,
        figures=ModelComparison(own, figures(shipped, measured)),
        current_version=shipped.version,
        terms=term_shapes(sheet, shipped, examples, rows),
        candidate=curves,
        warnings=tuple(map(str, doubts_about(whole, held))),
    )
    return ExportedModel("gatehouse-model-1", held.until, __version__, card, sheet, note)


def read_model(path: str | Path) -> ExportedModel:
    """A model out of a file."""
    return read_model_file(Path(path).read_text("utf-8"))


def write_model(file: ExportedModel, path: str | Path) -> None:
    """Write a model, to be imported with `gatehouse sentry import`."""
    text = model_file_text(msgspec.structs.replace(file, maker=None, signature=None))
    read_model_file(text)
    Path(path).write_text(text, "utf-8")


def _lines(folder: str | Path) -> Iterator[bytes]:
    for path in sorted(Path(folder).glob("*/decisions.jsonl")):
        with path.open("rb") as file:
            yield from file


def _ms(at: datetime) -> int:
    return round(at.timestamp() * 1000)

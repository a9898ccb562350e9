"""A report says plainly what was measured, what that is worth, and whether the model is better."""

import subprocess
import sys

import msgspec
import pytest

from gatehouse.core.errors import InvalidInput
from gatehouse.training.report.phrases import span_text
from gatehouse.training.report.report import (
    Figures,
    ModelComparison,
    ModelReport,
    TermShape,
    decode_report,
    encode_report,
)
from gatehouse.training.report.text import as_text, summary, verdict
from tests.training.material import figures, report


def test_a_report_is_kept_and_read_again() -> None:
    made = report()
    assert decode_report(encode_report(made)) == made
    kept = msgspec.json.decode(encode_report(made))
    assert kept["figures"]["candidate"]["averagePrecision"] == 0.6
    assert kept["figures"]["candidate"]["recallAt1"] == 0.5
    assert kept["currentVersion"] == "prior-2"
    assert kept["holdout"]["frauds"] == 60


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"method": 3}'])
def test_a_report_that_cannot_be_read_says_so(text: str) -> None:
    with pytest.raises(InvalidInput, match="report cannot be read"):
        decode_report(text)


def test_the_text_names_the_data_the_trial_and_both_models() -> None:
    text = summary(report())
    for part in (
        "learned from 10,000 requests, 300 of them fraud, with method ebm",
        "8,000 of them have no label and count as legitimate, being older than 30 days",
        "2026-01-01T00:00:00.000Z to 2026-05-01T00:00:00.000Z",
        "measured on the newest 2,000 requests, 60 of them fraud",
        "only from the 6,000 requests (180 fraud) up to 2026-03-07T00:00:00.000Z",
        "CURRENT (prior-2)",
    ):
        assert part in text
    [precision] = [line for line in text.splitlines() if line.startswith("average precision")]
    assert precision.split()[-2:] == ["0.6000", "0.2000"]
    [caught] = [line for line in text.splitlines() if "1 % false alarms" in line]
    assert caught.split()[-2:] == ["50.0%", "50.0%"]


def test_without_presuming_the_text_says_that_all_are_labelled() -> None:
    assert "all of them are labelled" in summary(report(presumed=0))


@pytest.mark.parametrize(
    ("candidate", "current", "says"),
    [
        (figures(0.9, 0.6), figures(0.7, 0.2), "better than the current model (prior-2)."),
        (figures(0.7, 0.2), figures(0.9, 0.6), "It is NOT better than the current model"),
        (figures(0.7, 0.2), figures(0.7, 0.2), "Nothing speaks for promoting it."),
        (figures(0.7, 0.2, ece=0.001), figures(0.7, 0.2), "Only its confidence is closer"),
        (figures(0.9, 0.1), figures(0.7, 0.2), "area under the curve is higher, its average"),
        (figures(0.6, 0.3), figures(0.7, 0.2), "average precision is higher, its area"),
        (None, figures(0.7, 0.2), "could not be measured"),
        (figures(None, None), figures(None, None), "could not be measured"),
        (figures(0.9, 0.6, frauds=5), figures(0.7, 0.2, frauds=5), "may be chance"),
    ],
)
def test_whether_the_model_is_better_is_said_plainly(
    candidate: Figures | None, current: Figures, says: str
) -> None:
    made = report(figures=ModelComparison(candidate, current))
    assert says in verdict(made)
    assert verdict(made) in summary(made)


def test_what_could_not_be_measured_is_a_dash_and_not_a_number() -> None:
    made = report(training=None, figures=ModelComparison(None, figures(0.7, 0.2)))
    text = summary(made)
    assert "not measured" in text
    [area] = [line for line in text.splitlines() if "(AUC)" in line]
    assert area.split()[-2:] == ["-", "0.7000"]


def test_warnings_are_told() -> None:
    assert "warning: beware" in summary(report(warnings=("beware",)))


def test_terms_are_told_strongest_first_and_shipped_ones_only_counted() -> None:
    terms = (
        TermShape("WEAK", (0.5,), (0.0, -0.1), 100, "learned", (0.5, 0.5)),
        TermShape("STRONG", (1.0, 2.5), (0.25, 0.0, -2.0), 100, "learned", (0.2, 0.3, 0.5)),
        TermShape("OLD", (0.5,), (0.0, -3.0), 2, "shipped", (0.0, 1.0)),
        TermShape("LONG", tuple(range(30)), tuple(range(31)), 0, "learned"),
    )
    text = as_text(report(terms=terms))
    assert text.index("STRONG") < text.index("WEAK")
    assert "+0.25, from 1: +0.00, from 2.5: -2.00" in text
    assert "(23 steps)" in text
    assert "OLD" not in text
    assert "1 more signals say too little" in text


def test_a_report_of_shipped_terms_alone_has_no_table() -> None:
    terms = (TermShape("OLD", (0.5,), (0.0, -3.0), 2, "shipped", (0.0, 1.0)),)
    assert "SIGNAL" not in as_text(report(terms=terms))


@pytest.mark.parametrize(
    ("milliseconds", "says"),
    [
        (86_400_000, "1 day"),
        (30 * 86_400_000, "30 days"),
        (36 * 3_600_000, "36 hours"),
        (90_000, "90 seconds"),
        (0, "0 seconds"),
    ],
)
def test_spans_are_told_in_the_largest_unit_that_fits(milliseconds: int, says: str) -> None:
    assert span_text(milliseconds) == says


def test_reports_are_read_where_nothing_for_training_is_installed() -> None:
    script = (
        "import sys; from gatehouse.training.report.report import ModelReport; "
        "sys.exit(any(name in sys.modules for name in ('numpy', 'sklearn', 'matplotlib')))"
    )
    done = subprocess.run([sys.executable, "-c", script], timeout=300, check=False)
    assert done.returncode == 0


def test_every_field_of_a_report_has_its_place_in_json() -> None:
    kept = msgspec.json.decode(encode_report(report()))
    assert len(kept) == len(ModelReport.__struct_fields__)

"""Charts: what they say to those who do not see them, and that they never break a page."""

import re
from itertools import pairwise
from xml.etree import ElementTree

import pytest

from gatehouse.console.charts.charts import (
    Bar,
    Series,
    Words,
    bar_chart,
    line_chart,
    spark,
    stacked_chart,
)

WORDS = Words(
    title="Decisions", description="By day", label="Day", table="As a table", write="{:.0f}".format
)
SCRIPT = "<script>alert(1)</script>"
DAYS = ["Mon", "Tue", SCRIPT]


def _drawn(chart: str) -> ElementTree.Element:
    assert "style=" not in chart
    assert SCRIPT not in chart
    return ElementTree.fromstring(chart)


def test_a_chart_has_a_title_a_description_and_its_data_as_a_table() -> None:
    drawn = _drawn(
        line_chart(WORDS, DAYS, [Series("Accepted", [1, None, 3]), Series("x", [1] * 3)])
    )
    assert [each.text for each in drawn.iter("title")] == ["Decisions"]
    assert [each.text for each in drawn.iter("desc")] == ["By day"]
    assert [each.text for each in drawn.iter("td")] == ["1", "1", "–", "1", "3", "1"]


def test_parts_of_a_whole_stand_on_each_other() -> None:
    series = [Series("Accepted", [4, 0, 1], "good"), Series("Declined", [2, 1, None], "bad")]
    drawn = _drawn(stacked_chart(WORDS, DAYS, series))
    good, bad = [each for each in drawn.iter("rect") if each.get("height") != "10"][:2]
    assert float(bad.get("y", "")) + float(bad.get("height", "")) == pytest.approx(
        float(good.get("y", "")), abs=0.2
    )


@pytest.mark.parametrize("label", ["11", "11:00 PM", "11/17/26, 11:00 PM", "x" * 200])
def test_labels_below_a_picture_do_not_stand_on_each_other(label: str) -> None:
    labels = [label] * 24
    series = [Series("a", [1.0] * 24)]
    for chart in (line_chart(WORDS, labels, series), stacked_chart(WORDS, labels, series)):
        below = [each for each in _drawn(chart).iter("text") if each.text == label]
        places = [float(each.get("x", "")) for each in below]
        apart = [after - before for before, after in pairwise(places)]
        assert below
        assert all(distance >= 6 * len(label) for distance in apart)


def test_negative_values_point_to_the_left() -> None:
    drawn = _drawn(bar_chart(WORDS, [Bar("trusted device", -2.0), Bar("new address", 3.5)]))
    left, right = list(drawn.iter("rect"))
    assert float(left.get("x", "")) < float(right.get("x", ""))


@pytest.mark.parametrize("values", [[], [0.0], [0.0, 0.0], [1e-9, 2e-9], [1e12, 5.0], [-3.0, 2.0]])
def test_any_values_can_be_drawn(values: list[float]) -> None:
    labels = [str(place) for place in range(len(values))]
    for chart in (
        line_chart(WORDS, labels, [Series("a", values)]),
        stacked_chart(WORDS, labels, [Series("a", [abs(value) for value in values])]),
        bar_chart(WORDS, [Bar(SCRIPT, value) for value in values]),
    ):
        assert not re.search(r"nan|inf", _text(_drawn(chart)))
    assert "nan" not in spark(values, SCRIPT)


def _text(drawn: ElementTree.Element) -> str:
    return " ".join(value for each in drawn.iter() for value in each.attrib.values())

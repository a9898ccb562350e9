"""The trained part of comparing names: it fits its features, and it cannot be turned around."""

import csv
import math
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gatehouse.idverify.names import eastern
from gatehouse.idverify.names.compare import model
from gatehouse.idverify.names.features import FEATURES, compare_tokens
from gatehouse.idverify.names.knowledge import knowledge
from gatehouse.idverify.names.scripts import SCRIPTS
from gatehouse.idverify.names.sounds import sound_likeness
from gatehouse.idverify.names.tokens import tokens_of

ONE_WAY = [place for place, way in enumerate(FEATURES.values()) if way]
NUMBERS = st.lists(st.floats(0, 12), min_size=len(FEATURES), max_size=len(FEATURES))


@given(NUMBERS, st.sampled_from(ONE_WAY), st.floats(0.01, 5))
def test_more_likeness_never_lowers_the_score(
    numbers: list[float], place: int, more: float
) -> None:
    changed = [*numbers]
    changed[place] += more * list(FEATURES.values())[place]
    assert model().score(changed) >= model().score(numbers) - 1e-9


@given(NUMBERS)
def test_a_score_can_be_taken_apart(numbers: list[float]) -> None:
    points = model().points(numbers)
    assert set(points) <= {"base", *FEATURES}
    assert model().score(numbers) == pytest.approx(1 / (1 + math.exp(-sum(points.values()))))


def test_every_feature_is_worked_out_for_every_kind_of_name() -> None:
    for left, right in (("Ada Byron", "Byron Ada K"), ("Wang Xiaoming", "王小明"), ("Ли", "Li Na")):
        compared = compare_tokens(tokens_of(left), tokens_of(right))
        assert len(compared.numbers) == len(FEATURES)


def test_the_letters_of_every_script_are_known() -> None:
    assert set(knowledge().sounds) == set(SCRIPTS)


@pytest.fixture
def pairs(tmp_path: Path) -> Path:
    """A few labelled pairs of invented people."""
    rows = [
        ("Ada Byron", "Byron, Ada", 1, "made_up", "plain"),
        ("Ada Byron", "Robert Okonkwo", 0, "made_up", "plain"),
        ("Ivan Petrov", "Иван Петров", 1, "made_up", "ep_cyrillic"),
        ("Ivan Petrov", "Ольга Сидорова", 0, "made_up", "ep_cyrillic_neg"),
        ("Ada", "Adda", 1, "made_up", "given_variant"),
        ("Beach", "Beard", 0, "made_up", "surname_not_similar"),
    ]
    with (tmp_path / "pairs.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(("left", "right", "label", "source", "kind"))
        writer.writerows(rows)
    (tmp_path / "other.csv").write_text("a,b\n1,2\n")
    return tmp_path


@pytest.fixture
def evaluate(monkeypatch: pytest.MonkeyPatch) -> Callable[..., int]:
    """Runs `make eval-names` in this process; what it learns with takes seconds to load."""

    def run(*arguments: str) -> int:
        from scripts.eval_names import main

        monkeypatch.setattr(sys, "argv", ["eval_names", *arguments])
        return main()

    return run


def test_the_evaluation_prints_figures_for_each_group(
    pairs: Path, evaluate: Callable[..., int], capsys: pytest.CaptureFixture[str]
) -> None:
    assert evaluate(str(pairs)) == 0
    printed = capsys.readouterr().out
    lines = {line.split("  ")[0]: line.split() for line in printed.splitlines()}
    assert lines["CORE"][1:5] == ["4", "1.000", "1.000", "1.000"]
    assert lines["cross-script"][1] == "2"
    assert "given names" in lines
    assert lines["Gatehouse"][1] == "1.000"
    assert "rapidfuzz WRatio" in lines
    assert "µs per comparison" in printed


def test_the_evaluation_says_what_is_missing(
    tmp_path: Path, evaluate: Callable[..., int], capsys: pytest.CaptureFixture[str]
) -> None:
    assert (evaluate(), "DATA=DIR" in capsys.readouterr().err) == (2, True)
    assert (evaluate(str(tmp_path)), "no CSV file" in capsys.readouterr().err) == (2, True)
    assert evaluate(str(tmp_path / "nowhere")) == 2


@given(
    st.text("абвгдежзиклмнопрстуф", min_size=1, max_size=9),
    st.text("abcdefghiklmnoprstuvyz", min_size=1, max_size=12),
    st.floats(0, 1),
)
def test_words_that_are_given_up_are_less_alike_than_was_asked_for(
    native: str, latin: str, least: float
) -> None:
    [one], [other] = tokens_of(native), tokens_of(latin)
    whole = sound_likeness(one, other)
    assert sound_likeness(one, other, least) in (whole, (0.0, 0.0))
    if whole[0] > least:
        assert sound_likeness(one, other, least) == whole


@given(
    st.text("김이박최정강조윤장임민수영지현", min_size=1, max_size=4),
    st.lists(
        st.sampled_from(["kim", "min", "soo", "su", "young", "ji", "hyun", "park", "i"]), min_size=1
    ).map("".join),
    st.floats(0, 4),
)
def test_syllables_that_are_given_up_cannot_add_up_to_what_was_asked_for(
    text: str, word: str, least: float
) -> None:
    whole = eastern._spelt(text, "k", word)
    found = eastern._spelt(text, "k", word, least)
    assert found == whole or sum(whole) < least

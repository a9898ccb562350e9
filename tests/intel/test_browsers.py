"""What is packed about browsers: what it answers, what is refused, and how it is reduced."""

import json
import re

import pytest
from scripts.build_browsers import (
    RELEASES,
    family_patterns,
    pack,
    prove_releases,
    read_script,
    reduce_pattern,
    release_days,
    settle,
)

from gatehouse.intel.agents import words as agent_words
from gatehouse.intel.agents.browsers import (
    Releases,
    load_patterns,
    load_releases,
    load_sources,
    read_patterns,
    read_releases,
)
from gatehouse.intel.packed import PackedDataError

DAYS = {"Safari": [(17, 100), (18, 465), (26, 830), (27, 1_195)]}


def test_the_day_of_the_next_version_is_found_across_a_gap() -> None:
    safari = Releases(DAYS["Safari"])
    assert [safari.superseded_on(major) for major in (3, 17, 18, 20, 26, 27, 28)] == (
        [100, 465, 830, 830, 1_195, None, None]
    )


def test_only_numbers_between_two_versions_were_skipped() -> None:
    safari = Releases(DAYS["Safari"])
    assert [major for major in range(10, 35) if safari.was_skipped(major)] == list(range(19, 26))


@pytest.mark.parametrize(
    ("gap_days", "allowed"),
    [(14, 52), (28, 26), (365, 3), (0, 730)],
)
def test_the_allowance_for_the_future_follows_the_pace(gap_days: int, allowed: int) -> None:
    rows = [(major, 1_000 + major * gap_days) for major in range(1, 11)]
    assert Releases(rows).highest_plausible == 10 + allowed


def test_a_single_version_still_leaves_room() -> None:
    assert Releases([(5, 100)]).highest_plausible == 8


def test_every_family_that_ships_is_ordered_and_recent() -> None:
    releases = load_releases()
    assert set(releases) >= {"Chrome", "Edge", "Firefox", "Safari", "Mobile Safari", "Opera"}
    assert releases["Chrome"].superseded_on(100) == 19_108
    assert releases["Chrome"].highest_plausible > 160


def test_the_sources_say_what_the_files_hold() -> None:
    releases, patterns = load_sources()
    assert releases.package == "caniuse-lite"
    assert releases.licence == "CC-BY-4.0"
    assert patterns.package == "ua-parser-builtins"
    assert patterns.rows == len(load_patterns())


def test_a_changed_file_is_refused() -> None:
    packed = pack(DAYS, 4, RELEASES)
    assert read_releases(packed)["Safari"].superseded_on(17) == 465
    with pytest.raises(PackedDataError, match="not what was packed"):
        read_releases(packed.replace(b"465", b"466"))


@pytest.mark.parametrize("content", [b"", b"{}", b'{"source": 1, "data": []}', b"\xff"])
def test_a_broken_file_is_refused(content: bytes) -> None:
    with pytest.raises(PackedDataError):
        read_releases(content)
    with pytest.raises(PackedDataError):
        read_patterns(content)


@pytest.mark.parametrize("rows", [[], [(2, 5), (1, 9)], [(2, 5), (2, 9)]])
def test_versions_out_of_order_are_refused(rows: list[tuple[int, int]]) -> None:
    with pytest.raises(PackedDataError, match="from old to new"):
        read_releases(pack({"Safari": rows}, 1, RELEASES))


def test_data_of_another_shape_is_refused() -> None:
    with pytest.raises(PackedDataError, match="malformed"):
        read_releases(pack([("a", None, None)], 1, RELEASES))
    with pytest.raises(PackedDataError, match="malformed"):
        read_patterns(pack(DAYS, 1, RELEASES))


def test_the_proof_notices_a_wrong_day() -> None:
    prove_releases(pack(DAYS, 4, RELEASES), DAYS)
    with pytest.raises(RuntimeError, match="Safari 17"):
        prove_releases(pack(DAYS, 4, RELEASES), {"Safari": [(17, 100), (18, 466)]})


def test_the_source_is_reduced_to_days_by_family() -> None:
    browsers = {"A": "ie", "B": "edge", "C": "bb", "D": "safari"}
    versions = {"a": "12", "b": "11", "c": "15.2-15.3", "d": "15.4", "e": "TP", "f": "7"}
    agents = {
        "A": {"F": {"b": 86_400}},
        "B": {"F": {"a": 3 * 86_400 + 5}},
        "C": {"F": {"f": 86_400}},
        "D": {"F": {"c": 9 * 86_400, "d": 10 * 86_400, "e": None}},
    }
    assert release_days(browsers, versions, agents) == {
        "Edge": [(12, 3)],
        "IE": [(11, 1), (12, 3)],
        "Safari": [(15, 9)],
    }


def test_a_version_dated_after_its_successor_takes_its_day() -> None:
    assert settle({73: 20, 74: 10, 75: 30}) == [(73, 10), (74, 10), (75, 30)]


def test_the_tables_are_read_without_running_them() -> None:
    assert read_script('module.exports={A:{B:1,"0":null},cB:["x"]};') == (
        {"A": {"B": 1, "0": None}, "cB": ["x"]}
    )


@pytest.mark.parametrize(
    ("expression", "kept"),
    [
        (r"(Vivaldi)/(\d+)", r"(Vivaldi)/(\d+)"),
        (r"(Twitterbot)/(\d+)", None),
        (r"([A-z]+[Bb]ot)/(\d+)", None),
        (r"^(Peapod|Liferea)/(\d+)", None),
        (r"(bingbot|Midori|Iron)/(\d+)", r"(Midori|Iron)/(\d+)"),
        (r"\b(Midori|Scrapy)/(\d+)", r"\b(Midori)/(\d+)"),
        (r"(bingbot|Googlebot)/(\d+)", None),
    ],
)
def test_patterns_are_kept_for_browsers_only(expression: str, kept: str | None) -> None:
    assert reduce_pattern(expression) == kept


def test_the_patterns_are_read_without_running_their_module() -> None:
    module = "MATCHERS: int = ([M('(A)/(x)'), M('B', 'Bee', '7'), M('SomeBot')], [M('c')], [])"
    assert family_patterns(module) == [("(A)/(x)", None, None), ("B", "Bee", "7")]


@pytest.mark.parametrize("name", ["HEADLESS", "LIBRARIES", "BOTS", "TRAPS", "WEBVIEWS"])
def test_each_word_is_in_lower_case_listed_once_and_not_found_in_nothing(name: str) -> None:
    words = getattr(agent_words, name).split()
    assert len(words) == len(set(words))
    for word in words:
        assert re.sub(r"\\.", "", word).islower() or not re.search(r"[A-Za-z]", word)
        assert re.compile(word).match("") is None


def test_the_files_are_plain_json_with_their_source_first() -> None:
    assert list(json.loads(pack(DAYS, 4, RELEASES))) == ["source", "data"]

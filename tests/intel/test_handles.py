"""User names: people's score low, machines' score high, and every text gets a score."""

from string import ascii_lowercase

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scripts.build_handles import chances, count_pairs, digit_of, joined

from gatehouse.intel import handles
from gatehouse.intel.handles import randomness

NAMES_OF_PEOPLE = """
    amelia.whitfield john.smith1984 o.brien mary-jane jean-luc.martin lucvanhoutte info contact
    szczepanski wojciech.brzeczyszczykiewicz krzysztof_nowak przemyslaw.wisniewski
    grzegorz.chrzaszcz vlcek.zdenek jiri.strnad smrz.tomas petr.skrivanek krejcirik dvorakova
    hrvoje.grgic srdjan.mrkonjic krkljus szabo.gyorgy nagy.zsofia nguyenthiphuong tran.quoc.huy
    phamngochuyen vuhoangphuc nguyễn.thị.hương zhangxiaoming liuyuxuan xuzhiqiang wangqiang88
    zhu.xingqiu quzhenxu giorgi.mchedlishvili tskhadadze.nino gvantsa.brtskinvale
    tengiz.kvrivishvili rhys.pwllheli myfanwy.llwyd gwynllyw cwmystwyth llewellyn.ap.gwynfor
    schwarzenegger hjalmarsson gunnhildur thorvaldsdottir hrafnsson nkrumah.kwame ndlovu.thandiwe
    mthembu.s tshabalala olufunmilayo venkatasubramanian krishnamurthy sreelakshmi yilmaz.ozgur
    kilicdaroglu.k abdulrahman_k hyunwoo.kim kwakdongyeon takahashi.ryo tsutsumi tkachenko.v
    shcherbakov.yu khrushchev goncalves.j mschulz87 dschungel maria.ferreira.2001 jrr1973 abk92
    tjm_84 mcd1990 pjbrown77 xX_slayer_Xx darkwolf99 n00bmaster69 l33thax0r sk8erboi pr0gamer
    coolguy2000 gamergirl42 knightsbridge mike123456 anna19840512 13812345678 josé.álvarez
    łukasz.żak søren.kjærgård
"""

NAMES_OF_MACHINES = """
    x7k2q9zt1 qwrtzpsdfg 3f2504e04f8941d39a0c0305e82c3301 550e8400-e29b-41d4-a716-446655440000
    a1b2c3d4e5f6 9f86d081884c7d65 deadbeef1234cafe e3b0c44298fc JBSWY3DPEHPK3PXP MFRGGZDFMZTWQ2LK
    qwertyuiop asdfghjkl zxcvbnm qwerty12345 1qaz2wsx3edc asdfasdf poiuytrewq qazwsxedc lkjhgfdsa
    sdfsdfsdf azertyuiop qwertz yxcvbnm mnbvcxz hjkqwzx xkcdvbnq bvxzkwqp kjhgzxqw tgbqzvxw
    vqxjzkwm zzxqkvbt wqkxjvzh gkqzxwvt mxnzbcvq user8f3k2j9d k3j4h5g6 z9y8x7w6v5 r4nd0mq8x2
    t5h8m2n6 aB3xK9mQ2z QmZxKpRtVw h7G9kL2pQ4 4k7m2p9x b7c9e2f4a1 2d4f6h8j qx93kf72 7gh3kd92
    zx81vq77p
"""
PEOPLE = NAMES_OF_PEOPLE.split()
MACHINES = NAMES_OF_MACHINES.split()


@pytest.mark.parametrize("handle", PEOPLE)
def test_names_that_people_make_up_score_low(handle: str) -> None:
    assert randomness(handle) < 0.4


@pytest.mark.parametrize("handle", MACHINES)
def test_names_that_machines_make_score_high(handle: str) -> None:
    assert randomness(handle) > 0.7


def test_people_and_machines_are_far_apart() -> None:
    assert len(PEOPLE) >= 60
    assert len(MACHINES) >= 40
    people = sorted(map(randomness, PEOPLE))
    machines = sorted(map(randomness, MACHINES))
    assert people[len(people) * 9 // 10] < 0.2
    assert machines[len(machines) // 10] > 0.9


@pytest.mark.parametrize("handle", ["rlaqhsl", "dnjsqhal", "whdgns", "alswnrkd"])
def test_korean_names_typed_on_latin_keys_are_not_held_for_random(handle: str) -> None:
    assert randomness(handle) < 0.6


@pytest.mark.parametrize(
    "handle", ["Иван_Петров", "山田太郎", "محمد", "γιάννης", "नेहा1990", "김민준"]
)
def test_names_in_other_scripts_are_people_s(handle: str) -> None:
    assert randomness(handle) == 0.0


@pytest.mark.parametrize("handle", ["", "a", "_", "x7", "xkq", "q1w", "@", "+", "...", "brrrrrrr"])
def test_a_few_signs_prove_little(handle: str) -> None:
    assert randomness(handle) < 0.4


def test_of_an_address_only_the_local_part_without_its_tag_counts() -> None:
    assert randomness("x7k2q9zt1@example.com") == randomness("x7k2q9zt1")
    assert randomness("amelia@x7k2q9zt1.example") == randomness("amelia")
    assert randomness("amelia+x7k2q9zt1@example.com") == randomness("amelia")


def test_a_name_in_front_does_not_hide_random_signs() -> None:
    assert randomness("christopher.x7k2q9zt1") > 0.7


def test_players_may_write_digits_for_letters() -> None:
    assert randomness("dr4g0nsl4y3r") < 0.5 < randomness("dr4g8nsl6y2r")


def test_capitals_count_when_they_are_strewn_about() -> None:
    assert randomness("AmeliaWhitfield") == randomness("ameliawhitfield")
    assert randomness("aMeLiAwHiTfIeLd") > randomness("ameliawhitfield")


def test_accents_do_not_matter() -> None:
    assert randomness("Łukasz.Żółkiewski") == randomness("lukasz.zolkiewski")


@pytest.mark.parametrize("part", ["a", "x7", "aB", "é", "1", "\x00", "\ud800", "@", "qwerty", "ﷺ"])
def test_only_the_beginning_of_a_long_name_is_looked_at(part: str) -> None:
    assert 0 <= randomness(part * 30_000) <= 1


def test_a_sign_that_stands_for_many_does_not_make_a_name_longer() -> None:
    assert handles._fold("\N{PARENTHESIZED LATIN SMALL LETTER A}" * 64) == ("(a)" * 64)[:64]


@given(handle=st.text(max_size=100) | st.text(st.sampled_from("abxqz019_-.@+AZé"), max_size=70))
@example(handle="İSTANBUL")
@example(handle="ℝ𝕏ﬁ①²")
def test_every_text_has_a_score(handle: str) -> None:
    assert 0 <= randomness(handle) <= 1


def test_the_table_has_every_pair_of_letters_within_its_scale() -> None:
    assert set(handles._PAIRS) == {a + b for a in ascii_lowercase for b in ascii_lowercase}
    assert min(handles._PAIRS.values()) == handles.LEAST
    assert max(handles._PAIRS.values()) == handles.MOST


def test_pairs_that_are_common_in_names_speak_against_chance_and_others_for_it() -> None:
    assert digit_of(1 / 26) == 4
    assert digit_of(0.5) == 0
    assert digit_of(0.0001) == 9
    found = chances(count_pairs(joined(["li", "na"])))
    assert found["li"] > found["ln"]
    assert sum(found["l" + letter] for letter in ascii_lowercase) == pytest.approx(1)


@given(st.from_regex(r"[a-z]{1,9}([._-][a-z]{1,9})?[0-9]{0,9}", fullmatch=True))
def test_what_has_the_usual_form_is_read_like_any_other(text: str) -> None:
    """What comes behind a slash changes nothing, but the form is not the usual one any more."""
    assert handles._parts(text) == handles._parts(f"{text}/")

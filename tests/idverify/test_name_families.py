"""Families of names: what keeps the person, in spelling, order and parts, and what does not."""

import pytest

from gatehouse.idverify.names import compare_full_names
from gatehouse.idverify.names.romanisation import spells_korean
from gatehouse.idverify.names.skeleton import skeleton, stems
from gatehouse.idverify.response import Result, Why


def found(left: str, right: str) -> bool:
    one, other = compare_full_names(left, right), compare_full_names(right, left)
    assert one == other
    return one.decision is not Result.NO_MATCH


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("Muhamad Rashidi", "Mohammed Rashidi"),
        ("Oleksandr Melnychenko", "Aleksandr Melnichenko"),
        ("Oleksiy Hrytsenko", "Aleksey Hrytsenko"),
        ("Yakov Feldman", "Jacob Feldman"),
        ("Giorgos Pavlidis", "Yorgos Pavlidis"),
        ("Abd al-Karim Haddad", "Abdulkarim Haddad"),
        ("Omar bin Salih Barghouti", "Omar ibn Saleh Barghouthi"),
        ("Husayn Qaddumi", "Hussein Kaddoumi"),
    ],
)
def test_forms_of_one_name_are_found(left: str, right: str) -> None:
    assert found(left, right)


def test_another_form_of_a_name_in_the_same_script_is_a_partial_match() -> None:
    verdict = compare_full_names("Yakov Feldman", "Jacob Feldman")
    assert (verdict.decision, verdict.why) == (Result.PARTIAL_MATCH, Why.TRANSLITERATION)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("Lucía Ferrándiz Olmedo", "Lucía Ferrándiz"),
        ("João Pedro da Silveira Prates", "Joao Pedro Silveira Prates"),
        ("Willem van den Heuvel", "Heuvel, Willem"),
        ("Irina Kovalskaya", "Irina Sergeevna Kovalskaya"),
        ("Irina Kovalsky", "Irina Kovalskaya"),
        ("Anna-Lena Brinkmann", "Annalena Brinkmann"),
        ("Marta Zielinska-Wrona", "Marta Zielinska"),
        ("Dr. T. Okafor-Bright", "Tobias Okafor-Bright"),
        ("Nguyen Thi Bich Lan", "Bich Lan Nguyen"),
    ],
)
def test_parts_that_come_and_go_keep_the_person(left: str, right: str) -> None:
    assert found(left, right)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("Peter R. Turner", "Peter T. Maddox"),
        ("Kim Song Chol", "Kim Yong Hak"),
        ("Ahmad Rahmatullah", "Ahmad Qudratullah"),
        ("Aslan Magomedovich Tsoroev", "Ruslan Magomedovich Guchaev"),
        ("Michael Whitfield", "Michelle Whitfield"),
        ("Jon Ashworth", "Joan Ashworth"),
    ],
)
def test_strangers_who_share_a_part_are_not_taken_for_one_person(left: str, right: str) -> None:
    assert not found(left, right)


@pytest.mark.parametrize(
    ("hangul", "latin"),
    [
        ("이영희", "Rhee Young-hee"),
        ("이영희", "Lee Yeonghui"),
        ("이영희", "Yi Yong-hŭi"),
        ("박정수", "Bak Jeong-su"),
        ("박정수", "Jungsoo Park"),
        ("최현주", "Choe Hyonju"),
        ("최현주", "Hyun Joo Choi"),
        ("조태환", "Cho Tae-whan"),
        ("김 민수", "Kim Minsu"),
        ("민수", "Minsoo"),
        ("金英子", "Kim Young Ja"),
    ],
)
def test_korean_names_are_read_in_every_usual_spelling(hangul: str, latin: str) -> None:
    assert found(hangul, latin)


@pytest.mark.parametrize(
    ("hangul", "latin"),
    [
        ("이영희", "Lee Young-su"),
        ("박정수", "Park Jung-min"),
        ("김 민수", "Kim Minho"),
        ("민수", "Jihoon"),
        ("최현주", "Cho Hyun-ju"),
    ],
)
def test_another_syllable_is_another_korean(hangul: str, latin: str) -> None:
    assert not found(hangul, latin)


@pytest.mark.parametrize(
    ("han", "latin"),
    [
        ("陳志明", "Chan Chi Ming"),
        ("陳志明", "Tan Chee Meng"),
        ("陳志明", "Chen Zhiming"),
        ("陳志明", "Ch'en Chih-ming"),
        ("陳志明", "Peter Chan Chi-ming"),
        ("黃文發", "Ng Boon Huat"),
        ("黃文發", "Wong Man Fat"),
        ("許美玲", "Hsu Mei-ling"),
        ("許美玲", "Khor Bee Leng"),
        ("張國強", "Cheung Kwok Keung"),
        ("吳小龍", "Wu Xiaolong"),
        ("小龍", "Xiaolong"),
        ("田中雅彦", "Tanaka Masahiko"),
        ("高橋芳久", "Yoshihisa Takahashi"),
    ],
)
def test_han_characters_are_read_as_each_region_spells_them(han: str, latin: str) -> None:
    assert found(han, latin)


@pytest.mark.parametrize(
    ("han", "latin"),
    [
        ("陳志明", "Chan Wai Keung"),
        ("黃文發", "Ng Chee Keong"),
        ("許美玲", "Lin Mei-ling"),
        ("田中雅彦", "Tanaka Yoshiko"),
        ("小龍", "Meili"),
    ],
)
def test_other_characters_are_another_person(han: str, latin: str) -> None:
    assert not found(han, latin)


def test_a_korean_syllable_has_usual_spellings_and_rarer_ones() -> None:
    assert spells_korean("정", "jeong") == spells_korean("정", "chung") == 1
    assert 0 < spells_korean("정", "jeoung") < 1
    assert spells_korean("정", "kang") == 0
    assert spells_korean("A", "a") == 0


def test_spellings_of_one_name_share_their_consonants() -> None:
    assert skeleton("hussein") == skeleton("husayn")
    assert skeleton("zimowsky") == skeleton("zimousky")
    assert skeleton("castillo") != skeleton("castro")


def test_what_thousands_of_names_share_is_set_aside() -> None:
    assert stems("magomedovich", "salimovich") == ("magomed", "salim")
    assert stems("abdrahim", "abdkarim") == ("rahim", "karim")
    assert stems("petrov", "ivanova") == ("petr", "ivan")
    assert stems("petrov", "petrovsky") == ("petrov", "petrovsky")

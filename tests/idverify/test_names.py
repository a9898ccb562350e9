"""Comparing names: what each part of a name and the whole come to, and why."""

import itertools
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gatehouse.idverify.names import compare_full_names, compare_person_names
from gatehouse.idverify.names.tokens import MOST_LETTERS, tokens_of
from gatehouse.idverify.people import PersonName
from gatehouse.idverify.response import Result, Why

MATCH, PARTIAL, NO = Result.MATCH, Result.PARTIAL_MATCH, Result.NO_MATCH
NOT_SENT, NOT_HELD = Result.NOT_PROCESSED, Result.UNKNOWN

Parts = tuple[str | None, str | None, str | None]


def name(parts: Parts) -> PersonName:
    first, middle, last = parts
    return PersonName(last_name=last, first_name=first, middle_name=middle)


def whole(sent: tuple[str, str], held: tuple[str, str]) -> tuple[Result, str | None]:
    verdict = compare_person_names(name((sent[0], None, sent[1])), name((held[0], None, held[1])))
    return verdict.whole.result, verdict.whole.why


def last_name(sent: str, held: str) -> tuple[Result, str | None]:
    verdict = compare_person_names(name(("Ada", None, sent)), name(("Ada", None, held)))
    return verdict.last.result, verdict.last.why


def first_name(sent: str, held: str) -> tuple[Result, str | None]:
    verdict = compare_person_names(name((sent, None, "Byron")), name((held, None, "Byron")))
    return verdict.first.result, verdict.first.why


# One part


@pytest.mark.parametrize(
    ("sent", "held"),
    [
        ("WHITFIELD", "Whitfield"),
        ("Müller", "Mueller"),
        ("Muller", "Müller"),
        ("Soerensen", "Sørensen"),
        ("Strasse", "Straße"),
        ("Lukasz", "Łukasz"),
        ("OBrien", "O'Brien"),
        ("O’Brien", "O'Brien"),
        ("Smith Jones", "Smith-Jones"),
        ("MacDonald", "Mac Donald"),
        ("ｗｈｉｔｆｉｅｌｄ", "Whitfield"),
        ("Whit\u200bfield", "Whitfield"),
        ("\u202eWhitfield\u202c", "Whitfield"),
        ("Nu\u0301n\u0303ez", "Núñez"),
        ("Abdul Rahman", "Abdulrahman"),
        ("St John", "Saint John"),
        ("張", "张"),
        ("渡邊", "渡辺"),
        ("El Sayed", "Elsayed"),
        ("たなか", "タナカ"),
        ("مصطفى", "مصطفي"),
    ],
)
def test_a_last_name_written_otherwise_is_the_same(sent: str, held: str) -> None:
    assert last_name(sent, held) == (MATCH, Why.EXACT)


@pytest.mark.parametrize(
    ("sent", "held"),
    [
        ("Petrova", "Петрова"),
        ("Papadopoulos", "Παπαδόπουλος"),
        ("Al-Dulaymi", "الدليمي"),
        ("Golan", "גולן"),
        ("Cohen", "כהן"),
        ("Tanaka", "タナカ"),
        ("Shevchenko", "Шевченко"),
    ],
)
def test_a_last_name_in_another_script_is_the_same(sent: str, held: str) -> None:
    assert last_name(sent, held) == (MATCH, Why.TRANSLITERATION)


@pytest.mark.parametrize(
    ("sent", "held", "why"),
    [
        ("Dupond", "Dupont", Why.TYPO),
        ("Whitfeild", "Whitfield", Why.TYPO),
        ("Srnith", "Smith", Why.TYPO),
        ("García", "García López", Why.SUBSET),
        ("López", "García López", Why.SUBSET),
        ("Beethoven", "van Beethoven", Why.SUBSET),
        ("de Wit", "van Wit", Why.SUBSET),
        ("López García", "García López", Why.ORDER),
        ("Petrov", "Петрова", Why.TRANSLITERATION),
        ("de la Cruz", "Cruz", Why.SUBSET),
        ("Ivanoff", "Ivanov", Why.TRANSLITERATION),
    ],
)
def test_a_last_name_that_is_nearly_right_is_a_partial_match(
    sent: str, held: str, why: Why
) -> None:
    assert last_name(sent, held) == (PARTIAL, why)


@pytest.mark.parametrize(
    ("sent", "held"),
    [
        ("Smith", "Schmidt"),
        ("Beach", "Beard"),
        ("Thomson", "Thornton"),
        ("Bob", "Robert"),
        ("123", "124"),
        ("Fox", "Cox"),
        ("Wang", "Yang"),
        ("Ma", "Maria"),
        ("Hansen", "Jansen"),
        ("Иванов", "Petrov"),
        ("王", "Petrov"),
        ("García López", "García Pérez"),
    ],
)
def test_another_last_name_does_not_match(sent: str, held: str) -> None:
    assert last_name(sent, held) == (NO, Why.DIFFERENT)


@pytest.mark.parametrize(
    ("sent", "held", "why"),
    [
        ("Bob", "Robert", Why.NICKNAME),
        ("Robert", "Bob", Why.NICKNAME),
        ("Liz", "Elizabeth", Why.NICKNAME),
        ("Tim", "Timothy", Why.NICKNAME),
        ("A.", "Ada", Why.INITIAL),
        ("Jaen", "Jean", Why.TYPO),
        ("Mohammed", "Muhammad", Why.TRANSLITERATION),
        ("Mohammad", "Mohammed", Why.TRANSLITERATION),
        ("Mohd", "Mohammed", Why.NICKNAME),
        ("Catherine", "Katherine", Why.TRANSLITERATION),
        ("Steven", "Stephen", Why.TRANSLITERATION),
        ("Luca", "Luka", Why.TRANSLITERATION),
        ("Paco", "Francisco", Why.NICKNAME),
        ("Sasha", "Alexander", Why.NICKNAME),
        ("J. R. R.", "John Ronald Reuel", Why.INITIAL),
        ("María José", "José María", Why.ORDER),
        ("José", "José María", Why.SUBSET),
        ("W1lliam", "William", Why.TYPO),
    ],
)
def test_a_first_name_that_is_nearly_right_is_a_partial_match(
    sent: str, held: str, why: Why
) -> None:
    assert first_name(sent, held) == (PARTIAL, why)


@pytest.mark.parametrize(
    ("sent", "held"),
    [
        ("Jon", "Joan"),
        ("Michael", "Michelle"),
        ("Maxime", "Jean"),
        ("B.", "Ada"),
        ("Daniel", "Danielle"),
        ("Mario", "Maria"),
        ("Louis", "Louise"),
        ("Denis", "Denise"),
        ("Fabrizio", "Fabrizia"),
        ("Naoki", "Naoko"),
        ("Nabil", "Nabila"),
        ("Aleksandra", "Александр"),
        ("Marina", "Мария"),
    ],
)
def test_two_given_names_are_never_a_slip_of_one(sent: str, held: str) -> None:
    assert first_name(sent, held) == (NO, Why.DIFFERENT)


def test_titles_and_suffixes_do_not_count() -> None:
    assert whole(("Dr. Amelia", "Whitfield Jr."), ("Amelia", "Whitfield")) == (MATCH, Why.EXACT)
    assert last_name("Bishop", "Bishop") == (MATCH, Why.EXACT)
    assert last_name("Bishop", "Judge") == (NO, Why.DIFFERENT)


# The whole


def test_first_and_last_name_that_match_are_a_match() -> None:
    assert whole(("Amelia", "Whitfield"), ("AMELIA", "WHITFIELD")) == (MATCH, Why.EXACT)


def test_names_in_each_others_field_match_by_their_order() -> None:
    assert whole(("Whitfield", "Amelia"), ("Amelia", "Whitfield")) == (MATCH, Why.ORDER)
    assert whole(("Wang", "Xiaoming"), ("小明", "王")) == (MATCH, Why.ORDER)


@pytest.mark.parametrize(
    ("sent", "held"),
    [
        (("Xiaoming", "Wang"), ("小明", "王")),
        (("Hsiao-ming", "Wang"), ("小明", "王")),
        (("Minsu", "Kim"), ("민수", "김")),
        (("Min-su", "Lee"), ("민수", "이")),
        (("Minsu", "Park"), ("민수", "박")),
        (("Kin-keung", "Chan"), ("健強", "陳")),
        (("Hanako", "Yamada"), ("花子", "山田")),
        (("小明", "王"), ("Xiaoming", "Wang")),
    ],
)
def test_eastern_names_are_read_as_people_spell_them(
    sent: tuple[str, str], held: tuple[str, str]
) -> None:
    assert whole(sent, held) == (MATCH, Why.TRANSLITERATION)


@pytest.mark.parametrize(
    ("sent", "held"),
    [
        (("Meiling", "Wang"), ("小明", "王")),
        (("Daming", "Wang"), ("小明", "王")),
        (("Xiaomei", "Wang"), ("小明", "王")),
        (("Xiaoming", "Huang"), ("小明", "王")),
        (("Jianguo", "Zhou"), ("建国", "赵")),
        (("Jun", "Ling"), ("军", "林")),
        (("Jun", "Zhang"), ("军", "蒋")),
        (("Taro", "Suzuki"), ("花子", "山田")),
        (("Haruko", "Yamada"), ("花子", "山田")),
        (("Jimin", "Cho"), ("지민", "최")),
        (("Jongil", "Kim"), ("정은", "김")),
    ],
)
def test_a_like_sound_does_not_make_the_person(
    sent: tuple[str, str], held: tuple[str, str]
) -> None:
    assert whole(sent, held)[0] is not MATCH


def test_an_initial_is_no_last_name() -> None:
    assert whole(("A", "W"), ("Amelia", "Whitfield"))[0] is NO
    assert whole(("J", "Coxx"), ("John", "Cox"))[0] is NO


def test_somebody_with_one_name_only_can_match() -> None:
    verdict = compare_person_names(name((None, None, "Suharto")), name((None, None, "Suharto")))
    assert verdict.whole.result is MATCH


def test_a_whole_name_in_one_field_is_compared_as_a_whole() -> None:
    sent, held = name((None, None, "Amelia Whitfield")), name(("Amelia", None, "Whitfield"))
    assert compare_person_names(sent, held).whole.result is MATCH
    assert compare_person_names(held, sent).whole.result is MATCH
    other = name((None, None, "Robert Okonkwo"))
    assert compare_person_names(other, held).whole.result is NO


def test_the_last_name_alone_with_another_first_name_is_nobody() -> None:
    assert whole(("Robert", "Whitfield"), ("Amelia", "Whitfield")) == (NO, Why.DIFFERENT)


def test_the_last_name_alone_is_a_part_of_the_whole() -> None:
    verdict = compare_person_names(
        name((None, None, "Whitfield")), name(("Amelia", None, "Whitfield"))
    )
    assert (verdict.first.result, verdict.last.result) == (NOT_SENT, MATCH)
    assert verdict.whole.result is PARTIAL


@pytest.mark.parametrize(
    ("sent", "held", "middle", "result"),
    [
        ("Jane", "Jane", MATCH, MATCH),
        (None, "Jane", NOT_SENT, MATCH),
        ("Jane", None, NOT_HELD, MATCH),
        ("J", "Jane", PARTIAL, PARTIAL),
        ("Kate", "Jane", NO, PARTIAL),
    ],
)
def test_a_middle_name_can_only_weaken_the_whole(
    sent: str | None, held: str | None, middle: Result, result: Result
) -> None:
    verdict = compare_person_names(
        name(("Amelia", sent, "Whitfield")), name(("Amelia", held, "Whitfield"))
    )
    assert (verdict.middle.result, verdict.whole.result) == (middle, result)


def test_given_names_may_be_cut_elsewhere() -> None:
    verdict = compare_person_names(
        name(("Amelia Jane", None, "Whitfield")), name(("Amelia", "Jane", "Whitfield"))
    )
    assert (verdict.first.result, verdict.whole.result) == (MATCH, MATCH)


def test_a_part_the_record_lacks_is_unknown() -> None:
    verdict = compare_person_names(name(("Ada", None, "Byron")), name((None, None, "Byron")))
    assert verdict.first.result is NOT_HELD
    assert verdict.whole.result is PARTIAL


# Whole names as single strings


@pytest.mark.parametrize(
    ("left", "right", "decision", "why"),
    [
        ("Amelia Whitfield", "amelia  whitfield", MATCH, Why.EXACT),
        ("Whitfield, Amelia", "Amelia Whitfield", MATCH, Why.EXACT),
        ("Whitfield Amelia", "Amelia Whitfield", MATCH, Why.ORDER),
        ("Ivan Petrov", "Иван Петров", MATCH, Why.TRANSLITERATION),
        ("Wang Xiaoming", "王小明", MATCH, Why.TRANSLITERATION),
        ("Bob Whitfield", "Robert Whitfield", PARTIAL, Why.NICKNAME),
        ("A. Whitfield", "Amelia Whitfield", PARTIAL, Why.INITIAL),
        ("Amelia Whitfeild", "Amelia Whitfield", PARTIAL, Why.TYPO),
        ("Amelia Whitfield", "Amelia Jane Whitfield", PARTIAL, Why.SUBSET),
        ("Amelia Whitfield", "Robert Okonkwo", NO, Why.DIFFERENT),
        ("Michael Whitfield", "Michelle Whitfield", NO, Why.DIFFERENT),
        ("Robert Whitfield", "Amelia Whitfield", NO, Why.DIFFERENT),
        ("Beach", "Beard", NO, Why.DIFFERENT),
        ("Bob", "Robert", PARTIAL, Why.NICKNAME),
    ],
)
def test_whole_names_are_decided_with_a_reason(
    left: str, right: str, decision: Result, why: Why
) -> None:
    for one, other in ((left, right), (right, left)):
        verdict = compare_full_names(one, other)
        assert (verdict.decision, verdict.why) == (decision, why)
        assert 0 <= verdict.score <= 1


def test_only_names_that_are_found_score_one_half_or_more() -> None:
    names = [
        "Amelia Whitfield",
        "A Whitfield",
        "Robert Whitfield",
        "Amélie Whitfeld",
        "王小明",
        "Ли",
    ]
    for left, right in itertools.product(names, names):
        verdict = compare_full_names(left, right)
        assert (verdict.score >= 0.5) == (verdict.decision is not NO)


# Anything a caller may send

NASTY = [
    "",
    " ",
    "\u0301" * 10_000,
    "a" + "\u0301" * 10_000,
    "\u202e\u202d\u200f",
    "\u200b\u200c\u200d\ufeff",
    "ﷺ" * 64,
    "12345",
    "a" * 10_000,
    "a " * 5_000,
    "Аmеlia Whitfiеld",
    "王" * 64,
    "沙" * 9,
    "sa" * 16,
    "김" * 64,
    "김" * 9,
    "ア" * 64,
    "عبد " * 64,
    "-" * 1000,
    "'" * 1000,
    "\x00\x1f\x7f",
    "😀 🏳️‍🌈",
    "Ａ．Ｂ．",
]


@pytest.mark.parametrize("left", NASTY, ids=range(len(NASTY)))
def test_nasty_names_are_compared_quickly(left: str) -> None:
    started = time.process_time()
    for right in NASTY:
        assert 0 <= compare_full_names(left, right).score <= 1
        compare_person_names(name((left, right, left)), name((right, left, right)))
    # Not a measure of speed: work that grows with the square of the length takes minutes here.
    assert time.process_time() - started < 10


def test_letters_that_only_look_latin_are_still_read() -> None:
    assert compare_full_names("Аmеlia Whitfiеld", "Amelia Whitfield").decision is not NO


def test_other_orders_than_the_family_name_first_are_not_a_full_match() -> None:
    verdict = compare_full_names("Salman bin Muhammad Rawi", "Muhammad bin Salman Rawi")
    assert verdict.decision is not MATCH


def test_a_long_name_is_compared_by_its_beginning() -> None:
    assert sum(len(token.text) for token in tokens_of("x" * 10_000)) == MOST_LETTERS


@given(st.text(max_size=40), st.text(max_size=40))
def test_any_two_texts_can_be_compared_in_either_order(left: str, right: str) -> None:
    one, other = compare_full_names(left, right), compare_full_names(right, left)
    assert one == other


@given(st.text(alphabet="abcdeéñüßøابسمмиряאבג王小金김수アン -'.,", min_size=1, max_size=24))
def test_a_name_is_itself(text: str) -> None:
    if text.strip():
        assert compare_full_names(text, text).decision is MATCH


PART = st.none() | st.text(min_size=1, max_size=20)
PARTS = st.tuples(PART, PART, PART)


@given(PARTS, PARTS)
def test_any_parts_can_be_compared(sent: Parts, held: Parts) -> None:
    verdict = compare_person_names(name(sent), name(held))
    assert (verdict.last.result is NOT_SENT) == (sent[2] is None)

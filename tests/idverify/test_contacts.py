"""Comparing phone numbers and e-mail addresses with a record: what matches, and how quickly."""

import phonenumbers
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from gatehouse.idverify import contacts
from gatehouse.idverify.comparison import UNPARSABLE, Comparison, best_of
from gatehouse.idverify.contacts import compare_emails, compare_phones
from gatehouse.idverify.response import Result
from gatehouse.intel import emails
from gatehouse.intel.phones import parse_phone, trunk_prefix
from tests.harness.rows import each

MATCH, PARTIAL, NO = Result.MATCH, Result.PARTIAL_MATCH, Result.NO_MATCH
ARABIC_INDIC = str.maketrans("0123456789", "٠١٢٣٤٥٦٧٨٩")
FULL_WIDTH = str.maketrans("+0123456789", "＋０１２３４５６７８９")


def phone(sent: str, *held: str) -> tuple[Result, str | None]:
    found = compare_phones(sent, held)
    return found.result, found.why


def email(sent: str, *held: str) -> tuple[Result, str | None]:
    found = compare_emails(sent, held)
    return found.result, found.why


# Phones


@pytest.mark.parametrize(
    ("sent", "held", "why"),
    [
        ("+14155550132", "+14155550132", "exact"),
        ("+14155550132;ext=12", "+14155550132;ext=12", "exact"),
        ("+1 (415) 555-0132", "+14155550132", "folded"),
        ("1-415-555-0132", "+14155550132", "folded"),
        ("+1 415 555 0132 x12", "+14155550132;ext=12", "folded"),
        ("tel:+1-415-555-0132", "+14155550132", "folded"),
        ("+44 (0)20 7946 0958", "+442079460958", "folded"),
        ("0044 20 7946 0958", "+442079460958", "folded"),
        ("011 44 20 7946 0958", "+442079460958", "folded"),
        ("442079460958", "+442079460958", "folded"),
        ("491711234567", "+491711234567", "folded"),
        ("+1-800-FLOWERS", "+18003569377", "folded"),
        ("(415) 555-0132", "+14155550132", "national"),
        ("020 7946 0958", "+442079460958", "national"),
        ("20 7946 0958", "+442079460958", "national"),
        ("8 916 123-45-67", "+79161234567", "national"),
        ("612 34 56 78", "+34612345678", "national"),
        ("138 1234 5678", "+8613812345678", "national"),
        ("090-1234-5678", "+819012345678", "national"),
        ("06 12345678", "+390612345678", "national"),
        ("011 15 2345-6789", "+5491123456789", "national"),
        ("0 15 11 91234 5678", "+5511912345678", "national"),
        ("800-FLOWERS", "+18003569377", "national"),
        ("4002", "+6834002", "national"),
    ],
)
def test_the_same_number_matches_however_it_is_written(sent: str, held: str, why: str) -> None:
    assert phone(sent, held) == (MATCH, why)
    assert phone(sent.translate(ARABIC_INDIC), held)[0] is MATCH
    assert phone(sent.translate(FULL_WIDTH), held)[0] is MATCH


@pytest.mark.parametrize(
    ("sent", "held", "why"),
    [
        ("+14155550132", "+14155550132;ext=12", "extension"),
        ("(415) 555-0132", "+14155550132;ext=12", "extension"),
        ("+14155550132 ext. 12", "+14155550132", "extension"),
        ("+14155550132 x13", "+14155550132;ext=12", "extension"),
        ("+54 11 2345-6789", "+5491123456789", "mobile_prefix"),
        ("11 2345-6789", "+5491123456789", "mobile_prefix"),
        ("+54 9 11 2345-6789", "+541123456789", "mobile_prefix"),
        ("+52 55 1234 5678", "+5215512345678", "mobile_prefix"),
        ("55 1234 5678", "+5215512345678", "mobile_prefix"),
        ("+52 1 55 1234 5678", "+525512345678", "mobile_prefix"),
        ("+39 6 12345678", "+390612345678", "mobile_prefix"),
        ("+39 0347 1234567", "+393471234567", "mobile_prefix"),
    ],
)
def test_an_extension_or_a_mobile_prefix_is_half_a_match(sent: str, held: str, why: str) -> None:
    assert phone(sent, held) == (PARTIAL, why)
    assert phone(sent.translate(ARABIC_INDIC), held)[0] is PARTIAL


@pytest.mark.parametrize(
    ("sent", "held"),
    [
        ("+14155550199", "+14155550132"),
        ("+44 415 555 0132", "+14155550132"),
        ("+1 415 556 0132", "+14155550132"),
        ("(416) 555-0132", "+14155550132"),
        ("555-0132", "+14155550132"),
        ("0132", "+14155550132"),
        ("2", "+6834002"),
        ("886882", "+3780549886882"),
        ("+1 9 415 555 0132", "+14155550132"),
        ("+1 415 555 0132 9", "+14155550132"),
        ("+44 1 2079460958", "+442079460958"),
        ("", "+14155550132"),
        ("none", "+14155550132"),
        ("+14155550132" + " " * 30, "+14155550132"),
    ],
)
def test_another_number_or_a_bare_piece_does_not_match(sent: str, held: str) -> None:
    assert phone(sent, held)[0] is NO
    assert phone(sent.translate(ARABIC_INDIC), held)[0] is NO


def test_what_is_not_a_number_is_called_so() -> None:
    assert phone("call me", "+14155550132") == (NO, "unparsable")
    assert phone("555-0132", "+14155550132") == (NO, "unparsable")
    assert phone("+14155550199", "+14155550132") == (NO, "different")


def test_the_best_of_all_held_numbers_counts() -> None:
    held = ("+442079460958", "+14155550132;ext=12", "+14155550132")
    assert phone("+1 415 555 0132", *held) == (MATCH, "folded")
    assert phone("+1 415 555 0132", *held[:2]) == (PARTIAL, "extension")
    assert phone("020 7946 0958", *held) == (MATCH, "national")
    assert phone("+1 415 555 0100", *held) == (NO, "different")


def test_without_anything_held_nothing_is_known() -> None:
    assert phone("+14155550132") == (Result.UNKNOWN, "not_held")
    assert email("amelia@example.com") == (Result.UNKNOWN, "not_held")


EXAMPLES = sorted(
    phonenumbers.format_number(number, phonenumbers.PhoneNumberFormat.E164)
    for region in phonenumbers.SUPPORTED_REGIONS
    for kind in (0, 1)
    if (number := phonenumbers.example_number_for_type(region, kind)) is not None
)


@each(sorted(phonenumbers.SUPPORTED_REGIONS))
def test_every_country_s_numbers_match_at_home_and_abroad(region: str) -> None:
    number = phonenumbers.example_number_for_type(region, 1)
    number = number or phonenumbers.example_number(region)
    assert number is not None
    held = phonenumbers.format_number(number, phonenumbers.PhoneNumberFormat.E164)
    abroad = phonenumbers.format_number(number, phonenumbers.PhoneNumberFormat.INTERNATIONAL)
    at_home = phonenumbers.format_number(number, phonenumbers.PhoneNumberFormat.NATIONAL)
    assert phone(abroad, held) == (MATCH, "folded")
    assert phone(at_home, held)[0] is MATCH


@st.composite
def canonical_numbers(draw: st.DrawFn) -> str:
    if draw(st.booleans()):
        return draw(st.sampled_from(EXAMPLES))
    code = draw(st.sampled_from(sorted(phonenumbers.COUNTRY_CODE_TO_REGION_CODE)))
    found = parse_phone(f"+{code}{draw(st.text('0123456789', min_size=4, max_size=12))}")
    return found.canonical if found else "+14155550132"


@st.composite
def numbers_like(draw: st.DrawFn, held: str) -> str:
    """A number that is the held one, or nearly: shortened, prefixed, changed, or spaced out."""
    found = parse_phone(held)
    assert found is not None
    trunk = trunk_prefix(found.calling_code)
    digits = draw(
        st.sampled_from(
            [held, held[1:], found.national, trunk + found.national, "0" + found.national,
             f"+{found.calling_code}0{found.national}", "00" + held[1:], "011" + held[1:],
             found.national[1:], held[-7:], held[-6:], "+" + found.national, "1" + found.national]
        )
    )  # fmt: skip
    place = draw(st.integers(0, len(digits) - 1))
    change = draw(st.sampled_from(["", digits[place], "0", "9", "12"]))
    digits = digits[:place] + change + digits[place + 1 :]
    signs = draw(st.lists(st.sampled_from(["", "", " ", "-", "(", ")", ".", "/"]), max_size=8))
    for at, sign in enumerate(signs):
        digits = digits[: at * 2 + 1] + sign + digits[at * 2 + 1 :]
    return digits


@st.composite
def pairs_of_numbers(draw: st.DrawFn) -> tuple[str, str]:
    held = draw(canonical_numbers())
    return draw(numbers_like(held)), held


@settings(deadline=None, max_examples=500)
@given(pair=pairs_of_numbers())
@example(pair=("0820074191305", "+82820074191305"))
@example(pair=("875183037", "+37575183037"))
@example(pair=("009753925", "+8109753925"))
def test_looking_at_digits_and_knowing_every_number_plan_agree(pair: tuple[str, str]) -> None:
    sent, held = pair
    slowly = contacts._compare_readings(sent, held)
    for same in (sent, sent.translate(ARABIC_INDIC), sent.translate(FULL_WIDTH)):
        assert compare_phones(same, [held]).result is slowly.result


@settings(deadline=None)
@given(sent=st.text(max_size=40) | st.text("+0123456789 ()-x", max_size=40))
@example(sent="\ud800")
@example(sent="+")
@example(sent="(")
def test_any_text_can_be_compared_with_a_number(sent: str) -> None:
    held = ("+14155550132;ext=12", "+442079460958")
    found = compare_phones(sent, held)
    assert found.result in (MATCH, PARTIAL, NO)
    assert found.result is best_of(contacts._compare_readings(sent, one) for one in held).result


# E-mail addresses


@pytest.mark.parametrize(
    ("sent", "held", "why"),
    [
        ("amelia.whitfield@example.com", "amelia.whitfield@example.com", "exact"),
        ("Amelia.Whitfield@EXAMPLE.COM", "amelia.whitfield@example.com", "folded"),
        ("amelia.whitfield@example.com", "Amelia.Whitfield@Example.com", "folded"),
        (" amelia.whitfield@example.com. ", "amelia.whitfield@example.com", "folded"),
        ('"amelia.whitfield"@example.com', "amelia.whitfield@example.com", "folded"),
        ("ａｍｅｌｉａ＠ｅｘａｍｐｌｅ．ｃｏｍ", "amelia@example.com", "folded"),
        ("info@bücher.de", "info@xn--bcher-kva.de", "folded"),
        ("info@xn--bcher-kva.de", "info@BÜCHER.de", "folded"),
        ("Élodie@exemple.fr", "élodie@exemple.fr", "folded"),
        ("a.melia+shop@gmail.com", "amelia@googlemail.com", "provider"),
        ("amelia+shop@outlook.com", "amelia@outlook.com", "provider"),
        ("amelia@me.com", "amelia@icloud.com", "provider"),
        ("ameliaw@pm.me", "amelia.w@protonmail.com", "provider"),
        ("ivan-petrov@ya.ru", "ivan.petrov@yandex.ru", "provider"),
        ("nick-a@yahoo.com", "nick-b@yahoo.com", "provider"),
    ],
)
def test_the_same_mailbox_matches_however_it_is_written(sent: str, held: str, why: str) -> None:
    assert email(sent, held) == (MATCH, why)


@pytest.mark.parametrize(
    ("sent", "held", "why"),
    [
        ("amelia+shop@example.com", "amelia@example.com", "tag"),
        ("amelia+shop@example.com", "amelia+bank@example.com", "tag"),
        ("amelia@web.de", "amelia+bank@web.de", "tag"),
        ("nick@yahoo.com", "nick-shop@yahoo.com", "tag"),
        ("amelia.whitfeild@example.com", "amelia.whitfield@example.com", "typo"),
        ("amelia.whitfild@example.com", "amelia.whitfield@example.com", "typo"),
        ("amelia.whitfiield@example.com", "amelia.whitfield@example.com", "typo"),
        ("amelia.whitfueld@example.com", "amelia.whitfield@example.com", "typo"),
        ("ameliawhitfield@example.com", "amelia.whitfield@example.com", "typo"),
        ("amelia_whitfield@example.com", "amelia.whitfield@example.com", "typo"),
        ("a.meliawhitfeild@gmail.com", "ameliawhitfield@gmail.com", "typo"),
        ("amelia@exmaple.com", "amelia@example.com", "typo"),
        ("amelia@examle.com", "amelia@example.com", "typo"),
        ("amelia@example.con", "amelia@example.com", "typo"),
        ("amelia@gmial.com", "amelia@gmail.com", "typo"),
        ("amelia@gmal.com", "amelia@gmail.com", "typo"),
        ("amelia@gmail.co", "amelia@gmail.com", "typo"),
        ("amelia@hotmial.co.uk", "amelia@hotmail.co.uk", "typo"),
        ("amelia@yaho.com", "amelia@yahoo.com", "typo"),
    ],
)
def test_a_tag_or_one_slip_is_half_a_match(sent: str, held: str, why: str) -> None:
    assert email(sent, held) == (PARTIAL, why)
    assert email(held, sent) == (PARTIAL, why)


@pytest.mark.parametrize(
    ("sent", "held"),
    [
        ("a@example.com", "b@example.com"),
        ("ab@example.com", "a@example.com"),
        ("maria@example.com", "mario@example.com"),
        ("jsmith@example.com", "ksmith@example.com"),
        ("j.smithson@example.com", "k.smithson@example.com"),
        ("john.a.smith@example.com", "john.b.smith@example.com"),
        ("amelia.bwhitfield@example.com", "amelia.whitfield@example.com"),
        ("amelia1@example.com", "amelia2@example.com"),
        ("amelia1985@example.com", "amelia1986@example.com"),
        ("amelia198@example.com", "amelia1985@example.com"),
        ("amelia@example.com", "amelia1@example.com"),
        ("amelia@gmail.com", "amelia@ymail.com"),
        ("amelia@gmail.com", "amelia@mail.com"),
        ("amelia@gmail.com", "amelia@email.com"),
        ("amelia@mail.ru", "amelia@mail.de"),
        ("amelia@outlook.de", "amelia@outlook.dk"),
        ("amelia@hotmail.com", "amelia@outlook.com"),
        ("amelia@me.com", "amelia@pm.me"),
        ("amelia@firm.de", "amelia@firm.dk"),
        ("amelia@firm.co", "amelia@firm.com"),
        ("amelia@ab.com", "amelia@ac.com"),
        ("amelia@shop1.example.com", "amelia@shop2.example.com"),
        ("amelia@bücher.de", "amelia@bucher.de"),
        ("amelia@mail.example.com", "amelia@example.com"),
        ("amelia.whitfeild@exmaple.com", "amelia.whitfield@example.com"),
        ("amelia.whitfeeild@example.com", "amelia.whitfild@example.com"),
        ("ameila.whitfeild@example.com", "amelia.whitfield@example.com"),
        ('"amelia whitfield"@example.com', '"amelia whitfeild"@example.com'),
        ('"amelia+w x"@example.com', '"amelia+w y"@example.com'),
    ],
)
def test_what_may_be_another_person_s_mailbox_does_not_match(sent: str, held: str) -> None:
    assert email(sent, held) == (NO, "different")
    assert email(held, sent) == (NO, "different")


@pytest.mark.parametrize("sent", ["", "amelia", "amelia@", "amelia @example.com", "@example.com"])
def test_what_is_not_an_address_does_not_match(sent: str) -> None:
    assert email(sent, "amelia@example.com") == (NO, "unparsable")


def test_the_best_of_all_held_addresses_counts() -> None:
    held = ("someone@else.example", "amelia+bank@example.com", "amelia@example.com")
    assert email("Amelia@example.com", *held) == (MATCH, "folded")
    assert email("Amelia@example.com", *held[:2]) == (PARTIAL, "tag")
    assert email("Amelia@example.com", "not an address", held[0]) == (NO, "different")


locals_ = st.text("abe.-_+1", min_size=1, max_size=9)
domains = st.sampled_from(
    ["example.com", "exmaple.com", "gmail.com", "gmial.com", "googlemail.com", "mail.com",
     "yahoo.com", "ya.ru", "yandex.ru", "pm.me", "proton.me", "x.fastmail.com", "fastmail.com"]
)  # fmt: skip
addresses = st.builds("{}@{}".format, locals_, domains)


@st.composite
def pairs_of_addresses(draw: st.DrawFn) -> tuple[str, str]:
    held = draw(addresses)
    if draw(st.booleans()):
        return draw(addresses), held
    place = draw(st.integers(0, len(held)))
    gone = draw(st.integers(0, 2))
    return held[:place] + draw(st.text("aE.+-@", max_size=2)) + held[place + gone :], held


def by_the_validator(sent: str, held: str) -> Comparison:
    ours, theirs = emails._validate(sent.removesuffix(".")), emails._validate(held)
    if ours is None or theirs is None:
        return UNPARSABLE
    return contacts._compare_addresses(ours, theirs)


@settings(max_examples=500)
@given(pair=pairs_of_addresses())
def test_looking_at_characters_and_validating_agree(pair: tuple[str, str]) -> None:
    sent, held = pair
    if emails._validate(held) is not None:
        assert compare_emails(sent, [held]).result is by_the_validator(sent, held).result


@given(pair=pairs_of_addresses())
def test_it_does_not_matter_which_of_two_addresses_is_held(pair: tuple[str, str]) -> None:
    one, other = pair
    if emails.parse_email(one) and emails.parse_email(other):
        assert compare_emails(one, [other]).result is compare_emails(other, [one]).result


@given(sent=st.text(max_size=300))
@example(sent="\ud800@example.com")
@example(sent="@" * 254)
def test_any_text_can_be_compared_with_an_address(sent: str) -> None:
    assert compare_emails(sent, ["amelia@example.com"]).result in (MATCH, PARTIAL, NO)

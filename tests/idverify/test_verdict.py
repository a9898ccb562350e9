"""The decision: one result per attribute, one person, and every word for its own reason."""

from itertools import permutations, product
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gatehouse.idverify import verdict as verdict_module
from gatehouse.idverify.people import (
    ALL_IDENTIFIER_TYPES,
    Identifier,
    IdentifierType,
    OwnerType,
    Person,
    PersonName,
)
from gatehouse.idverify.response import NameResult, Result, VerificationLevel
from gatehouse.idverify.source import Holders
from gatehouse.idverify.verdict import IdentityVerdict, judge, level_of, unanswered
from tests.idverify.asking import ANN, BEN, ask, name

MATCH, PARTIAL_MATCH, NO_MATCH = Result.MATCH, Result.PARTIAL_MATCH, Result.NO_MATCH
UNKNOWN, NOT_PROCESSED, NOT_SUPPORTED = Result.UNKNOWN, Result.NOT_PROCESSED, Result.NOT_SUPPORTED
PASSPORT, TAX = IdentifierType.PASSPORT, IdentifierType.TAX
BOTH = Holders((ANN, BEN))


def parts(verdict: IdentityVerdict) -> list[Result]:
    """First, middle, last and whole."""
    assert verdict.finding.name is not None
    found = verdict.finding.name
    return [found.first.result, found.middle.result, found.last.result, found.whole.result]


def performed(verdict: IdentityVerdict) -> NameResult:
    assert verdict.finding.name is not None
    return verdict.finding.name.performed


def ids(verdict: IdentityVerdict) -> dict[str, str]:
    return {kind.value: found.result.value for kind, found in verdict.finding.identifiers.items()}


# ---- What each word means ----------------------------------------------------------------------


def test_what_was_not_sent_is_not_processed() -> None:
    verdict = judge(ask(), BOTH)
    assert verdict.finding.email.result is NOT_PROCESSED
    assert verdict.finding.phone.result is NOT_PROCESSED
    assert verdict.finding.name is None
    assert verdict.finding.identifiers == {}


def test_what_is_on_record_matches_or_does_not() -> None:
    sent = ask(email="ann@example.com", phone="+442079460958", name=name("Ann", "Archer"),
               ids={"PASSPORT": "543210987", "TAX": "1"})  # fmt: skip
    verdict = judge(sent, Holders((ANN,)))
    assert verdict.finding.email.result is MATCH
    assert verdict.finding.phone.result is NO_MATCH
    assert parts(verdict) == [MATCH, NOT_PROCESSED, MATCH, MATCH]
    assert performed(verdict) is NameResult.PERFORMED
    assert ids(verdict) == {"PASSPORT": "MATCH", "TAX": "NO_MATCH"}


def test_without_a_record_everything_sent_is_unknown() -> None:
    sent = ask(email="a@example.com", phone="+1", name=name("Ann", "Archer"), ids={"TAX": "1"})
    verdict = judge(sent, Holders())
    assert verdict.finding.email.result is UNKNOWN
    assert verdict.finding.phone.result is UNKNOWN
    assert parts(verdict) == [UNKNOWN, NOT_PROCESSED, UNKNOWN, UNKNOWN]
    assert performed(verdict) is NameResult.NOT_PERFORMED
    assert ids(verdict) == {"TAX": "UNKNOWN"}
    assert verdict.reasons == ("no_record",)
    assert (verdict.holders, verdict.chosen, verdict.owner_type) == (0, None, None)


def test_what_the_record_lacks_is_unknown() -> None:
    sent = ask(email="a@example.com", phone="+1", name=name("Ann", "Archer"), ids={"TAX": "1"})
    verdict = judge(sent, Holders((Person(),)))
    assert verdict.finding.email.result is UNKNOWN
    assert verdict.finding.phone.result is UNKNOWN
    assert parts(verdict) == [UNKNOWN, NOT_PROCESSED, UNKNOWN, UNKNOWN]
    assert performed(verdict) is NameResult.NOT_PERFORMED
    assert ids(verdict) == {"TAX": "UNKNOWN"}
    assert verdict.chosen == 1


@pytest.mark.parametrize("people", [(), (ANN,)])
def test_what_the_source_does_not_hold_is_not_supported(people: tuple[Person, ...]) -> None:
    limited = Holders(people, frozenset({PASSPORT}), holds_names=False)
    sent = ask(name=name("Ann", "Archer"), ids={"TAX": "987-65-4329", "PASSPORT": "543210987"})
    verdict = judge(sent, limited)
    assert parts(verdict) == [NOT_SUPPORTED, NOT_PROCESSED, NOT_SUPPORTED, NOT_SUPPORTED]
    assert performed(verdict) is NameResult.NOT_SUPPORTED
    assert ids(verdict) == {"PASSPORT": "MATCH" if people else "UNKNOWN", "TAX": "NOT_SUPPORTED"}


@pytest.mark.parametrize("holders", [BOTH, Holders(), Holders(holds_names=False)])
@pytest.mark.parametrize("sent", [{}, {"firstName": "Ann"}, {"lastName": None, "middleName": "M"}])
def test_without_a_last_name_names_are_not_compared(sent: dict[str, Any], holders: Holders) -> None:
    for verdict in (
        judge(ask(name=sent), holders),
        unanswered(ask(name=sent), UNKNOWN, "source_unavailable"),
    ):
        assert parts(verdict) == [NOT_PROCESSED] * 4
        assert performed(verdict) is NameResult.NOT_PERFORMED


def test_when_nobody_answers_all_that_was_sent_gets_one_word() -> None:
    sent = ask(phone="+1", name=name("Ann", "Archer"), ids={"TAX": "1"})
    verdict = unanswered(sent, UNKNOWN, "source_unavailable")
    assert verdict.finding.email.result is NOT_PROCESSED
    assert verdict.finding.phone.result is UNKNOWN
    assert parts(verdict) == [UNKNOWN, NOT_PROCESSED, UNKNOWN, UNKNOWN]
    assert performed(verdict) is NameResult.NOT_PERFORMED
    assert ids(verdict) == {"TAX": "UNKNOWN"}
    assert verdict.reasons == ("source_unavailable",)
    assert not verdict.wrong_identifier


# ---- Whose results they are --------------------------------------------------------------------


def test_any_of_a_persons_values_may_match() -> None:
    twice = Person(
        identifiers=(Identifier(PASSPORT, "A0000001"), Identifier(PASSPORT, "B0000002")),
        phones=("+14155550132", "+442079460958"),
        emails=ANN.emails,
        names=BEN.names,
    )
    sent = ask(email="archer@example.org", phone="+442079460958", name=name("Ben", "Baker"),
               ids={"PASSPORT": "B0000002"})  # fmt: skip
    verdict = judge(sent, Holders((twice,)))
    assert verdict.finding.email.result is verdict.finding.phone.result is MATCH
    assert parts(verdict) == [MATCH, NOT_PROCESSED, MATCH, MATCH]
    assert ids(verdict) == {"PASSPORT": "MATCH"}
    assert not verdict.wrong_identifier


def test_the_person_with_the_most_matches_is_the_answer() -> None:
    sent = ask(email="ben@example.com", phone="+442079460958", ids={"PASSPORT": "543210987"})
    for holders in (BOTH, Holders((BEN, ANN))):
        verdict = judge(sent, holders)
        assert verdict.owner_type is OwnerType.SECONDARY
        assert verdict.finding.phone.result is verdict.finding.email.result is MATCH
        assert ids(verdict) == {"PASSPORT": "UNKNOWN"}, "Ben has no passport; Ann's is not mixed in"
    assert verdict.chosen == 1
    assert judge(sent, BOTH).chosen == 2


def test_a_name_counts_once_and_its_parts_only_between_equals() -> None:
    by_name = ask(email="ben@example.com", phone="+442079460958", name=name("Ann", "Archer"))
    assert judge(by_name, BOTH).owner_type is OwnerType.SECONDARY, "two attributes beat one"
    by_last_name = ask(name=name("Ben", "Archer-Nobody"))
    assert judge(by_last_name, BOTH).owner_type is OwnerType.SECONDARY, "the first name decides"


def test_between_equals_the_primary_holder_comes_first_and_then_the_first_named() -> None:
    sent = ask(email="nobody@example.com")
    assert judge(sent, Holders((BEN, ANN))).owner_type is OwnerType.PRIMARY
    assert judge(sent, Holders((BEN, BEN))).chosen == 1


def test_whether_all_holders_are_compared_makes_no_difference(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Whoever fits in everything is answered for at once; comparing the others changes nothing."""
    twin = msgspec.structs.replace(ANN, owner_type=OwnerType.SECONDARY)
    nameless = msgspec.structs.replace(ANN, names=())
    orders = list(permutations((ANN, BEN, twin, nameless)))
    texts = (None, "ann@example.com", "ben@example.com")
    names = (None, name("Ann", "Archer"), {"lastName": "Archer"}, {"firstName": "Ben"})
    identifiers = (None, {"PASSPORT": "543210987"}, {"TAX": "1", "DRIVERLICENSE": "D1234562"})
    requests = [ask(email=e, name=n, ids=i) for e, n, i in product(texts, names, identifiers)]
    cases = [
        (request, Holders(people, types))
        for request, people in product(requests, orders)
        for types in (ALL_IDENTIFIER_TYPES, frozenset({TAX}))
    ]
    quickly = [judge(*case) for case in cases]
    monkeypatch.setattr(verdict_module, "_fits_in_everything", lambda finding: False)
    assert quickly == [judge(*case) for case in cases]


@pytest.mark.parametrize(
    ("owner", "chosen"),
    [("PRIMARY", 1), ("SECONDARY", 2), ("primary", 2), ("JOINT", 2), ("", 2), (None, 2)],
)
def test_the_wanted_kind_of_holder_is_the_only_one_compared(owner: str, chosen: int) -> None:
    sent = ask(email="ben@example.com", name=name("Ben", "Archer", owner))
    verdict = judge(sent, BOTH)
    assert verdict.chosen == chosen
    assert (verdict.finding.email.result is MATCH) is (chosen == 2)


def test_without_a_holder_of_the_wanted_kind_it_is_as_without_a_record() -> None:
    sent = ask(email="ann@example.com", name=name("Ann", "Archer", "SECONDARY"))
    verdict = judge(sent, Holders((ANN,)))
    assert verdict.finding.email.result is UNKNOWN
    assert parts(verdict) == [UNKNOWN, NOT_PROCESSED, UNKNOWN, UNKNOWN]
    assert verdict.reasons == ("no_such_holder",)
    assert (verdict.holders, verdict.chosen) == (1, None)


VALUES = {
    "email": ("ann@example.com", "ben@example.com", "nobody@example.com"),
    "phone": ("+14155550132", "+442079460958", "+34612345678"),
    "ids": ({"PASSPORT": "543210987"}, {"DRIVERLICENSE": "D1234562"}, {"TAX": "1"}),
    "name": (name("Ann", "Archer"), name("Ben", "Baker"), name("Zoe", "Zed")),
}
requests = st.fixed_dictionaries({}, optional={k: st.sampled_from(v) for k, v in VALUES.items()})


@given(requests, st.permutations([ANN, BEN, Person(OwnerType.SECONDARY, emails=ANN.emails)]))
def test_the_results_are_always_those_of_one_person(
    fields: dict[str, Any], people: list[Person]
) -> None:
    request = ask(**fields)
    verdict = judge(request, Holders(tuple(people)))
    assert verdict.chosen is not None
    alone = judge(request, Holders((people[verdict.chosen - 1],)))
    assert verdict.finding == alone.finding

    def matches(each: IdentityVerdict) -> int:
        found = [each.finding.email, each.finding.phone, *each.finding.identifiers.values()]
        whole = [each.finding.name.whole.result] if each.finding.name else []
        return [*(one.result for one in found), *whole].count(MATCH)

    assert all(matches(judge(request, Holders((one,)))) <= matches(verdict) for one in people)


# ---- Guesses -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fields", "wrong"),
    [
        ({"ids": {"PASSPORT": "000000000"}}, True),
        ({"ids": {"PASSPORT": "543210987", "TAX": "1"}}, True),
        ({"ids": {"PASSPORT": "543210987"}}, False),
        ({"ids": {"NATIONALIDENTITY": "1"}}, False),
        ({"email": "wrong@example.com", "phone": "+1", "name": name("No", "Body")}, False),
        # Ben has no passport; beside his true contacts one could otherwise guess at Ann's.
        ({"email": "ben@example.com", "ids": {"PASSPORT": "000000000"}}, True),
    ],
)
def test_an_identifier_that_is_on_record_otherwise_may_be_a_guess(
    fields: dict[str, Any], wrong: bool
) -> None:
    assert judge(ask(**fields), BOTH).wrong_identifier is wrong


# ---- The level ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fields", "level"),
    [
        ({}, VerificationLevel.MINIMAL),
        ({"name": {}, "ids": {}}, VerificationLevel.MINIMAL),
        ({"name": {"ownerType": "PRIMARY"}}, VerificationLevel.MINIMAL),
        ({"email": "a@b.example"}, VerificationLevel.PARTIAL),
        ({"phone": "+1"}, VerificationLevel.PARTIAL),
        ({"name": {"firstName": "Ann"}}, VerificationLevel.PARTIAL),
        (
            {"email": "a@b.example", "phone": "+1", "name": name("A", "B")},
            VerificationLevel.PARTIAL,
        ),
        ({"ids": {"TAX": "1"}}, VerificationLevel.PARTIAL),
        ({"ids": {"TAX": "1", "PASSPORT": "2"}}, VerificationLevel.PARTIAL),
        ({"ids": {"TAX": "1"}, "name": {"ownerType": "PRIMARY"}}, VerificationLevel.PARTIAL),
        ({"ids": {"TAX": "1"}, "email": "a@b.example"}, VerificationLevel.FULL),
        ({"ids": {"TAX": "1"}, "phone": "+1"}, VerificationLevel.FULL),
        ({"ids": {"TAX": "1"}, "name": name(None, "B")}, VerificationLevel.FULL),
    ],
)
def test_the_level_says_how_much_was_given(
    fields: dict[str, Any], level: VerificationLevel
) -> None:
    assert level_of(ask(**fields)) is level


def test_a_maiden_name_counts_as_the_persons_own() -> None:
    assert parts(judge(ask(name=name("Ben", "Baker")), Holders((BEN,)))) == [
        MATCH,
        NOT_PROCESSED,
        MATCH,
        MATCH,
    ]
    unmarried = Person(names=(PersonName("Archer", "Ben"),))
    assert parts(judge(ask(name=name("Ben", "Baker")), Holders((unmarried,))))[2] is NO_MATCH

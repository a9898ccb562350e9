"""ID Verify as a stage: whom it asks, when it does not, and what it leaves in the record."""

import asyncio
import itertools
import json
from typing import Any

import msgspec
import pytest

from gatehouse.core.cards.numbers import KeptCard, MaskedCard
from gatehouse.core.errors import ConnectorFailed
from gatehouse.core.stages.case import Case, StageResult, ValuesByType
from gatehouse.idverify.payee import MOST_NAMES
from gatehouse.idverify.people import IdentifierType, OwnerType, Person, PersonName
from gatehouse.idverify.request import IdVerifyRequest
from gatehouse.idverify.response import NameResult, Result
from gatehouse.idverify.source import HolderResults, Holders, IdentityEnquiry
from gatehouse.idverify.stage import IdVerifyStage, judge_in_turns
from gatehouse.idverify.verdict import MOST_COMPARED, judge
from tests.idverify.asking import ANN, BEN, ask, name

NOW_MS = 1_767_225_600_000  # the first moment of 2026
EVERYTHING = {
    "email": "Ann@Example.com",
    "phone": "+1 (415) 555-0132",
    "name": name("Ann", "Archer", "PRIMARY"),
    "ids": {"PASSPORT": "543210987", "TAX": "987-65-4329"},
}


class PlaySource:
    """Answers what it was given, and remembers what it was asked."""

    def __init__(self, holders: Holders | HolderResults | None = None) -> None:
        self.holders = holders or Holders((ANN, BEN))
        self.asked: list[IdentityEnquiry] = []

    async def find(self, enquiry: IdentityEnquiry) -> Holders | HolderResults:
        self.asked.append(enquiry)
        return self.holders


def case_of(request: IdVerifyRequest) -> Case:
    kept = KeptCard("VISA", "42424242", "4242", "2035-12", None, None, None, "card1_x")
    return Case(
        "req_1", "acct_1", NOW_MS, ValuesByType.of(request), card=MaskedCard(kept, "fp1_abc")
    )


def run(request: IdVerifyRequest, source: PlaySource | None = None, **marks: bool) -> StageResult:
    case = case_of(request)
    for mark, value in marks.items():
        setattr(case, mark, value)
    return asyncio.run(IdVerifyStage(source or PlaySource(), time_limit_ms=100).run(case))


def answer(result: StageResult) -> dict[str, Any]:
    found: dict[str, Any] = msgspec.to_builtins(result.response)
    return found


def test_the_source_is_asked_by_number_and_fingerprint() -> None:
    source = PlaySource()
    run(ask(), source)
    [enquiry] = source.asked
    assert (enquiry.request_id, enquiry.account_id) == ("req_1", "acct_1")
    assert enquiry.number.reveal() == "4242424242424242"
    assert enquiry.fingerprint == "fp1_abc"
    assert "4242424242424242" not in repr(enquiry)


def test_the_answer_has_the_documented_fields_in_their_order() -> None:
    result = run(ask(**EVERYTHING))
    assert result.completed
    assert not result.mismatched
    found = answer(result)
    assert list(found) == [
        "cardHolderEmailAddressVerificationResults",
        "cardHolderPhoneNumberVerificationResults",
        "cardHolderNameVerificationResult",
        "idVerification",
        "verificationLevel",
    ]
    assert found["cardHolderNameVerificationResult"] == {
        "firstNameAccountMatchDecision": "MATCH",
        "middleNameAccountMatchDecision": "NOT_PROCESSED",
        "lastNameAccountMatchDecision": "MATCH",
        "nameMatchDecision": "MATCH",
        "nameResult": "PERFORMED",
    }
    assert found["idVerification"] == {"PASSPORT": "MATCH", "TAX": "MATCH"}
    assert found["verificationLevel"] == "FULL"


def test_the_name_object_is_there_only_when_a_name_was_sent() -> None:
    assert "cardHolderNameVerificationResult" not in answer(run(ask()))
    assert "cardHolderNameVerificationResult" in answer(run(ask(name={})))
    assert answer(run(ask()))["idVerification"] == {}


def test_the_record_says_why_and_about_whom_but_holds_no_value() -> None:
    facts = run(ask(**EVERYTHING)).facts
    assert {key: facts[key] for key in answer(run(ask(**EVERYTHING)))} == answer(
        run(ask(**EVERYTHING))
    )
    assert set(facts["why"]) == {
        "email", "phone", "firstName", "lastName", "name", "PASSPORT", "TAX"
    }  # fmt: skip
    assert facts["why"]["lastName"] == "exact"
    assert (facts["holders"], facts["holder"], facts["ownerType"]) == (2, 1, "PRIMARY")
    assert (facts["emailDomain"], facts["phoneCountry"]) == ("example.com", "US")
    assert facts["reasons"] == []
    kept = json.dumps(facts).lower()
    for value in ("ann@", "archer", "0132", "543210987", "987-65-4329", "4329"):
        assert value not in kept


def test_what_cannot_be_read_leaves_nothing_of_itself() -> None:
    facts = run(ask(email="4242424242424242", phone="call me: Ann")).facts
    assert "emailDomain" not in facts
    assert "phoneCountry" not in facts
    assert facts["why"] == {"email": "unparsable", "phone": "unparsable"}


def test_a_card_number_in_a_domain_is_not_kept() -> None:
    facts = run(ask(email="ann@4242424242424242.example")).facts
    assert facts["emailDomain"] == "[card].example"


def test_a_card_without_a_record_is_a_truthful_answer_and_costs() -> None:
    result = run(ask(**EVERYTHING), PlaySource(Holders()))
    assert result.completed
    assert not result.mismatched
    assert answer(result)["idVerification"] == {"PASSPORT": "UNKNOWN", "TAX": "UNKNOWN"}
    assert result.facts["reasons"] == ["no_record"]
    assert (result.facts["holders"], result.facts["holder"]) == (0, None)


def test_an_expired_card_is_compared_all_the_same() -> None:
    for month, reasons in (("2025-11", ["card_expired"]), ("2025-12", [])):
        # At the turn of the year December is not yet over everywhere on Earth.
        result = run(ask(**EVERYTHING, cardExpiryDate=month))
        assert answer(result)["cardHolderEmailAddressVerificationResults"] == "MATCH"
        assert result.facts["reasons"] == reasons


def test_when_the_source_is_unavailable_nothing_is_known_and_nothing_charged() -> None:
    late = IdVerifyStage(PlaySource(), time_limit_ms=100)
    result = late.unavailable(case_of(ask(**EVERYTHING)))
    assert not result.completed
    assert not result.mismatched
    found = answer(result)
    assert found["cardHolderEmailAddressVerificationResults"] == "UNKNOWN"
    assert found["cardHolderPhoneNumberVerificationResults"] == "UNKNOWN"
    assert found["cardHolderNameVerificationResult"]["nameMatchDecision"] == "UNKNOWN"
    assert found["cardHolderNameVerificationResult"]["nameResult"] == "NOT_PERFORMED"
    assert found["idVerification"] == {"PASSPORT": "UNKNOWN", "TAX": "UNKNOWN"}
    assert found["verificationLevel"] == "FULL"
    assert result.facts["reasons"] == ["source_unavailable"]


def test_a_source_that_fails_says_so_to_the_engine() -> None:
    class Failing(PlaySource):
        async def find(self, enquiry: IdentityEnquiry) -> Holders:
            raise ConnectorFailed("gone")

    with pytest.raises(ConnectorFailed):
        run(ask(), Failing())


@pytest.mark.parametrize(
    ("mark", "completed", "reason"),
    [
        ("guess_limit_reached", True, "too_many_wrong_identifiers"),
        ("guess_limit_at_risk", False, "too_many_at_once"),
    ],
)
def test_after_too_many_guesses_nobody_is_asked(mark: str, completed: bool, reason: str) -> None:
    source = PlaySource()
    result = run(ask(**EVERYTHING), source, **{mark: True})
    assert source.asked == []
    assert result.completed is completed
    assert not result.mismatched
    found = answer(result)
    assert found["cardHolderEmailAddressVerificationResults"] == "NOT_PROCESSED"
    assert found["cardHolderPhoneNumberVerificationResults"] == "NOT_PROCESSED"
    assert set(found["cardHolderNameVerificationResult"].values()) == {
        "NOT_PROCESSED",
        "NOT_PERFORMED",
    }
    assert found["idVerification"] == {"PASSPORT": "NOT_PROCESSED", "TAX": "NOT_PROCESSED"}
    assert result.facts["reasons"] == [reason]


def test_who_sends_no_identifier_guesses_at_none() -> None:
    source = PlaySource()
    assert not ask(email="ann@example.com", ids={}).card().guessable
    result = run(
        ask(email="ann@example.com"), source, guess_limit_reached=True, guess_limit_at_risk=True
    )
    assert len(source.asked) == 1
    assert answer(result)["cardHolderEmailAddressVerificationResults"] == "MATCH"


def test_a_wrong_identifier_counts_as_a_guess() -> None:
    assert run(ask(ids={"PASSPORT": "000000000"})).mismatched
    assert not run(ask(email="wrong@example.com", name=name("No", "Body"))).mismatched


def _crowd() -> Holders:
    """The most that our records can hold of one card: each name is long and unlike the request."""
    sounds = itertools.cycle(f"{a}{b}{c}" for a in "bdkmnprst" for b in "aeio" for c in "lnrt")

    def part() -> str:
        return " ".join([next(sounds) + next(sounds) for _ in range(9)])

    names = [[PersonName(part(), part(), part()) for _ in range(16)] for _ in range(32)]
    return Holders(tuple(Person(OwnerType.SECONDARY, names=tuple(each)) for each in names))


def test_a_card_with_many_holders_is_compared_in_turns_with_other_requests() -> None:
    long = " ".join(["korin", "tasel", "minot", "beral"] * 2)
    sent = {"firstName": long, "middleName": long, "lastName": long}
    holders = _crowd()

    async def turns() -> int:
        """How often the event loop could turn to others."""
        work = asyncio.ensure_future(judge_in_turns(ask(name=sent), holders))
        count = 0
        while not work.done():
            await asyncio.sleep(0)
            count += 1
        assert work.result() == judge(ask(name=sent), holders)
        return count

    assert asyncio.run(turns()) > 500  # of 512 names


def test_a_payee_is_compared_in_turns_too() -> None:
    case, stage = (
        case_of(ask(payeeName="korin tasel")),
        IdVerifyStage(PlaySource(_crowd()), time_limit_ms=100),
    )

    async def turns() -> int:
        work = asyncio.ensure_future(stage.run(case))
        count = 0
        while not work.done():
            await asyncio.sleep(0)
            count += 1
        assert answer(work.result())["payeeMatch"] == "NMTC"
        return count

    assert asyncio.run(turns()) > MOST_NAMES


def test_only_so_many_holders_are_compared() -> None:
    stranger = Person(OwnerType.SECONDARY, emails=("no@example.com",))
    crowd = [stranger] * MOST_COMPARED
    found = judge(ask(email="ann@example.com"), Holders((*crowd, ANN)))
    assert found.finding.email.result is Result.MATCH  # a PRIMARY holder comes first
    late = msgspec.structs.replace(ANN, owner_type=OwnerType.SECONDARY)
    found = judge(ask(email="ann@example.com"), Holders((*crowd, late)))
    assert found.finding.email.result is Result.NO_MATCH
    assert found.holders == MOST_COMPARED + 1


COMPARED = HolderResults(
    email=Result.MATCH,
    first_name=Result.PARTIAL_MATCH,
    last_name=Result.MATCH,
    name=Result.PARTIAL_MATCH,
    name_result=NameResult.PERFORMED,
    identifiers={IdentifierType.PASSPORT: Result.NO_MATCH},
)


def test_what_a_source_compared_by_itself_is_the_answer() -> None:
    result = run(ask(**EVERYTHING), PlaySource(COMPARED))
    found = answer(result)
    assert found["cardHolderEmailAddressVerificationResults"] == "MATCH"
    assert found["cardHolderPhoneNumberVerificationResults"] == "UNKNOWN"
    assert found["cardHolderNameVerificationResult"] == {
        "firstNameAccountMatchDecision": "PARTIAL_MATCH",
        "middleNameAccountMatchDecision": "NOT_PROCESSED",
        "lastNameAccountMatchDecision": "MATCH",
        "nameMatchDecision": "PARTIAL_MATCH",
        "nameResult": "PERFORMED",
    }
    assert found["idVerification"] == {"PASSPORT": "NO_MATCH", "TAX": "UNKNOWN"}
    assert result.completed
    assert result.mismatched


@pytest.mark.parametrize(
    ("said", "part"),
    [(NameResult.NOT_SUPPORTED, "NOT_SUPPORTED"), (NameResult.NOT_PERFORMED, "UNKNOWN")],
)
def test_a_source_that_compares_no_names_says_so(said: NameResult, part: str) -> None:
    result = run(ask(name=name("Ann", "Archer")), PlaySource(HolderResults(name_result=said)))
    found = answer(result)["cardHolderNameVerificationResult"]
    assert (found["nameResult"], found["lastNameAccountMatchDecision"]) == (said, part)


def test_nobody_is_asked_when_the_issuer_has_compared_already() -> None:
    source, case = PlaySource(), case_of(ask(**EVERYTHING))
    case.answered[HolderResults] = COMPARED
    result = asyncio.run(IdVerifyStage(source, time_limit_ms=100).run(case))
    assert source.asked == []
    assert answer(result)["cardHolderEmailAddressVerificationResults"] == "MATCH"


def test_what_the_issuer_said_of_another_card_does_not_count() -> None:
    source, case = PlaySource(), case_of(ask(**EVERYTHING))
    case.answered[HolderResults] = COMPARED
    assert case.card is not None
    case.other_cards = {IdVerifyStage.name: case.card}
    asyncio.run(IdVerifyStage(source, time_limit_ms=100).run(case))
    assert len(source.asked) == 1

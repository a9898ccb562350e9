"""From letters and codes to advice: the tables, row by row."""

import pytest

from gatehouse.precheck.advice import Sent, judge, without_issuer
from gatehouse.precheck.issuer import IssuerAnswer
from gatehouse.precheck.networks import read_avs, read_cvv2, read_response_code
from gatehouse.precheck.policy import PreCheckPolicy
from gatehouse.precheck.response import Advice, AvsResult, Cvv2Result

BOTH = Sent(address=True, code=True)

AVS = {
    "VISA": {
        "YDFMX": "FULL_MATCH",
        "AB": "STREET_MATCH",
        "ZWP": "POSTCODE_MATCH",
        "N": "NO_MATCH",
        "CIGUSEO": "UNVERIFIABLE",
        "R": "RETRY",
        "?": "UNKNOWN",
    },
    "AMEX": {
        "YEM": "FULL_MATCH",
        "AFO": "STREET_MATCH",
        "ZDL": "POSTCODE_MATCH",
        "NKW": "NO_MATCH",
        "US": "UNVERIFIABLE",
        "R": "RETRY",
    },
    "DISCOVER": {"A": "FULL_MATCH", "Y": "STREET_MATCH", "Z": "POSTCODE_MATCH", "N": "NO_MATCH"},
}


@pytest.mark.parametrize(
    ("brand", "letter", "word"),
    [(b, letter, w) for b, rows in AVS.items() for ls, w in rows.items() for letter in ls],
)
def test_avs_letters_mean_what_the_brand_says(brand: str, letter: str, word: str) -> None:
    assert read_avs(brand, letter) == word


def test_mastercard_and_unknown_brands_use_the_common_letters() -> None:
    assert read_avs("MASTERCARD", "A") is AvsResult.STREET_MATCH
    assert read_avs(None, "Y") is AvsResult.FULL_MATCH


@pytest.mark.parametrize(
    ("letters", "word"),
    [("M", "MATCH"), ("N", "NO_MATCH"), ("P", "NOT_PROCESSED"), ("S", "NOT_PROVIDED"),
     ("UX", "UNVERIFIABLE"), ("IED?", "UNKNOWN")],
)  # fmt: skip
def test_cvv2_letters_mean_what_the_networks_say(letters: str, word: str) -> None:
    assert [read_cvv2(letter) for letter in letters] == [word] * len(letters)


@pytest.mark.parametrize(
    ("codes", "advice"),
    [
        ("00 85", "ACCEPT"),
        ("05 51 57 61 62 65 01 99", "DECLINE"),
        ("06 19 68 91 92 96", "RETRY"),
        ("04 07 34 41 43 59", "FRAUD"),
        ("12 13 14 15 30 54 55 82", "INPUT_ERROR"),
    ],
)
def test_response_codes_become_advice(codes: str, advice: str) -> None:
    assert {read_response_code(code)[0].value for code in codes.split()} == {advice}


def test_an_approval_with_a_wrong_code_is_declined_by_default() -> None:
    verdict = judge(IssuerAnswer("00", "Y", "N"), BOTH, "VISA", PreCheckPolicy())
    assert (verdict.advice, verdict.reasons) == (Advice.DECLINE, ["cvv2_no_match"])


def test_a_wrong_address_alone_does_not_change_an_approval() -> None:
    verdict = judge(IssuerAnswer("00", "N", "M"), BOTH, "VISA", PreCheckPolicy())
    assert (verdict.advice, verdict.avs) == (Advice.ACCEPT, AvsResult.NO_MATCH)


def test_an_account_can_want_more_or_less() -> None:
    strict = PreCheckPolicy(avs={AvsResult.NO_MATCH: Advice.FRAUD})
    verdict = judge(IssuerAnswer("00", "N", "N"), BOTH, "VISA", strict)
    assert (verdict.advice, verdict.reasons) == (Advice.FRAUD, ["avs_no_match", "cvv2_no_match"])
    lenient = PreCheckPolicy(cvv2={})
    assert judge(IssuerAnswer("00", "N", "N"), BOTH, "VISA", lenient).advice is Advice.ACCEPT


def test_the_policy_never_softens_a_refusal() -> None:
    lenient = PreCheckPolicy(cvv2={Cvv2Result.MATCH: Advice.ACCEPT})
    assert judge(IssuerAnswer("05", "Y", "M"), BOTH, "VISA", lenient).advice is Advice.DECLINE


def test_an_issuer_that_refuses_the_code_leaves_the_decision_to_the_policy() -> None:
    answer = IssuerAnswer("N7", "Y", "M")
    verdict = judge(answer, BOTH, "VISA", PreCheckPolicy())
    assert (verdict.advice, verdict.cvv2) == (Advice.DECLINE, Cvv2Result.NO_MATCH)
    assert judge(answer, BOTH, "VISA", PreCheckPolicy(cvv2={})).advice is Advice.ACCEPT


def test_what_was_not_sent_is_not_provided_whatever_the_issuer_says() -> None:
    verdict = judge(IssuerAnswer("00", "Y", "M"), Sent(False, False), "VISA", PreCheckPolicy())
    assert (verdict.avs, verdict.cvv2) == (AvsResult.NOT_PROVIDED, Cvv2Result.NOT_PROVIDED)


def test_without_an_issuer_nothing_is_verified() -> None:
    verdict = without_issuer(Advice.RETRY, "issuer_unavailable", BOTH)
    assert (verdict.avs, verdict.cvv2) == (AvsResult.UNVERIFIABLE, Cvv2Result.NOT_PROCESSED)

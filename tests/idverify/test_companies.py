"""The names of companies: what is the same, what comes close, and what is another company."""

import asyncio
import tomllib
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gatehouse.core.cards.numbers import KeptCard, MaskedCard
from gatehouse.core.stages.case import Case, ValuesByType
from gatehouse.idverify.names import (
    LegalForm,
    compare_company_names,
    compare_person_names,
    legal_form,
)
from gatehouse.idverify.payee import verify_payee
from gatehouse.idverify.people import Person, PersonName
from gatehouse.idverify.response import PayeeMatch, Result
from gatehouse.idverify.source import HolderResults, Holders
from gatehouse.idverify.stage import IdVerifyStage
from tests.idverify.asking import ANN, ask

SAME = [
    ("Acme GmbH", "ACME Ges.m.b.H."),
    ("Acme GmbH", "Acme"),
    ("Müller & Söhne OHG", "Mueller und Soehne oHG"),
    ("株式会社トヨタ", "トヨタ"),
    ("ООО «Ромашка»", "Romashka LLC"),
    ("Société Générale S.A.", "SOCIETE GENERALE SA"),
    ("Intl Paper Co", "International Paper Company"),
    ("Three Brothers Ltd", "3 Bros. Limited"),
    ("Amazon EU S.à r.l.", "Amazon EU SARL"),
    ("Facebook Inc", "Face Book, Inc."),
    ("Marks & Spencer plc", "Marks and Spencer P.L.C."),
    ("H&M Hennes & Mauritz AB", "H & M Hennes och Mauritz"),
    ("B. Braun Melsungen AG", "B Braun Melsungen"),
    ("PT Bank Mandiri Tbk", "Bank Mandiri"),
    ("삼성전자 주식회사", "삼성전자"),
    ("华为技术有限公司", "华为技术"),
    ("AB Volvo", "Volvo AB"),
    ("7-Eleven Inc", "Seven Eleven"),
    ("شركة المراعي", "المراعي"),
]
CLOSE = [
    ("Acme GmbH", "Acme AG"),
    ("Acme GmbH & Co. KG", "Acme GmbH"),
    ("International Business Machines Corporation", "IBM Corp."),
    ("Bosch Group", "Bosch"),
    ("Microsft Corporation", "Microsoft Corp"),
    ("John Smith Plumbing Ltd t/a QuickFix", "QuickFix"),
    ("Marks & Spencer plc", "Spencer & Marks plc"),
    ("Societe Generale de Surveillance Holding", "Societe Generale de Surveilla"),
]
OTHER = [
    ("Siemens AG", "Siemens Energy AG"),
    ("Studio 54 Ltd", "Studio 55 Ltd"),
    ("Deutsche Bank AG", "Deutsche Bahn AG"),
    ("Apple Inc", "Apple Leisure Inc"),
    ("GmbH", "AG"),
    ("", "Acme GmbH"),
]


@pytest.mark.parametrize(
    ("left", "right", "wanted"),
    [
        *((one, other, Result.MATCH) for one, other in SAME),
        *((one, other, Result.PARTIAL_MATCH) for one, other in CLOSE),
        *((one, other, Result.NO_MATCH) for one, other in OTHER),
    ],
)
def test_two_names_are_of_one_company(left: str, right: str, wanted: Result) -> None:
    assert compare_company_names(left, right).decision is wanted
    assert compare_company_names(right, left).decision is wanted


@pytest.mark.parametrize("name", ["Acme Sp. z o.o.", "Acme, Inc.", "Acme Pty Ltd", "OÜ Acme"])
def test_a_legal_form_tells_a_company(name: str) -> None:
    assert legal_form(name) is LegalForm.CERTAIN
    assert legal_form("Amelia Whitfield") is LegalForm.NONE


def test_no_ordinary_name_of_a_person_is_certainly_a_company() -> None:
    scripts = tomllib.loads(Path(__file__).with_name("people.toml").read_text(encoding="utf-8"))
    names = [
        name
        for listed in scripts.values()
        for given_name in listed["given"].split()
        for family in listed["family"].split()
        for name in (f"{given_name} {family}", f"{family} {given_name}".upper())
    ]
    assert len(scripts) == 12
    assert len(names) > 5_000
    companies = [name for name in names if legal_form(name) is LegalForm.CERTAIN]
    assert companies == []


@pytest.mark.parametrize(
    ("payee", "held", "wanted"),
    [
        ("Мария Петрова", "Мария Ивановна Петрова", PayeeMatch.CLOSE_MATCH),
        ("Пётр Адамов", "Пётр Ильич Адамов", PayeeMatch.CLOSE_MATCH),
        ("Светлана Патрикеева", "Светлана Патрикеева", PayeeMatch.MATCH),
        ("Елизавета Зотова", "Elizaveta Zotova", PayeeMatch.MATCH),
        ("Ana Sá", "Ana Maria Sá", PayeeMatch.CLOSE_MATCH),
        ("ANA SA", "Ana Maria Sá", PayeeMatch.CLOSE_MATCH),
        ("Ip Man", "Man Ip", PayeeMatch.MATCH),
        ("Nestlé SA", "Nestle S.A.", PayeeMatch.MATCH),
        ("NESTLE SA", "Nestlé", PayeeMatch.MATCH),
        ("Ana S.A.", "Ana Maria Sá", PayeeMatch.NO_MATCH),
    ],
)
def test_a_legal_form_is_a_word_of_its_own(payee: str, held: str, wanted: PayeeMatch) -> None:
    holder = Person(names=(PersonName(None, None, held),))
    assert asyncio.run(verify_payee(payee, Holders((holder,)))) is wanted


@given(st.text(max_size=300), st.text(max_size=300))
def test_any_two_texts_compare_alike_both_ways(left: str, right: str) -> None:
    there = compare_company_names(left, right).decision
    assert there is compare_company_names(right, left).decision


def test_a_company_holds_a_card_under_its_name() -> None:
    verdict = compare_person_names(PersonName("Acme GmbH"), PersonName("ACME Ges.m.b.H."))
    assert verdict.whole.result is Result.MATCH
    other = compare_person_names(PersonName("Acme GmbH"), PersonName("Acme Bau GmbH"))
    assert other.whole.result is Result.NO_MATCH


@pytest.mark.parametrize(
    ("payee", "wanted"),
    [
        ("ann archer", PayeeMatch.MATCH),
        ("Whitfield and Sons Limited", PayeeMatch.MATCH),
        ("Anne Archer", PayeeMatch.CLOSE_MATCH),
        ("Whitfield & Sons plc", PayeeMatch.CLOSE_MATCH),
        ("Whitfield & Daughters Ltd", PayeeMatch.NO_MATCH),
        ("A", PayeeMatch.NO_MATCH),
        ("A. A.", PayeeMatch.NO_MATCH),
        ("x t/a y a", PayeeMatch.NO_MATCH),
    ],
)
def test_any_holder_suffices_for_a_payee(payee: str, wanted: PayeeMatch) -> None:
    company = Person(names=(PersonName("Whitfield & Sons Ltd"),))
    assert asyncio.run(verify_payee(payee, Holders((company, ANN)))) is wanted


@pytest.mark.parametrize(
    "answer", [HolderResults(name=Result.MATCH), Holders(), Holders((Person(),))]
)
def test_a_payee_that_cannot_be_compared_is_said_to_be_so(
    answer: Holders | HolderResults,
) -> None:
    assert asyncio.run(verify_payee("Ann Archer", answer)) is PayeeMatch.NOT_POSSIBLE


def test_the_answer_has_a_payee_only_where_one_was_sent_and_never_a_name_on_record() -> None:
    class Source:
        async def find(self, _enquiry: object) -> Holders:
            return Holders((ANN,))

    def found(**fields: str) -> dict[str, object]:
        kept = KeptCard("VISA", "42424242", "4242", "2035-12", None, None, None, "card1_x")
        card = MaskedCard(kept, "fp1_abc")
        case = Case("req_1", "acct_1", 0, ValuesByType.of(ask(**fields)), card=card)
        result = asyncio.run(IdVerifyStage(Source(), time_limit_ms=100).run(case))
        assert "Archer" not in str(result.facts)
        return {**msgspec.to_builtins(result.response)}

    assert found(payeeName="Anne Archer")["payeeMatch"] == "CMTC"
    assert "payeeMatch" not in found(email="ann@example.com")

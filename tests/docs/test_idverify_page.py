"""docs/idverify.md is run as a reader would run it, and its examples are what the code decides."""

import re
from pathlib import Path

import pytest

from gatehouse.admin.identities.use_cases.rows import COLUMNS, FIELDS
from gatehouse.idverify.comparison import Comparison
from gatehouse.idverify.contacts import compare_emails, compare_phones
from gatehouse.idverify.identifiers import compare_identifiers
from gatehouse.idverify.names import compare_person_names
from gatehouse.idverify.names.compare import PARTIAL_FROM
from gatehouse.idverify.people import Identifier, IdentifierType, PersonName
from gatehouse.idverify.response import Result, Why
from tests.docs.pages import ROOT, blocks, steps
from tests.docs.walk import check_steps
from tests.harness import CARD, Home, Server, idverify, sandbox_key

_PAGE = (ROOT / "docs/idverify.md").read_text()


def _examples(name: str) -> list[list[str]]:
    """The rows of the table between two comments, without its head."""
    part = _PAGE.partition(f"<!-- examples: {name} -->\n")[2]
    table, end, _ = part.partition(f"<!-- end of {name} -->")
    assert end, f"the page has no examples of {name}"
    lines = [line for line in table.splitlines() if line.startswith("| ")][2:]
    assert len(lines) >= 5
    return [[cell.strip().strip("`") for cell in line.strip("|").split(" | ")] for line in lines]


def _name(cell: str) -> PersonName:
    first, middle, last = (None if part == "-" else part for part in cell.split(", "))
    return PersonName(last, first, middle)


def _why(part: Comparison) -> str:
    return part.why or "-"


def test_the_commands_print_what_the_page_shows(checkout_at: tuple[Path, Server]) -> None:
    walk = list(steps(_PAGE))
    assert len(walk) >= 12
    check_steps(walk, *checkout_at, with_errors=True)


def test_the_commands_cover_all_that_operators_have() -> None:
    commands = "\n".join(step.command for step in steps(_PAGE))
    for verb in ("import", "show", "count", "export", "delete", "reencrypt"):
        assert f"gatehouse identities {verb}" in commands
    assert "secrets renew-identities" in commands


@pytest.mark.parametrize("row", _examples("names"), ids=lambda row: f"{row[0]} / {row[1]}")
def test_the_examples_of_names_are_decided_so(row: list[str]) -> None:
    held, sent, *expected = row
    verdict = compare_person_names(_name(sent), _name(held))
    parts = (verdict.first, verdict.middle, verdict.last, verdict.whole)
    assert [*(part.result.value for part in parts), _why(verdict.whole)] == expected


def test_the_examples_of_names_show_every_reason_and_result() -> None:
    rows = _examples("names")
    assert {row[-1] for row in rows} >= {why.value for why in Why}
    shown = {cell for row in rows for cell in row[2:6]}
    assert shown == {word.value for word in Result if word is not Result.NOT_SUPPORTED}


@pytest.mark.parametrize("row", _examples("emails"), ids=lambda row: row[1])
def test_the_examples_of_addresses_are_decided_so(row: list[str]) -> None:
    held, sent, *expected = row
    found = compare_emails(sent, [held])
    assert [found.result.value, found.why] == expected


@pytest.mark.parametrize("row", _examples("phones"), ids=lambda row: row[1])
def test_the_examples_of_phones_are_decided_so(row: list[str]) -> None:
    held, sent, *expected = row
    found = compare_phones(sent, [held])
    assert [found.result.value, found.why] == expected


@pytest.mark.parametrize("row", _examples("identifiers"), ids=lambda row: f"{row[0]} {row[3]}")
def test_the_examples_of_identifiers_are_decided_so(row: list[str]) -> None:
    kind, held, country, sent, *expected = row
    on_record = [Identifier(IdentifierType(kind), held, country)]
    found = compare_identifiers(IdentifierType(kind), sent, on_record)
    assert [found.result.value, found.why] == expected


def test_every_code_that_is_shown_is_explained() -> None:
    section = _PAGE.partition("\n### Why\n")[2].partition("\n### ")[0]
    explained = set(re.findall(r"`([a-z_]+)`", section))
    groups = ("names", "emails", "phones", "identifiers")
    shown = {row[-1] for group in groups for row in _examples(group)} - {"-"}
    assert shown <= explained


def test_the_least_score_is_the_one_that_decides() -> None:
    assert f"From {PARTIAL_FROM} on two names may be one person's" in _PAGE


def test_every_column_and_every_field_is_documented() -> None:
    assert [row[0] for row in _examples("columns")] == list(COLUMNS)
    assert [row[0] for row in _examples("fields")] == list(FIELDS)


def test_the_printed_source_answers(tmp_path: Path) -> None:
    [code] = [block.text for block in blocks(_PAGE) if block.kind == "python"]
    (tmp_path / "bureau.py").write_text(code)
    assert "GATEHOUSE_IDENTITIES as bureau:make_source" in code
    settings = {"GATEHOUSE_IDENTITIES": "bureau:make_source", "PYTHONPATH": str(tmp_path)}
    home = Home(tmp_path / "home", settings=settings)
    card = {"cardNumber": "4000056655665556", "cardExpiryDate": "2035-12"}
    name = {"cardHolderName": {"firstName": "Eleanor", "lastName": "Hartley"}}
    ids = {"cardHolderIds": {"PASSPORT": "533401372", "TAX": "1"}}
    with home.server() as server, server.client(sandbox_key(home)) as client:
        known = idverify(client, {**card, **name, **ids}).json()
        stranger = idverify(client, {**card, **ids, "cardNumber": CARD}).json()
        failing = idverify(client, {**card, **name, "cardNumber": "5555555555554444"}).json()
    found = known["idVerifyResponse"]
    assert found["cardHolderNameVerificationResult"]["nameMatchDecision"] == "MATCH"
    assert found["idVerification"] == {"PASSPORT": "MATCH", "TAX": "NOT_SUPPORTED"}
    unknown = {"PASSPORT": "UNKNOWN", "TAX": "NOT_SUPPORTED"}
    assert stranger["idVerifyResponse"]["idVerification"] == unknown
    assert failing["billing"]["items"][0]["completed"] is False

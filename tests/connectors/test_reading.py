"""The file of connectors and routes: what it may say, and everything that is wrong in it."""

import re

import pytest

from gatehouse.connectors.definition import (
    BinRange,
    Function,
    Route,
    decode_program,
    encode_program,
)
from gatehouse.connectors.reading import read_configuration
from gatehouse.connectors.sandbox.connector import SandboxDefinition
from gatehouse.core.documents.reading import DocumentRefused
from gatehouse.core.errors import InvalidInput, SettingsError

GOOD = b"""\
connectors:
  first: {kind: sandbox, in_flight: 3}
  second: {kind: sandbox}
routes:
  precheck:
    - {brands: [VISA], bins: ["411111-411119"], countries: [GB], accounts: [acct_1], use: [first]}
    - use: [second, first]
  idverify:
    - use: [records, second]
"""


TWO = "connectors: {a: {kind: sandbox}, b: {kind: sandbox}}\nroutes:\n  gateway: "


def no_file(name: str) -> bytes:
    raise InvalidInput(f"there is no {name}")


def mistakes(content: bytes) -> list[str]:
    with pytest.raises(DocumentRefused) as refused:
        read_configuration(content, no_file)
    return [re.sub(", column [0-9]+", "", str(flaw)) for flaw in refused.value.flaws]


def warnings(content: bytes) -> list[str]:
    return read_configuration(content, no_file).warnings


def test_a_good_file_is_read() -> None:
    read = read_configuration(GOOD, no_file)
    assert read.warnings == []
    assert read.configuration.connectors["first"] == SandboxDefinition(in_flight=3)
    first, second = read.configuration.routes[Function.PRECHECK]
    assert first == Route(("first",), ("VISA",), ("411111-411119",), ("GB",), ("acct_1",))
    assert str(second) == "any card -> second, first"


def test_it_comes_back_out_of_the_store_as_it_went_in() -> None:
    configuration = read_configuration(GOOD, no_file).configuration
    assert decode_program(encode_program(configuration)) == configuration


def test_a_kind_of_a_newer_version_is_refused_with_its_name() -> None:
    program = '{"connectors":{"a":{"kind":"carrier-pigeon"}},"routes":{}}'
    with pytest.raises(SettingsError, match="connector a is of the kind carrier-pigeon"):
        decode_program(program)


def test_every_mistake_is_told_with_its_line() -> None:
    content = b"""\
connectors:
  first: {kind: sandbox, in_flight: 0}
  Second: {kind: sandbx}
  third: text
  records: {kind: sandbox}
  fourth: {kind: sandbox, colour: blue}
routes:
  precheck:
    - {brands: [VISSA], bins: ["41", 411112-411111, 411111-4111112], use: [firts]}
    - {countries: [UK, gb], accounts: [demo], use: [first, first, records]}
    - {use: []}
  idverify: first
  gatewai:
    - {use: [first]}
router: {}
"""
    assert mistakes(content) == [
        "line 2: connectors.first.in_flight: must be at least 1",
        "line 3: connectors.Second: must be a name of small letters, digits, - and _, "
        "at most 40, beginning with a letter",
        "line 3: connectors.Second.kind: is not a kind of connectors; did you mean sandbox?",
        "line 4: connectors.third: must be a mapping with a kind and its options",
        "line 5: connectors.records: records is the name of the imported identities: "
        "choose another one",
        "line 6: connectors.fourth.colour: is not known; there are in_flight, timeout_ms",
        "line 9: routes.precheck[0].brands[0]: is not a brand; did you mean VISA?",
        "line 9: routes.precheck[0].bins[0]: must be 6 to 8 digits, such as 411111, or "
        "a range: 411111-411119",
        "line 9: routes.precheck[0].bins[1]: must begin with the smaller number",
        "line 9: routes.precheck[0].bins[2]: must have as many digits at its end as at "
        "its beginning",
        "line 9: routes.precheck[0].use[0]: there is no connector firts; did you mean first?",
        "line 10: routes.precheck[1].countries[0]: must be a country of two capital "
        "letters, such as GB",
        "line 10: routes.precheck[1].countries[1]: must be a country of two capital "
        "letters, such as GB",
        "line 10: routes.precheck[1].accounts[0]: must be the id of an account, such as acct_…",
        "line 10: routes.precheck[1].use[1]: first is named twice",
        "line 10: routes.precheck[1].use[2]: records are the imported identities: only "
        "routes of idverify use them",
        "line 11: routes.precheck[2].use: needs at least 1 entry",
        "line 12: routes.idverify: must be a list of routes, such as - {use: [acquirer]}",
        "line 13: routes.gatewai: is not a function; did you mean gateway?",
        "line 15: router: is not known; did you mean routes?",
    ]


def test_both_parts_are_required() -> None:
    assert mistakes(b"{}") == [
        "line 1: connectors is required",
        "line 1: routes is required",
    ]
    assert "connectors: must be a mapping" in mistakes(b"connectors: []\nroutes: 1\n")[0]


@pytest.mark.parametrize(
    ("routes", "warning"),
    [
        ("[{use: [a]}, {brands: [VISA], use: [b]}]", "route 2 is never reached, because route 1"),
        (
            "[{bins: [411111], use: [a]}, {bins: ['41111122'], brands: [VISA], use: [b]}]",
            "route 2 is never reached, because route 1",
        ),
        ("[{brands: [VISA], use: [a, b]}]", "a card that fits no route is not served"),
        ("[{use: [a]}]", "no route uses connector b"),
    ],
)
def test_what_an_author_should_know_is_a_warning(routes: str, warning: str) -> None:
    assert any(warning in each for each in warnings((TWO + routes).encode()))


@pytest.mark.parametrize(
    "routes",
    [
        "[{brands: [VISA], use: [a]}, {use: [b]}]",
        "[{bins: [411111-411119], use: [a]}, {bins: [411119-411120], use: [b]}, {use: [a]}]",
        "[{accounts: [acct_1], use: [a]}, {accounts: [acct_1, acct_2], use: [b]}, {use: [a]}]",
    ],
)
def test_routes_that_can_be_reached_are_not_warned_about(routes: str) -> None:
    assert warnings((TWO + routes).encode()) == []


def test_ranges_are_of_eight_digits() -> None:
    assert BinRange.parse("411111") == (41111100, 41111199)
    assert BinRange.parse("4111110-4111112") == (41111100, 41111129)
    assert BinRange.parse("41111101") == (41111101, 41111101)

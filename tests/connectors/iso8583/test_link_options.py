"""A connector of the kind iso8583 as it is written, stored and made."""

import msgspec

from gatehouse.connectors.iso8583.currencies import currency_number
from gatehouse.connectors.iso8583.options import Iso8583Definition, make_iso8583, read_iso8583
from gatehouse.connectors.part_reader import PartReader
from gatehouse.core.documents.reading import Flaw, load_document
from gatehouse.core.errors import InvalidInput
from gatehouse.intel.places import load_places

WRITTEN = """
dialect: reference
hosts: [127.0.0.1:9583, "[::1]:9583", host.example:443]
connections: 4
timeout_ms: 2000
in_flight: 1000
parameters: {merchant_id: SHOP42}
tls: {ca_file: /etc/ca.pem}
"""


def read(text: str) -> tuple[Iso8583Definition | None, list[str]]:
    document = load_document(text.encode())
    flaws: list[Flaw] = []
    part = PartReader(document, "", document.data, _read_file, flaws)
    return read_iso8583(part), [f"{flaw.line} {flaw.path}: {flaw.message}" for flaw in flaws]


def _read_file(name: str) -> bytes:
    if name == "./broken.yaml":
        return b"dialect: mine\n"
    raise InvalidInput(f"{name} cannot be read")


def test_what_is_written_becomes_a_definition_that_holds_its_dialect() -> None:
    definition, flaws = read(WRITTEN)
    assert flaws == []
    assert definition is not None
    assert definition.dialect.dialect == "reference"
    assert definition.functions() == ("precheck", "idverify", "gateway")
    stored = msgspec.json.encode(definition)
    assert msgspec.json.decode(stored, type=Iso8583Definition) == definition
    connector = make_iso8583("acquirer", definition)
    options = connector.pool.options
    assert [str(host) for host in options.hosts] == list(definition.hosts)
    assert (options.connections, options.timeout_s, options.in_flight) == (4, 2.0, 1000)
    assert connector.state().connections == 0


def test_every_mistake_is_named_with_its_line() -> None:
    definition, flaws = read(
        "dialect: referenz\n"
        "hosts: [nowhere, 127.0.0.1:70000]\n"
        "connections: 0\n"
        "plain_tcp: sure\n"
        "time_out: 5\n"
    )
    assert definition is None
    assert [flaw.partition(":")[0] for flaw in flaws] == [
        "3 connections",
        "4 plain_tcp",
        "5 time_out",
        "2 hosts[0]",
        "2 hosts[1]",
        "1 dialect",
    ]


def test_parameters_must_be_those_of_the_dialect() -> None:
    _, flaws = read("dialect: reference\nhosts: [a:1]\nparameters: {merchantid: X}\n")
    assert len(flaws) == 1
    assert "did you mean merchant_id" in flaws[0]


def test_a_dialect_of_ones_own_is_read_from_a_file_and_its_mistakes_are_passed_on() -> None:
    _, flaws = read("dialect: ./broken.yaml\nhosts: [a:1]\n")
    assert len(flaws) == 1
    assert "fields" in flaws[0]
    _, flaws = read("hosts: [a:1]\n")
    assert flaws == ["1 dialect: must name a dialect that ships, such as reference, or a file"]
    _, flaws = read("dialect: ./none.yaml\nhosts: [a:1]\n")
    assert flaws == ["1 dialect: ./none.yaml cannot be read"]


def test_production_wants_tls_or_an_explicit_word() -> None:
    plain = "dialect: reference\nhosts: [a:1]\n"
    for text, fit in [(plain, False), (plain + "plain_tcp: accepted\n", True), (WRITTEN, True)]:
        definition, flaws = read(text)
        assert flaws == []
        assert definition is not None
        assert (definition.unfit_for_production() == ()) is fit


def test_every_currency_with_an_amount_has_a_number_of_its_own() -> None:
    numbers = [currency_number(code) for code in load_places().digits]
    assert len(set(numbers)) == len(numbers)
    assert currency_number("EUR") == "978"
    assert currency_number("JPY") == "392"

"""The page about mappings: its files can be used, and it names every key, field and format."""

import asyncio
import json
import re

import msgspec
import pytest

from gatehouse.connectors.http import authentication, notification_mapping
from gatehouse.connectors.http import mapping as language
from gatehouse.connectors.http.connector import make_http
from gatehouse.connectors.http.fields import FIELDS, OF_SIGNING
from gatehouse.connectors.http.mapping import MappedFunction
from gatehouse.connectors.http.mapping_parts import MappingPart
from gatehouse.connectors.http.options import HttpDefinition
from gatehouse.connectors.http.reading import read_mapping
from gatehouse.connectors.http.templates import ALL_FORMATS
from gatehouse.connectors.reading import read_configuration
from gatehouse.precheck.issuer import CardEnquiry, IssuerAnswer
from tests.connectors.http.asking import enquiry
from tests.connectors.http.party import Heard, Reply, serving
from tests.docs.pages import ROOT, blocks

PAGE = (ROOT / "docs" / "http-mappings.md").read_text()
YAML = [block.text for block in blocks(PAGE) if block.kind == "yaml"]
MAPPINGS = [text for text in YAML if text.startswith("mapping:")]
[CONFIGURATION] = [text for text in YAML if text.startswith("connectors:")]
REQUEST, ANSWER, *_NOTIFICATIONS = (
    json.loads(block.text) for block in blocks(PAGE) if block.kind == "json"
)


@pytest.mark.parametrize("text", MAPPINGS, ids=lambda text: text.split()[1])
def test_every_mapping_can_be_used(text: str) -> None:
    read_mapping(text.encode())


def test_the_connector_sends_and_reads_what_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BANK_KEY", "k3y")
    text = CONFIGURATION + "routes:\n  precheck: [{use: [bank]}]\n"
    read = read_configuration(text.encode(), {"./bank.yaml": MAPPINGS[0].encode()}.__getitem__)
    made = read.configuration.connectors["bank"]
    assert isinstance(made, HttpDefinition)
    heard, found = asyncio.run(_checked(made))
    assert heard.path == "/v2/merchants/7001/checks"
    assert heard.headers["x-api-key"] == "k3y"
    assert heard.json == REQUEST
    assert (found.response_code, found.avs_letter, found.cvv2_letter) == ("00", "Z", "M")


async def _checked(made: HttpDefinition) -> tuple[Heard, IssuerAnswer]:
    full = enquiry()
    asked: CardEnquiry = msgspec.structs.replace(full, street=None, postal_code="sw1a 1aa")
    async with serving(lambda _: Reply(ANSWER), None) as party:
        local = msgspec.structs.replace(made, base_url=f"{party.url}/v2")
        connector = make_http("bank", local)
        assert connector.issuer is not None
        found = await connector.issuer.check(asked)
        await connector.stop()
        return party.heard[0], found


def test_the_table_of_fields_is_that_of_the_code() -> None:
    rows = re.findall(r"^\| `\{([a-z0-9_.]+)\}` \| (.+?) \| (.+) \|$", PAGE, re.MULTILINE)
    assert rows == [
        (name, _functions(field.functions), field.description) for name, field in FIELDS.items()
    ]


def _functions(functions: frozenset[MappedFunction]) -> str:
    if functions == frozenset(MappedFunction):
        return "all"
    return ", ".join(f"`{each}`" for each in MappedFunction if each in functions)


def test_every_format_and_field_of_signatures_is_explained() -> None:
    assert [name for name in ALL_FORMATS if not re.search(rf"`{name}[`:]", PAGE)] == []
    assert [name for name in OF_SIGNING if f"{{{name}}}" not in PAGE] == []


def test_every_key_is_explained() -> None:
    structs = [
        each
        for module in (language, authentication, notification_mapping)
        for each in vars(module).values()
        if isinstance(each, type) and issubclass(each, MappingPart)
    ]
    names = {name for struct in structs for name in struct.__struct_encode_fields__}
    names |= set(HttpDefinition.__struct_encode_fields__)
    missing = [name for name in sorted(names) if not re.search(rf"[`.{{ ]{name}[`,:{{}}]", PAGE)]
    assert missing == []


def test_every_word_for_errors_is_explained() -> None:
    assert [word for word in language.ErrorClass if f"| `{word}` |" not in PAGE] == []

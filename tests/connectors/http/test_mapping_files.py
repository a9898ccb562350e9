"""Mapping files as people write them: what is read, and every mistake with its line."""

from pathlib import Path
from typing import Any

import msgspec
import pytest

from gatehouse.connectors.http.mapping import Mapping
from gatehouse.connectors.http.options import HttpDefinition, read_http, shipped_mappings
from gatehouse.connectors.http.reading import read_mapping
from gatehouse.connectors.kinds import KINDS
from gatehouse.connectors.part_reader import PartReader
from gatehouse.core.documents.reading import DocumentRefused, Flaw, load_document
from gatehouse.core.errors import InvalidInput

GOOD = """\
mapping: small
secrets: {key: The key}
options:
  merchant: {description: Merchant id}
  country: {description: Country, default: US}
  city: {description: City, required: false}
headers: {X-Key: "{secret.key}"}
tables:
  letters: {1: Y, 2: N}
precheck:
  request:
    path: /check/{option.country}
    body:
      merchant: "{option.merchant}"
      city: "{option.city}"
      number: "{card.number}"
      entry: 5
      version: "5"
      live: true
      nothing: null
      share: 0.5
  answer:
    response_code: code
    avs: {path: avs, table: letters}
"""


def flaws_of(text: str) -> list[str]:
    with pytest.raises(DocumentRefused) as caught:
        read_mapping(text.encode())
    return [str(flaw) for flaw in caught.value.flaws]


def test_a_mapping_is_read_and_kept_as_plain_data() -> None:
    mapping = read_mapping(GOOD.encode())
    assert mapping.precheck is not None
    assert mapping.precheck.request.body == {  # type: ignore[union-attr]
        "merchant": "{option.merchant}",
        "city": "{option.city}",
        "number": "{card.number}",
        "entry": 5,
        "version": "5",
        "live": True,
        "nothing": None,
        "share": 0.5,
    }
    assert msgspec.json.decode(msgspec.json.encode(mapping), type=Mapping) == mapping


@pytest.mark.parametrize("name", shipped_mappings())
def test_every_mapping_that_ships_can_be_read_and_kept(name: str) -> None:
    content = Path(f"src/gatehouse/connectors/http/mappings/{name}.yaml").read_bytes()
    mapping = read_mapping(content)
    assert mapping.mapping == name
    assert msgspec.json.decode(msgspec.json.encode(mapping), type=Mapping) == mapping


@pytest.mark.parametrize(
    ("old", "new", "flaw"),
    [
        ("mapping: small", "mapping: Small!", "line 1, column 10: mapping: must be 1 to 64 small"),
        ("precheck:", "prechek:", "line 10, column 1: prechek: is not known; did you mean"),
        (
            "{card.number}",
            "x{card.numbr}",
            "line 16, column 17: precheck.request.body.number: card.numbr is not a field; "
            "did you mean card.number?",
        ),
        (
            "{card.number}",
            "{amount.minor}",
            "line 16, column 16: precheck.request.body.number: amount.minor is not known to "
            "precheck",
        ),
        (
            "{card.number}",
            "{card.number|lastt:4}",
            "line 16, column 16: precheck.request.body.number: the format 'lastt' is not known",
        ),
        ("{card.number}", "{card.number|last}", "the format last needs a number from 1 to 1000"),
        ("{card.number}", "{card.number|upper:1}", "the format upper takes nothing after a colon"),
        ("{card.number}", "{card.number|time:%Y}", "the format time is for {now} alone"),
        ("{card.number}", "{now|time:%Q}", "the format time needs marks such as"),
        ("{card.number}", "{card.number|table:no}", "there is no table no"),
        ("{card.number}", "{card.number", "a lonely {; write {{ for a brace"),
        ("{card.number}", "{Card Number}", "needs the name of a field in its braces"),
        ("{option.country}", "{card.number}", "may go into a body only: URLs and headers end up"),
        ("{option.country}", "{secret.key}", "a secret may not go into a URL"),
        ("/check/", "check/", "precheck.request.path: must begin with /; the host is in base_url"),
        ("/check/", "/chéck/", "may hold only plain ASCII characters"),
        ("{secret.key}", "{card.number}", "card.number cannot be used here"),
        ("{secret.key}", "{secret.kee}", "secret.kee is not declared; add it to secrets; did you"),
        ("X-Key", "Content-Length", "is written by the client itself; leave it out"),
        (
            "headers: {X-Key",
            'authentication: {bearer: "{secret.key}"}\nheaders: {Authorization',
            "is written by what authentication says; leave one of the two out",
        ),
        (
            "headers: {X-Key",
            "authentication:\n  oauth2: {token_url: oauth, client_id: a, client_secret: b}\n"
            "headers: {X-Key",
            "line 8, column 23: authentication.oauth2.token_url: must be a path",
        ),
        ("X-Key", "X Key", "headers.X Key: the key must be the name of a header"),
        ("entry: 5", "entry: 05", "line 17, column 14: precheck.request.body.entry: write '05' in"),
        (
            "code\n",
            "code..x\n",
            "line 23, column 24: precheck.answer.response_code: must be a path",
        ),
        (
            "table: letters}",
            "table: leters}",
            "line 24, column 29: precheck.answer.avs.table: there is no table leters; did you mean",
        ),
        ("{1: Y, 2: N}", "{1: Yes}", "line 9, column 16: tables.letters.1: must be one of the"),
        ("table: letters}", "table: {1: YY}}", "precheck.answer.avs.table.1: must be one of the"),
        (
            "response_code: code",
            "response_code: {path: code, missing: approved}",
            "precheck.answer.response_code.missing: must be an ISO 8583 response code",
        ),
        ("response_code: code", "response_code: {table: letters}", "needs either path or value"),
        (
            "response_code: code",
            "response_code: {path: code, format: 'word'}",
            "the format word needs a number",
        ),
        (
            "table: letters}",
            "table: letters, brands: {VIZA: letters}}",
            "precheck.answer.avs.brands.VIZA: is not a brand; did you mean VISA?",
        ),
        ("secrets: {key: The key}", "secrets: {key: K, b: B}", "secrets.b: is never used"),
        ("    response_code: code\n", "", "precheck.answer.response_code: is required"),
    ],
)
def test_every_mistake_has_its_line(old: str, new: str, flaw: str) -> None:
    assert old in GOOD
    found = flaws_of(GOOD.replace(old, new, 1))
    assert any(flaw in each for each in found), found
    assert all(each.startswith("line ") for each in found)


@pytest.mark.parametrize(
    ("rule", "flaw"),
    [
        ("{then: retry}", "needs status or where, or it would fit every answer"),
        ("{then: later, status: 409}", "must be one of retry, mistake, declined, done"),
        ("{then: declined, status: 402}", "declined needs response_code"),
        ("{then: retry, status: 402, response_code: x}", "is for declined only"),
        ("{then: done, status: 404}", "done is for reverse alone"),
        ("{then: retry, status: 6xx}", "must be a status such as 404, 5xx or 500-504"),
        ("{then: retry, where: {path: 'a[b'}}", "must be a path into the answer"),
        (
            "{then: declined, status: 402, response_code: {value: declined}}",
            "must be an ISO 8583 response code",
        ),
    ],
)
def test_rules_for_errors_are_checked(rule: str, flaw: str) -> None:
    [found] = flaws_of(f"{GOOD}  errors:\n    - {rule}\n")
    assert flaw in found
    assert found.startswith("line 26, column ")


@pytest.mark.parametrize(
    ("body", "flaw"),
    [
        ("{$when: card.number, a: '{card.brand}'}", "card.number is always there"),
        ("{$when: [amount.minor], a: '{card.brand}'}", "amount.minor is not a field of precheck"),
    ],
)
def test_when_names_fields_that_may_be_absent(body: str, flaw: str) -> None:
    text = "mapping: a\nprecheck:\n  request: {path: /, body: %s}\n  answer: {response_code: c}"
    [found] = flaws_of(text % body)
    assert flaw in found
    assert found.startswith("line 3, column ")


@pytest.mark.parametrize(
    ("name", "flaw"),
    [
        ("option.country", "option.country is always there, so it decides nothing"),
        ("option.merchant", "option.merchant is always there, so it decides nothing"),
        ("secret.key", "secret.key is always there, so it decides nothing"),
        ("option.citty", "option.citty is not declared; add it to options; did you mean city?"),
    ],
)
def test_when_names_options_and_secrets_that_may_be_left_out(name: str, flaw: str) -> None:
    [found] = flaws_of(GOOD.replace("    path: /check", f"    when: {name}\n    path: /check"))
    assert found.startswith("line 12, column ")
    assert flaw in found
    read_mapping(
        GOOD.replace("    path: /check", "    when: option.city\n    path: /check").encode()
    )


def test_a_way_names_brands_that_there_are() -> None:
    brands = GOOD.replace("    path: /check", "    brands: [VISA, MASTERCRD]\n    path: /check")
    [found] = flaws_of(brands)
    assert "line 12, column 13: precheck.request.brands: MASTERCRD is not a brand; did you" in found
    [found] = flaws_of(GOOD.replace("    path: /check", "    after_s: 60\n    path: /check"))
    assert "line 12, column 14: precheck.request.after_s: is for reverse alone" in found
    health = "health:\n  request: {path: /, brands: VISA}\n"
    [found] = flaws_of(GOOD + health)
    assert "health.request.brands: health knows no card" in found


def test_a_payment_cannot_be_asked_for_without_a_way_to_take_it_back() -> None:
    text = "mapping: a\nauthorize: {request: {path: /}, answer: {approved: a, response_code: b}}"
    [found] = flaws_of(text)
    assert "authorize and reverse come together" in found
    assert "needs precheck, idverify, page, or authorize and reverse" in flaws_of("mapping: a")[0]


def test_two_ways_to_authenticate_with_one_header_are_refused() -> None:
    both = 'authentication: {bearer: "{secret.key}", basic: {user: a, password: b}}\n'
    [found] = flaws_of(GOOD + both)
    assert "all of them write the header Authorization" in found


def test_a_signature_and_a_token_exclude_each_other() -> None:
    signed = "hmac: {key: k, sign: a, headers: {X: b}}"
    token = "oauth2: {token_url: /t, client_id: a, client_secret: b}"
    [found] = flaws_of(GOOD + f"authentication: {{{signed}, {token}}}\n")
    assert "has hmac and oauth2" in found


def test_a_signature_cannot_sign_itself() -> None:
    signed = 'authentication: {hmac: {key: k, sign: "{signature}", headers: {X: "{digest}"}}}\n'
    assert "cannot hold the signature of itself" in flaws_of(GOOD + signed)[0]


def test_all_mistakes_are_reported_at_once() -> None:
    wrong = GOOD.replace("{card.number}", "{card.numbr}").replace("table: letters}", "table: no}")
    assert len(flaws_of(wrong)) == 3  # the table is never used as well


def part(data: dict[str, Any], files: dict[str, bytes] | None = None) -> tuple[Any, list[Flaw]]:
    def read_file(name: str) -> bytes:
        if name not in (files or {}):
            raise InvalidInput(f"{name} cannot be read")
        return (files or {})[name]

    flaws: list[Flaw] = []
    document = load_document(b"connectors: {party: {}}")
    return read_http(PartReader(document, "connectors.party", data, read_file, flaws)), flaws


FITTING = {
    "mapping": "./mine.yaml",
    "base_url": "https://api.example.com/v2",
    "secrets": {"key": "env:KEY"},
    "options": {"merchant": "shop"},
}
FILES = {"./mine.yaml": GOOD.encode()}


def test_a_definition_holds_its_mapping_and_no_secret() -> None:
    made, flaws = part(FITTING, FILES)
    assert flaws == []
    assert isinstance(made, HttpDefinition)
    assert made.mapping == read_mapping(GOOD.encode())
    assert made.functions() == ("precheck",)
    assert made.secret_sources() == ("env:KEY",)
    assert made.unfit_for_production() == ()
    kept = msgspec.json.encode(made)
    assert msgspec.json.decode(kept, type=HttpDefinition) == made
    assert KINDS["http"]().definition is HttpDefinition


def test_a_shipped_mapping_is_named_without_a_file() -> None:
    token = {"secrets": {"token": "file:/run/secrets/token"}}
    made, flaws = part({"mapping": "gatehouse", "base_url": "http://127.0.0.1:9080"} | token)
    assert flaws == []
    assert made.functions() == ("precheck", "idverify", "gateway")
    assert made.unfit_for_production() == (
        "its base_url begins with http://; card data need https://",
    )


@pytest.mark.parametrize(
    ("change", "flaw"),
    [
        ({"base_url": "http://api.example.com"}, "must begin with https://; http:// is for this"),
        ({"base_url": "https://user:pw@example.com"}, "may hold no user, password, query or"),
        ({"base_url": "https://example.com?key=1"}, "may hold no user, password, query or"),
        ({"base_url": "https://example.com:99999"}, "must be a URL such as"),
        ({"base_url": "ftp://example.com"}, "must be a URL such as"),
        ({"secrets": {}}, "the mapping needs key (The key), such as env:NAME"),
        ({"secrets": {"key": "s3cret"}}, "must be env:NAME for a variable"),
        ({"secrets": {"key": "env:A", "b": "env:B"}}, "the mapping small does not use it"),
        ({"options": {}}, "the mapping needs merchant (Merchant id)"),
        ({"options": {"merchant": "a", "x": "b"}}, "the mapping small does not use it"),
        ({"mapping": "gatehose"}, "is not a mapping that ships; did you mean gatehouse?"),
        ({"mapping": "./other.yaml"}, "./other.yaml: ./other.yaml cannot be read"),
        ({"timeout_ms": "0"}, "must be at least 50"),
        ({"connections": "many"}, "must be a whole number"),
        ({"tls": {"certificate_file": "/a"}}, "needs key_file"),
        ({"proxy": "x"}, "is not known"),
    ],
)
def test_a_part_that_does_not_fit_its_mapping_is_refused(change: dict[str, Any], flaw: str) -> None:
    made, flaws = part(FITTING | change, FILES)
    assert made is None
    assert any(flaw in str(each) for each in flaws), flaws


def test_the_mistakes_of_a_mapping_have_the_lines_of_its_file() -> None:
    wrong = GOOD.replace("{card.number}", "{card.numbr}").encode()
    _, [found] = part(FITTING, {"./mine.yaml": wrong})
    assert "./mine.yaml: line 16, column 16: precheck.request.body.number" in found.message


def test_a_mapping_can_demand_a_certificate() -> None:
    mutual = (GOOD + "authentication: {client_certificate: true}\n").encode()
    _, [found] = part(FITTING, {"./mine.yaml": mutual})
    assert "the mapping needs certificate_file and key_file" in found.message
    tls = {"tls": {"certificate_file": "/a.pem", "key_file": "/a.key"}}
    made, flaws = part(FITTING | tls, {"./mine.yaml": mutual})
    assert flaws == []
    assert made is not None

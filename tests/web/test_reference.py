import base64
import hashlib
import re
from collections.abc import Mapping
from html.parser import HTMLParser
from types import MappingProxyType
from typing import Any

import pytest
from scripts.reference.__main__ import rendered
from scripts.reference.rendering import render_reference

from gatehouse.api.docs.markup import CONTENT_POLICY
from gatehouse.api.docs.reference import read_references
from gatehouse.api.problems import CODES
from tests.web.test_openapi import DOCUMENT as DOCUMENT_OF_THE_SERVER

VOID = {"meta", "br", "wbr", "hr", "img", "input", "link"}
TABLE = {"table", "thead", "tbody", "tr", "th", "td"}
NASTY = "<script>alert('no')</script> & \"quoted\""


def ref(name: str) -> dict[str, str]:
    return {"$ref": f"#/components/schemas/{name}"}


def answer(schema: dict[str, Any], about: str, **more: Any) -> dict[str, Any]:
    return {
        "description": about,
        "headers": {"X-Trace": {"$ref": "#/components/headers/X-Trace"}},
        "content": {"application/json": {"schema": schema, **more}},
    }


SCHEMAS: dict[str, Any] = {
    "Order": {
        "type": "object",
        "required": ["number", "payment", "lines"],
        "properties": {
            "number": {
                "type": "string",
                "minLength": 1,
                "maxLength": 16,
                "pattern": "^[A-Z<>]+$",
                "description": "The number of `your` order.",
                "examples": ["A<1>"],
            },
            "reference": {
                "anyOf": [
                    {"type": "string", "maxLength": 128},
                    {"type": "integer", "minimum": -(2**63), "maximum": 2**63 - 1},
                    {"type": "null"},
                ],
                "default": None,
            },
            "address": {"anyOf": [ref("Address"), {"type": "null"}]},
            "lines": {"type": "array", "minItems": 1, "items": ref("Line")},
            "tags": {"type": "object", "additionalProperties": {"type": "string", "maxLength": 9}},
            "places": {"type": "object", "additionalProperties": ref("Address")},
            "payment": {"oneOf": [ref("Card"), ref("Wire")]},
            "share": {"type": ["number", "null"], "exclusiveMinimum": 0, "multipleOf": 0.5},
            "anything": True,
        },
    },
    "Address": {
        "type": "object",
        "description": "Where it goes.",
        "properties": {"street": {"type": "string"}, "country": {"enum": ["NO", "SE"]}},
    },
    "Line": {
        "type": "object",
        "required": ["count"],
        "properties": {"count": {"type": "integer", "minimum": 1, "maximum": 99, "default": 1}},
    },
    "Card": {"type": "object", "properties": {"kind": {"const": "card"}, "pan": {}}},
    "Wire": {"type": "object", "properties": {"kind": {"const": "wire"}, "iban": {}}},
    "Tree": {
        "type": "object",
        "required": ["leaf"],
        "properties": {
            "leaf": {"description": NASTY, "type": "string"},
            "branches": {"type": "array", "items": ref("Tree")},
        },
    },
    "Failure": {"type": "object", "properties": {"isSuccess": {"const": False}}},
    "Itself": ref("Itself"),
}
DOCUMENT: dict[str, Any] = {
    "openapi": "3.1.0",
    "info": {"title": "Test & Co", "version": "1.2", "description": f"One.\n\nTwo `x`. {NASTY}"},
    "security": [{"ApiKey": []}],
    "paths": {
        "/orders": {
            "post": {
                "operationId": "createOrder",
                "summary": f"Order {NASTY}",
                "description": NASTY,
                "parameters": [
                    {
                        "name": "Idempotency-Key",
                        "in": "header",
                        "description": NASTY,
                        "schema": {"type": "string", "pattern": "^.+$"},
                    }
                ],
                "requestBody": {
                    "required": True,
                    "content": {
                        "application/json": {
                            "schema": ref("Order"),
                            "example": {"number": "it's <b>", "share": 0.5},
                        }
                    },
                },
                "responses": {
                    "200": answer(ref("Tree"), "A tree.", example={"leaf": NASTY, "ok": True}),
                    "400": answer(ref("Failure"), "`bad_body`: Not JSON. `bad_key`: No `key`."),
                    "401": answer(ref("Failure"), "`no_key`: A key is required."),
                },
            }
        },
        "/orders/{orderId}": {
            "parameters": [{"name": "orderId", "in": "path", "required": True}],
            "get": {
                "summary": "One order",
                "parameters": [
                    {"name": "view", "in": "query", "required": True, "example": "a b"},
                    {"name": "limit", "in": "query", "schema": {"type": "integer", "default": 20}},
                ],
                "responses": {
                    "200": answer({"type": "array", "items": ref("Order")}, "Orders."),
                    "204": {"description": "Nothing."},
                    "404": answer(ref("Itself"), "Unknown order."),
                    "default": {"description": NASTY},
                },
            },
        },
    },
    "components": {
        "schemas": SCHEMAS,
        "securitySchemes": {"ApiKey": {"type": "apiKey", "in": "header", "name": "X-KEY"}},
        "headers": {"X-Trace": {"description": "The `trace`.", "schema": {"type": "string"}}},
    },
}
ORDER_PATHS = {
    "number", "reference", "address", "address.street", "address.country", "lines", "lines[].count",
    "tags", "places", "places.*.street", "places.*.country", "payment", "payment.kind",
    "payment.pan", "payment.iban", "share", "anything",
}  # fmt: skip


class Reader(HTMLParser):
    """Reads a page strictly and keeps what the tests ask about."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []
        self.cells: list[list[str]] = []
        self.blocks: list[str] = []
        self.style = self.script = self.icon = ""
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert len({name for name, _ in attrs}) == len(attrs)
        if tag == "link":
            assert not self.icon
            assert dict(attrs)["rel"] == "icon"
            self.icon = str(dict(attrs)["href"])
            return
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)
        if tag == "tr":
            self.cells.append([])
        if tag in {"th", "td"}:
            self.cells[-1].append("")
        if tag == "pre":
            self.blocks.append("")

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "style" in self.open:
            self.style += data
            return
        if "script" in self.open:
            self.script += data
            return
        self.words.append(data)
        if [tag for tag in self.open if tag in TABLE][-1:] in (["th"], ["td"]):
            self.cells[-1][-1] += data
        if "pre" in self.open:
            self.blocks[-1] += data

    @property
    def text(self) -> str:
        return " ".join("".join(self.words).split())

    def row(self, name: str) -> list[str]:
        return next(row for row in self.cells if row[0].split()[:1] == [name])

    def all(self, attribute: str) -> list[str]:
        return [value for _, attrs in self.tags for value in [attrs.get(attribute)] if value]


def reference_page(
    document: dict[str, Any],
    base_url: str = "http://127.0.0.1:8080",
    guides: Mapping[str, str] = MappingProxyType({}),
    chapters: Mapping[str, str] = MappingProxyType({}),
) -> str:
    """A page as a server shows it."""
    return render_reference(document, chapters).shown(base_url, guides)


@pytest.fixture(scope="module")
def page() -> str:
    return reference_page(DOCUMENT)


@pytest.fixture(scope="module")
def read(page: str) -> Reader:
    return Reader(page)


def test_the_page_is_well_formed(page: str, read: Reader) -> None:
    assert page.startswith("<!doctype html>\n")
    assert read.open == []
    ids = read.all("id")
    assert len(ids) == len({*ids})
    assert not {word for word in ids if not re.fullmatch(r"[\w-]+", word)}


def test_nothing_is_loaded_from_elsewhere(read: Reader) -> None:
    assert not {"img", "iframe", "object", "base"} & {tag for tag, _ in read.tags}
    assert read.icon.startswith("data:image/svg+xml,")
    assert read.all("src") == []
    assert read.all("style") == []
    assert all(address.startswith("#") for address in read.all("href"))
    assert not re.search(r"url\(|@import|//|</", read.style)
    assert not re.search(r"https?:|import|XMLHttp|innerHTML|eval|</", read.script)
    # The policy lets these reach the server that sent the page, and no other.
    assert "connect-src 'self';" in CONTENT_POLICY
    tried = 'fetch(address, { method, headers: pairs, body, credentials: "omit" })'
    assert re.findall(r"fetch\([^)]*\)", read.script) == [tried, 'fetch("/docs/search.json")']
    assert not {name for _, attrs in read.tags for name in attrs if name.startswith("on")}


def test_every_anchor_leads_somewhere(read: Reader) -> None:
    assert len(read.all("href")) > 6
    assert {address[1:] for address in read.all("href")} <= {*read.all("id")}


def test_the_content_policy_admits_exactly_the_style_and_the_script_of_the_page(
    read: Reader,
) -> None:
    style, script = (
        base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        for text in (read.style, read.script)
    )
    tags = [tag for tag, _ in read.tags]
    assert tags.count("style") == tags.count("script") == 1
    assert CONTENT_POLICY.split("; ") == [
        "default-src 'none'",
        f"style-src 'sha256-{style}'",
        f"script-src 'sha256-{script}'",
        "connect-src 'self'",
        "img-src data:",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
    ]


def test_markup_in_the_document_stays_text(page: str, read: Reader) -> None:
    assert page.count("<script") == 1
    assert read.text.count(NASTY) >= 7


def test_every_operation_is_shown_and_linked(read: Reader) -> None:
    assert {"op-createOrder", "op-get-orders-orderId"} <= {*read.all("id")}
    assert {"#op-createOrder", "#op-get-orders-orderId"} <= {*read.all("href")}
    assert "POST /orders" in read.text
    assert "GET /orders/{orderId}" in read.text


def test_every_field_is_shown_by_its_path(read: Reader) -> None:
    names = {row[0].split()[0] for row in read.cells}
    assert names >= ORDER_PATHS
    assert names >= {f"[].{path}" for path in ORDER_PATHS}
    assert names >= {"leaf", "branches", "isSuccess"}
    assert names >= {"Idempotency-Key", "orderId", "view", "limit", "X-Trace"}


def test_what_is_below_a_field_can_be_folded_away(page: str, read: Reader) -> None:
    folded = [row[0] for row in read.cells if re.match(r"\d+ fields? of ", row[0])]
    assert folded[:5] == [
        "2 fields of address",
        "1 field of lines",
        "2 fields of places",
        "4 fields of payment",
        "1 field of branches",
    ]
    assert page.index("2 fields of <code>address<") < page.index("address.</span><wbr>street<")
    assert "<details open><summary>2 fields of <code>address</code>" in page
    assert "<details><summary>1 field of <code>branches</code>" in page


def test_only_one_language_is_unfolded_at_first(read: Reader) -> None:
    samples = [attrs for tag, attrs in read.tags if tag == "details" and "name" in attrs]
    assert [attrs["name"] for attrs in samples[:3]] == ["sample-op-createOrder"] * 3
    assert ["open" in attrs for attrs in samples] == [True, False, False] * 2


def test_the_guides_are_linked_where_they_belong() -> None:
    guides, chapters = {"/docs/guides/api": "API & more"}, {"One order": "/docs/guides/api#one"}
    text = reference_page(DOCUMENT, guides=guides, chapters=chapters)
    assert '<li><a href="/docs/guides/api">API &amp; more</a></li>' in text
    assert text.count('<p><a href="/docs/guides/api#one">Guide: One order</a></p>') == 1
    assert ">Guides<" not in reference_page(DOCUMENT)


def test_without_scripts_the_page_shows_no_control_that_needs_them(page: str) -> None:
    assert '<div class="search" role="search" hidden>' in page
    assert "<button" not in page


def test_a_schema_inside_itself_is_mentioned_once(read: Reader) -> None:
    assert [row[0] for row in read.cells if "branches[]" in row[0]] == ["branches[].…"]


def test_values_that_hold_themselves_are_bounded() -> None:
    value = {"anyOf": [{"type": "array", "items": ref("Value")}, {"type": "string"}]}
    schemas = {"Value": value, "Order": {"properties": {"number": ref("Value")}}}
    components = {**DOCUMENT["components"], "schemas": {**SCHEMAS, **schemas}}
    read = Reader(reference_page({**DOCUMENT, "components": components}))
    assert read.row("number")[1] == "array of (array of any or string) or string"


def test_requests_mark_what_is_required_and_answers_what_is_optional(read: Reader) -> None:
    assert read.row("number")[0] == "number required"
    assert read.row("tags")[0] == "tags"
    assert read.row("orderId")[0] == "orderId required"
    assert read.row("leaf")[0] == "leaf"
    assert read.row("branches")[0] == "branches optional"


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("number", "string"),
        ("reference", "string or integer or null"),
        ("address", "object or null"),
        ("address.country", "string"),
        ("lines", "array of object"),
        ("tags", "map of string"),
        ("share", "number or null"),
        ("anything", "any"),
        ("payment.iban", "any in Wire"),
        ("limit", "integer in query"),
        ("isSuccess", "boolean"),
    ],
)
def test_types_are_put_into_words(read: Reader, path: str, kind: str) -> None:
    assert read.row(path)[1] == kind


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("number", "The number of your order.Matches ^[A-Z<>]+$; 1 to 16 charactersExample A<1>"),
        ("reference", "String: at most 128 characters; integer: 64 bits"),
        ("address", "Where it goes."),
        ("address.country", "One of NO SE"),
        ("lines", "At least 1 item"),
        ("lines[].count", "1 to 99; default 1"),
        ("tags", "Each: at most 9 characters"),
        ("share", "Above 0; a multiple of 0.5"),
        ("isSuccess", "Always false"),
    ],
)
def test_descriptions_limits_and_examples_are_told(read: Reader, path: str, words: str) -> None:
    assert read.row(path)[2] == words


def test_the_variants_of_a_field_are_told_apart(read: Reader) -> None:
    kinds = [row[1:] for row in read.cells if row[0] == "payment.kind"]
    assert kinds[:2] == [["string in Card", "Always card"], ["string in Wire", "Always wire"]]


def test_the_request_can_be_pasted_into_a_shell(read: Reader) -> None:
    assert read.blocks[1] == (
        'curl -X POST "http://127.0.0.1:8080/orders" \\\n'
        '  -H "X-KEY: $GATEHOUSE_API_KEY" \\\n'
        '  -H "Content-Type: application/json" \\\n'
        "  -d '{\n"
        '  "number": "it\'\\\'\'s <b>",\n'
        '  "share": 0.5\n'
        "}'"
    )


def test_the_examples_call_the_given_server() -> None:
    read = Reader(reference_page(DOCUMENT, "https://pay.example/"))
    shell, python, script = read.blocks[-3:]
    assert 'curl "https://pay.example/orders/$ORDER_ID?view=a%20b" \\' in shell
    assert 'get_orders(os.environ["ORDER_ID"], view="a b")' in python
    assert 'getOrders(process.env.ORDER_ID, { view: "a b" })' in script


def test_the_example_of_an_answer_is_pretty_json(read: Reader) -> None:
    escaped = NASTY.replace('"', '\\"')
    assert read.blocks[4] == f'{{\n  "leaf": "{escaped}",\n  "ok": true\n}}'


def test_statuses_are_listed_with_their_codes(read: Reader) -> None:
    assert "400 bad_body bad_key 401 no_key" in read.text
    assert ["400 Bad Request", "bad_key", "No key."] in read.cells
    assert ["404 Not Found", "", "Unknown order."] in read.cells


def test_the_page_is_accessible(page: str, read: Reader) -> None:
    tags = [tag for tag, _ in read.tags]
    assert '<html lang="en">' in page
    assert 'name="viewport"' in page
    assert tags.count("main") == tags.count("nav") == tags.count("h1") == 1
    levels = [int(tag[1]) for tag in tags if re.fullmatch("h[1-6]", tag)]
    assert all(below - above <= 1 for above, below in zip([0, *levels[:-1]], levels, strict=True))
    assert '<label for="find">' in page
    assert all(attrs.get("scope") in {"col", "row"} for tag, attrs in read.tags if tag == "th")


def test_an_empty_document_makes_a_page() -> None:
    read = Reader(reference_page({"info": {"title": "Bare", "version": "0"}}))
    assert read.open == []
    assert {address[1:] for address in read.all("href")} <= {*read.all("id")}


def test_the_document_of_the_server_is_shown_whole() -> None:
    document = DOCUMENT_OF_THE_SERVER
    read = Reader(reference_page(document))
    assert read.open == []
    assert {address[1:] for address in read.all("href")} <= {*read.all("id")}
    assert all(path in read.text for path in document["paths"])
    assert all(code in read.text for code, about in CODES.items() if about.status != 200)
    assert "decisionsResponse.decisions[].stages[].fee.amount" in read.text
    assert read.row("cardHolderIds.PASSPORT")[1] == "string or null"
    assert read.row("idVerifyResponse.idVerification")[1] == "map of string"


def test_the_packed_pages_are_those_of_the_document() -> None:
    # After a change of the API or its guides: make docs
    assert read_references() == rendered(DOCUMENT_OF_THE_SERVER)

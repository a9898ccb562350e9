"""Input nobody should send: an envelope or a clean close, never a defect, and life goes on."""

import json
import re
import select
import socket
import time
from collections.abc import Iterator
from typing import Annotated, Any
from urllib.parse import quote

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec import inspect

from gatehouse.api.manage.catalogue import all_endpoints
from gatehouse.api.openapi.free_operations import free_types
from gatehouse.api.openapi.manage import manage_types
from gatehouse.core.errors import RequestRefused
from gatehouse.core.reading.request_reader import RequestReader
from gatehouse.idverify.response import Result
from tests.harness import AMELIA, BODY, PATIENCE_S, Home, Server, precheck, sandbox_key, until
from tests.resilience.wire import (
    PRECHECK,
    Answer,
    answers,
    chunked,
    envelope,
    read_answer,
    read_to_end,
    request,
)
from tests.web.test_openapi import OPERATIONS

LIMIT = 65_536
JSON = {"Content-Type": "application/json"}
GOOD = json.dumps(BODY).encode()


@pytest.fixture(scope="module")
def impatient(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server that waits half a second for heads and bodies, and one second for anything more."""
    home = Home(tmp_path_factory.mktemp("impatient") / "home").migrated()
    home.settings = {
        "GATEHOUSE_HEADER_TIMEOUT_MS": "500",
        "GATEHOUSE_BODY_TIMEOUT_MS": "500",
        "GATEHOUSE_KEEP_ALIVE_S": "1",
    }
    with home.server() as server:
        yield server


@pytest.fixture(autouse=True)
def _life_goes_on(request: pytest.FixtureRequest) -> Iterator[None]:
    """After each test its server still works and has met no defect."""
    fixtures = {"shared", "impatient"} & set(request.fixturenames)
    servers: list[Server] = [request.getfixturevalue(name) for name in sorted(fixtures)]
    seen = [len(server.log()) for server in servers]
    yield
    for server, before in zip(servers, seen, strict=True):
        assert envelope(200, _served(server).body)["isSuccess"] is True
        written = server.log()[before:]
        assert "a defect" not in written, written
        assert "Exception in ASGI" not in written, written
        assert "Traceback" not in written, written


def _with_key(server: Server, **headers: str) -> dict[str, str]:
    return {"X-API-KEY": sandbox_key(server.home), **JSON, **headers}


def _post(server: Server, content: bytes, **headers: str) -> Answer:
    """One call on a connection of its own; an HTTP library's client costs more than the call."""
    return _raw(server, request(content, _with_key(server, **headers)))


def _served(server: Server) -> Answer:
    """The answer to a good call; a machine that stands still before it is sent gets none."""
    data = request(GOOD, _with_key(server))
    [answer] = until(lambda: answers(server.raw(data)))
    return answer


def _get(server: Server, path: str) -> Answer:
    headers = {"X-API-KEY": sandbox_key(server.home)}
    return _raw(server, request(None, headers, method=b"GET", path=path.encode()))


def _raw(server: Server, data: bytes, *, bodiless: bool = False) -> Answer:
    """The single answer to some bytes, after which the server closes."""
    (answer,) = answers(server.raw(data), bodiless=bodiless)
    return answer


def _body_with(field: str, text: str) -> bytes:
    """A good body whose one field, or part of the address, is the given piece of JSON."""
    fields = {name: json.dumps(value) for name, value in BODY.items()}
    if field.startswith("cardAddress."):
        fields["cardAddress"] = f'{{"{field.partition(".")[2]}": {text}}}'
    else:
        fields[field] = text
    return ("{" + ", ".join(f'"{name}": {value}' for name, value in fields.items()) + "}").encode()


# ---- Fields ------------------------------------------------------------------------------------

WRONG_FOR_A_STRING = ["true", "false", "7", "-0.5", "[]", "{}", '["4242424242424242"]', '{"a": 1}']
WRONG = [
    *((field, text) for field in ("cardNumber", "cardExpiryDate") for text in ["null", '""']),
    *(
        (field, text)
        for field in (
            "cardNumber",
            "cardExpiryDate",
            "cardCvv2Value",
            "cardAddress.street",
            "cardAddress.postalCode",
        )
        for text in WRONG_FOR_A_STRING
    ),
    *(("cardAddress", text) for text in ["true", "1", '""', '"1 Market Street"', "[]", "{}"]),
    *(("clientReferenceId", text) for text in ["true", "1.5", "[]", "{}", str(2**63)]),
    ("cardCvv2Value", '"12"'),
    ("cardCvv2Value", '"١٢٣"'),
    ("cardNumber", '"４２４２４２４２４２４２４２４２"'),
    ("cardExpiryDate", '"２０３５-12"'),
    ("cardAddress.street", '""'),
    ("cardAddress.street", json.dumps("x" * 129)),
    ("cardAddress.postalCode", json.dumps("9" * 17)),
    ("clientReferenceId", json.dumps("x" * 129)),
]


@pytest.mark.parametrize(("field", "text"), WRONG)
def test_a_wrong_value_is_an_error_of_its_field(shared: Server, field: str, text: str) -> None:
    answer = _post(shared, _body_with(field, text))
    body = envelope(answer.status, answer.body)
    assert body["isSuccess"] is False
    assert body["errors"]["code"] == "invalid_request"
    assert list(body["errors"]["fieldErrors"]) == [field]


def test_all_wrong_fields_are_named_at_once(shared: Server) -> None:
    bad = {"cardNumber": 4, "cardExpiryDate": [], "cardCvv2Value": {}, "clientReferenceId": 0.5}
    bad["cardAddress"] = {"street": 1, "postalCode": False}
    errors = envelope(200, _post(shared, json.dumps(bad).encode()).body)["errors"]
    assert set(errors["fieldErrors"]) == {
        "cardNumber",
        "cardExpiryDate",
        "cardCvv2Value",
        "clientReferenceId",
        "cardAddress.street",
        "cardAddress.postalCode",
    }


@pytest.mark.parametrize(
    "number", ["1" + "0" * 5000, "-1" + "0" * 5000, "1e999", "-1e999", "1e-999"]
)
@pytest.mark.parametrize(
    "field", ["cardNumber", "cardAddress", "cardAddress.street", "clientReferenceId", "unknown"]
)
def test_numbers_beyond_all_measure_are_refused_or_ignored(
    shared: Server, field: str, number: str
) -> None:
    body = _body_with(field, number)
    for headers in ({}, {"Idempotency-Key": f"{field}-{number[:9]}-{len(number)}"}):
        answer = _post(shared, body, **headers)
        assert answer.status in (200, 400), answer
        found = envelope(answer.status, answer.body)
        # A field that is not ours is ignored when it can be read; one of ours is refused.
        assert found["isSuccess"] is (field == "unknown" and answer.status == 200)


TEXTS = [
    "order 🚪🔐 №7",
    "👩‍👩‍👧‍👦",
    "nul \x00 here",
    "bell \x07 escape \x1b[31m tab \t line \r\n",
    "\x7f\x80\x9f",
    "\u202eright to left\u2066",
    "\ufeff\ufffe\uffff",
    "\U0010ffff",
    "e\u0301" * 10,
    '"; DROP TABLE decisions; --',
    "%s %(x)s {} {0} ${y}",
    "\\u0000 \\ud800",
]


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("escaped", [True, False])
def test_any_text_is_taken_as_a_reference_and_as_an_address(
    shared: Server, text: str, escaped: bool
) -> None:
    address = {"street": text, "postalCode": text[:16]}
    body = BODY | {"clientReferenceId": text, "cardAddress": address}
    encoded = json.dumps(body, ensure_ascii=escaped).encode()
    found = envelope(200, _post(shared, encoded).body)
    assert found["isSuccess"] is True
    kept = _get(shared, f"/api/v1/decisions/{found['requestId']}").json["decisionResponse"]
    assert len(kept["clientReferenceId"]) == len(text)
    named = _get(shared, f"/api/v1/decisions?clientReferenceId={quote(text)}")
    listed = envelope(200, named.body)["decisionsResponse"]["decisions"]
    assert found["requestId"] in [decision["requestId"] for decision in listed]
    visible = [char for char in text if char.isprintable()]
    assert all(char in kept["clientReferenceId"] for char in visible)
    assert "\x00" not in kept["clientReferenceId"]


def test_strange_text_is_kept_on_both_databases(home: Home) -> None:
    with home.server() as server, server.client(sandbox_key(home)) as client:
        for text in TEXTS:
            found = envelope(200, precheck(client, BODY | {"clientReferenceId": text}).text)
            assert found["isSuccess"] is True, text
            listed = client.get("/api/v1/decisions", params={"clientReferenceId": text})
            decisions = envelope(200, listed.text)["decisionsResponse"]["decisions"]
            assert [d["requestId"] for d in decisions] == [found["requestId"]], text
        for path in ("%00", "a%00b", "%ff", "%F0%9F%9A%AA", "'", "x" * 5000):
            for place in ("decisions", "reviews", "feedback", "events"):
                missing = client.get(f"/api/v1/{place}/{path}")
                assert envelope(404, missing.text)["errors"]["code"] == "not_found", path
        for query in ("clientReferenceId=%00", "clientReferenceId=%ff", "startingAfter=%00"):
            asked = client.get(f"/api/v1/decisions?{query}")
            envelope(200, asked.text)
        assert "a defect" not in server.log()


def test_no_name_or_filter_breaks_managing_on_either_database(home: Home) -> None:
    key = home.key(home.account(), "--scope", "manage")
    with home.server() as server, server.client(key) as client:
        for one in all_endpoints():
            path = one.address
            for name in one.path_about:
                path = path.replace(f"{{{name}}}", "a%00b")
            texts = ("%00", "x%01", "2026-11%0A")
            queries = [f"{each.name}={text}" for each in one.query for text in texts]
            for query in ("", *queries):
                sent = None if one.body is None else b"{}"
                answer = client.request(one.method, f"{path}?{query}", content=sent, headers=JSON)
                assert answer.status_code not in (403, 500), (path, query)
        wrong = {"kind": "rules", "percent": 50, "ruleSet": "a\x00b", "challengerRuleSet": "x"}
        client.post("/api/v1/manage/experiments", json=wrong | {"name": "x", "assignedBy": "card"})
        assert "a defect" not in server.log()


# ---- Bodies ------------------------------------------------------------------------------------


def test_a_line_end_behind_a_country_is_an_error_of_its_field(shared: Server) -> None:
    body = BODY | {"cardAddress": {"postalCode": "10115", "country": "DE\n"}}
    errors = envelope(200, _post(shared, json.dumps(body).encode()).body)["errors"]
    said = "must be two capital letters such as US"
    assert errors["fieldErrors"] == {"cardAddress.country": [said]}


def _patterns(kinds: list[type]) -> set[str]:
    """The patterns of all texts in these types, keys of objects included."""
    found: set[str] = set()
    waiting, seen = [inspect.type_info(each) for each in kinds], set[Any]()
    while waiting:
        info = waiting.pop()
        match info:
            case inspect.Metadata(type=inner) | inspect.ListType(item_type=inner):
                waiting.append(inner)
            case inspect.VarTupleType(item_type=inner):
                waiting.append(inner)
            case inspect.DictType(key_type=key, value_type=inner):
                waiting += [key, inner]
            case inspect.UnionType(types=inners):
                waiting += inners
            case inspect.StructType(cls=cls) if cls not in seen:
                seen.add(cls)
                waiting += [field.type for field in info.fields]
            case inspect.StrType(pattern=str(pattern)):
                found.add(pattern)
    return found


@given(st.data())
@settings(max_examples=3, deadline=None, suppress_health_check=list(HealthCheck))
def test_no_field_with_a_form_takes_a_line_end_behind_it(data: st.DataObject) -> None:
    kinds = [*manage_types(), *free_types(), *(each.request_type for each in OPERATIONS)]
    patterns = _patterns([kind for kind in kinds if issubclass(kind, msgspec.Struct)])
    assert len(patterns) > 10
    for pattern in patterns:
        form = Annotated[str, msgspec.Meta(pattern=pattern)]
        reader = RequestReader(msgspec.defstruct("Body", [("field", form)]))
        text = data.draw(st.from_regex(pattern, fullmatch=True)).removesuffix("\n")
        reader.read(json.dumps({"field": text}).encode())
        with pytest.raises(RequestRefused) as refused:
            reader.read(json.dumps({"field": f"{text}\n"}).encode())
        # The description has each as everybody else writes it.
        said = re.sub(r"\\Z\Z", "$", pattern)
        assert refused.value.fields == {"field": [f"must match {said}"]}
        assert "\\Z" not in said


NOT_JSON = [
    b"",
    b" \n\t ",
    b"null",
    b"true",
    b"7",
    b"[]",
    b"[{}]",
    b'"x"',
    GOOD[:-1],
    GOOD[: len(GOOD) // 2],
    GOOD + b"}",
    GOOD + GOOD,
    GOOD.replace(b'"', b"'"),
    GOOD[:-1] + b",}",
    GOOD[:-1] + b", // comment\n}",
    b"\xef\xbb\xbf" + GOOD,
    GOOD.decode().encode("utf-16"),
    GOOD[:-1] + b', "x": "\xff"}',
    GOOD[:-1] + b', "x": "\xc0\xaf"}',
    GOOD[:-1] + b', "x": "\xed\xa0\x80"}',
    GOOD[:-1] + b', "x": "\xf0\x9f\x9a"}',
    GOOD[:-1] + b', "x": "\\ud800"}',
    GOOD[:-1] + b', "x": "\\udc00\\ud800"}',
    GOOD[:-1] + b', "clientReferenceId": "\\ud83d"}',
    GOOD[:-1] + b', "x": "\\u12"}',
    GOOD[:-1] + b', "x": "\\q"}',
    GOOD[:-1] + b', "x": "a\x00b"}',
    GOOD[:-1] + b', "x": "a\nb"}',
    GOOD[:-1] + b', "x": NaN}',
    GOOD[:-1] + b', "x": Infinity}',
    GOOD[:-1] + b', "x": -Infinity}',
    GOOD[:-1] + b', "clientReferenceId": NaN}',
    GOOD[:-1] + b', "x": 01}',
    GOOD[:-1] + b', "x": 0x1f}',
    GOOD[:-1] + b', "x": +1}',
    GOOD[:-1] + b', "x": 1.}',
    GOOD[:-1] + b', "x": .5}',
    GOOD[:-1] + b', "x": True}',
    GOOD[:-1] + b", x: 1}",
    b"[" * 50_000,
    b"[" * 25_000 + b"]" * 25_000,
    b'{"a":' * 10_000,
    b'{"a":' * 10_000 + b"1" + b"}" * 10_000,
    GOOD[:-1] + b', "x": ' + b"[" * 30_000 + b"]" * 30_000 + b"}",
    b'{"cardNumber": ' + b"[" * 30_000 + b"]" * 30_000 + b"}",
]


@pytest.mark.parametrize("with_key", [False, True])
@pytest.mark.parametrize("content", NOT_JSON, ids=range(len(NOT_JSON)))
def test_what_is_not_a_json_object_is_refused_as_such(
    shared: Server, content: bytes, with_key: bool
) -> None:
    headers = {"Idempotency-Key": "not-json"} if with_key else {}
    answer = _post(shared, content, **headers)
    body = envelope(answer.status, answer.body)
    assert body["errors"] is not None
    assert body["errors"]["code"] == "malformed_body"
    assert body["preCheckResponse"] is None


@pytest.mark.parametrize("depth", [10, 100, 300, 450, 500, 600, 800, 950, 990, 1100, 5000])
@pytest.mark.parametrize("shape", ["[]", "{}"])
def test_nesting_of_any_depth_is_ignored_or_refused(shared: Server, depth: int, shape: str) -> None:
    opening, closing = ("[", "]") if shape == "[]" else ('{"a":', "}")
    deep = opening * depth + "1" + closing * depth
    body = GOOD[:-1] + b', "x": ' + deep.encode() + b"}"
    for headers in ({}, {"Idempotency-Key": f"deep-{shape}-{depth}"}):
        answer = _post(shared, body, **headers)
        assert answer.status in (200, 400), answer
        found = envelope(answer.status, answer.body)
        assert found["isSuccess"] is (answer.status == 200)
        assert depth > 300 or answer.status == 200


def test_a_repeated_field_is_taken_or_refused_by_name(shared: Server) -> None:
    twice = b'{"cardNumber": "1", ' + GOOD[1:]
    found = envelope(200, _post(shared, twice).body)
    if not found["isSuccess"]:
        errors = found["errors"]
        assert errors["fieldErrors"] or errors["globalErrors"] != [errors["message"]], errors
    bad_wins = GOOD[:-1] + b', "cardNumber": "1"}'
    found = envelope(200, _post(shared, bad_wins).body)
    assert list(found["errors"]["fieldErrors"]) == ["cardNumber"]


def _padded(size: int) -> bytes:
    body = GOOD[:-1] + b', "padding": "'
    return body + b"x" * (size - len(body) - 2) + b'"}'


@pytest.mark.parametrize("way", ["length", "one chunk", "many chunks"])
@pytest.mark.parametrize(("size", "status"), [(LIMIT, 200), (LIMIT + 1, 413)])
def test_a_body_may_have_64_kib_and_not_a_byte_more(
    shared: Server, way: str, size: int, status: int
) -> None:
    body = _padded(size)
    assert len(body) == size
    if way == "length":
        data = request(body, _with_key(shared))
    else:
        parts = [body] if way == "one chunk" else [body[i : i + 999] for i in range(0, size, 999)]
        data = request(None, _with_key(shared, **{"Transfer-Encoding": "chunked"})) + chunked(
            *parts
        )
    answer = _raw(shared, data)
    assert answer.status == status
    found = envelope(status, answer.body)
    assert found["isSuccess"] is (status == 200)
    if status == 413:
        assert answer.code == "body_too_large"


def test_a_body_announced_too_large_is_refused_before_it_is_sent(shared: Server) -> None:
    head = request(None, _with_key(shared, **{"Content-Length": str(10**12)}), close=False)
    answer = _raw(shared, head)
    assert answer.code == "body_too_large"
    assert answer.headers["connection"] == "close"


def test_a_body_without_end_is_refused_while_it_is_read(shared: Server) -> None:
    head = request(None, _with_key(shared, **{"Transfer-Encoding": "chunked"}), close=False)
    piece = b"%x\r\n%s\r\n" % (4096, b" " * 4096)
    sent = 0
    with socket.create_connection(("127.0.0.1", shared.port), PATIENCE_S) as connection:
        connection.sendall(head)
        while sent < 16 * LIMIT:
            connection.sendall(piece)
            sent += 4096
            patience = 0.0 if sent <= LIMIT else 0.5
            if select.select([connection], [], [], patience)[0]:
                break
        assert LIMIT < sent <= LIMIT + 8 * 4096
        (answer,) = answers(read_to_end(connection))
    assert answer.code == "body_too_large"


# ---- Slow senders ------------------------------------------------------------------------------


def _dribble(server: Server, first: bytes, piece: bytes) -> tuple[float, bytes]:
    """Send a beginning, then a piece now and then until the server ends it: when, and its words."""
    started = time.monotonic()
    received = b""
    with socket.create_connection(("127.0.0.1", server.port), PATIENCE_S) as connection:
        connection.sendall(first)
        while True:
            assert time.monotonic() < started + PATIENCE_S, "the connection is held for ever"
            try:
                if select.select([connection], [], [], 0.1)[0]:
                    part = connection.recv(65536)
                    if not part:
                        break
                    received += part
                connection.sendall(piece)
            except (ConnectionResetError, BrokenPipeError):
                break
    return time.monotonic() - started, received


def _dribble_answered(server: Server, opening: bytes, piece: bytes) -> tuple[float, bytes]:
    """The same, where the opening is answered if it is sent in time."""
    return until(lambda: _dribble(server, opening, piece), lambda found: found[1])


def test_a_head_that_never_ends_is_not_waited_for(impatient: Server) -> None:
    lasted, received = _dribble(impatient, b"GET /healthz HTTP/1.1\r\n", b"X-Slow: 1\r\n")
    assert lasted > 0.4
    assert received == b""


def test_a_connection_without_a_word_is_closed(impatient: Server) -> None:
    lasted, received = _dribble(impatient, b"", b"")
    assert lasted > 0.4
    assert received == b""


def test_the_head_of_a_second_request_must_not_dawdle_either(impatient: Server) -> None:
    first = request(method=b"GET", path=b"/healthz", close=False)
    _, received = _dribble_answered(impatient, first + b"GET /hea", b"l")
    assert [answer.status for answer in answers(received)] == [200]


def test_a_body_that_never_ends_gets_an_answer_that_says_so(impatient: Server) -> None:
    data = request(GOOD, _with_key(impatient), close=False)
    lasted, received = _dribble_answered(impatient, data[:-60], b" ")
    assert lasted > 0.4
    (answer,) = answers(received)
    assert answer.status == 408
    assert answer.code == "body_timeout"
    assert answer.headers["connection"] == "close"


def test_an_idle_connection_is_closed_after_a_while(impatient: Server) -> None:
    first = request(method=b"GET", path=b"/healthz", close=False)
    lasted, received = _dribble_answered(impatient, first, b"")
    assert lasted > 0.8
    assert [answer.status for answer in answers(received)] == [200]


def test_empty_lines_do_not_keep_a_connection_open(impatient: Server) -> None:
    first = request(method=b"GET", path=b"/healthz", close=False)
    _, received = _dribble_answered(impatient, first, b"\r\n")
    assert [answer.status for answer in answers(received)] == [200]


@pytest.mark.parametrize("path", [b"/nowhere", PRECHECK.encode()])
def test_the_body_of_a_refused_request_is_not_read_for_ever(impatient: Server, path: bytes) -> None:
    head = request(None, {"Content-Length": "60000"}, path=path, close=False)
    _, received = _dribble_answered(impatient, head, b" ")
    assert answers(received)[0].status in (401, 404)


# ---- Connections and heads ---------------------------------------------------------------------


def _charged(server: Server) -> int:
    """How many requests of the demo account were recorded, by its balance."""
    billing = _get(server, "/api/v1/decisions?limit=1").json["billing"]
    spent: float = 100 - billing["remainingBalance"]["amount"]
    return round(spent / 0.05)


def _settled_charges(server: Server, before: int) -> int:
    """How many charges came on top; one more call is charged after all that came before it."""
    assert _post(server, GOOD).status == 200
    return _charged(server) - before - 1


@pytest.mark.parametrize("missing", [1, 60, len(GOOD), len(GOOD) + 4])
def test_half_a_request_ends_without_an_answer_or_a_charge(shared: Server, missing: int) -> None:
    before = _charged(shared)
    data = request(GOOD, _with_key(shared), close=False)[:-missing]
    for answer in answers(shared.raw(data, half_close=True)):
        assert envelope(answer.status, answer.body)["isSuccess"] is False
    assert _settled_charges(shared, before) == 0


def test_a_caller_that_has_nothing_more_to_send_is_answered_or_not_charged(shared: Server) -> None:
    before = _charged(shared)
    data = request(GOOD, _with_key(shared), close=False)
    received = answers(shared.raw(data, half_close=True))
    for answer in received:
        assert envelope(answer.status, answer.body)["isSuccess"] is True
    assert _settled_charges(shared, before) == len(received), "charged for an answer not given"


@pytest.mark.parametrize(
    "garbage",
    [
        b"hello\r\n\r\n",
        b"\x00" * 64,
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\x7f" * 200,
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        b"GET\r\n\r\n",
        b"GET  HTTP/1.1\r\n\r\n",
        b"GET ?x HTTP/1.1\r\nHost: t\r\n\r\n",
        b"GET /healthz HTTP/9.9\r\nHost: t\r\n\r\n",
        b"GET /healthz FTP/1.1\r\nHost: t\r\n\r\n",
        b"FETCH /healthz HTTP/1.1\r\nHost: t\r\n\r\n",
        b"CONNECT t:443 HTTP/1.1\r\nHost: t:443\r\n\r\n",
        b"GET /healthz HTTP/1.1\r\nno colon\r\n\r\n",
        b"GET /healthz HTTP/1.1\r\nBad Name: 1\r\n\r\n",
        b"GET /healthz HTTP/1.1\r\nX: a\x00b\r\n\r\n",
        b"GET /caf\xc3\xa9 HTTP/1.1\r\nHost: t\r\n\r\n",
        b"POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
        b"POST / HTTP/1.1\r\nContent-Length: 1e3\r\n\r\n",
        b"POST / HTTP/1.1\r\nContent-Length: " + b"9" * 5000 + b"\r\n\r\n",
        b"POST / HTTP/1.1\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n",
        b"POST / HTTP/1.1\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n",
        b"POST / HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
        b"GET /healthz HTTP/1.1\r\n\r\n",
        b"GET /healthz HTTP/1.1\r\nHost: t\r\nHost: t\r\n\r\n",
        b"GET /healthz HTTP/1.0\r\nHost: t\r\nHost: u\r\n\r\n",
        b"GET /healthz HTTP/1.1\r\nHost: t\r\nX-API-KEY: a\r\nX-Api-Key: b\r\n\r\n",
        b"GET http://elsewhere HTTP/1.1\r\nHost: t\r\n\r\n",
        b"GET /a\tb HTTP/1.1\r\nHost: t\r\n\r\n",
    ],
)
def test_what_is_not_http_gets_an_envelope_and_is_closed(shared: Server, garbage: bytes) -> None:
    answer = _raw(shared, garbage)
    assert answer.status == 400
    assert answer.code == "malformed_http"
    assert answer.headers["connection"] == "close"
    assert answer.json["billing"] is None


def test_broken_chunks_are_refused_and_not_charged(shared: Server) -> None:
    before = _charged(shared)
    head = request(None, _with_key(shared, **{"Transfer-Encoding": "chunked"}), close=False)
    answer = _raw(shared, head + b"%x\r\n%s\r\nzz\r\n" % (len(GOOD), GOOD))
    assert answer.code == "malformed_http"
    assert _settled_charges(shared, before) == 0


def test_a_good_request_is_answered_although_garbage_follows_it(shared: Server) -> None:
    before = _charged(shared)
    data = request(GOOD, _with_key(shared), close=False) + b"\x00garbage\r\n\r\n"
    received = answers(shared.raw(data))
    paid = [answer for answer in received if answer.status == 200]
    assert _settled_charges(shared, before) == len(paid), "charged for an answer not given"
    assert {answer.status for answer in received} <= {200, 400}
    assert received == sorted(received, key=lambda answer: answer.status), "out of order"
    for answer in received:
        envelope(answer.status, answer.body)


def test_http_1_0_is_answered_and_closed(shared: Server) -> None:
    assert _raw(shared, b"GET /healthz HTTP/1.0\r\n\r\n").status == 200
    answer = _raw(shared, request(GOOD, _with_key(shared), version=b"HTTP/1.0", close=False))
    assert envelope(answer.status, answer.body)["isSuccess"] is True
    assert answer.headers["connection"] == "close"


def test_pipelined_requests_are_answered_in_their_order(shared: Server) -> None:
    before = _charged(shared)
    bodies = [GOOD, b"[]", GOOD, b"{}", GOOD]
    data = b"".join(
        request(body, _with_key(shared, **{"X-Request-Id": f"place-{place}"}), close=place == 4)
        for place, body in enumerate(bodies)
    )
    received = answers(shared.raw(data))
    assert [answer.headers["x-request-id"] for answer in received] == [
        f"place-{place}" for place in range(5)
    ]
    found = [envelope(answer.status, answer.body)["isSuccess"] for answer in received]
    assert found == [True, False, True, False, True]
    assert _charged(shared) - before == 3


def test_a_request_that_arrives_byte_by_byte_is_understood(shared: Server) -> None:
    data = request(GOOD, _with_key(shared))
    with socket.create_connection(("127.0.0.1", shared.port), PATIENCE_S) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for index in range(len(data)):
            connection.sendall(data[index : index + 1])
        (answer,) = answers(read_to_end(connection))
    assert envelope(answer.status, answer.body)["isSuccess"] is True


def test_a_caller_may_ask_before_it_sends_its_body(shared: Server) -> None:
    data = request(GOOD, _with_key(shared, Expect="100-continue"))
    head, body = data[: -len(GOOD)], data[-len(GOOD) :]
    with socket.create_connection(("127.0.0.1", shared.port), PATIENCE_S) as connection:
        connection.sendall(head)
        assert connection.recv(65536) == b"HTTP/1.1 100 Continue\r\n\r\n"
        connection.sendall(body)
        (answer,) = answers(read_to_end(connection))
    assert envelope(answer.status, answer.body)["isSuccess"] is True


def test_a_caller_that_asks_first_is_told_no_before_it_sends(shared: Server) -> None:
    headers = {"Content-Length": str(LIMIT + 1), "Expect": "100-continue"}
    too_large = _raw(shared, request(None, _with_key(shared, **headers)))
    assert too_large.code == "body_too_large"
    no_key = _raw(shared, request(None, JSON | {"Content-Length": "9", "Expect": "100-continue"}))
    assert no_key.code == "missing_key"


@pytest.mark.parametrize("protocol", ["h2c", "websocket", "TLS/1.0"])
def test_an_offer_to_upgrade_is_declined_by_answering_the_request(
    shared: Server, protocol: str
) -> None:
    # Some clients, Java's own among them, offer this with every request over plain HTTP.
    offer = {"Connection": "Upgrade, HTTP2-Settings", "Upgrade": protocol, "HTTP2-Settings": "AAMA"}
    with socket.create_connection(("127.0.0.1", shared.port), PATIENCE_S) as connection:
        connection.sendall(request(GOOD, _with_key(shared, **offer), close=False))
        answer = read_answer(connection)
    assert envelope(answer.status, answer.body)["isSuccess"] is True


def _lines(server: Server, count: int) -> dict[str, str]:
    """So many header lines in all, with those that `request` adds."""
    headers = _with_key(server)
    more = count - len(headers) - 3
    return headers | {f"X-Line-{number}": "1" for number in range(more)}


@pytest.mark.parametrize(("count", "status"), [(100, 200), (101, 431), (500, 431)])
def test_a_hundred_header_lines_are_enough(shared: Server, count: int, status: int) -> None:
    data = request(GOOD, _lines(shared, count))
    assert data.partition(b"\r\n\r\n")[0].count(b"\r\n") == count
    answer = _raw(shared, data)
    assert answer.status == status
    assert answer.code == (None if status == 200 else "headers_too_large")


@pytest.mark.parametrize("name", ["X-Long", "X-API-KEY", "User-Agent", "Idempotency-Key"])
def test_one_header_of_40_kb_is_too_large(shared: Server, name: str) -> None:
    answer = _raw(shared, request(GOOD, _with_key(shared) | {name: "x" * 40_000}))
    assert answer.status == 431
    assert answer.code == "headers_too_large"


def test_a_head_that_grows_too_large_is_not_read_to_its_end(shared: Server) -> None:
    with socket.create_connection(("127.0.0.1", shared.port), PATIENCE_S) as connection:
        connection.sendall(b"GET /healthz HTTP/1.1\r\nX-Long: " + b"x" * 40_000)
        (answer,) = answers(read_to_end(connection))
    assert answer.status == 431
    assert answer.code == "headers_too_large"


@pytest.mark.parametrize("complete", [True, False])
def test_the_request_line_counts_as_part_of_the_head(shared: Server, complete: bool) -> None:
    data = request(method=b"GET", path=b"/" + b"x" * 40_000)
    answer = _raw(shared, data if complete else data[:40_000])
    assert answer.status == 431
    assert answer.code == "headers_too_large"


@pytest.mark.parametrize(
    ("path", "status"),
    [
        (b"/", 307),
        (b"//", 404),
        (b"/api", 404),
        (b"/api/v1", 404),
        (b"/api/v1/precheck/", 404),
        (b"//api/v1/precheck", 404),
        (b"/api/v1/../v1/healthz", 404),
        (b"/healthz%00", 404),
        (b"/%00%01%ff%fe", 404),
        (b"/%zz%", 404),
        (b"/caf%C3%A9/%F0%9F%9A%AA", 404),
        (b"/%2e%2e/%2e%2e/etc/passwd", 404),
        (b"/" + b"x" * 30_000, 404),
        (b"/%68ealthz", 200),
        (b"http://elsewhere/healthz", 200),
        (b"/healthz?" + b"x" * 20_000, 200),
        (b"/healthz?%00=%ff&&==", 200),
    ],
)
def test_any_path_has_an_answer(shared: Server, path: bytes, status: int) -> None:
    answer = _raw(shared, request(method=b"GET", path=path))
    assert answer.status == status
    if status == 404:
        assert answer.code == "not_found"


@pytest.mark.parametrize(
    "method", [b"GET", b"HEAD", b"OPTIONS", b"PUT", b"PATCH", b"DELETE", b"TRACE", b"PROPFIND"]
)
def test_another_method_is_told_which_one_is_meant(shared: Server, method: bytes) -> None:
    data = request(None, {"X-Echo": "do not repeat me"}, method=method)
    answer = _raw(shared, data, bodiless=method == b"HEAD")
    assert answer.status == 405
    assert answer.headers["allow"] == "POST"
    assert b"do not repeat me" not in answer.body
    if method != b"HEAD":
        assert answer.code == "method_not_allowed"


@pytest.mark.parametrize("path", [b"/healthz", b"/readyz", b"/docs", b"/openapi.json", b"/metrics"])
def test_head_is_get_without_the_body(shared: Server, path: bytes) -> None:
    answer = _raw(shared, request(method=b"HEAD", path=path), bodiless=True)
    assert answer.status == 200
    assert int(answer.headers["content-length"]) > 0
    assert _raw(shared, request(b"{}", method=b"POST", path=path)).code == "method_not_allowed"


@pytest.mark.parametrize(
    ("media_type", "status"),
    [
        (None, 415),
        ("", 415),
        ("text/plain", 415),
        ("application/x-www-form-urlencoded", 415),
        ("application/jsonp", 415),
        ("application/json, text/plain", 415),
        ("json", 415),
        (";", 415),
        ("application/json", 200),
        ("application/json; charset=utf-8", 200),
        ("application/json;charset=UTF-8", 200),
        ("Application/JSON", 200),
        ("application/json ; version=1; x", 200),
    ],
)
def test_only_json_is_taken_for_json(shared: Server, media_type: str | None, status: int) -> None:
    headers = {"X-API-KEY": sandbox_key(shared.home)}
    if media_type is not None:
        headers["Content-Type"] = media_type
    answer = _raw(shared, request(GOOD, headers))
    assert answer.status == status
    assert answer.code == (None if status == 200 else "unsupported_media_type")


@pytest.mark.parametrize(
    "key",
    [b"", b" ", b"x", b"x" * 30_000, b"gh_sandbox_", b"gh_sandbox_" + b"\xff" * 43, b"\xc3\xa9",
     b"gh_sandbox_" + b"A" * 43, b"gh_sandbox_" + b"A" * 43 + b"\t"],
)  # fmt: skip
def test_a_key_of_any_shape_is_refused_alike(shared: Server, key: bytes) -> None:
    answer = _raw(shared, request(GOOD, {**JSON, "X-API-KEY": key}))
    assert answer.status == 401
    assert answer.code in ("missing_key", "invalid_key")
    assert answer.headers["www-authenticate"]
    assert answer.json["billing"] is None


@pytest.mark.parametrize("key", [b"", b"a b", b"x" * 256, b"caf\xc3\xa9", b"\xff", b"a\tb"])
def test_an_idempotency_key_of_another_shape_is_refused(shared: Server, key: bytes) -> None:
    before = _charged(shared)
    answer = _raw(shared, request(GOOD, {**_with_key(shared), "Idempotency-Key": key}))
    assert answer.code == "invalid_idempotency_key"
    assert _charged(shared) == before


@pytest.mark.parametrize("given_id", [b"", b"a b", b"x" * 129, b"\xff\xfe", b"a\tb"])
def test_a_trace_id_of_another_shape_is_replaced(shared: Server, given_id: bytes) -> None:
    answer = _raw(shared, request(GOOD, {**_with_key(shared), "X-Request-Id": given_id}))
    assert answer.headers["x-request-id"] == answer.json["requestId"]


@pytest.mark.parametrize(
    ("query", "wrong"),
    [
        ("limit=0", "limit"),
        ("limit=101", "limit"),
        ("limit=-1", "limit"),
        ("limit=1e1", "limit"),
        ("limit=", "limit"),
        ("limit=%EF%BC%95", "limit"),
        ("limit=" + "9" * 5000, "limit"),
        ("limit=5%00", "limit"),
        ("startingAfter=", "startingAfter"),
        ("startingAfter=req_", "startingAfter"),
        ("startingAfter=%F0%9F%9A%AA", "startingAfter"),
        ("clientReferenceId=" + "x" * 129, "clientReferenceId"),
    ],
)
def test_a_wrong_search_names_its_parameter(shared: Server, query: str, wrong: str) -> None:
    answer = _get(shared, f"/api/v1/decisions?{query}")
    errors = envelope(answer.status, answer.body)["errors"]
    assert errors["code"] == "invalid_request"
    assert list(errors["fieldErrors"]) == [wrong]


@pytest.mark.parametrize("count", [99, 100, 101, 3000])
def test_a_search_with_many_parameters_is_no_defect(shared: Server, count: int) -> None:
    answer = _get(shared, "/api/v1/decisions?" + "&".join(["a=1"] * count))
    assert answer.status in (200, 400), answer
    envelope(answer.status, answer.body)


# ---- People ------------------------------------------------------------------------------------

MIXED = "".join(["Аmеliа", " Wһitfield", "アメリア", "أميليا"])
PEOPLE_TEXTS = [
    "\u0301" * 64,
    "A" + "\u0301\u0323" * 31,
    "\u200f\u202eAmelia\u202c\u200e",
    "\u2067Whitfield\u2069",
    MIXED,
    "Am\u200be\u200cl\u200di\ufeffa",
    "\u00adWhit\u2060field",
    "12345",
    "٣٤٥٦",
    "4242424242424242",
    "0",
    "-",
    "'",
    "Robert'); DROP TABLE identities;--",
    "%s %(x)s {} {0} ${y} \\u0000",
    "<script>alert(1)</script>",
    "👩‍👩‍👧‍👦",
    "\U0010ffff\ue000\ufdd0",
    "ﷺ" * 16,
    "ß" * 64,
    "İ" * 64,
    "ŉ" * 64,
    "x" * 64,
    "a b " * 16,
    "- " * 32,
    "nul \x00 here",
    "\x1b[31m\r\n",
]
PHONES = ["1-800-FLOWERS", "call me", "+", "++1", "0" * 32, "9" * 32, "+1" + "0" * 30,
          "tel:+1;ext=", "+1 415 555 0132 ext. 99999999999", "٠١٢٣٤٥٦٧٨٩", "(" * 15]  # fmt: skip
EMAILS = ['"quoted \\" name"@example.com', '"@"@example.com', "@", "a@", "@b", "a@b@c", "a" * 254,
          "a@" + "b." * 126, "a@[127.0.0.1]", "a@[IPv6:::1]", "ä@ö.example", "a@xn--", "a@xn--999",
          "a\n@example.com", "a@example.com\x00", "\u202ea@example.com", "a@.", "a@-.-",
          "(comment)a@example.com", "a@４２.example"]  # fmt: skip


def _verify(server: Server, **changes: Any) -> dict[str, Any]:
    """ID Verify of the sandbox's Amelia with some fields changed."""
    content = json.dumps(AMELIA | changes, ensure_ascii=False).encode()
    answer = _raw(server, request(content, _with_key(server), path=b"/api/v1/idverify"))
    return envelope(answer.status, answer.body)


def _results(found: dict[str, Any]) -> set[str]:
    """All words of an answer about the values, which must be in the set of words."""
    told = found["idVerifyResponse"]
    name = dict(told["cardHolderNameVerificationResult"])
    assert name.pop("nameResult") == "PERFORMED"
    words = {
        told["cardHolderEmailAddressVerificationResults"],
        told["cardHolderPhoneNumberVerificationResults"],
        *name.values(),
        *told["idVerification"].values(),
    }
    assert words <= {word.value for word in Result}
    return words


@pytest.mark.parametrize("text", PEOPLE_TEXTS, ids=range(len(PEOPLE_TEXTS)))
def test_any_text_is_compared_as_a_name_and_as_an_identifier(shared: Server, text: str) -> None:
    parts = {"firstName": text, "middleName": text, "lastName": text}
    ids = dict.fromkeys(("DRIVERLICENSE", "PASSPORT", "NATIONALIDENTITY", "TAX"), text)
    found = _verify(shared, cardHolderName=parts, cardHolderIds=ids)
    assert found["isSuccess"] is True
    assert _results(found) <= {"MATCH", "PARTIAL_MATCH", "NO_MATCH", "UNKNOWN"}
    told = found["idVerifyResponse"]
    assert set(told["idVerification"]) == set(ids)
    assert "MATCH" not in told["idVerification"].values()
    assert told["cardHolderNameVerificationResult"]["nameMatchDecision"] != "MATCH"


@pytest.mark.parametrize("text", [*PHONES, *PEOPLE_TEXTS], ids=range(len(PHONES + PEOPLE_TEXTS)))
def test_what_is_not_the_phone_number_does_not_match(shared: Server, text: str) -> None:
    found = _verify(shared, cardHolderPhoneNumber=text[:32])
    told = found["idVerifyResponse"]["cardHolderPhoneNumberVerificationResults"]
    assert told == ("PARTIAL_MATCH" if "ext. 9" in text else "NO_MATCH")


@pytest.mark.parametrize("text", [*EMAILS, *PEOPLE_TEXTS], ids=range(len(EMAILS + PEOPLE_TEXTS)))
def test_what_is_not_the_address_does_not_match(shared: Server, text: str) -> None:
    found = _verify(shared, cardHolderEmailAddress=text)
    assert found["idVerifyResponse"]["cardHolderEmailAddressVerificationResults"] == "NO_MATCH"


TOO_MUCH = {
    "10,000 combining marks": "e" + "\u0301" * 10_000,
    "10,000 letters": "x" * 10_000,
    "60,000 digits": "1" * 60_000,
    "10,000 directions": "\u202e" * 9_999 + "x",
    "empty": "",
    "spaces": " " * 30,
    "zero width": "\u200b\u200d\ufeff",
    "directions": "\u202e\u200f\u2066",
    "fillers": "\u3164\u115f\u2800",
}


@pytest.mark.parametrize("text", TOO_MUCH.values(), ids=TOO_MUCH)
def test_what_is_too_long_or_nothing_at_all_is_an_error_of_its_field(
    shared: Server, text: str
) -> None:
    for field in ("cardHolderEmailAddress", "cardHolderPhoneNumber"):
        assert _refused_fields(_verify(shared, **{field: text}), text) == {field}
    for part in ("firstName", "middleName", "lastName"):
        found = _verify(shared, cardHolderName={"lastName": "Whitfield", part: text})
        assert _refused_fields(found, text) == {f"cardHolderName.{part}"}
    for kind in ("DRIVERLICENSE", "PASSPORT", "NATIONALIDENTITY", "TAX"):
        found = _verify(shared, cardHolderIds={kind: text})
        assert _refused_fields(found, text) == {f"cardHolderIds.{kind}"}


def _refused_fields(found: dict[str, Any], text: str) -> set[str]:
    assert found["errors"]["code"] == "invalid_request"
    assert not (text.strip() and text in json.dumps(found, ensure_ascii=False))
    return set(found["errors"]["fieldErrors"])


@pytest.mark.parametrize("value", [True, 7, -0.5, [], {}, ["x"], {"value": "x"}])
def test_a_personal_field_of_another_type_is_named(shared: Server, value: Any) -> None:
    for field in ("cardHolderEmailAddress", "cardHolderPhoneNumber"):
        assert _refused_fields(_verify(shared, **{field: value}), "") == {field}
    for part in ("firstName", "middleName", "lastName", "ownerType"):
        found = _verify(shared, cardHolderName={part: value})
        assert _refused_fields(found, "") == {f"cardHolderName.{part}"}
    found = _verify(shared, cardHolderIds={"TAX": value})
    assert _refused_fields(found, "") == {"cardHolderIds.TAX"}
    if not isinstance(value, dict):
        found = _verify(shared, cardHolderName=value, cardHolderIds=value)
        assert _refused_fields(found, "") == {"cardHolderName", "cardHolderIds"}


def test_an_identifier_of_a_megabyte_is_too_large_a_body(shared: Server) -> None:
    content = json.dumps(AMELIA | {"cardHolderIds": {"TAX": "1" * 1_000_000}}).encode()
    head = _with_key(shared, **{"Content-Length": str(len(content))})
    answer = _raw(shared, request(None, head, path=b"/api/v1/idverify"))
    assert answer.status == 413
    assert answer.code == "body_too_large"
    assert answer.json["idVerifyResponse"] is None


def test_ten_thousand_unknown_identifiers_are_refused_within_bounds(shared: Server) -> None:
    found = _verify(shared, cardHolderIds={f"K{n}": "" for n in range(5000)})
    assert len(found["errors"]["fieldErrors"]) == 100


# ---- Anything ----------------------------------------------------------------------------------

_SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=40)
    | st.sampled_from(["4242424242424242", "2035-12", "123", "", "0"])
)
_VALUES = st.recursive(
    _SCALARS,
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4)
    ),
    max_leaves=12,
)
_FIELDS = st.sampled_from([*BODY, "clientReferenceId", "street", "postalCode", "x"])
_PEOPLE_FIELDS = st.sampled_from([*AMELIA, *AMELIA["cardHolderName"], *AMELIA["cardHolderIds"]])
_PEOPLE = st.dictionaries(
    _PEOPLE_FIELDS, _VALUES | st.dictionaries(_PEOPLE_FIELDS, _VALUES, max_size=3)
)
_REQUESTS = st.dictionaries(_FIELDS, _VALUES | st.dictionaries(_FIELDS, _VALUES, max_size=3))
_ALMOST = st.builds(lambda changes: BODY | changes, _REQUESTS)
_anything = settings(
    max_examples=60,
    deadline=None,
    database=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


def _check_any(server: Server, content: bytes, headers: dict[str, str]) -> None:
    answer = _post(server, content, **headers)
    assert answer.status in (200, 400), answer
    body = envelope(answer.status, answer.body)
    if answer.status == 400:
        assert body["errors"]["code"] == "malformed_body"


@_anything
@given(value=_VALUES | _REQUESTS | _ALMOST, escaped=st.booleans())
def test_any_json_value_gets_an_envelope(shared: Server, value: Any, escaped: bool) -> None:
    content = json.dumps(value, ensure_ascii=escaped).encode()
    _check_any(shared, content, {})
    # Protected against repetition, the same body fares the same.
    _check_any(shared, content, {"Idempotency-Key": f"any-{hash(content)}"})


@_anything
@given(changes=_PEOPLE, escaped=st.booleans())
def test_any_json_about_a_person_gets_an_envelope(
    shared: Server, changes: dict[str, Any], escaped: bool
) -> None:
    content = json.dumps(AMELIA | changes, ensure_ascii=escaped).encode()
    for headers in ({}, {"Idempotency-Key": f"person-{hash(content)}"}):
        data = request(content, _with_key(shared, **headers), path=b"/api/v1/idverify")
        answer = _raw(shared, data)
        assert answer.status in (200, 400), answer
        envelope(answer.status, answer.body)


@_anything
@given(content=st.binary(max_size=200) | st.text(max_size=200).map(str.encode))
def test_any_bytes_get_an_envelope(shared: Server, content: bytes) -> None:
    _check_any(shared, content, {})

"""What a client written from the description of the API alone may rely on, tried from outside."""

import gzip
import json
import re
from typing import Any

import httpx
import pytest

from gatehouse.api.docs.guides import guides_root
from gatehouse.store.admin.admin_session import AdminSession
from tests.harness import BODY, PURCHASE, VISIT, Server, pipeline, precheck, sentry
from tests.web.answers import ZERO, record, refused
from tests.web.merchant import Merchant

GZIP = {"content-encoding": "gzip", "content-type": "application/json"}


def answered(answer: httpx.Response) -> dict[str, Any]:
    body: dict[str, Any] = answer.json()
    assert (answer.status_code, body["isSuccess"]) == (200, True), body
    return body


def send(client: httpx.Client, operation: str, body: str | bytes, **headers: str) -> httpx.Response:
    head = {"content-type": "application/json", **headers}
    return client.post(f"/api/v1/{operation}", content=body, headers=head)


@pytest.mark.parametrize(("written", "read"), [("1.0", 1), ("1e3", 1000)])
def test_a_whole_number_may_have_a_point_or_an_exponent(
    client: httpx.Client, written: str, read: int
) -> None:
    told = json.dumps(BODY)[1:]
    answer = send(client, "precheck", f'{{"clientReferenceId": {written}, {told}')
    answered(answer)
    assert record(client, answer)["clientReferenceId"] == read
    order = json.dumps(PURCHASE)[1:].replace('"pipelineId": 1,', "")
    answered(send(client, "pipeline", f'{{"pipelineId": 1.0, {order}'))
    wrong = send(client, "pipeline", f'{{"pipelineId": 1.5, {order}').json()
    assert wrong["errors"]["fieldErrors"] == {"pipelineId": ["must be an integer"]}
    limit = json.dumps({"limit": 1.0})
    found = answered(send(client, "decisions/search", limit))["decisionsResponse"]
    assert len(found["decisions"]) == 1


OWN = {"cid": "C-2081", "pinCode": "560001", "cvv": "737", "more": [{"pin": 4711}], "plan": "gold"}


@pytest.mark.parametrize("operation", ["sentry", "rules", "pipeline"])
def test_a_code_among_custom_inputs_is_dropped_with_a_warning(
    client: httpx.Client, operation: str
) -> None:
    prefix, body = "", {"customInputs": OWN}
    if operation == "pipeline":
        prefix, body = "sentryRequest.", PURCHASE | {"sentryRequest": VISIT | body}
    answer = send(client, operation, json.dumps(body))
    warnings = {each["path"]: each["message"] for each in answered(answer)["warnings"]}
    codes = {f"{prefix}customInputs.cvv", f"{prefix}customInputs.more[0].pin"}
    assert codes <= warnings.keys()
    assert all("cardCvv2Value" in warnings[code] for code in codes)
    kept = json.dumps(record(client, answer))
    # Approval codes and ids are made by chance, so the codes are looked for as whole values.
    assert not re.findall(r"(?<![\w.])(?:737|4711)(?![\w.])", kept)
    if operation != "sentry":
        assert '"custom.pinCode": "560001"' in kept
    strict = send(client, operation, json.dumps(body), prefer="handling=strict").json()
    assert codes <= strict["errors"]["fieldErrors"].keys()


def test_a_repeat_with_another_dropped_code_is_the_same_request(client: httpx.Client) -> None:
    """Not even a hash of a code is kept."""
    codes = ({"cvv": "737", "plan": "a"}, {"cvv": "738", "plan": "a"}, {"plan": "b"})
    first, again, other = (
        send(client, "sentry", json.dumps({"customInputs": own}), **{"idempotency-key": "codes"})
        for own in codes
    )
    assert first.content == again.content
    assert again.headers["idempotent-replayed"] == "true"
    refused(other, 422, "idempotency_key_reused")


@pytest.mark.parametrize(
    ("address", "result"),
    [
        ({"postalCode": " ", "street": "1 Main Street"}, "STREET_MATCH"),
        ({"postalCode": "94105", "street": "\t \u00a0"}, "POSTCODE_MATCH"),
        ({"postalCode": "   "}, None),
        ({"postalCode": " ", "street": "  "}, None),
    ],
)
def test_a_blank_part_of_an_address_is_as_if_it_had_not_been_sent(
    client: httpx.Client, address: dict[str, str], result: str | None
) -> None:
    body = precheck(client, BODY | {"cardAddress": address}).json()
    if result is None:
        said = ["must have at least one of postalCode and street"]
        assert body["errors"]["fieldErrors"] == {"cardAddress": said}
    else:
        assert body["preCheckResponse"]["avsResult"] == result


def cart(lines: int) -> dict[str, Any]:
    line = {"category": "Women's shoes / Sandals", "price": 59.99, "quantity": 2}
    items = [line | {"itemId": f"sku-{number:08d}-blue-38"} for number in range(lines)]
    return VISIT | {"shoppingCart": {"items": items}}


def test_a_thousand_ordinary_lines_fit_into_a_cart(client: httpx.Client) -> None:
    assert len(json.dumps(cart(1000))) > 100_000
    answered(sentry(client, cart(1000)))
    answered(pipeline(client, PURCHASE | {"sentryRequest": cart(1000)}))
    more = sentry(client, cart(1001)).json()
    assert list(more["errors"]["fieldErrors"]) == ["shoppingCart.items"]
    for many in ("1," * 20_000, "1:1" * 10_000):
        large = {"customInputs": {"text": many + "x" * 65_536}}
        refused(sentry(client, large), 400, "malformed_body")
    large = {"customInputs": {"text": "x" * 262_144}}
    body = refused(sentry(client, large), 413, "body_too_large")
    assert body["errors"]["globalErrors"] == ["at most 262144 bytes"]
    # Other operations have no carts.
    large = BODY | {"clientReferenceId": "x" * 65_536}
    body = refused(precheck(client, large), 413, "body_too_large")
    assert body["errors"]["globalErrors"] == ["at most 65536 bytes"]


def test_a_body_may_be_compressed_with_gzip(client: httpx.Client) -> None:
    packed = gzip.compress(json.dumps(BODY).encode())
    for coding in ("gzip", "GZIP", "identity, gzip"):
        answered(send(client, "precheck", packed, **{"content-encoding": coding}))
    plain = json.dumps(BODY)
    answered(send(client, "precheck", plain, **{"content-encoding": "identity"}))


PACKED = gzip.compress(b"{}", mtime=0)
NO_SMALL_FILES = {
    "one that unpacks to too much": (gzip.compress(b" " * 10_000_000), 413, "body_too_large"),
    "half of one": (PACKED[:-4], 400, "malformed_body"),
    "two": (PACKED + PACKED, 400, "malformed_body"),
    "one and more": (PACKED + b"x", 400, "malformed_body"),
    "none": (b'{"plain": true}', 400, "malformed_body"),
    "nothing": (b"", 400, "malformed_body"),
}


@pytest.mark.parametrize("name", NO_SMALL_FILES)
def test_what_is_no_small_gzip_file_is_refused(client: httpx.Client, name: str) -> None:
    body, status, code = NO_SMALL_FILES[name]
    refused(client.post("/api/v1/precheck", content=body, headers=GZIP), status, code)


@pytest.mark.parametrize("coding", ["br", "deflate", "zstd", "gzip, gzip", "gzip, br", "x"])
def test_another_encoding_is_refused_with_what_can_be_sent(
    client: httpx.Client, coding: str
) -> None:
    answer = send(client, "precheck", b"{}", **{"content-encoding": coding})
    body = refused(answer, 415, "unsupported_media_type")
    assert "Content-Encoding: gzip" in body["errors"]["globalErrors"][0]


@pytest.mark.parametrize(
    ("path", "meant"),
    [
        ("/api/v1/preCheck", "/api/v1/precheck"),
        ("/api/v1/precheck/", "/api/v1/precheck"),
        ("/precheck", "/api/v1/precheck"),
        ("/api/pipelin", "/api/v1/pipeline"),
        ("/v1/id-verify", "/api/v1/idverify"),
        ("/api/v2/sentry", "/api/v1/sentry"),
        ("/api/v1/balances", "/api/v1/balance"),
    ],
)
def test_a_wrong_path_names_the_nearest_one_and_the_balance(
    client: httpx.Client, path: str, meant: str
) -> None:
    body = refused(client.post(path, json={}), 404, "not_found")
    assert body["errors"]["globalErrors"] == [f"there is no such path; did you mean {meant}?"]
    assert body["billing"]["remainingBalance"]["amount"] > 0
    assert body["billing"]["amountClosed"] == ZERO


def test_a_path_like_no_other_leads_to_the_list_of_all(client: httpx.Client) -> None:
    for path in ("/api/v1/zzzzzz", "/" + "x" * 5000, "/api/v1/"):
        [said] = refused(client.post(path), 404, "not_found")["errors"]["globalErrors"]
        assert said.endswith("/openapi.json")


def test_a_wrong_method_tells_the_balance(client: httpx.Client) -> None:
    answer = client.get("/api/v1/precheck")
    assert answer.headers["allow"] == "POST"
    body = refused(answer, 405, "method_not_allowed")
    assert body["billing"]["remainingBalance"]["amount"] > 0


def test_callers_with_a_key_are_told_the_newest_revision_in_the_guide(
    client: httpx.Client, shared: Server
) -> None:
    root = guides_root()
    assert root is not None
    guide = (root / "docs" / "api.md").read_text("utf-8")
    newest = max(re.findall(r"^\| `(\d{4}-\d\d-\d\d)` \|", guide, re.MULTILINE))
    for answer in (precheck(client), precheck(client, {}), client.get("/api/v1/nothing")):
        assert answer.headers["gatehouse-revision"] == newest
    with shared.client("gh_sandbox_wrong") as stranger:
        for path in ("/api/v1/pipelines", "/api/v1/nothing", "/healthz", "/openapi.json"):
            assert "gatehouse-revision" not in stranger.get(path).headers


def test_strangers_learn_nothing_from_a_wrong_path(
    shared: Server, merchant: Merchant, session: AdminSession
) -> None:
    with shared.client() as stranger:
        wrong = merchant.key[:-4] + "aaaa"
        for headers in ({}, {"x-api-key": wrong}, {"x-api-key": merchant.key, "origin": "null"}):
            for path in ("/api/v1/preChek", "/api/v1/precheck"):
                body = stranger.get(path, headers=headers).json()
                assert "mean" not in str(body["errors"])
                assert body["billing"] is None


def test_calls_of_a_wrong_path_use_up_the_rate_of_a_key(
    shared: Server, session: AdminSession
) -> None:
    key = shared.home.key(Merchant(session).account, "--rate-limit", "1")
    with shared.client(key) as client:
        answers = [client.get("/api/v1/nothing") for _ in range(5)]
    assert answers[0].headers["ratelimit-limit"] == "2"
    assert answers[-1].status_code == 429

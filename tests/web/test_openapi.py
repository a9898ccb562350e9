"""Our own description of the API, held against the running service."""

from typing import Any

import httpx
import pytest
import schemathesis
from hypothesis import HealthCheck, settings
from schemathesis import Case

from gatehouse.bootstrap import make_operations
from gatehouse.settings import Settings
from gatehouse.web.openapi import openapi_document
from gatehouse.web.problems import CODES
from tests.harness import Server, precheck, sandbox_key


@pytest.fixture(scope="module")
def key(shared: Server) -> str:
    return shared.home.key(shared.home.account("1000"), "--rate-limit", "0")


DOCUMENT = openapi_document(make_operations(Settings()))
schema = schemathesis.openapi.from_dict(DOCUMENT)


@schema.parametrize()
@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
def test_every_answer_to_generated_requests_fits_the_description(
    case: "Case[Any]", key: str, shared: Server
) -> None:
    headers = {"X-API-KEY": key}
    # The generator likes to use one key for many bodies, which is rightly refused.
    case.headers.pop("Idempotency-Key", None)
    response = case.call(base_url=shared.base, headers=headers)
    assert response.status_code < 500
    case.validate_response(response, headers=headers, excluded_checks=_EXCLUDED)


# A request that breaks a field's rule is answered 200 with isSuccess false, by contract; these
# checks insist on 4xx for it.
_EXCLUDED = [
    schemathesis.checks.negative_data_rejection,
    schemathesis.checks.missing_required_header,
    schemathesis.checks.ignored_auth,
]


def test_the_documented_example_is_a_working_request(shared: Server) -> None:
    document = httpx.get(f"{shared.base}/openapi.json").json()
    assert document == DOCUMENT
    assert document["openapi"].startswith("3.1")
    operation = document["paths"]["/api/v1/precheck"]["post"]
    example = operation["requestBody"]["content"]["application/json"]["example"]
    shown = operation["responses"]["200"]["content"]["application/json"]["examples"]
    with shared.client(sandbox_key(shared.home)) as client:
        answer = precheck(client, example).json()
    assert answer["preCheckResponse"] == shown["processed"]["value"]["preCheckResponse"]
    assert answer.keys() == shown["processed"]["value"].keys() == shown["refused"]["value"].keys()


def test_every_code_and_its_status_are_in_the_description(shared: Server) -> None:
    document = httpx.get(f"{shared.base}/openapi.json").json()
    described = {
        (int(status), code)
        for path in document["paths"].values()
        for operation in path.values()
        for status, response in operation["responses"].items()
        for code in CODES
        if f"`{code}`" in response["description"]
    }
    assert described == {(c.status, name) for name, c in CODES.items() if c.status != 200}

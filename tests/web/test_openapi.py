"""Our own description of the API, held against the running service."""

from collections.abc import Iterator
from copy import deepcopy
from importlib import import_module
from itertools import count
from typing import TYPE_CHECKING, Any, Final

import httpx
import pytest
from hypothesis import HealthCheck, settings

from gatehouse.admin.events.routes import LONGEST_WAIT_S
from gatehouse.api.manage.declared import endpoint_of
from gatehouse.api.openapi.document import openapi_document, path_of
from gatehouse.api.openapi.manage import is_managing
from gatehouse.api.problems import CODES, PROVIDER_CODES
from gatehouse.connectors.sandbox.parties import SandboxGateway, SandboxIdentities, SandboxIssuer
from gatehouse.core.errors import Conflict
from gatehouse.core.subject import subjects
from gatehouse.idverify.source import Holders, IdentityEnquiry
from gatehouse.operations.account_setup import Builder, Setups
from gatehouse.operations.catalogue import Parties, make_operations, make_stages
from gatehouse.operations.operation import Operation
from gatehouse.operations.planning import Pipelines
from gatehouse.sentry.entities import EntityHasher
from gatehouse.sentry.memory.local import LocalMemory
from gatehouse.settings.settings import Settings
from gatehouse.signals.builder import LiveSignalBuilder
from gatehouse.signals.fingerprinter import Fingerprinter
from gatehouse.store.admin.use_case import use_cases_in
from gatehouse.store.configured.signing import Signer
from gatehouse.store.database import Database
from gatehouse.store.jobs import TooManyJobs
from tests.harness import PATIENCE_S, Server, sandbox_key
from tests.operations.test_account_setup import Nothing
from tests.web.named_refusals import refusals_named_by

# Every worker collects all tests; only the one that generates requests loads the packages for it.
if TYPE_CHECKING:
    import requests
    from schemathesis import Case


@pytest.fixture(scope="module")
def key(shared: Server) -> str:
    return shared.home.key(shared.home.account("1000"), "--rate-limit", "0")


class Nobody:
    """Records that know nobody."""

    async def find(self, enquiry: IdentityEnquiry) -> Holders:
        return Holders()


def _operations() -> list[Operation]:
    """What a server offers, without a server."""
    book, memory, hasher = Nothing(), LocalMemory(1000), EntityHasher(b"k" * 32)
    parties = Parties(
        SandboxIssuer(), SandboxIdentities(Nobody()), book, memory, hasher, SandboxGateway()
    )
    stages = make_stages(Settings(), parties)
    builder = Builder(stages)
    kept = Fingerprinter(hasher)
    setups = Setups(
        Database("sqlite:///never-opened.db", timeout_ms=1000), builder, Signer(bytes(32))
    )
    survey = LiveSignalBuilder(builder.shipped_sentry, book, memory, kept)
    return make_operations(stages, Pipelines(setups, survey))


OPERATIONS = _operations()
DOCUMENT = openapi_document(OPERATIONS)
# Keys without scopes manage nothing; test_manage.py holds its answers against the description.
CALLS = [
    (path, method)
    for path, item in DOCUMENT["paths"].items()
    for method in item
    if not is_managing(path)
]

ONE_IN = {"/pipeline": 8, "/decisions/search": 4, "/reviews/search": 4, "/sentry": 3}
"""Of the hundreds of requests at the bounds of the largest schemas, one in so many is sent: a
pipeline has the parts of other operations, and searches have many conditions of each kind.
"""


@pytest.fixture(scope="module")
def described() -> Any:
    import schemathesis

    return schemathesis.openapi.from_dict(DOCUMENT)


@pytest.fixture(scope="module")
def line() -> "Iterator[requests.Session]":
    """A connection that stays open."""
    import requests

    with requests.Session() as session:
        # No proxies are looked for at every request.
        session.trust_env = False
        yield session


@pytest.mark.parametrize(("path", "method"), CALLS)
def test_every_answer_to_generated_requests_fits_the_description(
    described: Any, key: str, shared: Server, line: "requests.Session", path: str, method: str
) -> None:
    from schemathesis.generation.feedback import FeedbackSources
    from schemathesis.generation.meta import TestPhase
    from schemathesis.pytest._test_builder import build_operation_test

    one_in = ONE_IN.get(path.removeprefix("/api/v1"), 1)
    at_bounds = count()

    # The requests at the bounds of the schemas come on top of these.
    @settings(max_examples=10, deadline=None, suppress_health_check=list(HealthCheck))
    def check(case: "Case[Any]") -> None:
        is_at_bounds = case.meta is not None and case.meta.phase.name is TestPhase.COVERAGE
        if not is_at_bounds or next(at_bounds) % one_in == 0:
            _check_answer(case, key, shared, line)

    # `parametrize` of the library would make all requests while tests are collected, which takes
    # every worker two seconds; this is what it calls.
    whole = build_operation_test(
        config=described.config,
        operation=described[path][method],
        test_func=check,
        given_kwargs={},
        feedback=FeedbackSources(),
    )
    whole()


def _check_answer(case: "Case[Any]", key: str, shared: Server, line: "requests.Session") -> None:
    from schemathesis import checks

    headers = {"X-API-KEY": key}
    # The generator likes to use one key for many bodies, which is rightly refused.
    case.headers.pop("Idempotency-Key", None)
    # Nothing comes while a caller waits for events, who would be told so half a minute later.
    wait = str(case.query.get("wait"))
    if wait.isdecimal() and int(wait) <= LONGEST_WAIT_S:
        case.query["wait"] = 0
    response = case.call(base_url=shared.base, headers=headers, session=line)
    assert response.status_code < 500
    # A request that breaks a field's rule is answered 200 with isSuccess false, by contract; these
    # checks insist on 4xx for it.
    excluded = [checks.negative_data_rejection, checks.missing_required_header, checks.ignored_auth]
    if response.status_code == 413 or (
        response.status_code == 400 and _is_too_much(response.json())
    ):
        # Lists that are as long as they may be can make a body too large, and what no field is for
        # can hold more numbers than are read; a schema cannot say that.
        excluded.append(checks.positive_data_acceptance)
    case.validate_response(response, headers=headers, excluded_checks=excluded)


def _is_too_much(answer: dict[str, Any]) -> bool:
    """Whether the body as a whole had more of something than is read."""
    problems = (answer.get("errors") or {}).get("globalErrors") or []
    return any(each.startswith("the body has more than ") for each in problems)


def test_the_server_shows_the_description_of_all_its_operations(shared: Server) -> None:
    document = httpx.get(f"{shared.base}/openapi.json", timeout=PATIENCE_S).json()
    assert document == DOCUMENT
    assert document["openapi"].startswith("3.1")
    assert {path_of(one) for one in OPERATIONS} <= set(document["paths"])


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda one: one.name)
def test_the_documented_examples_are_what_the_service_answers(
    shared: Server, operation: Operation
) -> None:
    described = DOCUMENT["paths"][path_of(operation)]["post"]
    example = described["requestBody"]["content"]["application/json"]["example"]
    shown = described["responses"]["200"]["content"]["application/json"]["examples"]
    # A copy, because other tests use the document as well.
    processed, refused = deepcopy(shown["processed"]["value"]), shown["refused"]["value"]
    with shared.client(sandbox_key(shared.home)) as client:
        answer = client.post(path_of(operation), json=example).json()
        mistaken = client.post(path_of(operation), json=operation.mistaken).json()
    for found in (answer, processed):
        # Every payment has a code and ids of its own.
        for name in ("approvalCode", "paymentId", "networkTransactionId"):
            found[operation.field].get("gatewayResponse", {}).pop(name, None)
    assert answer[operation.field] == processed[operation.field]
    assert answer["billing"]["items"] == processed["billing"]["items"]
    assert answer.keys() == processed.keys() == refused.keys() == mistaken.keys()
    assert mistaken["errors"] == refused["errors"]
    assert len(refused["errors"]["fieldErrors"]) > 1


def test_every_code_and_its_status_are_in_the_description(shared: Server) -> None:
    document = httpx.get(f"{shared.base}/openapi.json", timeout=PATIENCE_S).json()
    described = {
        (int(status), code)
        for path in document["paths"].values()
        for operation in path.values()
        for status, response in operation["responses"].items()
        for code in CODES
        if f"`{code}`" in response["description"]
    }
    told = {name: code for name, code in CODES.items() if name not in PROVIDER_CODES}
    assert described == {(c.status, name) for name, c in told.items() if c.status != 200}


NEVER_IN_CONFLICT: Final = {"checkRuleSet", "checkPipelineDefinition", "searchEntries"}
"""They call what others are refused by, without what these are refused for."""


def test_conflicts_of_readings_and_too_many_jobs_are_listed_where_their_codes_name_them() -> None:
    listed: dict[str, set[str]] = {"conflict": set(), "too_many_jobs": set()}
    named: dict[str, set[str]] = {"conflict": set(), "too_many_jobs": set()}
    for subject in subjects():
        for place in subject.use_cases:
            for case in use_cases_in(import_module(subject.whole(place))):
                one = endpoint_of(case)
                told = str(DOCUMENT["paths"][one.address][one.method.lower()]["responses"])
                refusals = refusals_named_by(case.function)
                for code, kind in (("conflict", Conflict), ("too_many_jobs", TooManyJobs)):
                    if code == "conflict" and one.changes:
                        continue
                    if f"`{code}`" in told:
                        listed[code].add(one.operation)
                    if any(issubclass(each, kind) for each in refusals):
                        named[code].add(one.operation)
    assert "getFraudRates" in named["conflict"]
    named["conflict"] -= NEVER_IN_CONFLICT
    assert listed == named


def _everywhere(part: Any) -> Iterator[dict[str, Any]]:
    """Every object inside a document."""
    if isinstance(part, dict):
        yield part
        for inner in part.values():
            yield from _everywhere(inner)
    elif isinstance(part, list):
        for inner in part:
            yield from _everywhere(inner)


def test_no_schema_has_what_generators_of_clients_misread() -> None:
    for schema in _everywhere(DOCUMENT["components"]["schemas"]):
        assert "default" not in schema or schema["default"] is not None
        assert schema.get("type") != "array" or "items" in schema


def test_times_are_declared_as_such_and_error_codes_are_enumerated() -> None:
    schemas = DOCUMENT["components"]["schemas"]
    times = [
        field
        for schema in schemas.values()
        for field in schema.get("properties", {}).values()
        if "RFC 3339" in field.get("description", "")
    ]
    assert len(times) >= 8
    assert all("'format': 'date-time'" in str(field) for field in times)
    assert schemas["ErrorCode"]["enum"] == sorted(CODES)


def test_every_operation_is_in_a_group_that_is_described() -> None:
    described = {tag["name"] for tag in DOCUMENT["tags"]}
    used = {
        tag
        for path in DOCUMENT["paths"].values()
        for operation in path.values()
        for tag in operation["tags"]
    }
    assert used == described


def test_every_envelope_can_have_warnings_and_every_body_can_be_read_strictly() -> None:
    schemas = DOCUMENT["components"]["schemas"]
    envelopes = [schemas[name] for name in schemas if name.endswith(("Envelope", "Failure"))]
    for envelope in envelopes:
        assert envelope["properties"]["warnings"]["items"] == {
            "$ref": "#/components/schemas/FieldWarning"
        }
        assert "warnings" not in envelope["required"]
    for path, methods in DOCUMENT["paths"].items():
        for described in methods.values():
            names = {parameter["name"] for parameter in described["parameters"]}
            assert ("Prefer" in names) == ("requestBody" in described), path

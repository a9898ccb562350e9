"""A real server sends its spans to a real receiver of OTLP."""

from collections.abc import Iterator
from typing import Final

import pytest
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from gatehouse.settings.settings import Settings, load_settings
from gatehouse.workers.tracing.opening import open_tracing
from tests.harness import CARD, Home, Server, pipeline, precheck, sandbox_key, until
from tests.tracing.receiver import Receiver, receiving

TRACE: Final = "0af7651916cd43dd8448eb211c80319c"
OTHER_TRACE: Final = "4bf92f3577b34da6a3ce929d0e0e4736"
PARENT: Final = "b7ad6b7169203331"
IN_STATE: Final = "5555555555554444"
"""A card number in the header tracestate, where a caller can write anything."""
ALLOWED: Final = {
    *("http.request.method", "http.route", "http.response.status_code", "error.type"),
    *("gatehouse.request_id", "gatehouse.completed", "gatehouse.verdict"),
    *("gatehouse.connector", "gatehouse.outcome"),
}
"""All that spans may say. None of it comes from a caller."""


@pytest.fixture(scope="module")
def receiver() -> Iterator[Receiver]:
    with receiving() as started:
        yield started


@pytest.fixture(scope="module")
def server(receiver: Receiver, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    home = Home(tmp_path_factory.mktemp("traced")).migrated()
    with home.server(GATEHOUSE_TRACES_URL=receiver.url, OTEL_BSP_SCHEDULE_DELAY="20") as started:
        yield started


def _named(spans: list[Span], name: str) -> Span:
    [found] = [span for span in spans if span.name == name]
    return found


def test_a_request_is_a_span_of_the_callers_trace_with_stages_calls_and_commits_in_it(
    server: Server, receiver: Receiver
) -> None:
    key = sandbox_key(server.home)
    with server.client(key, traceparent=f"00-{TRACE}-{PARENT}-01") as client:
        answer = pipeline(client)
    assert answer.status_code == 200
    # The span of the request is the last to end.
    spans = until(
        lambda: receiver.of_trace(TRACE),
        lambda found: any(span.kind == Span.SPAN_KIND_SERVER for span in found),
    )
    request = _named(spans, "POST /api/v1/pipeline")
    assert request.parent_span_id.hex() == PARENT
    assert request.kind == Span.SPAN_KIND_SERVER
    said = {one.key: one.value.string_value or one.value.int_value for one in request.attributes}
    assert said["http.response.status_code"] == 200
    assert said["gatehouse.request_id"] == answer.json()["requestId"]
    inner = [span for span in spans if span.parent_span_id == request.span_id]
    stages = [span.name for span in inner if span.name.startswith("stage ")]
    assert "stage PreCheck" in stages
    assert {"commit authorize", "commit close"} <= {span.name for span in inner}
    call = _named(spans, "call issuer check")
    assert call.parent_span_id == _named(spans, "stage PreCheck").span_id
    for span in spans:
        assert request.start_time_unix_nano <= span.start_time_unix_nano
        assert span.end_time_unix_nano <= request.end_time_unix_nano


def test_spans_say_nothing_that_a_caller_sent(server: Server, receiver: Receiver) -> None:
    key = sandbox_key(server.home)
    trace = {"traceparent": f"00-{OTHER_TRACE}-{PARENT}-01", "tracestate": f"shop={IN_STATE}"}
    with server.client(key, **trace) as client:
        refused = client.get("/api/v1/decisions/req_4242424242424242?x=4111111111111111")
        assert precheck(client).status_code == 200
        request_id = refused.json()["requestId"].encode()
    until(lambda: any(request_id in body for body in receiver.bodies))
    for body in receiver.bodies:
        for secret in (key, CARD, "4242424242424242", "4111111111111111", IN_STATE, "127.0.0.1"):
            assert secret.encode() not in body
    assert {one.key for span in receiver.spans for one in span.attributes} <= ALLOWED
    assert {span.trace_state for span in receiver.spans} == {""}
    assert "GET /api/v1/decisions/{request_id}" in {
        span.name for span in receiver.of_trace(OTHER_TRACE)
    }


def test_what_watches_the_server_leaves_no_spans(server: Server, receiver: Receiver) -> None:
    with server.client(sandbox_key(server.home)) as client:
        assert client.get("/readyz").status_code == 200
        request_id = precheck(client).json()["requestId"].encode()
    until(lambda: any(request_id in body for body in receiver.bodies))
    assert not any("readyz" in span.name for span in receiver.spans)


def test_requests_do_not_wait_for_a_collector_that_does_not_answer(
    server: Server, receiver: Receiver
) -> None:
    receiver.answers.clear()
    with server.client(sandbox_key(server.home)) as client:
        assert {precheck(client).status_code for _ in range(20)} == {200}
    receiver.answers.set()


def test_without_the_setting_there_is_nothing_of_it() -> None:
    assert open_tracing(Settings()) is None


@pytest.mark.parametrize(
    ("given", "url"),
    [
        ({"GATEHOUSE_TRACES_URL": "http://c:4318"}, "http://c:4318/v1/traces"),
        ({"GATEHOUSE_TRACES_URL": "https://c/own/path"}, "https://c/own/path"),
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://c:4318/"}, "http://c:4318/v1/traces"),
        ({"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://c/t"}, "http://c/t"),
        (
            {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://c", "GATEHOUSE_TRACES_URL": "http://own:1"},
            "http://own:1/v1/traces",
        ),
        ({"GATEHOUSE_TRACES_URL": "http://c", "OTEL_SDK_DISABLED": "true"}, ""),
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://c", "OTEL_TRACES_EXPORTER": "none"}, ""),
        ({}, ""),
    ],
)
def test_the_standard_variables_count_where_ours_is_not_set(
    given: dict[str, str], url: str
) -> None:
    assert load_settings(given).traces_url == url

"""Query parameters that a route does not know are refused: no filter is silently ignored."""

import httpx
import pytest

from tests.harness import BODY, CARD, precheck
from tests.web.answers import refused

NO_QUERY = ["pipelines", "decisions/{}", "reviews/{}", "feedback/{}"]


def _wrong(client: httpx.Client, address: str) -> dict[str, list[str]]:
    body = refused(client.get(f"/api/v1/{address}"), 200, "invalid_request")
    fields: dict[str, list[str]] = body["errors"]["fieldErrors"]
    return fields


def test_an_unknown_filter_is_refused_and_returns_nothing(client: httpx.Client) -> None:
    precheck(client)
    assert _wrong(client, "decisions?clientReference=order-1&advice=DECLINE") == {
        "clientReference": ["is not a known query parameter; did you mean clientReferenceId?"],
        "advice": [
            "is not a known query parameter; there are clientReferenceId, limit, startingAfter"
        ],
    }


def test_a_parameter_of_another_route_is_refused(client: httpx.Client) -> None:
    assert set(_wrong(client, "reviews?clientReferenceId=order-1")) == {"clientReferenceId"}
    assert set(_wrong(client, "decisions?status=open")) == {"status"}


def test_all_problems_of_a_query_come_at_once(client: httpx.Client) -> None:
    found = _wrong(client, "reviews?limit=0&Status=open&status=x&startingAfter=y&pageSize=3")
    assert set(found) == {"limit", "Status", "status", "startingAfter", "pageSize"}
    assert found["pageSize"] == ["is not a known query parameter; did you mean limit?"]


def test_a_parameter_counts_once(client: httpx.Client) -> None:
    assert _wrong(client, "decisions?limit=1&limit=100") == {"limit": ["is given more than once"]}
    same = _wrong(client, "decisions?clientReferenceId=a&clientReferenceId=a")
    assert set(same) == {"clientReferenceId"}


@pytest.mark.parametrize("route", NO_QUERY)
def test_a_route_without_parameters_refuses_all(client: httpx.Client, route: str) -> None:
    address = route.format(precheck(client).json()["requestId"])
    message = "is not known; there are no query parameters here"
    assert _wrong(client, f"{address}?verbose=1&x") == {"verbose": [message], "x": [message]}


@pytest.mark.parametrize(
    "path", ["precheck", "idverify", "sentry", "rules", "pipeline", "feedback", "reviews/req_1"]
)
def test_a_post_with_a_query_runs_nothing(client: httpx.Client, path: str) -> None:
    answer = client.post(f"/api/v1/{path}?dryRun=true", json=BODY)
    body = refused(answer, 200, "invalid_request")
    assert set(body["errors"]["fieldErrors"]) == {"dryRun"}


def test_a_query_without_parameters_is_none(client: httpx.Client) -> None:
    for address in ("pipelines?", "pipelines?&", "decisions?"):
        assert client.get(f"/api/v1/{address}").json()["isSuccess"] is True


def test_a_caller_without_a_key_learns_nothing_about_parameters(client: httpx.Client) -> None:
    answer = client.get("/api/v1/decisions?x=1", headers={"X-API-KEY": "gh_sandbox_x"})
    refused(answer, 401, "invalid_key")


def test_names_of_parameters_are_shown_safely_and_bounded(client: httpx.Client) -> None:
    found = _wrong(client, f"decisions?{CARD}=1&{'x' * 500}=1&=1&123=1")
    assert all(len(name) <= 65 for name in found)
    assert not any(char.isdecimal() for name in found for char in name)
    many = client.get("/api/v1/decisions?" + "&".join(f"p{i}=1" for i in range(30)))
    assert (
        "at most 20 query parameters"
        in refused(many, 200, "invalid_request")["errors"]["globalErrors"]
    )


def test_pages_and_probes_are_not_the_api_and_ignore_queries(client: httpx.Client) -> None:
    for path in ("/healthz", "/readyz", "/docs", "/openapi.json"):
        assert client.get(f"{path}?probe=1").status_code == 200

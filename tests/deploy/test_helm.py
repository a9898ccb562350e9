"""The Helm chart, rendered by Helm's own library and checked against Kubernetes' schemas."""

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest
import yaml  # type: ignore[import-untyped]  # it has no types

from gatehouse.api.metrics.families import FAMILIES
from tests.deploy.conftest import Linted, copy_chart
from tests.docs.pages import ROOT, blocks
from tests.harness import PATIENCE_S
from tests.harness.commands import run_here

Lint = Callable[[Path], Linted]
Manifests = dict[tuple[str, str], dict[str, Any]]
"""Manifests by kind and name."""
GOOD: Final[dict[str, Any]] = {
    "settings": {"GATEHOUSE_TRUSTED_PROXIES": "10.0.0.0/16"},
    "console": {"url": "https://console.example.com"},
    "ingress": {"enabled": True, "host": "api.example.com", "tlsSecret": "api-tls"},
    "verification": {"enabled": True},
    "serviceMonitor": {"enabled": True},
    "prometheusRule": {"enabled": True, "labels": {"release": "prometheus"}},
    "fileSecrets": ["db-ca"],
    "extraEnv": [{"name": "HTTPS_PROXY", "value": "http://proxy:3128"}],
}
_PODS: Final = {"Deployment", "Job"}
_NO_SCHEMA: Final = {"ServiceMonitor", "PrometheusRule"}
"""Kinds of the Prometheus operator, which Kubernetes' own schemas do not have."""


def _set(chart: Path, values: dict[str, Any]) -> None:
    """Put values on top of those of the chart."""
    file = chart / "values.yaml"
    merged = yaml.safe_load(file.read_text())
    for name, value in values.items():
        merged[name] = {**merged[name], **value} if isinstance(value, dict) else value
    file.write_text(yaml.safe_dump(merged))


def _render(lint: Lint, chart: Path, values: dict[str, Any]) -> list[dict[str, Any]]:
    """The manifests of the chart: a linter shows no templates, but what a template fails with."""
    _set(chart, values)
    for name in [path.name for path in (chart / "templates").glob("*.yaml")]:
        shown = f'{{{{ fail (include (print $.Template.BasePath "/{name}") .) }}}}\n'
        (chart / "templates" / f"shown-{name}").write_text(shown)
    linted = lint(chart)
    assert linted.errors == []
    texts = [one for one in linted.said if "apiVersion:" in one]
    return [each for text in texts for each in yaml.safe_load_all(text) if each]


@pytest.fixture(scope="module")
def manifests(helm: Lint, tmp_path_factory: pytest.TempPathFactory) -> Manifests:
    """All manifests, with everything switched on."""
    made = _render(helm, copy_chart(tmp_path_factory.mktemp("chart")), GOOD)
    return {(each["kind"], each["metadata"]["name"]): each for each in made}


def test_the_chart_makes_what_kubernetes_needs_to_keep_servers_running(
    manifests: Manifests,
) -> None:
    kinds = {kind for kind, _ in manifests}
    assert kinds == {
        *("ConfigMap", "ServiceAccount", "Job", "Deployment", "Service", "Ingress"),
        *("PodDisruptionBudget", "HorizontalPodAutoscaler", "NetworkPolicy", "CronJob"),
        *("ServiceMonitor", "PrometheusRule"),
    }


def test_every_manifest_is_what_kubernetes_takes(manifests: Manifests, tools: Path) -> None:
    checked = [one for (kind, _), one in manifests.items() if kind not in _NO_SCHEMA]
    program = (
        "import json, sys, kubernetes_validate as k\n"
        "for one in json.load(sys.stdin): k.validate(one, '1.31', strict=True)"
    )
    done = subprocess.run(
        [tools / "python", "-c", program],
        input=json.dumps(checked),
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def test_pods_have_no_rights_and_get_secrets_by_reference(
    manifests: Manifests,
) -> None:
    jobs = [
        one["spec"].get("jobTemplate", one)["spec"] for one in manifests.values() if "spec" in one
    ]
    pods = [one["template"]["spec"] for one in jobs if "template" in one]
    assert len(pods) == 4
    for pod in pods:
        assert pod["securityContext"]["runAsNonRoot"] is True
        assert pod["automountServiceAccountToken"] is False
        assert pod["enableServiceLinks"] is False
        assert "initContainers" not in pod
        for container in pod["containers"]:
            _check_container(container)


def _check_container(container: dict[str, Any]) -> None:
    rights = container["securityContext"]
    assert rights["readOnlyRootFilesystem"] is True
    assert rights["allowPrivilegeEscalation"] is False
    assert rights["capabilities"] == {"drop": ["ALL"]}
    mounts = container["volumeMounts"]
    written = {one["mountPath"] for one in mounts if "readOnly" not in one}
    assert written == {"/var/lib/gatehouse", "/tmp"}
    assert {"name": "settings", "mountPath": "/run/gatehouse", "readOnly": True} in mounts


def test_a_pod_is_given_longer_than_a_server_takes_to_stop(
    manifests: Manifests,
) -> None:
    settings = next(one["data"] for (kind, _), one in manifests.items() if kind == "ConfigMap")
    server = next(
        one["spec"]["template"]["spec"]
        for (kind, name), one in manifests.items()
        if kind == "Deployment" and not name.endswith("console")
    )
    waits = int(settings["GATEHOUSE_DRAIN_S"]), int(settings["GATEHOUSE_STOP_TIMEOUT_S"])
    assert server["terminationGracePeriodSeconds"] > sum(waits)
    probe = server["containers"][0]["readinessProbe"]
    assert waits[0] > probe["periodSeconds"] * probe["failureThreshold"]


def test_every_container_has_the_variables_that_were_added(manifests: Manifests) -> None:
    pods = [
        one["spec"]["template"]["spec"] for (kind, _), one in manifests.items() if kind in _PODS
    ]
    assert len(pods) == 3
    for pod in pods:
        assert [one["env"] for one in pod["containers"]] == [GOOD["extraEnv"]]


def test_pods_are_started_anew_when_settings_or_secrets_change(manifests: Manifests) -> None:
    """Without a cluster there are no secrets to look up; that they are asked for is seen here."""
    for (kind, _), one in manifests.items():
        if kind == "Deployment":
            notes = one["spec"]["template"]["metadata"]["annotations"]
            assert {"checksum/settings", "checksum/secrets"} <= set(notes)


def test_servers_grow_with_the_requests_in_flight_where_a_metric_of_pods_is_served(
    helm: Lint, chart: Path
) -> None:
    scaling = {"enabled": True, "minReplicas": 2, "maxReplicas": 9, "targetRequestsInFlight": 40}
    scaling["targetCPUUtilizationPercentage"] = 60
    made = _render(helm, chart, {**GOOD, "server": {"autoscaling": scaling}})
    [scaler] = [one for one in made if one["kind"] == "HorizontalPodAutoscaler"]
    cpu, pods = scaler["spec"]["metrics"]
    assert cpu["resource"]["name"] == "cpu"
    assert pods["pods"]["metric"]["name"] in {each.name for each in FAMILIES}
    assert pods["pods"]["target"] == {"type": "AverageValue", "averageValue": "40"}


def test_the_outside_reaches_the_api_and_the_console_and_not_what_watches(
    manifests: Manifests,
) -> None:
    ingress = next(one for (kind, _), one in manifests.items() if kind == "Ingress")
    paths = {
        rule["host"]: [one["path"] for one in rule["http"]["paths"]]
        for rule in ingress["spec"]["rules"]
    }
    assert paths == {
        "api.example.com": ["/api/", "/docs", "/openapi.json"],
        "console.example.com": ["/"],
    }


def test_the_migration_comes_before_the_servers_with_the_settings_it_needs(
    manifests: Manifests,
) -> None:
    hooks = {
        (kind, name): int(one["metadata"]["annotations"]["helm.sh/hook-weight"])
        for (kind, name), one in manifests.items()
        if "helm.sh/hook" in one["metadata"].get("annotations", {})
    }
    [(config, first), (job, second)] = sorted(hooks.items())
    assert (config[0], job[0]) == ("ConfigMap", "Job")
    assert first < second
    # On the first installation nothing else of the release is there yet.
    [container] = manifests[job]["spec"]["template"]["spec"]["containers"]
    assert container["envFrom"] == [{"configMapRef": {"name": config[1]}}]
    assert "serviceAccountName" not in manifests[job]["spec"]["template"]["spec"]


def test_a_job_at_night_proves_the_ledger_and_the_audit_trail(manifests: Manifests) -> None:
    [job] = [one for (kind, _), one in manifests.items() if kind == "CronJob"]
    containers = job["spec"]["jobTemplate"]["spec"]["template"]["spec"]["containers"]
    assert [one["args"] for one in containers] == [["ledger", "verify"], ["audit", "verify"]]
    for one in containers:
        assert run_here((*one["args"], "--help"), dict(os.environ)).code == 0


def test_the_alerts_are_those_of_prometheus_to_the_letter(manifests: Manifests) -> None:
    [rule] = [one for (kind, _), one in manifests.items() if kind == "PrometheusRule"]
    files = [ROOT / f"deploy/prometheus/{name}.yaml" for name in ("recording", "alerts")]
    groups = [group for file in files for group in yaml.safe_load(file.read_text())["groups"]]
    assert rule["spec"]["groups"] == groups
    assert rule["metadata"]["labels"]["release"] == "prometheus"


def test_what_needs_more_than_kubernetes_is_made_only_when_asked_for(
    helm: Lint, chart: Path
) -> None:
    needed = {name: GOOD[name] for name in ("settings", "console")}
    kinds = {one["kind"] for one in _render(helm, chart, needed)}
    assert "Deployment" in kinds
    assert not kinds & {"CronJob", "ServiceMonitor", "PrometheusRule", "Ingress"}


def test_what_must_be_said_is_asked_for(helm: Lint, chart: Path) -> None:
    said = " ".join(helm(chart).said)
    assert "console.url must say" in said
    assert "GATEHOUSE_TRUSTED_PROXIES must name" in said


@pytest.mark.parametrize(
    "wrong",
    [
        {"settings": {"GATEHOUSE_SECRET_KEY": "in a file of values"}},
        {"settings": {"LOG_LEVEL": "debug"}},
        {"settings": {"GATEHOUSE_PORT": "9000"}},
        {"server": {"replicas": 0}},
        {"image": {"digest": "latest"}},
        {"console": {"url": "http://console.example.com"}},
        {"verification": {"schedule": "at night"}},
        {"misspelt": True},
    ],
    ids=lambda wrong: next(iter(wrong)),
)
def test_wrong_values_are_refused(wrong: dict[str, Any], helm: Lint, chart: Path) -> None:
    _set(chart, GOOD)
    _set(chart, wrong)
    assert helm(chart).errors


def test_the_values_that_the_operations_page_shows_are_enough(helm: Lint, chart: Path) -> None:
    page = (ROOT / "docs/operations.md").read_text()
    [shown] = [one.text for one in blocks(page) if one.kind == "yaml" and "ingress:" in one.text]
    _set(chart, yaml.safe_load(shown))
    linted = helm(chart)
    assert (linted.errors, linted.said) == ([], [])

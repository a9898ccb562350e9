"""Alerts, recording rules and the dashboard name what there is; alerts fire when they should."""

import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import httpx
import pytest
import yaml  # type: ignore[import-untyped]  # it has no types

from gatehouse.api.metrics.families import FAMILIES, PROCESS
from tests.harness import PATIENCE_S, PURCHASE, Home, pipeline, until
from tests.installed_programs import ROOT, built, run

RULES: Final = ROOT / "deploy/prometheus"
DASHBOARD: Final = json.loads((ROOT / "deploy/grafana/gatehouse.json").read_text())
TRIALS: Final = sorted(RULES.glob("*_test.yaml"))
PROMTOOL: Final = shutil.which("promtool")
NOT_WITHOUT: Final = {
    **dict.fromkeys(
        (
            *("gatehouse_connector_up", "gatehouse_connector_requests_total"),
            *("gatehouse_connector_in_flight", "gatehouse_connector_connections"),
        ),
        "a connector that was applied: nobody else is asked",
    ),
    "gatehouse_certificate_expires_timestamp_seconds": "a certificate: nothing ends without one",
    "gatehouse_last_backup_timestamp_seconds": "a backup of ours; others make theirs differently",
}
"""What a server does not expose without something, so that its rules are silent without it."""
_NAMES: Final = """
import json, sys, promql_parser as p
found = []
def look(node):
    if isinstance(node, p.VectorSelector):
        found.append(node.name)
    return True
for text in json.load(sys.stdin):
    p.walk(p.parse(text), look)
json.dump(found, sys.stdout)
"""

_AS_GRAFANA_READS_IT: Final = """
import json, sys
from grafana_foundation_sdk.cog.encoder import JSONEncoder
from grafana_foundation_sdk.cog.plugins import register_default_plugins
from grafana_foundation_sdk.models.dashboard import Dashboard
register_default_plugins()
sys.stdout.write(JSONEncoder().encode(Dashboard.from_json(json.load(sys.stdin))))
"""


def _rules(name: str) -> list[dict[str, Any]]:
    groups = yaml.safe_load((RULES / f"{name}.yaml").read_text())["groups"]
    return [rule for group in groups for rule in group["rules"]]


def _panels() -> Iterator[dict[str, Any]]:
    for panel in DASHBOARD["panels"]:
        if panel["type"] != "row":
            yield panel


def _named(tools: Path) -> set[str]:
    """What the queries of all rules and panels name."""
    queries = [rule["expr"] for rule in (*_rules("alerts"), *_rules("recording"))]
    queries += [target["expr"] for panel in _panels() for target in panel["targets"]]
    assert len(queries) > 60
    done = subprocess.run(
        [tools / "python", "-c", _NAMES],
        input=json.dumps(queries),
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return set(json.loads(done.stdout))


def test_every_query_can_be_read_and_names_only_what_is_measured_or_recorded(tools: Path) -> None:
    known = {family.shown_name for family in (*FAMILIES, *PROCESS)}
    known |= {f"{name}{part}" for name in known for part in ("_bucket", "_sum", "_count")}
    named = _named(tools) - {rule["record"] for rule in _rules("recording")} - {"up"}
    assert named <= known, named - known


def test_a_server_on_any_database_exposes_all_that_rules_and_panels_need(
    home: Home, tools: Path
) -> None:
    account = home.account()
    with home.server() as server, server.client(home.key(account)) as client:
        assert pipeline(client, PURCHASE).status_code == 200
        assert client.post("/api/v1/precheck", json=[]).status_code == 400

        def exposed() -> set[str]:
            page = httpx.get(f"{server.base}/metrics", timeout=PATIENCE_S).text
            lines = (line for line in page.splitlines() if not line.startswith("#"))
            return {re.split(r"[{ ]", line)[0] for line in lines}

        # Some is first counted, or first measured, a while after the start.
        late = {"gatehouse_reviews_open", "gatehouse_connector_calls_total"}
        late |= {"gatehouse_event_loop_lag_seconds_bucket"}
        found = until(exposed, lambda names: names >= late)
    named = _named(tools) - {rule["record"] for rule in _rules("recording")} - {"up"}
    assert named - found == NOT_WITHOUT.keys()


def _lost(given: Any, read: Any, path: str = "") -> list[str]:
    """The places of what was given that are not in what was read."""
    if isinstance(given, dict) and isinstance(read, dict):
        pairs = [(value, read.get(key, ...), f"{path}.{key}") for key, value in given.items()]
    elif isinstance(given, list) and isinstance(read, list) and len(given) == len(read):
        numbered = enumerate(zip(given, read, strict=True))
        pairs = [(*both, f"{path}[{at}]") for at, both in numbered]
    else:
        return [] if given == read else [path]
    return [place for pair in pairs for place in _lost(*pair)]


def test_grafanas_own_types_know_all_that_the_dashboard_says(tools: Path) -> None:
    strange = {**DASHBOARD, "panels": [{**DASHBOARD["panels"][-1], "gridPos": {"x": 1, "z": 2}}]}
    for dashboard, lost in ((DASHBOARD, []), (strange, [".panels[0].gridPos.z"])):
        done = subprocess.run(
            [tools / "python", "-c", _AS_GRAFANA_READS_IT],
            input=json.dumps(dashboard),
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        assert _lost(dashboard, json.loads(done.stdout)) == lost


def test_alerts_say_whom_they_wake_and_why() -> None:
    names = [rule["alert"] for rule in _rules("alerts")]
    assert len(set(names)) == len(names) >= 20
    for rule in _rules("alerts"):
        assert rule["labels"]["severity"] in {"page", "ticket"}, rule
        assert rule["annotations"]["summary"].endswith("."), rule


def test_the_operations_page_says_what_to_do_about_each_alert() -> None:
    page = (ROOT / "docs/operations.md").read_text()
    said = page.partition("### What to do about an alert")[2].partition("\n## ")[0]
    assert set(re.findall(r"`(Gatehouse[A-Za-z]+)`", said)) == {
        rule["alert"] for rule in _rules("alerts")
    }


def test_every_alert_is_tried_and_fires_at_least_once() -> None:
    tests = [test for file in TRIALS for test in yaml.safe_load(file.read_text())["tests"]]
    tried = [case for test in tests for case in test["alert_rule_test"]]
    fired = {case["alertname"] for case in tried if case["exp_alerts"]}
    assert fired == {rule["alert"] for rule in _rules("alerts")}


@pytest.mark.skipif(PROMTOOL is None, reason="PROMTOOL IS MISSING: no alert was tried")
def test_alerts_fire_when_they_should() -> None:
    """Tried once, and again when a rule, a trial, the configuration or the program changes."""
    files = [RULES / "alerts.yaml", RULES / "recording.yaml"]
    config = ROOT / "deploy/compose/prometheus.yml"
    version = run([PROMTOOL or "", "--version"], RULES).encode()
    sources = [path.read_bytes() for path in (*files, *TRIALS, config, Path(__file__))]
    with built("promtool", version, *sources) as (folder, tried):
        if not tried:
            check = [PROMTOOL or "", "check"]
            run([*check, "rules", "--lint=all", "--lint-fatal", *files], RULES)
            run([PROMTOOL or "", "test", "rules", *TRIALS], RULES)
            run([*check, "config", "--syntax-only", config], RULES)
            # Whoever takes the comment signs away has a block that Prometheus understands.
            with_alerting = folder / "prometheus.yml"
            text = re.sub("^# (?=alerting:| )", "", config.read_text(), flags=re.M)
            with_alerting.write_text(text)
            assert "alerting" in yaml.safe_load(text)
            run([*check, "config", "--syntax-only", with_alerting], RULES)


def test_the_dashboard_has_panels_beside_each_other_and_not_on_top() -> None:
    places: set[tuple[int, int]] = set()
    for panel in DASHBOARD["panels"]:
        at = panel["gridPos"]
        cells = {
            (x, y)
            for x in range(at["x"], at["x"] + at["w"])
            for y in range(at["y"], at["y"] + at["h"])
        }
        assert not cells & places, panel["title"]
        assert at["x"] + at["w"] <= 24
        places |= cells
    assert len({panel["id"] for panel in DASHBOARD["panels"]}) == len(DASHBOARD["panels"])

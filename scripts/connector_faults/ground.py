"""What a run stands on: accounts whose requests go different ways, and connectors for them."""

from pathlib import Path
from typing import Any, Final, NamedTuple

from scripts.connector_faults.processes import NOTICE_KEY, TOKEN, Commands, Host

LIMIT_MS: Final = 1500
"""Of each stage that asks somebody."""
CONNECTOR_MS: Final = 700
"""Of each connector, so that there is time for the one behind it."""
CONNECTIONS: Final = 4
"""Of each connector."""
PIPELINE_ID: Final = 7
_PIPELINE: Final = f"""\
pipeline: {PIPELINE_ID}
name: A payment
stages:
  - stage: PreCheck
  - stage: Gateway
"""
WAYS: Final = {
    "iso8583": ("iso-first",),
    "https": ("https-first",),
    "iso8583, then https": ("iso-first", "https-second"),
    "https, then iso8583": ("https-first", "iso-second"),
}


class Ground(NamedTuple):
    """Where a run happens."""

    environ: dict[str, str]
    accounts: dict[str, str]
    """Ids by way."""
    keys: dict[str, str]


def prepare(
    folder: Path, hosts: tuple[Host, Host], base: dict[str, str], commands: Commands
) -> Ground:
    """A home with an account for every way, and connectors to both hosts in force."""
    applied = dict.fromkeys(("GATEHOUSE_ISSUER", "GATEHOUSE_GATEWAY"), "connectors")
    limits = {f"GATEHOUSE_{stage}_TIMEOUT_MS": str(LIMIT_MS) for stage in ("PRECHECK", "GATEWAY")}
    environ = {
        **base,
        **applied,
        **limits,
        "GATEHOUSE_HOME": str(folder / "home"),
        "GATEHOUSE_RATE_LIMIT_PER_SECOND": "0",
        "HOST_TOKEN": TOKEN,
        "NOTICE_KEY": NOTICE_KEY,
    }
    pipeline, file = folder / "pipeline.yaml", folder / "connectors.yaml"
    pipeline.write_text(_PIPELINE)
    accounts: dict[str, str] = {}
    keys: dict[str, str] = {}

    def run(*words: str) -> Any:
        return commands.run(list(words), environ)

    for way in WAYS:
        accounts[way] = run("accounts", "create", way, "--balance", "100000")["accountId"]
        run("pipelines", "apply", str(pipeline), "--account", accounts[way])
        keys[way] = run("keys", "issue", "--account", accounts[way])["key"]
    file.write_text(_configuration(hosts, accounts))
    run("connectors", "apply", str(file))
    return Ground(environ, accounts, keys)


def _configuration(hosts: tuple[Host, Host], accounts: dict[str, str]) -> str:
    lines = ["connectors:"]
    for host in hosts:
        shared = f"connections: {CONNECTIONS}, in_flight: 1000, timeout_ms: {CONNECTOR_MS}"
        shared += f", connect_timeout_ms: 500, tls: {{ca_file: {host.ca_file}}}"
        iso = f"kind: iso8583, dialect: {host.dialect}, hosts: ['127.0.0.1:{host.iso8583_port}']"
        http = f"kind: http, mapping: gatehouse, base_url: 'https://127.0.0.1:{host.http_port}'"
        secrets = "secrets: {token: env:HOST_TOKEN, notifications: env:NOTICE_KEY}"
        lines.append(f"  iso-{host.name}: {{{iso}, {shared}}}")
        lines.append(f"  https-{host.name}: {{{http}, {secrets}, {shared}}}")
    lines.append("routes:")
    for function in ("precheck", "gateway"):
        lines.append(f"  {function}:")
        for way, names in WAYS.items():
            lines.append(f"    - {{accounts: [{accounts[way]}], use: [{', '.join(names)}]}}")
    return "\n".join(lines)

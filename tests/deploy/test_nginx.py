"""The configuration for nginx, run by the real program in front of two servers."""

import contextlib
import json
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import httpx
import pytest

from tests.harness import PATIENCE_S, Home, Server, free_port, precheck, sandbox_key, until
from tests.installed_programs import ROOT, run

FILE: Final = ROOT / "deploy/nginx/gatehouse.conf"
NGINX: Final = shutil.which("nginx", path="/usr/sbin:/usr/bin:/usr/local/sbin:/usr/local/bin")
FRAME: Final = """
daemon off;
pid {folder}/pid;
error_log {folder}/error.log;
events {{}}
http {{
  access_log off;
  client_body_temp_path {folder}/body;
  proxy_temp_path {folder}/proxy;
  fastcgi_temp_path {folder}/fastcgi;
  uwsgi_temp_path {folder}/uwsgi;
  scgi_temp_path {folder}/scgi;
  include {folder}/gatehouse.conf;
}}
"""
"""What Debian's own nginx.conf is around it, as somebody without rights can run it."""

pytestmark = pytest.mark.skipif(
    NGINX is None, reason="NGINX IS MISSING: its configuration was not run; install nginx-light"
)


@pytest.fixture(scope="module")
def servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Server]]:
    """Two servers that trust the proxy; each key is known to one of them."""
    trusting = {"GATEHOUSE_TRUSTED_PROXIES": "127.0.0.1/32"}
    folders = [tmp_path_factory.mktemp(name) for name in ("one", "two")]
    homes = [Home(folder, settings=trusting).migrated() for folder in folders]
    with contextlib.ExitStack() as stack:
        yield [stack.enter_context(home.server()) for home in homes]


@pytest.fixture
def address(tmp_path: Path, servers: list[Server]) -> Iterator[str]:
    """Where nginx is reached."""
    port = free_port()
    _certificate(tmp_path, "api")
    text = FILE.read_text().partition(
        "server {\n    listen 443 ssl http2;\n    server_name console"
    )[0]
    for old, new in {
        "10.0.0.11:8080": f"127.0.0.1:{servers[0].port}",
        "10.0.0.12:8080": f"127.0.0.1:{servers[1].port}",
        "listen 443": f"listen 127.0.0.1:{port}",
        "/etc/gatehouse/tls": str(tmp_path),
    }.items():
        assert old in text
        text = text.replace(old, new)
    (tmp_path / "gatehouse.conf").write_text(text)
    (tmp_path / "nginx.conf").write_text(FRAME.format(folder=tmp_path))
    process = subprocess.Popen(
        [str(NGINX), "-p", str(tmp_path), "-c", str(tmp_path / "nginx.conf")]
    )
    try:
        base = f"https://127.0.0.1:{port}"
        until(lambda: process.poll() is not None or _status(f"{base}/openapi.json") == 200)
        assert process.poll() is None, (tmp_path / "error.log").read_text()
        yield base
    finally:
        process.terminate()
        process.wait(PATIENCE_S)


def _certificate(folder: Path, name: str) -> None:
    make = "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj /CN=localhost"
    files = f"-keyout {name}.key -out {name}.pem"
    run(["openssl", *make.split(), *files.split()], folder)


def _status(address: str) -> int:
    try:
        return httpx.get(address, verify=False, timeout=PATIENCE_S).status_code
    except httpx.TransportError:
        return 0


def test_the_whole_file_is_a_configuration(tmp_path: Path, servers: list[Server]) -> None:
    for name in ("api", "console"):
        _certificate(tmp_path, name)
    text = FILE.read_text().replace("/etc/gatehouse/tls", str(tmp_path))
    (tmp_path / "gatehouse.conf").write_text(text)
    (tmp_path / "nginx.conf").write_text(FRAME.format(folder=tmp_path))
    run([str(NGINX), "-t", "-q", "-p", tmp_path, "-c", tmp_path / "nginx.conf"], tmp_path)


def test_nginx_balances_keeps_metrics_inside_and_tells_who_called(
    address: str, servers: list[Server]
) -> None:
    for path in ("/metrics", "/healthz", "/readyz"):
        assert _status(address + path) == 404
    keys = [sandbox_key(server.home) for server in servers]
    issued = servers[1].home.ok(
        *(
            "keys",
            "issue",
            "acct_demo",
            "--name",
            "elsewhere",
            "--network",
            "203.0.113.0/24",
            "--json",
        )
    )
    bound = json.loads(issued.out)["key"]
    with httpx.Client(base_url=address, verify=False, timeout=PATIENCE_S) as client:
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
        assert [precheck(client).status_code for _ in range(10)] == [200] * 10
        # What a caller says of its own address counts for nothing.
        headers = {"X-API-KEY": bound, "X-Forwarded-For": "203.0.113.9"}
        assert client.get("/api/v1/pipelines", headers=headers).status_code == 403

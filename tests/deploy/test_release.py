"""A release: built as it is published, and used from what was built, not from the checkout."""

import json
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from pathlib import Path
from typing import Final

import pytest
from scripts.release.staging import with_links
from scripts.release.versions import CHANGELOGS, PLACES, set_version, version_of

from tests.clients.typescript_build import needs_npm, node
from tests.harness import Home, Server, free_port, sandbox_key
from tests.installed_programs import ROOT, run

_VERSION: Final = version_of(ROOT)
_URL: Final = "https://code.example.org/gatehouse"
_CALL: Final = """
from gatehouse_client import Gatehouse, sandbox
with Gatehouse.from_env() as gatehouse:
    answer = gatehouse.precheck(card_number=sandbox.APPROVED, card_expiry_date="2035-12")
    print(answer.result.advice)
"""
_CALL_FROM_NODE: Final = """
import { Gatehouse, sandboxCards } from "gatehouse-client";
const answer = await Gatehouse.fromEnv().precheck(sandboxCards.accepted);
console.log(answer.result.advice);
"""

pytestmark = [pytest.mark.node, needs_npm]


@pytest.fixture(scope="module")
def released(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with everything that is published, its hashes signed with a key made for it."""
    folder = tmp_path_factory.mktemp("release")
    run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "", "-f", folder / "key"], folder)
    words = ["--draft", "--out", str(folder / "out"), "--url", _URL, "--key", str(folder / "key")]
    run([sys.executable, "-m", "scripts.release", *words], ROOT)
    return folder / "out"


@pytest.fixture(scope="module")
def installed(released: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The programs of an environment with both wheels, which sees no checkout.

    The packages that they need are those of the tests: the locks say which.
    """
    folder = tmp_path_factory.mktemp("installed")
    run([sys.executable, "-m", "venv", "--without-pip", "venv"], folder)
    programs = folder / "venv/bin"
    pip = [sys.executable, "-m", "pip", "--python", str(programs / "python"), "install", "-q"]
    run([*pip, "--no-deps", "--no-compile", *released.glob("*.whl")], folder)
    [packages] = (folder / "venv/lib").glob("python*/site-packages")
    others = [
        sysconfig.get_path("purelib"),
        *(path for path in sys.path if "site-packages" in path),
    ]
    (packages / "zz-others.pth").write_text("\n".join(dict.fromkeys(others)) + "\n")
    return programs


def test_everything_is_there_and_its_signed_hashes_hold(released: Path) -> None:
    names = {path.name for path in released.iterdir()}
    assert names == {
        *(f"gatehouse-{_VERSION}{end}" for end in ("-py3-none-any.whl", ".tar.gz", ".cdx.json")),
        *(f"gatehouse_client-{_VERSION}{end}" for end in ("-py3-none-any.whl", ".tar.gz")),
        *(f"gatehouse-{name}-{_VERSION}.tgz" for name in ("client", "collector")),
        *("gatehouse-collector.js", "integrity.json", "NOTES.md", "SHA256SUMS", "SHA256SUMS.sig"),
    }
    run(["sha256sum", "--check", "--strict", "SHA256SUMS"], released)
    assert len((released / "SHA256SUMS").read_text().splitlines()) == len(names) - 2
    public = (released.parent / "key.pub").read_text()
    (released.parent / "signers").write_text(f"releases {public}")
    verify = "ssh-keygen -Y verify -f ../signers -I releases -n gatehouse-release -s SHA256SUMS.sig"
    sums = (released / "SHA256SUMS").read_bytes()
    for text, code in ((sums, 0), (sums.replace(b"0", b"1", 1), 255)):
        done = subprocess.run(
            verify.split(), cwd=released, input=text, capture_output=True, check=False
        )
        assert done.returncode == code, done.stderr


def test_readmes_lead_to_the_repository_and_metadata_to_its_pages(released: Path) -> None:
    for name in ("gatehouse", "gatehouse_client"):
        with zipfile.ZipFile(released / f"{name}-{_VERSION}-py3-none-any.whl") as wheel:
            metadata = wheel.read(f"{name}-{_VERSION}.dist-info/METADATA").decode()
        assert f"Project-URL: Changelog, {_URL}/blob/v{_VERSION}/CHANGELOG.md" in metadata
        places = re.findall(rf"\]\({_URL}/(?:blob|raw)/v{re.escape(_VERSION)}/([^)#]+)", metadata)
        assert places
        assert [place for place in places if not (ROOT / place).exists()] == []
        assert re.findall(r"\]\((?!https?:|#)[^)]*\)", metadata) == []
    assert f"]({_URL}/blob/v{_VERSION}/docs/" in (released / "NOTES.md").read_text()


@pytest.mark.parametrize(
    ("url", "text"),
    [
        (_URL, f"[a]({_URL}/blob/v1.0.0/docs/a.md#b) ![c]({_URL}/raw/v1.0.0/c.png) [d](#e)"),
        (None, "a  [d](#e)"),
    ],
)
def test_links_lead_somewhere_wherever_a_readme_is_shown(url: str | None, text: str) -> None:
    links = "[a](../../docs/a.md#b) ![c](../../c.png) [d](#e)"
    assert with_links(links, "clients/python", "1.0.0", url) == text


def test_the_list_of_parts_has_every_locked_package(released: Path) -> None:
    parts = json.loads((released / f"gatehouse-{_VERSION}.cdx.json").read_text())
    assert parts["metadata"]["component"]["version"] == _VERSION
    lock = (ROOT / "requirements/runtime.lock").read_text()
    pins = {f"pkg:pypi/{a}@{b}" for a, b in re.findall(r"^([\w.-]+)==(\S+)", lock, re.MULTILINE)}
    assert {part["purl"].partition("?")[0] for part in parts["components"]} == pins


def test_the_server_and_both_clients_work_from_what_is_published(
    released: Path, installed: Path, tmp_path: Path
) -> None:
    home = Home(tmp_path / "home")
    environ = home.environ(PYTHONSAFEPATH="1")
    where = (
        "import gatehouse, gatehouse_client; print(gatehouse.__file__, gatehouse_client.__file__)"
    )
    found = subprocess.check_output([installed / "python", "-c", where], env=environ, text=True)
    assert all(str(installed.parent) in path for path in found.split())
    home.path.mkdir()
    port = free_port()
    with (home.path / "server.log").open("ab") as log:
        command = [str(installed / "gatehouse"), "serve", "--port", str(port)]
        server = Server(port, subprocess.Popen(command, env=environ, stdout=log, stderr=log), home)
    try:
        server.wait()
        access = {"GATEHOUSE_API_KEY": sandbox_key(home), "GATEHOUSE_URL": server.base}
        python = [str(installed / "python"), "-c", _CALL]
        said = subprocess.check_output(python, env=environ | access, text=True)
        assert said == "ACCEPT\n"
        shop = tmp_path / "shop"
        shop.mkdir()
        packed = released / f"gatehouse-client-{_VERSION}.tgz"
        with tarfile.open(packed) as package:
            assert "package/CHANGELOG.md" in package.getnames()
        run(["npm", "install", "--offline", "--no-audit", "--no-fund", packed], shop)
        (shop / "call.mjs").write_text(_CALL_FROM_NODE)
        assert node(["call.mjs"], shop, **access) == "ACCEPT\n"
    finally:
        server.stop()


def test_the_package_of_the_collector_is_the_file_that_shops_serve(released: Path) -> None:
    script = (ROOT / "clients/browser/gatehouse-collector.js").read_bytes()
    assert (released / "gatehouse-collector.js").read_bytes() == script
    with tarfile.open(released / f"gatehouse-collector-{_VERSION}.tgz") as packed:
        kept = packed.extractfile("package/gatehouse-collector.js")
        assert kept is not None
        assert kept.read() == script
    hashed = subprocess.check_output(
        "openssl dgst -sha384 -binary gatehouse-collector.js | openssl base64 -A",
        shell=True, cwd=released, text=True,
    )  # fmt: skip
    integrity = json.loads((released / "integrity.json").read_text())
    assert integrity == {"gatehouse-collector.js": f"sha384-{hashed}"}


def test_a_version_is_written_everywhere_at_once(tmp_path: Path) -> None:
    for place in (*PLACES, *CHANGELOGS):
        (tmp_path / place).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / place, tmp_path / place)
    set_version(tmp_path, "7.8.9-rc.1", "2030-01-31")
    assert version_of(tmp_path) == "7.8.9-rc.1"
    for place in CHANGELOGS:
        headed = "## [Unreleased]\n\n## [7.8.9-rc.1] - 2030-01-31\n"
        assert headed in (tmp_path / place).read_text()
    assert 'appVersion: "7.8.9-rc.1"' in (tmp_path / "deploy/helm/gatehouse/Chart.yaml").read_text()
    locked = json.loads((tmp_path / "clients/typescript/package-lock.json").read_text())
    assert locked["version"] == locked["packages"][""]["version"] == "7.8.9-rc.1"
    with pytest.raises(SystemExit, match="no semantic version"):
        set_version(tmp_path, "1.0", "2030-01-31")

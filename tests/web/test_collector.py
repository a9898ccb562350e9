"""The collector for browsers: small, nothing without consent, and fields that Sentry counts by.

It runs in Node with stand-ins that see every look at the device, and in a real browser, started
twice with one profile, on a page with a strict Content-Security-Policy.
"""

import html
import json
import os
import re
import shutil
import subprocess
import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Final

import pytest

from tests.harness import PATIENCE_S, Server, sentry
from tests.installed_programs import ROOT, run

SCRIPT: Final = ROOT / "clients/browser/gatehouse-collector.js"
PROGRAMS: Final = Path(__file__).with_name("collector")
MOST_BYTES: Final = 10_000
STRICT: Final = (
    "default-src 'none'; script-src 'self'; base-uri 'none'; form-action 'self'; "
    "frame-ancestors 'none'; require-trusted-types-for 'script'"
)
NOTHING: Final[dict[str, Any]] = {"device": {}, "customInputs": {}}
NODE: Final = shutil.which("node")
CHROMIUM: Final = shutil.which("chromium") or shutil.which("chromium-browser")
_SERVED: Final = {
    "/": (PROGRAMS / "page.html", "text/html"),
    "/page.js": (PROGRAMS / "page.js", "text/javascript"),
    "/gatehouse-collector.js": (SCRIPT, "text/javascript"),
}


class Shop(BaseHTTPRequestHandler):
    """A shop that serves its page and the collector itself."""

    def do_GET(self) -> None:
        file, kind = _SERVED.get(self.path, (None, ""))
        self.send_response(200 if file else 404)
        self.send_header("Content-Type", f"{kind}; charset=utf-8")
        self.send_header("Content-Security-Policy", STRICT)
        self.end_headers()
        if file:
            self.wfile.write(file.read_bytes())

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""


@pytest.fixture(scope="module")
def visits(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Any]]:
    """What the page found on two visits of one browser."""
    if CHROMIUM is None:
        pytest.skip("CHROMIUM IS MISSING: the collector was not tried in a real browser")
    shop = ThreadingHTTPServer(("127.0.0.1", 0), Shop)
    threading.Thread(target=shop.serve_forever, daemon=True).start()
    profile = tmp_path_factory.mktemp("profile")
    url = f"http://127.0.0.1:{shop.server_address[1]}/"
    yield [visit(CHROMIUM, profile, url) for _ in range(2)]
    shop.shutdown()
    shop.server_close()


def visit(chromium: str, profile: Path, url: str) -> Any:
    """What the page wrote, in a browser that starts and ends with it."""
    options = "--headless --no-sandbox --disable-gpu --disable-dev-shm-usage --no-first-run"
    quiet = "--disable-background-networking --disable-component-update --virtual-time-budget=2000"
    command = [chromium, *options.split(), *quiet.split(), f"--user-data-dir={profile}"]
    done = subprocess.run(
        [*command, "--dump-dom", url],
        capture_output=True,
        text=True,
        timeout=5 * PATIENCE_S,
        env={**os.environ, "HOME": str(profile)},
        check=False,
    )
    found = re.search(r"<body>(\{.*\})</body>", done.stdout, re.DOTALL)
    assert found, done.stdout + done.stderr
    return json.loads(html.unescape(found.group(1)))


def test_the_script_is_small_and_speaks_to_nobody() -> None:
    text = SCRIPT.read_text()
    assert len(text.encode()) < MOST_BYTES
    for word in ("http", "fetch", "XMLHttpRequest", "sendBeacon", "cookie =", "eval", "import"):
        assert word not in text


@pytest.mark.node
@pytest.mark.skipif(NODE is None, reason="NODE IS MISSING: the collector's checks did not run")
def test_the_checks_in_node_pass() -> None:
    done = run(["node", "node_checks.mjs", SCRIPT], PROGRAMS)
    assert len(done.splitlines()) >= 10


@pytest.mark.browser
def test_a_browser_reads_and_stores_nothing_before_consent(visits: list[Any]) -> None:
    assert [each["unasked"] for each in visits] == [NOTHING, NOTHING]
    assert all(each["untouched"] for each in visits)
    assert visits[0]["before"] == []


@pytest.mark.browser
def test_a_device_is_the_same_after_the_browser_was_closed(visits: list[Any]) -> None:
    first, second = (each["asked"]["device"] for each in visits)
    assert first["deviceId"] == second["deviceId"]
    assert first["sessionId"] == second["sessionId"]
    assert 0 <= first["sessionAge"] <= second["sessionAge"]
    traits = [each["asked"]["customInputs"]["deviceTraits"] for each in visits]
    assert traits[0] == traits[1]
    filled = [json.loads(each["filled"])["device"]["deviceId"] for each in visits]
    assert filled == [first["deviceId"]] * 2


@pytest.mark.browser
def test_withdrawal_and_privacy_signals_leave_nothing_behind(visits: list[Any]) -> None:
    for each in visits:
        assert each["stored"] is True
        assert each["objected"] == NOTHING
        assert each["kept"] == ["gatehouse"]


@pytest.mark.browser
def test_a_strict_policy_is_kept_and_nothing_else_is_loaded(visits: list[Any]) -> None:
    for each in visits:
        assert each["violations"] == []
        assert each["cookies"] == ""
        assert set(each["loaded"]) <= _SERVED.keys()


@pytest.mark.browser
def test_sentry_counts_by_what_a_real_browser_sends(visits: list[Any], shared: Server) -> None:
    key = shared.home.key(shared.home.account("1000"))
    with shared.client(key) as client:
        # A device is not known within minutes.
        for days_ago, each in ((6, visits[0]), (5, visits[1]), (4, visits[1]), (0, visits[1])):
            at = datetime.now(UTC) - timedelta(days=days_ago)
            when = {"type": "PURCHASE", "timestamp": at.isoformat()}
            body = {**each["asked"], "account": {"userId": "u-1"}, "event": when}
            answer = sentry(client, body).json()
    assert answer["isSuccess"] is True, answer["errors"]
    reasons = {each["code"]: each["text"] for each in answer["sentryResponse"]["reasons"]}
    assert reasons["DEVICE_ID_KNOWN"] == "The user has ordered 3 times with this device before."

"""Starts the real console and opens its pages as a person who is signed in."""

import contextlib
import html
import os
import re
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

import httpx
import psutil

from scripts.bench.console_home import PASSWORD
from scripts.bench.servers import GATEHOUSE, Server, free_port, running

_TOKEN: Final = re.compile(r'name="csrf" value="([^"]+)"')
_NEXT: Final = re.compile(r'href="([^"]+)" rel="next"')
_TIMING: Final = re.compile(r"total;dur=([0-9.]+)")
_WAITING: Final = 'data-hx-trigger="every 3s"'
"""On the overview, while the figures are prepared."""
_COPY_S: Final = 1800.0


class Browser:
    """A person's browser."""

    def __init__(self, port: int, login: str) -> None:
        self._origin = f"http://127.0.0.1:{port}"
        self._client = httpx.Client(base_url=self._origin, timeout=120)
        self._csrf = ""
        answer = self.post("/sign-in", {"login": login, "password": PASSWORD})
        if answer.status_code != 303:
            raise SystemExit(f"{login} could not sign in: {answer.status_code}")

    def get(self, path: str) -> httpx.Response:
        """Open a page."""
        return self._noted(self._client.get(path))

    def post(self, path: str, form: Mapping[str, str]) -> httpx.Response:
        """Send a form as a page would."""
        sent = {"csrf": self._csrf, **form}
        return self._noted(self._client.post(path, data=sent, headers={"Origin": self._origin}))

    def close(self) -> None:
        """Close its connections."""
        self._client.close()

    def _noted(self, answer: httpx.Response) -> httpx.Response:
        found = _TOKEN.search(answer.text)
        self._csrf = found[1] if found else self._csrf
        return answer


def server_ms(answer: httpx.Response) -> float:
    """How long the console took; where it does not say so, how long the browser waited."""
    said = _TIMING.search(answer.headers.get("server-timing", ""))
    return float(said[1]) if said else answer.elapsed.total_seconds() * 1000


def next_page(answer: httpx.Response) -> str | None:
    """Where a list goes on, if it does."""
    found = _NEXT.search(answer.text)
    return html.unescape(found[1]) if found else None


def peak_gigabytes(process: psutil.Process) -> float:
    """The most memory that a process has had."""
    for line in Path(f"/proc/{process.pid}/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) / 1e6
    return float(process.memory_info().rss) / 1e9


@contextlib.contextmanager
def console(home: Path, **settings: str) -> Iterator[Server]:
    """The console of a home, in a process of its own."""
    port = free_port()
    environment = {**os.environ, "GATEHOUSE_HOME": str(home), **settings}
    command = [*GATEHOUSE, "console", "--port", str(port)]
    with (
        (home / "console.log").open("ab") as log,
        running(command, port, environment, log) as started,
    ):
        yield started


def wait_for_figures(browser: Browser, account_id: str) -> float:
    """Wait until the copy that figures are counted on is up to date; the seconds that it took."""
    began = time.perf_counter()
    while _WAITING in browser.get(f"/a/{account_id}/").text:
        if time.perf_counter() - began > _COPY_S:
            raise SystemExit("the figures are not ready")
        time.sleep(1)
    return time.perf_counter() - began

"""The console beside the server: it comes and goes with it, and its end harms nobody."""

import os
import re
import signal
from pathlib import Path

import httpx
import psutil

from tests.harness import PATIENCE_S, Home, Server, free_port, until
from tests.harness.commands import fork_command


def _children(server: Server) -> list[psutil.Process]:
    owners = (each for each in psutil.process_iter(["cmdline"]) if each.info["cmdline"])
    return [
        each
        for each in owners
        if "--listener" in each.info["cmdline"] and _home_of(each) == str(server.home.path)
    ]


def _home_of(process: psutil.Process) -> str:
    try:
        return str(process.environ().get("GATEHOUSE_HOME"))
    except psutil.Error:
        return ""


def _nice(pid: int, thread: int) -> int:
    """How far a thread gives way to others."""
    return int(Path(f"/proc/{pid}/task/{thread}/stat").read_text().rpartition(")")[2].split()[16])


def _answers(url: str) -> bool:
    try:
        return httpx.get(f"{url}/healthz", timeout=PATIENCE_S).text == "ok\n"
    except httpx.HTTPError:
        return False


def test_the_console_comes_with_the_server_starts_again_and_ends_with_it(
    sqlite_home: Home,
) -> None:
    given = {"GATEHOUSE_CONSOLE_PORT": "0", "GATEHOUSE_CONSOLE_NICE": "3"}
    # The console is to be a child of its server, whose threads can be looked at.
    environ = sqlite_home.environ(**given, REAL_PYTHON="yes")
    port, out = free_port(), sqlite_home.path / "server.log"
    with out.open("ab") as log:
        process = fork_command(("serve", "--port", str(port), "--console"), environ, log, log)
    server = Server(port, process, sqlite_home)
    try:
        server.wait()
        [link] = re.findall(r"Console: (\S+)", out.read_text())
        base, _, token = link.partition("/link/")
        until(lambda: _answers(base))
        assert "Look around in the sandbox" in httpx.get(link, timeout=PATIENCE_S).text
        done = httpx.post(link, headers={"Origin": base}, timeout=PATIENCE_S)
        assert done.headers["location"] == "/"
        assert token not in _request_lines(out.read_text())

        [child] = _children(server)
        own = psutil.Process(process.pid).nice()
        assert {_nice(child.pid, each.id) for each in child.threads()} == {min(19, own + 3)}
        os.kill(child.pid, signal.SIGKILL)
        assert httpx.get(f"{server.base}/readyz", timeout=PATIENCE_S).status_code == 200
        # The parent holds the socket, so this waits for the next one instead of failing.
        assert _answers(base)
        [second] = _children(server)
        assert second.pid != child.pid
        assert "the console ended" in out.read_text()
    finally:
        server.stop()
    until(lambda: not _children(server))


def _request_lines(log: str) -> str:
    return "\n".join(line for line in log.splitlines() if line.startswith("{"))

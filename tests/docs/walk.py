"""Runs the commands of a page in one shell, and compares what they print with what it shows."""

import contextlib
import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from tests.docs.pages import Step
from tests.forkserver import fork_server
from tests.harness import Home, Server

_END = "=== end of step"


@contextlib.contextmanager
def checkout(folder: Path, *, past: bool = False, **settings: str) -> Iterator[Server]:
    """Serve a folder as `make run PAST=` does, with a command `gatehouse` that starts quickly.

    With a `past`, as `make run` does: the demo account has something to look at.
    """
    command = folder / ".venv/bin/gatehouse"
    command.parent.mkdir(parents=True)
    command.symlink_to(fork_server().launcher)
    home = Home(folder / ".gatehouse", settings=settings).migrated()
    if past:
        home.ok("demo", "fill", "--decisions", "200")
    with home.server() as server:
        yield server


def check_steps(steps: list[Step], folder: Path, server: Server, *, with_errors: bool) -> None:
    """Every step ends and prints as the page says, where `make run` serves that folder.

    `with_errors` puts standard error among the output, as a terminal does; otherwise there must
    not be any.
    """
    for program in ("bash", "curl", "python3"):
        assert shutil.which(program), f"the page needs {program}, which is not on the path"
    environ = {k: v for k, v in server.home.environ().items() if not k.startswith("GATEHOUSE_")}
    here = [replace(step, command=_served(step.command, server)) for step in steps]
    check_in_shell(here, folder, environ, with_errors=with_errors)


def check_on_ports(steps: list[Step], folder: Path, ports: dict[str, str]) -> None:
    """The same where the page starts its server and its provider itself, on ports of this test."""
    home = Home(folder / ".gatehouse").migrated()

    def here(text: str) -> str:
        for port, own in ports.items():
            text = text.replace(f"127.0.0.1:{port}", f"127.0.0.1:{own}")
            text = text.replace(f"--port {port}", f"--port {own}")
        return re.sub(r"\bgatehouse (?=[a-z-]+ )", f"{folder}/bin/gatehouse ", text)

    walk = [replace(step, command=here(step.command)) for step in steps]
    check_in_shell(walk, folder, home.environ(), with_errors=True)


def _served(command: str, server: Server) -> str:
    return command.replace("127.0.0.1:8080", f"127.0.0.1:{server.port}")


def check_in_shell(
    steps: list[Step], folder: Path, environ: dict[str, str], *, with_errors: bool
) -> None:
    """Every step, run in one shell, ends and prints as the page says."""
    outputs = _run(steps, folder, environ, with_errors=with_errors)
    for step, (code, output) in zip(steps, outputs, strict=True):
        said = f"$ {step.command}\n{output}"
        assert code == step.exit_code, f"exit code {code}, not {step.exit_code}:\n{said}"
        warned = '"warnings":' in output and not any("warnings" in one.text for one in step.shown)
        assert not warned, f"the page sends something that nothing reads:\n{said}"
        for block in step.shown:
            if block.kind == "json":
                missing = _differences(json.loads(block.text), json.loads(output), "$")
                assert not missing, "\n".join([*missing, said])
            else:
                assert _shows(output, block.text), f"does not show\n{block.text}\nbut\n{said}"


def _run(
    steps: list[Step], folder: Path, environ: dict[str, str], *, with_errors: bool
) -> list[tuple[int, str]]:
    """Run all steps in one shell; the code and the output of each."""
    script = "\n".join(f"{step.command}\nprintf '\\n{_END} %s\\n' $?" for step in steps)
    # Where another program stands in for `python3`, it starts several times as slowly.
    path = f"{Path(sys.executable).parent}:{environ['PATH']}"
    done = subprocess.run(
        ["bash", "-c", script],
        cwd=folder,
        env=environ | {"PATH": path},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT if with_errors else subprocess.PIPE,
        text=True,
        timeout=600,
        check=False,
    )
    parts = re.split(rf"\n{_END} (\d+)\n", done.stdout)
    assert len(parts) == 2 * len(steps) + 1, f"the shell ended early:\n{done.stdout}{done.stderr}"
    assert not done.stderr
    return [(int(code), output) for output, code in zip(parts[:-1:2], parts[1::2], strict=True)]


def _differences(shown: Any, actual: Any, path: str) -> list[str]:
    """Where the shown JSON is not part of the actual one."""
    if isinstance(shown, dict) and isinstance(actual, dict):
        lost = [f"{path}.{name} is not in the answer" for name in shown if name not in actual]
        both = [name for name in shown if name in actual]
        deeper = [_differences(shown[name], actual[name], f"{path}.{name}") for name in both]
        return lost + [line for lines in deeper for line in lines]
    if isinstance(shown, list) and isinstance(actual, list) and len(shown) == len(actual):
        pairs = enumerate(zip(shown, actual, strict=True))
        return [line for n, (s, a) in pairs for line in _differences(s, a, f"{path}[{n}]")]
    if isinstance(shown, str) and isinstance(actual, str):
        same = re.fullmatch(_pattern(shown), actual) is not None
    else:
        same = type(shown) is type(actual) and shown == actual
    return [] if same else [f"{path} is {actual!r}, not {shown!r}"]


def _shows(output: str, shown: str) -> bool:
    """Whether the shown lines are in the output, in order, whatever the spaces."""
    lines = [" ".join(line.split()) for line in output.splitlines()]
    for wanted in shown.splitlines():
        plain = " ".join(wanted.split())
        if plain in ("...", ""):
            continue
        matching = (n for n, line in enumerate(lines) if re.fullmatch(_pattern(plain), line))
        found = next(matching, None)
        if found is None:
            return False
        lines = lines[found + 1 :]
    return True


def _pattern(shown: str) -> str:
    return ".*".join(re.escape(part) for part in shown.split("..."))

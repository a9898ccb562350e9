"""`gatehouse reference-host` as a process: ready, stopped, killed, and started again."""

import contextlib
import json
import os
import signal
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import httpx

from tests.forkserver import Fork
from tests.harness import PATIENCE_S, Home, until
from tests.harness.commands import fork_command

_PAYMENT = {
    "amountMinor": 5990,
    "currency": "USD",
    "cardNumber": "4242424242424242",
    "expiry": "2035-12",
}


class _HostProcess:
    """A host that runs, and what it said when it was ready."""

    def __init__(self, folder: Path, arguments: tuple[str, ...]) -> None:
        words = ("reference-host", "--json", "--token", "env:HOST_TOKEN", *arguments)
        self._start = partial(_start, folder, words)
        self.process = self._start()
        printed = until(partial(self._printed, folder / "out"), lambda text: text.endswith("\n"))
        self.said: dict[str, Any] = json.loads(printed)
        self.client = httpx.Client(
            base_url=self.said["http"],
            headers={"Authorization": "Bearer of-the-tests"},
            timeout=PATIENCE_S,
        )

    def _printed(self, out: Path) -> str:
        """What it printed; for a moment others may have the port that it had before."""
        if not (text := out.read_text()) and self.process.poll() is not None:
            self.process = self._start()
        return text

    def port(self, protocol: str) -> str:
        return str(self.said[protocol].rpartition(":")[2])

    def pay(self, reference: str) -> Any:
        return self.client.post("/v1/payments", json={"reference": reference, **_PAYMENT}).json()

    def summary(self) -> dict[str, int]:
        found: dict[str, int] = self.client.get("/v1/journal/summary").json()
        return found


def _start(folder: Path, words: tuple[str, ...]) -> Fork:
    with (folder / "out").open("wb") as out, (folder / "err").open("wb") as err:
        return fork_command(words, {**os.environ, "HOST_TOKEN": "of-the-tests"}, out, err)


@contextlib.contextmanager
def _started(folder: Path, *arguments: str) -> Iterator[_HostProcess]:
    running = _HostProcess(folder, arguments)
    try:
        with running.client:
            yield running
    finally:
        running.process.kill()
        running.process.wait(PATIENCE_S)


def test_a_host_that_is_killed_again_and_again_still_knows_what_it_authorized(
    tmp_path: Path,
) -> None:
    journal = str(tmp_path / "journal.jsonl")
    with _started(
        tmp_path, "--iso8583-port", "0", "--http-port", "0", "--journal", journal
    ) as first:
        ports = ("--iso8583-port", first.port("iso8583"), "--http-port", first.port("http"))
        paid = [first.pay("kept-0")]
        assert "token" not in first.said, "only one that it made is shown"
    for place in range(1, 3):
        with _started(tmp_path, *ports, "--journal", journal, "--resume") as again:
            assert again.summary()["approved"] == place
            paid.append(again.pay(f"kept-{place}"))
            assert [again.pay(f"kept-{n}") for n in range(place + 1)] == paid
            if place == 2:
                again.process.send_signal(signal.SIGTERM)
                assert again.process.wait(PATIENCE_S) == 0, (tmp_path / "err").read_text()
    assert (tmp_path / "err").read_text() == ""
    assert os.stat(journal).st_mode & 0o777 == 0o600


def test_mistakes_are_one_sentence_and_an_exit_code(tmp_path: Path) -> None:
    home = Home(tmp_path / "home")
    (tmp_path / "mine.yaml").write_text("dialect: mine\n")
    for words, code, said in (
        (("--resume",), 2, "--journal"),
        (("--misbehave", "slow=2"), 4, "from 0 to 1"),
        (("--misbehave", "tls-failure=0.1"), 2, "--tls"),
        (("--client-ca", "x"), 2, "--tls"),
        (("--tls", "--tls-files", "x", "y", "--ask-certificate"), 2, "that are made"),
        (("--tls", "--tls-files", "/no/x", "/no/y"), 5, "TLS cannot be used"),
        (("--token", "plain"), 2, "env:NAME"),
        (("--token", "env:NO_SUCH_TOKEN"), 5, "NO_SUCH_TOKEN"),
        (("--dialect", "unknown"), 4, "reference"),
        (("--dialect", str(tmp_path / "mine.yaml")), 4, "fields"),
        (("--host", "203.0.113.1"), 4, "cannot listen"),
    ):
        done = home.run("reference-host", *words)
        assert (done.code, said in done.err) == (code, True), (words, done.err)

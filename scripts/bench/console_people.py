"""People who click through the console, one page a second each, in a process of their own.

`python -m scripts.bench.console_people HOME PORT PEOPLE` goes on until its input ends, and then
prints how long the console took for each kind of page.
"""

import contextlib
import json
import os
import statistics
import subprocess
import sys
import threading
from collections import defaultdict
from collections.abc import Iterator
from itertools import cycle, islice
from pathlib import Path
from typing import Final

from scripts.bench.backtesting import rule_set_text
from scripts.bench.console_browser import Browser, server_ms
from scripts.bench.console_home import ADMINISTRATOR, ConsoleHome, opened
from scripts.bench.console_pages import Asked

THINK_S: Final = 1.0
_NICENESS: Final = 19
"""Browsers are on other machines, so these give way to everything."""


class Visits:
    """People at the console, and what the console needed for their pages."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self._process = process
        self.medians_ms: dict[str, float] = {}
        self.pages = 0

    def end(self) -> None:
        """Let them leave."""
        told, _ = self._process.communicate()
        found: dict[str, list[float]] = json.loads(told)
        self.pages = sum(map(len, found.values()))
        self.medians_ms = {name: statistics.median(times) for name, times in found.items()}


@contextlib.contextmanager
def people_at(home: Path, port: int, people: int) -> Iterator[Visits]:
    """So many people at a console; they have signed in when this begins."""
    command = [sys.executable, "-m", "scripts.bench.console_people"]
    process = subprocess.Popen(
        [*command, str(home), str(port), str(people)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    visits = Visits(process)
    try:
        if process.stdout.readline() != "ready\n":
            raise SystemExit("people could not sign in to the console")
        yield visits
        visits.end()
    finally:
        process.kill()
        process.wait()


def walk(made: ConsoleHome) -> list[Asked]:
    """What a person looks at, again and again; every second time with a preview."""
    account, places = f"/a/{made.account_id}", made.places
    pages = [
        Asked("overview", f"{account}/"),
        Asked("decisions", f"{account}/decisions"),
        Asked("decision", f"{account}/decisions/{places['id']}"),
        Asked("entity", f"{account}/entities/user/{made.tokens['user']}"),
        Asked("reviews", f"{account}/reviews"),
        Asked("rules", f"{account}/rules"),
        Asked("money", f"{account}/money"),
    ]
    draft = {"document": rule_set_text(), "set": places["set"], "days": "30"}
    return [*pages, *pages[:6], Asked("preview", f"{account}/rules/preview", draft), pages[6]]


def _visit(browser: Browser, pages: Iterator[Asked], noted: "Noted", over: threading.Event) -> None:
    for asked in pages:
        if asked.form is None:
            answer = browser.get(asked.path)
        else:
            answer = browser.post(asked.path, asked.form)
        noted.add(asked.name if answer.status_code < 400 else "refused", server_ms(answer))
        if over.wait(THINK_S):
            return


class Noted:
    """Times by kind of page, from all people."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.times: defaultdict[str, list[float]] = defaultdict(list)

    def add(self, name: str, milliseconds: float) -> None:
        """Note how long a page took."""
        with self._lock:
            self.times[name].append(milliseconds)


def main() -> None:
    home, port, people = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    os.nice(_NICENESS)
    made, noted, over = opened(home, 0), Noted(), threading.Event()
    browsers = [Browser(port, ADMINISTRATOR) for _ in range(people)]
    print("ready", flush=True)
    pages = walk(made)
    threads = [
        threading.Thread(
            target=_visit,
            args=(browser, islice(cycle(pages), number, None), noted, over),
        )
        for number, browser in enumerate(browsers)
    ]
    for thread in threads:
        thread.start()
    sys.stdin.read()
    over.set()
    for thread in threads:
        thread.join()
    print(json.dumps(noted.times))


if __name__ == "__main__":
    main()

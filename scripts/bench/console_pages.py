"""How long every page of the console takes with a million decisions, and how much memory it needs.

`python -m scripts.bench.console_pages [DECISIONS] [--home FOLDER]` prints it with the bars.
"""

import argparse
import re
import statistics
import tempfile
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final, NamedTuple

import httpx

from gatehouse.access.roles import Permission
from gatehouse.console.pages import Page, Reach
from gatehouse.console.routes import DECLARED
from scripts.bench.backtesting import rule_set_text
from scripts.bench.console_browser import (
    Browser,
    console,
    next_page,
    peak_gigabytes,
    server_ms,
    wait_for_figures,
)
from scripts.bench.console_home import ADMINISTRATOR, OPERATOR, ConsoleHome, opened, with_job
from scripts.bench.console_rows import BUSY_USER
from scripts.bench.rounds import MISSED
from scripts.bench.servers import Server

BAR_MS: Final = 300.0
PREVIEW_BAR_MS: Final = 2000.0
MOST_GIGABYTES: Final = 1.0

_NONE: Final = "none"
"""Stands in paths for what the home does not have."""
_TIMES: Final = 5
_PLACE: Final = re.compile(r"\{([a-z_]+)(?::[a-z]+)?\}")
_QUERIES: Final[Mapping[str, tuple[str, ...]]] = {
    "decisions": (
        "decision=DECLINE",
        "rule=rule-1&decision=DECLINE",
        "least=64&most=120&currency=USD",
        "label=FRAUD",
        "where=ip.country+%3D+%27US%27&decision=DECLINE",
        "lastFour=4242",
        "tag=IP_HOSTING&operation=pipeline",
    ),
    "explore": (
        "by=card.country&span=365d",
        "by=email.domain&span=365d&where=order.amount+%3E+50",
        "by=order.amount&span=365d",
        "by=card.country&also=ip.country&span=365d",
        "by=rule&span=365d&decision=DECLINE",
    ),
    "notifications": ("state=UNMATCHED", "event=disputed"),
    "reviews": ("view=mine", "view=unassigned", "view=resolved"),
    "overview": ("span=today", "span=7d", "span=90d"),
    "rules": ("span=7d", "span=90d"),
    "audit": ("action=key.issue", "actor=system:bench"),
    "list": ("gone=yes",),
    "statement": (f"month={datetime.now(UTC).replace(day=1) - timedelta(days=1):%Y-%m}",),
}
"""What people choose on a page besides what it shows first."""

_BARS_MS = {"explore": 1000.0}
"""Of pages that count what somebody thought of, and may take longer."""


class Asked(NamedTuple):
    """Something that a person asks of the console."""

    name: str
    path: str
    form: Mapping[str, str] | None = None
    """What is sent; None where a page is only opened."""
    by_operator: bool = False
    bar_ms: float = BAR_MS


class Timed(NamedTuple):
    """How long the console took for it, in the middle of some times."""

    asked: Asked
    first_ms: float
    median_ms: float
    cpu_ms: float
    """Processor time of one, with what the console does beside."""

    @property
    def line(self) -> str:
        """One line with the bar and whether it is met."""
        met = "met" if self.is_met else "NOT MET"
        more = f"first {self.first_ms:5.0f}, CPU {self.cpu_ms:4.0f}"
        ratio = self.median_ms / self.asked.bar_ms
        bar = f"{ratio:5.2f} of the bar <= {self.asked.bar_ms:<4.0f} {met}"
        return f"  {self.asked.name:<52} {self.median_ms:7.1f} ms ({more})  {bar}"

    @property
    def is_met(self) -> bool:
        """Whether the bar is met."""
        return self.median_ms <= self.asked.bar_ms


def every_page(made: ConsoleHome) -> Iterator[Asked]:
    """Every page that is declared, with what really exists, and what is chosen on it."""
    for page in DECLARED:
        if not isinstance(page, Page):
            continue
        by_operator = page.reach is Reach.INSTALLATION or page.permission is Permission.OPERATE
        for detail, places in _variants(page, made):
            path = _PLACE.sub(lambda match, at=places: at.get(match[1], _NONE), page.path)  # type: ignore[misc]  # `at` is of this turn
            bar_ms = _BARS_MS.get(page.name, BAR_MS)
            yield Asked(f"{page.name}{detail}", path, None, by_operator, bar_ms)
            for query in _QUERIES.get(page.name, ()):
                asked = f"{path}?{query}"
                yield Asked(f"{page.name} {query}", asked, None, by_operator, bar_ms)


def _variants(page: Page, made: ConsoleHome) -> Iterator[tuple[str, Mapping[str, str]]]:
    """The pages of one path: of entities, one of each busy kind."""
    if page.name == "entity":
        for kind, token in made.tokens.items():
            yield f" ({kind})", {**made.places, "kind": kind, "token": token}
    elif page.name == "review":
        yield "", {**made.places, "id": made.places["review"]}
    elif page.name == "report":
        yield "", made.places
        yield " (as of now)", {**made.places, "month": f"{datetime.now(UTC):%Y-%m}"}
    else:
        yield "", made.places


def forms(made: ConsoleHome) -> Iterator[Asked]:
    """What is found or tried by a form, and changes nothing."""
    account = f"/a/{made.account_id}"
    user = {"who": "userId", "value": BUSY_USER}
    yield Asked("decisions of a busy user", f"{account}/decisions/find", user)
    declined = {**user, "decision": "DECLINE"}
    yield Asked("declined ones of a busy user", f"{account}/decisions/find", declined)
    draft = {"document": rule_set_text(), "set": made.places["set"], "days": "30"}
    path = f"{account}/rules/preview"
    yield Asked("preview of 50 rules, 30 days", path, draft, bar_ms=PREVIEW_BAR_MS)


def time_it(server: Server, browser: Browser, asked: Asked) -> tuple[Timed, httpx.Response]:
    """Ask once for what is not in memory yet, and then some times; the last answer."""

    def ask() -> httpx.Response:
        if asked.form is None:
            return browser.get(asked.path)
        return browser.post(asked.path, asked.form)

    first, began = _checked(ask, asked), server.cpu_s()
    answers = [_checked(ask, asked) for _ in range(_TIMES)]
    cpu_ms = (server.cpu_s() - began) / _TIMES * 1000
    median_ms = statistics.median(map(server_ms, answers))
    return Timed(asked, server_ms(first), median_ms, cpu_ms), answers[-1]


def _checked(ask: Callable[[], httpx.Response], asked: Asked) -> httpx.Response:
    answer = ask()
    # The home has no alert, for one: its page says that there is none.
    is_of_nothing = asked.path.startswith(("/link/", "/sign-in")) or f"/{_NONE}" in asked.path
    if answer.status_code >= 400 and not (is_of_nothing and answer.status_code == 404):
        raise SystemExit(f"{asked.name}: {asked.path.partition('?')[0]} {answer.status_code}")
    return answer


def run(home: Path, made: ConsoleHome) -> list[Timed]:
    """Open everything in a new console, and print what it took."""
    found = []
    with console(home) as server:
        administrator, operator = (
            Browser(server.port, login) for login in (ADMINISTRATOR, OPERATOR)
        )
        waited = wait_for_figures(administrator, made.account_id)
        print(f"Pages with {made.decisions:,} decisions; figures were ready after {waited:.1f} s")
        for asked in (*every_page(made), *forms(made)):
            browser = operator if asked.by_operator else administrator
            timed, answer = time_it(server, browser, asked)
            found.append(timed)
            print(timed.line, flush=True)
            older = next_page(answer)
            if older is not None:
                following = asked._replace(name=f"{asked.name}, 2nd page", path=older, form=None)
                found.append(time_it(server, browser, following)[0])
                print(found[-1].line, flush=True)
        MISSED.extend(each.asked.name for each in found if not each.is_met)
        gigabytes = peak_gigabytes(server.process)
        print(f"{summary(found)}; {server.cpu_s():.1f} s of processor time")
        met = "met" if gigabytes <= MOST_GIGABYTES else "NOT MET"
        print(f"  memory at most {gigabytes:.2f} GB   bar <= {MOST_GIGABYTES} {met}")
    return found


def summary(found: list[Timed]) -> str:
    """How many pages meet their bars, and which takes longest."""
    missed = [each for each in found if not each.is_met]
    slowest = max(found, key=lambda each: each.median_ms / each.asked.bar_ms)
    return (
        f"{len(found) - len(missed)} of {len(found)} meet their bars; nearest to it or over it: "
        f"{slowest.asked.name}, {slowest.median_ms:.0f} ms"
    )


def measure(decisions: int, kept: Path | None = None) -> None:
    """Make so many decisions, unless they are kept in a folder, and open every page."""
    with tempfile.TemporaryDirectory(prefix="gatehouse-bench-") as folder:
        home = kept or Path(folder)
        run(home, with_job(home, opened(home, decisions)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("decisions", nargs="?", type=int, default=1_000_000)
    parser.add_argument("--home", type=Path, help="a folder to keep the decisions in")
    options = parser.parse_args()
    measure(options.decisions, options.home)


if __name__ == "__main__":
    main()

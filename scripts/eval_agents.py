"""Measures how well user agents are read: how many real browsers are taken for programs, how many
programs are found, and how long one agent takes.

    npm pack user-agents crawler-user-agents
    python scripts/eval_agents.py --browsers user-agents-….tgz --crawlers crawler-user-agents-….tgz

Each path may be the npm package, the JSON file in it, or a text file with one agent per line.
The collections are not part of this repository. What the words missed in them was looked at when
the words were written, so expect somewhat less of agents that nobody has seen.
"""

import argparse
import json
import sys
import tarfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from gatehouse.intel.agents.agents import Agent, load_agents, read_agent

PROGRAMS: Final = frozenset({"bot", "library", "headless"})
REPEATS: Final = 50


def agents_in(path: Path) -> list[str]:
    """The different agents that a file holds."""
    if path.suffix == ".txt":
        return sorted({line for line in path.read_text().splitlines() if line})
    if path.suffix == ".json":
        return sorted(set(texts(json.loads(path.read_text()))))
    with tarfile.open(path) as archive:
        for name in ("package/dist/user-agents.json", "package/crawler-user-agents.json"):
            if name in archive.getnames():
                member = archive.extractfile(name)
                assert member is not None
                return sorted(set(texts(json.load(member))))
    sys.exit(f"{path} holds no collection of user agents that is known here")


def texts(rows: Any) -> Iterator[str]:
    """The agents in a collection: one per row, or some examples per row."""
    for row in rows:
        if isinstance(row, str):
            yield row
        elif "userAgent" in row:
            yield row["userAgent"]
        else:
            yield from row["instances"]


def show(title: str, agents: Sequence[str], read: Sequence[Agent]) -> None:
    """Print how the agents of a collection were read."""
    kinds = Counter(agent.kind for agent in read)
    impossible = Counter(agent.impossible for agent in read if agent.impossible)
    print(f"\n{title}: {len(agents):,} different agents")
    for kind, count in kinds.most_common():
        print(f"  {kind:<10} {count:>7,}  {count / len(agents):7.2%}")
    print(f"  impossible {sum(impossible.values()):>7,}")
    for reason, count in impossible.most_common():
        print(f"  {count:>7,}  {reason}")


def measure(agents: Sequence[str]) -> None:
    """Print the mean time of an agent that was not seen before, and of one that was."""
    # A trailing space makes the text new without changing what is read.
    fresh = [[agent + " " * number for agent in agents] for number in range(1, 6)]
    started = time.perf_counter()
    for batch in fresh:
        for agent in batch:
            read_agent(agent)
    new = (time.perf_counter() - started) / (len(fresh) * len(agents))
    started = time.perf_counter()
    for _ in range(REPEATS):
        for agent in fresh[-1]:
            read_agent(agent)
    seen = (time.perf_counter() - started) / (REPEATS * len(agents))
    print(f"\n{new * 1e6:.1f} µs for a new agent, {seen * 1e6:.2f} µs for one that was seen")


def main() -> int:
    """Measure on the given collections; exit with 1 when a real browser passes for a program."""
    options = argparse.ArgumentParser(description="Measure the reading of user agents.")
    options.add_argument("--browsers", type=Path, required=True, help="agents of real browsers")
    options.add_argument("--crawlers", type=Path, required=True, help="agents of crawlers")
    options.add_argument("--list", action="store_true", help="print what was read wrongly")
    chosen = options.parse_args()
    for path in (chosen.browsers, chosen.crawlers):
        if not path.is_file():
            print(f"{path} is missing; `npm pack user-agents crawler-user-agents` fetches both")
            return 2

    started = time.perf_counter()
    load_agents()
    print(f"loaded in {(time.perf_counter() - started) * 1000:.0f} ms")
    browsers, crawlers = agents_in(chosen.browsers), agents_in(chosen.crawlers)
    if not browsers or not crawlers:
        print("a collection is empty")
        return 2
    browsers_read = [read_agent(agent) for agent in browsers]
    crawlers_read = [read_agent(agent) for agent in crawlers]
    show("real browsers", browsers, browsers_read)
    show("crawlers", crawlers, crawlers_read)

    suspect = PROGRAMS | {"malformed"}
    wrong = [a for a, read in zip(browsers, browsers_read, strict=True) if read.kind in suspect]
    missed = [
        a for a, read in zip(crawlers, crawlers_read, strict=True) if read.kind not in suspect
    ]
    named = sum(read.kind in PROGRAMS for read in crawlers_read)
    print(f"\nreal browsers taken for something else: {len(wrong)} of {len(browsers):,}")
    print(f"crawlers known as programs: {named / len(crawlers):.4f}")
    print(f"crawlers known as programs or malformed: {1 - len(missed) / len(crawlers):.4f}")
    if chosen.list:
        print(*(f"  wrong  {agent}" for agent in wrong), sep="\n")
        print(*(f"  missed {agent}" for agent in missed), sep="\n")
    measure(browsers)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

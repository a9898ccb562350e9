"""Reads the Markdown pages as their tests need them: blocks, headings, links."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
_FENCE = re.compile(r"^```([a-z]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_EXIT = re.compile(r"<!-- exit: (\d+) -->")
_HEADING = re.compile(r"^#{1,6} (.+)$", re.MULTILINE)
_LINK = re.compile(r"(?<!!)\[(?:[^\]\[`]|`[^`]*`)+\]\(([^)\s]+)\)")


@dataclass(frozen=True)
class Block:
    """A fenced block."""

    kind: str
    text: str


@dataclass(frozen=True)
class Step:
    """A command of the tour, and what the page says about it."""

    command: str
    exit_code: int
    shown: tuple[Block, ...]


def pages() -> list[Path]:
    """Every page that belongs to the project."""
    return sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])


def blocks(page: str) -> list[Block]:
    return [Block(kind, text) for kind, text in _FENCE.findall(page)]


def steps(page: str) -> Iterator[Step]:
    """Each `bash` block with the output and the exit code that follow it."""
    for part in re.split(r"^```bash\n", page, flags=re.MULTILINE)[1:]:
        command, _, rest = part.partition("\n```\n")
        told = _EXIT.search(rest)
        shown = [block for block in blocks(rest) if block.kind in ("json", "text")]
        yield Step(command, int(told.group(1)) if told else 0, tuple(shown))


def anchors(page: str) -> set[str]:
    """The anchors of a page's headings, as code hosts make them."""
    found: set[str] = set()
    seen: Counter[str] = Counter()
    for heading in _HEADING.findall(_FENCE.sub("", page)):
        slug = re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")
        found.add(f"{slug}-{seen[slug]}" if seen[slug] else slug)
        seen[slug] += 1
    return found


def links(page: str) -> list[str]:
    """The targets of a page's links, those in code left out."""
    return _LINK.findall(_FENCE.sub("", page))

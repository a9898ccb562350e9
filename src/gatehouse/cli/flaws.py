"""The lines of a file that cannot be used: counted all, told by number, never repeated."""

from typing import Final, NamedTuple

import msgspec

MOST_REPORTED: Final = 20


class BadLine(NamedTuple):
    """A line that cannot be used."""

    line: int
    message: str


class Flaws(msgspec.Struct):
    """How many lines of a file are bad, and the first of them."""

    bad: int = 0
    flaws: list[BadLine] = []

    def add(self, line: int, message: str) -> None:
        """Count a bad line; what is said about it must not repeat it."""
        self.bad += 1
        if len(self.flaws) < MOST_REPORTED:
            self.flaws.append(BadLine(line, message))

    def report(self) -> str:
        """The bad lines, one in each line of text."""
        shown = [f"  line {flaw.line}: {flaw.message}" for flaw in self.flaws]
        if self.bad > len(shown):
            shown.append(f"  and {self.bad - len(shown)} others")
        return "\n".join(shown)

"""The lines of a file that cannot be used: all are counted, the first ones are reported."""

from typing import Final, NamedTuple

import msgspec

MOST_REPORTED: Final = 20


class LineFlaw(NamedTuple):
    """A line that cannot be used, and why; the message must not repeat the line."""

    line: int
    message: str


class LineFlaws(msgspec.Struct):
    """How many lines of a file are bad, and the first of them."""

    bad: int = 0
    flaws: list[LineFlaw] = []

    def add(self, line: int, message: str) -> None:
        """Count a bad line."""
        self.bad += 1
        if len(self.flaws) < MOST_REPORTED:
            self.flaws.append(LineFlaw(line, message))

    def report(self) -> str:
        """The bad lines, one in each line of text."""
        shown = [f"  line {flaw.line}: {flaw.message}" for flaw in self.flaws]
        if self.bad > len(shown):
            shown.append(f"  and {self.bad - len(shown)} others")
        return "\n".join(shown)

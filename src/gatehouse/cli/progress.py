"""Shows the progress of a long command: a bar on a terminal, a line every ten seconds elsewhere."""

import sys
import time
from typing import Any, Final, Self

import typer

_LINE_EVERY_S: Final = 10.0


class Progress:
    """Progress on standard error; standard output stays free for results."""

    def __init__(self, what: str, total: int | None) -> None:
        self._what = what
        self._total = total
        self._bar: Any = None
        self._task: Any = None
        self._reported_at = time.monotonic()

    def __enter__(self) -> Self:
        if sys.stderr.isatty():
            from rich.console import Console
            from rich.progress import BarColumn, TaskProgressColumn, TextColumn, TimeRemainingColumn
            from rich.progress import Progress as Bar

            columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(),
                       TimeRemainingColumn(), TextColumn("{task.fields[note]}"))  # fmt: skip
            self._bar = Bar(*columns, console=Console(stderr=True))
            self._task = self._bar.add_task(self._what, total=self._total, note="")
            self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.stop()

    def reached(self, done: int, note: str, total: int | None = None) -> None:
        """Show how much is done; `total` is for work whose size was not known at the beginning."""
        self._total = total or self._total
        if self._bar is not None:
            self._bar.update(self._task, completed=done, note=note, total=self._total)
        elif time.monotonic() - self._reported_at >= _LINE_EVERY_S:
            self._reported_at = time.monotonic()
            of = "" if not self._total else f" ({100 * done // self._total} %)"
            typer.echo(f"{self._what}: {note}{of}", err=True)

    def reached_record(self, done: int, total: int) -> None:
        """Show how many of all records are done."""
        self.reached(done, f"{done:,} of {total:,} records", total)

    def say(self, text: str) -> None:
        """Show a line that stays."""
        if self._bar is not None:
            self._bar.console.print(text, markup=False, highlight=False, soft_wrap=True)
        else:
            typer.echo(text, err=True)

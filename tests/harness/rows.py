"""Tables that one test goes through, where a test for each row would cost more than the row."""

from collections.abc import Callable, Iterable
from typing import Any


def each(rows: Iterable[Any]) -> Callable[[Callable[..., None]], Callable[[], None]]:
    """Make one test of a check and its rows; a failure names its row, and the others still run.

    A row that is a plain tuple gives the check several arguments.
    """
    table = list(rows)
    assert table, "a table without rows proves nothing"

    def made(check: Callable[..., None]) -> Callable[[], None]:
        def test() -> None:
            failures = []
            for row in table:
                try:
                    check(*(row if type(row) is tuple else (row,)))
                except Exception as failure:
                    failure.add_note(f"in the row {row!r}")
                    failures.append(failure)
            if failures:
                raise ExceptionGroup(f"{len(failures)} of {len(table)} rows", failures)

        test.__name__, test.__doc__ = check.__name__, check.__doc__
        test.__module__, test.__qualname__ = check.__module__, check.__qualname__
        return test

    return made

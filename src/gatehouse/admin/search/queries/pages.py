"""Pages of requests that all of some sources have in common.

The smallest source is read in order, and its requests are looked up in the others. One page reads
a bounded number of rows: where more would be needed it says how far it came.
"""

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

import sqlalchemy as sa

from gatehouse.admin.search.queries.sources import (
    AnySource,
    IdSpan,
    Source,
    among,
    count_up_to,
    every_decision,
    read_ids,
)
from gatehouse.store.database import Database

MOST_EXAMINED: Final = 10_000
"""Rows of an index that one page reads."""
_FIRST_STEP: Final = 128
_LARGEST_STEP: Final = 1_024
_COUNTED: Final = 256
"""Above this many rows, which of two sources is the smaller one is not asked."""


class IdPage(NamedTuple):
    """Some requests in order, and the one after which the next page begins, if there may be one."""

    request_ids: list[str]
    reached: str | None


class PageWanted(NamedTuple):
    """Which part of a search is wanted."""

    span: IdSpan
    limit: int
    newest_first: bool = True


def find_page(
    connection: sa.Connection, sources: Sequence[AnySource], wanted: PageWanted
) -> IdPage:
    """The requests that are in all sources, of which there is at least one."""
    driver, others = _smallest_first(connection, sources, wanted.span)
    found: list[str] = []
    span, examined, step = wanted.span, 0, max(_FIRST_STEP, wanted.limit + 1)
    while True:
        step = min(step, MOST_EXAMINED - examined)
        rows = read_ids(connection, driver, span, step, newest_first=wanted.newest_first)
        for request_id in _in_all(connection, others, list(dict.fromkeys(rows))):
            if len(found) == wanted.limit:
                return IdPage(found, found[-1])
            found.append(request_id)
        if len(rows) < step:
            return IdPage(found, None)
        examined += len(rows)
        span = _beyond(span, rows[-1], newest_first=wanted.newest_first)
        if len(found) == wanted.limit:
            return IdPage(found, found[-1])
        if examined >= MOST_EXAMINED:
            return IdPage(found, rows[-1])
        step = min(2 * step, _LARGEST_STEP)


def stream_requests(
    database: Database, account_id: str, source: Source, *, batch: int = 500
) -> Iterator[list[str]]:
    """All of an account's requests in a source, oldest first, each batch read by itself."""
    own, span = every_decision(account_id), IdSpan()
    while True:
        with database.reading() as connection:
            rows = read_ids(connection, source, span, batch, newest_first=False)
            # Another account's request can have the same term by chance.
            checks = [own] if source.is_exact else [own, source]
            found = _in_all(connection, checks, list(dict.fromkeys(rows)))
        if found:
            yield found
        if len(rows) < batch:
            return
        span = IdSpan(after=rows[-1])


def _beyond(span: IdSpan, reached: str, *, newest_first: bool) -> IdSpan:
    return span._replace(before=reached) if newest_first else span._replace(after=reached)


def _smallest_first(
    connection: sa.Connection, sources: Sequence[AnySource], span: IdSpan
) -> tuple[AnySource, list[AnySource]]:
    """The source to read, and those to look its requests up in."""
    place = 0
    if len(sources) > 1:
        sizes = [count_up_to(connection, source, span, _COUNTED) for source in sources]
        place = sizes.index(min(sizes))
    driver = sources[place]
    others = [source for at, source in enumerate(sources) if at != place]
    return driver, others if driver.is_exact else [driver, *others]


def _in_all(
    connection: sa.Connection, sources: Sequence[AnySource], request_ids: list[str]
) -> list[str]:
    """Those of some requests that all sources have, in the same order."""
    for source in sources:
        if not request_ids:
            break
        known = among(connection, source, request_ids)
        request_ids = [each for each in request_ids if each in known]
    return request_ids

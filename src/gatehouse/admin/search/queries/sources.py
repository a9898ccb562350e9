"""A source is one way to find requests, and every filter of a search is one.

Its rows are in an index in the order of request ids, which is that of time. So a page is read from
where the one before ended, however many rows there are.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final, NamedTuple, Protocol

import sqlalchemy as sa

from gatehouse.core.wording.labels import Label
from gatehouse.store.counting import count_rows
from gatehouse.store.database import is_any_of
from gatehouse.store.search.position import FOLLOWED
from gatehouse.store.tables import DECISIONS, FEEDBACK, REVIEWS, SEARCH_ENTRIES, SEARCH_WAITING

Condition = sa.ColumnElement[bool]
Amount = sa.ColumnElement[int]


class Branch(NamedTuple):
    """Rows of one table that name requests."""

    request_id: "sa.Column[str]"
    driving: tuple[Condition, ...]
    """Answered by an index that goes on in the order of request ids."""
    exact: tuple[Condition, ...] = ()
    """What a row must fulfil beside, looked at for a few requests only."""


class Source(NamedTuple):
    """Requests that are in any of some branches."""

    branches: tuple[Branch, ...]
    unindexed: tuple[Branch, ...] = ()
    """Such requests that are not in the index yet; all of their rows count."""

    @property
    def is_exact(self) -> bool:
        """Whether every row that it is read by counts."""
        return not any(branch.exact for branch in self.branches)


class OtherSource(Protocol):
    """Requests that are found elsewhere than in the database, such as in the copy in columns."""

    @property
    def is_exact(self) -> bool:
        """Whether every request that it reads counts."""

    @property
    def is_complete(self) -> bool:
        """Whether it knows all decisions but those of the last seconds."""

    def read(
        self, after: str | None, before: str | None, limit: int, *, newest_first: bool
    ) -> list[str]:
        """Some ids between two, both excluded, in order."""

    def count_up_to(self, after: str | None, before: str | None, most: int) -> int:
        """How many there are between two ids, counted to a limit."""

    def among(self, request_ids: Sequence[str]) -> set[str]:
        """Those of some ids that are found."""


AnySource = Source | OtherSource


_AFTER_ALL: Final = "req_z"
"""After every id."""
_TERM: Final[Any] = sa.bindparam("term", type_=sa.BigInteger)
_ACCOUNT: Final[Any] = sa.bindparam("account_id")
_BEFORE: Final[Any] = sa.bindparam("before")
_MOST: Final[Any] = sa.bindparam("most")
"""What a statement that is made once is given when it is executed."""


class IdSpan(NamedTuple):
    """Requests between two ids, both excluded; None where there is no end."""

    after: str | None = None
    before: str | None = None


def every_decision(account_id: str) -> Source:
    """All decisions of an account."""
    return Source((Branch(DECISIONS.c.request_id, (DECISIONS.c.account_id == account_id,)),))


def by_terms(account_id: str, terms: Sequence[int]) -> Source:
    """Requests of an account that have any of some terms."""
    return _by_terms(account_id, terms, lambda _amount: ())


def _by_terms(
    account_id: str, terms: Sequence[int], about: Callable[[Amount], tuple[Condition, ...]]
) -> Source:
    """Such requests, whether indexed or not; `about` says what holds for their amount."""
    if not terms:
        return Source(())
    entries, waiting, decided = SEARCH_ENTRIES.c, SEARCH_WAITING.c, DECISIONS.c
    exact = about(entries.amount)
    indexed = [Branch(entries.request_id, (entries.term == term,), exact) for term in terms]
    waits = (*about(waiting.amount), _has_any(waiting.terms, terms))
    # Nothing but the account and the id is looked up: these are the decisions of a few seconds.
    new = (
        decided.account_id == account_id,
        decided.request_id > FOLLOWED,
        _has_any(sa.func.replace(sa.func.replace(decided.terms, "[", ","), "]", ","), terms),
        *about(_amount_after(decided.terms)),
    )
    unindexed = Branch(waiting.request_id, waits), Branch(decided.request_id, new)
    return Source(tuple(indexed), unindexed)


def _has_any(text: "sa.ColumnElement[str]", terms: Sequence[int]) -> Condition:
    """Whether a text has one of some terms, with a comma before and after it."""
    return sa.or_(*[text.like(_anywhere(term)) for term in terms])


def _anywhere(term: Any) -> "str | sa.ColumnElement[str]":
    if isinstance(term, int):
        return f"%,{term},%"
    return sa.literal("%,").concat(sa.cast(term, sa.Text)).concat(",%")


def _amount_after(terms: "sa.ColumnElement[str]") -> Amount:
    """The number that follows the terms of a decision."""
    without = sa.func.rtrim(terms, "-0123456789")
    return sa.cast(sa.func.nullif(sa.func.replace(terms, without, ""), ""), sa.BigInteger)


def by_amount(account_id: str, terms: Sequence[int], least: int | None, most: int | None) -> Source:
    """Requests of some buckets of amounts whose amount is between two, both included."""

    def within(amount: Amount) -> tuple[Condition, ...]:
        above = () if least is None else (amount >= least,)
        return above if most is None else (*above, amount <= most)

    return _by_terms(account_id, terms, within)


def by_column(column: "sa.Column[str]", account_id: str, value: str) -> Source:
    """Decisions with a value in a column that has an index with the account before it."""
    driving = (DECISIONS.c.account_id == account_id, column == value)
    return Source((Branch(DECISIONS.c.request_id, driving),))


def by_operation(account_id: str, operations: Sequence[str]) -> Source:
    """Decisions about requests to some operations.

    Most decisions of an account are of few operations, and a row for each would be half of what
    the index costs a PreCheck. So decisions are looked at one by one.
    """
    driving = (DECISIONS.c.account_id == account_id,)
    exact = (DECISIONS.c.operation.in_(operations),)
    return Source((Branch(DECISIONS.c.request_id, driving, exact),))


def by_labels(account_id: str, labels: Iterable[Label]) -> Source:
    """Requests that have one of some labels now."""
    rows, later = FEEDBACK.c, FEEDBACK.alias().c
    newer = sa.exists().where(
        later.account_id == rows.account_id,
        later.request_id == rows.request_id,
        later.seq > rows.seq,
    )
    mine = rows.account_id == account_id
    return Source(
        tuple(
            Branch(rows.request_id, (mine, rows.label == label.value), (~newer,))
            for label in labels
        )
    )


def every_review(account_id: str) -> Source:
    """All requests of an account that were to be reviewed."""
    return Source((Branch(REVIEWS.c.request_id, (REVIEWS.c.account_id == account_id,)),))


def by_review_states(account_id: str, states: Iterable[str]) -> Source:
    """Requests whose review is in one of some states."""
    rows, mine = REVIEWS.c, REVIEWS.c.account_id == account_id
    return Source(tuple(Branch(rows.request_id, (mine, rows.state == each)) for each in states))


def read_ids(
    connection: sa.Connection, source: AnySource, span: IdSpan, limit: int, *, newest_first: bool
) -> list[str]:
    """Some rows of a source in order; a request can be named more than once."""
    if not isinstance(source, Source):
        return source.read(*span, limit, newest_first=newest_first)
    rows = _read_branches(connection, source.branches, span, limit, newest_first=newest_first)
    if not source.unindexed:
        return rows
    new = _read_branches(connection, source.unindexed, span, limit, newest_first=newest_first)
    return sorted(new + rows, reverse=newest_first)[:limit] if new else rows


def _read_branches(
    connection: sa.Connection,
    branches: Sequence[Branch],
    span: IdSpan,
    limit: int,
    *,
    newest_first: bool,
) -> list[str]:
    if not branches:
        return []
    return list(connection.scalars(_in_order(branches, span, limit, newest_first)))


def _in_order(
    branches: Sequence[Branch], span: IdSpan, limit: int, newest_first: bool
) -> "sa.Select[Any]":
    parts = [_ordered(branch, span, limit, newest_first) for branch in branches]
    if len(parts) == 1:
        return parts[0]
    # Each branch is read by itself and stops at the limit; only the ends are sorted together.
    union = sa.union_all(*[sa.select(part.subquery()) for part in parts]).subquery()
    column = union.c.request_id
    order = column.desc() if newest_first else column
    return sa.select(column).order_by(order).limit(limit)


def count_up_to(connection: sa.Connection, source: AnySource, span: IdSpan, most: int) -> int:
    """How many rows a source has, counted to a limit in each of its branches.

    What is not indexed yet is left out: it is little, and all of it is read to count it.
    """
    if not isinstance(source, Source):
        return source.count_up_to(*span, most)
    total = 0
    for branch in source.branches:
        rows = _ordered(branch, span, most, True).subquery()
        total += count_rows(connection, rows)
        if total >= most:
            break
    return total


def among(connection: sa.Connection, source: AnySource, request_ids: Sequence[str]) -> set[str]:
    """Those of some requests that are in a source."""
    if not isinstance(source, Source):
        return source.among(request_ids)
    found: set[str] = set()
    for branch in (*source.branches, *source.unindexed):
        column = branch.request_id
        query = sa.select(column).where(
            *branch.driving, *branch.exact, is_any_of(connection, column, request_ids)
        )
        found.update(connection.scalars(query))
        if len(found) == len(request_ids):
            break
    return found


def _ordered(branch: Branch, span: IdSpan, limit: int, newest_first: bool) -> "sa.Select[Any]":
    column = branch.request_id
    query = sa.select(column.label("request_id")).where(*branch.driving)
    if span.after is not None:
        query = query.where(column > span.after)
    if span.before is not None:
        query = query.where(column < span.before)
    return query.order_by(column.desc() if newest_first else column).limit(limit)


_ONE: Final = by_terms(_ACCOUNT, [_TERM])
_NEWEST: Final = [
    _in_order(each, IdSpan(before=_BEFORE), _MOST, newest_first=True)
    for each in (_ONE.branches, _ONE.unindexed)
]
"""The newest requests of a term: those that are indexed, and those that are not yet."""


def newest_of_term(
    connection: sa.Connection, account_id: str, term: int, limit: int, before: str | None
) -> list[str]:
    """The newest requests of one term, or those before one, as `read_ids` tells them.

    Pages ask for many entities. To make such a statement takes longer than to execute it, so these
    two are made once.
    """
    about = {"account_id": account_id, "term": term, "most": limit, "before": before or _AFTER_ALL}
    found = [each for one in _NEWEST for each in connection.scalars(one, about)]
    return sorted(found, reverse=True)[:limit]

"""What was counted is kept as long as it is true, and what takes long is counted beside pages."""

import threading

import pytest

from gatehouse.admin.figures.use_cases.overview import Bucket, FigureSpan, overview
from gatehouse.core.errors import InvalidInput
from gatehouse.figures.copies import ColumnCopies
from gatehouse.figures.engine import FiguresNotReady
from gatehouse.figures.kept_parts import KeptParts, parts_of
from gatehouse.figures.slow_answers import SlowAnswer, SlowAnswers
from gatehouse.store.tables import DECISIONS
from tests.figures.shops import DAY_MS, NOW_MS, Shop

TODAY_MS = NOW_MS // DAY_MS * DAY_MS


def test_days_that_did_not_change_are_not_counted_again(shop: Shop) -> None:
    asked: list[list[int]] = []
    kept = KeptParts()
    parts = parts_of(FigureSpan(0, 3 * DAY_MS), Bucket.DAY)

    def rows() -> list[int]:
        asked.append([])

        def count(some: list[tuple[int, int]]) -> list[tuple[int, int]]:
            asked[-1] += [start // DAY_MS for start, _ in some]
            return [(start, len(asked)) for start, _ in some]

        found = kept.rows("q", parts, kept.changes, count)  # type: ignore[arg-type]  # a list is a sequence
        return [row[0] for part in parts for row in found[part]]

    assert rows() == [1, 1, 1]
    assert rows() == [1, 1, 1]
    kept.changed([DAY_MS + 5])
    assert rows() == [1, 3, 1]
    kept.changed(None)
    assert rows() == [4, 4, 4]
    assert asked == [[0, 1, 2], [], [1], [0, 1, 2]]


def test_what_changes_while_it_is_counted_is_counted_again() -> None:
    kept = KeptParts()
    parts = [(0, DAY_MS)]

    def count(number: int) -> int:
        changes = kept.changes

        def read(_: object) -> list[tuple[int, int]]:
            # Another thread's change that this reading does not see.
            kept.changed([DAY_MS // 2])
            return [(0, number)]

        return int(kept.rows("q", parts, changes, read)[parts[0]][0][0])

    assert count(1) == 1
    assert count(2) == 2


def test_figures_that_were_seen_follow_new_decisions_late_labels_and_deletions(shop: Shop) -> None:
    span = FigureSpan(TODAY_MS - 29 * DAY_MS, TODAY_MS + DAY_MS)

    def seen() -> tuple[int, int, list[int]]:
        found = overview(shop.session, shop.columns(), span)
        other = ColumnCopies(shop.session, shop.folder / "other", lasting=False)
        anew = overview(shop.session, other.catch_up(shop.account_id), span)
        other.close()
        assert (found.counts, found.over_time) == (anew.counts, anew.over_time)
        assert found.fraud_by_month == anew.fraud_by_month
        assert (found.by_operation, found.reviews) == (anew.by_operation, anew.reviews)
        return (
            found.counts.requests,
            found.counts.fraud,
            [each.requests for each in found.over_time if each.requests],
        )

    first = shop.keep(TODAY_MS - 20 * DAY_MS)
    assert seen() == (1, 0, [1])
    shop.keep(TODAY_MS - 20 * DAY_MS + 5)
    shop.keep(NOW_MS - 5000)
    assert seen() == (3, 0, [2, 1])
    shop.label(first)
    assert seen() == (3, 1, [2, 1])
    with shop.session.database.writing() as connection:
        connection.execute(DECISIONS.delete().where(DECISIONS.c.request_id == first))
    assert seen() == (2, 0, [1, 1])


def test_an_answer_that_takes_long_is_worked_out_beside_those_who_ask() -> None:
    now_ms, goes_on, made = [1000], threading.Event(), [0]
    answers = SlowAnswers(lambda: now_ms[0])

    def work() -> int:
        goes_on.wait(60)
        made[0] += 1
        return made[0]

    assert answers.ask("a", "q", work) == SlowAnswer(None, None, True)
    # Others of the account wait for their turn, and too many are refused.
    for number in range(2):
        answers.ask("a", number, work)
    with pytest.raises(FiguresNotReady):
        answers.ask("a", "more", work)
    assert answers.ask("b", "more", work).is_being_made
    goes_on.set()
    while (found := answers.ask("a", "q", work)).is_being_made:
        pass
    assert found == SlowAnswer(1, 1000, False)
    now_ms[0] += 1000
    assert answers.ask("a", "q", work).answer == 1
    while (found := answers.ask("a", "q", work, newer_than_ms=1000)).is_being_made:
        pass
    assert found.made_at_ms == 2000
    answers.close()


def test_who_asks_is_told_what_the_work_refused() -> None:
    answers = SlowAnswers(lambda: 0)

    def refuse() -> int:
        raise InvalidInput("a shorter span")

    def ask_on() -> None:
        while answers.ask("a", "q", refuse):
            pass

    with pytest.raises(InvalidInput, match="a shorter span"):
        ask_on()
    answers.close()

"""Answers that take seconds, worked out beside the pages that show them, and kept for a while.

A page asks and is told what is kept, with its time, or that it is being worked out. One thread
works, so that of many who ask for much, one question at a time takes the processors.
"""

import threading
from collections.abc import Callable, Hashable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import Any, Final, Generic, TypeVar

import msgspec

from gatehouse.figures.engine import NOT_READY, FiguresNotReady

_LONGEST_MS: Final = 600_000
"""An older answer is still told, and a new one is worked out."""
_WAIT_S: Final = 0.1
"""Who asks for little is told at once."""
_MOST_KEPT: Final = 200
_MOST_OF_ACCOUNT: Final = 3
"""Questions that are being worked out or wait for that."""

A = TypeVar("A")


class SlowAnswer(msgspec.Struct, Generic[A], frozen=True):
    """What is known by now, and whether it is being worked out anew."""

    answer: A | None
    made_at_ms: int | None
    is_being_made: bool


class _Question:
    """What is known of one question."""

    def __init__(self) -> None:
        self.answer: Any = None
        self.made_at_ms: int | None = None
        self.error: Exception | None = None
        self.work: Future[None] | None = None

    def is_being_made(self) -> bool:
        return self.work is not None and not self.work.done()

    def refuse(self) -> None:
        """Raise what the work has raised, once."""
        if self.error is not None and not self.is_being_made():
            error, self.error = self.error, None
            raise error


class SlowAnswers:
    """The answers of one process."""

    def __init__(self, clock: Callable[[], int]) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._questions: dict[tuple[str, Hashable], _Question] = {}
        self._worker = ThreadPoolExecutor(1, thread_name_prefix="answers")

    def ask(
        self, account_id: str, name: Hashable, work: Callable[[], A], *, newer_than_ms: int = 0
    ) -> SlowAnswer[A]:
        """What is kept under a name for an account.

        What the work raised is raised to the one who asks next.

        It is worked out again when it is old, or not newer than somebody wants it.
        """
        key = (account_id, name)
        with self._lock:
            question = self._questions.pop(key, None) or _Question()
            # The last in the order is the one that was asked last.
            self._questions[key] = question
            question.refuse()
            if not question.is_being_made() and self._is_old(question, newer_than_ms):
                self._begin(account_id, question, work)
            for oldest in list(self._questions)[:-_MOST_KEPT]:
                del self._questions[oldest]
            working = question.work
        if working is not None:
            wait([working], _WAIT_S)
        with self._lock:
            question.refuse()
            return SlowAnswer(question.answer, question.made_at_ms, question.is_being_made())

    def close(self) -> None:
        """Begin nothing more, and wait for the end of what is being worked out."""
        self._worker.shutdown(cancel_futures=True)

    def _is_old(self, question: _Question, newer_than_ms: int) -> bool:
        made = question.made_at_ms
        return made is None or made <= max(newer_than_ms, self._clock() - _LONGEST_MS)

    def _begin(self, account_id: str, question: _Question, work: Callable[[], Any]) -> None:
        of_account = (each for (asker, _), each in self._questions.items() if asker == account_id)
        if sum(each.is_being_made() for each in of_account) >= _MOST_OF_ACCOUNT:
            raise FiguresNotReady(NOT_READY)

        def run() -> None:
            try:
                answer = work()
            except Exception as error:
                # The next request for the answer raises it.
                question.error = error
            else:
                question.answer, question.made_at_ms = answer, self._clock()

        question.work = self._worker.submit(run)

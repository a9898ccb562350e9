"""Answers that take seconds, worked out beside the pages that show them, and kept for a while.

A page asks and is told what is kept, with its time, or that it is being worked out. One thread
works, so that of many who ask for much, one question at a time takes the processors.
"""

import threading
from collections.abc import Callable, Hashable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import Any, Final, Generic, TypeVar

import msgspec

from gatehouse.core.errors import Conflict, GatehouseError
from gatehouse.core.wording.sentences import Phrase

_TOO_MANY: Final = Phrase(
    "refused.many_questions", "too many figures are being counted; try again in a moment"
)
_LONGEST_MS: Final = 600_000
"""An older answer is still told, and a new one is worked out."""
_WAIT_S: Final = 0.1
"""Who asks for little is told at once."""
_MOST_KEPT: Final = 200
_MOST_WAITING: Final = 20

A = TypeVar("A")


class KeptAnswer(msgspec.Struct, Generic[A], frozen=True):
    """What is known by now, and whether it is being worked out anew."""

    answer: A | None
    made_at_ms: int | None
    is_being_made: bool


class _Question:
    """What is known of one question."""

    def __init__(self) -> None:
        self.answer: Any = None
        self.made_at_ms: int | None = None
        self.error: GatehouseError | None = None
        self.work: Future[None] | None = None

    def is_being_made(self) -> bool:
        return self.work is not None and not self.work.done()


class KeptAnswers:
    """The answers of one process."""

    def __init__(self, clock: Callable[[], int]) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._questions: dict[Hashable, _Question] = {}
        self._worker = ThreadPoolExecutor(1, thread_name_prefix="answers")

    def ask(self, key: Hashable, work: Callable[[], A], *, anew: bool = False) -> KeptAnswer[A]:
        """What is kept under a key; what the work refused is raised again.

        `anew` works it out again, also if what is kept is not old.
        """
        with self._lock:
            question = self._questions.pop(key, None) or _Question()
            # The last in the order is the one that was asked last.
            self._questions[key] = question
            if not question.is_being_made() and (anew or self._is_old(question)):
                self._begin(question, work)
            working = question.work
            self._forget()
        if working is not None:
            wait([working], _WAIT_S)
        with self._lock:
            if question.error is not None and not question.is_being_made():
                error, question.error = question.error, None
                raise error
            return KeptAnswer(question.answer, question.made_at_ms, question.is_being_made())

    def close(self) -> None:
        """Begin nothing more; what is being worked out goes on to its end."""
        self._worker.shutdown(cancel_futures=True)

    def _is_old(self, question: _Question) -> bool:
        made = question.made_at_ms
        return made is None or self._clock() - made > _LONGEST_MS

    def _begin(self, question: _Question, work: Callable[[], Any]) -> None:
        if sum(each.is_being_made() for each in self._questions.values()) >= _MOST_WAITING:
            raise Conflict(_TOO_MANY())

        def run() -> None:
            try:
                answer = work()
            except GatehouseError as error:
                question.error, question.made_at_ms = error, None
            else:
                question.answer, question.made_at_ms = answer, self._clock()

        question.error = None
        question.work = self._worker.submit(run)

    def _forget(self) -> None:
        """Keep so many; what is being worked out ends unseen."""
        for key in list(self._questions)[: max(0, len(self._questions) - _MOST_KEPT)]:
            del self._questions[key]

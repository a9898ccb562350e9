"""One call of a store: operations of several accounts, one run of the script for each account."""

import asyncio
import logging
from collections.abc import Sequence
from hashlib import sha1
from typing import Any, Final

from redis.exceptions import NoScriptError

from gatehouse.connectors.valkey.client import Command, Word
from gatehouse.core.errors import ConnectorFailed
from gatehouse.sentry.shared.operations import StoreOperation
from gatehouse.sentry.shared.packing import SCRIPT

_log: Final = logging.getLogger("gatehouse.connectors")
_SHA: Final = sha1(SCRIPT.encode()).hexdigest()  # noqa: S324 - that is how stores name scripts
_MOST_ROUNDS: Final = 4
"""The script may be unknown, and the memory rebuilt, in one call; more than that is nonsense."""


class StoreCommand:
    """A plain command in the row of operations."""

    def __init__(self, words: Sequence[Word]) -> None:
        self.words = tuple(words)
        self.future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()

    def answered(self, reply: Any) -> None:
        """The store has answered."""
        if not self.future.done():
            self.future.set_result(reply)

    def failed(self, error: ConnectorFailed) -> None:
        """It has not; the caller that waits gets the error."""
        self.answered(error)


Told = StoreOperation | StoreCommand
"""What a call can hold."""


class _Run:
    """One run of the script."""

    def __init__(self, operations: list[StoreOperation], epoch: bytes, keep_s: int) -> None:
        self.names = operations[0].names
        self.operations: list[StoreOperation] = []
        """Those that are told."""
        self.words: tuple[Word, ...] = ()
        self.reply: Any = None
        self._head: tuple[Word, ...] = (epoch, keep_s)
        self._keys: list[bytes] = []
        self._arguments: list[bytes] = []
        for operation in operations:
            try:
                named, argument = operation.arguments()
            except Exception:
                # The others of this turn must not suffer for it; it fails with the answer.
                _log.exception("an event could not be packed")
                continue
            self._keys += named
            self._arguments.append(argument)
            self.operations.append(operation)

    def name_keys(self, generation: bytes) -> None:
        """Let the keys end with what those of the account end with."""
        names = self.names
        common = [key + generation for key in names.common]
        keys = [key + generation for key in self._keys]
        named = (*common, names.generation, *keys)
        self.words = (len(named), *named, *self._head, generation, *self._arguments)


class ScriptCall:
    """All that is sent at once."""

    def __init__(
        self,
        told: Sequence[Told],
        epoch: bytes,
        keep_s: int,
        started: float,
        generations: dict[bytes, bytes],
    ) -> None:
        """`generations` is what the keys of accounts end with; what the store says is noted."""
        self.told = told
        self.started = started
        self.is_late = False
        self._epoch = epoch
        self._commands = [each for each in told if isinstance(each, StoreCommand)]
        self._generations = generations
        self._runs = [_Run(each, epoch, keep_s) for each in _by_account(told)]
        for run in self._runs:
            run.name_keys(generations.get(run.names.entity, b""))
        self._left = self._runs
        self._rounds = 0
        self._with_script = False
        """Whether the store does not know the script."""
        self._replies: list[tuple[StoreCommand, Any]] = []

    def commands(self) -> list[Command]:
        """What to send; each gets a reply."""
        how = ("EVAL", SCRIPT) if self._with_script else ("EVALSHA", _SHA)
        sent = [how + run.words for run in self._left]
        if not self._rounds:
            sent += [command.words for command in self._commands]
        return sent

    def take(self, replies: list[Any]) -> bool:
        """Take the replies; False if something has to be sent again.

        A store that was restarted knows no script, and one that was rebuilt knows other keys. What
        it has run must not be repeated.
        """
        for run, reply in zip(self._left, replies, strict=False):
            run.reply = reply
        if not self._rounds:
            found = zip(self._commands, replies[len(self._left) :], strict=True)
            self._replies = list(found)
        self._rounds += 1
        self._left = [run for run in self._left if self._has_not_run(run)]
        return not self._left or self._rounds == _MOST_ROUNDS

    def _has_not_run(self, run: _Run) -> bool:
        if isinstance(run.reply, NoScriptError):
            self._with_script = True
            return True
        if isinstance(run.reply, bytes):
            self._generations[run.names.entity] = run.reply
            run.name_keys(run.reply)
            return True
        return False

    def answer(self) -> list[str]:
        """Pass the replies on, operations first, in their order; returns what the store refused.

        `ValueError` if there are more or fewer replies than operations.
        """
        refused: list[str] = []
        answers: dict[int, Any] = {}
        for run in self._runs:
            if isinstance(run.reply, Exception):
                refused.append(str(run.reply))
                continue
            if isinstance(run.reply, bytes):
                refused.append("it is rebuilt again and again")
                continue
            for operation, reply in zip(run.operations, run.reply, strict=True):
                answers[id(operation)] = reply
        for each in self.told:
            if isinstance(each, StoreCommand):
                continue
            reply = answers.get(id(each))
            if reply is None:
                why = refused[0] if refused else "it could not be told"
                each.failed(ConnectorFailed(f"the shared memory refuses: {why}"))
            else:
                each.answered(reply, self._epoch)
        # After the operations: who waits for a command must hear first which of them were refused.
        for command, reply in self._replies:
            command.answered(reply)
        return refused


def _by_account(told: Sequence[Told]) -> list[list[StoreOperation]]:
    by_account: dict[bytes, list[StoreOperation]] = {}
    for each in told:
        if not isinstance(each, StoreCommand):
            by_account.setdefault(each.names.entity, []).append(each)
    return list(by_account.values())

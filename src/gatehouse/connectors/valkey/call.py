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
    """One run of the script, or one command."""

    def __init__(self, operations: list[StoreOperation], words: tuple[Word, ...]) -> None:
        self.operations = operations
        self.words = words
        self.reply: Any = None


class ScriptCall:
    """All that is sent at once."""

    def __init__(self, told: Sequence[Told], epoch: bytes, keep_s: int, started: float) -> None:
        self.told = told
        self.started = started
        self.is_late = False
        self._epoch = epoch
        self._commands = [each for each in told if isinstance(each, StoreCommand)]
        self._runs = [_run(each, epoch, keep_s) for each in _by_account(told)]
        self._left = self._runs
        self._again = False
        self._replies: list[tuple[StoreCommand, Any]] = []

    def commands(self) -> list[Command]:
        """What to send; each gets a reply."""
        how = ("EVAL", SCRIPT) if self._again else ("EVALSHA", _SHA)
        sent = [how + run.words for run in self._left]
        if not self._again:
            sent += [command.words for command in self._commands]
        return sent

    def take(self, replies: list[Any]) -> bool:
        """Take the replies; False if something has to be sent again.

        A store that was restarted knows no script. What it has run must not be repeated.
        """
        for run, reply in zip(self._left, replies, strict=False):
            run.reply = reply
        if not self._again:
            found = zip(self._commands, replies[len(self._left) :], strict=True)
            self._replies = list(found)
            self._left = [run for run in self._runs if _is_unknown(run.reply)]
            self._again = bool(self._left)
            return not self._again
        return True

    def answer(self) -> list[str]:
        """Pass the replies on, in the order of the operations; returns what the store refused.

        `ValueError` if there are more or fewer replies than operations.
        """
        refused: list[str] = []
        answers: dict[int, Any] = {}
        for run in self._runs:
            if isinstance(run.reply, Exception):
                refused.append(str(run.reply))
                continue
            for operation, reply in zip(run.operations, run.reply, strict=True):
                answers[id(operation)] = reply
        for command, reply in self._replies:
            command.answered(reply)
        for each in self.told:
            if isinstance(each, StoreCommand):
                continue
            reply = answers.get(id(each))
            if reply is None:
                why = refused[0] if refused else "it could not be told"
                each.failed(ConnectorFailed(f"the shared memory refuses: {why}"))
            else:
                each.answered(reply, self._epoch)
        return refused


def _by_account(told: Sequence[Told]) -> list[list[StoreOperation]]:
    by_account: dict[bytes, list[StoreOperation]] = {}
    for each in told:
        if not isinstance(each, StoreCommand):
            by_account.setdefault(each.names.entity, []).append(each)
    return list(by_account.values())


def _run(operations: list[StoreOperation], epoch: bytes, keep_s: int) -> _Run:
    keys: list[bytes] = [*operations[0].names.common]
    arguments: list[Word] = [epoch, keep_s]
    told: list[StoreOperation] = []
    for operation in operations:
        try:
            named, argument = operation.arguments()
        except Exception:
            # The others of this turn must not suffer for it; it fails with the answer.
            _log.exception("an event could not be packed")
            continue
        keys += named
        arguments.append(argument)
        told.append(operation)
    return _Run(told, (len(keys), *keys, *arguments))


def _is_unknown(reply: Any) -> bool:
    return isinstance(reply, NoScriptError)

"""Connectors that repeat everything they were asked in what they raise."""

import asyncio
import itertools
from typing import Any

import msgspec

from gatehouse.core.errors import RequestRefused, StoreUnavailable

_CHOICES = itertools.cycle(range(4))


class CarelessParty:
    """An issuer, an identity source and a gateway at once."""

    async def check(self, enquiry: Any) -> Any:
        return await _fail(enquiry)

    async def find(self, enquiry: Any) -> Any:
        return await _fail(enquiry)

    async def authorize(self, authorization: Any) -> Any:
        return await _fail(authorization)

    async def reverse(self, reversal: Any) -> None:
        await _fail(reversal)


def party() -> CarelessParty:
    """The factory that a setting names."""
    return CarelessParty()


def broken() -> CarelessParty:
    """A factory that repeats a secret of its own."""
    raise ValueError("-".join(["processor", "password"]))


async def _fail(asked: Any) -> Any:
    told = " ".join([_revealed(value) for value in msgspec.structs.astuple(asked)])
    # Nobody waits for this task: its failure reaches the event loop's own handler.
    task = asyncio.create_task(_raise(ValueError(told)))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    del task
    choice = next(_CHOICES)
    if choice == 0:
        raise StoreUnavailable(told)
    if choice == 1:
        raise RequestRefused("invalid_request", details=[told])
    error = RuntimeError(told)
    error.add_note(told)
    if choice == 2:
        raise ExceptionGroup(told, [error])
    raise error from KeyError(told)


async def _raise(error: Exception) -> None:
    raise error


def _revealed(value: Any) -> str:
    return value.reveal() if hasattr(value, "reveal") else str(value)

"""Gives the sandbox's demo account a past: a few weeks of orders, with all that follows from them.

It is done once, in steps that can be ended and taken up again at any point, and only for an account
that has no decisions yet.
"""

import asyncio
import contextlib
import dataclasses
import fcntl
from collections.abc import Callable, Iterator
from enum import StrEnum
from typing import Final

import msgspec

from gatehouse.access.actors import Actor
from gatehouse.admin.accounts.use_cases.default_account import DEMO_ACCOUNT, ensure_demo
from gatehouse.admin.sandbox.use_cases.past import (
    DAY_MS,
    DAYS,
    LEAST_DECISIONS,
    MOST_DECISIONS,
    DemoPlan,
)
from gatehouse.admin.sandbox.use_cases.walk import DemoCounts, DemoWalk
from gatehouse.core.errors import Conflict, InvalidInput
from gatehouse.core.ids import new_id
from gatehouse.operations.installation import only_server
from gatehouse.settings.settings import Settings
from gatehouse.store.accounts import accounts
from gatehouse.store.admin import audit
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.decisions import decisions

_BEGAN: Final = "demo.begin"
_FINISHED: Final = "demo.finish"
_REST_S: Final = 0.01
_ACTOR: Final = Actor.system("demo")
_OLDER_MS: Final = (DAYS + 1) * DAY_MS
"""How long before its first start a demo account with a past was created."""

Reached = Callable[[int, int], object]
"""Takes how many requests are done, and of how many."""


class DemoPast(StrEnum):
    """How far the past of the demo account is."""

    NONE = "NONE"
    BEGUN = "BEGUN"
    DONE = "DONE"


class AccountInUse(Conflict):
    """The demo account has decisions that nobody made up."""

    def __init__(self) -> None:
        super().__init__(
            f"account {DEMO_ACCOUNT} has decisions of its own; a demo history is only for one that "
            "has none. Start afresh with another GATEHOUSE_HOME"
        )


def prepare_demo(session: AdminSession, settings: Settings) -> str:
    """The demo account's key; an account that is made now is as old as the past it can get."""
    session.actor.check_installation()
    _check_sandbox(session)
    with session.reading() as connection:
        known = any(each.account_id == DEMO_ACCOUNT for each, _ in accounts.listing(connection))
    created_ms = session.clock() - _OLDER_MS
    older = session if known else dataclasses.replace(session, clock=lambda: created_ms)
    return ensure_demo(older, settings)


def begin_demo(session: AdminSession, wanted: int = MOST_DECISIONS) -> DemoPast:
    """Note that the demo account gets a past, so that a request that comes first does not matter.

    `wanted` is how many decisions it has. An account with decisions of its own gets none.
    """
    session.actor.check_installation()
    _check_sandbox(session)
    try:
        return DemoPast.DONE if _begun(session, wanted) is None else DemoPast.BEGUN
    except AccountInUse:
        return DemoPast.NONE


def fill_demo(
    session: AdminSession,
    settings: Settings,
    wanted: int = MOST_DECISIONS,
    reached: Reached = lambda done, total: None,
    *,
    server: str | None = None,
) -> DemoCounts | None:
    """Fill the demo account's past, or the rest of it; None when that was done before.

    `wanted` is how many decisions a past that is not begun yet gets.
    `Conflict` in production, and for an account that has decisions of its own. `server` is the one
    that asks for it; no other may serve meanwhile, for it would end requests that are not its own.
    """
    session.actor.check_installation()
    _check_sandbox(session)
    with _alone(session, settings, server):
        prepare_demo(session, settings)
        plan = _begun(session, wanted)
        if plan is None:
            return None
        owner = server or new_id("srv", session.clock(), session.randomness)
        walk = DemoWalk(session.acting_as(_ACTOR), settings, DEMO_ACCOUNT, plan, owner)
        walk.rest_s = _REST_S if server else 0.0
        return asyncio.run(_fill(session.acting_as(_ACTOR), walk, reached))


async def _fill(session: AdminSession, walk: DemoWalk, reached: Reached) -> DemoCounts:
    await walk.start()
    try:
        await walk.go(lambda done: reached(done, len(walk.orders)))
    finally:
        await walk.stop()
    with session.account_change(DEMO_ACCOUNT) as change:
        walk.settle(change)
        told = msgspec.to_builtins(walk.counts)
        change.audit(_FINISHED, DEMO_ACCOUNT, **told)
    return walk.counts


def _begun(session: AdminSession, wanted: int) -> DemoPlan | None:
    """The plan of a past that was begun, now or before; None when it was finished."""
    if not LEAST_DECISIONS <= wanted <= MOST_DECISIONS:
        raise InvalidInput(f"a demo history has {LEAST_DECISIONS} to {MOST_DECISIONS} decisions")
    with session.reading() as connection:
        lines = audit.search(connection, DEMO_ACCOUNT, audit.LineSearch(limit=1, action="demo."))
        used = decisions.has_any(connection, DEMO_ACCOUNT)
    for line in lines:
        return None if line.action == _FINISHED else msgspec.convert(line.details, DemoPlan)
    if used:
        raise AccountInUse
    plan = DemoPlan(wanted, session.clock())
    with session.account_change(DEMO_ACCOUNT) as change:
        change.audit(_BEGAN, DEMO_ACCOUNT, **msgspec.to_builtins(plan))
    return plan


def _check_sandbox(session: AdminSession) -> None:
    if session.environment != "sandbox":
        raise Conflict("a demo history is for a sandbox; this is production, and stays as it is")


@contextlib.contextmanager
def _alone(session: AdminSession, settings: Settings, server: str | None) -> Iterator[None]:
    """One process at a time fills, beside its server or no server of a SQLite file."""
    serving = contextlib.nullcontext() if server else only_server(session.database)
    with serving, (settings.home / "demo.lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise Conflict("another process is filling the demo account just now") from None
        yield

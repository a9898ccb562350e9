"""Slows down guessing: failed sign-ins are counted per person and per address.

Each attempt is counted before it is examined, so that many at once are no way around; a success
takes that back. After some failures each further one has to wait twice as long, a quarter of an
hour at most: nobody is locked out for good. Somebody who guesses from one address has to wait
there, and does not keep the person from signing in elsewhere; only guesses from many addresses do.
An address that nobody signs in with counts alike.
"""

import ipaddress
import logging
from typing import Final, NamedTuple

import sqlalchemy as sa

from gatehouse.admin.sign_in.queries import failures
from gatehouse.admin.sign_in.queries.failures import Failures
from gatehouse.core.errors import TooManyAttempts
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.state import lock_changes

_log: Final = logging.getLogger("gatehouse.people")
LONGEST_WAIT_S: Final = 900
_FIRST_WAIT_S: Final = 5
_FORGOTTEN_AFTER_MS: Final = 86_400_000


class Counted(NamedTuple):
    """Who or where from is counted, and how many failures are free."""

    kind: str
    value: str
    free: int


def subjects(step: str, who: str, address: str) -> list[Counted]:
    """What an attempt is counted for: the person from here, the person at all, and the address."""
    from_here = Counted(f"{step}-here", f"{who} {network_of(address)}", 5)
    return [from_here, Counted(step, who, 25), *places(address)]


def places(address: str) -> list[Counted]:
    """The address alone, where it is not known yet who tries."""
    network = network_of(address)
    return [Counted("address", network, 20)] if network else []


def admit(session: AdminSession, counted: list[Counted]) -> None:
    """Count an attempt, or refuse it with `TooManyAttempts` when it comes too early."""
    session.actor.check_installation()
    now_ms = session.clock()
    with session.database.writing() as connection:
        lock_changes(connection)
        known = [_read(connection, session, each, now_ms) for each in counted]
        waits = [_wait_ms(each, kept, now_ms) for each, kept in zip(counted, known, strict=True)]
        if (longest := max(waits, default=0)) > 0:
            _log.warning("too many attempts to sign in: %s", counted[waits.index(longest)].kind)
            raise TooManyAttempts(-(-longest // 1000))
        for each, kept in zip(counted, known, strict=True):
            more = Failures(kept.times + 1, now_ms)
            failures.write(connection, session.ring, each.kind, each.value, more)


def take_back(connection: sa.Connection, session: AdminSession, counted: list[Counted]) -> None:
    """After a success: the person begins anew, and the address has one attempt less.

    Otherwise somebody with a password of his own could guess those of others without end.
    """
    session.actor.check_installation()
    failures.forget_old(connection, session.clock() - _FORGOTTEN_AFTER_MS)
    for each in counted:
        if each.kind != "address":
            failures.forget(connection, session.ring, each.kind, each.value)
            continue
        kept = failures.read(connection, session.ring, each.kind, each.value)
        less = Failures(max(kept.times - 1, 0), kept.last_at_ms)
        failures.write(connection, session.ring, each.kind, each.value, less)


def network_of(address: str) -> str:
    """The address as it is counted: one of IPv4, or the network of a line of IPv6."""
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return ""
    if isinstance(parsed, ipaddress.IPv6Address) and parsed.ipv4_mapped:
        parsed = parsed.ipv4_mapped
    bits = 32 if parsed.version == 4 else 64
    return str(ipaddress.ip_network((parsed, bits), strict=False))


def _read(connection: sa.Connection, session: AdminSession, each: Counted, now_ms: int) -> Failures:
    kept = failures.read(connection, session.ring, each.kind, each.value)
    return Failures(0, 0) if now_ms - kept.last_at_ms > _FORGOTTEN_AFTER_MS else kept


def _wait_ms(each: Counted, kept: Failures, now_ms: int) -> int:
    beyond = kept.times - each.free
    if beyond < 0:
        return 0
    wait_s = min(_FIRST_WAIT_S * (1 << min(beyond, 20)), LONGEST_WAIT_S)
    return max(kept.last_at_ms + wait_s * 1000 - now_ms, 0)

"""Points of the go-live list about Sentry's memory: whether it is shared, reachable and fit."""

from collections.abc import Callable
from typing import Final
from urllib.parse import urlsplit

from gatehouse.admin.memory.queries.memory_told import MemoryTold, read_told
from gatehouse.admin.memory.use_cases.memory_check import MemoryFinding, compare
from gatehouse.core.errors import GatehouseError
from gatehouse.core.wording.sentences import said_by
from gatehouse.operations.shared_memory import MemoryFacts, StoreFacts, inspect_store
from gatehouse.settings.preflight import UNREAD, Point
from gatehouse.settings.settings import Settings
from gatehouse.store.admin.admin_session import AdminSession

_NAME: Final = "shared memory"
_PAGE: Final = "see docs/growing.md"
_LOCAL: Final = ("localhost", "127.0.0.1", "::1")
_ENCRYPTED: Final = ("rediss", "valkeys", "unix")
_FORGETS: Final = ("volatile-lru", "allkeys-lru", "volatile-lfu", "allkeys-lfu")
"""What a full store may do: forget what was not seen for the longest, or least often."""


def memory_points(settings: Settings, open_data: Callable[[], AdminSession]) -> list[Point]:
    """Whether servers share a memory, and whether its store is fit for that."""
    if not settings.memory_url:
        return _of_several_servers(settings)
    points = [_transport(settings)]
    try:
        session = open_data()
    except GatehouseError as error:
        return [*points, Point(_NAME, False, said_by(error), UNREAD)]
    try:
        facts, memory = inspect_store(settings, session.ring, _read(session).installation)
        # Afterwards, as a running server does: it may make a step meanwhile.
        told = _read(session)
    except GatehouseError as error:
        remedy = "correct GATEHOUSE_MEMORY_URL, or start the store"
        return [*points, Point(_NAME, False, said_by(error), remedy)]
    return [*points, _reached(facts), *_hints(facts), _rebuilt(memory, told)]


def _read(session: AdminSession) -> MemoryTold:
    with session.reading() as connection:
        return read_told(connection)


def _of_several_servers(settings: Settings) -> list[Point]:
    if not settings.effective_database_url.startswith("postgres"):
        return []
    return [
        Point(
            _NAME,
            False,
            "GATEHOUSE_MEMORY_URL is not set, so each server remembers only what it served itself",
            f"set GATEHOUSE_MEMORY_URL if more than one server serves; {_PAGE}",
            needed=False,
        )
    ]


def _transport(settings: Settings) -> Point:
    parts = urlsplit(settings.memory_url)
    safe = parts.scheme in _ENCRYPTED or parts.hostname in _LOCAL
    found = "encrypted or on this machine" if safe else "neither encrypted nor on this machine"
    remedy = "use rediss:// or valkeys://, or a network that nobody else can read"
    return Point("way to the shared memory", safe, found, remedy, needed=False)


def _reached(facts: StoreFacts) -> Point:
    kind = ", one of a cluster," if facts.is_cluster else ""
    return Point(_NAME, True, f"{facts.version}{kind} answers", "start the store")


def _hints(facts: StoreFacts) -> list[Point]:
    if not facts.limit_bytes:
        full = "it has no limit (maxmemory), and would take all memory of its machine"
    else:
        full = f"{facts.policy} at {facts.limit_bytes // 2**20} MB"
    fits = facts.limit_bytes > 0 and facts.policy in _FORGETS
    lasting = {
        True: "it writes to a disk",
        False: "it keeps nothing on a disk",
        None: "it does not tell this user whether it writes to a disk",
    }[facts.persists]
    return [
        Point(
            "when the shared memory is full",
            fits,
            full,
            f"set maxmemory, and maxmemory-policy to volatile-lru; {_PAGE}",
            needed=False,
        ),
        Point(
            "when the shared memory restarts",
            facts.persists is not False,
            lasting,
            f"turn on appendonly, or run gatehouse sentry rebuild after each restart; {_PAGE}",
            needed=False,
        ),
    ]


def _rebuilt(memory: MemoryFacts, told: MemoryTold) -> Point:
    compared = compare(memory.marks, told)
    if compared is not MemoryFinding.SAME:
        found = compared.value
    elif memory.rebuilt_at is None:
        found = "it does not hold all that is recorded"
    else:
        found = f"whole since {memory.rebuilt_at}"
    known = compared is MemoryFinding.SAME and memory.rebuilt_at is not None
    remedy = "servers rebuild it by themselves; without one, run: gatehouse sentry rebuild"
    return Point("past in the shared memory", known, found, remedy, needed=False)

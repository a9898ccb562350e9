"""Makes the start short, and the first requests as quick as any.

The largest table unpacks on a thread while everything else is imported. What the first request of a
kind would load is loaded on a thread once the server listens; a request that needs a part earlier
waits for this part alone.
"""

import asyncio
import gc
import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from enum import EnumType
from typing import Final

from gatehouse.intel.networks import PackedNetworks, load_networks

_log: Final = logging.getLogger("gatehouse.operations.warmup")

# Pairs that are not simply equal, so that comparing them loads every table about names.
NAMES: Final = (
    (("Kowalewski", "Amelia"), ("Kovalevsky", "Millie")),
    (("王", "小明"), ("Wang", "Xiaoming")),
    (("田中", "太郎"), ("Tanaka", "Hiroko")),
    (("김", "민준"), ("Kim", "Minjoon")),
    (("Иванов", "Пётр"), ("Ivanov", "Peter")),
    (("Παππάς", "Γιώργος"), ("Pappas", "Yorgos")),
    (("כהן", "דוד"), ("Cohen", "Davide")),
    (("حداد", "يوسف"), ("Haddad", "Yousef")),
    (("タナカ", "タロウ"), ("Tanaka", "Taroh")),
)
_COLLECTED_AFTER: Final = (5_000, 5, 320)
"""New objects, then collections of each generation before one of the next."""
_AGENT: Final = (
    "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) "
    "Chrome/150.0.0.0 Safari/537.36"
)


def begin() -> Callable[[], PackedNetworks]:
    """Called before the heavy imports; what it returns waits for the table of networks."""
    # Next to nothing of what is made until the server listens becomes garbage.
    gc.disable()
    pool = ThreadPoolExecutor(1, "gatehouse-unpacking")
    table = pool.submit(load_networks)
    pool.shutdown(wait=False)
    return table.result


def settle() -> None:
    """Called when all is built: from now on, the collector looks at requests alone."""
    # What was built so far lives as long as the process: the collector need not look at it
    # again, and requests leave next to no cycles, so it need not look often. Nobody is answered
    # while it looks, so each time it looks at little: what a request leaves is Sentry's memory,
    # which outlives every look and would be looked at by the hundred thousand.
    gc.freeze()
    gc.set_threshold(*_COLLECTED_AFTER)
    gc.enable()
    if "__getattr__" in vars(EnumType):
        # Members are found without this, and as later versions of Python have it not: only the
        # look for it makes `Outcome.ACCEPT` five times as slow in 3.11.
        delattr(EnumType, "__getattr__")


def remembered() -> None:
    """Called when the memory is filled: the collector need not look at that, either."""
    gc.freeze()


async def run(*more: Callable[[], None]) -> None:
    """Warm up beside the requests, and do what else the first requests would wait for."""
    try:
        for part in (warm, *more):
            await asyncio.to_thread(part)
    except Exception:
        # A request that needs the part fails again, and its own answer says so.
        _log.exception("could not warm up")
    gc.freeze()


def warm() -> None:
    """Load what the first requests would load."""
    _warm_sentry()
    _warm_id_verify()


def _warm_sentry() -> None:
    from gatehouse.intel.agents.agents import load_agents, read_agent
    from gatehouse.intel.emails import is_disposable
    from gatehouse.intel.handles import randomness
    from gatehouse.intel.languages import fit, read_languages
    from gatehouse.intel.places import distance_km

    load_agents()
    read_agent(_AGENT)
    fit(read_languages("de-CH,de;q=0.9,en;q=0.8"), "DE")
    distance_km("DE", "CH")
    is_disposable("example.com")
    randomness("amelia.whitfield")


def _warm_id_verify() -> None:
    from gatehouse.idverify.identifiers import load_all_checks
    from gatehouse.idverify.names import (
        compare_company_names,
        compare_full_names,
        compare_person_names,
    )
    from gatehouse.idverify.people import PersonName
    from gatehouse.intel.emails import parse_email
    from gatehouse.intel.phones import load_all_plans

    load_all_plans()
    load_all_checks()
    parse_email("amelia@bücher.example")
    for sent, held in NAMES:
        compare_person_names(PersonName(*sent), PersonName(*held))
        compare_full_names(" ".join(sent), " ".join(held))
    compare_company_names("Acme Ltd", "Acme Trading Limited")

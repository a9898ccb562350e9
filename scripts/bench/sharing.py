"""A shop on PostgreSQL and Valkey, as one with several servers runs."""

import contextlib
import subprocess
from collections.abc import Iterator
from pathlib import Path

from tests.databases import start_postgres
from tests.valkeys import start_valkey

from scripts.bench.servers import GATEHOUSE, Shop
from scripts.bench.subjects import FeedbackSubject


@contextlib.contextmanager
def sharing_shop(subject: FeedbackSubject, home: Path) -> Iterator[Shop]:
    """A shop whose PostgreSQL waits for the disk, and whose Valkey writes to a file as well."""
    with start_postgres(quick=False) as postgres, start_valkey("--appendonly", "yes") as memory:
        settings = {
            "GATEHOUSE_DATABASE_URL": postgres.empty(),
            "GATEHOUSE_MEMORY_URL": memory,
            # A server at its top rate can be late by more than a request may wait.
            "GATEHOUSE_MEMORY_TIMEOUT_MS": "900",
        }
        shop = subject.shop(home, **settings)
        command = [*GATEHOUSE, "sentry", "rebuild"]
        subprocess.run(command, env=shop.environment, check=True, capture_output=True)
        yield shop

"""Makes a shop whose Sentry has learned: every earlier visit has a label, and a model is live."""

import csv
import sqlite3
import subprocess
import zlib

from gatehouse.sentry.memory.memory import EntityKind
from gatehouse.sentry.records.event import past_event_in
from scripts.bench.servers import GATEHOUSE, Shop

_ONE_IN = 100


def teach(shop: Shop) -> None:
    """Say what became of all that is recorded, train on it, and promote the model."""
    file = shop.home / "labels.csv"
    with file.open("w", encoding="utf-8", newline="") as target:
        rows = csv.writer(target)
        rows.writerow(("requestId", "label"))
        database = sqlite3.connect(shop.home / "sandbox.db")
        for request_id, record in database.execute("SELECT request_id, record FROM decisions"):
            rows.writerow((request_id, "FRAUD" if _is_fraud(record) else "LEGITIMATE"))
        database.close()
    _run(shop, "feedback", "import", str(file), "--account", shop.account_id)
    pictures = str(shop.home / "pictures")
    _run(shop, "sentry", "train", shop.account_id, "--label-delay", "0d", "--plots", pictures)
    _run(shop, "sentry", "promote", "1", "--account", shop.account_id)


def _is_fraud(record: str) -> bool:
    """Some people, wherever they come from, are thieves."""
    past = past_event_in("", record)
    entities = () if past is None else past.event.entities
    users = [value for kind, value in entities if kind is EntityKind.USER]
    return zlib.crc32("".join(users).encode()) % _ONE_IN == 0


def _run(shop: Shop, *arguments: str) -> None:
    subprocess.run([*GATEHOUSE, *arguments], env=shop.environment, check=True, capture_output=True)

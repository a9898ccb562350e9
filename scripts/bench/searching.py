"""How long a page of a search takes with a thousand decisions and with a million.

`python -m scripts.bench.searching [DECISIONS]` prints it for SQLite and PostgreSQL.
"""

import argparse
import random
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, NamedTuple

import psycopg
from tests.databases import start_postgres
from tests.decisions.samples import SAMPLES

from gatehouse.access.actors import Actor
from gatehouse.admin.search.use_cases.decisions import search_decisions
from gatehouse.admin.search.use_cases.filters import AmountRange, DecisionSearchRequest
from gatehouse.core.cards.numbers import CardNumber
from gatehouse.core.ids import new_id
from gatehouse.core.stages.outcomes import Outcome
from gatehouse.core.wording.labels import Label
from gatehouse.decisions.record import decode
from gatehouse.decisions.search_terms import (
    ADDRESS,
    AMOUNT,
    CARD,
    DECISION,
    DEVICE,
    RULE,
    USER,
    amount_bucket,
    micros_of,
    pack_terms,
)
from gatehouse.operations.installation import open_admin_session
from gatehouse.settings.settings import load_settings
from gatehouse.store.accounts import accounts
from gatehouse.store.admin.admin_session import AdminSession
from scripts.bench.cards import card_number

FEW: Final = 1_000
BAR: Final = 1.15
"""A page may take so many times as long with many decisions as with few."""

_START_MS: Final = 1_700_000_000_000
_AT_ONCE: Final = 20_000
_OF_A_USER: Final = 10
_OF_A_CARD: Final = 5
_OUTCOMES: Final = (*(Outcome.ACCEPT,) * 7, Outcome.REVIEW, *(Outcome.DECLINE,) * 2)
_RULES: Final = ("rule-1", "rule-2")
_ASKED: Final = 20
"""How many different questions of a kind are asked, again and again."""
_ROUNDS: Final = 200
_SAMPLE: Final = SAMPLES["pipeline_now"]
_SAMPLE_ID: Final = decode(_SAMPLE).request_id

Row = tuple[Any, ...]


class Filled(NamedTuple):
    """An account with decisions, and how many it has."""

    session: AdminSession
    account_id: str
    decisions: int


class Timed(NamedTuple):
    """How long a page of one kind takes with few decisions and with many, in milliseconds."""

    kind: str
    few_ms: float
    many_ms: float

    @property
    def ratio(self) -> float:
        """How many times as long it takes with many."""
        return self.many_ms / self.few_ms


Question = Callable[[Filled, random.Random], DecisionSearchRequest]

KINDS: Final[dict[str, Question]] = {
    "all, the newest": lambda at, chance: DecisionSearchRequest(),
    "one user": lambda at, chance: DecisionSearchRequest(user_id=_user(at, chance)),
    "one card": lambda at, chance: DecisionSearchRequest(
        card_number=CardNumber.parse(card_number(chance.randrange(_ASKED)))
    ),
    "one user, declined": lambda at, chance: DecisionSearchRequest(
        user_id=_user(at, chance), decision=[Outcome.REVIEW, Outcome.DECLINE]
    ),
    "declined": lambda at, chance: DecisionSearchRequest(decision=Outcome.DECLINE),
    "a rule and declined": lambda at, chance: DecisionSearchRequest(
        rule="rule-1", decision=Outcome.DECLINE
    ),
    "an amount": lambda at, chance: DecisionSearchRequest(amount=AmountRange("USD", 64.0, 120.0)),
    "fraud": lambda at, chance: DecisionSearchRequest(label=Label.FRAUD),
}


def measure(decisions: int) -> Iterator[tuple[str, list[Timed]]]:
    """For each database, the kinds of searches."""
    with tempfile.TemporaryDirectory(prefix="gatehouse-bench-") as folder:
        few, many = Path(folder) / "few", Path(folder) / "many"
        yield "SQLite", _compare(_fill(few, FEW), _fill(many, decisions))
        with start_postgres() as postgres:
            small = _fill(Path(folder) / "few-pg", FEW, postgres.new())
            large = _fill(Path(folder) / "many-pg", decisions, postgres.new())
            yield "PostgreSQL", _compare(small, large)


def _compare(few: Filled, many: Filled) -> list[Timed]:
    return [_time(kind, question, few, many) for kind, question in KINDS.items()]


def _time(kind: str, question: Question, few: Filled, many: Filled) -> Timed:
    """Both in turn, so that both see the same machine; the lower quartile of each."""
    times: tuple[list[float], list[float]] = ([], [])
    for number in range(_ASKED + _ROUNDS):
        for side, filled in enumerate((few, many)):
            # Questions come again: those that find their pages in memory tell of the work, others
            # of the disk.
            wanted = question(filled, random.Random(number % _ASKED))
            started = time.perf_counter()
            search_decisions(filled.session, filled.account_id, wanted)
            if number >= _ASKED:
                times[side].append((time.perf_counter() - started) * 1000)
    return Timed(kind, *(statistics.quantiles(each, n=4)[0] for each in times))


def _user(at: Filled, chance: random.Random) -> str:
    return f"u-{chance.randrange(at.decisions // _OF_A_USER)}"


def _fill(home: Path, count: int, url: str | None = None) -> Filled:
    """An account with that many decisions, every tenth of which turned out to be fraud."""
    environment = {"GATEHOUSE_HOME": str(home)}
    if url is not None:
        environment["GATEHOUSE_DATABASE_URL"] = url
    session = open_admin_session(load_settings(environment), Actor.system("bench"))
    with session.change() as change:
        account_id = accounts.create(change, "Bench", "USD").account_id
    filled, chance = Filled(session, account_id, count), random.Random(1)  # not for secrets
    with _loading(session) as load:
        for start in range(0, count, _AT_ONCE):
            rows: dict[str, list[Row]] = {"decisions": [], "search_entries": [], "feedback": []}
            for number in range(start, min(start + _AT_ONCE, count)):
                _add(rows, filled, number, chance)
            rows["search_entries"].sort()
            for table, some in rows.items():
                load(table, some)
    return filled


def _add(rows: dict[str, list[Row]], filled: Filled, number: int, chance: random.Random) -> None:
    """A purchase with a user, a card, an amount and a rule of its own."""
    at_ms, account_id = _START_MS + number * 1000, filled.account_id
    request_id, amount = new_id("req", at_ms, chance.randbytes), chance.lognormvariate(4, 1)
    user = f"u-{number % (filled.decisions // _OF_A_USER)}"
    micros = micros_of(round(amount, 2))
    outcome, rule = _OUTCOMES[number % 10], _RULES[number // 10 % 2]
    words = [(USER, user), (DECISION, outcome.value), (RULE, rule)]
    words += [(CARD, _card(filled, number)), (DEVICE, f"#{user}"), (ADDRESS, f"::{number % 997}")]
    terms = [filled.session.terms.term(account_id, field, value) for field, value in words]
    rows["search_entries"] += [(term, request_id, None) for term in terms]
    bucket = amount_bucket("USD", micros)
    terms.append(filled.session.terms.term(account_id, AMOUNT, bucket))
    rows["search_entries"].append((terms[-1], request_id, micros))
    text = _SAMPLE.replace(_SAMPLE_ID, request_id)
    decision = (account_id, request_id, at_ms, "pipeline", None, None, text, None)
    rows["decisions"].append((*decision, pack_terms(terms)))
    if number % 10 == 0:
        said = (number + 1, account_id, request_id, "FRAUD", None, None, None, None, at_ms)
        rows["feedback"].append((*said, "bench", "command"))


def _card(filled: Filled, number: int) -> str:
    """The fingerprint of a card; only those that are asked for have a number."""
    index = number % (filled.decisions // _OF_A_CARD)
    if index >= _ASKED:
        return f"card1_{index}"
    inner = filled.session.fingerprints.inner(CardNumber.parse(card_number(index)))
    return filled.session.fingerprints.of_account(filled.account_id, inner)


@contextmanager
def _loading(session: AdminSession) -> Iterator[Callable[[str, list[Row]], None]]:
    """Writes rows of a table, all columns in order, as fast as the database takes them."""
    connection = session.database.driver_connection()
    if session.database.is_sqlite:
        connection.execute("PRAGMA synchronous = OFF")
        connection.execute("PRAGMA cache_size = -1000000")

        def insert(table: str, rows: list[Row]) -> None:
            marks = ",".join("?" * len(rows[0])) if rows else ""
            connection.execute("BEGIN")
            if rows:
                connection.executemany(f"INSERT INTO {table} VALUES ({marks})", rows)
            connection.execute("COMMIT")

        yield insert
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    else:
        yield lambda table, rows: _copy(connection, table, rows)
        connection.execute("ANALYZE")
        connection.commit()
    connection.close()


def _copy(connection: "psycopg.Connection[Any]", table: str, rows: list[Row]) -> None:
    with connection.cursor() as cursor, cursor.copy(f"COPY {table} FROM STDIN") as copy:
        for row in rows:
            copy.write_row(row)
    connection.commit()


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("decisions", type=int, nargs="?", default=1_000_000)
    for database, found in measure(parser.parse_args().decisions):
        print(database)
        for each in found:
            print(f"  {each.kind:<22} {each.few_ms:6.2f} {each.many_ms:6.2f} ms  {each.ratio:.2f}")


if __name__ == "__main__":
    main()

"""Sums of months, kept by day, are what the rows come to, whatever happened to these since."""

import json
import random
from collections import Counter
from dataclasses import replace
from typing import Any, Final

import sqlalchemy as sa
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gatehouse.admin.outcomes.queries import rows
from gatehouse.admin.outcomes.tables import OUTCOME_DAYS, OUTCOMES
from gatehouse.admin.outcomes.types.counts import OutcomeGroup
from gatehouse.admin.outcomes.types.joining import OutcomeJoin
from gatehouse.admin.outcomes.types.outcome import OutcomeBatch, OutcomeKind
from gatehouse.admin.outcomes.use_cases import forgetting
from gatehouse.admin.outcomes.use_cases.day_sums import KEPT_MS, events_of_month, money_of_month
from gatehouse.admin.outcomes.use_cases.joining import join_outcome
from gatehouse.admin.outcomes.use_cases.tell import tell
from gatehouse.core.clock import iso_time
from gatehouse.core.months import CalendarMonth
from gatehouse.core.reading.request_reader import RequestReader
from gatehouse.figures.kept_parts import KeptParts
from gatehouse.store.admin.admin_session import AdminSession, Reading
from tests.admin.outcomes.told import Payments
from tests.harness import make_account

DAY_MS: Final = 86_400_000
MONTHS: Final = [CalendarMonth.named(each) for each in ("2026-08", "2026-09", "2026-10")]
KINDS: Final = [each.value for each in OutcomeKind]
_METERED: Final = ("SETTLED", "FRAUD_REPORT", "DISPUTE")
_read: Final = RequestReader(OutcomeBatch).read


class Server:
    """What one server process keeps."""

    def __init__(self, session: AdminSession, account: str) -> None:
        self.session, self.account, self.kept = session, account, KeptParts()

    def seen(self, connection: sa.Connection) -> list[tuple[Counter[Any], Counter[Any]]]:
        """The sums of all months, as this server tells them."""
        reading = Reading(self.session, connection)
        return [
            (
                _sums(events_of_month(reading, self.account, month, self.kept)),
                _sums(money_of_month(reading, self.account, month, self.kept), _MONEY),
            )
            for month in MONTHS
        ]


_MONEY: Final = ("network", "kind", "stage", "result", "currency")
_ALIKE: Final = (*_MONEY, "merchant_id", "region", "reason")


def _sums(groups: list[OutcomeGroup], alike: tuple[str, ...] = _ALIKE) -> Counter[Any]:
    found: Counter[Any] = Counter()
    for each in groups:
        said = tuple(getattr(each, name) for name in alike)
        assert (said, "number") not in found, "each group is told once"
        for name in ("number", "micros", "authenticated", "told_authentication"):
            found[said, name] += getattr(each, name)
    return +found


def anew(connection: sa.Connection, account: str) -> list[tuple[Counter[Any], Counter[Any]]]:
    """The same out of every single row."""
    query = sa.select(OUTCOMES).where(OUTCOMES.c.account_id == account)
    found = []
    every = connection.execute(query).all()
    for month in MONTHS:
        events: Counter[Any] = Counter()
        money: Counter[Any] = Counter()
        for row in every:
            if not month.since_ms <= row.at_ms < month.until_ms:
                continue
            for sums, alike in ((events, _ALIKE), (money, _MONEY)):
                if sums is events and row.kind not in _METERED:
                    continue
                said = tuple(getattr(row, name) for name in alike)
                sums[said, "number"] += 1
                sums[said, "micros"] += row.amount or 0
                sums[said, "authenticated"] += row.three_d_secure or 0
                sums[said, "told_authentication"] += row.three_d_secure is not None
        found.append((+events, +money))
    return found


class Merchant:
    """Tells, changes and deletes outcomes, as chance has it."""

    def __init__(self, session: AdminSession, account: str, dice: random.Random) -> None:
        self.session, self.account, self.dice = session, account, dice
        self.requests = [Payments(session, account).pay(reference=f"o-{n}") for n in range(3)]

    def outcome(self) -> dict[str, Any]:
        """One that may have been told before, now of another day, amount or end."""
        dice, kind = self.dice, self.dice.choice(KINDS)
        span = MONTHS[-1].until_ms - MONTHS[0].since_ms
        # Borders of days and months are where sums go wrong.
        at_ms = MONTHS[0].since_ms + dice.randrange(span) // DAY_MS * DAY_MS
        body: dict[str, Any] = {
            "kind": kind,
            "reference": f"r-{dice.randrange(8)}",
            "at": iso_time(at_ms + dice.choice((0, DAY_MS - 1, dice.randrange(DAY_MS)))),
            "network": dice.choice(("VISA", "MASTERCARD")),
            "merchantId": dice.choice((None, "M-1", "M-2")),
            "clientReferenceId": dice.choice((None, "o-1", "o-2")),
        }
        if dice.random() < 0.7:
            body |= {"amount": dice.choice((0.1, 19.99, 10**9)), "currency": dice.choice(("EUR",))}
        if kind == "DISPUTE":
            body["stage"] = dice.choice((None, "INQUIRY", "FIRST", "ARBITRATION"))
            body["result"] = dice.choice((None, "WON", "LOST"))
            body["reason"] = dice.choice((None, "10.4", "4853"))
        if kind == "SETTLED":
            body["threeDSecure"] = dice.choice((None, True, False))
        return {name: value for name, value in body.items() if value is not None}

    def act(self, what: str) -> None:
        """Do one thing."""
        session, account, dice = self.session, self.account, self.dice
        if what == "tell":
            some = [self.outcome() for _ in range(dice.randrange(1, 6))]
            tell(session, account, _read(json.dumps({"items": some}).encode()))
        elif what == "join":
            with session.reading() as connection:
                known = rows.listing(connection, account, None, None, (None, 50))
            if known:
                one = dice.choice(known)
                request = dice.choice((None, *self.requests))
                join_outcome(session, account, OutcomeJoin(one.kind, one.reference, request))
        else:
            with session.database.writing() as connection:
                if what == "retain":
                    before = dice.choice(MONTHS).since_ms + dice.randrange(30) * DAY_MS
                    forgetting.delete_outcomes(account, before, connection, 3)
                else:
                    forgetting.forget_person(connection, account, self.requests[:2])


@given(
    st.lists(st.sampled_from(("tell", "tell", "join", "retain", "forget")), max_size=12),
    st.integers(0, 10**6),
)
@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_kept_sums_are_what_the_rows_come_to(
    session: AdminSession, acts: list[str], seed: int
) -> None:
    account, other = make_account(session), make_account(session)
    merchant = Merchant(session, account, random.Random(seed))
    neighbour = Merchant(session, other, random.Random(seed + 1))
    servers = [Server(session, account), Server(session, account)]
    for number, what in enumerate(acts):
        merchant.act(what)
        neighbour.act("tell")
        # The second server is asked less often, and has more to catch up with.
        for server in servers[: 1 + number % 2]:
            with session.reading() as connection:
                assert server.seen(connection) == anew(connection, account)


def test_who_reads_an_earlier_moment_tells_and_keeps_that_one(session: AdminSession) -> None:
    account = make_account(session)
    merchant, server = Merchant(session, account, random.Random(3)), Server(session, account)
    merchant.act("tell")
    with session.reading() as earlier:
        was = anew(earlier, account)
        merchant.act("tell")
        with session.reading() as later:
            now = anew(later, account)
            assert now != was
            assert server.seen(later) == now
        assert server.seen(earlier) == was
    with session.reading() as later:
        assert server.seen(later) == now


def test_a_day_that_did_not_change_is_not_counted_again(session: AdminSession) -> None:
    account, now = make_account(session), session.clock()
    merchant = Merchant(session, account, random.Random(5))
    server = Server(replace(session, clock=lambda: now), account)
    merchant.act("tell")
    with session.reading() as connection:
        seen = server.seen(connection)
    with session.database.writing() as connection:
        # Behind the back of those who count changes, so that a row that is read would be missed.
        connection.execute(OUTCOMES.delete().where(OUTCOMES.c.account_id == account))
    with session.reading() as connection:
        assert server.seen(connection) == seen
    with session.database.writing() as connection:
        connection.execute(OUTCOME_DAYS.update().values(changes=OUTCOME_DAYS.c.changes + 1))
    with session.reading() as connection:
        assert server.seen(connection) == anew(connection, account)


def test_what_a_server_of_the_version_before_told_is_seen_before_long(
    session: AdminSession,
) -> None:
    account, now = make_account(session), session.clock()
    merchant = Merchant(session, account, random.Random(7))
    server = Server(replace(session, clock=lambda: now), account)
    merchant.act("tell")
    with session.reading() as connection:
        seen = server.seen(connection)
    with session.database.writing() as connection:
        # It knows of no table that counts the changes of days.
        mine = OUTCOMES.c.account_id == account
        connection.execute(OUTCOMES.update().where(mine).values(result="WITHDRAWN"))
    server.session = replace(session, clock=lambda: now + KEPT_MS)
    with session.reading() as connection:
        assert server.seen(connection) == anew(connection, account) != seen

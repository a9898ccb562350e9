"""An account with a million decisions and everything that the pages of the console read of them.

`python -m scripts.bench.console_home FOLDER [DECISIONS]` makes it once; benchmarks take it from
there with `--home FOLDER`.
"""

import argparse
import contextlib
import dataclasses
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final
from zoneinfo import ZoneInfo

import msgspec
import sqlalchemy as sa
from tests.admin.alerts.kept import keep_alert
from tests.console.browser.past import keep_bulk, keep_experiment
from tests.console.invoiced import keep_invoice
from tests.training.material import report

from gatehouse.access.actors import Actor
from gatehouse.access.roles import UserRole
from gatehouse.admin.accounts.use_cases import accounts
from gatehouse.admin.configurations.use_cases.configurations import NewVersion
from gatehouse.admin.entities.types import Entity, EntityTokens, EntityType
from gatehouse.admin.jobs.types import JobKind, TrainingOrder
from gatehouse.admin.jobs.use_cases import cancel_job, start_job
from gatehouse.admin.keys import use_cases as keys
from gatehouse.admin.keys.types import NewKey
from gatehouse.admin.lists.use_cases import lists
from gatehouse.admin.lists.use_cases.lists import GivenEntries, NewEntries
from gatehouse.admin.outcomes.tables import OUTCOMES
from gatehouse.admin.outcomes.types.outcome import OutcomeKind
from gatehouse.admin.people.types import RoleContent
from gatehouse.admin.people.use_cases import roles, users
from gatehouse.admin.pipelines.use_cases import pipelines
from gatehouse.admin.reports.types.months import ZonedMonth
from gatehouse.admin.reports.use_cases.making import make_report_now
from gatehouse.admin.rule_sets.use_cases import rule_sets
from gatehouse.admin.sign_in.queries.sessions import SessionOrigin
from gatehouse.admin.sign_in.use_cases.sign_in import SignIn
from gatehouse.admin.webhooks.types.webhook import NewWebhook, WebhookChange
from gatehouse.admin.webhooks.use_cases import endpoints
from gatehouse.core.ids import derived_id
from gatehouse.figures.copies import ColumnCopies
from gatehouse.operations.installation import open_admin_session
from gatehouse.rules.list_entries import ListKind
from gatehouse.sentry.scorecard import encode_sheet, load_sheet
from gatehouse.settings.settings import load_settings
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.configured import models
from gatehouse.store.payments.tables import PAYMENTS
from gatehouse.training.report.report import encode_report
from scripts.bench.backtesting import rule_set_text
from scripts.bench.console_rows import (
    BUSY_ADDRESS,
    BUSY_DEVICE,
    BUSY_USER,
    DAY_MS,
    Rows,
)

PASSWORD: Final = "ferry-lantern-quince-obelisk-71"
ADMINISTRATOR: Final = "administrator@shop.example"
OPERATOR: Final = "operator@gatehouse.example"

_FILE: Final = "console.json"
_BALANCE: Final = 10**12
_KEYS: Final = 12
_LISTED: Final = 5_000
_AUDIT_LINES: Final = 5_000
_PIPELINE: Final = """\
pipeline: 2
name: Bench
stages:
  - {stage: Rules, rule_set: bench}
  - {stage: Sentry}
  - {stage: PreCheck}
  - {stage: Gateway}
"""


class ConsoleHome(msgspec.Struct, frozen=True):
    """Where the account is, and what its pages are called."""

    account_id: str
    key: str
    decisions: int
    places: dict[str, str]
    """A value for each part of a path, such as the id of a decision."""
    tokens: dict[str, str]
    """Of busy entities, by their kind."""


def opened(home: Path, decisions: int) -> ConsoleHome:
    """The account of a folder, which is made if there is none."""
    file = home / _FILE
    if not file.exists():
        home.mkdir(parents=True, exist_ok=True)
        file.write_bytes(msgspec.json.encode(_make(home, decisions)))
    return msgspec.json.decode(file.read_bytes(), type=ConsoleHome)


def _make(home: Path, decisions: int) -> ConsoleHome:
    now_ms = int(time.time() * 1000)
    # A young account would spare pages the work that an older one makes.
    session = dataclasses.replace(open_session(home), clock=lambda: now_ms - 31 * DAY_MS)
    account_id = accounts.create(session, "Shop", "USD", _BALANCE).account.account_id
    places = {"account": account_id, **_configure(session, account_id)}
    places |= _invite(session, account_id)
    for number in range(_KEYS):
        told = keys.issue(session, account_id, NewKey(f"server {number}"))
    with _timed("purchases"):
        rows = Rows(session, account_id, decisions, now_ms)
    session.database.dispose()
    rows.write(home / "sandbox.db", places["webhook"])
    session = open_session(home)
    _spend(session, account_id, rows.charged)
    with _timed("column copy"):
        copies = ColumnCopies(session, home)
        copies.catch_up(account_id)
        copies.close()
    places |= _keep_one_of_each(session, account_id)
    places |= {"id": rows.ids[-1], "review": rows.open_reviews[0], "ring": rows.ring}
    tokens = EntityTokens(session, account_id)
    busy = (
        Entity(EntityType.USER, BUSY_USER),
        Entity(EntityType.CARD, rows.purchases[0].card),
        Entity(EntityType.DEVICE, BUSY_DEVICE),
        Entity(EntityType.ADDRESS, BUSY_ADDRESS),
    )
    named = {each.kind.value: tokens.token(each) for each in busy}
    session.database.dispose()
    return ConsoleHome(account_id, told.key, decisions, places, named)


def open_session(home: Path) -> AdminSession:
    """The data of a home."""
    return open_admin_session(load_settings({"GATEHOUSE_HOME": str(home)}), Actor.system("bench"))


def _configure(session: AdminSession, account_id: str) -> dict[str, str]:
    """Fifty rules, a pipeline, lists, a model, a webhook and an audit trail."""
    rule_sets.apply(session, account_id, NewVersion(rule_set_text().encode()))
    pipelines.apply(session, account_id, NewVersion(_PIPELINE.encode()))
    for name, kind, shape in (
        ("blocked-users", ListKind.USERS, "u-{}"),
        ("blocked-networks", ListKind.NETWORKS, "198.51.{1}.{2}"),
    ):
        values = [shape.format(n, n // 256, n % 256) for n in range(_LISTED)]
        about = NewEntries(kind, "seen in an attack")
        for first in range(0, _LISTED, 1000):
            given = GivenEntries(values[first : first + 1000])
            lists.add(session, account_id, name, given, about)
    sheet, told = encode_sheet(load_sheet()), encode_report(report())
    with session.change() as change:
        models.keep(change, account_id, lambda _: told, lambda _: sheet, note="bench")
    with session.change() as change:
        for number in range(_AUDIT_LINES):
            change.audit("review.approve", account_id, number=number)
    new = NewWebhook("http://127.0.0.1:9/", ["review.*"])
    webhook = endpoints.create(session, account_id, new).answer.id
    endpoints.update(session, account_id, webhook, WebhookChange(enabled=False))
    named = {
        "set": "bench",
        "rule": "rule-1",
        "pipeline": "2",
        "list": "blocked-users",
        "version": "1",
    }
    return named | {"webhook": webhook}


def _keep_one_of_each(session: AdminSession, account_id: str) -> dict[str, str]:
    """What pages are about that requests do not leave: an alert, an invoice, a role and so on."""
    alert = derived_id("alr", session.clock(), "bench")
    month = ZonedMonth.at(session.clock(), ZoneInfo("UTC"))
    make_report_now(session, account_id, str(month.moved(-1)))
    disputes = sa.select(OUTCOMES.c.reference).where(OUTCOMES.c.kind == OutcomeKind.DISPUTE)
    payments = sa.select(PAYMENTS.c.request_id)
    with session.reading() as connection:
        dispute, payment = (connection.scalars(q.limit(1)).one() for q in (disputes, payments))
    return {
        "alert": keep_alert(session, account_id, alert),
        "bulk": keep_bulk(session, account_id),
        "dispute": dispute,
        "experiment": keep_experiment(session, account_id),
        "invoice": keep_invoice(session, account_id),
        "month": str(month.moved(-1)),
        "notification": payment.replace("req_", "ntf_"),
        "payment": payment,
        "role": roles.make_role(session, account_id, RoleContent("Night desk", [])).answer.role_id,
    }


def with_job(home: Path, made: ConsoleHome) -> ConsoleHome:
    """The same with a job to show, made anew: a server deletes old ones."""
    session = open_session(home)
    now_ms = session.clock()
    order = TrainingOrder(now_ms - 30 * DAY_MS, now_ms, DAY_MS)
    job = start_job(session, made.account_id, JobKind.TRAINING, order)
    cancel_job(session, made.account_id, job.id)
    session.database.dispose()
    return msgspec.structs.replace(made, places={**made.places, "job": job.id})


def _invite(session: AdminSession, account_id: str) -> dict[str, str]:
    """An administrator of the account and an operator, who chose their passwords."""
    sign_in, origin = SignIn(session), SessionOrigin(address="127.0.0.1")
    administrator = users.invite(session, account_id, ADMINISTRATOR, UserRole.ADMINISTRATOR)
    for invited in (administrator, users.invite_operator(session, OPERATOR)):
        assert invited.link is not None
        sign_in.by_link(invited.link.token, origin, PASSWORD)
    return {"user": administrator.user.user_id}


def _spend(session: AdminSession, account_id: str, micros: int) -> None:
    """Let the balance agree with the ledger."""
    database = session.database.driver_connection()
    database.execute("UPDATE accounts SET balance = balance - ? WHERE id = ?", (micros, account_id))
    database.commit()
    database.close()


@contextlib.contextmanager
def _timed(what: str) -> Iterator[None]:
    began = time.perf_counter()
    yield
    print(f"  made {what}: {time.perf_counter() - began:.1f} s", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("home", type=Path)
    parser.add_argument("decisions", nargs="?", type=int, default=1_000_000)
    options = parser.parse_args()
    made = opened(options.home, options.decisions)
    print(f"{made.decisions:,} decisions of {made.account_id} are in {options.home}")


if __name__ == "__main__":
    main()

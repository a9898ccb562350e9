"""A console whose demo account has a past, and where its pages are."""

import contextlib
import json
import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from playwright.sync_api import Browser

from gatehouse.admin.accounts.use_cases.default_account import DEMO_ACCOUNT
from gatehouse.admin.decisions.use_cases.decisions import get_decision
from gatehouse.admin.entities.types import EntityTokens, EntityType, entities_of
from gatehouse.admin.experiments import use_cases as experiments
from gatehouse.admin.experiments.types.asked import ExperimentWanted
from gatehouse.admin.invoices.use_cases import invoices
from gatehouse.admin.jobs import use_cases as queue
from gatehouse.admin.jobs.types import JobKind
from gatehouse.admin.lists.use_cases import lists
from gatehouse.admin.notifications.types import NotificationSearch
from gatehouse.admin.notifications.use_cases.notifications import list_notifications
from gatehouse.admin.outcomes.types.outcome import OutcomeBatch
from gatehouse.admin.outcomes.use_cases.tell import tell
from gatehouse.admin.payments.types import PaymentSearch
from gatehouse.admin.payments.use_cases.operating import list_payments
from gatehouse.admin.people.types import RoleContent
from gatehouse.admin.people.use_cases import roles, users
from gatehouse.admin.programmes.worker import ProgrammeWatch
from gatehouse.admin.reviews.use_cases.reviews import ReviewSearch, ReviewState, list_reviews
from gatehouse.admin.sandbox.use_cases.fill import fill_demo
from gatehouse.admin.webhooks.use_cases.endpoints import list_webhooks
from gatehouse.admin.workload.queries import StoredBulk, add_bulk
from gatehouse.admin.workload.types import BulkAction, BulkState, BulkTerms
from gatehouse.core.clock import iso_time
from gatehouse.core.ids import derived_id
from gatehouse.core.months import CalendarMonth
from gatehouse.core.reading.request_reader import RequestReader
from gatehouse.gateway.notifying import NotifiedEvent
from gatehouse.pipeline.experiment import ExperimentKind
from gatehouse.settings.settings import load_settings
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.payments.operations import OperationState
from tests.admin.alerts.kept import keep_alert
from tests.admin.recorded import Recorder
from tests.console.browser.site import Site, Visitor, serve_site
from tests.console.disputed import keep_dispute, keep_proof
from tests.console.invoiced import keep_invoice
from tests.console.paid import CAPTURED, DOUBTFUL, keep_notification, keep_payment, operation_of
from tests.console.trained import full_report, keep_model, keep_trainings
from tests.harness import Home, until

_RING: Final = derived_id("ring", 1_790_000_000_000, "shown")
_BULK: Final = derived_id("blk", 1_790_000_000_000, "shown")
_DISPUTE: Final = "dp-shown"
_ALERT: Final = derived_id("alr", 1_790_000_000_000, "shown")
_PLACE: Final = re.compile(r"\{([a-z_]+)\}")


@contextlib.contextmanager
def open_filled(folder: Path, browser: Browser) -> Iterator[Site]:
    """Start a console with a demo account that has been used for some weeks."""
    home = filled_home(folder)
    # No server takes the training that is under way; nobody answers at the issuer.
    home.settings["GATEHOUSE_JOBS_AT_ONCE"] = "0"
    home.settings["GATEHOUSE_OIDC_ISSUER"] = "https://127.0.0.1:1"
    home.settings["GATEHOUSE_OIDC_CLIENT_ID"] = "console"
    with home.session() as session:
        keep_ring(session, DEMO_ACCOUNT)
        keep_alert(session, DEMO_ACCOUNT, _ALERT)
        keep_model(session, DEMO_ACCOUNT, full_report())
        keep_trainings(session, DEMO_ACCOUNT)
        keep_outcomes(session, DEMO_ACCOUNT)
        keep_bulk(session, DEMO_ACCOUNT)
        keep_experiment(session, DEMO_ACCOUNT)
        keep_invoice(session, DEMO_ACCOUNT)
        paid = Recorder(session, DEMO_ACCOUNT, days_ago=1).keep("u-paid")
        keep_payment(session, DEMO_ACCOUNT, paid, CAPTURED, DOUBTFUL)
        captured = {"reference": paid, "amount_minor": 2500, "currency": "EUR"}
        for payment in (captured, {"payment_id": "psp-unknown"}):
            keep_notification(session, NotifiedEvent.CAPTURED, **payment)
        roles.make_role(session, DEMO_ACCOUNT, RoleContent("Night desk", []))
        keep_proof(session, DEMO_ACCOUNT, keep_dispute(session, DEMO_ACCOUNT, _DISPUTE))
    with serve_site(home, browser) as site:
        yield site


def filled_home(folder: Path, decisions: int = 100) -> Home:
    """A home whose demo account has a past."""
    home = Home(folder).migrated()

    def fill() -> None:
        with home.session() as session:
            fill_demo(session, load_settings(home.environ()), decisions)

    # The browser has an event loop in this thread, and a thread can have only one.
    with ThreadPoolExecutor(max_workers=1) as elsewhere:
        elsewhere.submit(fill).result()
    return home


def keep_outcomes(session: AdminSession, account_id: str) -> None:
    """Tell of enough disputes that programmes have gauges, and steps that were told."""
    now = iso_time(session.clock())
    before = iso_time(CalendarMonth.at(session.clock()).before.since_ms)
    same = {"network": "MASTERCARD", "merchantId": "M-1", "region": "EU"}
    sales = [
        {**same, "kind": "SETTLED", "reference": f"past-s-{number}", "at": before}
        for number in range(200)
    ]
    dispute = {
        **same,
        "kind": "DISPUTE",
        "at": now,
        "reason": "4837",
        "amount": 9,
        "currency": "USD",
    }
    disputes = [{**dispute, "reference": f"past-d-{number}"} for number in range(60)]
    body = json.dumps({"items": sales + disputes}).encode()
    tell(session, account_id, RequestReader(OutcomeBatch).read(body))
    ProgrammeWatch(session).meter(account_id, CalendarMonth.at(session.clock()))


def keep_ring(session: AdminSession, account_id: str, user: str = "u-ring") -> str:
    """Keep a decision that names a ring; returns its id."""
    Recorder(session, account_id, days_ago=1).keep(user, ring=_RING)
    return _RING


def keep_experiment(session: AdminSession, account_id: str, name: str = "Trained") -> str:
    """An experiment that is over, so that requests are decided as before."""
    model = keep_model(session, account_id, full_report())
    given = ExperimentWanted(name, ExperimentKind.MODEL, 50, challenger_model=model)
    started = experiments.start(session, account_id, given)
    return experiments.end(session, account_id, started.id).id


def keep_bulk(session: AdminSession, account_id: str) -> str:
    """One change of many decisions, which is done."""
    terms = BulkTerms(), BulkState.DONE
    new = StoredBulk(_BULK, session.clock(), "user:ada", BulkAction.ASSIGN, *terms)
    review = list_reviews(session, account_id, ReviewSearch(ReviewState.OPEN, None, 1))[0].review
    with session.account_change(account_id) as change:
        add_bulk(change, account_id, new, [review.request_id])
        change.audit("bulk.begin", account_id, bulkId=_BULK)
    return _BULK


def places(session: AdminSession) -> dict[str, str]:
    """What stands for the parts of paths, a training among them."""
    job = queue.list_jobs(session, DEMO_ACCOUNT, (JobKind.TRAINING,))[0].id
    kept = {
        "bulk": _BULK,
        "ring": _RING,
        "dispute": _DISPUTE,
        "alert": _ALERT,
        "role": roles.list_roles(session, DEMO_ACCOUNT).roles[-1].role_id,
        "month": month_of(session),
        "experiment": experiments.list_experiments(session, DEMO_ACCOUNT).experiments[0].id,
        "invoice": invoices.list_invoices(session, DEMO_ACCOUNT).invoices[0].invoice_id,
    }
    wanted = PaymentSearch(operation=OperationState.IN_DOUBT)
    [doubtful] = list_payments(session, DEMO_ACCOUNT, wanted).payments
    kept |= {"payment": doubtful.request_id, "operation": operation_of(doubtful.request_id, 1)}
    told = list_notifications(session, DEMO_ACCOUNT, NotificationSearch()).notifications
    kept["notification"] = told[0].notification_id
    return {**demo_places(session), "job": job, "month": month_of(session), **kept}


def month_of(session: AdminSession) -> str:
    """The month that goes on."""
    return f"{datetime.fromtimestamp(session.clock() / 1000, UTC):%Y-%m}"


def demo_places(session: AdminSession) -> dict[str, str]:
    """What the demo account has: a review that is open, its user, a list, and so on."""
    review = list_reviews(session, DEMO_ACCOUNT, ReviewSearch(ReviewState.OPEN, None, 1))[0].review
    record = get_decision(session, DEMO_ACCOUNT, review.request_id)
    user = next(each for each in entities_of(record) if each.kind is EntityType.USER)
    filled = max(lists.overview(session, DEMO_ACCOUNT).lists, key=lambda each: each.entries)
    return {
        "account": DEMO_ACCOUNT,
        "id": review.request_id,
        "kind": user.kind,
        "token": EntityTokens(session, DEMO_ACCOUNT).token(user),
        "list": filled.name,
        "webhook": list_webhooks(session, DEMO_ACCOUNT).webhooks[0].id,
        "user": users.listing(session, DEMO_ACCOUNT)[0].user_id,
        "set": "starter",
        "pipeline": "1",
        "version": "1",
        "rule": "blocked-card",
    }


def path_to(pattern: str, known: dict[str, str]) -> str:
    """The path of a page about what is known; what is not known does not exist."""
    return _PLACE.sub(lambda match: known.get(match[1], "nothing"), pattern)


def wait_for_figures(visitor: Visitor) -> None:
    """The first look at the overview counts the decisions; wait until that is done."""

    def are_there() -> bool:
        return visitor.open(f"/a/{DEMO_ACCOUNT}/").locator(".chart-figure").count() > 0

    until(are_there)

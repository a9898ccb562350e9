"""One use case from two faces: a command and an HTTP route leave the same rows and audit lines."""

from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import httpx
import pytest
import sqlalchemy as sa

from gatehouse.access.actors import Actor
from gatehouse.admin.decisions.use_cases import decisions
from gatehouse.admin.decisions.use_cases.decisions import DecisionExport
from gatehouse.admin.feedback.use_cases import record
from gatehouse.admin.feedback.use_cases.import_labels import import_feedback
from gatehouse.admin.feedback.use_cases.statements import open_feedback_file
from gatehouse.admin.identities.types import IdentitySearch
from gatehouse.admin.identities.use_cases import records
from gatehouse.admin.identities.use_cases.import_records import IdentityImport, import_identities
from gatehouse.admin.identities.use_cases.rows import open_identity_file
from gatehouse.admin.identities.use_cases.selection import select_records
from gatehouse.admin.reviews.use_cases import review_desk, reviews
from gatehouse.admin.reviews.use_cases.review_desk import Assignment
from gatehouse.admin.reviews.use_cases.reviews import ReviewFinding, ReviewSearch
from gatehouse.admin.workload.use_cases import review_bulk
from gatehouse.admin.workload.use_cases.review_bulk import ReviewFilter
from gatehouse.core.errors import NotFound
from gatehouse.core.wording.labels import Label
from gatehouse.operations.installation import open_admin_session
from gatehouse.pipeline.settlement import Search
from gatehouse.settings.settings import load_settings
from gatehouse.store.accounts import accounts
from gatehouse.store.admin import audit
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.admin.audit import AuditLine
from gatehouse.store.decisions.records import RecordSpan
from gatehouse.store.feedback.statements import FeedbackStatement, FeedbackSubject
from gatehouse.store.identities.identity_sealer import EVERYONE
from gatehouse.store.tables import AUDIT, FEEDBACK, IDENTITIES, REVIEWS
from tests.harness import Home, Server, make_account
from tests.store.reviewing import open_review

FRAUD = FeedbackStatement(Label.FRAUD)


@pytest.fixture(scope="module")
def session(shared: Server) -> Iterator[AdminSession]:
    with shared.home.session() as opened:
        yield opened


@pytest.fixture(scope="module")
def account(session: AdminSession) -> str:
    return make_account(session)


@pytest.fixture
def client(shared: Server, account: str) -> Iterator[httpx.Client]:
    with shared.client(shared.home.key(account)) as one:
        yield one


def row_of(session: AdminSession, table: sa.Table, request_id: str) -> dict[str, Any]:
    """The row of a request without what differs from one request to the next."""
    with session.reading() as connection:
        query = sa.select(table).where(table.c.request_id == request_id)
        row = dict(connection.execute(query).one()._mapping)
    varying = ("request_id", "seq", "at_ms", "recorded_at_ms", "resolved_at_ms", "actor", "source")
    return {name: value for name, value in row.items() if name not in varying}


def lines_about(session: AdminSession, account: str, action: str) -> list[AuditLine]:
    with session.reading() as connection:
        return [one for one in audit.read(connection, account, 50) if one.action == action]


def test_a_review_is_resolved_the_same_by_a_command_and_by_http(
    shared: Server, session: AdminSession, account: str, client: httpx.Client
) -> None:
    by_command, by_http = open_review(session, account), open_review(session, account)
    given = ("--decline", "--reason", "stolen card", "--account", account)
    shared.home.ok("reviews", "resolve", by_command, *given)
    body = {"resolution": "DECLINE", "reason": "stolen card"}
    assert client.post(f"/api/v1/reviews/{by_http}", json=body).json()["isSuccess"]
    for table in (REVIEWS, FEEDBACK):
        assert row_of(session, table, by_command) == row_of(session, table, by_http)
    command, http = lines_about(session, account, "review.resolve")
    assert command.details == {"requestId": by_command, "state": "DECLINED"}
    assert http.details == {"requestId": by_http, "state": "DECLINED"}
    assert command.actor.startswith("cli:")
    assert http.actor.startswith("key:")


def test_feedback_is_recorded_the_same_by_a_command_and_by_http(
    shared: Server, session: AdminSession, account: str, client: httpx.Client
) -> None:
    by_command, by_http = open_review(session, account), open_review(session, account)
    given = ("--label", "chargeback", "--when", "2026-01-02", "--amount", "12.5")
    shared.home.ok(
        "feedback",
        "add",
        "--request",
        by_command,
        *given,
        "--currency",
        "usd",
        "--account",
        account,
    )
    body = {
        "requestId": by_http,
        "label": "CHARGEBACK",
        "when": "2026-01-02T00:00:00Z",
        "amount": 12.5,
        "currency": "USD",
    }
    assert client.post("/api/v1/feedback", json=body).json()["isSuccess"]
    assert row_of(session, FEEDBACK, by_command) == row_of(session, FEEDBACK, by_http)
    # Rows of feedback name their key and are never changed; only an operator's are audited.
    [line] = lines_about(session, account, "feedback.add")
    assert line.details == {"label": "CHARGEBACK", "requests": 1, "changed": 1}


class Quiet:
    """Shows no progress."""

    def reached(self, done: int, note: str) -> None: ...

    def say(self, text: str) -> None: ...


def foreign_calls(account: str, request: str, folder: Path) -> list[Callable[[AdminSession], Any]]:
    """Every use case of this room, asked about an account that is not the actor's."""
    labels, people = folder / "labels.csv", folder / "people.csv"
    labels.write_text(f"requestId,label\n{request},fraud\n")
    people.write_text("cardNumber,lastName\n4242424242424242,Whitfield\n")
    finding, search = ReviewFinding(approve=True, reason="mine"), ReviewSearch(None, None, 9)
    export = DecisionExport(RecordSpan(account, 0, 2**42), folder / "out", "jsonl", overwrite=False)

    def import_labels(session: AdminSession) -> None:
        with closing(open_feedback_file(labels, "csv")) as file:
            import_feedback(session, account, file, Quiet())

    def import_people(session: AdminSession, scope: str) -> None:
        with closing(open_identity_file(people, "csv")) as file:
            import_identities(session, IdentityImport(scope, file, None, dry_run=False), Quiet())

    query = IdentitySearch(reference="customer-77")
    return [
        lambda one: reviews.get_review(one, account, request),
        lambda one: reviews.list_reviews(one, account, search),
        lambda one: reviews.resolve_review(one, account, request, finding),
        lambda one: reviews.correct_review(one, account, request, finding),
        lambda one: review_desk.add_note(one, account, request, "seen"),
        lambda one: review_desk.assign_review(one, account, request, Assignment("amelia")),
        lambda one: review_desk.take_oldest(one, account, "amelia"),
        lambda one: review_bulk.resolve_reviews(one, account, [request], finding),
        lambda one: review_bulk.examine_reviews(one, account, [request]),
        lambda one: review_bulk.find_open_reviews(one, account, ReviewFilter()),
        lambda one: record.feedback_of(one, account, request),
        lambda one: record.list_feedback(one, account, 0, None, 9),
        lambda one: record.record_feedback(
            one, account, FeedbackSubject(request_id=request), FRAUD
        ),
        lambda one: decisions.get_decision(one, account, request),
        lambda one: decisions.list_decisions(one, account, Search(None, None, 9)),
        lambda one: decisions.export_decisions(one, export, lambda done, total: None),
        import_labels,
        lambda one: import_people(one, account),
        lambda one: import_people(one, EVERYONE),
        lambda one: select_records(one, account, query),
        lambda one: select_records(one, None, query),
        lambda one: select_records(one, None),
        lambda one: list(records.export_records(one, account)),
        records.count_records,
        records.compact_records,
    ]


def test_an_actor_of_another_account_finds_nothing_and_changes_nothing(
    sqlite_home: Home, tmp_path: Path
) -> None:
    opened = open_admin_session(load_settings(sqlite_home.environ()), Actor.system("test"))
    with opened.change() as change:
        mine = accounts.create(change, "Mine", "USD").account_id
        other = accounts.create(change, "Other", "USD").account_id
    request = open_review(opened, mine)
    tables = (AUDIT, FEEDBACK, IDENTITIES, REVIEWS)

    def content() -> list[Any]:
        with opened.reading() as connection:
            return [connection.execute(sa.select(table)).all() for table in tables]

    before = content()
    stranger = opened.acting_as(Actor.key("key_1", other))
    for call in foreign_calls(mine, request, tmp_path):
        with pytest.raises(NotFound):
            call(stranger)
    # Nor is the request found by its id in the actor's own account.
    with pytest.raises(NotFound):
        reviews.get_review(stranger, other, request)
    with pytest.raises(NotFound):
        record.record_feedback(stranger, other, FeedbackSubject(request_id=request), FRAUD)
    assert content() == before
    owner = opened.acting_as(Actor.key("key_2", mine))
    assert reviews.get_review(owner, mine, request).review.request_id == request
    opened.database.dispose()

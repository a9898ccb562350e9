"""What reviews found before labels were kept counts like what they find from now on."""

import sqlalchemy as sa
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext

from gatehouse.core.ids import new_id
from gatehouse.core.wording.labels import Label, LabelSource
from gatehouse.settings.settings import load_settings
from gatehouse.store.database import Database
from gatehouse.store.decisions import review_events
from gatehouse.store.feedback import feedback, feedback_history
from gatehouse.store.feedback.statements import (
    FeedbackStatement,
    FeedbackSubject,
    LabelEntry,
    LabelReport,
)
from gatehouse.store.migrate import alembic_config, migrate
from gatehouse.store.migrations import HEAD
from gatehouse.store.state import lock_changes
from gatehouse.store.tables import METADATA
from tests.harness import Home

ACCOUNT = "acct_1"
MOMENT_MS = 1_790_000_000_000
# In the order of their requests: the later ones were resolved earlier.
REVIEWS = [("OPEN", None), ("APPROVED", 50), ("DECLINED", 40), ("APPROVED", 30), ("DECLINED", 20)]

_DECISION = sa.text(
    "INSERT INTO decisions (account_id, request_id, at_ms, operation, client_reference, record) "
    "VALUES (:account, :request, :at_ms, 'pipeline', 'order-1', :record)"
)
_REVIEW = sa.text(
    "INSERT INTO reviews (account_id, request_id, at_ms, state, resolved_at_ms, actor, reason) "
    "VALUES (:account, :request, :at_ms, :state, :resolved, :actor, :actor)"
)


def test_a_database_with_reviews_is_brought_up_to_date(empty_home: Home) -> None:
    settings = load_settings(empty_home.environ())
    settings.home.mkdir(parents=True)
    database = Database(settings.effective_database_url, timeout_ms=5000)
    requests = [new_id("req", MOMENT_MS + number, bytes) for number in range(len(REVIEWS) + 1)]
    with database.writing() as connection:
        command.upgrade(alembic_config(connection), "0003")
        for request in requests:
            row = {"account": ACCOUNT, "request": request, "at_ms": MOMENT_MS, "record": "{}"}
            connection.execute(_DECISION, row)
        # The last decision was never to be reviewed.
        for request, (state, resolved) in zip(requests, REVIEWS, strict=False):
            row = {"account": ACCOUNT, "request": request, "at_ms": MOMENT_MS}
            actor = None if resolved is None else "key:key_1"
            found = {"state": state, "resolved": resolved, "actor": actor}
            connection.execute(_REVIEW, row | found)
    assert migrate(database) == ("0003", HEAD)
    with database.reading() as connection:
        told = feedback_history.rows_after(connection, 0, 10)
        assert [(row.seq, row.label, row.previous, row.record) for row in told] == [
            (1, Label.FRAUD, None, "{}"),
            (2, Label.LEGITIMATE, None, "{}"),
            (3, Label.FRAUD, None, "{}"),
            (4, Label.LEGITIMATE, None, "{}"),
        ]
        assert feedback_history.labels(connection, ACCOUNT, MOMENT_MS, MOMENT_MS + 10) == {
            **{requests[1]: False, requests[2]: True},
            **{requests[3]: False, requests[4]: True},
        }
        assert feedback.history(connection, ACCOUNT, requests[0]) == []
        assert feedback.history(connection, ACCOUNT, requests[4]) == [
            LabelEntry(
                1,
                requests[4],
                Label.FRAUD,
                None,
                found_at_ms=None,
                amount=None,
                currency=None,
                recorded_at_ms=20,
                actor="key:key_1",
                source=LabelSource.REVIEW,
            )
        ]
        assert review_events.history(connection, ACCOUNT, requests[0]) == []
        [event] = review_events.history(connection, ACCOUNT, requests[4])
        assert (event.kind, event.at_ms, event.actor) == ("RESOLVED", 20, "key:key_1")
        assert (event.details.state, event.words) == ("DECLINED", "key:key_1")
        by_reference = FeedbackSubject(client_reference="order-1")
        assert feedback.find(connection, ACCOUNT, by_reference) == requests
        # The upgraded tables are those of a new database.
        assert compare_metadata(MigrationContext.configure(connection), METADATA) == []
    with database.writing() as connection:
        lock_changes(connection)
        legitimate = FeedbackStatement(Label.LEGITIMATE)
        report = LabelReport(ACCOUNT, [requests[4]], legitimate, "test", LabelSource.API)
        [noted] = feedback.record(connection, report, MOMENT_MS)
        assert (noted.previous, feedback.newest(connection)) == (Label.FRAUD, 5)
    database.dispose()

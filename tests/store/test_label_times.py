"""Labels on both databases, with the time since when each was known."""

from gatehouse.core.wording.labels import Label
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.feedback.feedback_history import (
    labels,
    labels_with_times,
    reported_since,
)
from gatehouse.store.feedback.statements import FeedbackStatement
from tests.harness import make_account
from tests.store.deciding import keep_decision, label

MOMENT_MS = 1_790_000_000_000


def say(
    session: AdminSession,
    account_id: str,
    name: str,
    known: Label,
    after: int,
    found: int | None = None,
) -> None:
    """Report something some time after the moment, found out some other time after it."""
    found_at_ms = None if found is None else MOMENT_MS + found
    label(session, account_id, [name], FeedbackStatement(known, found_at_ms), MOMENT_MS + after)


def told(session: AdminSession, account_id: str) -> dict[str, tuple[bool | None, int]]:
    with session.reading() as connection:
        found = labels_with_times(connection, account_id, MOMENT_MS, MOMENT_MS + 10)
    return {name: (label.fraud, label.known_at_ms - MOMENT_MS) for name, label in found.items()}


def test_a_label_is_known_since_it_was_found_out_or_else_reported(session: AdminSession) -> None:
    merchant, other = make_account(session), make_account(session)
    names = [keep_decision(session, merchant) for _ in range(6)]
    late, theirs = keep_decision(session, merchant, MOMENT_MS + 10), keep_decision(session, other)
    say(session, merchant, names[0], Label.FRAUD, 500)
    say(session, merchant, names[1], Label.CHARGEBACK, 500, found=200)
    # The same label with other details is known since the first time.
    say(session, merchant, names[2], Label.FRAUD, 300)
    say(session, merchant, names[2], Label.CHARGEBACK, 500, found=400)
    # The last word counts, since it was said.
    say(session, merchant, names[3], Label.LEGITIMATE, 300)
    say(session, merchant, names[3], Label.FRAUD, 500)
    say(session, merchant, names[4], Label.FRAUD, 300)
    say(session, merchant, names[4], Label.WITHDRAWN, 500)
    say(session, merchant, names[5], Label.FRAUD, 300)
    say(session, merchant, names[5], Label.WITHDRAWN, 400)
    say(session, merchant, names[5], Label.FRAUD, 500)
    say(session, merchant, late, Label.FRAUD, 500)
    say(session, other, theirs, Label.FRAUD, 500)
    assert told(session, merchant) == {
        names[0]: (True, 500),
        names[1]: (True, 200),
        names[2]: (True, 300),
        names[3]: (True, 500),
        names[5]: (True, 500),
    }
    assert told(session, other) == {theirs: (True, 500)}


def test_abuse_is_known_and_no_matter_of_fraud(session: AdminSession) -> None:
    merchant = make_account(session)
    abused, tested, cleared = (keep_decision(session, merchant) for _ in range(3))
    say(session, merchant, abused, Label.FRAUD, 300)
    say(session, merchant, abused, Label.ABUSE, 500)
    say(session, merchant, tested, Label.CARD_TESTING, 400)
    say(session, merchant, cleared, Label.ABUSE, 300)
    say(session, merchant, cleared, Label.LEGITIMATE, 600)
    expected = {abused: (None, 500), tested: (True, 400), cleared: (False, 600)}
    assert told(session, merchant) == expected
    with session.reading() as connection:
        known = labels(connection, merchant, MOMENT_MS, MOMENT_MS + 10)
    assert known == {tested: True, cleared: False}


def test_reporting_began_with_the_oldest_request_that_anything_was_said_of(
    session: AdminSession,
) -> None:
    merchant, other = make_account(session), make_account(session)
    first, second, third = (
        keep_decision(session, merchant, MOMENT_MS + 10 * number) for number in range(3)
    )
    theirs = keep_decision(session, other, MOMENT_MS - 50)

    def since(account_id: str) -> int | None:
        with session.reading() as connection:
            return reported_since(connection, account_id)

    assert since(merchant) is None
    say(session, merchant, third, Label.FRAUD, 500)
    assert since(merchant) == MOMENT_MS + 20
    say(session, merchant, second, Label.LEGITIMATE, 600)
    say(session, merchant, second, Label.WITHDRAWN, 700)
    assert since(merchant) == MOMENT_MS + 10
    say(session, other, theirs, Label.FRAUD, 500)
    assert (since(merchant), since(other)) == (MOMENT_MS + 10, MOMENT_MS - 50)
    assert first < second

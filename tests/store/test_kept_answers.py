"""Answers of management calls are kept sealed, once on each database."""

import sqlalchemy as sa

from gatehouse.api.repetitions import Repetitions
from gatehouse.core.ids import new_id
from gatehouse.pipeline.settlement import Claim, KeyReused, StillInFlight
from gatehouse.store.admin import kept_answers
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.admin.kept_answers import LONGEST_CALL_MS, KeptAnswer
from gatehouse.store.requests.batch_sql import open_batch_session
from gatehouse.store.requests.sweeper import Sweeper
from gatehouse.store.requests.writer import Writer
from gatehouse.store.tables import IDEMPOTENCY

_KEPT = KeptAnswer('{"secret":"whsec_once"}', '"1"')


def _claim(session: AdminSession, key: str, content: bytes = b"{}") -> Claim:
    day = Repetitions(b"0" * 32, 86_400_000)
    return day.claim(key.encode(), content, session.clock())


def _request(session: AdminSession) -> str:
    return new_id("req", session.clock(), session.randomness)


def test_a_key_is_claimed_once_and_then_answers_alike(session: AdminSession) -> None:
    wanted, first = _claim(session, "a"), _request(session)
    assert kept_answers.claim(session, wanted, first) is None
    assert isinstance(kept_answers.claim(session, wanted, _request(session)), StillInFlight)
    kept_answers.keep(session, wanted, first, _KEPT)
    assert kept_answers.claim(session, wanted, _request(session)) == _KEPT
    assert "whsec" not in repr(_KEPT)
    other = _claim(session, "a", b'{"other":1}')
    assert isinstance(kept_answers.claim(session, other, _request(session)), KeyReused)


def test_the_database_shows_no_answer_and_one_cannot_be_moved(session: AdminSession) -> None:
    first, second = _claim(session, "a"), _claim(session, "b")
    first_request = _request(session)
    for each in (first, second):
        kept_answers.claim(session, each, first_request)
    kept_answers.keep(session, first, first_request, _KEPT)
    c = IDEMPOTENCY.c
    with session.database.writing() as connection:
        query = sa.select(c.answer).where(c.claim_id == first.claim_id)
        text = connection.scalar(query)
        assert text is not None
        assert "whsec" not in text
        moved = IDEMPOTENCY.update().where(c.claim_id == second.claim_id)
        connection.execute(moved.values(answer=text))
    assert isinstance(kept_answers.claim(session, second, _request(session)), KeyReused)


def test_a_key_whose_call_did_nothing_is_free_again(session: AdminSession) -> None:
    refused, first, second = _claim(session, "refused"), _request(session), _request(session)
    assert kept_answers.claim(session, refused, first) is None
    kept_answers.free(session, refused, second)
    assert isinstance(kept_answers.claim(session, refused, second), StillInFlight)
    kept_answers.free(session, refused, first)
    assert kept_answers.claim(session, refused, second) is None


def test_a_call_that_was_lost_is_not_done_again_and_its_late_answer_counts(
    session: AdminSession,
) -> None:
    lost, first, now_ms = _claim(session, "lost"), _request(session), session.clock()
    assert kept_answers.claim(session, lost, first) is None
    session.clock = lambda: now_ms + LONGEST_CALL_MS + 1
    assert isinstance(kept_answers.claim(session, lost, _request(session)), KeyReused)
    # What is old is deleted every minute; the claim is kept as long as an answer would be.
    session.clock = lambda: lost.expires_at_ms - 1
    writer = Writer(lambda: open_batch_session(session.database))
    assert Sweeper(session.database, writer, session.clock, None).prune() == 0
    assert isinstance(kept_answers.claim(session, lost, _request(session)), KeyReused)
    kept_answers.keep(session, lost, first, _KEPT)
    assert kept_answers.claim(session, lost, _request(session)) == _KEPT
    session.clock = lambda: lost.expires_at_ms
    assert kept_answers.claim(session, lost, _request(session)) is None

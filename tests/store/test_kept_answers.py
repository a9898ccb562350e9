"""Answers of management calls are kept sealed, once on each database."""

import sqlalchemy as sa

from gatehouse.pipeline.settlement import Claim, KeyReused, StillInFlight
from gatehouse.store.admin import kept_answers
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.admin.kept_answers import LONGEST_CALL_MS, KeptAnswer
from gatehouse.store.tables import IDEMPOTENCY
from gatehouse.web.v1 import Repetitions

_KEPT = KeptAnswer('{"secret":"whsec_once"}', '"1"')


def _claim(session: AdminSession, key: str, content: bytes = b"{}") -> Claim:
    day = Repetitions(b"0" * 32, 86_400_000)
    return day.claim(key.encode(), content, session.clock())


def test_a_key_is_claimed_once_and_then_answers_alike(session: AdminSession) -> None:
    wanted = _claim(session, "a")
    assert kept_answers.claim(session, wanted, "req_1") is None
    assert isinstance(kept_answers.claim(session, wanted, "req_2"), StillInFlight)
    kept_answers.keep(session, wanted, "req_1", _KEPT)
    assert kept_answers.claim(session, wanted, "req_3") == _KEPT
    assert "whsec" not in repr(_KEPT)
    other = _claim(session, "a", b'{"other":1}')
    assert isinstance(kept_answers.claim(session, other, "req_4"), KeyReused)


def test_the_database_shows_no_answer_and_one_cannot_be_moved(session: AdminSession) -> None:
    first, second = _claim(session, "a"), _claim(session, "b")
    for each in (first, second):
        kept_answers.claim(session, each, "req_1")
    kept_answers.keep(session, first, "req_1", _KEPT)
    c = IDEMPOTENCY.c
    with session.database.writing() as connection:
        query = sa.select(c.answer).where(c.claim_id == first.claim_id)
        text = connection.scalar(query)
        assert text is not None
        assert "whsec" not in text
        moved = IDEMPOTENCY.update().where(c.claim_id == second.claim_id)
        connection.execute(moved.values(answer=text))
    assert isinstance(kept_answers.claim(session, second, "req_2"), KeyReused)


def test_a_key_whose_call_did_nothing_or_was_lost_is_free_again(session: AdminSession) -> None:
    refused, lost = _claim(session, "refused"), _claim(session, "lost")
    for each in (refused, lost):
        kept_answers.claim(session, each, "req_1")
    kept_answers.free(session, refused, "req_another")
    assert isinstance(kept_answers.claim(session, refused, "req_2"), StillInFlight)
    kept_answers.free(session, refused, "req_1")
    assert kept_answers.claim(session, refused, "req_2") is None
    now_ms = session.clock()
    session.clock = lambda: now_ms + LONGEST_CALL_MS + 1
    assert kept_answers.claim(session, lost, "req_2") is None
    # The first call comes back after all: its answer is not the one of the second.
    kept_answers.keep(session, lost, "req_1", _KEPT)
    assert isinstance(kept_answers.claim(session, lost, "req_3"), StillInFlight)

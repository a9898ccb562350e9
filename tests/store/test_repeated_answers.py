"""What a repeated request is told of the first one is durable before it is told."""

import asyncio

import sqlalchemy as sa

from gatehouse.pipeline.settlement import Claim, KeyReused, Replay
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.database import DURABLE_MARK
from gatehouse.store.decisions.decisions import DecisionArchive
from gatehouse.store.tables import IDEMPOTENCY

BODY, OTHER = "hash of a body", "hash of another body"


def test_an_answer_is_repeated_once_it_is_durable(session: AdminSession) -> None:
    now_ms = session.clock()
    row = {"claim_id": "kept", "request_id": "req_1", "body": BODY, "answer": "{}"}
    with session.database.writing() as connection:
        connection.execute(IDEMPOTENCY.insert(), row | {"expires_at_ms": now_ms + 60_000})
    asked: list[str] = []

    def look(_connection: object, _cursor: object, statement: str, *_rest: object) -> None:
        asked.append(statement)

    sa.event.listen(session.database.engine, "before_cursor_execute", look)
    archive = DecisionArchive(session.database)

    def marks(claim_id: str, body: str, expected: object) -> int:
        asked.clear()
        claim = Claim(claim_id, body, now_ms + 60_000)
        assert asyncio.run(archive.earlier(claim, now_ms)) == expected
        [read] = [n for n, statement in enumerate(asked) if "FROM idempotency" in statement]
        return [DURABLE_MARK in statement for statement in asked[read:]].count(True)

    waits = 0 if session.database.is_sqlite else 1
    assert marks("kept", BODY, Replay(b"{}")) == waits
    assert marks("kept", OTHER, KeyReused()) == waits
    # Nothing is told of what is not there.
    assert marks("unknown", BODY, None) == 0

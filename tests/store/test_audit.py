"""The audit trail: cutting it back to an older state of its own is found, too."""

import asyncio
import contextlib
import logging

import pytest
import sqlalchemy as sa

from gatehouse.admin.audit import use_cases as audit_log
from gatehouse.admin.audit.worker import AuditWatch
from gatehouse.core.cards.redaction import recordable
from gatehouse.core.errors import InvalidInput
from gatehouse.core.secrets import keyring
from gatehouse.store.accounts import ledger
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.admin.audit import AuditHead
from gatehouse.store.tables import AUDIT, STATE
from tests.harness import make_account

_HEAD = STATE.c.name == "audit-head"


def cut_back(session: AdminSession, seq: int, kept_head: str) -> None:
    """What somebody with the database can do: delete the newest lines, put the old head back."""
    with session.database.writing() as connection:
        connection.execute(AUDIT.delete().where(AUDIT.c.seq > seq))
        connection.execute(STATE.update().where(_HEAD).values(value=kept_head))


def stored_head(session: AdminSession) -> str:
    with session.reading() as connection:
        return str(connection.scalar(sa.select(STATE.c.value).where(_HEAD)))


def test_a_trail_cut_back_to_an_older_head_does_not_contain_the_newer_one(
    session: AdminSession,
) -> None:
    account = make_account(session)
    old, older_state = audit_log.head(session), stored_head(session)
    with session.change() as change:
        ledger.top_up(change, account, 5, "")
    new = audit_log.head(session)
    assert audit_log.verify(session, [str(old), str(new)]).problems == []
    cut_back(session, old.seq, older_state)
    assert audit_log.verify(session).problems == []
    assert audit_log.verify(session, [str(old)]).problems == []
    [problem] = audit_log.verify(session, [str(old), str(new)]).problems
    assert str(new) in problem
    assert f"cut back to line {old.seq}" in problem


def test_a_trail_that_grew_again_after_the_cut_does_not_contain_the_head(
    session: AdminSession,
) -> None:
    account = make_account(session)
    old, older_state = audit_log.head(session), stored_head(session)
    with session.change() as change:
        ledger.top_up(change, account, 5, "")
    expected = audit_log.head(session)
    cut_back(session, old.seq, older_state)
    with session.change() as change:
        ledger.top_up(change, account, 6, "")
    assert audit_log.verify(session).problems == []
    [problem] = audit_log.verify(session, [str(expected)]).problems
    assert "written anew" in problem


@pytest.mark.parametrize("text", ["", "3", "3:", "3:abc", "-1:" + "a" * 64, "3:" + "0" * 64])
def test_what_is_not_a_head_is_refused(session: AdminSession, text: str) -> None:
    with pytest.raises(InvalidInput, match="SEQ:HASH"):
        audit_log.verify(session, [text])


def test_a_head_is_read_as_it_is_written_and_survives_the_masking_of_logs() -> None:
    head = AuditHead(7, "4242424242424242" * 4)
    assert AuditHead.parse(str(head)) == head
    assert recordable(f"audit head {head}") == f"audit head {head}"


def test_each_change_logs_the_head_that_it_made(
    session: AdminSession, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO, "gatehouse.audit"):
        make_account(session, micros=5)
    assert caplog.messages == [f"audit head {audit_log.head(session)}"]


def test_a_change_that_is_rolled_back_logs_no_head(
    session: AdminSession, caplog: pytest.LogCaptureFixture
) -> None:
    account = make_account(session)
    with caplog.at_level(logging.INFO, "gatehouse.audit"), contextlib.suppress(KeyError):
        with session.change() as change:
            ledger.top_up(change, account, 5, "")
            raise KeyError
    assert caplog.messages == []


def test_lines_and_heads_that_are_damaged_are_problems_and_not_crashes(
    session: AdminSession,
) -> None:
    make_account(session, micros=5)
    with session.database.writing() as connection:
        connection.execute(AUDIT.update().where(AUDIT.c.seq == 1).values(details="{"))
        connection.execute(AUDIT.update().where(AUDIT.c.seq == 2).values(hash="é"))
        connection.execute(STATE.update().where(_HEAD).values(value="2:aa:é"))
    problems = audit_log.verify(session).problems
    assert [problem.split(" does")[0] for problem in problems[:2]] == ["line 1", "line 2"]
    assert len(problems) == 3


def test_a_server_logs_heads_of_others_and_says_when_one_is_gone(
    session: AdminSession, caplog: pytest.LogCaptureFixture
) -> None:
    watch = AuditWatch(session.database, session.ring.current(keyring.AUDIT)[1])

    def logged() -> list[str]:
        caplog.clear()
        with caplog.at_level(logging.INFO, "gatehouse.audit"):
            asyncio.run(watch.check())
        return caplog.messages

    assert logged() == [f"audit head {audit_log.head(session)}"]
    account = make_account(session)
    old, older_state = audit_log.head(session), stored_head(session)
    assert logged() == [f"audit head {old}"]
    assert logged() == []
    with session.change() as change:
        ledger.top_up(change, account, 5, "")
    assert logged() == [f"audit head {audit_log.head(session)}"]
    cut_back(session, old.seq, older_state)
    assert logged() == ["the audit log was tampered with", f"audit head {old}"]
    assert logged() == []
    with session.database.writing() as connection:
        connection.execute(STATE.delete().where(_HEAD))
    assert logged() == ["the audit log was tampered with"]
    assert logged() == []

"""The audit log: showing its lines, and proving that none was changed, removed or inserted."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

import msgspec

from gatehouse.access.rights import Right
from gatehouse.access.roles import Permission
from gatehouse.admin.audit.types import AuditEntry, AuditPage, AuditQuery
from gatehouse.core.clock import Moment, iso_time
from gatehouse.core.errors import Conflict, InvalidInput
from gatehouse.core.files.csv_output import csv_lines, plain_cell
from gatehouse.core.secrets import keyring
from gatehouse.core.wording.sentences import Phrase, said_by
from gatehouse.store.accounts import accounts
from gatehouse.store.admin import audit
from gatehouse.store.admin.admin_session import AdminSession, Reading
from gatehouse.store.admin.audit import AuditHead, AuditLine, AuditReport, LineSearch
from gatehouse.store.admin.use_case import use_case

_AT_ONCE: Final = 1000
MOST_EXPORTED: Final = 1_000_000
"""Lines in one file."""
_OF_MONEY: Final = (
    *("account.credit-limit", "account.fees", "auto-top-up.", "balance.", "invoices.", "top-up."),
)
"""How the actions begin whose details tell amounts and prices."""

__all__ = ["AuditLine", "LineSearch"]

_AUDIT_DAMAGED: Final = Phrase("refused.audit_damaged", "the log is damaged: {why}")


def lines(session: AdminSession, account_id: str | None, limit: int) -> list[AuditLine]:
    """The newest lines, oldest first; of all accounts unless one is named."""
    if account_id is None:
        session.actor.check_installation()
    else:
        session.actor.check_account(account_id)
    with session.reading() as connection:
        if account_id is not None:
            accounts.get(connection, account_id)
        return audit.read(connection, account_id, limit)


@use_case(
    "GET /audit",
    scope="manage:account",
    permission=Permission.SEE_AUDIT,
    operation="listAudit",
    codes=frozenset({"conflict"}),
    answers="auditResponse",
)
def list_lines(reading: Reading, account_id: str, wanted: AuditQuery) -> AuditPage:
    """Audit log.

    Everything that was changed in the account: who, when, what. Newest first.
    """
    search = LineSearch(wanted.starting_after, wanted.limit + 1, wanted.action or "")
    found = _readable(reading.session, audit.search(reading.connection, account_id, search))
    shown = [
        AuditEntry(each.seq, Moment(each.at_ms), each.actor, each.action, each.details)
        for each in found[: wanted.limit]
    ]
    return AuditPage(shown, len(found) > wanted.limit)


def search(session: AdminSession, account_id: str, wanted: LineSearch) -> list[AuditLine]:
    """Some lines of one account, newest first."""
    with session.account_reading(account_id) as connection:
        return _readable(session, audit.search(connection, account_id, wanted))


def search_all(session: AdminSession, wanted: LineSearch) -> list[AuditLine]:
    """Some lines of the whole installation, newest first."""
    with session.installation_reading() as connection:
        return audit.search(connection, None, wanted)


def export_lines(
    session: AdminSession, account_id: str | None, wanted: LineSearch
) -> Iterator[AuditLine]:
    """Lines of an account, or of all, newest first; a line of its own says that they were taken."""
    scope = (
        session.installation_change() if account_id is None else session.account_change(account_id)
    )
    with scope as change:
        given = {"actor": wanted.actor, "action": wanted.action}
        span = {"sinceMs": wanted.since_ms, "untilMs": wanted.until_ms}
        filters = [name for name, value in {**given, **span}.items() if value]
        change.audit("audit.export", account_id, filters=filters)
    return _pages(session, account_id, wanted._replace(limit=_AT_ONCE))


def _pages(
    session: AdminSession, account_id: str | None, wanted: LineSearch
) -> Iterator[AuditLine]:
    for _ in range(MOST_EXPORTED // _AT_ONCE):
        with session.reading() as connection:
            found = audit.search(connection, account_id, wanted)
        yield from _readable(session, found)
        if len(found) < _AT_ONCE:
            return
        wanted = wanted._replace(before=found[-1].seq)


def _readable(session: AdminSession, found: list[AuditLine]) -> list[AuditLine]:
    """Lines without the details about money, if the actor may not look at money."""
    if session.actor.may(Right.SEE_MONEY):
        return found
    return [
        msgspec.structs.replace(each, details={}) if each.action.startswith(_OF_MONEY) else each
        for each in found
    ]


def json_lines(found: Iterable[AuditLine]) -> Iterator[bytes]:
    """Lines of the log as lines of JSON."""
    encode = msgspec.json.Encoder().encode
    for each in found:
        told = {"line": each.seq, "at": iso_time(each.at_ms), "by": each.actor}
        what = {"action": each.action, "accountId": each.account_id, "details": each.details}
        yield encode(told | what) + b"\n"


def csv_rows(found: Iterable[AuditLine]) -> Iterator[bytes]:
    """Lines of the log as CSV, details as JSON; no cell of it becomes a formula."""
    yield csv_lines([("line", "at", "by", "action", "accountId", "details")]).encode()
    for each in found:
        details = msgspec.json.encode(each.details).decode()
        texts = (plain_cell(each.actor), each.action, each.account_id or "", plain_cell(details))
        yield csv_lines([(each.seq, iso_time(each.at_ms), *texts)]).encode()


def head(session: AdminSession) -> AuditHead:
    """Where the log ends now, to be kept outside of the database."""
    with session.installation_reading() as connection:
        try:
            return audit.read_head(connection, _key(session))
        except ValueError as error:
            raise Conflict(_AUDIT_DAMAGED(why=said_by(error))) from None


def verify(session: AdminSession, expected: Sequence[str] = ()) -> AuditReport:
    """Check the whole chain of lines, and that it contains the heads that were kept elsewhere."""
    try:
        heads = [AuditHead.parse(text) for text in expected]
    except ValueError as error:
        raise InvalidInput(said_by(error)) from None
    with session.installation_reading() as connection:
        return audit.verify(connection, _key(session), heads)


def _key(session: AdminSession) -> bytes:
    return session.ring.current(keyring.AUDIT)[1]

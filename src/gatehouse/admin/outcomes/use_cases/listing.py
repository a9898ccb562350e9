"""Lists what became of payments."""

import binascii
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Sequence
from typing import Final

import sqlalchemy as sa

from gatehouse.access.roles import Permission
from gatehouse.admin.outcomes.queries import rows
from gatehouse.admin.outcomes.types.kept import OutcomeRow
from gatehouse.admin.outcomes.types.outcome import OutcomeFilter, OutcomePage, PaymentOutcome
from gatehouse.core.clock import Moment, moment
from gatehouse.core.errors import InvalidFields
from gatehouse.core.filling import filled
from gatehouse.core.money import format_amount
from gatehouse.core.wording.sentences import Phrase
from gatehouse.store.admin.admin_session import Reading
from gatehouse.store.admin.use_case import use_case

_CURSOR: Final = Phrase("refused.outcome_cursor", "must be the nextCursor of the page before")
_PARTS: Final = 3


@use_case(
    "GET /outcomes",
    scope="manage:feedback",
    permission=Permission.SEE,
    answers="outcomesResponse",
)
def list_outcomes(reading: Reading, account_id: str, wanted: OutcomeFilter) -> OutcomePage:
    """List outcomes.

    What became of payments, newest first.
    """
    if wanted.request_id is not None:
        found = outcomes_of_requests(reading.connection, account_id, [wanted.request_id])
        chosen = [each for each in found if wanted.kind in (None, each.kind)]
        return OutcomePage(list(reversed(chosen))[: wanted.limit], None, False)
    after = _read_cursor(wanted.cursor)
    page = (after, wanted.limit + 1)
    kept = rows.listing(reading.connection, account_id, wanted.kind, wanted.joined, page)
    more = kept[wanted.limit - 1] if len(kept) > wanted.limit else None
    shown = [shown_outcome(each) for each in kept[: wanted.limit]]
    cursor = None if more is None else _cursor_after(more)
    return OutcomePage(shown, cursor, more is not None)


def outcomes_of_requests(
    connection: sa.Connection, account_id: str, request_ids: Sequence[str]
) -> list[PaymentOutcome]:
    """What became of some requests, oldest first."""
    found = rows.of_requests(connection, account_id, request_ids)
    return [shown_outcome(each) for each in found]


def shown_outcome(row: OutcomeRow) -> PaymentOutcome:
    """An outcome as faces show it."""
    return filled(
        PaymentOutcome,
        row,
        at=Moment(row.at_ms),
        candidates=row.candidates or 0,
        amount=None if row.amount is None else format_amount(row.amount),
        three_d_secure=None if row.three_d_secure is None else bool(row.three_d_secure),
        respond_by=moment(row.respond_by_ms),
    )


def _cursor_after(row: OutcomeRow) -> str:
    text = f"{row.at_ms} {row.kind} {row.reference}"
    return urlsafe_b64encode(text.encode()).decode().rstrip("=")


def _read_cursor(text: str | None) -> tuple[int, str, str] | None:
    if text is None:
        return None
    try:
        parts = urlsafe_b64decode(text + "=" * (-len(text) % 4)).decode().split(" ")
        at_ms, kind, reference = int(parts[0]), *parts[1:_PARTS]
    except (binascii.Error, UnicodeError, ValueError):
        raise InvalidFields({"cursor": [_CURSOR()]}) from None
    return at_ms, kind, reference

"""What is kept about the orders of a person, in clear, for the person who asks for it."""

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec
import sqlalchemy as sa

from gatehouse.admin.evidence.queries import desk, envelopes
from gatehouse.admin.outcomes.use_cases.disputes import disputes_about
from gatehouse.core.secrets.keyring import KeyRing


def kept_about(
    connection: sa.Connection, ring: KeyRing, account_id: str, request_ids: Sequence[str]
) -> Iterator[dict[str, Any]]:
    """What stays readable of some orders, and what people wrote and attached to their disputes."""
    for request_id, kept in envelopes.read(connection, ring, account_id, request_ids).items():
        yield {"requestId": request_id, **msgspec.to_builtins(kept)}
    for reference in disputes_about(connection, account_id, request_ids):
        case = desk.case_of(connection, ring, account_id, reference)
        files = desk.files_of(connection, ring, account_id, reference)
        names = [each.name for each in files]
        yield {"dispute": reference, **msgspec.to_builtins(case.words), "files": names}

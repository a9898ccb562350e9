"""Notes in the audit log that a person looked at personal data in full."""

from typing import Final

from gatehouse.core.errors import InvalidInput
from gatehouse.core.ids import is_id
from gatehouse.core.wording.sentences import Phrase
from gatehouse.store.admin.admin_session import AdminSession

_REVEAL_NAMES: Final = Phrase("refused.reveal_names", "a reveal names a kind of data and a request")


def note_reveal(session: AdminSession, account_id: str, what: str, request_id: str) -> None:
    """Note that the actor sees `what` of a request in full, before it is shown."""
    if not is_id(request_id, "req") or not what.replace("-", "").replace(".", "").isalnum():
        raise InvalidInput(_REVEAL_NAMES())
    with session.account_change(account_id) as change:
        change.audit("data.reveal", account_id, what=what[:100], requestId=request_id)

"""Use case: have a person erased by a job."""

import msgspec

from gatehouse.admin.jobs import use_cases as queue
from gatehouse.admin.jobs.types import ErasureOrder, JobKind, JobResponse, NamedPerson
from gatehouse.admin.privacy.types import PersonErasure
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.admin.use_case import OF_DECISIONS, use_case


@use_case(
    "POST /privacy/erasures",
    scope="manage:identities",
    rights=OF_DECISIONS,
    operation="erasePerson",
    answers="jobResponse",
)
def start_erasure(
    session: AdminSession, account_id: str, given: PersonErasure, dry_run: bool = False
) -> JobResponse:
    """Erase a person.

    Starts a job that makes a person anonymous in decisions, and erases them from reviews, kept
    answers, identity records and, if wanted, lists.
    """
    number = None if given.card_number is None else given.card_number.reveal()
    person = NamedPerson(given.user_id, given.username, given.email, given.phone, number)
    order, content = ErasureOrder(given.lists, dry_run), msgspec.json.encode(person)
    return queue.shown_job(queue.start_job(session, account_id, JobKind.ERASURE, order, content))

"""Use cases about the identity records of one account: import as a job, search, erase."""

from typing import Final

import msgspec

from gatehouse.admin.identities.types import (
    IdentitiesErased,
    IdentitiesFound,
    IdentityErasure,
    IdentityFile,
    IdentitySearch,
)
from gatehouse.admin.identities.use_cases import records
from gatehouse.admin.identities.use_cases.masking import described_record
from gatehouse.admin.identities.use_cases.selection import select_records
from gatehouse.admin.jobs import use_cases as queue
from gatehouse.admin.jobs.types import MOST_IMPORT_BYTES, ImportOrder, JobKind, JobResponse
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.admin.use_case import use_case

_SCOPE: Final = "manage:identities"
_MOST_SHOWN: Final = 100


@use_case(
    "POST /identities/imports",
    scope=_SCOPE,
    operation="importIdentities",
    answers="jobResponse",
    most_bytes=MOST_IMPORT_BYTES,
)
def import_file(
    session: AdminSession, account_id: str, given: IdentityFile, dry_run: bool = False
) -> JobResponse:
    """Import identity records.

    Starts a job that imports a file of who holds which card, of up to 4 MiB, for this account
    alone. Known records are brought up to date. The file is kept sealed until the job ends; its
    result counts records and reports rows that cannot be used.
    """
    order, kind = ImportOrder(given.format, dry_run), JobKind.IDENTITY_IMPORT
    return queue.shown_job(
        queue.start_job(session, account_id, kind, order, given.content.encode())
    )


@use_case(
    "POST /identities/search",
    scope=_SCOPE,
    operation="searchIdentities",
    answers="identitiesResponse",
    names_cards=True,
    reads=True,
)
def search(session: AdminSession, account_id: str, given: IdentitySearch) -> IdentitiesFound:
    """Search identity records.

    The account's records of a card, a person or a reference, masked.
    """
    selected = select_records(session, account_id, given)
    found = records.show_records(session, selected, reveal=False)
    shown = [described_record(each, reveal=False) for each in found[:_MOST_SHOWN]]
    return IdentitiesFound(msgspec.to_builtins(shown), sum(each.number for each in selected))


@use_case(
    "POST /identities/erase",
    scope=_SCOPE,
    operation="eraseIdentities",
    answers="identitiesErasedResponse",
    names_cards=True,
)
def erase(
    session: AdminSession, account_id: str, given: IdentityErasure, dry_run: bool = False
) -> IdentitiesErased:
    """Erase identity records.

    Erases the account's records of a card, a person or a reference.
    """
    selected = select_records(session, account_id, given)
    if dry_run:
        return IdentitiesErased(sum(each.number for each in selected), True)
    # Clearing unused space locks the whole database, which is for the operator to choose.
    done = records.erase_records(session, selected, given.reason, False)
    return IdentitiesErased(done.erased, False)

"""Starts the import of a file of outcomes as a job."""

from typing import Annotated, Final

from msgspec import Meta

from gatehouse.access.roles import Permission
from gatehouse.admin.acquirer_files.types.mapping import (
    LONGEST_MAPPING,
    SHIPPED,
    OutcomeMapping,
    read_mapping,
    shipped_mapping,
)
from gatehouse.admin.acquirer_files.use_cases.import_files import open_outcome_file
from gatehouse.admin.jobs import use_cases as queue
from gatehouse.admin.jobs.types import (
    MOST_IMPORT_BYTES,
    FileFormat,
    ImportedFile,
    JobKind,
    JobResponse,
    OutcomeImportOrder,
)
from gatehouse.core.api_values import doc
from gatehouse.core.secrets.hidden import Personal
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.admin.use_case import use_case

_MAPPING: Final = "mapping"


class OutcomeFile(Personal, frozen=True, rename="camel"):
    """A file of outcomes."""

    format: FileFormat
    content: Annotated[
        ImportedFile,
        Meta(examples=["kind,reference,at\nSETTLED,s-1,2026-11-01\n"]),
    ]
    mapping: Annotated[
        str,
        doc(
            f"What its columns mean: one of {', '.join(SHIPPED)}, or the text of a "
            "mapping in TOML.",
            "gatehouse",
            min_length=1,
            max_length=LONGEST_MAPPING,
        ),
    ] = "gatehouse"


@use_case(
    "POST /outcomes/imports",
    scope="manage:feedback",
    permission=Permission.REVIEW,
    operation="importOutcomes",
    answers="jobResponse",
    most_bytes=MOST_IMPORT_BYTES,
)
def import_file(
    session: AdminSession, account_id: str, given: OutcomeFile, dry_run: bool = False
) -> JobResponse:
    """Import outcomes.

    Starts a job that imports a file of an acquirer, of up to 4 MiB. Its result counts the rows and
    reports those that cannot be used.
    """
    content = given.content.encode()
    # A wrong mapping is told now, not by a job that fails.
    open_outcome_file(None, given.format, chosen_mapping(given.mapping), content).close()
    order = OutcomeImportOrder(given.format, given.mapping, dry_run)
    kind = JobKind.OUTCOME_IMPORT
    return queue.shown_job(queue.start_job(session, account_id, kind, order, content))


def chosen_mapping(named: str) -> OutcomeMapping:
    """A mapping by its name or by its text; `InvalidInput` says what is wrong with it."""
    return shipped_mapping(named) if named in SHIPPED else read_mapping(named, _MAPPING)

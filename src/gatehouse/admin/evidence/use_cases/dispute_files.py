"""Use cases about files of disputes: attach, fetch, delete. Name and content are sealed."""

import base64
import binascii
from typing import Any, Final

from gatehouse.access.roles import Permission
from gatehouse.admin.evidence.queries import desk
from gatehouse.admin.evidence.types.desk import (
    DisputeFile,
    DisputeFileDeleted,
    DisputeId,
    FileId,
    KeptFile,
    NewDisputeFile,
    reference_of,
)
from gatehouse.core.cards.redaction import recordable
from gatehouse.core.clock import Moment
from gatehouse.core.errors import Conflict, InvalidInput
from gatehouse.core.files.attachments import (
    MOST_BODY_BYTES,
    MOST_FILE_BYTES,
    MOST_FILES,
    tidy_name,
    type_of,
)
from gatehouse.core.filling import filled
from gatehouse.core.secrets.hashing import keyed_hash
from gatehouse.core.secrets.keyring import EVIDENCE, KeyRing
from gatehouse.core.wording.sentences import Phrase
from gatehouse.store.admin.admin_session import AdminSession, Change
from gatehouse.store.admin.use_case import use_case
from gatehouse.store.identities.identities import overwrite_deleted

_NOT_BASE64: Final = Phrase("refused.dispute_base64", "the content is no Base64")
_TOO_LARGE: Final = Phrase(
    "refused.dispute_file_large", "a file has at most {most} MiB; make it smaller"
)
_WRONG_TYPE: Final = Phrase(
    "refused.dispute_file_type", "a file is a PDF, PNG, JPEG or plain text; this one is none"
)
_TOO_MANY: Final = Phrase("refused.dispute_files_many", "a dispute has at most {most} files")

_ALL: Final = "/disputes/{disputeId}/files"
_ONE: Final = f"{_ALL}/{{fileId}}"
_MIB: Final = 1024 * 1024
_MAY: Final[dict[str, Any]] = {"scope": "manage:feedback"}


@use_case(
    f"POST {_ALL}",
    permission=Permission.REVIEW,
    operation="attachDisputeFile",
    answers="disputeFileResponse",
    most_bytes=MOST_BODY_BYTES,
    **_MAY,
)
def attach_file(
    session: AdminSession, account_id: str, dispute_id: DisputeId, given: NewDisputeFile
) -> KeptFile:
    """Attach a file to a dispute.

    A PDF, PNG, JPEG or plain text of at most 3 MiB, told by its content; ten of a dispute. The same
    content again is the same file.
    """
    try:
        content = base64.b64decode(given.content, validate=True)
    except (ValueError, binascii.Error):
        raise InvalidInput(_NOT_BASE64()) from None
    return keep_file(session, account_id, dispute_id, given.name, content)


@use_case(
    f"GET {_ONE}",
    permission=Permission.REVEAL,
    operation="getDisputeFile",
    answers="disputeFileResponse",
    **_MAY,
)
def get_file(
    session: AdminSession, account_id: str, dispute_id: DisputeId, file_id: FileId
) -> DisputeFile:
    """Fetch a file of a dispute.

    With its content; each look leaves an audit line.
    """
    file, content = read_file(session, account_id, dispute_id, file_id)
    return filled(DisputeFile, file, content=base64.b64encode(content).decode())


@use_case(
    f"DELETE {_ONE}",
    permission=Permission.REVIEW,
    operation="deleteDisputeFile",
    answers="disputeFileDeletedResponse",
    **_MAY,
)
def delete_file(
    change: Change, account_id: str, dispute_id: DisputeId, file_id: FileId
) -> DisputeFileDeleted:
    """Delete a file of a dispute.

    Nothing of it is left.
    """
    reference = reference_of(dispute_id)
    overwrite_deleted(change.connection)
    desk.delete_file(change.connection, account_id, reference, file_id)
    change.audit("dispute.file-delete", account_id, reference=recordable(reference), fileId=file_id)
    return DisputeFileDeleted(file_id)


def keep_file(
    session: AdminSession, account_id: str, name: str, file_name: str, content: bytes
) -> KeptFile:
    """Attach a file, unless the dispute has it already."""
    kind = _checked(content)
    with session.account_change(account_id) as change:
        known = desk.dispute_of(change.connection, account_id, name)
        file_id = _file_id(change.ring, account_id, known.reference, content)
        held = desk.files_of(change.connection, change.ring, account_id, known.reference)
        same = next((each for each in held if each.file_id == file_id), None)
        if same is None:
            if len(held) >= MOST_FILES:
                raise Conflict(_TOO_MANY(most=MOST_FILES))
            shown = recordable(tidy_name(file_name, kind))
            actor = str(change.actor)
            same = KeptFile(file_id, shown, kind, len(content), Moment(change.now_ms), actor)
            desk.add_file(change, account_id, known, same, content)
        about = {"reference": known.reference, "fileId": file_id, "size": len(content)}
        change.audit("dispute.file", account_id, **about)
    return same


def read_file(
    session: AdminSession, account_id: str, name: str, file_id: str
) -> tuple[KeptFile, bytes]:
    """A file with its content; that somebody looked at it is audited."""
    reference = reference_of(name)
    with session.account_reading(account_id) as connection:
        found = desk.file_content(connection, session.ring, account_id, reference, file_id)
    with session.change(unseen=True) as change:
        change.audit("data.reveal", account_id, what="dispute file", fileId=file_id)
    return found


def _checked(content: bytes) -> str:
    if len(content) > MOST_FILE_BYTES:
        raise InvalidInput(_TOO_LARGE(most=MOST_FILE_BYTES // _MIB))
    kind = type_of(content)
    if kind is None:
        raise InvalidInput(_WRONG_TYPE())
    return kind


def _file_id(ring: KeyRing, account_id: str, reference: str, content: bytes) -> str:
    """The id of a file by its content, so that the same file is attached once."""
    # Always by the first key: the id of a file must not change when another key seals.
    key = ring.key(EVIDENCE, 1)
    place = f"{account_id}\n{reference}\n".encode()
    return "dsf_" + keyed_hash(key, place + content)[:26]

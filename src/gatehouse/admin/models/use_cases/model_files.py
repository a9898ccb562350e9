"""Export a model as one signed file, and import one as a new version that nothing uses yet."""

from typing import Final

import msgspec

from gatehouse import __version__
from gatehouse.access.roles import Permission
from gatehouse.admin.models.types import ModelFileTold, ModelImport, ModelImported, ModelNumber
from gatehouse.admin.models.use_cases.versions import get_model, model_number, remarks_on
from gatehouse.core.clock import iso_time
from gatehouse.core.errors import Conflict
from gatehouse.core.wording.sentences import Phrase
from gatehouse.sentry.reasons import LEARNED
from gatehouse.sentry.scorecard import decode_sheet, encode_sheet
from gatehouse.store.admin.admin_session import AdminSession, Change
from gatehouse.store.admin.use_case import MOST_DOCUMENT_BYTES, use_case
from gatehouse.store.configured import models
from gatehouse.store.configured.signing import Signer, is_same
from gatehouse.training.model_file import ExportedModel, model_file_text, read_model_file
from gatehouse.training.report.phrases import IMPORTED, IMPORTED_STRANGE
from gatehouse.training.report.report import ModelReport, encode_report

_NO_FILE: Final = Phrase(
    "refused.model_no_file", "model {version} has no report that goes with it into a file"
)
_ALTERED: Final = Phrase(
    "refused.model_altered",
    "the file was exported here, but is not as it was then; export it again",
)
_STRANGE: Final = Phrase(
    "refused.model_strange",
    "the file was not exported by this account: whoever wrote it decides how requests are scored "
    "once the model is promoted; import it with trust if you know where it comes from",
)


@use_case(
    "GET /models/{version}/file",
    scope="manage:models",
    permission=Permission.SEE,
    answers="modelFileResponse",
    codes=frozenset({"conflict"}),
)
def export_model(session: AdminSession, account_id: str, version: ModelNumber) -> ModelFileTold:
    """Export a model.

    Its scorecard and its card (what it learned from, its figures, dates and versions) as one file,
    which is signed: the account knows it again.
    """
    stored = get_model(session, account_id, model_number(version)).stored
    try:
        card = msgspec.json.decode(stored.document if stored else "", type=ModelReport)
    except msgspec.MsgspecError:
        raise Conflict(_NO_FILE(version=version)) from None
    assert stored is not None, "the shipped scorecard has no report"
    file = ExportedModel(
        "gatehouse-model-1",
        iso_time(stored.created_at_ms),
        __version__,
        card,
        decode_sheet(stored.program),
        stored.note,
        _maker(session.signer, account_id),
    )
    signature = _signature(session.signer, account_id, file)
    text = model_file_text(msgspec.structs.replace(file, signature=signature))
    return ModelFileTold(stored.version, text)


@use_case(
    "POST /models/imports",
    scope="manage:models",
    permission=Permission.CONFIGURE,
    answers="modelImportedResponse",
    most_bytes=MOST_DOCUMENT_BYTES,
    example={"note": "From the notebook of October", "trust": True},
)
def import_model(change: Change, account_id: str, given: ModelImport) -> ModelImported:
    """Import a model.

    Keeps the model of a file as a new version. It scores nothing until it is tried in shadow or
    promoted, as any other. A file that this account did not export must be trusted on purpose.
    """
    found = read_model_file(given.file)
    is_own = found.maker is not None and is_same(found.maker, _maker(change.signer, account_id))
    if is_own and not is_same(found.signature, _signature(change.signer, account_id, found)):
        raise Conflict(_ALTERED())
    if not is_own and not given.trust:
        raise Conflict(_STRANGE())
    if not is_own:
        found = found.as_strange()
    said = IMPORTED if is_own else IMPORTED_STRANGE
    origin = said(made_at=found.made_at, made_with=found.made_with, by=str(change.actor))
    card = msgspec.structs.replace(found.card, warnings=(origin, *found.card.warnings))
    sheet = found.scorecard
    version = models.keep(
        change,
        account_id,
        lambda _: encode_report(card),
        lambda number: encode_sheet(msgspec.structs.replace(sheet, version=f"{LEARNED}-{number}")),
        note=given.note or found.note,
        source="own file" if is_own else "trusted file",
        imported=True,
    )
    return ModelImported(version, is_own, remarks_on(change, account_id, version))


def _maker(signer: Signer, account_id: str) -> str:
    return signer.sign_values("maker of model files", account_id)[:32]


def _signature(signer: Signer, account_id: str, file: ExportedModel) -> str:
    return signer.sign_values("model file", account_id, file.signed)

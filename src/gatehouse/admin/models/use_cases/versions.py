"""An account's models: list, show, promote, roll back.

Version 0 is the scorecard that ships with the package. It is not stored, so it has no author and
no report.
"""

from typing import Final

import msgspec

from gatehouse.admin.approvals.use_cases.approvals import ApprovalKind, check_approved
from gatehouse.core.errors import Conflict, InvalidInput, NotFound
from gatehouse.core.wording.sentences import Phrase, said_by
from gatehouse.sentry.features.catalogue import BY_CODE
from gatehouse.sentry.scorecard import Scorecard, ScorecardError, Sheet, load_sheet
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.admin.scopes import account_change, account_reading
from gatehouse.store.configured import models
from gatehouse.store.configured.account_signature import check_account
from gatehouse.store.configured.configurations import check_versions
from gatehouse.store.configured.models import SHIPPED, StoredModel, read_program
from gatehouse.training.report.report import ModelReport, decode_report

# What the store returns, for faces.
__all__ = ["StoredModel"]

_MODEL_UNREADABLE: Final = Phrase(
    "refused.model_unreadable",
    "model {version} is live but cannot be read; servers use the shipped one",
)
_MODEL_UNUSABLE: Final = Phrase(
    "refused.model_unusable", "model {version} cannot be used by this version of gatehouse: {why}"
)
_MODEL_UNKNOWN: Final = Phrase(
    "refused.model_unknown", "signals it does not know count as shipped: {signals}"
)
_MODEL_UNMEASURED: Final = Phrase(
    "refused.model_unmeasured", "it knows signals that are not measured: {signals}"
)


class ModelEntry(msgspec.Struct, frozen=True):
    """One version that an account can score with."""

    live: bool
    stored: StoredModel | None = None
    """None for the shipped scorecard."""
    report: ModelReport | None = None
    """None for the shipped scorecard, and where a newer version of gatehouse wrote the report."""

    @property
    def version(self) -> int:
        """The number by which commands name it."""
        return SHIPPED if self.stored is None else self.stored.version


class ModelChange(msgspec.Struct, frozen=True):
    """Which version is live now, and which was before."""

    version: int
    before: int
    remarks: tuple[str, ...] = ()
    """How the model differs from the features that this version of gatehouse measures."""


class LiveModel(msgspec.Struct, frozen=True):
    """The scorecard that an account's servers use."""

    sheet: Sheet
    learned_until: str | None = None
    """The last request that it learned from; None for the shipped scorecard."""
    remarks: tuple[str, ...] = ()


def list_models(session: AdminSession, account_id: str) -> list[ModelEntry]:
    """Every model of the account, newest first, and the shipped scorecard at the end."""
    with account_reading(session, account_id) as connection:
        check_account(connection, session.signer, account_id)
        found = models.listing(connection, account_id)
    check_versions(session.signer, found)
    shipped_is_live = not any(each.active for each in found)
    return [*map(_entry, found), ModelEntry(shipped_is_live)]


def get_model(session: AdminSession, account_id: str, version: int | None = None) -> ModelEntry:
    """One version, without a number the live one; or `NotFound`."""
    with account_reading(session, account_id) as connection:
        live = models.live_program(connection, account_id)
        if version is None:
            version = SHIPPED if live is None else live[0]
        if version == SHIPPED:
            return ModelEntry(live is None)
        check_account(connection, session.signer, account_id)
        found = models.get(connection, account_id, version)
    check_versions(session.signer, [found])
    return _entry(found)


def promote_model(session: AdminSession, account_id: str, version: int) -> ModelChange:
    """Put a model into use; `Conflict` when it is live already or servers could not use it."""
    with account_change(session, account_id) as change:
        check_approved(change, account_id, ApprovalKind.MODELS)
        before = models.promote(change, account_id, version)
        remarks = _check(session, models.get(change.connection, account_id, version))
    return ModelChange(version, before or SHIPPED, remarks)


def roll_back_model(session: AdminSession, account_id: str, to: int | None = None) -> ModelChange:
    """Go back to another version, by default to the one that was live before this one."""
    with account_change(session, account_id) as change:
        check_approved(change, account_id, ApprovalKind.MODELS)
        before, after = models.rollback(change, account_id, to)
        if after is None:
            return ModelChange(SHIPPED, before)
        remarks = _check(session, models.get(change.connection, account_id, after))
    return ModelChange(after, before, remarks)


def live_model(session: AdminSession, account_id: str) -> LiveModel:
    """The scorecard that servers use for the account, also where they fall back to the shipped."""
    session.actor.check_account(account_id)
    try:
        with session.reading() as connection:
            check_account(connection, session.signer, account_id)
            live = models.get(connection, account_id)
        check_versions(session.signer, [live])
    except NotFound:
        return LiveModel(load_sheet())
    try:
        return LiveModel(usable_scorecard(live).sheet, learned_until(live))
    except ScorecardError:
        remark = _MODEL_UNREADABLE(version=live.version)
        return LiveModel(load_sheet(), None, (remark,))


def usable_scorecard(model: StoredModel) -> Scorecard:
    """The model's scorecard; `ScorecardError` when this version of gatehouse cannot use it."""
    return Scorecard(read_program(model.program).sheet, BY_CODE.keys())


def learned_until(model: StoredModel) -> str | None:
    """The last request that a model learned from, if its report can be read."""
    report = _report(model)
    return None if report is None else report.until


def _entry(model: StoredModel) -> ModelEntry:
    return ModelEntry(model.active, model, _report(model))


def _report(model: StoredModel) -> ModelReport | None:
    try:
        return decode_report(model.document)
    except InvalidInput:
        return None


def _check(session: AdminSession, model: StoredModel) -> tuple[str, ...]:
    """Refuse a model that servers could not use; how it differs from what is measured here."""
    check_versions(session.signer, [model])
    try:
        usable_scorecard(model)
    except ScorecardError as error:
        raise Conflict(_MODEL_UNUSABLE(version=model.version, why=said_by(error))) from None
    read, remarks = read_program(model.program), []
    if read.added:
        remarks.append(_MODEL_UNKNOWN(signals=", ".join(read.added)))
    if read.dropped:
        remarks.append(_MODEL_UNMEASURED(signals=", ".join(read.dropped)))
    return tuple(remarks)

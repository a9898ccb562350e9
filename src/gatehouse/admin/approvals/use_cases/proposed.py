"""What can be proposed: each change as it is kept until another person approves it."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final, TypeAlias

import msgspec

from gatehouse.access.roles import Permission
from gatehouse.admin.approvals.use_cases.approvals import ApprovalKind
from gatehouse.admin.experiments.types.asked import ExperimentWanted
from gatehouse.admin.experiments.use_cases import approval_of
from gatehouse.admin.invoices.types.invoice import BillingDetails
from gatehouse.admin.top_ups.types import AutoTopUpWanted
from gatehouse.rules.list_entries import ListKind
from gatehouse.store.configured.list_plans import PlannedEntry


class ApplyRules(msgspec.Struct, frozen=True, tag="rules.apply"):
    """A file to make the next version of its rule set."""

    document: str
    base: int | None = None
    note: str | None = None


class RollBackRules(msgspec.Struct, frozen=True, tag="rules.rollback"):
    """An earlier version of a rule set to put in force again."""

    name: str
    to: int | None = None
    base: int | None = None


class ApplyPipeline(msgspec.Struct, frozen=True, tag="pipelines.apply"):
    """A file to make the next version of its pipeline."""

    document: str
    base: int | None = None
    note: str | None = None


class RollBackPipeline(msgspec.Struct, frozen=True, tag="pipelines.rollback"):
    """An earlier version of a pipeline to put in force again."""

    pipeline: str
    to: int | None = None
    base: int | None = None


class PutOnList(msgspec.Struct, frozen=True, tag="lists.add"):
    """Entries for a list, as the list keeps them."""

    list: str
    entries: tuple[PlannedEntry, ...]
    kind: ListKind | None = None
    """With it, the list is created if it does not exist."""


class TakeOffList(msgspec.Struct, frozen=True, tag="lists.remove"):
    """Entries to take off a list."""

    list: str
    entries: tuple[PlannedEntry, ...]


class DropList(msgspec.Struct, frozen=True, tag="lists.drop"):
    """A list to remove, with its entries."""

    list: str


class PromoteModel(msgspec.Struct, frozen=True, tag="models.promote"):
    """A model to put into use."""

    version: int
    raw_scores: bool = False
    """Whether its scores are told as they are."""
    note: str | None = None


class RollBackModel(msgspec.Struct, frozen=True, tag="models.rollback"):
    """A model to go back to."""

    to: int | None = None


class StartExperiment(msgspec.Struct, frozen=True, tag="experiments.start"):
    """A live experiment to start."""

    given: ExperimentWanted


class ShadowModel(msgspec.Struct, frozen=True, tag="models.shadow"):
    """A model to score with beside the one in force, or no longer."""

    version: int
    starts: bool = True


class SetPrices(msgspec.Struct, frozen=True, tag="prices.set"):
    """Fees, as decimal amounts by fee type."""

    fees: dict[str, str]


class TopUpBalance(msgspec.Struct, frozen=True, tag="balance.top-up"):
    """Money to add to the balance, in millionths."""

    micros: int
    note: str = ""
    reference: str | None = None


class SetAutoTopUp(msgspec.Struct, frozen=True, tag="auto-top-up.set"):
    """When the stored card is charged, and how far."""

    given: AutoTopUpWanted


class StoreCard(msgspec.Struct, frozen=True, tag="top-ups.store-card"):
    """A top-up to be paid with a card that is stored then."""

    amount_minor: int


class SetTopUpLimit(msgspec.Struct, frozen=True, tag="top-ups.limit"):
    """The most that cards are charged in a day."""

    day_limit_minor: int


class AdjustBalance(msgspec.Struct, frozen=True, tag="balance.adjust"):
    """A correction of the balance, in millionths."""

    micros: int
    reason: str
    reference: str | None = None
    until: str | None = None
    """The last day on which it can be used, if it expires."""


class CreditInvoice(msgspec.Struct, frozen=True, tag="invoices.credit"):
    """A credit note, whose amount without tax is added to the balance."""

    number: str
    reason: str
    micros: int | None = None
    """None is what is left of the invoice when it is proposed."""


class SetCreditLimit(msgspec.Struct, frozen=True, tag="balance.credit-limit"):
    """How far below nothing the balance may go; None is that it is paid in advance."""

    micros: int | None


class SetBilling(msgspec.Struct, frozen=True, tag="invoices.buyer"):
    """What a month costs at least, with whom invoices are for."""

    given: BillingDetails


class SetPolicy(msgspec.Struct, frozen=True, tag="policies.set"):
    """A use case about what decides besides rules, and the body that it is given."""

    operation: str
    given: dict[str, Any] = {}


class SetApprovals(msgspec.Struct, frozen=True, tag="approvals.set"):
    """Another choice of what needs two pairs of eyes."""

    kinds: tuple[str, ...]


class InvitePerson(msgspec.Struct, frozen=True, tag="people.invite"):
    """Somebody to give a role to who has none in the account."""

    login: str
    role: str
    called: str = ""


class ChangeRole(msgspec.Struct, frozen=True, tag="people.role"):
    """Another role for a person."""

    user_id: str
    login: str
    role: str


class ResetPerson(msgspec.Struct, frozen=True, tag="people.reset"):
    """A link to make by which a person chooses a new password."""

    user_id: str
    login: str
    forget_factors: bool = False


class EnablePerson(msgspec.Struct, frozen=True, tag="people.enable"):
    """A disabled person to let in again."""

    user_id: str
    login: str


class ComposeRole(msgspec.Struct, frozen=True, tag="people.compose"):
    """A role to make of permissions; with an id, what that role is to be from now on."""

    name: str
    permissions: tuple[Permission, ...]
    role_id: str | None = None
    base: int | None = None


ProposedChange: TypeAlias = (
    ApplyRules
    | RollBackRules
    | ApplyPipeline
    | RollBackPipeline
    | PutOnList
    | TakeOffList
    | DropList
    | PromoteModel
    | RollBackModel
    | StartExperiment
    | ShadowModel
    | SetPrices
    | TopUpBalance
    | SetAutoTopUp
    | StoreCard
    | SetTopUpLimit
    | AdjustBalance
    | CreditInvoice
    | SetCreditLimit
    | SetBilling
    | SetPolicy
    | SetApprovals
    | InvitePerson
    | ChangeRole
    | ResetPerson
    | EnablePerson
    | ComposeRole
)

KINDS: Final[Mapping[type, ApprovalKind]] = MappingProxyType(
    {
        ApplyRules: ApprovalKind.RULES,
        RollBackRules: ApprovalKind.RULES,
        ApplyPipeline: ApprovalKind.PIPELINES,
        RollBackPipeline: ApprovalKind.PIPELINES,
        PutOnList: ApprovalKind.LISTS,
        TakeOffList: ApprovalKind.LISTS,
        DropList: ApprovalKind.LISTS,
        PromoteModel: ApprovalKind.MODELS,
        RollBackModel: ApprovalKind.MODELS,
        ShadowModel: ApprovalKind.MODELS,
        SetPrices: ApprovalKind.PRICES,
        TopUpBalance: ApprovalKind.TOP_UPS,
        SetAutoTopUp: ApprovalKind.TOP_UPS,
        StoreCard: ApprovalKind.TOP_UPS,
        SetTopUpLimit: ApprovalKind.TOP_UPS,
        AdjustBalance: ApprovalKind.ADJUSTMENTS,
        CreditInvoice: ApprovalKind.ADJUSTMENTS,
        SetCreditLimit: ApprovalKind.TOP_UPS,
        SetBilling: ApprovalKind.PRICES,
        SetPolicy: ApprovalKind.POLICIES,
        SetApprovals: ApprovalKind.APPROVALS,
        InvitePerson: ApprovalKind.PEOPLE,
        ChangeRole: ApprovalKind.PEOPLE,
        ResetPerson: ApprovalKind.PEOPLE,
        EnablePerson: ApprovalKind.PEOPLE,
        ComposeRole: ApprovalKind.PEOPLE,
    }
)


def kind_of(content: ProposedChange) -> ApprovalKind:
    """What needs two pairs of eyes where a change does."""
    if isinstance(content, StartExperiment):
        return approval_of(content.given.kind)
    return KINDS[type(content)]


APPROVERS: Final[Mapping[ApprovalKind, Permission]] = MappingProxyType(
    {
        ApprovalKind.RULES: Permission.CONFIGURE,
        ApprovalKind.PIPELINES: Permission.CONFIGURE,
        ApprovalKind.LISTS: Permission.CONFIGURE,
        ApprovalKind.MODELS: Permission.CONFIGURE,
        ApprovalKind.PRICES: Permission.SEE_MONEY,
        ApprovalKind.TOP_UPS: Permission.PAYMENTS,
        ApprovalKind.ADJUSTMENTS: Permission.SEE_MONEY,
        ApprovalKind.POLICIES: Permission.ACCESS,
        ApprovalKind.APPROVALS: Permission.PEOPLE,
        ApprovalKind.PEOPLE: Permission.PEOPLE,
    }
)
"""What a person who approves must be allowed to do besides approving."""

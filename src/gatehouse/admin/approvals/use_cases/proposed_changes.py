"""What a proposed change does: tried out when it is proposed, done when it is approved."""

from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final, TypeVar

import msgspec

from gatehouse.access.actors import Actor
from gatehouse.admin.accounts.use_cases import costs, found_inputs, policies
from gatehouse.admin.approvals.use_cases import approvals
from gatehouse.admin.approvals.use_cases.proposed import (
    AdjustBalance,
    ApplyPipeline,
    ApplyRules,
    ChangeRole,
    ComposeRole,
    CreditInvoice,
    DropList,
    EnablePerson,
    InvitePerson,
    PromoteModel,
    ProposedChange,
    PutOnList,
    ResetPerson,
    RollBackModel,
    RollBackPipeline,
    RollBackRules,
    SetApprovals,
    SetAutoTopUp,
    SetBilling,
    SetCreditLimit,
    SetPolicy,
    SetPrices,
    SetTopUpLimit,
    ShadowModel,
    StartExperiment,
    StoreCard,
    TakeOffList,
    TopUpBalance,
)
from gatehouse.admin.authentication.use_cases import settings
from gatehouse.admin.configurations.types import VersionApplied, VersionReturn, VersionReturned
from gatehouse.admin.configurations.use_cases import configurations
from gatehouse.admin.configurations.use_cases.configurations import ConfigurationType, NewVersion
from gatehouse.admin.experiments import use_cases as experiments
from gatehouse.admin.invoices.types.invoice import Invoice
from gatehouse.admin.invoices.use_cases import closing, parties
from gatehouse.admin.lists.use_cases import lists
from gatehouse.admin.model_trials.use_cases import shadows
from gatehouse.admin.models.types import PromotionOptions
from gatehouse.admin.models.use_cases import versions
from gatehouse.admin.money.use_cases import money
from gatehouse.admin.people.types import RoleContent
from gatehouse.admin.people.use_cases import roles, users
from gatehouse.admin.people.use_cases.users import Invited
from gatehouse.admin.pipelines.use_cases import pipelines
from gatehouse.admin.pipelines.use_cases.pipelines import PIPELINES
from gatehouse.admin.rule_sets.use_cases import rule_sets
from gatehouse.admin.rule_sets.use_cases.rule_sets import RULE_SETS
from gatehouse.admin.sign_in.use_cases.logins import check_login, check_name
from gatehouse.admin.top_ups.types import TopUpLimit, TopUpWanted
from gatehouse.admin.top_ups.use_cases import auto_top_ups, limits, top_ups
from gatehouse.core.cards.redaction import recordable
from gatehouse.core.errors import Conflict, InvalidInput, NotFound
from gatehouse.core.reading.request_reader import RequestReader
from gatehouse.core.wording.sentences import Phrase
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.admin.use_case import Precondition

_NOTHING_CHANGES: Final = Phrase("refused.nothing_changes", "nothing would change")
_ENTRIES_MANY: Final = Phrase(
    "refused.entries_many", "1 to {most} entries can be proposed at once; propose them in parts"
)
_NO_POLICY: Final = Phrase("refused.no_policy", "no operation {name}; there are {known}")

_POLICIES: Final = {
    each.terms.operation: each
    for each in (
        *(policies.set_precheck_policy, policies.set_sentry_policy, found_inputs.set_found_input),
        *(costs.set_costs, costs.clear_costs),
        *(settings.set_authentication, settings.clear_authentication),
    )
}
T = TypeVar("T")
MovesMoney = (
    TopUpBalance
    | AdjustBalance
    | CreditInvoice
    | SetCreditLimit
    | SetAutoTopUp
    | StoreCard
    | SetTopUpLimit
)


class _TakenBack(Exception):
    """Ends what was only tried."""


def checked(session: AdminSession, account_id: str, content: ProposedChange) -> ProposedChange:
    """The change as it is kept: tried out as far as possible, and of the version seen now."""
    match content:
        case ApplyRules() | ApplyPipeline():
            return _checked_document(session, account_id, content)
        case RollBackRules() | RollBackPipeline():
            seen = roll_back(session, account_id, content, dry_run=True)
            return msgspec.structs.replace(content, to=seen.version, base=seen.before)
        case PutOnList() | TakeOffList() | DropList():
            _check_list(session, account_id, content)
        case PromoteModel() | ShadowModel():
            versions.get_model(session, account_id, content.version)
        case StartExperiment():
            experiments.check_startable(session, account_id, content.given)
            named = msgspec.structs.replace(content.given, name=recordable(content.given.name))
            return StartExperiment(named)
        case CreditInvoice():
            made = _tried(session, account_id, lambda tried: _credit(tried, account_id, content))
            return msgspec.structs.replace(content, micros=made.net.micros)
        case (
            SetCreditLimit()
            | SetBilling()
            | SetPolicy()
            | SetPrices()
            | TopUpBalance()
            | AdjustBalance()
            | SetApprovals()
        ):
            _tried(session, account_id, lambda tried: run(tried, account_id, content))
        case SetAutoTopUp() | StoreCard() | SetTopUpLimit():
            # Who has a card charged needs the rights, also to propose it.
            own = session.actor
            _tried(session, account_id, lambda tried: run(tried, account_id, content), own)
        case InvitePerson():
            users.check_role(content.role)
            check_login(content.login)
            check_name(content.called or content.login)
        case ComposeRole():
            given = RoleContent(content.name, list(content.permissions))
            found = roles.planned(session, account_id, given)
            shown = tuple(found.permissions)
            return msgspec.structs.replace(content, name=found.name, permissions=shown)
        case ChangeRole() | ResetPerson() | EnablePerson():
            return _checked_person(session, account_id, content)
    return content


def foresee(
    session: AdminSession, account_id: str, content: ApplyRules | ApplyPipeline
) -> VersionApplied:
    """What a proposed document would change by now."""
    session.actor.check_account(account_id)
    new = NewVersion(content.document.encode(), content.base, content.note, dry_run=True)
    return _apply(session, account_id, content, new)


def roll_back(
    session: AdminSession,
    account_id: str,
    content: RollBackRules | RollBackPipeline,
    *,
    dry_run: bool = False,
) -> VersionReturned:
    """Put an earlier version in force again, or say what that would change by now."""
    session.actor.check_account(account_id)
    back, seen = VersionReturn(content.to), Precondition(content.base)
    if isinstance(content, RollBackRules):
        name, kind = content.name, RULE_SETS
        return configurations.roll_back(session, account_id, kind, name, back, dry_run, seen)
    name = content.pipeline
    return configurations.roll_back(session, account_id, PIPELINES, name, back, dry_run, seen)


def run(session: AdminSession, account_id: str, content: ProposedChange) -> Invited | None:
    """The ordinary use case of a proposed change; the person, if it is about one."""
    match content:
        case ApplyRules() | ApplyPipeline():
            new = NewVersion(content.document.encode(), content.base, content.note)
            new = msgspec.structs.replace(new, is_first=content.base is None)
            _apply(session, account_id, content, new)
        case RollBackRules() | RollBackPipeline():
            roll_back(session, account_id, content)
        case PutOnList() | TakeOffList() | DropList():
            _change_list(session, account_id, content)
        case PromoteModel() | RollBackModel() | ShadowModel():
            _change_model(session, account_id, content)
        case StartExperiment():
            experiments.start(session, account_id, content.given)
        case SetPrices():
            money.set_prices(session, account_id, content.fees)
        case SetBilling():
            parties.set_billing_details(session, account_id, content.given)
        case (
            TopUpBalance()
            | AdjustBalance()
            | CreditInvoice()
            | SetCreditLimit()
            | SetAutoTopUp()
            | StoreCard()
            | SetTopUpLimit()
        ):
            _move_money(session, account_id, content)
        case SetPolicy():
            _set_policy(session, account_id, content)
        case SetApprovals():
            approvals.set_wanted(session, account_id, content.kinds)
        case ComposeRole():
            _compose(session, account_id, content)
        case _:
            return _run_for_person(session, account_id, content)
    return None


def _run_for_person(
    session: AdminSession,
    account_id: str,
    content: InvitePerson | ChangeRole | ResetPerson | EnablePerson,
) -> Invited:
    if isinstance(content, InvitePerson):
        return users.invite(session, account_id, content.login, content.role, content.called)
    if isinstance(content, ChangeRole):
        return users.set_role(session, account_id, content.user_id, content.role)
    if isinstance(content, EnablePerson):
        return Invited(users.enable(session, account_id, content.user_id), None)
    forget = content.forget_factors
    link = users.reset(session, account_id, content.user_id, forget_factors=forget)
    return Invited(users.get(session, account_id, content.user_id), link)


def _change_model(
    session: AdminSession, account_id: str, content: PromoteModel | RollBackModel | ShadowModel
) -> None:
    if isinstance(content, RollBackModel):
        versions.roll_back_model(session, account_id, VersionReturn(content.to))
    elif isinstance(content, PromoteModel):
        how = PromotionOptions(content.raw_scores, content.note)
        versions.promote_model(session, account_id, str(content.version), how)
    else:
        change = shadows.start_shadow if content.starts else shadows.stop_shadow
        change(session, account_id, str(content.version))


def _compose(session: AdminSession, account_id: str, content: ComposeRole) -> None:
    given = RoleContent(content.name, list(content.permissions))
    if content.role_id is None:
        roles.make_role(session, account_id, given)
    else:
        seen = Precondition(content.base)
        roles.change_role(session, account_id, content.role_id, given, seen)


def _move_money(
    session: AdminSession,
    account_id: str,
    content: MovesMoney,
) -> None:
    match content:
        case TopUpBalance(micros, note, reference):
            done = money.top_up(session, account_id, micros, note, reference)
            if done.recorded_before_at_ms is not None:
                raise Conflict(_NOTHING_CHANGES())
        case AdjustBalance(micros, reason, reference, until):
            money.adjust(session, account_id, micros, reason, reference, until)
        case CreditInvoice():
            _credit(session, account_id, content)
        case SetCreditLimit(limit):
            money.set_credit_limit(session, account_id, limit)
        case SetAutoTopUp(given):
            auto_top_ups.set_auto_top_up(session, account_id, given)
        case StoreCard(amount_minor):
            top_ups.ask(session, account_id, TopUpWanted(amount_minor, store_card=True))
        case SetTopUpLimit(day_limit_minor):
            limits.set_top_up_limit(session, account_id, TopUpLimit(day_limit_minor))


def _credit(session: AdminSession, account_id: str, content: CreditInvoice) -> Invoice:
    number, micros = content.number, content.micros
    return closing.credit_invoice(session, account_id, number, micros, content.reason)


def _set_policy(session: AdminSession, account_id: str, content: SetPolicy) -> None:
    found = _POLICIES.get(content.operation)
    if found is None:
        known = ", ".join(_POLICIES)
        raise InvalidInput(_NO_POLICY(name=recordable(content.operation), known=known))
    body = found.function.__annotations__.get("given")
    sent = msgspec.json.encode(content.given)
    found(session, account_id, *([] if body is None else [RequestReader(body).read(sent)]))


def _tried(
    session: AdminSession,
    account_id: str,
    do: Callable[[AdminSession], T],
    actor: Actor | None = None,
) -> T:
    """What a change comes to; everything about it is taken back."""
    session.actor.check_account(account_id)
    found: list[T] = []
    trier = actor or Actor.system("trial")
    trial = session.acting_as(trier.approving(str(session.actor)))
    with suppress(_TakenBack), trial.account_change(account_id) as change:
        found.append(do(trial.joining(change)))
        raise _TakenBack
    return found[0]


def _change_list(
    session: AdminSession, account_id: str, content: PutOnList | TakeOffList | DropList
) -> None:
    if isinstance(content, PutOnList):
        lists.put(session, account_id, content.list, content.entries, content.kind)
    elif isinstance(content, TakeOffList):
        lists.take(session, account_id, content.list, content.entries)
    else:
        lists.drop(session, account_id, content.list)


def _apply(
    session: AdminSession, account_id: str, content: ApplyRules | ApplyPipeline, new: NewVersion
) -> VersionApplied:
    if isinstance(content, ApplyRules):
        return rule_sets.apply(session, account_id, new)
    return pipelines.apply(session, account_id, new)


def _checked_document(
    session: AdminSession, account_id: str, content: ApplyRules | ApplyPipeline
) -> ProposedChange:
    planned = foresee(session, account_id, content)
    if not planned.changed:
        raise Conflict(_NOTHING_CHANGES())
    base = content.base
    if base is None:
        rules = isinstance(content, ApplyRules)
        kind: ConfigurationType[Any] = RULE_SETS if rules else PIPELINES
        base = _in_force(session, account_id, kind, planned.name)
    return msgspec.structs.replace(content, base=base)


def _in_force(
    session: AdminSession, account_id: str, kind: ConfigurationType[Any], name: str
) -> int | None:
    try:
        return configurations.get(session, account_id, kind, name).version
    except NotFound:
        return None


def _check_list(
    session: AdminSession, account_id: str, content: PutOnList | TakeOffList | DropList
) -> None:
    if not (isinstance(content, PutOnList) and content.kind):
        lists.check_exists(session, account_id, content.list)
    if isinstance(content, DropList):
        return
    if not 1 <= len(content.entries) <= lists.MOST_AT_ONCE:
        raise InvalidInput(_ENTRIES_MANY(most=lists.MOST_AT_ONCE))


def _checked_person(
    session: AdminSession, account_id: str, content: ChangeRole | ResetPerson | EnablePerson
) -> ProposedChange:
    """The change with the person's id, and the address that people are shown."""
    if isinstance(content, ChangeRole):
        users.check_role(content.role)
    person = users.get(session, account_id, content.user_id)
    return msgspec.structs.replace(content, user_id=person.user_id, login=person.login)

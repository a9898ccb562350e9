"""Two pairs of eyes: for which changes an account wants that another person approves them.

The use cases ask here before they change something. A person who acts on what another one proposed
passes. All others have to propose, at a terminal or with a key as well.
"""

from collections.abc import Iterable
from enum import StrEnum
from typing import Any, Final

import sqlalchemy as sa

from gatehouse.access.actors import Actor, ActorKind
from gatehouse.core.errors import ApprovalNeeded, Conflict, InvalidInput
from gatehouse.core.wording.sentences import Phrase, phrases_of
from gatehouse.intel.places import shown_amount
from gatehouse.store.accounts import accounts
from gatehouse.store.admin.admin_session import AdminSession, Change

_NO_APPROVAL_KIND: Final = Phrase("refused.no_approval_kind", "no kind {kind}; there are {known}")
_APPROVAL_NEEDED: Final = Phrase(
    "refused.approval_needed",
    "account {account_id} wants two pairs of eyes for {kind}: propose it, and let "
    "another person approve it; see docs/people.md",
)
_SECOND_OPERATOR: Final = Phrase(
    "refused.second_operator",
    "more than {most} needs a second operator: propose it, and let another operator approve it; "
    "see docs/people.md",
)
_OPERATOR_APPROVES: Final = Phrase(
    "refused.operator_approves", "more than {most} is approved by another operator"
)

_POLICY: Final = "approvals"


class ApprovalKind(StrEnum):
    """What can be put under two pairs of eyes."""

    RULES = "rules"
    PIPELINES = "pipelines"
    LISTS = "lists"
    MODELS = "models"
    PRICES = "prices"
    TOP_UPS = "top-ups"
    ADJUSTMENTS = "adjustments"
    POLICIES = "policies"
    APPROVALS = "approvals"
    PEOPLE = "people"


_KIND_WORDS: Final = phrases_of("word.approval", {each.value: each.value for each in ApprovalKind})
_IMPLIED: Final = (ApprovalKind.APPROVALS, ApprovalKind.PEOPLE)
"""Under two pairs of eyes as soon as anything is: they decide who approves, and what."""
_MONEY: Final = (ApprovalKind.TOP_UPS, ApprovalKind.ADJUSTMENTS)
"""Both are money that can be spent, so that either of them covers every way to it."""
CHOICES: Final = tuple(kind for kind in ApprovalKind if kind not in _IMPLIED)


def wanted(session: AdminSession, account_id: str) -> tuple[ApprovalKind, ...]:
    """The changes that need another person in this account."""
    with session.account_reading(account_id) as connection:
        return _kinds(accounts.get(connection, account_id).policies.get(_POLICY))


def set_wanted(session: AdminSession, account_id: str, kinds: Iterable[str]) -> None:
    """Choose them; taking one away needs approval itself."""
    chosen = check_kinds(kinds)
    with session.account_change(account_id) as change:
        policies = accounts.get(change.connection, account_id).policies
        if set(_kinds(policies.get(_POLICY))) - set(chosen):
            check_approved(change, account_id, ApprovalKind.APPROVALS)
        accounts.set_policy(change, account_id, _POLICY, sorted(chosen))


def check_kinds(kinds: Iterable[str]) -> tuple[str, ...]:
    """Kinds that can be chosen."""
    chosen = tuple(dict.fromkeys(kinds))
    for each in chosen:
        if each not in CHOICES:
            raise InvalidInput(_NO_APPROVAL_KIND(kind=each, known=", ".join(CHOICES)))
    return chosen


def check_approved(change: Change, account_id: str, kind: ApprovalKind) -> None:
    """Refuse a change that needs another person, unless it is one that was approved."""
    check_allowed(change.connection, change.actor, account_id, kind)


def check_allowed(
    connection: sa.Connection, actor: Actor, account_id: str, kind: ApprovalKind
) -> None:
    """The same for a change that is made in several transactions."""
    if actor.proposer is not None:
        return
    if kind is ApprovalKind.PEOPLE and actor.kind not in (ActorKind.USER, ActorKind.KEY):
        # At a terminal: who else could bring in the second person?
        return
    kinds = _kinds(accounts.get(connection, account_id).policies.get(_POLICY))
    same = _MONEY if kind in _MONEY else (kind,)
    if not set(same).isdisjoint(kinds) or (kinds and kind in _IMPLIED):
        raise ApprovalNeeded(_APPROVAL_NEEDED(account_id=account_id, kind=_KIND_WORDS[kind]()))


def check_payment_approved(
    change: Change, account_id: str, kind: ApprovalKind, micros: int
) -> None:
    """The same for money, whose amount alone may need a second operator."""
    check_approved(change, account_id, kind)
    above = change.session.settings.second_operator_above
    if above is None or abs(micros) <= above:
        return
    currency = accounts.currency_of(change.connection, account_id)
    most = f"{shown_amount(above, currency)} {currency}"
    if change.actor.proposer is None:
        raise ApprovalNeeded(_SECOND_OPERATOR(most=most))
    if not change.actor.operates:
        # People of the account would approve what is given to themselves.
        raise Conflict(_OPERATOR_APPROVES(most=most))


def _kinds(kept: Any) -> tuple[ApprovalKind, ...]:
    return tuple(ApprovalKind(each) for each in kept or ())

"""An account's policies: what PreCheck's results become, and what Sentry remembers for it."""

from typing import Any, Final

import msgspec
import sqlalchemy as sa

from gatehouse.access.roles import Permission
from gatehouse.admin.accounts.types import (
    CostsBody,
    PoliciesShown,
    PreCheckPolicyBody,
    SentryPolicyBody,
)
from gatehouse.admin.approvals.use_cases.approvals import ApprovalKind, check_approved
from gatehouse.core.cards.redaction import recordable
from gatehouse.core.errors import InvalidInput
from gatehouse.core.wording.sentences import Phrase
from gatehouse.intel.places import minor_digits
from gatehouse.precheck.advice import POLICY_ADVICES
from gatehouse.precheck.policy import PreCheckPolicy
from gatehouse.precheck.spec import PRE_CHECK
from gatehouse.sentry.costs import WHOLE, CostTerms
from gatehouse.sentry.policy import LONGEST_KEY, MOST_ENTITIES, SentryPolicy
from gatehouse.sentry.spec import SENTRY
from gatehouse.store.accounts import accounts
from gatehouse.store.admin.admin_session import AdminSession, Change, Reading
from gatehouse.store.admin.use_case import use_case

_POLICY_ADVICE: Final = Phrase("refused.policy_advice", "a policy gives one of {known}")
_SENTRY_ENTITIES: Final = Phrase(
    "refused.sentry_entities", "Sentry remembers {most} custom inputs at most"
)
_SENTRY_KEY: Final = Phrase(
    "refused.sentry_key",
    "a key of customInputs has 1 to {most} printable characters and holds no card number",
)

_REVIEW_TARGET: Final = Phrase("refused.review_target", "a target is 1 to {most} hours")

DEFAULT_TARGET_HOURS: Final = 24
LONGEST_TARGET_HOURS: Final = 720
_REVIEWS: Final = "reviews"
_TARGET: Final = "targetHours"
_MAY: Final[dict[str, Any]] = {
    "scope": "manage:account",
    "permission": Permission.ACCESS,
    "answers": "policiesResponse",
}


@use_case("GET /policies", **_MAY)
def get_policies(reading: Reading, account_id: str) -> PoliciesShown:
    """Policies.

    What PreCheck's results become, what Sentry remembers for the account, and by which costs it
    advises.
    """
    return shown_policies(reading.connection, account_id)


@use_case("PUT /policies/precheck", operation="setPreCheckPolicy", **_MAY)
def set_precheck_policy(
    change: Change, account_id: str, given: PreCheckPolicyBody
) -> PoliciesShown:
    """Set the policy of PreCheck.

    Sets the advice for the named results; other results keep theirs.
    """
    check_approved(change, account_id, ApprovalKind.POLICIES)
    kept = shown_policies(change.connection, account_id).precheck
    policy = PreCheckPolicy({**kept.avs, **given.avs}, {**kept.cvv2, **given.cvv2})
    if not {*policy.avs.values(), *policy.cvv2.values()} <= set(POLICY_ADVICES):
        raise InvalidInput(_POLICY_ADVICE(known=", ".join(POLICY_ADVICES)))
    accounts.set_policy(change, account_id, PRE_CHECK.name, msgspec.to_builtins(policy))
    return shown_policies(change.connection, account_id)


@use_case("PUT /policies/sentry", **_MAY)
def set_sentry_policy(change: Change, account_id: str, given: SentryPolicyBody) -> PoliciesShown:
    """Set the policy of Sentry.

    Has Sentry remember these custom inputs; what it finds by itself comes after them.
    """
    check_approved(change, account_id, ApprovalKind.POLICIES)
    entities = tuple(dict.fromkeys(given.entities))
    if len(entities) > MOST_ENTITIES:
        raise InvalidInput(_SENTRY_ENTITIES(most=MOST_ENTITIES))
    for key in entities:
        # The key is part of every record that holds such a value.
        if not 1 <= len(key) <= LONGEST_KEY or not key.isprintable() or recordable(key) != key:
            raise InvalidInput(_SENTRY_KEY(most=LONGEST_KEY))
    kept = sentry_policy(change.connection, account_id)
    policy = msgspec.to_builtins(msgspec.structs.replace(kept, entities=entities))
    accounts.set_policy(change, account_id, SENTRY.name, policy)
    return shown_policies(change.connection, account_id)


def review_target(session: AdminSession, account_id: str) -> int:
    """Within how many hours the account wants its reviews to be resolved."""
    with session.account_reading(account_id) as connection:
        stored = accounts.get(connection, account_id).policies.get(_REVIEWS, {})
    return int(stored.get(_TARGET, DEFAULT_TARGET_HOURS))


def set_review_target(session: AdminSession, account_id: str, hours: int) -> None:
    """Set within how many hours reviews are to be resolved."""
    if not 1 <= hours <= LONGEST_TARGET_HOURS:
        raise InvalidInput(_REVIEW_TARGET(most=LONGEST_TARGET_HOURS))
    with session.account_change(account_id) as change:
        accounts.set_policy(change, account_id, _REVIEWS, {_TARGET: hours})


def sentry_policy(connection: sa.Connection, account_id: str) -> SentryPolicy:
    """What the account has chosen about Sentry."""
    stored = accounts.get(connection, account_id).policies
    return msgspec.convert(stored.get(SENTRY.name, {}), SentryPolicy)


def shown_policies(connection: sa.Connection, account_id: str) -> PoliciesShown:
    """An account's policies."""
    stored = accounts.get(connection, account_id).policies
    checked = msgspec.convert(stored.get(PRE_CHECK.name, {}), PreCheckPolicy)
    remembered = msgspec.convert(stored.get(SENTRY.name, {}), SentryPolicy)
    return PoliciesShown(
        PreCheckPolicyBody(checked.avs, checked.cvv2),
        SentryPolicyBody(list(remembered.entities)),
        None if remembered.costs is None else _shown_costs(remembered.costs),
    )


def _shown_costs(terms: CostTerms) -> CostsBody:
    unit = 10 ** (minor_digits(terms.currency) or 0)
    return CostsBody(
        terms.currency,
        terms.margin / WHOLE,
        terms.preset,
        terms.chargeback_fee / unit,
        terms.fee_share / WHOLE,
        terms.review_cost / unit,
        terms.review_finds / WHOLE,
    )

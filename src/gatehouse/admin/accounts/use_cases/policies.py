"""An account's policies: what PreCheck's results become, and what Sentry remembers for it."""

from collections.abc import Mapping, Sequence
from typing import Final

import msgspec
import sqlalchemy as sa

from gatehouse.core.cards.redaction import recordable
from gatehouse.core.errors import InvalidInput
from gatehouse.core.wording.sentences import Phrase, said_by
from gatehouse.precheck.advice import POLICY_ADVICES
from gatehouse.precheck.policy import PreCheckPolicy
from gatehouse.precheck.spec import PRE_CHECK
from gatehouse.sentry.policy import LONGEST_KEY, MOST_ENTITIES, SentryPolicy
from gatehouse.sentry.spec import SENTRY
from gatehouse.store.accounts import accounts
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.admin.scopes import account_change, account_reading

_NOT_A_POLICY: Final = Phrase("refused.not_a_policy", "not a policy: {why}")
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


def precheck_policy(session: AdminSession, account_id: str) -> PreCheckPolicy:
    """What an approval becomes when address or security code do not match."""
    with account_reading(session, account_id) as connection:
        return _precheck_policy(connection, account_id)


def set_precheck_policy(
    session: AdminSession, account_id: str, avs: Mapping[str, str], cvv2: Mapping[str, str]
) -> PreCheckPolicy:
    """Set the advice for the named results; other results keep theirs."""
    with account_change(session, account_id) as change:
        wanted = msgspec.to_builtins(_precheck_policy(change.connection, account_id))
        merged = {"avs": {**wanted["avs"], **avs}, "cvv2": {**wanted["cvv2"], **cvv2}}
        try:
            policy = msgspec.convert(merged, PreCheckPolicy)
        except msgspec.ValidationError as error:
            raise InvalidInput(_NOT_A_POLICY(why=said_by(error))) from None
        if not {*policy.avs.values(), *policy.cvv2.values()} <= set(POLICY_ADVICES):
            raise InvalidInput(_POLICY_ADVICE(known=", ".join(POLICY_ADVICES)))
        accounts.set_policy(change, account_id, PRE_CHECK.name, msgspec.to_builtins(policy))
    return policy


def sentry_policy(session: AdminSession, account_id: str) -> SentryPolicy:
    """Which custom inputs Sentry remembers."""
    with account_reading(session, account_id) as connection:
        stored = accounts.get(connection, account_id).policies.get(SENTRY.name, {})
    return msgspec.convert(stored, SentryPolicy)


def set_sentry_policy(session: AdminSession, account_id: str, keys: Sequence[str]) -> SentryPolicy:
    """Have Sentry remember these custom inputs, and no others."""
    entities = tuple(dict.fromkeys(keys))
    if len(entities) > MOST_ENTITIES:
        raise InvalidInput(_SENTRY_ENTITIES(most=MOST_ENTITIES))
    for key in entities:
        # The key is part of every record that holds such a value.
        if not 1 <= len(key) <= LONGEST_KEY or not key.isprintable() or recordable(key) != key:
            raise InvalidInput(_SENTRY_KEY(most=LONGEST_KEY))
    policy = SentryPolicy(entities)
    with account_change(session, account_id) as change:
        accounts.set_policy(change, account_id, SENTRY.name, msgspec.to_builtins(policy))
    return policy


def review_target(session: AdminSession, account_id: str) -> int:
    """Within how many hours the account wants its reviews to be resolved."""
    with account_reading(session, account_id) as connection:
        stored = accounts.get(connection, account_id).policies.get(_REVIEWS, {})
    return int(stored.get(_TARGET, DEFAULT_TARGET_HOURS))


def set_review_target(session: AdminSession, account_id: str, hours: int) -> None:
    """Set within how many hours reviews are to be resolved."""
    if not 1 <= hours <= LONGEST_TARGET_HOURS:
        raise InvalidInput(_REVIEW_TARGET(most=LONGEST_TARGET_HOURS))
    with account_change(session, account_id) as change:
        accounts.set_policy(change, account_id, _REVIEWS, {_TARGET: hours})


def _precheck_policy(connection: sa.Connection, account_id: str) -> PreCheckPolicy:
    stored = accounts.get(connection, account_id).policies.get(PRE_CHECK.name, {})
    return msgspec.convert(stored, PreCheckPolicy)

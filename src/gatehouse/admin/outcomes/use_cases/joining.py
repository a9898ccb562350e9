"""Joins outcomes to decisions afterwards: by hand, or by looking again."""

from typing import Final

import msgspec
import sqlalchemy as sa

from gatehouse.access.roles import Permission
from gatehouse.admin.decisions.use_cases.request_subject import subject_of
from gatehouse.admin.outcomes.queries import joins, rows
from gatehouse.admin.outcomes.types.joining import (
    JoinedAgain,
    OutcomeCandidate,
    OutcomeCandidates,
    OutcomeJoin,
    OutcomeNamed,
    common,
)
from gatehouse.admin.outcomes.types.kept import OutcomeRow
from gatehouse.admin.outcomes.types.outcome import JoinedBy, PaymentOutcome
from gatehouse.admin.outcomes.use_cases.finding import (
    MOST_CANDIDATES,
    PaymentFinder,
    payment_in,
)
from gatehouse.admin.outcomes.use_cases.keeping import kept_reference
from gatehouse.admin.outcomes.use_cases.labelling import follow_labels
from gatehouse.admin.outcomes.use_cases.listing import shown_outcome
from gatehouse.core.clock import Moment
from gatehouse.core.errors import NotFound
from gatehouse.core.ids import id_time_ms
from gatehouse.core.secrets import keyring
from gatehouse.core.wording.sentences import Phrase
from gatehouse.decisions.record import DecisionRecord
from gatehouse.sentry.entities import EntityHasher
from gatehouse.store.accounts import accounts
from gatehouse.store.admin.admin_session import AdminSession, Change, Reading
from gatehouse.store.admin.use_case import OF_DECISIONS, use_case

_NO_OUTCOME: Final = Phrase("refused.outcome_unknown", "no such outcome for this account")
_NO_DECISION: Final = Phrase("refused.no_outcome_decision", "no such decision for this account")
_SCOPE: Final = "manage:feedback"
_AGAIN: Final = 2000
"""Outcomes without a decision that are looked at in one call, the newest first."""


@use_case(
    "POST /outcomes/candidates",
    scope=_SCOPE,
    permission=Permission.SEE,
    rights=OF_DECISIONS,
    operation="listOutcomeCandidates",
    answers="outcomeCandidatesResponse",
    reads=True,
)
def candidates_of(reading: Reading, account_id: str, given: OutcomeNamed) -> OutcomeCandidates:
    """List the decisions that an outcome can be about.

    Found now by all that was told of the outcome. Where there is more than one, a person has to
    say which it is.
    """
    row = _get(reading.session, reading.connection, account_id, given)
    finder = PaymentFinder(reading.session, account_id)
    # What it was joined to is no name that was told.
    told = msgspec.structs.replace(row, request_id=None)
    [named] = finder.named(reading.connection, [told])
    decided = common(named)
    if decided.by is None and row.arn is not None:
        ids = rows.requests_by_arn(reading.connection, account_id, [row.arn]).get(row.arn, [])
        decided = common({JoinedBy.ARN: sorted(ids)})
    found = finder.records(reading.connection, decided.request_ids[:MOST_CANDIDATES])
    return OutcomeCandidates(decided.by, [_shown(each) for each in found])


@use_case(
    "POST /outcomes/join",
    scope=_SCOPE,
    permission=Permission.REVIEW,
    answers="outcomeResponse",
)
def join_outcome(change: Change, account_id: str, given: OutcomeJoin) -> PaymentOutcome:
    """Join an outcome to its decision.

    Says which decision an outcome is about, or that it is about none. Its label follows. Telling
    the outcome again leaves this as it is.
    """
    row = _get(change.session, change.connection, account_id, given)
    wanted = given.request_id
    if wanted is not None and not joins.existing(change.connection, account_id, [wanted]):
        raise NotFound(_NO_DECISION())
    after = msgspec.structs.replace(
        row, request_id=wanted, joined_by=JoinedBy.HAND, candidates=None
    )
    rows.replace(change.connection, account_id, [after])
    actor = str(change.actor)
    follow_labels(change.connection, account_id, [(row, after)], actor, change.now_ms)
    change.audit("outcome.join", account_id, kind=row.kind.value, joined=wanted is not None)
    return shown_outcome(_get(change.session, change.connection, account_id, given))


@use_case(
    "POST /outcomes/rejoin",
    scope=_SCOPE,
    permission=Permission.REVIEW,
    answers="outcomesJoinedResponse",
)
def rejoin_outcomes(session: AdminSession, account_id: str) -> JoinedAgain:
    """Look for decisions again.

    Looks for the decisions of the newest 2,000 outcomes that have none, settlements left out: a
    decision or an ARN may be known by now.
    """
    finder = PaymentFinder(session, account_id)
    with session.change(unseen=True) as change:
        connection = change.connection
        accounts.get(connection, account_id)
        waiting = rows.not_joined(connection, account_id, None, _AGAIN)
        pairs = [
            (before, after)
            for before, after in zip(waiting, finder.join(connection, waiting), strict=True)
            if before != after
        ]
        rows.replace(connection, account_id, [after for _, after in pairs])
        actor = str(change.actor)
        labels = follow_labels(connection, account_id, pairs, actor, change.now_ms)
        joined = sum(after.request_id is not None for _, after in pairs)
        change.audit("outcome.rejoin", account_id, lookedAt=len(waiting), joined=joined)
    changed = {after.name: after for _, after in pairs}
    still = [changed.get(each.name, each) for each in waiting]
    ambiguous = sum(each.candidates is not None for each in still)
    return JoinedAgain(len(waiting), joined, ambiguous, labels.labelled)


def _get(
    session: AdminSession,
    connection: sa.Connection,
    account_id: str,
    named: OutcomeJoin | OutcomeNamed,
) -> OutcomeRow:
    hasher = EntityHasher(session.ring.current(keyring.ENTITIES)[1])
    name = (named.kind, kept_reference(hasher, named.reference))
    found = rows.by_names(connection, account_id, [name])
    if not found:
        raise NotFound(_NO_OUTCOME())
    return next(iter(found.values()))


def _shown(record: DecisionRecord) -> OutcomeCandidate:
    order = subject_of(record).order.amount
    card = record.card
    return OutcomeCandidate(
        request_id=record.request_id,
        at=Moment(id_time_ms(record.request_id)),
        decision=record.decision,
        amount=None if order is None else bytes(order.amount).decode(),
        currency=None if order is None else order.currency,
        card=None if card is None else f"{card.bin}…{card.last_four or ''}",
        payment_id=payment_in(record),
    )

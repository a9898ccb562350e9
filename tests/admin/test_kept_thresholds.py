"""Promoting a model tells which thresholds are concerned, and keeps their meaning unless told."""

from collections.abc import Iterator

import msgspec
import pytest

from gatehouse.access.actors import Actor
from gatehouse.admin.accounts.use_cases.policies import sentry_policy
from gatehouse.admin.configurations.types import VersionReturn
from gatehouse.admin.configurations.use_cases.configurations import NewVersion
from gatehouse.admin.models.types import PromotionOptions, ThresholdKept
from gatehouse.admin.models.use_cases import versions
from gatehouse.admin.models.use_cases.thresholds_in_use import thresholds_in_use
from gatehouse.admin.pipelines.use_cases import pipelines
from gatehouse.admin.rule_sets.use_cases import rule_sets
from gatehouse.sentry.outcomes import ScoredOutcome
from gatehouse.sentry.score_mapping import PARTS, ScoreMapping
from gatehouse.sentry.scorecard import OutcomeSheet, encode_sheet, load_sheet
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.configured import models
from gatehouse.training.report.report import (
    ScoreMeaning,
    ThresholdInUse,
    ThresholdMeaning,
    encode_report,
)
from tests.harness import Home, make_account
from tests.training.material import report

RULES = b"""
rule_set: starter
rules:
  - {name: low, outcome: REVIEW, condition: "sentry.requestConfidence < 0.4 AND order.amount > 5"}
  - {name: sure, outcome: ACCEPT, condition: "0.9 <= sentry.requestConfidence"}
  - {name: other, outcome: REVIEW, condition: "order.amount > 0.4"}
"""
PIPELINE = b"""
pipeline: 5
name: P
stages:
  - {stage: Sentry, stop_when: sentry.requestConfidence < 0.1}
  - {stage: PreCheck}
"""
STOP = ThresholdInUse("pipeline", "5", "Sentry", 0.1)
LOW = ThresholdInUse("rule", "starter", "low", 0.4)
SURE = ThresholdInUse("rule", "starter", "sure", 0.9)
MAPPING = ScoreMapping(load_sheet().version, (0, 5999, 6000, PARTS), (0, 3999, 4000, PARTS))


@pytest.fixture
def session(sqlite_home: Home) -> Iterator[AdminSession]:
    with sqlite_home.session(Actor.system("someone")) as opened:
        yield opened


@pytest.fixture
def account_id(session: AdminSession) -> str:
    made = make_account(session)
    rule_sets.apply(session, made, NewVersion(RULES))
    pipelines.apply(session, made, NewVersion(PIPELINE))
    return made


def store(session: AdminSession, account_id: str, *known: ThresholdInUse) -> int:
    """Keep a model that was trained when these thresholds were in use."""
    found = tuple(ThresholdMeaning(each, 0.02, 0.3, 0.0201, 3, 99) for each in known)
    meaning = ScoreMeaning(load_sheet().version, 1000, 3, 99, found, MAPPING)
    document = encode_report(report(meaning=meaning))
    with session.change() as change:
        return models.keep(
            change,
            account_id,
            lambda _: document,
            lambda version: encode_sheet(
                msgspec.structs.replace(load_sheet(), version=f"learned-{version}", mapping=MAPPING)
            ),
        )


def test_thresholds_of_rules_and_pipelines_are_found(
    session: AdminSession, account_id: str
) -> None:
    with session.reading() as connection:
        assert thresholds_in_use(connection, account_id) == (STOP, LOW, SURE)


def test_the_answer_lists_the_thresholds_with_their_shares(
    session: AdminSession, account_id: str
) -> None:
    version = store(session, account_id, STOP, LOW, SURE)
    done = versions.promote_model(session, account_id, str(version))
    assert done.mapped
    assert done.remarks == []
    assert done.thresholds[1] == ThresholdKept(
        "rule", "starter", "low", 0.4, 0.02, 0.3, 0.0201, 3, 99
    )
    assert len(done.thresholds) == 3


def test_raw_scores_are_told_where_they_are_asked_for(
    session: AdminSession, account_id: str
) -> None:
    version = store(session, account_id, STOP, LOW, SURE)
    done = versions.promote_model(session, account_id, str(version), PromotionOptions(True))
    assert not done.mapped
    assert (done.thresholds[1].after, done.thresholds[1].changed) == (0.3, 99)
    with session.reading() as connection:
        assert sentry_policy(connection, account_id).raw_scores
    assert versions.live_model(session, account_id).sheet.mapping is None
    other = store(session, account_id, STOP, LOW, SURE)
    again = versions.promote_model(session, account_id, str(other))
    assert again.mapped
    # The scores until now were those of the model itself, not those that the mapping means.
    assert "on that of learned-1" in again.remarks[0]
    assert versions.live_model(session, account_id).sheet.mapping == MAPPING


def test_a_threshold_that_is_newer_than_the_model_is_told(
    session: AdminSession, account_id: str
) -> None:
    version = store(session, account_id, LOW)
    done = versions.promote_model(session, account_id, str(version))
    assert [each.after for each in done.thresholds] == [None, 0.0201, None]
    assert done.remarks == [
        "thresholds of Sentry, sure were not known when it was trained: they may stop another "
        "share of the requests now"
    ]


def test_of_a_model_of_an_earlier_version_nothing_is_said(
    session: AdminSession, account_id: str
) -> None:
    with session.change() as change:
        document, program = encode_report(report()), encode_sheet(load_sheet())
        models.keep(change, account_id, lambda _: document, lambda _: program)
    done = versions.promote_model(session, account_id, "1")
    assert (done.mapped, done.thresholds, done.remarks) == (False, [], [])


def test_rules_that_name_a_score_which_the_model_has_not_are_told(
    session: AdminSession, account_id: str
) -> None:
    named = b"""
rule_set: scores
rules:
  - {name: testers, outcome: REVIEW, condition: sentry.outcomeScores.cardTesting > 0.5}
  - {name: abusers, outcome: REVIEW, condition: sentry.outcomeScores.abuse > 0.5}
"""
    rule_sets.apply(session, account_id, NewVersion(named))
    has = OutcomeSheet(ScoredOutcome.CARD_TESTING, -3.0, 0.5, ())
    sheet = msgspec.structs.replace(load_sheet(), version="learned-1", outcomes=(has,))
    with session.change() as change:
        document, program = encode_report(report()), encode_sheet(sheet)
        models.keep(change, account_id, lambda _: document, lambda _: program)
    missed = "it has no score sentry.outcomeScores.{name}, which these rules name: {rules}"
    done = versions.promote_model(session, account_id, "1")
    assert done.remarks == [missed.format(name="abuse", rules="abusers")]
    back = versions.roll_back_model(session, account_id, VersionReturn(None))
    assert back.remarks == [
        missed.format(name="abuse", rules="abusers"),
        missed.format(name="cardTesting", rules="testers"),
    ]

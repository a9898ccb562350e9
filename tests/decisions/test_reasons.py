"""What decided a request is told in one word, from its record alone."""

from typing import Any, Final

import pytest
from msgspec.structs import replace

from gatehouse.core.stages.outcomes import REASON_MEANINGS, DecisionReason, Outcome
from gatehouse.decisions.erased_record import without_person
from gatehouse.decisions.reasons import is_retryable, reason_of
from gatehouse.decisions.record import DecisionRecord, RecordedStage, decode, encode

ACCEPT, REVIEW, DECLINE = Outcome


def stage(name: str, *, completed: bool = True, **result: Any) -> RecordedStage:
    return RecordedStage(name, name.upper(), 0, completed, 1, result)


def record(
    decision: Outcome | None, *stages: RecordedStage, decided_by: tuple[str, ...] = ()
) -> DecisionRecord:
    made = DecisionRecord("req_1", "pipeline", "", None, None, list(stages), 0, 0, decision)
    return decode(encode(replace(made, decided_by=decided_by)))


def checked(advice: str, *reasons: str, completed: bool = True) -> RecordedStage:
    return stage("PreCheck", completed=completed, advice=advice, reasons=list(reasons))


def judged(status: str) -> RecordedStage:
    return stage("Rules", status=status, matched=[])


def paid(status: str, *, completed: bool = True) -> RecordedStage:
    return stage("Gateway", completed=completed, status=status)


SILENT: Final = checked("RETRY", "issuer_unavailable", completed=False)
LATE: Final = paid("ERROR", completed=False)
ROWS: Final = {
    "a rule declines": (DECLINE, [judged("DECLINE")], "RULES"),
    "a rule wants a review": (REVIEW, [judged("REVIEW"), checked("ACCEPT", "approved")], "RULES"),
    "the issuer declines": (DECLINE, [checked("DECLINE", "issuer_declined")], "ISSUER_DECLINED"),
    "the policy declines": (DECLINE, [checked("DECLINE", "cvv2_no_match")], "PRECHECK_POLICY"),
    "the issuer says stolen": (DECLINE, [checked("FRAUD", "stolen_card")], "FRAUD"),
    "the card has expired": (DECLINE, [checked("INPUT_ERROR", "card_expired")], "INPUT"),
    "the issuer is silent": (DECLINE, [judged("REVIEW"), SILENT], "ISSUER_UNAVAILABLE"),
    "the issuer asks to try later": (DECLINE, [checked("RETRY", "retry")], "ISSUER_UNAVAILABLE"),
    "the gateway declines": (
        DECLINE,
        [judged("REVIEW"), checked("ACCEPT", "approved"), paid("DECLINED")],
        "GATEWAY_DECLINED",
    ),
    "the gateway is late": (DECLINE, [checked("ACCEPT", "approved"), LATE], "GATEWAY_ERROR"),
    "a rule declines what also failed": (DECLINE, [judged("DECLINE"), SILENT], "RULES"),
    "a failure that is reviewed": (REVIEW, [SILENT, paid("APPROVED")], "ISSUER_UNAVAILABLE"),
    "another stage fails": (REVIEW, [stage("IdVerify", completed=False)], "STAGE_UNAVAILABLE"),
    "a stage that nobody knows": (DECLINE, [stage("Gone", status="DECLINE")], "OTHER"),
    "facts that nobody knows": (DECLINE, [paid("VANISHED")], "OTHER"),
}


@pytest.mark.parametrize("name", ROWS)
def test_the_word_is_that_of_the_stage_that_decided(name: str) -> None:
    decision, stages, word = ROWS[name]
    kept = record(decision, *stages)
    assert reason_of(kept) == word
    assert reason_of(without_person(kept, "2026-11-17T00:00:00.000Z")) == word


def test_what_is_accepted_or_not_decided_has_no_reason() -> None:
    assert reason_of(record(ACCEPT, judged("ACCEPT"))) is None
    assert reason_of(record(None, checked("DECLINE", "issuer_declined"))) is None


def test_a_stage_that_does_not_count_is_not_named() -> None:
    stages = checked("DECLINE", "issuer_declined"), judged("DECLINE")
    assert reason_of(record(DECLINE, *stages)) == "ISSUER_DECLINED"
    assert reason_of(record(DECLINE, *stages, decided_by=("Rules",))) == "RULES"


def test_only_what_was_declined_for_an_outage_can_be_sent_again() -> None:
    again = {word for word in DecisionReason if is_retryable(DECLINE, word)}
    assert again == {"ISSUER_UNAVAILABLE", "GATEWAY_ERROR", "STAGE_UNAVAILABLE"}
    # A review may be paid already.
    assert not any(is_retryable(REVIEW, word) for word in DecisionReason)
    assert not is_retryable(ACCEPT, None)


def test_every_word_is_explained() -> None:
    assert list(REASON_MEANINGS) == list(DecisionReason)

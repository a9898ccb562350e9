"""Labels follow from outcomes, and an outcome takes back only what it said itself."""

from gatehouse.admin.feedback.use_cases.record import feedback_of, record_feedback
from gatehouse.admin.outcomes.use_cases.tell import tell
from gatehouse.core.wording.labels import Label, LabelSource
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.feedback.statements import FeedbackStatement, FeedbackSubject
from tests.admin.outcomes.told import DISPUTE, FRAUD, Payments, batch, kept
from tests.harness import make_account


def _labels(session: AdminSession, account: str, request_id: str) -> list[tuple[Label, str]]:
    return [(each.label, each.source) for each in feedback_of(session, account, request_id)]


def test_a_dispute_that_is_won_takes_its_label_back(session: AdminSession) -> None:
    account = make_account(session)
    request_id = Payments(session, account).pay()
    mine = {**DISPUTE, "requestId": request_id}
    tell(session, account, batch(mine))
    assert kept(session, account)[0].label is Label.CHARGEBACK
    for result in ("WON", "WITHDRAWN"):
        told = tell(session, account, batch({**mine, "result": result}))
        assert told.changed == 1
    assert _labels(session, account, request_id) == [
        (Label.WITHDRAWN, LabelSource.OUTCOME),
        (Label.CHARGEBACK, LabelSource.OUTCOME),
    ]
    assert kept(session, account)[0].label is None
    tell(session, account, batch({**mine, "result": "LOST"}))
    assert _labels(session, account, request_id)[0] == (Label.CHARGEBACK, LabelSource.OUTCOME)


def test_what_a_person_said_since_stays(session: AdminSession) -> None:
    account = make_account(session)
    request_id = Payments(session, account).pay()
    mine = {**DISPUTE, "requestId": request_id}
    tell(session, account, batch(mine))
    subject = FeedbackSubject(request_id=request_id)
    record_feedback(session, account, subject, FeedbackStatement(Label.FRAUD))
    told = tell(session, account, batch({**mine, "result": "WON"}))
    assert (told.changed, told.withdrawn) == (1, 0)
    assert _labels(session, account, request_id)[0] == (Label.FRAUD, LabelSource.COMMAND)


def test_what_a_person_said_before_counts_again(session: AdminSession) -> None:
    account = make_account(session)
    request_id = Payments(session, account).pay()
    subject = FeedbackSubject(request_id=request_id)
    record_feedback(session, account, subject, FeedbackStatement(Label.LEGITIMATE))
    mine = {**DISPUTE, "requestId": request_id}
    tell(session, account, batch(mine))
    assert tell(session, account, batch({**mine, "result": "WITHDRAWN"})).withdrawn == 1
    assert _labels(session, account, request_id)[0] == (Label.LEGITIMATE, LabelSource.OUTCOME)


def test_what_another_outcome_says_counts_again(session: AdminSession) -> None:
    account = make_account(session)
    request_id = Payments(session, account).pay()
    report = {**FRAUD, "requestId": request_id, "fraudType": "6"}
    dispute = {**DISPUTE, "requestId": request_id, "at": "2026-11-05T00:00:00Z"}
    tell(session, account, batch(report, dispute))
    assert _labels(session, account, request_id)[0][0] is Label.CHARGEBACK
    tell(session, account, batch({**dispute, "result": "WON"}))
    assert _labels(session, account, request_id)[0][0] is Label.FRAUD


def test_a_later_stage_says_nothing_new_of_the_label(session: AdminSession) -> None:
    account = make_account(session)
    request_id = Payments(session, account).pay()
    mine = {**DISPUTE, "requestId": request_id}
    told = [
        tell(session, account, batch({**mine, "stage": stage}))
        for stage in ("INQUIRY", "FIRST", "REPRESENTED", "PRE_ARBITRATION")
    ]
    assert [each.labelled for each in told] == [0, 1, 0, 0]
    assert len(_labels(session, account, request_id)) == 1


def test_goods_are_no_fraud_and_misuse_is_a_label_of_its_own(session: AdminSession) -> None:
    account = make_account(session)
    payments = Payments(session, account)
    goods, misuse, tried = payments.pay(), payments.pay(), payments.pay()
    tell(
        session,
        account,
        batch(
            {**DISPUTE, "requestId": goods, "reason": "13.1"},
            {**FRAUD, "requestId": misuse, "fraudType": "57"},
            {**FRAUD, "reference": "f-2", "requestId": tried, "fraudType": "10"},
        ),
    )
    assert _labels(session, account, goods) == []
    assert _labels(session, account, misuse) == [(Label.ABUSE, LabelSource.OUTCOME)]
    assert _labels(session, account, tried) == [(Label.CARD_TESTING, LabelSource.OUTCOME)]

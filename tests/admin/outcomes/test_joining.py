"""An outcome is joined to its decision where that can be told, and never by a guess."""

import threading
from typing import Any

import pytest

from gatehouse.access.actors import Actor
from gatehouse.admin.feedback.use_cases.record import feedback_of
from gatehouse.admin.outcomes.types.joining import (
    CandidatePayment,
    OutcomeJoin,
    OutcomeNamed,
    days_around,
    fits_card,
    only_payment,
)
from gatehouse.admin.outcomes.types.outcome import JoinedBy, OutcomeKind, card_parts
from gatehouse.admin.outcomes.use_cases.joining import (
    candidates_of,
    join_outcome,
    rejoin_outcomes,
)
from gatehouse.admin.outcomes.use_cases.tell import tell
from gatehouse.core.clock import iso_time
from gatehouse.core.errors import NotFound
from gatehouse.core.stages.outcomes import Outcome
from gatehouse.core.wording.labels import Label
from gatehouse.store.admin.admin_session import AdminSession
from tests.admin.outcomes.told import ARN, DISPUTE, SALE, Payments, batch, kept
from tests.admin.recorded import CARD, DAY_MS, OTHER_CARD
from tests.harness import make_account

DISPUTED = OutcomeNamed(OutcomeKind.DISPUTE, "dp-1")


@pytest.mark.parametrize(
    ("about", "named", "by"),
    [
        ({"transaction": "t 77"}, {"transactionId": "t 77"}, JoinedBy.TRANSACTION),
        ({"reference": "order-7"}, {"clientReferenceId": "order-7"}, JoinedBy.REFERENCE),
        ({"payment": "pay_7"}, {"paymentId": "pay_7"}, JoinedBy.PAYMENT),
    ],
)
def test_each_name_finds_its_decision(
    session: AdminSession, about: dict[str, Any], named: dict[str, Any], by: JoinedBy
) -> None:
    account = make_account(session)
    payments = Payments(session, account)
    request_id = payments.pay(**about)
    payments.pay(reference="another", transaction="another", payment="pay_another")
    told = tell(session, account, batch({**DISPUTE, **named}))
    assert (told.joined, told.ambiguous, told.labelled) == (1, 0, 1)
    [outcome] = kept(session, account)
    assert (outcome.request_id, outcome.joined_by) == (request_id, by)


@pytest.mark.parametrize(
    ("days", "joined"), [(-4, False), (-3, True), (0, True), (3, True), (4, False)]
)
def test_a_masked_card_finds_a_decision_of_the_same_price_within_three_days(
    session: AdminSession, days: int, joined: bool
) -> None:
    account = make_account(session)
    payments = Payments(session, account)
    request_id = payments.pay(amount=59.9)
    payments.pay(amount=59.9, card=OTHER_CARD)
    payments.pay(amount=59.89)
    day = payments.at_ms - payments.at_ms % DAY_MS + days * DAY_MS
    card = {"maskedCard": f"{CARD[:6]}******{CARD[-4:]}", "amount": 59.9, "currency": "USD"}
    tell(session, account, batch({**DISPUTE, **card, "transactionAt": iso_time(day)}))
    [outcome] = kept(session, account)
    assert outcome.request_id == (request_id if joined else None)
    assert outcome.joined_by == (JoinedBy.CARD if joined else None)


def test_several_payments_are_shown_and_a_person_chooses(session: AdminSession) -> None:
    account = make_account(session)
    payments = Payments(session, account)
    both = [payments.pay(reference="order-7", payment=each) for each in ("pay_1", "pay_2")]
    told = tell(session, account, batch({**DISPUTE, "clientReferenceId": "order-7"}))
    assert (told.joined, told.ambiguous, told.labelled) == (0, 1, 0)
    [outcome] = kept(session, account)
    assert (outcome.request_id, outcome.candidates) == (None, 2)
    found = candidates_of(session, account, DISPUTED)
    assert [each.request_id for each in found.candidates] == both
    assert [each.payment_id for each in found.candidates] == ["pay_1", "pay_2"]
    chosen = join_outcome(session, account, OutcomeJoin(OutcomeKind.DISPUTE, "dp-1", both[0]))
    assert (chosen.request_id, chosen.joined_by) == (both[0], JoinedBy.HAND)
    assert [each.label for each in feedback_of(session, account, both[0])] == [Label.CHARGEBACK]
    again = tell(session, account, batch({**DISPUTE, "clientReferenceId": "order-7"}))
    assert (again.unchanged, again.joined) == (1, 1)


def test_two_names_together_tell_what_one_does_not(session: AdminSession) -> None:
    account = make_account(session)
    payments = Payments(session, account)
    first = payments.pay(reference="order-7", payment="pay_1")
    payments.pay(reference="order-7", payment="pay_2")
    tell(session, account, batch({**DISPUTE, "clientReferenceId": "order-7", "paymentId": "pay_1"}))
    assert kept(session, account)[0].request_id == first


def test_attempts_at_one_payment_are_one(session: AdminSession) -> None:
    account = make_account(session)
    payments = Payments(session, account)
    payments.pay(reference="order-7", card=OTHER_CARD, decision=Outcome.DECLINE)
    payments.pay(reference="order-7")
    last = payments.pay(reference="order-7")
    tell(session, account, batch({**DISPUTE, "clientReferenceId": "order-7"}))
    assert kept(session, account)[0].request_id == last


def test_payments_differ_by_id_or_by_card_and_price() -> None:
    one, other = CandidatePayment("req_1", False, "a"), CandidatePayment("req_2", False, "b")
    assert only_payment([one, other]) is None
    assert only_payment([one, other._replace(payment="a")]) == "req_2"
    assert only_payment([one, other._replace(refused=True)]) == "req_1"
    assert only_payment([]) is None


def test_an_arn_that_becomes_known_joins_what_waited_for_it(session: AdminSession) -> None:
    account = make_account(session)
    request_id = Payments(session, account).pay()
    assert tell(session, account, batch({**DISPUTE, "arn": ARN})).joined == 0
    told = tell(session, account, batch({**SALE, "arn": ARN, "requestId": request_id}))
    assert told.labelled == 1
    assert {each.request_id for each in kept(session, account)} == {request_id}


def test_a_decision_that_becomes_known_is_found_by_looking_again(session: AdminSession) -> None:
    account = make_account(session)
    tell(session, account, batch({**DISPUTE, "clientReferenceId": "order-7"}))
    assert rejoin_outcomes(session, account).joined == 0
    request_id = Payments(session, account).pay(reference="order-7")
    again = rejoin_outcomes(session, account)
    assert (again.looked_at, again.joined, again.labelled) == (1, 1, 1)
    assert kept(session, account)[0].request_id == request_id
    assert rejoin_outcomes(session, account).looked_at == 0


def test_what_a_person_says_has_no_decision_is_not_looked_for(session: AdminSession) -> None:
    account = make_account(session)
    request_id = Payments(session, account).pay(reference="order-7")
    named = {**DISPUTE, "clientReferenceId": "order-7"}
    tell(session, account, batch(named))
    join_outcome(session, account, OutcomeJoin(OutcomeKind.DISPUTE, "dp-1"))
    tell(session, account, batch(named))
    assert rejoin_outcomes(session, account).looked_at == 0
    assert kept(session, account)[0].request_id is None
    assert [each.label for each in feedback_of(session, account, request_id)] == [
        Label.WITHDRAWN,
        Label.CHARGEBACK,
    ]


def test_the_decision_of_another_account_is_never_found(session: AdminSession) -> None:
    account, other = make_account(session), make_account(session)
    theirs = Payments(session, other).pay(reference="order-7", transaction="t", payment="pay_7")
    names = {"requestId": theirs, "transactionId": "t", "paymentId": "pay_7"}
    told = tell(session, account, batch({**DISPUTE, **names, "clientReferenceId": "order-7"}))
    assert (told.new, told.joined, told.ambiguous) == (1, 0, 0)
    with pytest.raises(NotFound):
        join_outcome(session, account, OutcomeJoin(OutcomeKind.DISPUTE, "dp-1", theirs))
    stranger = session.acting_as(Actor.key("key_1", other))
    for call in (candidates_of, join_outcome):
        with pytest.raises(NotFound):
            call(stranger, account, DISPUTED)  # type: ignore[arg-type]  # refused before it is read
    with pytest.raises(NotFound):
        candidates_of(stranger, other, DISPUTED)
    assert feedback_of(session, other, theirs) == []


def test_the_same_told_twice_at_once_is_kept_once(session: AdminSession) -> None:
    account = make_account(session)
    request_id = Payments(session, account).pay()
    given = batch({**DISPUTE, "requestId": request_id}, {**SALE, "requestId": request_id})
    told: list[int] = []
    threads = [
        threading.Thread(target=lambda: told.append(tell(session, account, given).new))
        for _ in range(3)
    ]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert sorted(told) == [0, 0, 2]
    assert len(kept(session, account)) == 2
    assert len(feedback_of(session, account, request_id)) == 1


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("411111******1111", ("411111", "1111")),
        ("41111111****1111", ("41111111", "1111")),
        ("4111 11XX XXXX 1111", None),
        ("411111 XXXXXX 1111", ("411111", "1111")),
        ("************1111", (None, "1111")),
        ("4111111111111111", None),
        ("411111 1111", None),
        ("1111", None),
    ],
)
def test_a_masked_card_has_a_mask(text: str, parts: tuple[str | None, str] | None) -> None:
    assert card_parts(text) == parts


def test_a_card_fits_as_far_as_both_tell_it() -> None:
    assert fits_card("411111", "1111", "41111199", "1111")
    assert fits_card("41111199", "1111", "411111", "1111")
    assert fits_card(None, "1111", "41111199", "1111")
    assert not fits_card("411112", "1111", "41111199", "1111")
    assert not fits_card("411111", "1111", "41111199", None)


def test_days_are_counted_as_days() -> None:
    last_moment = 10 * DAY_MS - 1
    assert list(days_around(last_moment)) == [day * DAY_MS for day in range(6, 13)]

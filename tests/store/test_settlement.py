"""Batches decided one order at a time: idempotency keys, guesses, expiries."""

import msgspec
import pytest

from gatehouse.billing.ledger import AccountState, BalanceTold, Hold, Item
from gatehouse.core.errors import AuthorizationLost, InvalidInput, NotFound
from gatehouse.core.events import EventName
from gatehouse.core.money import Payment
from gatehouse.pipeline.settlement import (
    Authorize,
    Authorized,
    Claim,
    Close,
    Closed,
    DecisionRow,
    Enumerated,
    Insufficient,
    IntentEnd,
    KeyReused,
    NumberSent,
    NumbersLimit,
    Release,
    Replay,
    StillInFlight,
)
from gatehouse.store.requests.intent_rows import DoubtfulIntent, NewIntent
from gatehouse.store.requests.new_review import NewReview
from gatehouse.store.requests.settlement import (
    BatchRows,
    Expire,
    MissedEvent,
    StoredClaim,
    decide,
    wanted_by,
)

NOW = 1_000_000


def loaded(balance: int = 100, **more: object) -> BatchRows:
    parts: dict[str, object] = {"holds": {}, "claims": {}, "guesses": {}, **more}
    return BatchRows(accounts={"acct": AccountState(balance, 0)}, **parts)  # type: ignore[arg-type]  # any


def authorize(request_id: str, amount: int = 50, key: str | None = None, body: str = "b",
              card: str | None = None) -> Authorize:  # fmt: skip
    claim = Claim(key, body, NOW + 1000) if key else None
    return Authorize(Hold(request_id, "acct", amount, NOW + 60, "srv", card, key), NOW, claim)


def close(
    request_id: str,
    key: str | None = None,
    intent: IntentEnd | None = None,
    *,
    review: bool = False,
) -> Close:
    row = DecisionRow("acct", request_id, NOW, "precheck", None, None, "{}")
    answer = (lambda left: f"left {left}".encode()) if key else None
    items = [Item("PRECHECK", 50, True)]
    return Close(
        "acct",
        request_id,
        NOW,
        items,
        row,
        claim_id=key,
        answer=answer,
        intent=intent,
        review=review,
    )


def held() -> BatchRows:
    state = loaded(holds={"r0": Hold("r0", "acct", 50, NOW, "srv")})
    state.accounts["acct"].held = 50
    return state


def test_money_runs_out_in_the_middle_of_a_batch() -> None:
    answers, changes = decide([authorize(f"r{i}") for i in range(3)], loaded(100))
    assert [type(answer) for answer in answers] == [Authorized, Authorized, Insufficient]
    assert [hold.request_id for hold in changes.holds_added] == ["r0", "r1"]


def test_two_requests_with_one_key_in_one_batch_run_once() -> None:
    answers, changes = decide([authorize("r0", key="k"), authorize("r1", key="k")], loaded())
    assert [type(answer) for answer in answers] == [Authorized, StillInFlight]
    assert len(changes.entries) == 1


def test_a_key_with_another_body_is_refused_even_while_in_flight() -> None:
    orders = [authorize("r0", key="k"), authorize("r1", key="k", body="other")]
    answers, _ = decide(orders, loaded())
    assert isinstance(answers[1], KeyReused)


def test_a_kept_answer_is_replayed_without_touching_money_even_when_there_is_none() -> None:
    kept = StoredClaim("k", "r0", "b", "the answer", NOW + 1)
    answers, changes = decide([authorize("r1", key="k")], loaded(0, claims={"k": kept}))
    assert answers == [Replay(b"the answer")]
    assert not changes


def test_an_expired_key_is_free_again() -> None:
    kept = StoredClaim("k", "r0", "other", "old", NOW)
    answers, changes = decide([authorize("r1", key="k")], loaded(claims={"k": kept}))
    assert isinstance(answers[0], Authorized)
    assert changes.claims_kept["k"].request_id == "r1"


def test_a_refused_request_leaves_its_key_free() -> None:
    answers, changes = decide([authorize("r0", 500, key="k")], loaded())
    assert isinstance(answers[0], Insufficient)
    assert changes.claims_kept == {}


def test_the_answer_of_a_closed_request_is_kept_with_the_true_balance() -> None:
    state = loaded(
        holds={"r0": Hold("r0", "acct", 50, NOW, "srv", None, "k")},
        claims={"k": StoredClaim("k", "r0", "b", None, NOW + 1)},
    )
    state.accounts["acct"].held = 50
    answers, changes = decide([close("r0", key="k")], state)
    assert answers == [Closed(50, b"left 50")]
    assert changes.claims_kept["k"].answer == "left 50"


@pytest.mark.parametrize("ending", [Release("acct", "r0", NOW), Expire("acct", "r0", NOW)])
def test_a_request_that_came_to_nothing_frees_its_key(ending: Release | Expire) -> None:
    state = loaded(holds={"r0": Hold("r0", "acct", 50, NOW, "srv", None, "k")})
    state.accounts["acct"].held = 50
    _, changes = decide([ending], state)
    assert changes.claims_freed == [("k", "r0")]
    assert changes.accounts["acct"] == AccountState(100, 0)


def test_a_close_after_the_hold_ended_is_refused_and_charges_nothing() -> None:
    answers, changes = decide([close("gone")], loaded())
    assert isinstance(answers[0], AuthorizationLost)
    assert not changes


def test_a_hold_of_another_account_cannot_be_closed() -> None:
    state = loaded(holds={"r0": Hold("r0", "someone else", 50, NOW, "srv")})
    answers, _ = decide([close("r0")], state)
    assert isinstance(answers[0], AuthorizationLost)


def test_an_unknown_account_is_refused_and_its_neighbours_are_not() -> None:
    stranger = Authorize(Hold("r9", "nobody", 1, NOW, "srv"), NOW)
    answers, _ = decide([stranger, authorize("r0")], loaded())
    assert isinstance(answers[0], NotFound)
    assert isinstance(answers[1], Authorized)


@pytest.mark.parametrize(
    ("row", "signed", "amount"), [(900, 30, 130), (30, 900, 130), (None, 30, 100)]
)
def test_of_a_credit_limit_only_what_is_signed_is_used(
    row: int | None, signed: int, amount: int
) -> None:
    """The row is read under its lock, but nobody has checked its signature then."""
    for asked in (amount, amount + 1):
        accounts = {"acct": AccountState(100, 0, credit=row)}
        order = msgspec.structs.replace(authorize("r0", asked), credit_limit=signed)
        answers, _ = decide([order], BatchRows(accounts, {}, {}, {}))
        kind = Authorized if asked == amount else Insufficient
        assert isinstance(answers[0], kind)
        assert answers[0].remaining == (0 if asked == amount else amount)


def test_open_requests_for_a_card_are_counted_beside_its_wrong_guesses() -> None:
    orders = [authorize(f"r{i}", 1, card="fp") for i in range(3)]
    answers, _ = decide(orders, loaded(guesses={"fp": (4, 2)}))
    counted = [(a.mismatches, a.in_flight) for a in answers if isinstance(a, Authorized)]
    assert counted == [(4, 2), (4, 3), (4, 4)]


def test_guesses_are_counted_by_the_account_behind_a_card_as_well() -> None:
    holds = [
        Hold(f"r{n}", "acct", 1, NOW + 60, "srv", f"token {n}", card_account="account")
        for n in range(2)
    ]
    orders = [Authorize(hold, NOW) for hold in holds]
    assert wanted_by(orders).cards == {"token 0", "token 1", "account"}
    answers, _ = decide(orders, loaded(guesses={"token 0": (1, 0), "account": (2, 0)}))
    counted = [(a.mismatches, a.in_flight) for a in answers if isinstance(a, Authorized)]
    assert counted == [(2, 0), (2, 1)]


def test_a_repetition_after_an_upgrade_is_recognised_as_it_was_kept() -> None:
    kept = StoredClaim("k", "r9", "as it was", "the answer", NOW + 1000)
    order = authorize("r0", key="k", body="as it is")
    assert order.claim is not None
    claim = msgspec.structs.replace(order.claim, is_kept_as="as it was".__eq__)
    again = msgspec.structs.replace(order, claim=claim)
    answers, _ = decide([again], loaded(claims={"k": kept}))
    assert answers == [Replay(b"the answer")]


def _sending(request_id: str, *numbers: str, key: str | None = None) -> Authorize:
    sent = tuple(NumberSent("group", number) for number in numbers)
    return msgspec.structs.replace(authorize(request_id, 1, key=key), numbers=NumbersLimit(2, sent))


def test_one_number_too_many_of_a_group_is_refused_and_holds_nothing() -> None:
    state = loaded()
    state.numbers["group"] = {"a": NOW - 1000}
    orders = [_sending("r0", "b"), _sending("r1", "c"), _sending("r2", "a"), _sending("r3", "b")]
    answers, changes = decide(orders, state)
    first, refused, known, again = answers
    assert isinstance(refused, Enumerated)
    assert refused.retry_after_ms == 24 * 3_600_000 - 1000
    assert all(isinstance(each, Authorized) for each in (first, known, again))
    assert set(changes.numbers) == {"a", "b", "!c"}
    assert [hold.request_id for hold in changes.holds_added] == ["r0", "r2", "r3"]


def test_refused_numbers_count_so_that_a_known_one_is_not_found_among_them() -> None:
    state = loaded()
    state.numbers["group"] = {"a": NOW - 2000, "b": NOW - 1000}
    tried = ["c", "a", "c", "d", "a", "e"]
    answers, changes = decide([_sending(f"r-{n}", each) for n, each in enumerate(tried)], state)
    assert [isinstance(each, Authorized) for each in answers] == [False, True, *[False] * 4]
    assert set(changes.numbers) == {"a", "!c", "!d"}
    # They wait for the oldest refusal, which was a moment ago.
    assert answers[-1] == Enumerated(24 * 3_600_000)


def test_a_number_in_two_places_of_a_request_counts_once() -> None:
    state = loaded()
    state.numbers["group"] = {"a": NOW - 1000}
    answers, _ = decide([_sending("r0", "b", "b")], state)
    assert isinstance(answers[0], Authorized)


def test_several_numbers_are_refused_together_when_they_are_too_many() -> None:
    answers, changes = decide([_sending("r0", "a", "b", "c", "d")], loaded())
    assert isinstance(answers[0], Enumerated)
    assert set(changes.numbers) == {"!a", "!b"}


def test_a_request_that_cannot_be_paid_leaves_no_number() -> None:
    order = msgspec.structs.replace(
        authorize("r0", 10_000), numbers=NumbersLimit(2, (NumberSent("group", "a"),))
    )
    answers, changes = decide([order], loaded())
    assert isinstance(answers[0], Insufficient)
    assert not changes.numbers


def test_a_number_that_a_used_key_was_compared_with_counts() -> None:
    kept = StoredClaim("k", "r9", "another body", "answer", NOW + 1000)
    answers, changes = decide([_sending("r0", "a", key="k")], loaded(claims={"k": kept}))
    assert answers == [KeyReused()]
    assert changes
    assert set(changes.rows()) == {"numbers"}


def test_a_batch_asks_for_the_groups_of_its_numbers() -> None:
    wanted = wanted_by([_sending("r0", "a")])
    assert (wanted.groups, wanted.numbers_since_ms) == ({"group"}, NOW - 24 * 3_600_000)


def test_a_batch_names_everything_it_needs() -> None:
    wanted = wanted_by([authorize("r0", key="k", card="fp"), close("r1", key="k2")])
    assert wanted.accounts == {"acct"}
    assert wanted.holds == {"r1"}
    assert wanted.claims == {"k", "k2"}
    assert wanted.cards == {"fp"}


def test_an_intent_is_noted_with_its_hold_and_only_with_it() -> None:
    intent = Payment(5990, "USD")
    orders = [
        Authorize(authorize(f"r{number}", 60).hold, NOW, intent=intent) for number in range(2)
    ]
    answers, changes = decide(orders, loaded(100))
    assert isinstance(answers[1], Insufficient)
    assert changes.intents_added == [NewIntent("r0", "acct", 5990, "USD", NOW, NOW)]


def test_an_answered_payment_is_settled_and_a_doubtful_one_is_not() -> None:
    _, settled = decide([close("r0", intent=IntentEnd.SETTLED)], held())
    assert (settled.intents_settled, settled.intents_doubtful) == (["r0"], {})
    _, doubtful = decide([close("r0", intent=IntentEnd.DOUBTFUL)], held())
    expected = {"r0": DoubtfulIntent("r0", "acct", NOW, "unanswered")}
    assert (doubtful.intents_settled, doubtful.intents_doubtful) == ([], expected)


@pytest.mark.parametrize(
    ("ending", "detail"),
    [(Release("acct", "r0", NOW), "released"), (Expire("acct", "r0", NOW), "expired")],
)
def test_a_request_that_came_to_nothing_leaves_its_payment_in_doubt(
    ending: Release | Expire, detail: str
) -> None:
    _, changes = decide([ending], held())
    assert changes.intents_doubtful == {"r0": DoubtfulIntent("r0", "acct", NOW, detail)}


@pytest.mark.parametrize("end", IntentEnd)
def test_a_close_that_comes_too_late_has_its_payment_reversed_although_it_is_refused(
    end: IntentEnd,
) -> None:
    answers, changes = decide([close("r0", intent=end, review=True)], loaded())
    assert isinstance(answers[0], AuthorizationLost)
    assert changes
    assert changes.intents_doubtful == {"r0": DoubtfulIntent("r0", "acct", NOW, "lost")}
    assert (changes.entries, changes.decisions, changes.reviews) == ([], [], [])


def test_a_close_that_is_refused_for_its_fees_leaves_its_payment_under_way() -> None:
    greedy = msgspec.structs.replace(
        close("r0", intent=IntentEnd.SETTLED), items=[Item("GATEWAY", 51, True)]
    )
    assert isinstance(greedy, Close)
    answers, changes = decide([greedy], held())
    assert isinstance(answers[0], InvalidInput)
    assert not changes
    assert changes.intents_settled == []


def test_a_hold_that_expires_just_before_its_close_is_in_doubt_and_just_after_is_settled() -> None:
    expiry, closing = Expire("acct", "r0", NOW), close("r0", intent=IntentEnd.SETTLED)
    answers, before = decide([expiry, closing], held())
    assert isinstance(answers[1], AuthorizationLost)
    assert (before.intents_settled, list(before.intents_doubtful)) == ([], ["r0"])
    answers, after = decide([closing, expiry], held())
    assert isinstance(answers[0], Closed)
    assert (after.intents_settled, list(after.intents_doubtful)) == (["r0"], [])


def test_a_release_after_the_close_of_the_same_batch_touches_nothing() -> None:
    orders: list[Close | Release] = [
        close("r0", intent=IntentEnd.SETTLED),
        Release("acct", "r0", NOW),
    ]
    _, changes = decide(orders, held())
    assert (changes.intents_settled, changes.intents_doubtful) == (["r0"], {})


def test_a_second_sweeper_that_finds_the_same_hold_leaves_no_trace() -> None:
    _, changes = decide([Expire("acct", "gone", NOW)], loaded())
    assert not changes


def test_a_decision_to_be_reviewed_is_noted_with_its_close() -> None:
    _, changes = decide([close("r0", review=True)], held())
    assert changes.reviews == [NewReview("acct", "r0", NOW)]


def test_a_request_that_the_memory_missed_is_noted_with_its_close() -> None:
    order = msgspec.structs.replace(close("r0"), memory_missed=True)
    _, changes = decide([order], held())
    assert changes.missed_events == [MissedEvent("acct", "r0")]


def test_requests_without_payment_and_review_leave_nothing_of_either() -> None:
    _, opened = decide([authorize("r1")], loaded())
    _, closed = decide([close("r0")], held())
    assert set(opened.rows()) == {"entries", "accounts", "holds_added"}
    assert set(closed.rows()) == {"entries", "accounts", "holds_ended", "decisions"}


def told(orders: list[Authorize], rows: BatchRows) -> list[str]:
    return [event.type for event in decide(orders, rows)[1].events]


def test_a_refusal_for_want_of_money_is_told_once_and_not_for_what_is_only_held() -> None:
    assert told([authorize("r0", 60), authorize("r1", 60)], loaded(100)) == []
    assert told([authorize("r0", 500), authorize("r1", 500)], loaded(100)) == ["balance.depleted"]
    rows = loaded(100)
    rows.accounts["acct"].note_depleted()
    assert told([authorize("r0", 500)], rows) == []
    rows.accounts["acct"].note_added()
    assert told([authorize("r0", 500)], rows) == ["balance.depleted"]


def test_a_close_tells_what_it_was_asked_to_and_that_the_balance_is_low() -> None:
    rows = held()
    rows.accounts["acct"].low_below = 60
    order = msgspec.structs.replace(
        close("r0", review=True), events=(EventName.REVIEW_OPENED,), actor="key:k"
    )
    _, changes = decide([order], rows)
    assert [(event.type, event.about, event.actor) for event in changes.events] == [
        ("review.opened", "r0", "key:k"),
        ("balance.low", "r0", "key:k"),
    ]
    assert changes.accounts["acct"].told is BalanceTold.LOW

"""Batches decided one order at a time: idempotency keys, guesses, expiries."""

import pytest

from gatehouse.billing.ledger import AccountState, Hold, Item
from gatehouse.core.errors import AuthorizationLost, NotFound
from gatehouse.pipeline.desk import (
    Authorize,
    Authorized,
    Claim,
    Close,
    Closed,
    DecisionRow,
    Insufficient,
    KeyReused,
    Release,
    Replay,
    StillInFlight,
)
from gatehouse.store.settlement import Expire, KeptClaim, Loaded, decide, wanted_by

NOW = 1_000_000


def loaded(balance: int = 100, **more: object) -> Loaded:
    parts: dict[str, object] = {"holds": {}, "claims": {}, "guesses": {}, **more}
    return Loaded(accounts={"acct": AccountState(balance, 0)}, **parts)  # type: ignore[arg-type]  # any


def authorize(request_id: str, amount: int = 50, key: str | None = None, body: str = "b",
              card: str | None = None) -> Authorize:  # fmt: skip
    claim = Claim(key, body, NOW + 1000) if key else None
    return Authorize(Hold(request_id, "acct", amount, NOW + 60, "srv", card, key), NOW, claim)


def close(request_id: str, key: str | None = None) -> Close:
    row = DecisionRow("acct", request_id, NOW, "precheck", None, None, "{}")
    answer = (lambda left: f"left {left}".encode()) if key else None
    items = [Item("PRECHECK", 50, True)]
    return Close("acct", request_id, NOW, items, row, claim_id=key, answer=answer)


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
    kept = KeptClaim("k", "r0", "b", "the answer", NOW + 1)
    answers, changes = decide([authorize("r1", key="k")], loaded(0, claims={"k": kept}))
    assert answers == [Replay(b"the answer")]
    assert not changes


def test_an_expired_key_is_free_again() -> None:
    kept = KeptClaim("k", "r0", "other", "old", NOW)
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
        claims={"k": KeptClaim("k", "r0", "b", None, NOW + 1)},
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


def test_open_requests_for_a_card_are_counted_beside_its_wrong_guesses() -> None:
    orders = [authorize(f"r{i}", 1, card="fp") for i in range(3)]
    answers, _ = decide(orders, loaded(guesses={"fp": (4, 2)}))
    counted = [(a.mismatches, a.in_flight) for a in answers if isinstance(a, Authorized)]
    assert counted == [(4, 2), (4, 3), (4, 4)]


def test_a_batch_names_everything_it_needs() -> None:
    wanted = wanted_by([authorize("r0", key="k", card="fp"), close("r1", key="k2")])
    assert wanted.accounts == {"acct"}
    assert wanted.holds == {"r1"}
    assert wanted.claims == {"k", "k2"}
    assert wanted.cards == {"fp"}

"""Records of the time when they held the inner fingerprint of their card."""

import msgspec
import pytest

from gatehouse.core.cards.numbers import MaskedCard
from gatehouse.decisions import record_fingerprints
from gatehouse.decisions.record import decode, encode, encode_named
from gatehouse.sentry import kinds
from gatehouse.sentry.memory.memory import MemoryEvent
from gatehouse.sentry.records.event import opened_event, past_event_in, recorded_event
from tests.decisions.samples import SAMPLES
from tests.harness import FINGERPRINTS

OLD = {name: text for name, text in SAMPLES.items() if '"fingerprint":"fp1_' in text}
INNER = "fp1_" + "0a" * 20
SHOWN = FINGERPRINTS.of_account("acct_1", INNER)


def test_there_are_records_of_that_time() -> None:
    assert {"pipeline_first", "rules_first", "precheck_first", "idverify_first"} <= OLD.keys()


@pytest.mark.parametrize("name", OLD)
def test_nothing_that_is_read_of_an_old_record_has_the_inner_fingerprint(name: str) -> None:
    shown = record_fingerprints.shown_text("acct_1", OLD[name], FINGERPRINTS)
    before, after = decode(OLD[name]), decode(shown)
    assert before.card is not None
    inner = before.card.fingerprint
    assert inner in OLD[name]
    assert inner not in shown
    told = record_fingerprints.decode("acct_1", OLD[name], FINGERPRINTS)
    assert encode_named(after) == encode_named(told)
    mine = FINGERPRINTS.of_account("acct_1", inner)
    # Nothing else has changed.
    assert encode_named(decode(shown.replace(mine, inner))) == OLD[name]
    assert record_fingerprints.shown_text("acct_1", shown, FINGERPRINTS) == shown


def test_what_is_not_a_record_stays_as_it_is() -> None:
    text = '{"fingerprint":"fp1_'
    assert record_fingerprints.shown_text("acct_1", text, FINGERPRINTS) == text


def test_a_caller_cannot_have_a_text_of_its_own_converted() -> None:
    now = record_fingerprints.decode("acct_1", SAMPLES["precheck_first"], FINGERPRINTS)
    sent = msgspec.structs.replace(now, client_reference_id=f'"fingerprint":"{INNER}"')
    written = encode(sent)
    assert record_fingerprints.shown_text("acct_1", written, FINGERPRINTS) == written


def _event(card: str, named: str) -> MemoryEvent:
    transaction = (kinds.TRANSACTION, f"t-1 u-1 {named} 42424242")
    return MemoryEvent("acct_1", 1.0, [(kinds.USER, "u-1"), (kinds.CARD, card), transaction])


def test_the_event_of_a_record_shows_the_accounts_fingerprint_and_is_remembered_by_the_inner() -> (
    None
):
    noted = _event(INNER, SHOWN)
    written = msgspec.json.encode(
        {"stages": [], "event": recorded_event(noted, {INNER: SHOWN}, counted=True)}
    ).decode()
    assert INNER not in written
    past = past_event_in("acct_1", written)
    assert past is not None
    assert opened_event(past.event, FINGERPRINTS) == noted


def test_the_account_behind_a_card_is_recorded_and_remembered_like_the_card() -> None:
    behind = f"fp1_{'0f' * 20}"
    shown = {INNER: SHOWN, behind: FINGERPRINTS.of_account("acct_1", behind)}
    noted = _event(INNER, shown[behind])
    noted = msgspec.structs.replace(noted, entities=[(kinds.CARD, behind), *noted.entities])
    event = recorded_event(noted, shown, counted=True)
    written = msgspec.json.encode({"stages": [], "event": event}).decode()
    assert not [inner for inner in shown if inner in written]
    past = past_event_in("acct_1", written)
    assert past is not None
    assert opened_event(past.event, FINGERPRINTS) == noted


def test_the_event_of_an_old_record_is_remembered_like_that_of_a_new_one() -> None:
    assert opened_event(_event(INNER, INNER), FINGERPRINTS) == _event(INNER, SHOWN)


def test_a_card_that_cannot_be_opened_is_left_out_of_the_memory() -> None:
    elsewhere = FINGERPRINTS.of_account("acct_2", INNER)
    opened = opened_event(_event(elsewhere, elsewhere), FINGERPRINTS)
    assert [kind for kind, _ in opened.entities] == [kinds.USER, kinds.TRANSACTION]


def test_a_masked_card_does_not_show_what_it_holds() -> None:
    card = decode(SAMPLES["precheck_first"]).card
    assert card is not None
    assert repr(MaskedCard(card, INNER)) == "MaskedCard(…)"

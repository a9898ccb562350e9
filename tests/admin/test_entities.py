"""What an entity did is found by the index, bounded, for its account only, and never in a URL."""

import pytest

from gatehouse.access.actors import Actor
from gatehouse.admin.entities.types import Entity, EntityTokens, EntityType, entities_of, masked
from gatehouse.admin.entities.use_cases import counting, neighbours, profile
from gatehouse.admin.entities.use_cases.counting import count_entities
from gatehouse.admin.entities.use_cases.finding import find_entity, lists_for, put_on_list
from gatehouse.admin.entities.use_cases.profile import entity_decisions, show_entity
from gatehouse.admin.lists.types import NewList
from gatehouse.admin.lists.use_cases import lists
from gatehouse.admin.lists.use_cases.lists import NewEntries
from gatehouse.core.errors import InvalidInput, NotFound
from gatehouse.core.stages.outcomes import Outcome
from gatehouse.core.wording.labels import Label
from gatehouse.rules.list_entries import ListKind
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.feedback.statements import FeedbackStatement
from tests.admin.recorded import CARD, OTHER_CARD, Recorder
from tests.harness import make_account
from tests.store.deciding import label

ADA = Entity(EntityType.USER, "u-4711")
HOUSE = Entity(EntityType.ADDRESS, "203.0.113.7")


@pytest.fixture
def shop(session: AdminSession) -> Recorder:
    """An account without decisions."""
    return Recorder(session, make_account(session))


def test_a_token_is_the_same_every_time_and_only_of_its_account_and_kind(shop: Recorder) -> None:
    session, account_id = shop.session, shop.account_id
    tokens = EntityTokens(session, account_id)
    token = tokens.token(ADA)
    assert tokens.token(ADA) == token
    assert "4711" not in token
    assert tokens.opened("user", token) == ADA
    others = EntityTokens(session, make_account(session))
    for made, kind, text in (
        (tokens, "device", token),
        (tokens, "person", token),
        (tokens, "user", token[:-4]),
        (tokens, "user", "é"),
        (tokens, "user", "A" * 5000),
        (others, "user", token),
    ):
        with pytest.raises(NotFound):
            made.opened(kind, text)


@pytest.mark.parametrize(
    ("kind", "value", "shown"),
    [
        ("user", "u-4", "u…"),
        ("user", "u-4711", "u…11"),
        ("user", "customer-4711", "cu…11"),
        ("user", "#0123456789abcdef0123", "#012345…"),
        ("address", "203.0.113.7", "203.0.•.•"),
        ("address", "2001:db8:1:2::/64", "2001:db8:…"),
        ("device", "<script>alert(1)</script>", "<s…t>"),
    ],
)
def test_a_masked_value_tells_two_apart_and_nobody_who_it_is(
    kind: str, value: str, shown: str
) -> None:
    assert masked(Entity(EntityType(kind), value)) == shown


def test_a_decision_names_each_entity_once(shop: Recorder) -> None:
    record = shop.record("req_x", "u-4711")
    assert [each.kind.value for each in entities_of(record)] == [
        *("user", "card", "email", "address", "device")
    ]
    assert repr(entities_of(record)[0]) == "Entity(…)"


def test_counts_say_what_became_of_an_entitys_decisions(
    shop: Recorder, monkeypatch: pytest.MonkeyPatch
) -> None:
    fraud = shop.keep(decision=Outcome.ACCEPT)
    abused = shop.keep(decision=Outcome.REVIEW)
    tested = shop.keep(decision=Outcome.DECLINE)
    good = shop.keep("u-2", decision=Outcome.ACCEPT)
    now_ms = shop.session.clock()
    label(shop.session, shop.account_id, [fraud], FeedbackStatement(Label.CHARGEBACK), now_ms)
    label(shop.session, shop.account_id, [tested], FeedbackStatement(Label.CARD_TESTING), now_ms)
    label(shop.session, shop.account_id, [abused], FeedbackStatement(Label.ABUSE), now_ms)
    label(shop.session, shop.account_id, [good], FeedbackStatement(Label.LEGITIMATE), now_ms)
    found = count_entities(shop.session, shop.account_id, [ADA, HOUSE])
    ada, house = found[ADA], found[HOUSE]
    assert (ada.decisions, ada.reviewed, ada.declined) == (3, 1, 1)
    assert (ada.frauds, ada.legitimate, ada.more) == (2, 0, False)
    assert (house.decisions, house.legitimate) == (4, 1)
    monkeypatch.setattr(counting, "MOST_COUNTED", 2)
    few = count_entities(shop.session, shop.account_id, [HOUSE])[HOUSE]
    assert (few.decisions, few.more) == (2, True)
    nobody = Entity(EntityType.USER, "u-9")
    assert count_entities(shop.session, shop.account_id, [nobody])[nobody].decisions == 0


def test_who_shares_what_is_told_by_what_they_used_together(shop: Recorder) -> None:
    shop.keep("u-4711", card=CARD, device="dev-1")
    shop.keep("u-4711", card=OTHER_CARD, device="dev-1")
    shop.keep("u-2", card=OTHER_CARD, device="dev-2", address="198.51.100.2", email="#" + "cd" * 10)
    shop.keep("u-3", device="dev-3", address="198.51.100.3", email="#" + "ef" * 10)
    found = show_entity(shop.session, shop.account_id, ADA).neighbours
    cards = {each.masked for each in found.near if each.kind is EntityType.CARD}
    assert cards == {"MASTERCARD •••• 4444", "VISA •••• 4242"}
    assert {each.entity.value for each in found.others} == {"u-2", "u-3"}
    through = {
        (link.near.kind.value, link.other.value) for link in found.links if link.other is not None
    }
    assert through == {("card", "u-2"), ("card", "u-3")}


def test_strangers_with_the_same_browser_are_no_neighbours(shop: Recorder) -> None:
    chrome = "#" + "12" * 10
    shop.keep("u-4711", browser=chrome)
    strange = {"device": "dev-2", "address": "198.51.100.2", "email": "#" + "cd" * 10}
    shop.keep("u-2", card=OTHER_CARD, browser=chrome, **strange)
    found = show_entity(shop.session, shop.account_id, ADA).neighbours
    assert [each.called for each in found.near if each.entity.value == chrome] == ["browser"]
    assert found.others == []


def test_neighbours_are_bounded_however_many_there_are(
    shop: Recorder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(neighbours, "MOST_NEIGHBOURS", 8)
    for number in range(12):
        shop.keep(f"u-{number}", device=f"dev-{number}")
    found = show_entity(shop.session, shop.account_id, HOUSE).neighbours
    assert len(found.near) + len(found.others) <= 16
    assert found.left_out > 0


def test_everything_an_entity_did_comes_page_by_page(
    shop: Recorder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(profile, "PAGE", 2)
    ids = [shop.keep(amount=10.0 + number) for number in range(5)]
    shop.keep("u-2")
    seen, before = [], None
    while True:
        page = entity_decisions(shop.session, shop.account_id, ADA, before)
        seen += [each.request_id for each in page.decisions]
        before = page.next_before
        if before is None:
            break
    assert seen == ids[::-1]
    with pytest.raises(InvalidInput):
        entity_decisions(shop.session, shop.account_id, ADA, "1 OR 1=1")


def test_reputation_follows_the_labels(shop: Recorder) -> None:
    fraud = shop.keep(later_ms=39 * 86_400_000)
    shop.keep("u-2")
    before = show_entity(shop.session, shop.account_id, ADA).reputation
    assert (before.times_usual, before.days_since_fraud) == (1.0, None)
    now_ms = shop.session.clock()
    label(shop.session, shop.account_id, [fraud], FeedbackStatement(Label.FRAUD), now_ms)
    after = show_entity(shop.session, shop.account_id, ADA).reputation
    assert after.times_usual > 10
    assert after.days_since_fraud in (0, 1)


def test_lists_that_hold_an_entity_or_what_is_around_it_are_named(shop: Recorder) -> None:
    session, account_id = shop.session, shop.account_id
    shop.keep()
    lists.create(session, account_id, NewList("bad-networks", ListKind.NETWORKS))
    lists.create(session, account_id, NewList("bad-users", ListKind.USERS))
    lists.create(session, account_id, NewList("bad-domains", ListKind.DOMAINS))
    around = lists.GivenEntries(("203.0.113.0/24",))
    lists.add(session, account_id, "bad-networks", around, NewEntries(reason="a flood"))
    domain = lists.GivenEntries(("example.com",))
    lists.add(session, account_id, "bad-domains", domain, NewEntries())
    assert list(lists_for(session, account_id, [EntityType.USER])) == [
        *("allowed-users", "bad-users", "blocked-users")
    ]
    put_on_list(session, account_id, ADA, "bad-users", NewEntries(reason="<b>stolen</b>"))
    [held] = show_entity(session, account_id, ADA).lists
    assert (held.list, held.entry.reason, held.status) == ("bad-users", "<b>stolen</b>", "listed")
    assert held.is_itself
    [network] = show_entity(session, account_id, HOUSE).lists
    assert (network.list, network.is_itself) == ("bad-networks", False)
    mailbox = Entity(EntityType.EMAIL, "#" + "ab" * 10)
    assert [each.list for each in show_entity(session, account_id, mailbox).lists] == [
        "bad-domains"
    ]
    with pytest.raises(InvalidInput, match="holds users"):
        put_on_list(session, account_id, ADA, "bad-networks", NewEntries())


def test_an_entity_is_found_by_what_people_type(shop: Recorder) -> None:
    session, account_id = shop.session, shop.account_id
    shop.keep()
    number = find_entity(session, account_id, EntityType.CARD, "4242 4242 4242 4242")
    assert show_entity(session, account_id, number).counts.decisions == 1
    assert find_entity(session, account_id, EntityType.ADDRESS, " 203.0.113.7 ") == HOUSE
    assert find_entity(session, account_id, EntityType.USER, "u-4711") == ADA
    for kind, text in (("card", "12"), ("address", "house"), ("email", "x"), ("user", "  ")):
        with pytest.raises(InvalidInput):
            find_entity(session, account_id, EntityType(kind), text)


def test_another_accounts_entities_do_not_exist(shop: Recorder) -> None:
    shop.keep()
    stranger = shop.session.acting_as(Actor.user("eve", make_account(shop.session)))
    for call in (
        lambda: show_entity(stranger, shop.account_id, ADA),
        lambda: entity_decisions(stranger, shop.account_id, ADA),
        lambda: count_entities(stranger, shop.account_id, [ADA]),
        lambda: EntityTokens(stranger, shop.account_id),
        lambda: find_entity(stranger, shop.account_id, EntityType.USER, "u-4711"),
        lambda: lists_for(stranger, shop.account_id, [EntityType.USER]),
    ):
        with pytest.raises(NotFound):
            call()

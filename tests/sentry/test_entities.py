"""What of a request is remembered, and in what form."""

import math
from typing import Any

import msgspec
import pytest

from gatehouse.core.cards.numbers import KeptCard, MaskedCard
from gatehouse.core.reading.request_reader import RequestReader
from gatehouse.intel.addresses import Address, read_address
from gatehouse.intel.networks import AddressFacts
from gatehouse.sentry.carts import read_cart
from gatehouse.sentry.entities import EntityHasher, address_entity, event_of
from gatehouse.sentry.found.found_inputs import FoundInput, FoundInputs, InputKind
from gatehouse.sentry.memory.memory import Entity, EntityKind, MemoryEvent
from gatehouse.sentry.policy import DEFAULT_POLICY, SentryPolicy
from gatehouse.sentry.request import CartItem, SentryRequest
from gatehouse.sentry.request_view import view_request
from tests.sentry.visits import CHROME

HASHER = EntityHasher(b"k" * 32)
READER = RequestReader(SentryRequest)
NOW = 1_794_735_000.0


class Book:
    """Knows one network."""

    def look(self, address: Address, day: int) -> AddressFacts:
        return AddressFacts(country="DE", asn=3320) if address.text == "8.8.8.8" else AddressFacts()


def event(
    body: dict[str, Any], policy: SentryPolicy = DEFAULT_POLICY, card: KeptCard | None = None
) -> MemoryEvent:
    view = view_request(
        READER.read(msgspec.json.encode(body)),
        NOW,
        Book(),
        None if card is None else MaskedCard(card, "fp1_abc"),
    )
    return event_of("acct_1", view, policy, HASHER)


def entities(
    body: dict[str, Any], policy: SentryPolicy = DEFAULT_POLICY
) -> dict[EntityKind, list[str]]:
    found: dict[EntityKind, list[str]] = {}
    for kind, value in event(body, policy).entities:
        found.setdefault(kind, []).append(value)
    return found


def test_nothing_is_remembered_of_nothing() -> None:
    assert entities({}) == {}


def test_an_address_is_remembered_with_its_network_operator_and_country() -> None:
    assert entities({"device": {"ipAddress": "8.8.8.8"}}) == {
        EntityKind.ADDRESS: ["8.8.8.8"],
        EntityKind.NETWORK: ["8.8.8.0/24"],
        EntityKind.OPERATOR: ["3320"],
        EntityKind.COUNTRY: ["DE"],
    }


@pytest.mark.parametrize("text", ["::ffff:8.8.8.8", "8.8.8.8:443", " 8.8.8.8 "])
def test_other_spellings_of_an_address_are_the_same_entity(text: str) -> None:
    assert entities({"device": {"ipAddress": text}})[EntityKind.ADDRESS] == ["8.8.8.8"]


def test_addresses_of_one_subnet_are_one_entity() -> None:
    for text in ("2a00:1450:4001:80b::200e", "2a00:1450:4001:80b:1:2:3:4"):
        found = entities({"device": {"ipAddress": text}})
        assert found[EntityKind.ADDRESS] == ["2a00:1450:4001:80b::/64"]
        assert found[EntityKind.NETWORK] == ["2a00:1450:4001::/48"]


def test_the_machines_of_a_merchant_who_renews_are_not_the_customers() -> None:
    device = {"ipAddress": "8.8.8.8", "userAgent": CHROME}
    body = {"device": device, "event": {"type": "RECURRING_PURCHASE"}, "account": {"userId": "u"}}
    assert entities(body) == {EntityKind.USER: ["u"]}


@pytest.mark.parametrize("word", ["", " ", "0", 0, -1, "null", "None", "undefined", "GUEST", "n/a"])
def test_what_everybody_sends_is_nobodys_name(word: str | int) -> None:
    body = {
        "account": {"userId": word, "username": str(word)},
        "device": {"sessionId": word},
        "event": {"transactionId": word},
        "customInputs": {"tier": word},
    }
    assert entities(body, SentryPolicy(entities=("tier",))) == {}


def test_who_has_no_id_is_known_by_a_hash_of_the_user_name() -> None:
    (kept,) = entities({"account": {"username": "amelia"}})[EntityKind.USER]
    assert kept == HASHER.hashed("name amelia")
    assert entities({"account": {"username": "amelia", "userId": 7}})[EntityKind.USER] == ["7"]


def test_another_buyer_on_the_same_order_is_not_the_same_transaction() -> None:
    def transaction(**account: str) -> list[str]:
        return entities({"event": {"transactionId": "t1"}, "account": account})[
            EntityKind.TRANSACTION
        ]

    assert transaction(userId="u1") == transaction(userId="u1")
    assert transaction(userId="u1") != transaction(userId="u2")


def test_an_unreadable_address_is_nothing_to_remember() -> None:
    assert entities({"device": {"ipAddress": "unknown"}}) == {}


def test_a_device_is_agent_and_languages_and_a_place_is_that_on_a_network() -> None:
    german = {"ipAddress": "8.8.8.8", "userAgent": CHROME, "acceptLanguage": "de"}
    english = german | {"acceptLanguage": "en"}
    one, other = entities({"device": german}), entities({"device": english})
    assert one[EntityKind.AGENT] == other[EntityKind.AGENT]
    assert one[EntityKind.DEVICE] != other[EntityKind.DEVICE]
    assert one[EntityKind.PLACE][0] == f"{one[EntityKind.DEVICE][0]} 8.8.8.0/24"
    assert one[EntityKind.BROWSER] == ["chrome 156"]
    assert one[EntityKind.SYSTEM] == ["windows"]
    assert CHROME not in str(one)


@pytest.mark.parametrize("value", ["u-17", "17", 17, "Team_A/7", "0b3f-11"])
def test_a_plain_word_stays_readable(value: str | int) -> None:
    assert entities({"account": {"userId": value}})[EntityKind.USER] == [str(value)]


@pytest.mark.parametrize(
    "value",
    [
        "amelia@example.com",
        "+14155550132",
        "4155550132",
        "415-555-0132",
        "Amelia Whitfield",
        "4242424242424242",
        "u-4242424242424242",
        4242424242424242,
        "王小明",
        "a" * 65,
        "line\nbreak",
    ],
)
def test_anything_personal_becomes_a_hash_that_is_always_the_same(value: str | int) -> None:
    (kept,) = entities({"account": {"userId": value}})[EntityKind.USER]
    assert kept.startswith("#")
    assert str(value) not in kept
    assert kept == HASHER.hashed(str(value))


def test_the_same_value_has_another_hash_in_another_installation() -> None:
    assert EntityHasher(b"x" * 32).hashed("amelia@example.com") != HASHER.hashed(
        "amelia@example.com"
    )


def test_a_cart_is_the_same_in_any_order_and_another_with_other_items() -> None:
    lines = [{"itemId": "a", "quantity": 1, "category": "Shoes"}, {"itemId": "b", "quantity": 2}]
    one = entities({"shoppingCart": {"items": lines}})
    other = entities({"shoppingCart": {"items": lines[::-1]}})
    third = entities({"shoppingCart": {"items": lines[:1]}})
    assert one[EntityKind.CART] == other[EntityKind.CART] != third[EntityKind.CART]
    assert one[EntityKind.CATEGORY] == ["shoes"]


def test_a_cart_whose_lines_have_no_names_is_like_no_other() -> None:
    found = entities({"shoppingCart": {"items": [{"category": "shoes"}, {"itemId": 1}]}})
    assert EntityKind.CART not in found


@pytest.mark.parametrize(
    "word",
    ["zelda@example.com", "x" * 52 + "4242424242424242", "call 415 555 0132", "a" * 200, "\0"],
)
def test_a_category_that_could_be_about_a_person_is_hashed(word: str) -> None:
    items = [{"itemId": 1, "category": word}]
    assert entities({"shoppingCart": {"items": items}})[EntityKind.CATEGORY] == [
        HASHER.hashed(word)
    ]


def test_a_browser_that_calls_itself_an_address_is_hashed() -> None:
    found = entities({"device": {"userAgent": "zelda.fitzgerald@secretmail.example/1.0"}})
    assert "zelda" not in str(found)


def test_only_real_currencies_are_remembered() -> None:
    assert event({"order": {"amount": 5, "currency": "45391488"}}).currency is None


def test_codes_are_remembered_once_each_whatever_their_case() -> None:
    body = {"order": {"discountCodes": ["save10", "SAVE10 ", "x"], "affiliateId": "a1"}}
    found = entities(body)
    assert found[EntityKind.DISCOUNT] == ["SAVE10", "X"]
    assert found[EntityKind.AFFILIATE] == ["a1"]


def test_a_thousand_codes_and_categories_are_not_all_remembered() -> None:
    items = [{"itemId": n, "category": f"c{n}"} for n in range(1000)]
    codes = [f"k{n}" for n in range(1000)]
    found = entities({"order": {"discountCodes": codes}, "shoppingCart": {"items": items}})
    assert len(found[EntityKind.DISCOUNT]) == 5
    assert len(found[EntityKind.CATEGORY]) == 5


def test_only_declared_custom_inputs_are_remembered() -> None:
    body = {"customInputs": {"tier": "gold", "phone": "+14155550132", "list": [1], "n": 1.5}}
    assert entities(body) == {}
    found = entities(body, SentryPolicy(entities=("tier", "phone", "list", "n", "absent")))
    assert found[EntityKind.CUSTOM] == [
        "tier=gold",
        f"phone={HASHER.hashed('+14155550132')}",
        "n=1.5",
    ]


@pytest.mark.parametrize(
    ("facts", "country"),
    [
        (AddressFacts(country="DE"), "DE"),
        (AddressFacts(country="DE", vpn=1.0), None),
        (AddressFacts(country="DE", relay=1.0), None),
        (AddressFacts(country="DE", mobile=True), None),
    ],
)
def test_where_somebody_is_is_known_only_when_the_address_can_be_believed(
    facts: AddressFacts, country: str | None
) -> None:
    class Elsewhere:
        def look(self, address: Address, day: int) -> AddressFacts:
            return facts

    request = READER.read(b'{"device": {"ipAddress": "8.8.4.4"}}')
    view = view_request(request, NOW, Elsewhere(), None)
    assert event_of("acct_1", view, DEFAULT_POLICY, HASHER).whereabouts == country


def test_a_card_of_a_pipeline_is_remembered_by_fingerprint() -> None:
    card = KeptCard("VISA", "42424242", "4242", "2030-12", "GB", "CREDIT", False, "card1_x")
    found = dict(event({}, card=card).entities)
    assert found == {
        EntityKind.CARD: "fp1_abc",
        EntityKind.BIN: "42424242",
        EntityKind.ISSUER: "GB",
    }


def test_the_issuer_of_a_card_is_remembered_only_when_it_is_known() -> None:
    card = KeptCard(None, "42424242", "4242", "2030-12", None, None, None, "card1_x")
    assert EntityKind.ISSUER not in dict(event({}, card=card).entities)


def test_what_other_inputs_told_is_remembered_behind_the_rest_and_once() -> None:
    view = view_request(READER.read(b'{"device": {"ipAddress": "8.8.8.8"}}'), NOW, Book(), None)
    more = [
        (EntityKind.EMAIL, "#e"),
        (EntityKind.ADDRESS, "8.8.8.8"),
        (EntityKind.ADDRESS, "9.9.9.9"),
    ]
    found = event_of("acct_1", view, DEFAULT_POLICY, HASHER, more).entities
    assert list(found[-2:]) == [(EntityKind.EMAIL, "#e"), (EntityKind.ADDRESS, "9.9.9.9")]
    assert [value for kind, value in found if kind is EntityKind.ADDRESS] == ["8.8.8.8", "9.9.9.9"]


@pytest.mark.parametrize(
    ("text", "value"),
    [("8.8.8.8", "8.8.8.8"), ("2a00:1450:4001:80b::200e", "2a00:1450:4001:80b::/64")],
)
def test_an_address_by_itself_is_the_same_entity_as_that_of_a_device(text: str, value: str) -> None:
    address = read_address(text)
    assert address is not None
    assert address_entity(address) == (EntityKind.ADDRESS, value)
    assert entities({"device": {"ipAddress": text}})[EntityKind.ADDRESS] == [value]


def test_the_amount_counts_only_when_it_could_be_paid() -> None:
    assert event({"order": {"amount": 59.9, "currency": "eur"}}).amount == 59.9
    assert event({"order": {"amount": 59.9, "currency": "eur"}}).currency == "EUR"
    assert event({"order": {"amount": -1}}).amount is None


@pytest.mark.parametrize(
    ("timestamp", "at_s"),
    [
        ("2026-11-15T09:29:00Z", NOW - 60),
        ("2026-11-10T09:30:00Z", NOW - 5 * 86_400),
        ("1970-01-01T00:00:00Z", NOW),
        ("2199-01-01T00:00:00Z", NOW),
    ],
)
def test_the_time_of_the_event_counts_when_it_is_plausible(timestamp: str, at_s: float) -> None:
    assert event({"event": {"timestamp": timestamp}}).at_s == at_s


# ---- Goods -------------------------------------------------------------------------------------


def goods(*lines: dict[str, Any]) -> list[tuple[str, str]]:
    """What is remembered of a cart's goods, in order."""
    kinds = (EntityKind.SHELF, EntityKind.ARTICLE, EntityKind.MIX)
    found = event({"shoppingCart": {"items": list(lines)}}).entities
    return [(kind.name, value) for kind, value in found if kind in kinds]


def odd_goods(word: str, price: float | None) -> list[Entity]:
    """The same of one line that JSON could not tell."""
    view = view_request(READER.read(b"{}"), NOW, Book(), None)
    view.items = [CartItem(item_id=word, category=word, price=price)]
    view.cart = read_cart(view.items, "USD")
    found = event_of("acct_1", view, DEFAULT_POLICY, HASHER).entities
    return [
        each for each in found if each[0] in (EntityKind.SHELF, EntityKind.ARTICLE, EntityKind.MIX)
    ]


def test_goods_are_remembered_at_about_their_prices_each_behind_its_shelf() -> None:
    found = goods(
        {"itemId": "a", "category": "Shoes", "price": 64},
        {"itemId": "b", "category": "Hats", "price": 16, "quantity": 4},
    )
    assert found == [
        ("SHELF", "shoes@12"),
        ("ARTICLE", "a@48"),
        ("SHELF", "hats@8"),
        ("ARTICLE", "b@32"),
        ("MIX", "hats+shoes@14"),
    ]


@pytest.mark.parametrize(
    ("price", "shelf", "article"),
    [(64, 12, 48), (69, 12, 48), (70, 12, 49), (90, 12, 51), (91, 13, 52), (1, 0, 0), (0, 0, 0)],
)
def test_nearly_the_same_price_is_the_same_offer(price: float, shelf: int, article: int) -> None:
    found = dict(goods({"itemId": "a", "category": "shoes", "price": price}))
    assert (found["SHELF"], found["ARTICLE"]) == (f"shoes@{shelf}", f"a@{article}")


@pytest.mark.parametrize("price", [None, -5.0, math.inf])
def test_what_has_no_price_is_not_remembered_by_it(price: float | None) -> None:
    assert odd_goods("shoes", price) == []


@pytest.mark.parametrize(
    "word", ["Home and Garden", "HOME & GARDEN", "home-garden", "home_garden", " Home / Garden "]
)
def test_one_category_written_in_several_ways_is_one_shelf(word: str) -> None:
    assert goods({"category": word, "price": 10})[0] == ("SHELF", "home garden@6")


def test_the_mixture_is_the_same_in_any_order_and_names_each_category_once() -> None:
    shoes, hats = {"category": "Shoes", "price": 8}, {"category": "Hats", "price": 8}
    one, other = goods(shoes, hats, shoes), goods(hats, shoes, shoes)
    assert one[-1] == other[-1] == ("MIX", "hats+shoes@9")


def test_a_long_mixture_is_hashed() -> None:
    lines = [{"category": f"category {n} of goods", "price": 8} for n in range(8)]
    kind, value = goods(*lines)[-1]
    assert kind == "MIX"
    assert value.startswith("#")
    assert len(value) < 40
    assert goods(*lines[::-1])[-1] == (kind, value)


def test_a_mixture_needs_a_total_and_an_article_needs_no_category() -> None:
    assert goods({"itemId": "a", "price": 8}) == [("ARTICLE", "a@24")]
    kinds = [kind for kind, _ in goods({"category": "hats", "price": 8}, {"category": "shoes"})]
    assert kinds == ["SHELF"]


def test_of_a_long_cart_the_first_lines_are_remembered() -> None:
    lines = [{"itemId": f"i{n}", "category": f"c{n}", "price": 5} for n in range(100)]
    kinds = [kind for kind, _ in goods(*lines)]
    assert (kinds.count("SHELF"), kinds.count("ARTICLE"), kinds.count("MIX")) == (10, 10, 1)


@pytest.mark.parametrize(
    "word",
    ["zelda@example.com", "zelda.fitzgerald@example.com", "4242-4242-4242-4242", "+1 415 555 0132"],
)
def test_nobody_is_named_by_goods(word: str) -> None:
    found = str(goods({"itemId": word, "category": word, "price": 20})).casefold()
    for part in ("zelda", "fitzgerald", "example", "4242", "415"):
        assert part not in found.replace(HASHER.hashed(word), "")


@pytest.mark.parametrize("word", ["", " ", "\0", "\ud800", "&", "and", "x" * 60_000, "é" * 300])
def test_odd_words_are_no_trouble(word: str) -> None:
    assert all(len(value) < 110 for _, value in odd_goods(word, 20.0))


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        ({"amount": 5.0, "currency": "USD"}, ["USD"]),
        ({"amount": 5.01, "currency": "USD"}, None),
        ({"amount": 500, "currency": "jpy"}, ["JPY"]),
        ({"amount": 1.0}, ["-"]),
        ({"amount": 1.0, "currency": "4242424242424242"}, ["-"]),
        ({"amount": 0, "currency": "USD"}, None),
        ({"currency": "USD"}, None),
    ],
)
def test_small_orders_are_remembered_together_by_currency(
    order: dict[str, Any], expected: list[str] | None
) -> None:
    assert entities({"order": order}).get(EntityKind.SMALL) == expected
    renewal = {"order": order, "event": {"type": "RECURRING_PURCHASE"}}
    assert EntityKind.SMALL not in entities(renewal)


def test_an_account_behind_a_card_is_remembered_before_its_number() -> None:
    kept = KeptCard(
        brand="VISA",
        bin="42424242",
        last_four="4242",
        expiry=None,
        country=None,
        funding=None,
        prepaid=None,
        fingerprint="card1_number",
        account_fingerprint="card1_account",
    )
    body = {"event": {"transactionId": "t-1"}}
    view = view_request(
        *(READER.read(msgspec.json.encode(body)), NOW, Book()),
        MaskedCard(kept, "fp1_number", "fp1_account"),
    )
    found = event_of("acct_1", view, DEFAULT_POLICY, HASHER).entities
    assert [value for kind, value in found if kind is EntityKind.CARD] == [
        *("fp1_account", "fp1_number"),
    ]
    # Another token of the account on the same order is the same attempt.
    assert (EntityKind.TRANSACTION, "t-1 card1_account") in found


def test_the_first_few_texts_of_a_list_are_remembered() -> None:
    makers = ["ACME", "ACME", 7, "unknown", *(f"M{n}" for n in range(50))]
    found = entities({"customInputs": {"make": makers}}, SentryPolicy(entities=("make",)))
    assert found[EntityKind.CUSTOM] == ["make=ACME", "make=M0", "make=M1", "make=M2"]


def test_what_was_found_is_remembered_as_what_was_declared() -> None:
    body = {"customInputs": {"plan": "plus", "device": "d-7", "tier": "gold", "no": "x"}}
    found = FoundInputs(
        (
            FoundInput("plan", 1, InputKind.CATEGORY),
            FoundInput("device", 1, InputKind.IDENTIFIER),
            FoundInput("tier", 1, InputKind.CATEGORY),
            FoundInput("no", 1, InputKind.IDENTIFIER, refused=True),
        )
    )
    view = view_request(READER.read(msgspec.json.encode(body)), NOW, Book(), None)
    policy = SentryPolicy(entities=("tier",))
    noted = event_of("acct_1", view, policy, HASHER, (), found).entities
    # What should belong to one person comes first, and nothing twice.
    assert noted == [
        (EntityKind.CUSTOM, "tier=gold"),
        (EntityKind.CUSTOM, "device=d-7"),
        (EntityKind.CUSTOM, "~plan=plus"),
    ]
    assert view.own_inputs == 2

"""What an analyst expects of the score, told as stories, from request to confidence."""

from itertools import pairwise
from typing import Any

import msgspec
import pytest

from tests.sentry.visits import (
    ALLOWED,
    BLOCKED,
    CARD,
    CHROME,
    DAY,
    ENGLISH,
    FORBIDDEN,
    GERMAN,
    HEADLESS,
    HOME,
    HOSTING,
    HOUR,
    IPHONE,
    MINUTE,
    NIGERIAN,
    NOW,
    OLD_CHROME,
    OTHER_HOME,
    PHONE,
    PROXY,
    RELAY,
    TOR,
    VPN,
    Merchant,
    cart,
    device,
    effect_of,
    order,
    score,
    visit,
)

PRIOR = 0.60
SHOES = {"itemId": "a", "category": "shoes", "price": 45.0, "quantity": 1}
SOCKS = {"itemId": "b", "category": "socks", "price": 4.5, "quantity": 2}


def _regulars(merchant: Merchant, users: int = 30) -> Merchant:
    """People who each have a home, a device, and an order every other day for a month."""
    for number in range(users):
        agent = IPHONE if number % 3 else CHROME
        for turn in range(6):
            at_s = NOW - 30 * DAY + (turn * 5 + number / users) * DAY
            amount = 20.0 + 7 * ((number + turn) % 12)
            merchant.view(
                visit(f"regular-{number}", f"68.{number}.2.3", agent, amount=amount), at_s
            )
    return merchant


def _loyal(orders: int = 12, **user: Any) -> Merchant:
    """A merchant with regulars, one of them `user-1`, whose last order was a day ago."""
    merchant = _regulars(Merchant())
    for turn in range(orders):
        body = visit(amount=50.0 + turn, **user)
        merchant.view(body, NOW - DAY - (orders - 1 - turn) * 2 * DAY)
    return merchant


# ---- Nothing, little, everything ---------------------------------------------------------------


def test_a_request_that_says_nothing_gets_the_prior() -> None:
    bodies: list[dict[str, Any]] = [
        {},
        {"device": {}},
        {"event": {"type": "PURCHASE"}},
        {"customInputs": {}},
    ]
    for body in bodies:
        scored = score(body)
        assert scored.confidence == pytest.approx(PRIOR)
        assert scored.ip_confidence == pytest.approx(PRIOR)
        assert scored.effects == []


def test_each_piece_of_ordinary_context_raises_the_confidence() -> None:
    pieces: list[dict[str, Any]] = [
        {},
        device(ip=HOME),
        device(ip=HOME, agent=CHROME),
        device(ip=HOME, agent=CHROME, languages=ENGLISH),
        device(ip=HOME, agent=CHROME, languages=ENGLISH, sessionAge=340),
        visit(None),
        visit(),
        visit(amount=54.0) | cart(SHOES, SOCKS, amount=54.0),
    ]
    scores = [score(piece).confidence for piece in pieces]
    assert all(later > earlier for earlier, later in pairwise(scores)), scores
    assert 0.85 <= scores[-1] <= 0.92


@pytest.mark.parametrize(
    "piece",
    [
        device(ip=HOME),
        device(agent=CHROME),
        device(agent=IPHONE),
        device(sessionAge=340),
        order(),
        {"account": {"userId": "u"}},
        cart(SHOES, amount=45.0),
    ],
)
def test_one_ordinary_group_alone_raises_it_a_little(piece: dict[str, Any]) -> None:
    assert PRIOR < score(piece).confidence < 0.75


def test_it_does_not_matter_where_in_the_world_the_ordinary_buyer_lives() -> None:
    american = score(visit())
    german = score(visit(ip=GERMAN, languages="de-DE,de;q=0.9") | order(59.9, "EUR"))
    assert german.confidence == pytest.approx(american.confidence)


# ---- Addresses ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ip", "least", "most"),
    [
        (HOSTING, 0.40, 0.55),
        (VPN, 0.40, 0.50),
        ("10.0.0.1", 0.30, 0.40),
        ("nonsense", 0.25, 0.40),
        (PROXY, 0.15, 0.30),
        (TOR, 0.08, 0.20),
        (FORBIDDEN, 0.0, 0.10),
        (BLOCKED, 0.0, 0.05),
        (ALLOWED, 0.80, 0.90),
    ],
)
def test_an_address_alone(ip: str, least: float, most: float) -> None:
    scored = score(device(ip=ip))
    assert least <= scored.confidence <= most
    assert scored.ip_confidence == scored.confidence


def test_a_tor_exit_with_a_headless_browser_is_all_but_certain() -> None:
    scored = score(device(ip=TOR, agent=HEADLESS))
    assert scored.confidence <= 0.05
    assert [code for code, _ in scored.effects] == ["IP_TOR_EXIT", "UA_HEADLESS"]


def test_good_manners_do_not_save_a_tor_exit_with_a_headless_browser() -> None:
    body = visit(ip=TOR, agent=HEADLESS, languages="de-DE") | cart(SHOES, amount=45.0)
    assert score(body).confidence <= 0.10


def test_a_data_centre_does_not_damn_an_ordinary_order() -> None:
    assert score(visit(ip=HOSTING)).confidence > PRIOR


def test_what_says_the_same_of_an_address_counts_once() -> None:
    """The Tor exit stands in a data centre, as most do."""
    assert effect_of(score(device(ip=TOR)), "IP_HOSTING") is None


def test_an_icloud_relay_is_not_a_vpn() -> None:
    assert score(device(ip=RELAY)).confidence == pytest.approx(PRIOR)
    assert score(visit(ip=RELAY)).confidence > 0.8
    assert score(visit(ip=RELAY)).confidence > score(visit(ip=VPN)).confidence + 0.1


def test_a_blocked_address_stays_low_in_the_best_company() -> None:
    assert score(visit(ip=BLOCKED)).confidence < 0.15


def test_the_score_of_the_address_knows_nothing_else() -> None:
    assert score(visit(ip=HOSTING, agent=HEADLESS)).ip_confidence == pytest.approx(
        score(device(ip=HOSTING)).confidence
    )


# ---- Devices -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("agent", "least", "most"),
    [
        ("python-requests/2.32.3", 0.12, 0.20),
        ("curl/8.5.0", 0.12, 0.20),
        (HEADLESS, 0.10, 0.20),
        ("Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)", 0.15, 0.25),
        ("", 0.25, 0.40),
        (CHROME.replace("156", "400"), 0.15, 0.30),
        (OLD_CHROME, 0.35, 0.50),
    ],
)
def test_a_user_agent_alone(agent: str, least: float, most: float) -> None:
    assert least <= score(device(agent=agent)).confidence <= most


def test_a_program_in_a_data_centre_is_worse_than_either() -> None:
    both = score(device(ip=HOSTING, agent="curl/8.5.0")).confidence
    assert both < score(device(agent="curl/8.5.0")).confidence
    assert both < score(device(ip=HOSTING)).confidence
    assert both < 0.2


def test_an_order_within_a_second_of_arriving_is_no_person_s() -> None:
    assert score(device(sessionAge=1)).confidence < 0.45
    assert score(device(sessionAge=340)).confidence > PRIOR


# ---- People who come again ---------------------------------------------------------------------


def test_a_known_user_on_the_usual_network_scores_high() -> None:
    scored = _loyal().score(visit(amount=66.0))
    assert scored.confidence >= 0.95
    assert {"ACCOUNT_TRUSTED", "ACCOUNT_USUAL"} <= dict(scored.effects).keys()


def test_a_known_user_scores_higher_than_a_stranger_from_the_first_weeks_on() -> None:
    merchant = Merchant()
    times = [NOW - (8 - turn) * 1.2 * DAY for turn in range(8)]
    scores = [merchant.score(visit(), at_s).confidence for at_s in times]
    assert scores == sorted(scores)
    assert scores[-1] > scores[0] + 0.04


def test_a_loyal_customer_s_large_order_stays_high() -> None:
    scored = _loyal().score(visit(amount=1_500.0))
    assert scored.confidence >= 0.8
    assert (effect_of(scored, "ORDER_AMOUNT_ABOVE_USER") or 0) < 0


def test_a_stranger_s_large_order_does_not() -> None:
    merchant = _loyal()
    large = merchant.score(visit("new", OTHER_HOME, amount=5_000.0))
    usual = _loyal().score(visit("new", OTHER_HOME))
    assert large.confidence < usual.confidence - 0.05
    assert large.confidence < _loyal().score(visit(amount=5_000.0)).confidence


def test_a_new_phone_is_no_catastrophe() -> None:
    assert _loyal().score(visit(agent=IPHONE)).confidence > 0.85


def test_an_update_of_the_browser_is_nothing() -> None:
    updated = _loyal().score(visit(agent=CHROME.replace("156", "157"), amount=60.0))
    assert updated.confidence >= 0.95


def test_a_loyal_customer_may_travel() -> None:
    assert _loyal().score(visit(ip=GERMAN), NOW + 2 * DAY).confidence > 0.75


def test_an_account_that_was_taken_over_falls() -> None:
    """Another continent an hour later, another device, another kind of order."""
    merchant = _loyal()
    before = merchant.score(visit(), NOW).confidence
    taken = merchant.score(visit(ip=NIGERIAN, agent=IPHONE, amount=900.0), NOW + HOUR)
    assert taken.confidence < 0.55 < before
    assert effect_of(taken, "ACCOUNT_TRUSTED") is None
    assert (effect_of(taken, "ACCOUNT_IMPOSSIBLE_TRAVEL") or 0) < -1


def test_an_account_of_somebody_who_orders_all_the_time_falls_as_well() -> None:
    merchant = _regulars(Merchant())
    for turn in range(60):
        merchant.view(visit(amount=50.0 + turn % 7), NOW - 31 * DAY + turn * DAY / 2)
    own = merchant.score(visit(amount=55.0), NOW).confidence
    taken = merchant.score(visit(ip=NIGERIAN, agent=IPHONE, amount=55.0), NOW + 2 * DAY)
    assert own > 0.95
    assert taken.confidence < 0.75
    assert effect_of(taken, "ACCOUNT_TRUSTED") is None


def test_switching_a_vpn_off_is_no_journey() -> None:
    merchant = Merchant()
    merchant.view(visit(ip=GERMAN), NOW - DAY)
    merchant.view(visit(ip=VPN), NOW - HOUR)
    back = merchant.score(visit(ip=GERMAN))
    assert effect_of(back, "ACCOUNT_IMPOSSIBLE_TRAVEL") is None


def test_a_session_that_is_kept_for_months_sees_its_browser_updated() -> None:
    merchant = Merchant()
    for version in (154, 155, 156):
        body = visit(session="remember-me", agent=CHROME.replace("156", str(version)))
        scored = merchant.score(body, NOW - (156 - version) * 28 * DAY)
    assert effect_of(scored, "SESSION_UA_CHANGED") is None
    assert scored.confidence > 0.85


def test_a_session_that_was_copied_falls() -> None:
    merchant = Merchant()
    own = merchant.score(visit(session="s"), NOW).confidence
    copied = merchant.score(visit(session="s", ip=GERMAN, agent=HEADLESS), NOW + MINUTE).confidence
    assert own > 0.85
    assert copied < 0.1


# ---- Many --------------------------------------------------------------------------------------


def _burst(
    times: int, ip: str = HOME, agent: str = CHROME, merchant: Merchant | None = None
) -> list[float]:
    """One new account after another, every half minute."""
    merchant = merchant or Merchant()
    return [
        merchant.score(visit(f"burst-{turn}", ip, agent), NOW + turn * MINUTE / 2).confidence
        for turn in range(times)
    ]


@pytest.mark.parametrize(
    "merchant", [Merchant(), _regulars(Merchant())], ids=["fresh", "with regulars"]
)
def test_a_burst_of_accounts_from_one_address_falls_step_by_step(merchant: Merchant) -> None:
    scores = _burst(20, merchant=merchant)
    assert all(later <= earlier for earlier, later in pairwise(scores)), scores
    first, fifth, tenth, last = scores[0], scores[4], scores[9], scores[19]
    assert fifth < first - 0.05
    assert tenth < fifth - 0.1
    assert last < tenth - 0.2
    assert last < 0.35


def test_a_burst_is_no_excuse_for_the_bursts_of_the_next_days() -> None:
    merchant, first = Merchant(), Merchant().score(visit("first")).confidence
    for turn in range(500):
        merchant.view(visit(f"burst-{turn}"), NOW + turn * MINUTE)
    for day in (1, 2, 3):
        for turn in range(100):
            at_s = NOW + day * DAY + turn * 5 * MINUTE
            scored = merchant.score(visit(f"burst-{day}-{turn}"), at_s)
        assert scored.confidence < 0.4 < first, day


def test_an_office_becomes_known_within_weeks() -> None:
    merchant = Merchant()
    for day in range(20):
        for turn in range(10):
            at_s = NOW + day * DAY + turn * 15 * MINUTE
            scored = merchant.score(visit(f"colleague-{(day * 7 + turn) % 60}"), at_s)
    assert scored.confidence > 0.85


def test_a_flood_of_guests_from_one_home_falls_low() -> None:
    merchant = Merchant()
    scores = [merchant.score(visit(None), NOW + turn * 3.6).confidence for turn in range(1_000)]
    assert all(later <= earlier for earlier, later in pairwise(scores))
    assert scores[9] < scores[0] - 0.04
    assert scores[99] < 0.4
    assert scores[-1] < 0.25


def test_two_people_in_one_household_are_no_burst() -> None:
    scores = _burst(2)
    assert scores[1] == scores[0]


@pytest.mark.parametrize("ip", [PHONE, RELAY, ALLOWED])
def test_the_address_of_a_phone_network_is_shared_by_many(ip: str) -> None:
    scores = _burst(20, ip, IPHONE)
    assert scores[-1] == scores[0]


def test_the_burst_lowers_the_score_of_its_address() -> None:
    merchant = Merchant()
    addresses = [
        merchant.score(visit(f"burst-{turn}"), NOW + turn * MINUTE).ip_confidence
        for turn in range(20)
    ]
    assert addresses[-1] < 0.2 < addresses[0]


def test_a_burst_that_changes_its_address_is_seen_by_its_network() -> None:
    merchant, scores = Merchant(), []
    for turn in range(25):
        body = visit(f"burst-{turn}", f"24.1.2.{turn + 10}")
        scores.append(merchant.score(body, NOW + turn * MINUTE).confidence)
    assert scores[-1] < scores[0] - 0.3


def test_a_day_after_the_burst_the_neighbours_suffer_less() -> None:
    merchant = Merchant()
    worst = _burst(20, merchant=merchant)[-1]
    a_day_later = merchant.score(visit("neighbour"), NOW + 26 * HOUR).confidence
    assert a_day_later > worst + 0.3


def test_a_card_that_is_tested_with_small_amounts_falls() -> None:
    merchant, scores = Merchant(), []
    for turn in range(10):
        body = visit(None, amount=1.0, session="s")
        scores.append(merchant.score(body, NOW + turn * MINUTE, CARD).confidence)
    assert all(later <= earlier for earlier, later in pairwise(scores)), scores
    assert scores[4] < scores[0] - 0.2
    assert scores[-1] < 0.25


def test_many_cards_tried_from_one_address_fall_faster_still() -> None:
    merchant, scores = Merchant(), []
    for turn in range(12):
        card = msgspec.structs.replace(CARD, fingerprint=f"card-{turn}")
        scores.append(merchant.score(visit(None, amount=1.0), NOW + turn * MINUTE, card).confidence)
    assert scores[-1] < 0.15


@pytest.mark.parametrize("user", [None, "one"], ids=["guest", "user"])
def test_cards_tried_in_one_session_fall_however_the_address_changes(user: str | None) -> None:
    merchant, scores = Merchant(), []
    for turn in range(60):
        card = msgspec.structs.replace(CARD, fingerprint=f"card-{turn}")
        body = visit(user, f"24.{turn}.2.3", amount=20.0, session="one")
        scores.append(merchant.score(body, NOW + turn * MINUTE / 3, card).confidence)
    assert scores[2] > 0.8
    assert scores[9] < 0.6
    assert scores[-1] < 0.25


def test_cards_tried_by_one_user_fall_however_address_and_session_change() -> None:
    merchant = Merchant()
    for turn in range(60):
        card = msgspec.structs.replace(CARD, fingerprint=f"card-{turn}")
        body = visit("one", f"24.{turn}.2.3", amount=20.0, session=f"session-{turn}")
        scored = merchant.score(body, NOW + turn * MINUTE / 3, card)
    assert scored.confidence < 0.25
    assert (effect_of(scored, "VEL_ACCOUNT_CARDS") or 0) < -2


def test_dozens_of_orders_in_one_session_fall_though_no_card_is_known() -> None:
    merchant, scores = Merchant(), []
    for turn in range(60):
        body = visit(None, f"24.{turn}.2.3", amount=25.0, session="one")
        scores.append(merchant.score(body, NOW + turn * MINUTE / 3).confidence)
    assert scores[3] > 0.8
    assert scores[-1] < 0.3


def _sale(ip: str) -> list[float]:
    """Sixty users buy the one article that is on sale, with the code for it, within an hour."""
    merchant, article = Merchant(), {"itemId": "one", "price": 70.0, "quantity": 1}
    sale = cart(article, amount=55.0, discountCodes=["FLASH"])
    return [
        merchant.score(
            visit(f"user-{turn}", ip.format(turn)) | sale, NOW + turn * MINUTE
        ).confidence
        for turn in range(60)
    ]


def test_a_sale_brings_many_buyers_of_one_thing_and_harms_none() -> None:
    assert min(_sale("24.{}.2.3")) >= 0.80


def test_the_same_cart_from_many_accounts_of_one_network_falls() -> None:
    scores = _sale("24.1.2.{}")
    assert scores[0] > 0.8
    assert scores[-1] < 0.4


def test_tickets_with_a_fee_are_carts_like_each_other() -> None:
    merchant, lines = (
        Merchant(),
        ({"itemId": "concert", "price": 50.0}, {"itemId": "fee", "price": 5.0}),
    )
    for turn in range(30):
        body = visit(f"user-{turn}", f"24.{turn}.2.3") | cart(*lines, amount=55.0)
        scored = merchant.score(body, NOW + turn * MINUTE)
    assert scored.confidence >= 0.80


def test_a_customer_who_pays_again_after_a_failure_does_not() -> None:
    merchant = Merchant()
    first = merchant.score(visit(), NOW, CARD).confidence
    again = merchant.score(visit(), NOW + MINUTE, CARD).confidence
    assert again == first


def test_sending_a_transaction_again_changes_nothing() -> None:
    merchant, scores = _regulars(Merchant()), []
    for _ in range(15):
        body = visit("once", event={"type": "PURCHASE", "transactionId": "t-1"})
        scores.append(merchant.score(body).confidence)
    assert len(set(scores)) == 1


# ---- Contradictions ----------------------------------------------------------------------------


def test_a_card_from_afar_lowers_and_one_from_home_raises() -> None:
    far = msgspec.structs.replace(CARD, country="BR")
    near, nothing = score(visit(), CARD).confidence, score(visit()).confidence
    assert score(visit(), far).confidence < nothing - 0.05 < near


def test_behind_a_relay_a_card_from_afar_says_nothing() -> None:
    far = msgspec.structs.replace(CARD, country="BR")
    assert score(visit(ip=RELAY), far).confidence == score(visit(ip=RELAY)).confidence


def test_a_clock_set_for_the_other_side_of_the_world_lowers() -> None:
    there = visit(customInputs={"timezone": "Asia/Ho_Chi_Minh"})
    here = visit(customInputs={"timezone": "America/Chicago"})
    assert score(there).confidence < score(here).confidence - 0.1


def test_a_cart_that_does_not_add_up_lowers() -> None:
    right, wrong = cart(SHOES, SOCKS, amount=54.0), cart(SHOES, SOCKS, amount=2.0)
    assert score(wrong).confidence < PRIOR < score(right).confidence


def test_gift_cards_weigh_a_little() -> None:
    body = cart({"itemId": "g", "category": "Gift cards", "price": 200.0}, amount=200.0)
    shoes = cart({"itemId": "s", "category": "Shoes", "price": 200.0}, amount=200.0)
    assert 0.5 < score(body).confidence < score(shoes).confidence


def test_a_renewal_without_a_device_is_fine() -> None:
    body = {"event": {"type": "RECURRING_PURCHASE"}, "account": {"userId": "u"}} | order()
    assert score(body).confidence > 0.65


@pytest.mark.parametrize(
    ("ip", "agent", "amount"),
    [(HOSTING, "billing/1.0", 9.99), (HOME, "python-requests/2.32.3", 0.99), ("10.0.0.1", "", 5.0)],
)
def test_renewals_that_the_merchant_s_server_sends_are_fine(
    ip: str, agent: str, amount: float
) -> None:
    merchant, far = Merchant(), msgspec.structs.replace(CARD, country="BR")
    for turn in range(300):
        body = device(ip=ip, agent=agent) | order(amount)
        body |= {"event": {"type": "RECURRING_PURCHASE"}, "account": {"userId": f"user-{turn}"}}
        card = msgspec.structs.replace(far, fingerprint=f"card-{turn}")
        scored = merchant.score(body, NOW + turn, card)
    assert scored.confidence > 0.65
    assert [code for code, effect in scored.effects if effect < 0] == []


def test_a_renewal_through_tor_with_a_steered_browser_is_none() -> None:
    body = visit(ip=TOR, agent=HEADLESS, event={"type": "RECURRING_PURCHASE"})
    assert score(body).confidence <= 0.10


def test_an_order_that_a_code_made_free_is_an_order() -> None:
    free = cart({"itemId": "a", "price": 20.0}, amount=0.0, discountCodes=["FREE"])
    assert score(visit() | free).confidence > 0.8


def test_a_discount_written_as_a_line_is_a_discount() -> None:
    lines = ({"itemId": "a", "price": 50.0}, {"itemId": "discount", "price": -10.0})
    honest = score(visit() | cart(*lines, amount=40.0))
    assert honest.confidence > 0.85
    assert score(visit() | cart(*lines, amount=1.0)).confidence < honest.confidence - 0.1

"""What happens at the demo shop: ordinary orders, small troubles, and six kinds of fraud."""

import random
from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import Any, Final, NamedTuple

from gatehouse.admin.sandbox.use_cases.past import NUMBER
from scripts.demo_past.customers import (
    DemoCustomer,
    DemoItem,
    new_address,
    new_card,
    new_customer,
    new_device,
    new_visit,
    purchase,
)
from scripts.demo_past.made_up_values import COUNTRIES, GOODS, VALUABLE, DemoHolder

MINUTE_MS: Final = 60_000
HOUR_MS: Final = 60 * MINUTE_MS

# The sandbox's own addresses and its best known cards stay out of it: what Sentry would learn about
# them here would change the answers that the pages of the documentation show.
_RENTED: Final = "51.38.20"
"""A network of rented servers; addresses in it are made up."""
_FRAUD_CARDS: Final = ("40000025", "40000566", "54545454")
_WRONG_CODE: Final = "200"
_THROWN_AWAY: Final = "mailinator.com"
_STOLEN: Final = "4000000000009979"
_SHORT_OF_FUNDS: Final = "4000000000009995"
ODD_CARDS: Final = (
    "4000000000000069",  # expired at the issuer: INPUT_ERROR
    "4000000000000127",  # the issuer stays silent
    "4000000000000010",  # neither street nor postal code match
    "4242424242424259",  # unknown to the issuer: INPUT_ERROR
    "4000000000000259",  # the gateway stays silent
    "4000000000000341",  # declined by the gateway
    "4000000000000119",  # the issuer asks to try again
    "4000000000000044",  # the address cannot be verified
)
"""Cards of the sandbox that do not simply work."""


class DemoTruth(StrEnum):
    """What is behind an order; the engine is not told."""

    HONEST = "HONEST"
    FRAUD = "FRAUD"
    FRIENDLY = "FRIENDLY"
    """A customer who has the goods, and takes the money back."""


class DemoDraft(NamedTuple):
    """An order before it has its number, which follows from its time."""

    at_ms: int
    """Since the midnight with which the past begins."""
    body: dict[str, Any]
    truth: DemoTruth = DemoTruth.HONEST
    operation: str = "pipeline"


def ordinary(dice: random.Random, who: DemoCustomer, at_ms: int) -> Iterator[DemoDraft]:
    """An order of a customer, with the small troubles that some have."""
    trouble = dice.random()
    if trouble < 0.008:
        poor = who._replace(card=_SHORT_OF_FUNDS)
        yield DemoDraft(at_ms, _bought(dice, poor))
        at_ms += dice.randrange(1, 4) * MINUTE_MS
    elif trouble < 0.036:
        # A present for somebody abroad.
        yield DemoDraft(at_ms, _bought(dice, who, shipping=dice.choice(("CA", "IT", "SE"))))
        return
    elif trouble < 0.052:
        yield DemoDraft(at_ms, _bought(dice, _without_a_name(who)))
        return
    elif trouble < 0.063:
        # A company lets its people out through a data centre.
        yield DemoDraft(at_ms, _bought(dice, who._replace(address=_rented(dice))))
        return
    elif trouble < 0.09:
        elsewhere = new_address(dice, dice.choice(COUNTRIES))
        yield DemoDraft(at_ms, _bought(dice, who._replace(address=elsewhere)))
        return
    elif trouble < 0.125:
        yield DemoDraft(at_ms, _checked(dice, who), operation="precheck")
        return
    yield DemoDraft(at_ms, _bought(dice, who))


def card_testing(
    dice: random.Random, tester: DemoCustomer, at_ms: int, attempts: int
) -> Iterator[DemoDraft]:
    """Stolen numbers tried out for a dollar each, from one address within minutes."""
    for number in range(attempts):
        trial = tester._replace(
            user_id=f"{tester.user_id}-{number // 3}",
            email=f"{tester.name[0]}{number // 3}@example.org".lower(),
            card=new_card(dice, _FRAUD_CARDS[:1]),
        )
        code = "123" if number % 6 == 2 else _WRONG_CODE
        yield DemoDraft(at_ms, _cheap(dice, trial, code), DemoTruth.FRAUD)
        at_ms += dice.randrange(15_000, 50_000)


def takeover(dice: random.Random, victim: DemoCustomer, at_ms: int) -> Iterator[DemoDraft]:
    """Somebody else in a good customer's account: another device, dear goods, sent elsewhere."""
    thief = victim._replace(device=new_device(dice), agent=new_customer(dice, 0).agent)
    thief = thief._replace(address=_rented(dice))
    for wait in (0, 6, 31):
        draft = _bought(dice, thief, goods=VALUABLE, shipping="RO")
        yield DemoDraft(at_ms + wait * MINUTE_MS, draft, DemoTruth.FRAUD)


def mules(dice: random.Random, house: DemoCustomer, at_ms: int, orders: int) -> Iterator[DemoDraft]:
    """Several new customers with one device, whose goods all go to the same house."""
    for number in range(orders):
        other = new_customer(dice, 8101 + number, house.country)
        who = house._replace(
            user_id=other.user_id,
            name=other.name,
            email=other.email,
            card=new_card(dice, _FRAUD_CARDS),
        )
        yield DemoDraft(at_ms, _bought(dice, who, goods=VALUABLE[1:]), DemoTruth.FRAUD)
        at_ms += int(dice.uniform(9, 60) * HOUR_MS)


def friendly(dice: random.Random, who: DemoCustomer, at_ms: int) -> Iterator[DemoDraft]:
    """An order like any other, until the money is taken back."""
    yield DemoDraft(at_ms, _bought(dice, who), DemoTruth.FRIENDLY)


def stolen(dice: random.Random, number: int, at_ms: int) -> Iterator[DemoDraft]:
    """A card that its issuer knows to be stolen."""
    thief = new_customer(dice, number, COUNTRIES[0])
    thief = thief._replace(card=_STOLEN, address=_rented(dice))
    yield DemoDraft(at_ms, _bought(dice, thief, goods=VALUABLE), DemoTruth.FRAUD)


def nameless(dice: random.Random, number: int, at_ms: int) -> Iterator[DemoDraft]:
    """A new customer with a mailbox for one day, who wants what is easy to sell on."""
    thief = _without_a_name(new_customer(dice, number, COUNTRIES[0]))
    yield DemoDraft(at_ms, _bought(dice, thief, goods=VALUABLE[1:]), DemoTruth.FRAUD)


def hurried(dice: random.Random, number: int, at_ms: int) -> Iterator[DemoDraft]:
    """A new customer who is done within half a minute, and wants gift cards."""
    thief = new_customer(dice, number, COUNTRIES[0])
    visit = new_visit(dice, VALUABLE[:1])._replace(session_age_s=dice.randrange(9, 40))
    yield DemoDraft(at_ms, purchase(thief, visit), DemoTruth.FRAUD)


def attack(dice: random.Random, at_ms: int, attempts: int) -> Iterator[DemoDraft]:
    """Many stolen numbers of one bank tried out within half an hour, from rented servers."""
    devices = [new_device(dice) for _ in range(3)]
    addresses = [_rented(dice) for _ in range(3)]
    for number in range(attempts):
        who = new_customer(dice, 8500 + number, COUNTRIES[0])
        trial = who._replace(
            card=new_card(dice, _FRAUD_CARDS[:1]),
            address=addresses[number % 3],
            device=devices[number % 3],
        )
        code = "123" if number % 9 == 4 else _WRONG_CODE
        yield DemoDraft(at_ms, _cheap(dice, trial, code), DemoTruth.FRAUD)
        at_ms += dice.randrange(12_000, 30_000)


def verified(dice: random.Random, at_ms: int, holder: DemoHolder) -> Iterator[DemoDraft]:
    """A dear order whose customer is compared with the holder of the card."""
    who = new_customer(dice, 8400, COUNTRIES[1])._replace(
        name=(holder.first_name, holder.last_name), email=holder.email, card=holder.card
    )
    visit = new_visit(dice, GOODS[-1:])
    asked = {
        "cardNumber": holder.card,
        "cardExpiryDate": who.expiry,
        "cardHolderEmailAddress": holder.email,
        "cardHolderName": {"firstName": holder.first_name, "lastName": holder.last_name},
    }
    made = purchase(who._replace(user_id=f"u-{holder.email}"), visit)
    body = made | {"pipelineId": 2, "idVerifyRequest": asked}
    yield DemoDraft(at_ms, body, DemoTruth.FRAUD if holder.is_other else DemoTruth.HONEST)


def _rented(dice: random.Random) -> str:
    return f"{_RENTED}.{dice.randrange(10, 60)}"


def _without_a_name(who: DemoCustomer) -> DemoCustomer:
    name, _, _ = who.email.partition("@")
    return who._replace(email=f"{name}@{_THROWN_AWAY}")


def _bought(
    dice: random.Random,
    who: DemoCustomer,
    *,
    goods: Sequence[DemoItem] = GOODS,
    shipping: str | None = None,
) -> dict[str, Any]:
    return purchase(who, new_visit(dice, goods)._replace(shipping=shipping))


def _cheap(dice: random.Random, who: DemoCustomer, code: str) -> dict[str, Any]:
    visit = new_visit(dice, (("sku-1099", "downloads", 1.0),))
    visit = visit._replace(amount=1.0, items=visit.items[:1], session_age_s=dice.randrange(4, 30))
    made = purchase(who, visit)
    made["preCheckRequest"]["cardCvv2Value"] = code
    return made


def _checked(dice: random.Random, who: DemoCustomer) -> dict[str, Any]:
    """A card that is only to be kept for later."""
    card: dict[str, Any] = purchase(who, new_visit(dice))["preCheckRequest"]
    return card | {"clientReferenceId": f"card-{NUMBER}"}

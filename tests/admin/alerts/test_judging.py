"""What departs from an account's own normal, and as what it is told."""

import msgspec
import pytest

from gatehouse.admin.alerts.types.hours import (
    HOUR_MS,
    Measure,
    count_hour,
    decode_hour,
    encode_hour,
)
from gatehouse.admin.alerts.types.judging import AlertKind, judge
from gatehouse.admin.alerts.types.observing import SeenRequest, ValueKind
from gatehouse.admin.alerts.types.shown import found_of
from gatehouse.admin.alerts.types.usual import UsualTraffic
from gatehouse.core.clock import iso_time
from tests.admin.alerts.shop import MINUTE_MS, attack, order, usual_hour, weeks

NOW_MS = 1_794_700_000_000 // HOUR_MS * HOUR_MS + 40 * MINUTE_MS


@pytest.fixture(scope="module")
def usual() -> UsualTraffic:
    return UsualTraffic(weeks(NOW_MS))


def _honest(times: int = 1) -> list[SeenRequest]:
    start_ms = NOW_MS - 3 * HOUR_MS
    return [each for hour in range(3) for each in usual_hour(start_ms + hour * HOUR_MS, 30 * times)]


def _kinds(seen: list[SeenRequest], usual: UsualTraffic) -> list[AlertKind]:
    seen = sorted(seen, key=lambda each: each.at_ms)
    return [each.kind for each in judge(seen, usual, NOW_MS)]


def test_usual_orders_raise_nothing(usual: UsualTraffic) -> None:
    assert _kinds(_honest(), usual) == []


def test_cards_that_are_tried_out_are_an_attack_with_its_values_money_and_rule(
    usual: UsualTraffic,
) -> None:
    seen = sorted([*_honest(), *attack(NOW_MS)], key=lambda each: each.at_ms)
    [finding] = judge(seen, usual, NOW_MS)
    assert finding.kind is AlertKind.ATTACK
    found = found_of(finding, usual, NOW_MS)
    assert {each.measure for each in found.measures} >= {Measure.REFUSED, Measure.SMALL}
    top = {each.kind: each for each in reversed(found.values)}
    assert top[ValueKind.ADDRESS].value == "203.0.113.7"
    assert top[ValueKind.ADDRESS].lift > 100
    assert top[ValueKind.BIN].value == "42424242"
    assert ValueKind.DOMAIN not in top, "everybody has that domain"
    [stake] = found.at_stake
    assert (stake.currency, stake.accepted) == ("USD", "0")
    assert found.rule is not None
    assert found.rule.condition == "ip.address = '203.0.113.7'"
    assert found.rule.name == f"attack-{iso_time(NOW_MS)[:10]}-address-in-203-0-113"


def test_a_feast_in_the_usual_mix_is_no_attack(usual: UsualTraffic) -> None:
    assert _kinds(_honest(times=6), usual) == [AlertKind.FEAST]


def test_an_attack_during_a_feast_is_one(usual: UsualTraffic) -> None:
    assert _kinds([*_honest(times=6), *attack(NOW_MS)], usual) == [AlertKind.ATTACK]


def test_a_gateway_that_fails_is_an_outage(usual: UsualTraffic) -> None:
    failing = [
        order(each.at_ms % 1000 + number, each.at_ms, failed=each.at_ms > NOW_MS - HOUR_MS)
        for number, each in enumerate(_honest())
    ]
    assert _kinds(failing, usual) == [AlertKind.OUTAGE]


def test_an_issuer_that_refuses_the_usual_customers_is_an_outage(usual: UsualTraffic) -> None:
    refused = [
        msgspec.structs.replace(each, refused=True, outcome="DECLINE")
        if each.at_ms > NOW_MS - HOUR_MS
        else each
        for each in _honest()
    ]
    assert _kinds(refused, usual) == [AlertKind.OUTAGE]


def test_nobody_knows_what_is_usual_before_a_day_has_passed() -> None:
    few = {start: count_hour(usual_hour(start)) for start in range(0, 20 * HOUR_MS, HOUR_MS)}
    assert _kinds(attack(NOW_MS, 100), UsualTraffic(few)) == []
    assert _kinds(attack(NOW_MS, 100), UsualTraffic({})) == []


def test_orders_are_expected_by_hour_and_weekday() -> None:
    hours = {}
    for hour in range(28 * 24):
        busy = 40 if hour % 24 == 12 else 4
        weekend = hour // 24 % 7 in (2, 3)
        hours[hour * HOUR_MS] = count_hour(
            usual_hour(hour * HOUR_MS, busy // 4 if weekend else busy)
        )
    found = UsualTraffic(hours)
    noon = 28 * 24 + 12
    assert found.requests(noon * HOUR_MS, (noon + 1) * HOUR_MS) == pytest.approx(40, rel=0.2)
    saturday = noon + 2 * 24
    assert found.requests(saturday * HOUR_MS, (saturday + 1) * HOUR_MS) == pytest.approx(
        10, rel=0.3
    )
    assert found.requests((noon + 1) * HOUR_MS, (noon + 2) * HOUR_MS) < 8


def test_an_hour_is_kept_in_counts_without_any_value_and_in_little_room() -> None:
    made = count_hour([*usual_hour(0), *attack(0)])
    kept = encode_hour(made)
    assert decode_hour(kept) == made
    assert len(kept) < 4000
    told = msgspec.msgpack.encode(made)
    assert b"203.0" not in told
    assert b"mail.example" not in told


@pytest.mark.parametrize("device", ["a,b", "'; DROP", "x\n", " x", "o'clock"])
def test_hostile_values_make_no_other_rule(usual: UsualTraffic, device: str) -> None:
    hostile = [
        msgspec.structs.replace(
            each, values=((ValueKind.DEVICE, device), (ValueKind.DOMAIN, "mail.example"))
        )
        for each in attack(NOW_MS)
    ]
    seen = sorted([*_honest(), *hostile], key=lambda each: each.at_ms)
    [finding] = judge(seen, usual, NOW_MS)
    rule = found_of(finding, usual, NOW_MS).rule
    assert rule is not None
    if device.isprintable() and "," not in device and device == device.strip():
        assert rule.condition == "device.id = '" + device.replace("'", "''") + "'"
        assert rule.name.endswith("-device-one"), "a rule's name outlives the erasure of a device"
    else:
        assert "device.id" not in rule.condition


def _unsure(number: int, addresses: int) -> list[SeenRequest]:
    """Orders of the last minutes to Sentry alone, in which it has little confidence."""
    return [
        msgspec.structs.replace(
            order(number, NOW_MS - (number + 1) * 1000),
            outcome=None,
            is_new=None,
            who=f"u-{number}",
            unsure=True,
            values=((ValueKind.ADDRESS, f"192.0.2.{number % addresses}"),),
        )
        for number in range(number)
    ]


def _sent_alone(orders: list[SeenRequest]) -> list[SeenRequest]:
    """The same without cards and their answers."""
    return [
        msgspec.structs.replace(each, outcome=None, is_new=None, refused=False) for each in orders
    ]


def test_new_accounts_that_share_addresses_are_an_attack_but_those_of_an_offer_are_not(
    usual: UsualTraffic,
) -> None:
    sure = _sent_alone(_honest())
    assert AlertKind.ATTACK in _kinds([*sure, *_unsure(24, addresses=12)], usual)
    assert AlertKind.ATTACK not in _kinds([*sure, *_unsure(24, addresses=24)], usual)
    # Where the account's customers always shared addresses, that is no attack.
    hours = [NOW_MS // HOUR_MS * HOUR_MS - back * HOUR_MS for back in range(1, 49)]
    shared = {
        start_ms: count_hour(
            msgspec.structs.replace(
                each, values=((ValueKind.ADDRESS, f"{start_ms} {number // 2}"), *each.values[1:])
            )
            for number, each in enumerate(_sent_alone(usual_hour(start_ms)))
        )
        for start_ms in hours
    }
    found = _kinds([*sure, *_unsure(24, addresses=12)], UsualTraffic(shared))
    assert AlertKind.ATTACK not in found


def test_one_who_tries_again_counts_once_at_an_address() -> None:
    once, again = (order(7, NOW_MS - number) for number in range(2))
    [counted] = count_hour([once, again]).values[ValueKind.ADDRESS.value].values()
    assert counted == 1

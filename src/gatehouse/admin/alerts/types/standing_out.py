"""The values that stand out among the requests of an alert, what they cost, and a rule for them."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Annotated, Final

from gatehouse.admin.alerts.types.observing import SIGNALS, SeenRequest, ValueKind
from gatehouse.admin.alerts.types.usual import UsualTraffic
from gatehouse.conditions.catalogue import Catalogue
from gatehouse.conditions.clicked import Clicked, ClickedGroup, Operator, write_condition
from gatehouse.core.api_values import CamelStruct, doc
from gatehouse.core.money import format_amount

MOST_OF_A_KIND: Final = 5
_LEAST_COUNT: Final = 3
_LEAST_SHARE: Final = 0.05
_LEAST_LIFT: Final = 2.0
_LARGEST_LIFT: Final = 9999.0
_LONGEST_NAME: Final = 60
"""Rules can have longer ones: there is room for a number behind it."""
_NOT_IN_NAMES: Final = re.compile("[^A-Za-z0-9]+")
_ENOUGH: Final = 0.5
"""A rule by values is proposed when these have so large a share of the requests."""
_MOST_CURRENCIES: Final = 10
_CENT_MICROS: Final = 10_000
_IN_A_RULE: Final = (ValueKind.ADDRESS, ValueKind.DEVICE, ValueKind.NETWORK, ValueKind.DOMAIN)


class StandingOut(CamelStruct):
    """A value that an alert's requests have more often than usual."""

    kind: Annotated[ValueKind, doc("What it is.", "address")]
    value: Annotated[str, doc("As decisions have it.", "203.0.113.7", max_length=128)]
    count: Annotated[int, doc("How many of the requests have it.", 38)]
    share: Annotated[float, doc("Their share of the requests.", 0.95)]
    usual: Annotated[float, doc("Its usual share.", 0.0001)]
    lift: Annotated[float, doc("Its share divided by the usual one.", 9500.0)]


class AtStake(CamelStruct):
    """What the requests of an alert come to in one currency."""

    currency: Annotated[str, doc("ISO 4217 code; empty where none was sent.")]
    total: Annotated[str, doc("All of them, in units of the currency.", "80.00")]
    accepted: Annotated[str, doc("Those that were accepted, not refused.", "12.00")]


class ProposedRule(CamelStruct):
    """A rule that finds the requests of an alert, to begin with."""

    name: Annotated[
        str, doc("Its name, which says what it stops.", "attack-2026-11-16-network-203-0-113-0-24")
    ]
    condition: Annotated[str, doc("Its condition, for a rule set.", "ip.address = '203.0.113.7'")]
    questions: Annotated[list[Clicked], doc("The same as the rule builder of the console has it.")]


def standing_out(seen: Sequence[SeenRequest], usual: UsualTraffic) -> list[StandingOut]:
    """The values of some requests that are far more frequent than usual, by kind."""
    counted: dict[ValueKind, Counter[str]] = {kind: Counter() for kind in ValueKind}
    for each in seen:
        for kind, value in set(each.values):
            counted[kind][value] += 1
    found = []
    for kind, values in counted.items():
        told = [_told(kind, value, count, len(seen), usual) for value, count in values.items()]
        told = [each for each in told if _stands_out(each)]
        told.sort(key=lambda each: (-each.count, -each.lift, each.value))
        found += told[:MOST_OF_A_KIND]
    return found


def _told(kind: ValueKind, value: str, count: int, among: int, usual: UsualTraffic) -> StandingOut:
    share, before = count / among, usual.value_share(kind, value)
    lift = min(share / before, _LARGEST_LIFT)
    return StandingOut(kind, value, count, round(share, 4), round(before, 6), round(lift, 1))


def _stands_out(each: StandingOut) -> bool:
    return each.count >= _LEAST_COUNT and each.share >= _LEAST_SHARE and each.lift >= _LEAST_LIFT


def at_stake(seen: Iterable[SeenRequest]) -> list[AtStake]:
    """What some requests come to, by currency."""
    totals: Counter[str] = Counter()
    accepted: Counter[str] = Counter()
    for each in seen:
        if each.amount_micros is not None:
            currency = (each.currency or "")[:8]
            totals[currency] += each.amount_micros
            accepted[currency] += each.amount_micros if each.is_accepted else 0
    most = [currency for currency, _ in totals.most_common(_MOST_CURRENCIES)]
    return [
        AtStake(currency, format_amount(totals[currency]), format_amount(accepted[currency]))
        for currency in sorted(most)
    ]


def proposed_rule(
    day: str, seen: Sequence[SeenRequest], values: Sequence[StandingOut]
) -> ProposedRule | None:
    """A rule that most of the requests fit: by what they come from, or else by new cards."""
    questions = _by_origin(values) or _by_card(seen, values)
    if not questions:
        return None
    group = ClickedGroup(tuple(questions))
    name = f"attack-{day}-{_stopped(questions[0])}"[:_LONGEST_NAME].rstrip("-")
    return ProposedRule(name, write_condition([group], Catalogue()), questions)


def _stopped(question: Clicked) -> str:
    """What a question finds, as a part of a rule's name.

    Answers and decisions have names of rules long after an address or a device was erased, so of
    an address they have the network alone, and of a device nothing.
    """
    kind = next((kind for kind, signal in SIGNALS.items() if signal == question.signal), None)
    if kind is None:
        return "new-cards"
    several = question.operator == Operator.ONE_OF
    if several or kind is ValueKind.DEVICE:
        return f"{kind}-{'several' if several else 'one'}"
    parts = [part for part in _NOT_IN_NAMES.split(question.value) if part]
    if kind is ValueKind.ADDRESS:
        return "-".join(["address-in", *parts[:3]])
    return "-".join([kind, *parts])


def _by_origin(values: Sequence[StandingOut]) -> list[Clicked]:
    for kind in _IN_A_RULE:
        fitting = [each for each in values if each.kind is kind and _is_writable(each.value)]
        if sum(each.share for each in fitting) >= _ENOUGH:
            return [_one_of(SIGNALS[kind], fitting)]
    return []


def _by_card(seen: Sequence[SeenRequest], values: Sequence[StandingOut]) -> list[Clicked]:
    """New cards, of the issuers that stand out, up to the largest amount that nearly all have."""
    found = []
    bins = [each for each in values if each.kind is ValueKind.BIN and _is_writable(each.value)]
    if sum(each.share for each in bins) >= _ENOUGH:
        found.append(_one_of(SIGNALS[ValueKind.BIN], bins))
    if seen and sum(bool(each.is_new) for each in seen) >= _ENOUGH * len(seen):
        found.append(Clicked("velocity.card.count_30d", Operator.AT_MOST.value, "1"))
    amounts = sorted(each.amount_micros for each in seen if each.amount_micros is not None)
    if found and amounts:
        nearly_all = amounts[int(0.95 * (len(amounts) - 1))]
        cents = -(-nearly_all // _CENT_MICROS)
        text = f"{cents // 100}.{cents % 100:02d}"
        found.append(Clicked("order.amount", Operator.AT_MOST.value, text))
    return found


def _one_of(signal: str, values: Sequence[StandingOut]) -> Clicked:
    if len(values) == 1:
        return Clicked(signal, Operator.EQUAL.value, values[0].value)
    return Clicked(signal, Operator.ONE_OF.value, ", ".join(each.value for each in values))


def _is_writable(value: str) -> bool:
    """Commas separate the values of a question."""
    return "," not in value and value == value.strip() and value.isprintable()

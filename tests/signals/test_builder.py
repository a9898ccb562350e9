"""Requests described in signals: what rules see is what may be kept, and nothing is missing."""

import asyncio
from typing import Any

import msgspec
import pytest

from gatehouse.conditions.catalogue import SIGNALS, VELOCITY
from gatehouse.core.cards.numbers import CardNumber, CardOfRequest, ExpiryDate
from gatehouse.core.cards.three_d_secure import ThreeDSecure
from gatehouse.core.reading.validation import parse_own_type
from gatehouse.core.secrets.credentials import AccountReference, CredentialType
from gatehouse.core.stages.case import Case, StageResult, ValuesByType
from gatehouse.intel.bins import load_bins
from gatehouse.intel.cards import CardMasker
from gatehouse.rules.request import RulesRequest
from gatehouse.sentry.entities import EntityHasher
from gatehouse.sentry.memory.local import LocalMemory
from gatehouse.sentry.records.event import past_event_in
from gatehouse.sentry.request import BuyerAccount, SentryRequest
from gatehouse.sentry.scorecard import load_scorecard
from gatehouse.sentry.stage import SentryStage
from gatehouse.signals.builder import LiveSignalBuilder
from gatehouse.signals.fingerprinter import Fingerprinter
from gatehouse.signals.request_parts import RequestParts, bring_together
from tests.harness import FINGERPRINTS, VISIT
from tests.sentry.visits import Book

AT_MS = 1_794_730_000_000
PAR = "V0010013018036776997406844829"
EMAIL, PHONE = "Amelia.Whitfield+shop@gmail.com", "+14155550132"


class SignalScenario:
    """A survey with a real memory, and one request after another."""

    def __init__(self) -> None:
        self.memory = LocalMemory(10_000)
        hasher = EntityHasher(b"k" * 32)
        book = Book()
        stage = SentryStage(book, self.memory, load_scorecard(), hasher, time_limit_ms=1000)
        self.survey = LiveSignalBuilder(stage, book, self.memory, Fingerprinter(hasher))
        self._cards = CardMasker(load_bins(), FINGERPRINTS)

    def case(
        self,
        *,
        card: str | None = "4242424242424242",
        par: str | None = None,
        at_ms: int = AT_MS,
        **told: Any,
    ) -> Case:
        given = RequestParts(**{"rules": RulesRequest(), **told})
        case = Case("req_1", "acct_1", at_ms, ValuesByType.of(bring_together(given)))
        if card is not None:
            expiry = ExpiryDate.parse("2030-12")
            account = None if par is None else AccountReference.parse(par)
            kind = None if par is None else CredentialType.DEVICE_TOKEN
            asked = CardOfRequest(CardNumber.parse(card), expiry, False, account, kind)
            case.card = self._cards.mask("acct_1", asked)
        return case

    def describe(self, **told: Any) -> Case:
        case = self.case(**told)
        asyncio.run(self.survey.describe(case))
        return case


def request(kind: type, **fields: Any) -> Any:
    return msgspec.convert(fields, kind, dec_hook=parse_own_type)


def full(**more: Any) -> dict[str, Any]:
    rules = request(
        RulesRequest,
        email=EMAIL,
        phone=PHONE,
        billingCountry="us",
        shippingCountry="GB",
        customInputs={"plan": "gold", "visits": 3, "returning": True},
    )
    device = {**VISIT["device"], "deviceId": "gd_laptop"}
    visit = {**VISIT, "device": device, "shoppingCart": {"items": [{"price": 1}]}}
    sentry = request(SentryRequest, **visit)
    cards = (CardOfRequest(CardNumber.parse("4242424242424242"), None, False),)
    return {"rules": rules, "sentry": sentry, "cards": cards, **more}


def test_every_signal_of_a_full_request_is_in_the_catalogue_and_none_is_missing() -> None:
    authentication = {"version": "2.2.0", "eci": "07", "status": "N", "exemption": "LOW_VALUE"}
    told = full(par=PAR, three_d_secure=request(ThreeDSecure, **authentication))
    scenario = SignalScenario()
    # Somebody else with the same device, so that there is a ring.
    other = msgspec.structs.replace(told["sentry"], account=BuyerAccount(user_id="u-other"))
    scenario.describe(**told | {"sentry": other})
    signals = scenario.describe(**told).signals
    plain = {name for name in signals if not name.startswith(("custom.", "velocity."))}
    groups = {name.removeprefix("velocity.") for name in signals if name.startswith("velocity.")}
    assert plain <= SIGNALS.keys()
    assert groups == VELOCITY.keys()
    assert {name: len(signals[f"velocity.{name}"]) for name in groups} == {
        name: len(layout) for name, layout in VELOCITY.items()
    }
    # What stages find out, and the arm of an experiment, come later.
    of_stages = (
        "sentry.",
        "precheck.",
        "idverify.",
        "gateway.",
        "rules.",
        "velocity.",
        "experiment.",
    )
    expected = {name for name in SIGNALS if not name.startswith(of_stages)}
    assert expected - plain == set()


def test_signals_have_the_types_that_the_catalogue_says() -> None:
    kinds = {"number": (int, float), "text": (str,), "boolean": (bool,)}
    for name, value in SignalScenario().describe(**full()).signals.items():
        if name in SIGNALS and value is not None:
            assert type(value) in kinds[SIGNALS[name].type], name


def test_nothing_that_may_not_be_kept_becomes_a_signal() -> None:
    scenario = SignalScenario()
    rules = request(
        RulesRequest,
        email=EMAIL,
        phone=PHONE,
        customInputs={
            "note": "call 4155550132",
            "mail": EMAIL,
            "card": "4242 4242 4242 4242",
            "nested": {"a": 1},
            "bad key!": "x",
            "pan": 4242424242424242,
            "telephone": 14155550132,
            "_4242424242424242": True,
        },
    )
    visit = {**VISIT, "device": {**VISIT["device"], "sessionAge": 4242424242424242}}
    told = full(rules=rules, sentry=request(SentryRequest, **visit))
    case = scenario.describe(**told)
    kept = str(case.signals) + str(scenario.survey.facts(case))
    for secret in (EMAIL, "amelia.whitfield", PHONE, "4155550132", "4242424242424242", "4242 4242"):
        assert secret.lower() not in kept.lower()
    assert case.signals["email.domain"] == "gmail.com"
    assert case.signals["custom.note"].startswith("#")
    assert "custom.nested" not in case.signals
    assert "custom.bad key!" not in case.signals


def test_two_spellings_of_a_mailbox_are_the_same_mailbox() -> None:
    scenario = SignalScenario()
    names = ["amelia.whitfield@gmail.com", "AmeliaWhitfield+x@googlemail.com"]
    found = [
        scenario.describe(**full(rules=request(RulesRequest, email=name))).signals for name in names
    ]
    assert found[0]["email.fingerprint"] == found[1]["email.fingerprint"]


@pytest.mark.parametrize("text", ["", "no address", "a@b", "\ud800@example.com", "x" * 5000])
def test_an_address_that_is_none_is_a_signal_and_no_failure(text: str) -> None:
    signals = SignalScenario().describe(rules=RulesRequest(email=text, phone=text)).signals
    assert signals["email.valid"] is False
    assert signals["phone.valid"] is False
    assert "email.domain" not in signals


def test_an_empty_request_is_described_all_the_same() -> None:
    signals = SignalScenario().describe(card=None).signals
    assert signals["request.ips_differ"] is False
    assert "request.cards_differ" not in signals
    assert not any(name.startswith(("card.", "ip.", "velocity.")) for name in signals)


def test_what_sentry_is_not_told_it_takes_from_the_rules_input() -> None:
    rules = RulesRequest(customer_ip="203.0.113.7", user_id="u-9", amount=20.0, currency="EUR")
    told = bring_together(RequestParts(rules))
    assert told.sentry.device is not None
    assert told.sentry.device.ip_address == "203.0.113.7"
    assert told.sentry.account is not None
    assert told.sentry.account.user_id == "u-9"
    assert told.sentry.order is not None
    assert (told.sentry.order.amount, told.sentry.order.currency) == (20.0, "EUR")
    assert told.other_address is None


def test_rules_speak_of_the_address_they_were_told_and_say_that_there_is_another() -> None:
    rules = RulesRequest(customer_ip="198.51.100.77")
    signals = SignalScenario().describe(**full(rules=rules)).signals
    assert signals["ip.address"] == "198.51.100.77"
    assert signals["request.ips_differ"] is True


@pytest.mark.parametrize("text", ["", "unknown", "203.0.113.1:443", "::ffff:203.0.113.1"])
def test_an_address_that_is_none_or_the_same_changes_nothing(text: str) -> None:
    rules = RulesRequest(customer_ip=text)
    signals = SignalScenario().describe(**full(rules=rules)).signals
    assert signals["ip.address"] == "203.0.113.1"
    assert signals["request.ips_differ"] is False


def test_cards_differ_only_when_they_do() -> None:
    numbers = ("4242424242424242", "5555555555554444")
    first, second = (CardOfRequest(CardNumber.parse(each), None, False) for each in numbers)
    assert bring_together(RequestParts(RulesRequest(), cards=(first, first))).cards_differ is False
    assert bring_together(RequestParts(RulesRequest(), cards=(first, second))).cards_differ is True
    assert bring_together(RequestParts(RulesRequest())).cards_differ is None


def test_what_will_be_charged_beats_what_was_said_about_it() -> None:
    rules = RulesRequest(amount=10.0, currency="EUR")
    sentry = request(SentryRequest, order={"amount": 5, "currency": "JPY"})
    told = bring_together(RequestParts(rules, sentry, payment=(12.5, "USD")))
    assert (told.amount, told.currency) == (12.5, "USD")
    assert told.sentry.order is not None
    assert (told.sentry.order.amount, told.sentry.order.currency) == (12.5, "USD")


def test_the_user_that_rules_speak_of_is_the_one_that_is_counted() -> None:
    sentry = request(SentryRequest, account={"userId": "u-1"})
    told = bring_together(RequestParts(RulesRequest(user_id="u-2"), sentry))
    assert told.user_id == "u-1"


@pytest.mark.parametrize(
    ("at", "months"), [("2030-12-31", 0), ("2030-11-01", 1), ("2031-01-01", -1), ("2026-02-28", 58)]
)
def test_months_are_counted_to_the_last_one_of_the_card(at: str, months: int) -> None:
    from datetime import datetime

    at_ms = int(datetime.fromisoformat(f"{at}T12:00:00+00:00").timestamp() * 1000)
    assert SignalScenario().describe(at_ms=at_ms).signals["card.months_left"] == months


def test_the_day_of_the_week_begins_on_monday() -> None:
    from datetime import UTC, datetime

    for day in range(10):
        at_ms = AT_MS + day * 86_400_000
        signals = SignalScenario().describe(at_ms=at_ms).signals
        moment = datetime.fromtimestamp(at_ms / 1000, UTC)
        assert signals["request.weekday"] == moment.isoweekday()
        assert signals["request.hour"] == moment.hour


def test_a_refusal_is_remembered_and_an_outage_is_not() -> None:
    scenario = SignalScenario()
    refused = scenario.describe(**full())
    answer = StageResult(msgspec.Struct(), True, {}, declined=True)
    refused.results["PreCheck"] = answer
    for tell in refused.on_settled:
        tell(True)
    late = scenario.describe(**_other_transaction())
    for tell in late.on_settled:
        tell(False)
    signals = scenario.describe(**_other_transaction()).signals
    card = dict(zip(VELOCITY["card"], signals["velocity.card"], strict=True))
    assert card["declines_1h"] == 1
    assert card["count_1h"] == 2


def _other_transaction() -> dict[str, Any]:
    visit = {**VISIT, "event": {"type": "PURCHASE"}}
    return full(sentry=request(SentryRequest, **visit))


def test_the_record_brings_the_event_back_into_a_memory() -> None:
    scenario = SignalScenario()
    case = scenario.describe(**full())
    record = msgspec.json.encode({"stages": [], "event": scenario.survey.facts(case).event})
    seen = past_event_in("acct_1", record)
    assert seen is not None
    assert seen.counted
    kinds = {kind.name for kind, _ in seen.event.entities}
    assert {"CARD", "BIN", "EMAIL", "PHONE", "ADDRESS", "USER"} <= kinds


def test_signals_of_stages_are_not_recorded_twice() -> None:
    scenario = SignalScenario()
    case = scenario.describe(**full())
    case.signals["precheck.advice"] = "ACCEPT"
    assert "precheck.advice" not in scenario.survey.facts(case).signals


def _on(device_id: str) -> dict[str, Any]:
    # Without a transaction, none repeats another.
    device = {**VISIT["device"], "deviceId": device_id}
    visit = {**VISIT, "device": device, "event": {}}
    return full(sentry=request(SentryRequest, **visit))


def test_rules_see_the_device_and_whether_its_user_has_come_with_it() -> None:
    scenario = SignalScenario()
    first, again = scenario.describe(**_on("laptop")), scenario.describe(**_on("laptop"))
    other = scenario.describe(**_on("phone"))
    new = [each.signals["device.new_for_user"] for each in (first, again, other)]
    assert new == [False, False, True]
    assert [each.signals["device.id"] for each in (first, other)] == ["laptop", "phone"]
    user = dict(zip(VELOCITY["user"], other.signals["velocity.user"], strict=True))
    card = dict(zip(VELOCITY["card"], other.signals["velocity.card"], strict=True))
    assert user["distinct_devices_24h"] == card["distinct_devices_24h"] == 2


def test_what_a_device_brought_is_counted_for_rules() -> None:
    scenario = SignalScenario()
    for card in ("4242424242424242", "5555555555554444"):
        found = scenario.describe(**_on("laptop"), card=card).signals
    counts = dict(zip(VELOCITY["device_id"], found["velocity.device_id"], strict=True))
    assert (counts["count_24h"], counts["distinct_cards_24h"]) == (2, 2)
    assert counts["distinct_users_7d"] == counts["distinct_emails_24h"] == 1
    assert counts["distinct_ips_24h"] == 1


def test_a_device_identifier_that_could_be_a_card_is_hashed() -> None:
    found = SignalScenario().describe(**_on("4242424242424242")).signals
    assert found["device.id"].startswith("#")

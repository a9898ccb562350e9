"""Conditions are said in words, and opened again as the questions that were clicked for them."""

import pytest

from gatehouse.conditions.catalogue import SIGNALS, Catalogue
from gatehouse.conditions.clicked import OPERATORS, Clicked, ClickedGroup, write_condition
from gatehouse.conditions.clicked_again import read_clicked
from gatehouse.conditions.parse import read_condition
from gatehouse.conditions.plain_words import rule_in_words
from gatehouse.console.words.translation import translator
from gatehouse.core.errors import InvalidInput

CATALOGUE = Catalogue()
SAID = {
    "order.amount > 500 AND ip.country NOT IN ('GB', 'IE')": (
        "the amount is more than 500 and country of the address is none of “GB”, “IE”",
        "der Betrag ist größer als 500 und Land der Adresse ist keines von “GB”, “IE”",
    ),
    "ip.tor OR (card.prepaid AND NOT ip.vpn)": (
        "the address is an exit of Tor or (the card is prepaid and it is not so that the address "
        "is an exit of a VPN)",
        "die Adresse ist ein Ausgang des Tor-Netzes oder (die Karte ist eine Prepaid-Karte und es "
        "ist nicht so: die Adresse ist ein Ausgang eines VPN)",
    ),
    "velocity.card.count_1h >= 3 AND user.id NOT IN LIST('good')": (
        "the number of requests with this card in the last hour is at least 3 and the customer is "
        "not on the list good",
        "die Anzahl von: Anfragen mit dieser Karte in der letzten Stunde ist mindestens 3 und der "
        "Kunde ist nicht auf der Liste good",
    ),
    "NOT (ip.tor OR ip.vpn)": (
        "it is not so that (the address is an exit of Tor or the address is an exit of a VPN)",
        "es ist nicht so: (die Adresse ist ein Ausgang des Tor-Netzes oder die Adresse ist ein "
        "Ausgang eines VPN)",
    ),
    "ABS(order.amount - 5) < 0.5": (
        "ABS((the amount - 5)) is less than 0.5",
        "ABS((der Betrag - 5)) ist kleiner als 0.5",
    ),
    "CASE WHEN ip.tor THEN TRUE ELSE FALSE END": (
        "CASE WHEN ip.tor THEN TRUE ELSE FALSE END",
        "CASE WHEN ip.tor THEN TRUE ELSE FALSE END",
    ),
}


@pytest.mark.parametrize("text", SAID)
def test_a_condition_is_said_in_words(text: str) -> None:
    condition = read_condition(text, CATALOGUE)
    english, german = SAID[text]
    assert rule_in_words("DECLINE", condition) == f"Decline if {english}."
    told = rule_in_words("DECLINE", condition, translator("de").said)
    assert told == f"Ablehnen, wenn gilt: {german}."


def test_what_was_clicked_is_opened_again_as_it_was() -> None:
    for name, info in SIGNALS.items():
        value = info.values[0] if info.values else "O'Neil, vip"
        value = "1234.5" if info.type == "number" else value
        for operator in OPERATORS[info.type]:
            typed = "" if operator in ("yes", "no", "known", "unknown") else value
            typed = "good" if operator.endswith("listed") else typed.replace(",", "")
            asked = Clicked(name, operator, typed)
            groups = (ClickedGroup((asked, asked), is_any=True), ClickedGroup((asked,)))
            try:
                condition = read_condition(write_condition(groups, CATALOGUE), CATALOGUE)
            except InvalidInput:
                continue
            found = read_clicked(condition, CATALOGUE)
            assert found is not None, condition.text
            assert found.groups == groups


@pytest.mark.parametrize(
    "text",
    [
        "NOT (ip.tor AND ip.vpn)",
        "order.amount + 1 > 5",
        "500 < order.amount",
        "ip.tor = TRUE",
        "ip.country IN ('G,B')",
        "ip.tor AND (ip.vpn OR (card.prepaid AND ip.relay))",
    ],
)
def test_what_cannot_be_clicked_needs_its_text(text: str) -> None:
    assert read_clicked(read_condition(text, CATALOGUE), CATALOGUE) is None

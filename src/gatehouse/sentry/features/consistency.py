"""Features that compare address, languages, currency, card and time zone with each other."""

from functools import lru_cache
from typing import Final

from gatehouse.core.cards.numbers import KeptCard
from gatehouse.intel.places import countries_of_zone, currencies_of, distance_km
from gatehouse.sentry.features.feature import Collection, Group
from gatehouse.sentry.request_view import RequestView

TIMEZONE_KEY: Final = "timezone"
_LONGEST_ZONE: Final = 64
_SAME_MONEY: Final = 0.5
_TRAVELLING: Final = frozenset(("USD", "EUR"))
"""Currencies in which shops sell to the whole world."""


def _measures(view: RequestView, found: dict[str, float]) -> None:
    country = view.country
    if country is None:
        return
    fit, currency, hides = view.language_fit, view.currency, view.facts.relay
    if fit is not None:
        if fit < 1.0 and not hides:
            found["LANG_COUNTRY_MISMATCH"] = 1.0 - fit
        if fit:
            found["LANG_COUNTRY_FIT"] = fit
    if currency is not None and view.currency_digits is not None:
        used = currencies_of(country)
        if currency in used:
            found["CURRENCY_COUNTRY_FIT"] = 1.0
        elif used and not hides and currency not in _TRAVELLING:
            found["CURRENCY_COUNTRY_MISMATCH"] = 1.0
    if view.request.custom_inputs and not hides:
        zone = view.request.custom_inputs.get(TIMEZONE_KEY)
        if isinstance(zone, str) and len(zone) <= _LONGEST_ZONE:
            distance = _kilometres(zone, country)
            if distance:
                found["TIMEZONE_MISMATCH"] = distance
    if view.card is not None:
        _measure_card(view.card.kept, country, found, hides=bool(hides))


def _measure_card(card: KeptCard, country: str, found: dict[str, float], *, hides: bool) -> None:
    """Whether the card was issued where the address is."""
    if card.country == country:
        found["IP_CARD_COUNTRY_FIT"] = 1.0
    elif card.country is not None and not hides:
        share = currencies_of(card.country) & currencies_of(country)
        found["IP_CARD_COUNTRY_MISMATCH"] = _SAME_MONEY if share else 1.0


@lru_cache(maxsize=4096)
def _kilometres(zone: str, country: str) -> float | None:
    countries = countries_of_zone(zone)
    if country in countries:
        return 0.0
    distances = [distance_km(each, country) for each in countries]
    return min([each for each in distances if each is not None], default=None)


CONSISTENCY: Final = Collection(Group.CONSISTENCY, _measures)
_describe = CONSISTENCY.describe

_describe(
    "LANG_COUNTRY_MISMATCH",
    meaning="The browser's languages are hardly spoken in the address's country.",
    computation="1 less the fit of the languages: the largest share of people there who speak one"
    " of them, by its weight. Not for English alone, nor when the address hides where its user is.",
    says="The browser's languages do not fit the address's country.",
)
_describe(
    "LANG_COUNTRY_FIT",
    meaning="The browser prefers a language of the address's country.",
    computation="The fit of the languages, 0 to 1; 1 when one names the country itself.",
    says="The browser's languages fit the address's country.",
)
_describe(
    "CURRENCY_COUNTRY_MISMATCH",
    meaning="The order is in a currency that is not used in the address's country.",
    computation="1 when it is not; 0 for US dollars and euros, in which shops sell everywhere.",
    says="The currency is not that of the address's country.",
)
_describe(
    "CURRENCY_COUNTRY_FIT",
    meaning="The order is in the currency of the address's country.",
    computation="1 when it is.",
    says="The currency is that of the address's country.",
)
_describe(
    "IP_CARD_COUNTRY_MISMATCH",
    meaning="The card was issued in another country than the address is in.",
    computation="1 when the countries differ, 0.5 when they share a currency. Not when the address"
    " hides where its user is.",
    says="The card is not from the address's country.",
)
_describe(
    "IP_CARD_COUNTRY_FIT",
    meaning="The card was issued in the country that the address is in.",
    computation="1 when it was.",
    says="The card is from the address's country.",
)
_describe(
    "TIMEZONE_MISMATCH",
    meaning="The device's clock is set for a place far from where the address is.",
    computation="Kilometres from the address's country to the nearest one that keeps the time zone"
    f" in the custom input `{TIMEZONE_KEY}`, an IANA name such as Europe/Paris. Not when the"
    " address hides where its user is.",
    says="The device's time zone is {value} km from the address's country.",
)

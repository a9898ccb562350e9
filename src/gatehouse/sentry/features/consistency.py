"""Features that compare address, languages, currency, card and time zone with each other."""

from functools import lru_cache
from typing import Final

from gatehouse.intel.places import countries_of_zone, currencies_of, distance_km
from gatehouse.sentry.features.feature import Collection, Group, with_card, with_country
from gatehouse.sentry.request_view import RequestView

CONSISTENCY: Final = Collection(Group.CONSISTENCY, with_country)
_feature = CONSISTENCY.feature
_add = CONSISTENCY.add

TIMEZONE_KEY: Final = "timezone"
_LONGEST_ZONE: Final = 64
_SAME_MONEY: Final = 0.5
_TRAVELLING: Final = frozenset(("USD", "EUR"))
"""Currencies in which shops sell to the whole world."""


@_feature(
    "LANG_COUNTRY_MISMATCH",
    meaning="The browser's languages are hardly spoken in the address's country.",
    computation="1 less the fit of the languages: the largest share of people there who speak one"
    " of them, by its weight. Not for English alone, nor when the address hides where its user is.",
    says="The browser's languages do not fit the address's country.",
)
def _language_mismatch(view: RequestView) -> float | None:
    found = None if view.facts.relay else view.language_fit
    return None if found is None else 1.0 - found


_add(
    "LANG_COUNTRY_FIT",
    lambda view: view.language_fit,
    meaning="The browser prefers a language of the address's country.",
    computation="The fit of the languages, 0 to 1; 1 when one names the country itself.",
    says="The browser's languages fit the address's country.",
)


@_feature(
    "CURRENCY_COUNTRY_MISMATCH",
    meaning="The order is in a currency that is not used in the address's country.",
    computation="1 when it is not; 0 for US dollars and euros, in which shops sell everywhere.",
    says="The currency is not that of the address's country.",
)
def _currency_mismatch(view: RequestView) -> float | None:
    if view.facts.relay or view.country is None:
        return None
    if view.currency in _TRAVELLING:
        return 0.0
    found = _currency_fit(view)
    return None if found is None else 1.0 - found


@_feature(
    "CURRENCY_COUNTRY_FIT",
    meaning="The order is in the currency of the address's country.",
    computation="1 when it is.",
    says="The currency is that of the address's country.",
)
def _currency_fit(view: RequestView) -> float | None:
    if view.currency is None or view.currency_digits is None or view.country is None:
        return None
    used = currencies_of(view.country)
    return float(view.currency in used) if used else None


@_feature(
    "IP_CARD_COUNTRY_MISMATCH",
    meaning="The card was issued in another country than the address is in.",
    computation="1 when the countries differ, 0.5 when they share a currency. Not when the address"
    " hides where its user is.",
    says="The card is not from the address's country.",
    needs=with_card,
)
def _card_mismatch(view: RequestView) -> float | None:
    card_country = None if view.card is None else view.card.kept.country
    if card_country is None or view.country is None or view.facts.relay:
        return None
    if card_country == view.country:
        return 0.0
    share = currencies_of(card_country) & currencies_of(view.country)
    return _SAME_MONEY if share else 1.0


@_feature(
    "IP_CARD_COUNTRY_FIT",
    meaning="The card was issued in the country that the address is in.",
    computation="1 when it was.",
    says="The card is from the address's country.",
    needs=with_card,
)
def _card_fits(view: RequestView) -> float | None:
    card_country = None if view.card is None else view.card.kept.country
    if card_country is None or view.country is None:
        return None
    return float(card_country == view.country)


@_feature(
    "TIMEZONE_MISMATCH",
    meaning="The device's clock is set for a place far from where the address is.",
    computation="Kilometres from the address's country to the nearest one that keeps the time zone"
    f" in the custom input `{TIMEZONE_KEY}`, an IANA name such as Europe/Paris. Not when the"
    " address hides where its user is.",
    says="The device's time zone is {value} km from the address's country.",
)
def _timezone_mismatch(view: RequestView) -> float | None:
    inputs = view.request.custom_inputs
    zone = None if inputs is None else inputs.get(TIMEZONE_KEY)
    if not isinstance(zone, str) or view.country is None or view.facts.relay:
        return None
    return None if len(zone) > _LONGEST_ZONE else _kilometres(zone, view.country)


@lru_cache(maxsize=4096)
def _kilometres(zone: str, country: str) -> float | None:
    countries = countries_of_zone(zone)
    if country in countries:
        return 0.0
    distances = [distance_km(each, country) for each in countries]
    return min([each for each in distances if each is not None], default=None)

"""Reads a cart: its lines are walked once for all features that need them."""

import re
import unicodedata
from functools import lru_cache
from typing import Final

import msgspec

from gatehouse.sentry.amounts import absurd_from
from gatehouse.sentry.request import CartItem

MOST_LINES: Final = 250
"""A cart with more lines is not added up: that would take too long."""
MOST_OF_ONE: Final = 100_000.0
_LONGEST_CATEGORY: Final = 80

CASH_LIKE: Final = 1.0
RESOLD: Final = 0.5

_SIGNS: Final = re.compile(r"[^a-z0-9]+")
_MARKS: Final = re.compile(r"[\u0300-\u036f]+")
# Goods that are as good as money, and goods that find a buyer within the hour. The patterns are
# plain words without repetition, so that a search takes time in proportion to a short text.
_CASH_WORDS: Final = re.compile(
    r"\b(?:e ?gifts?|gift ?cards?|gift ?certificates?|vouchers?|pre ?paid|top ?ups?|airtime"
    r"|crypto|cryptocurrency|cryptocurrencies|bitcoins?|ethereum|tether|usdt|money ?orders?"
    r"|money ?transfers?|bullion|gold ?bars?|gold ?coins?|silver ?coins?|steam ?wallet"
    r"|game ?(?:credits?|currency)|in ?game|v ?bucks|robux"
    r"|geschenkkarten?|gutscheine?|guthaben|wertgutscheine?|aufladung|krypto|kryptowahrung(?:en)?"
    r"|goldbarren|goldmunzen?|cartes? cadeaux?|cheques? cadeaux?|bons? d achat|recharges?"
    r"|cryptomonnaies?|tarjetas? (?:de )?regalo|tarjetas? prepago|criptomonedas?|recargas?"
    r"|cart(?:ao|oes) (?:de )?presente|vales? presentes?|criptomoedas?|pre ?pagos?"
    r"|cart[ae] regalo|buon[oi] regalo|ricariche|ricarica|criptovalut[ae]|prepagat[ae]"
    r"|cadeaukaart(?:en)?|cadeaubon(?:nen)?|beltegoed)\b"
)
_RESOLD_WORDS: Final = re.compile(
    r"\b(?:electronics?|phones?|(?:smart|mobile|cell) ?phones?|mobiles|iphones?|ipads?|tablets?"
    r"|laptops?|macbooks?|computers?|consoles?|playstation|ps5|xbox|nintendo|airpods|headphones"
    r"|smart ?watch|smart ?watches|watch|watches|cameras?|drones?|graphics? ?cards?|gpus?"
    r"|game ?keys?|software ?(?:keys?|licen[cs]es?)|jewel(?:le)?ry|jewels?|diamonds?|handbags?"
    r"|designer|luxury|sneakers?|perfumes?|fragrances?|tickets?|tobacco|cigarettes?|vapes?"
    r"|spirits|liquor|whisky|champagne|tools|power ?tools"
    r"|elektronik|handys|spielkonsolen?|schmuck|uhren|parfums?|telephones?|bijoux|montres?"
    r"|ordinateurs?|electronique|electronica|electronico|telefonos?|moviles|celulares|portatiles"
    r"|consolas?|joyas?|joyeria|relojes|perfumeria|joias?|relogios?|eletronicos?"
    r"|cellulari|telefoni|gioielli|orologi|elettronica|profumi|sieraden|horloges?|telefoons?)\b"
)
_ACCESSORY_WORDS: Final = re.compile(
    r"\b(?:accessory|accessories|cases?|covers?|chargers?|cables?|straps?|stands?|holders?"
    r"|mounts?|protectors?|repairs?|spare|parts?|batteries|battery|toys?|books?"
    r"|zubehor|hullen?|accessoires?|coques?|accesorios|fundas?|acessorios|capas|accessori)\b"
)


class Cart(msgspec.Struct, frozen=True, gc=False):
    """What the lines of a cart come to."""

    lines: int
    invalid_lines: int
    """Lines with an impossible price or quantity."""
    lowering_lines: int
    """Lines with a negative price, as discounts have."""
    total: float | None
    """Price times quantity, over all lines; None when a line lacks its price, when there are too
    many lines, and when it is negative."""
    sum_of_prices: float | None
    """The same for merchants who send a line's total as its price."""
    most_of_one: float
    """The largest quantity."""
    dearest: float
    """The total of the most expensive line."""
    resold: float
    """The share of goods that are as good as money; goods that sell quickly count half."""


def read_cart(items: list[CartItem], currency: str | None) -> Cart:
    """Walk the lines once."""
    invalid = lowering = 0
    known = len(items) <= MOST_LINES
    total = prices = most = dearest = 0.0
    weight = weight_resold = 0.0
    most_paid = absurd_from(currency)
    for item in items[:MOST_LINES]:
        price, quantity = item.price, item.quantity
        count = 1.0 if quantity is None else quantity
        if not 0 <= count <= MOST_OF_ONE:
            invalid, known = invalid + 1, False
            continue
        # Here and below without a call of `max`, which would take five times as long.
        most = count if count > most else most
        if price is None:
            known = False
            value = 1.0
        elif not abs(price) <= most_paid:
            invalid, known = invalid + 1, False
            continue
        else:
            value = price * count
            total += value
            dearest = value if value > dearest else dearest
            prices += price
            if price < 0:
                lowering += 1
                continue
        weight += value
        if item.category is not None:
            weight_resold += value * resale(item.category[:_LONGEST_CATEGORY])
    known = known and total >= 0
    return Cart(
        lines=len(items),
        invalid_lines=invalid,
        lowering_lines=lowering,
        total=total if known else None,
        sum_of_prices=prices if known else None,
        most_of_one=most,
        dearest=dearest,
        resold=weight_resold / weight if weight > 0 else 0.0,
    )


@lru_cache(maxsize=4096)
def resale(category: str) -> float:
    """How easily goods of a category become money: 1 for gift cards and the like, 0 for most."""
    # Letters without accents, because many merchants leave accents out.
    plain = _MARKS.sub("", unicodedata.normalize("NFD", category.lower()))
    words = _SIGNS.sub(" ", plain)
    if _CASH_WORDS.search(words) is not None:
        return CASH_LIKE
    if _RESOLD_WORDS.search(words) is not None and _ACCESSORY_WORDS.search(words) is None:
        return RESOLD
    return 0.0

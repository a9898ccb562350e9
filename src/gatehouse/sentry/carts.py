"""A first look at a cart: its lines are walked once, however many signals ask about them."""

import re
import unicodedata
from functools import lru_cache
from typing import Final

import msgspec

from gatehouse.sentry.amounts import absurd_from
from gatehouse.sentry.request import CartItem

MOST_LINES: Final = 250
"""A cart with more lines is not added up: nobody waits for that."""
MOST_OF_ONE: Final = 100_000.0
_LONGEST_CATEGORY: Final = 80

CASH_LIKE: Final = 1.0
RESOLD: Final = 0.5

_SIGNS: Final = re.compile(r"[^a-z0-9]+")
_MARKS: Final = re.compile(r"[\u0300-\u036f]+")
# What is as good as money, and what finds a buyer within the hour. Both are plain words with
# nothing repeated in them, so that looking for them takes time in proportion to a short text.
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
    """With a price or a quantity that cannot be."""
    lowering_lines: int
    """With a price below nothing, as discounts have; whether they are any is not decided here."""
    total: float | None
    """Price times quantity, over all lines; None when a line does not say, when there are many, and
    when it is below nothing."""
    sum_of_prices: float | None
    """The same when what is called the price is a line's own total already."""
    most_of_one: float
    """The largest quantity."""
    dearest: float
    """What the line that costs most comes to."""
    resold: float
    """The share of things that are as good as money; things that sell quickly count half."""


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
        most = max(most, count)
        if price is None:
            known = False
            value = 1.0
        elif not abs(price) <= most_paid:
            invalid, known = invalid + 1, False
            continue
        else:
            value = price * count
            total += value
            dearest = max(dearest, value)
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
    """How easily things of a category become money: 1 for what is as good as it, 0 for most."""
    # Letters without their accents: many who write categories leave these out.
    plain = _MARKS.sub("", unicodedata.normalize("NFD", category.lower()))
    words = _SIGNS.sub(" ", plain)
    if _CASH_WORDS.search(words) is not None:
        return CASH_LIKE
    if _RESOLD_WORDS.search(words) is not None and _ACCESSORY_WORDS.search(words) is None:
        return RESOLD
    return 0.0

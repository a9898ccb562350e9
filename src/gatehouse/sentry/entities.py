"""What of a request is remembered: its entities, in a form that may be kept in a record.

A short plain word stays as it is, so that people can find their users and orders again. Anything
else (an e-mail address, a phone number, words with a space, digits that could be a card) becomes a
keyed hash. So does the name a user chose.
"""

import math
import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from socket import AF_INET6, inet_ntop
from typing import Any, Final

from gatehouse.core.hashing import keyed_hash
from gatehouse.core.redaction import recordable
from gatehouse.intel.addresses import Address
from gatehouse.sentry.look import Look, amount_of
from gatehouse.sentry.memory import Entity, Kind, Sighting
from gatehouse.sentry.placeholders import meant
from gatehouse.sentry.policy import SentryPolicy
from gatehouse.sentry.request import CartItem, EventType

# Ten digits at the start could be a phone number.
_PLAIN: Final = re.compile(r"(?![0-9.-]{10})[A-Za-z0-9_.:~/-]{1,64}")
_WORDS: Final = re.compile(r"[^\W_][\w .,:;&/()+'-]{0,63}")
_LONG_NUMBER: Final = re.compile(r"\d(?:\D{0,3}\d){6}")
_CARD_DIGITS: Final = 13
_MANY_DIGITS: Final = re.compile(r"(?:[^0-9]*[0-9]){13}")
_HASH_LENGTH: Final = 20
_MOST_CODES: Final = 5
_MOST_CATEGORIES: Final = 5
_MOST_ITEMS: Final = 100
_MOST_GOODS: Final = 10
_LONGEST_MIX: Final = 80
_SIGNS: Final = re.compile(r"[\W_]+")
_SMALL_WORDS: Final = frozenset(("and", "und", "et", "y", "e", "en", "of", "de", "the"))
_MOST_HEADER: Final = 1024

# Named once: a member of an enumeration is slow to name.
_ADDRESS: Final = Kind.ADDRESS
_AFFILIATE: Final = Kind.AFFILIATE
_AGENT: Final = Kind.AGENT
_ARTICLE: Final = Kind.ARTICLE
_BIN: Final = Kind.BIN
_BROWSER: Final = Kind.BROWSER
_CARD: Final = Kind.CARD
_CART: Final = Kind.CART
_CATEGORY: Final = Kind.CATEGORY
_COUNTRY: Final = Kind.COUNTRY
_CUSTOM: Final = Kind.CUSTOM
_DEVICE: Final = Kind.DEVICE
_DISCOUNT: Final = Kind.DISCOUNT
_ISSUER: Final = Kind.ISSUER
_MIX: Final = Kind.MIX
_NETWORK: Final = Kind.NETWORK
_OPERATOR: Final = Kind.OPERATOR
_PLACE: Final = Kind.PLACE
_SESSION: Final = Kind.SESSION
_SHELF: Final = Kind.SHELF
_SYSTEM: Final = Kind.SYSTEM
_TRANSACTION: Final = Kind.TRANSACTION
_USER: Final = Kind.USER
_RECURRING_PURCHASE: Final = EventType.RECURRING_PURCHASE


class Keeper:
    """Turns values into what may be kept of them, with a key of this installation."""

    def __init__(self, key: bytes) -> None:
        self._key = key
        # Headers and categories come again and again; a look at each of them is enough.
        self.header: Callable[[str], str] = lru_cache(maxsize=20_000)(self.hashed)
        self.words: Callable[[str], str] = lru_cache(maxsize=20_000)(self._words)
        self.shelf: Callable[[str], str] = lru_cache(maxsize=20_000)(self._shelf)

    def hashed(self, text: str) -> str:
        """A keyed hash; the same text, the same hash."""
        content = text.encode("utf-8", "surrogatepass")
        return "#" + keyed_hash(self._key, content)[:_HASH_LENGTH]

    def kept(self, value: str | int) -> str:
        """The value itself when nothing speaks against keeping it, otherwise its hash."""
        text = str(value)
        if _PLAIN.fullmatch(text) is not None:
            few_digits = len(text) < _CARD_DIGITS or _MANY_DIGITS.match(text) is None
            if few_digits or recordable(text) == text:
                return text
        return self.hashed(text)

    def _words(self, text: str) -> str:
        """What a thing is called, in small letters; its hash if it could be about a person."""
        if _WORDS.fullmatch(text) is not None and _LONG_NUMBER.search(text) is None:
            return text.casefold()
        return self.hashed(text)

    def _shelf(self, text: str) -> str:
        """The same without signs and small words: many write one category in several ways."""
        words = _SIGNS.sub(" ", text.casefold()).split()
        tidy = " ".join([word for word in words if word not in _SMALL_WORDS])
        # The signs that go could have been those of an e-mail address.
        return self._words(tidy) if _WORDS.fullmatch(text.strip()) else self.hashed(tidy)


def sighting_of(
    account_id: str,
    look: Look,
    policy: SentryPolicy,
    keeper: Keeper,
    more: Sequence[Entity] = (),
) -> Sighting:
    """The event as the memory and the record keep it, with what other inputs told of it."""
    entities: list[Entity] = []
    # The merchant starts a renewal: address and device are not the customer's.
    if look.event.type is not _RECURRING_PURCHASE:
        _add_address(entities, look)
        _add_device(entities, look, keeper)
    order = look.order
    for kind, value in (
        (_SESSION, look.device.session_id),
        (_AFFILIATE, order.affiliate_id),
    ):
        name = meant(value)
        if name is not None:
            entities.append((kind, keeper.kept(name)))
    who = _add_buyer(entities, look, keeper)
    transaction = meant(look.event.transaction_id)
    if transaction is not None:
        # Whoever tries other cards or names on one order is not repeating a request.
        entities.append((_TRANSACTION, f"{keeper.kept(transaction)} {who}"))
    if order.discount_codes:
        codes = dict.fromkeys([code.strip().upper() for code in order.discount_codes[:_MOST_CODES]])
        entities += [(_DISCOUNT, keeper.kept(code)) for code in codes]
    if look.items:
        _add_cart(entities, look.items, keeper)
        _add_goods(entities, look, keeper)
    if policy.entities and look.request.custom_inputs:
        _add_custom(entities, look.request.custom_inputs, policy.entities, keeper)
    if more:
        # What is told twice is one thing, and counts once.
        entities += [each for each in more if each not in entities]
    facts = look.facts
    return Sighting(
        account_id,
        look.at_s,
        entities,
        amount_of(look),
        None if look.currency_digits is None else look.currency,
        # A relay and a mobile carrier put people into countries where they are not.
        None if facts.relay or facts.mobile else look.country,
    )


def address_entity(address: Address) -> Entity:
    """What is remembered of an address."""
    if address.version == 6:
        # A device changes its address within its subnet every few hours, or as often as it likes.
        subnet = (address.value >> 64 << 64).to_bytes(16, "big")
        return _ADDRESS, inet_ntop(AF_INET6, subnet) + "/64"
    return _ADDRESS, address.text


def _add_address(entities: list[Entity], look: Look) -> None:
    address, facts = look.address, look.facts
    if address is None:
        return
    entities.append(address_entity(address))
    entities.append((_NETWORK, address.network))
    if facts.asn is not None:
        entities.append((_OPERATOR, str(facts.asn)))
    if facts.country is not None:
        entities.append((_COUNTRY, facts.country))


def _add_device(entities: list[Entity], look: Look, keeper: Keeper) -> None:
    text, agent = look.device.user_agent, look.agent
    if not text or agent is None:
        return
    header = text[:_MOST_HEADER]
    languages = (look.device.accept_language or "")[:_MOST_HEADER]
    device = keeper.header(f"{header}\n{languages}")
    entities.append((_AGENT, keeper.header(header)))
    entities.append((_DEVICE, device))
    if look.address is not None:
        entities.append((_PLACE, f"{device} {look.address.network}"))
    # Names of rare browsers and systems are cut out of the header as they stand there.
    if agent.family is not None:
        version = "" if agent.major is None else f" {agent.major}"
        entities.append((_BROWSER, keeper.words(agent.family + version)))
    if agent.system is not None:
        entities.append((_SYSTEM, keeper.words(agent.system)))


def _add_buyer(entities: list[Entity], look: Look, keeper: Keeper) -> str:
    """Who buys, with which card; returned as a word, which without any is the address."""
    found: list[Entity] = []
    user, name = meant(look.account.user_id), meant(look.account.username)
    if user is not None:
        found.append((_USER, keeper.kept(user)))
    elif name is not None:
        found.append((_USER, keeper.hashed(f"name {name}")))
    if look.card is not None:
        found.append((_CARD, look.card.fingerprint))
        found.append((_BIN, look.card.bin))
    entities += found
    if look.card is not None and look.card.country is not None:
        entities.append((_ISSUER, look.card.country))
    if found:
        return " ".join([value for _, value in found])
    return "" if look.address is None else look.address.text


def _add_cart(entities: list[Entity], items: list[CartItem], keeper: Keeper) -> None:
    first = items[:_MOST_ITEMS]
    # Lines without names of their articles would make strangers' carts alike.
    if all(each.item_id is not None for each in first):
        lines = sorted([f"{each.item_id}\t{each.quantity}" for each in first])
        entities.append((_CART, keeper.hashed("\n".join(lines))))
    words = dict.fromkeys([each.category for each in first if each.category])
    categories = dict.fromkeys([keeper.words(word) for word in list(words)[:_MOST_CATEGORIES]])
    entities += [(_CATEGORY, category) for category in categories]


def _add_goods(entities: list[Entity], look: Look, keeper: Keeper) -> None:
    """What is bought at about which price: the same thing at another price is another offer."""
    items, cart = look.items, look.cart
    if not items or cart is None:
        return
    kinds: dict[str, None] = {}
    for item in items[:_MOST_GOODS]:
        price = item.price
        category = None
        if item.category:
            category = keeper.shelf(item.category)
            kinds[category] = None
        if price is None or not 0 <= price < math.inf:
            continue
        octave = math.log2(price) if price > 1.0 else 0.0
        if category is not None:
            entities.append((_SHELF, f"{category}@{int(2 * octave)}"))
        name = meant(item.item_id)
        if name is not None:
            entities.append((_ARTICLE, f"{keeper.kept(name)}@{int(8 * octave)}"))
    if kinds and cart.total is not None:
        total = int(2 * math.log2(cart.total)) if cart.total > 1.0 else 0
        together = "+".join(sorted(kinds))
        if len(together) > _LONGEST_MIX:
            together = keeper.hashed(together)
        entities.append((_MIX, f"{together}@{total}"))


def _add_custom(
    entities: list[Entity], inputs: dict[str, Any], wanted: tuple[str, ...], keeper: Keeper
) -> None:
    for name in wanted:
        value = inputs.get(name)
        text = repr(value) if isinstance(value, float) else value
        if isinstance(text, str | int) and meant(text) is not None:
            entities.append((_CUSTOM, f"{name}={keeper.kept(text)}"))

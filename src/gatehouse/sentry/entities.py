"""The entities of a request, in a form that may be kept in the memory and in a record.

A short plain word stays as it is, so that people can find their users and orders again. Anything
else (an e-mail address, a phone number, words with a space, digits that could be a card) becomes a
keyed hash. So does the name a user chose.
"""

import math
import re
from collections.abc import Callable, Iterable, Sequence
from typing import Final

from gatehouse.core.cards.redaction import FEWEST_DIGITS, digits_in, recordable
from gatehouse.core.limits.short_cache import cache_short
from gatehouse.core.secrets.hashing import keyed_hash
from gatehouse.intel.addresses import Address
from gatehouse.sentry import kinds
from gatehouse.sentry.amounts import is_small
from gatehouse.sentry.found.found_inputs import NOTHING_FOUND, FoundInputs
from gatehouse.sentry.found.shapes import texts_in
from gatehouse.sentry.memory.memory import CATEGORY, Entity, MemoryEvent
from gatehouse.sentry.placeholders import drop_placeholder
from gatehouse.sentry.policy import SentryPolicy
from gatehouse.sentry.request import CartItem
from gatehouse.sentry.request_view import RequestView

# Ten digits at the start could be a phone number.
_PLAIN: Final = re.compile(r"(?![0-9.-]{10})[A-Za-z0-9_.:~/-]{1,64}")
_WORDS: Final = re.compile(r"[^\W_][\w .,:;&/()+'-]{0,63}")
_LONG_NUMBER: Final = re.compile(r"\d(?:\D{0,3}\d){6}")
_HASH_LENGTH: Final = 20
_MOST_CODES: Final = 5
_MOST_CATEGORIES: Final = 5
_MOST_ITEMS: Final = 100
_MOST_GOODS: Final = 10
_LONGEST_MIX: Final = 80
_SIGNS: Final = re.compile(r"[\W_]+")
_SMALL_WORDS: Final = frozenset(("and", "und", "et", "y", "e", "en", "of", "de", "the"))
_MOST_HEADER: Final = 1024
_MOST_CACHED: Final = 640
"""Longer than the user agent and the languages of any browser together."""


class EntityHasher:
    """Turns values into a form that may be kept, with a key of this installation."""

    def __init__(self, key: bytes) -> None:
        self._key = key
        # The same headers, categories, articles and affiliates come again and again.
        self.header: Callable[[str], str] = cache_short(20_000, _MOST_CACHED)(self.hashed)
        self.words: Callable[[str], str] = cache_short(20_000)(self._words)
        self.shelf: Callable[[str], str] = cache_short(20_000)(self._shelf)
        self.name: Callable[[str], str] = cache_short(20_000)(self.kept)

    def hashed(self, text: str) -> str:
        """A keyed hash; the same text, the same hash."""
        content = text.encode("utf-8", "surrogatepass")
        return "#" + keyed_hash(self._key, content)[:_HASH_LENGTH]

    def kept(self, value: str | int) -> str:
        """The value itself if it is a short plain word, and its hash if not."""
        text = str(value)
        if _PLAIN.fullmatch(text) is not None:
            few_digits = len(text) < FEWEST_DIGITS or digits_in(text) < FEWEST_DIGITS
            if few_digits or recordable(text) == text:
                return text
        return self.hashed(text)

    def _words(self, text: str) -> str:
        """A name of a thing in lower case; its hash if it could be about a person."""
        if _WORDS.fullmatch(text) is not None and _LONG_NUMBER.search(text) is None:
            return text.casefold()
        return self.hashed(text)

    def _shelf(self, text: str) -> str:
        """The same without signs and small words: one category is written in several ways."""
        words = _SIGNS.sub(" ", text.casefold()).split()
        tidy = " ".join([word for word in words if word not in _SMALL_WORDS])
        # The removed signs could have been those of an e-mail address.
        return self._words(tidy) if _WORDS.fullmatch(text.strip()) else self.hashed(tidy)


def event_of(
    account_id: str,
    view: RequestView,
    policy: SentryPolicy,
    hasher: EntityHasher,
    more: Sequence[Entity] = (),
    found: FoundInputs = NOTHING_FOUND,
) -> MemoryEvent:
    """The event as the memory and the record keep it, with entities of other inputs."""
    entities: list[Entity] = []
    # The merchant starts a renewal: address and device are not the customer's.
    if not view.is_renewal:
        _add_address(entities, view)
        _add_device(entities, view, hasher)
        device = view.device.device_id
        if device is not None and drop_placeholder(device) is not None:
            entities.append((kinds.DEVICE_ID, hasher.kept(device)))
    order = view.order
    session = drop_placeholder(view.device.session_id)
    if session is not None:
        entities.append((kinds.SESSION, hasher.kept(session)))
    affiliate = drop_placeholder(order.affiliate_id)
    if affiliate is not None:
        entities.append((kinds.AFFILIATE, hasher.name(str(affiliate))))
    who = _add_buyer(entities, view, hasher)
    transaction = drop_placeholder(view.event.transaction_id)
    if transaction is not None:
        view.transaction = hasher.kept(transaction)
        # Another card or user on the same order is a new attempt, not a repeated request.
        entities.append((kinds.TRANSACTION, f"{view.transaction} {who}"))
    if order.discount_codes:
        codes = dict.fromkeys([code.strip().upper() for code in order.discount_codes[:_MOST_CODES]])
        entities += [(kinds.DISCOUNT, hasher.name(code)) for code in codes]
    if view.items:
        _add_cart(entities, view.items, hasher)
        _add_goods(entities, view, hasher)
    if view.amount is not None and not view.is_renewal:
        currency = None if view.currency_digits is None else view.currency
        if is_small(view.amount, currency):
            entities.append((kinds.SMALL, currency or "-"))
    if view.request.custom_inputs and (policy.entities or found.inputs):
        _add_custom(entities, view, (policy.entities, found), hasher)
    if more:
        # An entity that is named twice counts once.
        entities += [each for each in more if each not in entities]
    facts = view.facts
    return MemoryEvent(
        account_id,
        view.at_s,
        entities,
        view.amount,
        None if view.currency_digits is None else view.currency,
        # A relay and a mobile carrier put people into countries where they are not.
        None if facts.relay or facts.mobile else view.country,
        view.request_id,
    )


def address_entity(address: Address) -> Entity:
    """What is remembered of an address."""
    return kinds.ADDRESS, address.household


def _add_address(entities: list[Entity], view: RequestView) -> None:
    address, facts = view.address, view.facts
    if address is None:
        return
    entities.append(address_entity(address))
    entities.append((kinds.NETWORK, address.network))
    if facts.asn is not None:
        entities.append((kinds.OPERATOR, str(facts.asn)))
    if facts.country is not None:
        entities.append((kinds.COUNTRY, facts.country))


def _add_device(entities: list[Entity], view: RequestView, hasher: EntityHasher) -> None:
    text, agent = view.device.user_agent, view.agent
    if not text or agent is None:
        return
    header = text[:_MOST_HEADER]
    languages = (view.device.accept_language or "")[:_MOST_HEADER]
    device = hasher.header(f"{header}\n{languages}")
    entities.append((kinds.AGENT, hasher.header(header)))
    entities.append((kinds.DEVICE, device))
    if view.address is not None:
        entities.append((kinds.PLACE, f"{device} {view.address.network}"))
    # Names of rare browsers and systems are cut out of the header as they stand there.
    if agent.family is not None:
        version = "" if agent.major is None else f" {agent.major}"
        entities.append((kinds.BROWSER, hasher.words(agent.family + version)))
    if agent.system is not None:
        entities.append((kinds.SYSTEM, hasher.words(agent.system)))


def _add_buyer(entities: list[Entity], view: RequestView, hasher: EntityHasher) -> str:
    """Add user and card; returns them as one word, or the address if there is neither.

    The word is recorded as it is, so it has the account's fingerprint of the card.
    """
    names: list[str] = []
    if view.user_id is not None:
        names.append(hasher.kept(view.user_id))
    elif view.username is not None:
        names.append(hasher.hashed(f"name {view.username}"))
    if names:
        entities.append((kinds.USER, names[0]))
    if view.card is not None:
        card, account = view.card.kept, view.card.inner_account
        if account is None:
            names += (card.fingerprint, card.bin)
        else:
            # Before the number, so that it is what other entities are seen with. The number is
            # remembered, too: the next request with it may come without the reference.
            entities.append((kinds.CARD, account))
            names.append(card.account_fingerprint or "")
        entities += ((kinds.CARD, view.card.inner), (kinds.BIN, card.bin))
        if card.country is not None:
            entities.append((kinds.ISSUER, card.country))
    if names:
        return " ".join(names)
    return "" if view.address is None else view.address.text


def _add_cart(entities: list[Entity], items: list[CartItem], hasher: EntityHasher) -> None:
    first = items[:_MOST_ITEMS]
    lines = [f"{each.item_id}\t{each.quantity}" for each in first if each.item_id is not None]
    # Lines without an article's id would make the carts of strangers alike.
    if len(lines) == len(first):
        lines.sort()
        entities.append((kinds.CART, hasher.hashed("\n".join(lines))))
    words = dict.fromkeys([each.category for each in first if each.category])
    categories = dict.fromkeys([hasher.words(word) for word in list(words)[:_MOST_CATEGORIES]])
    entities += [(kinds.CATEGORY, category) for category in categories]


def _add_goods(entities: list[Entity], view: RequestView, hasher: EntityHasher) -> None:
    """Add goods at about their price: the same article at another price is another offer."""
    items, cart = view.items, view.cart
    if not items or cart is None:
        return
    categories: dict[str, None] = {}
    for item in items[:_MOST_GOODS]:
        price = item.price
        category = None
        if item.category:
            category = hasher.shelf(item.category)
            categories[category] = None
        if price is None or not 0 <= price < math.inf:
            continue
        octave = math.log2(price) if price > 1.0 else 0.0
        if category is not None:
            entities.append((kinds.SHELF, f"{category}@{int(2 * octave)}"))
        name = drop_placeholder(item.item_id)
        if name is not None:
            entities.append((kinds.ARTICLE, f"{hasher.name(str(name))}@{int(8 * octave)}"))
    if categories and cart.total is not None:
        total = int(2 * math.log2(cart.total)) if cart.total > 1.0 else 0
        together = "+".join(sorted(categories))
        if len(together) > _LONGEST_MIX:
            together = hasher.hashed(together)
        entities.append((kinds.MIX, f"{together}@{total}"))


def _add_custom(
    entities: list[Entity],
    view: RequestView,
    remembered: tuple[tuple[str, ...], FoundInputs],
    hasher: EntityHasher,
) -> None:
    """Add the custom inputs that were declared or found; categories come last."""
    declared, found = remembered
    names = dict.fromkeys(declared + found.identifiers)
    added = _custom_entities(names, view, hasher)
    view.own_inputs = len(added)
    entities += added
    if found.categories:
        others = [name for name in found.categories if name not in names]
        shared = _custom_entities(others, view, hasher)
        entities += [(kind, CATEGORY + value) for kind, value in shared]


def _custom_entities(names: Iterable[str], view: RequestView, hasher: EntityHasher) -> list[Entity]:
    inputs = view.request.custom_inputs or {}
    added: list[Entity] = []
    for name in names:
        value = inputs.get(name)
        for each in texts_in(value) if isinstance(value, list) else (value,):
            text = repr(each) if isinstance(each, float) else each
            if isinstance(text, str | int) and drop_placeholder(text) is not None:
                added.append((kinds.CUSTOM, f"{name}={hasher.kept(text)}"))
    return added

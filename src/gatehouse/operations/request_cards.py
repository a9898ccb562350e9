"""The cards that the objects of a request speak of: which one is charged, and which are others.

A Pipeline request can name one card several times. What is said of it in one object holds for all
of them.
"""

from typing import Final

import msgspec

from gatehouse.core.cards.numbers import CardOfRequest
from gatehouse.core.errors import RequestRefused
from gatehouse.core.stages.case import ValuesByType
from gatehouse.core.stages.registry import REGISTRY
from gatehouse.core.wording.sentences import Phrase
from gatehouse.rules.request import RulesRequest
from gatehouse.rules.spec import RULES

_CREDENTIALS: Final = (
    ("account_reference", "paymentAccountReference"),
    ("credential_type", "credentialType"),
)
_WITHOUT_CARD: Final = Phrase("invalid.without_card", "has no effect without a card number")
_CONTRADICTS: Final = Phrase(
    "invalid.contradicts", "differs from what another object says of the same card number"
)


class RequestCards(msgspec.Struct, frozen=True):
    """The cards of a request."""

    charged: CardOfRequest | None
    """The one that will be charged."""
    others: dict[str, CardOfRequest]
    """Of stages that were asked about another one, by name of the stage."""
    named: list[CardOfRequest]
    """As often as they were named."""
    ignored: dict[str, str]
    """What was said of a card that is not there, by its path, with the reason."""


def cards_of(values: ValuesByType) -> RequestCards:
    """The cards that stages are asked about; raises `RequestRefused` if they contradict."""
    rules = values.find(RulesRequest)
    named = [
        (spec, spec.request.card(value))
        for spec in REGISTRY.in_pipelines
        if spec.request.card is not None and (value := values.get(spec.request.type)) is not None
    ]
    ruled = None if rules is None else rules.card()
    if ruled is not None:
        named.append((RULES, ruled))
    if not named:
        path = f"{RULES.request.field}."
        unused = unused_credential(rules, path) if rules is not None else {}
        return RequestCards(None, {}, [], unused)
    others: dict[str, CardOfRequest] = {}
    charged = named[0][1]
    for spec, card in named[1:]:
        if card.number != charged.number:
            others[spec.name] = card
        else:
            charged = _merged(charged, card, spec.request.field)
    if rules is not None and ruled is None and rules.has_credential:
        reference, kind = rules.payment_account_reference, rules.credential_type
        said = CardOfRequest(charged.number, None, False, reference, kind)
        charged = _merged(charged, said, RULES.request.field)
    return RequestCards(charged, others, [card for _, card in named], {})


def unused_credential(rules: RulesRequest, path: str = "") -> dict[str, str]:
    """What a Rules request says of a card that it does not name."""
    said = {
        "paymentAccountReference": rules.payment_account_reference,
        "credentialType": rules.credential_type,
    }
    return {f"{path}{name}": _WITHOUT_CARD() for name, value in said.items() if value is not None}


def _merged(charged: CardOfRequest, card: CardOfRequest, place: str) -> CardOfRequest:
    """What two objects say of one card, together."""
    if not (card.guessable or card.account_reference or card.credential_type):
        return charged  # As most requests have it.
    more: dict[str, object] = {}
    if card.guessable and not charged.guessable:
        more["guessable"] = True
    for field, name in _CREDENTIALS:
        said, known = getattr(card, field), getattr(charged, field)
        if said is None or said == known:
            continue
        if known is not None:
            raise RequestRefused("invalid_request", fields={f"{place}.{name}": [_CONTRADICTS()]})
        more[field] = said
    return msgspec.structs.replace(charged, **more) if more else charged

"""Earlier records hold the inner fingerprint of their card; here they get the account's.

Every reader that shows records or signals reads them through this module, so that the inner one
is never seen. The command that converts what is stored uses it, too.
"""

from typing import Final

import msgspec

from gatehouse.core.cards.fingerprints import INNER, INNER_PREFIX, Fingerprints
from gatehouse.decisions.record import DecisionRecord, UnreadableRecord, encode
from gatehouse.decisions.record import decode as decode_as_kept
from gatehouse.decisions.recorded_event import RecordedEvent

# As the text of a card has it; inside of any other value the quotes would be escaped.
_INNER_OF_CARD: Final = f'"fingerprint":"{INNER_PREFIX}'
SIGNAL: Final = "card.fingerprint"
"""What tells rules of it."""


def decode(account_id: str, text: str, fingerprints: Fingerprints) -> DecisionRecord:
    """The record of a text as its account may see it, or `UnreadableRecord`."""
    record = decode_as_kept(text)
    return _converted(account_id, record, fingerprints) if _INNER_OF_CARD in text else record


def shown_text(account_id: str, text: str, fingerprints: Fingerprints) -> str:
    """The text of a record as its account may see it, even if this version cannot read it."""
    if _INNER_OF_CARD not in text:
        return text
    try:
        return encode(decode(account_id, text, fingerprints))
    except UnreadableRecord:
        return INNER.sub(lambda found: fingerprints.of_account(account_id, found[0]), text)


def _converted(
    account_id: str, record: DecisionRecord, fingerprints: Fingerprints
) -> DecisionRecord:
    card, signals, event = record.card, record.signals, record.event
    if card is None:
        return record
    inner = card.fingerprint
    shown = fingerprints.of_account(account_id, inner)
    if signals is not None and signals.get(SIGNAL) == inner:
        signals = {**signals, SIGNAL: shown}
    return msgspec.structs.replace(
        record,
        card=msgspec.structs.replace(card, fingerprint=shown),
        signals=signals,
        event=None if event is None else _event(event, inner, shown),
    )


def _event(event: RecordedEvent, inner: str, shown: str) -> RecordedEvent:
    # The name of a transaction has the fingerprint in it.
    values = [value.replace(inner, shown) for value in event.values]
    return msgspec.structs.replace(event, values=values)

"""Texts that one process notes for another: a sentence keeps its key and values when it is stored.

So each reader says it in its own words and language. A text that is no sentence is stored as it is,
as earlier versions stored all.
"""

import json
from typing import Any, Final

import msgspec

from gatehouse.core.cards.redaction import recordable
from gatehouse.core.wording.sentences import Sentence, encoding

_START: Final = '{"key":'


def noted(text: str) -> str:
    """A text as it is stored, without card numbers."""
    if isinstance(text, Sentence):
        return msgspec.json.encode(text, enc_hook=_parts).decode()
    # What others wrote must not pass for a sentence of ours.
    return recordable(f" {text}" if text.startswith(_START) else text)


def read_note(stored: str) -> str:
    """The text that was stored; a sentence if it was one."""
    try:
        found = json.loads(stored, object_hook=_whole) if stored.startswith(_START) else None
    except ValueError:
        return stored
    return found if isinstance(found, Sentence) else stored


as_note: Final = encoding(noted)
"""Writes sentences within something else that is stored as JSON."""


def _parts(value: object) -> Any:
    if not isinstance(value, Sentence):
        return str(value)
    values = {name: recordable(v) if type(v) is str else v for name, v in value.values.items()}
    return {"key": value.key, "english": str(recordable(value)), "values": values}


def _whole(parts: dict[str, Any]) -> Any:
    return Sentence(**parts) if parts.keys() == {"key", "english", "values"} else parts

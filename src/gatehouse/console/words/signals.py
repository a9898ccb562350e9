"""What signals and functions of rules are about, in the words of a person's language."""

from typing import Final

from gatehouse.conditions.plain_words import SIGNAL_ABOUT
from gatehouse.conditions.signatures import SIGNATURES
from gatehouse.console.visit import Visit
from gatehouse.core.stages.signal import SignalInfo
from gatehouse.core.wording.sentences import phrases_of

FUNCTIONS_ABOUT: Final = phrases_of(
    "function", {name: each.about for name, each in SIGNATURES.items()}
)


def signal_about(visit: Visit, signal: SignalInfo) -> str:
    """What a signal is about; in English where another stage than ours leaves it."""
    known = SIGNAL_ABOUT.get(signal.name)
    return signal.about if known is None else visit.said(known())

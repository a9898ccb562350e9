"""Reads a card number, or the reference of the account behind it, without leaving it in a shell's
history or a list of processes.
"""

import sys
from typing import Final

import typer

from gatehouse.core.cards.numbers import CardNumber
from gatehouse.core.errors import InvalidInput
from gatehouse.core.files.lines import standard_input
from gatehouse.core.secrets.credentials import AccountReference

FROM_INPUT: Final = "-"
"""The argument that has the number read from standard input, or asked for."""
_LONGEST_LINE: Final = 200


NOT_TYPED: Final = (
    "a card number on the command line stands in the shell's history and in the list of "
    "processes; give --card - and type it when asked, or send it to standard input"
)


def read_card_number(text: str) -> CardNumber:
    """The card number that an argument gives, or says where to read it."""
    return _number(_typed("Card number") if text == FROM_INPUT else text)


def read_card() -> CardNumber | AccountReference:
    """The card that is typed or sent to standard input: its number, or its account's reference."""
    text = _typed("Card number or account reference").strip()
    return AccountReference.parse(text) if AccountReference.fits(text) else _number(text)


def _typed(prompt: str) -> str:
    stream = standard_input()
    if sys.stdin.isatty():
        return str(typer.prompt(prompt, hide_input=True, err=True))
    return stream.readline(_LONGEST_LINE).decode("ascii", "replace")


def _number(text: str) -> CardNumber:
    try:
        return CardNumber.parse(text.strip().replace(" ", "").replace("-", ""))
    except ValueError as error:
        raise InvalidInput(f"the card number {error}") from None

"""Reads a card number without leaving it in a shell's history or a list of processes."""

import sys
from typing import Final

import typer

from gatehouse.core.cards import CardNumber
from gatehouse.core.errors import InvalidInput
from gatehouse.core.files.lines import standard_input

FROM_INPUT: Final = "-"
"""The argument that has the number read from standard input, or asked for."""
_LONGEST_LINE: Final = 200


def read_card_number(text: str) -> CardNumber:
    """The card number that an argument gives, or says where to read it."""
    if text == FROM_INPUT:
        stream = standard_input()
        if sys.stdin.isatty():
            text = typer.prompt("Card number", hide_input=True, err=True)
        else:
            text = stream.readline(_LONGEST_LINE).decode("ascii", "replace")
    try:
        return CardNumber.parse(text.strip().replace(" ", "").replace("-", ""))
    except ValueError as error:
        raise InvalidInput(f"the card number {error}") from None

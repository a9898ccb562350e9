"""Reads the networks' letters and codes in the words of the API; the table is networks.toml."""

import tomllib
from importlib import resources
from typing import Final

from gatehouse.precheck.response import Advice, AvsResult, Cvv2Result

CODE_REFUSED: Final = "N7"
"""The issuer's way of saying, outside the CVV2 letter, that the security code was wrong."""


_FILE: Final = resources.files("gatehouse.precheck").joinpath("networks.toml")
_TABLE: Final = tomllib.loads(_FILE.read_text("utf-8"))


def _by_letter(words: dict[str, list[str]]) -> dict[str, str]:
    return {letter: word for word, letters in words.items() for letter in letters}


_AVS: Final = {
    brand: {letter: AvsResult(word) for letter, word in _by_letter(words).items()}
    for brand, words in _TABLE["avs"].items()
}
_CVV2: Final = {letter: Cvv2Result(word) for letter, word in _by_letter(_TABLE["cvv2"]).items()}
_ADVICE: Final = {
    code: (Advice(advice), reason)
    for advice, codes in _TABLE["advice"].items()
    for code, reason in codes.items()
}


def read_avs(brand: str | None, letter: str | None) -> AvsResult:
    """What an AVS letter says, by the brand that sent it."""
    letters = _AVS.get(brand or "", _AVS["default"])
    return letters.get(letter or "", AvsResult.UNKNOWN)


def read_cvv2(letter: str | None) -> Cvv2Result:
    """What a CVV2 letter says."""
    return _CVV2.get(letter or "", Cvv2Result.UNKNOWN)


def read_response_code(code: str) -> tuple[Advice, str]:
    """The advice an issuer's response code amounts to, and the reason for it."""
    return _ADVICE.get(code, (Advice.DECLINE, "issuer_declined"))

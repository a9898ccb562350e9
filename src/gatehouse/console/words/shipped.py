"""Texts that Gatehouse itself put into accounts: descriptions of what every new one begins with.

They are kept in English as if somebody had typed them, and are known by their wording.
"""

from collections.abc import Mapping
from typing import Final

from gatehouse.core.wording.sentences import Phrase, phrases_of
from gatehouse.pipeline.definition import decode_program as decode_pipeline
from gatehouse.pipeline.starter import starter_pipelines
from gatehouse.rules.ruleset import decode_program
from gatehouse.rules.starter import STARTER_LISTS, starter_program

_STARTER: Final = decode_program(starter_program())
_SHIPPED: Final = (
    Phrase("shipped.rule_set", _STARTER.description),
    *phrases_of("shipped.rule", {each.name: each.description for each in _STARTER.rules}).values(),
    *phrases_of("shipped.list", {each.name: each.about for each in STARTER_LISTS}).values(),
    *phrases_of(
        "shipped.pipeline",
        {
            number: decode_pipeline(program).description
            for number, _, program in starter_pipelines()
        },
    ).values(),
    *phrases_of(
        "shipped.note",
        {
            "new_account": "given to every new account",
            "opening_balance": "opening balance",
            "demo_money": "play money for a made-up past",
            "demo_back": "play money for a made-up past, taken back",
            "demo_days": "play money for the requests of the days before",
            "demo_webhook": "The order system of the shop, which is made up",
        },
    ).values(),
)


SHIPPED_WORDS: Final[Mapping[str, str]] = {phrase.english: phrase() for phrase in _SHIPPED}
"""The sentences by their wording."""

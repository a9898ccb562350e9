"""Refusals name no command; the command line adds what helps by the code of each."""

import re
from string import Formatter

import pytest

from gatehouse.cli.hints import HINTS, hinted
from gatehouse.core.wording.sentences import PHRASES, Phrase, lines
from tests.harness.phrases import all_phrases

_COMMAND = re.compile(r"gatehouse [a-z]|--[a-z]")


@pytest.mark.parametrize("key", HINTS)
def test_every_hint_is_filled_by_what_is_known_of_its_refusal(key: str) -> None:
    phrase = all_phrases()[key]
    beside = {"option", "command", "kind"}
    names = {name for _, name, _, _ in Formatter().parse(phrase.english + HINTS[key]) if name}
    said = hinted(phrase(**{name: f"<{name}>" for name in names | beside}))
    assert _COMMAND.search(said) or "<command>" in said


def test_a_refusal_within_another_has_its_hint_too() -> None:
    no_list, closed = PHRASES["refused.no_list"], PHRASES["refused.account_closed_on"]
    whole = lines([no_list(name="a"), no_list(name="ab"), closed(account_id="acct_1", at="then")])
    assert hinted(whole).splitlines() == [
        "there is no list a; see: gatehouse lists show, or make it with: gatehouse lists create "
        "NAME --kind KIND",
        "there is no list ab; see: gatehouse lists show, or make it with: gatehouse lists create "
        "NAME --kind KIND",
        "account acct_1 was closed on then; to use it again: gatehouse accounts reopen --account "
        "acct_1 --reason ...",
    ]
    assert hinted(Phrase("test.plain", "{number:,} of them")(number=1234)) == "1,234 of them"
    assert hinted("as it is") == "as it is"
